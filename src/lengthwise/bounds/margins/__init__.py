"""Margins: how long training inputs have to be for a program that jumps, on the words that are far from its jumps."""
