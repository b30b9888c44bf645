"""Where finished runs are kept: run directories, which are the truth, and an index of their results."""
