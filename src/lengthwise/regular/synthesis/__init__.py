"""Synthesis: from a yes to a program, and from a program to a smaller one."""
