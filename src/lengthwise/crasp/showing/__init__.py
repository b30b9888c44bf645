"""Programs and traces as text, LaTeX and HTML."""
