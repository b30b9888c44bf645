"""Studies: their protocol, and what published runs of the same tasks did."""
