"""Engines: where the runs of a sweep are worked on, in this process, in others, or on a Ray cluster."""
