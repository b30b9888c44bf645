"""Figures, tables and reports; the only package that draws with matplotlib."""
