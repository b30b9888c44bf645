"""Experiments: published figures, made again from runs, drawn, and judged claim by claim."""
