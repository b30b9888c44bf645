"""From text to a program: tokens, expressions, guards, names and sorts, and messages about what is wrong."""
