"""Measurements: `python -m benchmarks` prints tables of speeds and ratios, everything of a table in one run."""
