"""Sparse variable creation: transformers, written down, for functions of few of many bits (Edelman et al., appendix B).

>>> from lengthwise.sparse import boolean
>>> built = boolean.represent(boolean.from_formula("x2 & (x4 | !x5)"), length=7)
>>> boolean.verify(built).passed, boolean.verify(built).strings
(True, 128)

`functions` are what is computed, `bases` are vectors for positions; `represent` has the heads (lemmas B.2 to B.4) and
puts a network (B.8) after them (B.5, B.6). `lengthwise.nn.loading.boolean` makes PyTorch modules of them.
"""

from lengthwise.sparse.boolean.arrays import BooleanError, all_bits, as_bits
from lengthwise.sparse.boolean.bases import Basis, orthonormal, polynomial, random_signs
from lengthwise.sparse.boolean.construction import Construction
from lengthwise.sparse.boolean.functions import (
    SparseFunction,
    Symmetric,
    Tabulated,
    at_least,
    conjunction,
    disjunction,
    from_formula,
    from_table,
    majority,
    parity,
    symmetric,
)
from lengthwise.sparse.boolean.represent import bag_of_vectors, deterministic, represent, select, trainable, with_memory
from lengthwise.sparse.boolean.transformer import BooleanTransformer, Head, Memory, memory
from lengthwise.sparse.boolean.verify import Norm, Verification, hidden_units, norms, verify

__all__ = [
    "Basis",
    "BooleanError",
    "BooleanTransformer",
    "Construction",
    "Head",
    "Memory",
    "Norm",
    "SparseFunction",
    "Symmetric",
    "Tabulated",
    "Verification",
    "all_bits",
    "as_bits",
    "at_least",
    "bag_of_vectors",
    "conjunction",
    "deterministic",
    "disjunction",
    "from_formula",
    "from_table",
    "hidden_units",
    "majority",
    "memory",
    "norms",
    "orthonormal",
    "parity",
    "polynomial",
    "random_signs",
    "represent",
    "select",
    "symmetric",
    "trainable",
    "verify",
    "with_memory",
]
