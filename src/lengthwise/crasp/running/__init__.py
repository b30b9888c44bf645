"""Evaluators of programs: the oracle, NumPy, machine code, and the choice between them."""
