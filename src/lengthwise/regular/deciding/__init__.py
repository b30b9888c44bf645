"""Deciding: is a regular language, or a program, in C-RASP[∅], [local] and [periodic, local] (Huang et al.)."""
