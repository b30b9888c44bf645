"""Figures in one style; the only package that draws with matplotlib, and one that knows no experiment."""
