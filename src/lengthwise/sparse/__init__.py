"""Few of many: functions and attention that depend on a handful of positions of a long input.

- `boolean`: transformers for sparse Boolean functions, written down as weights (Edelman et al., appendix B).
- `ensembles`: inputs with planted correlations (Golowich et al., Definition 3.2).
- `functional`: sparse functional attention, and learning by risk minimisation (Definitions 3.1 and 3.3).
- `bounds`: Theorem 4.3 as repaired and as printed, with its counterexamples.
- `coupling`: position coupling (Definition 4.1, Proposition 4.4).
"""
