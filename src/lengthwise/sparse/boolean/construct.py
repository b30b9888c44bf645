"""From a function to weights that were checked: what `lengthwise sparse construct` does.

>>> from lengthwise import sparse
>>> built = sparse.construct("parity:3", length=12)
>>> built.verification.passed, built.verification.strings, built.construction.model.memory.units
(True, 4096, (16, 4))

A function is named by a text: a formula such as `x2 & (x4 | !x5)`, or the name of a symmetric function. `parity:1,5,9`
is the parity of these three bits, `parity:3` that of three bits spread evenly over the string; `and`, `or` and
`majority` are read in the same way.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from lengthwise import output
from lengthwise.sparse.boolean.arrays import BooleanError
from lengthwise.sparse.boolean.bases import polynomial
from lengthwise.sparse.boolean.construction import Construction
from lengthwise.sparse.boolean.functions import (
    SparseFunction,
    Symmetric,
    conjunction,
    disjunction,
    from_formula,
    majority,
    parity,
)
from lengthwise.sparse.boolean.represent import Inputs, represent
from lengthwise.sparse.boolean.verify import Norm, Verification, hidden_units, norms, verify

NAMED: dict[str, Callable[[Sequence[int]], Symmetric]] = {
    "and": conjunction,
    "or": disjunction,
    "majority": majority,
    "parity": parity,
}
"""The symmetric functions that have a name."""


def read_function(text: str, length: int) -> SparseFunction:
    """The function of a string of `length` bits that a text stands for.

    Args:
        text: A formula over x1, x2, …; or `parity`, `majority`, `and` or `or`, a colon, and how many bits, or which
            ones with commas between (a comma after a single one: `and:7,`).
        length: How many bits there are.

    Raises:
        BooleanError: The text is no function of such strings.

    """
    name, colon, bits = text.strip().partition(":")
    if not colon:
        return from_formula(text)
    if name not in NAMED:
        raise BooleanError(
            f"there is no function named {name!r}; there are {', '.join(NAMED)}, and formulas such as x2 & x5"
        )
    try:
        numbers = [int(each) for each in bits.split(",") if each.strip()]
    except ValueError:
        raise BooleanError(f"{text!r}: write how many bits, as in {name}:3, or which, as in {name}:1,5,9") from None
    return NAMED[name](numbers if "," in bits else _spread(length, *numbers or (0,)))


def _spread(length: int, count: int) -> list[int]:
    """So many positions from 1 to the length, evenly spread."""
    if not 1 <= count <= length:
        raise BooleanError(f"{count} of {length} bits cannot be chosen; give a number from 1 to {length}")
    return [1 + place * (length - 1) // max(count - 1, 1) for place in range(count)]


LARGEST_LISTED = 16
"""Up to this length all strings are tried unless a number is given; beyond, `SAMPLES` of them."""
SAMPLES = 1024
LARGEST_LENGTH = 4096
"""Weights for longer strings would not fit into memory."""


@dataclass(frozen=True, eq=False)
class Built:
    """Weights for a sparse function, with what checking them found."""

    name: str
    """The function, as it was given."""
    construction: Construction
    verification: Verification

    @property
    def norms(self) -> tuple[Norm, ...]:
        """The norms of all weights, beside the bounds as repaired and as printed."""
        return norms(self.construction)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the weights to a safetensors file, under the names `heads.0.query`, …, `first`, `second`, `last`."""
        from safetensors.numpy import save

        content = save(self.construction.model.weights(), {"function": self.name})
        output.write_bytes(path, output.sorted_header(content))

    def as_json(self) -> dict[str, Any]:
        """All of it as data."""
        built, checked = self.construction, self.verification
        return {
            "function": self.name,
            "length": built.length,
            "positions": list(built.indices),
            "lemma": built.lemma,
            "width": built.model.inputs.width,
            "heads": len(built.model.heads),
            "hidden_units": list(hidden_units(built)[0]),
            "coherence": built.coherence,
            "sharpness": built.sharpness,
            "norms": [
                {
                    "weight": each.weight,
                    "norm": each.kind,
                    "value": each.value,
                    "repaired": each.repaired,
                    "printed": each.printed,
                }
                for each in self.norms
            ],
            "verification": {
                "passed": checked.passed,
                "strings": checked.strings,
                "exhaustive": checked.exhaustive,
                "mistakes": checked.mistakes,
                "attention_error": checked.attention_error,
                "allowed_error": checked.allowed_error,
                "output_error": checked.output_error,
            },
        }

    def __str__(self) -> str:
        built, checked = self.construction, self.verification
        heads = "1 head" if len(built.model.heads) == 1 else f"{len(built.model.heads)} heads"
        first, second = hidden_units(built)[0]
        which = "all" if checked.exhaustive else "a sample of"
        found = "right on" if checked.passed else f"WRONG on {checked.mistakes} of"
        rows = [
            f"{self.name}: {built.sparsity} of {built.length} bits ({_listed(built.indices)})",
            f"lemma {built.lemma} of Edelman et al.: width {built.model.inputs.width}, {heads}, {first} and {second} "
            "hidden units",
            f"{found} {which} {checked.strings:,} strings; attention is off by at most {checked.attention_error:.3g}, "
            f"{checked.allowed_error:.3g} is allowed",
        ]
        return "\n".join([*rows, *(f"  {norm}" for norm in self.norms)])


def construct(
    function: str | SparseFunction,
    length: int,
    inputs: Inputs = "deterministic",
    coherence: float | None = None,
    samples: int | None = None,
    seed: int = 0,
) -> Built:
    """Write down a one-layer transformer for a function of few bits, and check it.

    Edelman et al., appendix B, as repaired.

    Args:
        function: A formula such as `x2 & (x4 | !x5)`, a name such as `parity:3` (three bits spread evenly) or
            `majority:1,5,9` (these bits), or a function of `lengthwise.sparse.boolean`.
        length: How many bits strings have.
        inputs: How bits become vectors: `deterministic` positions, `trainable` ones, or a `bag` of vectors.
        coherence: How far from orthogonal the vectors of positions may be, for fewer dimensions than positions.
        samples: How many strings to check; else all of them up to length 16, and 1024 beyond.
        seed: Which strings these are.

    Returns:
        The weights, their norms and what was found.

    Raises:
        BooleanError: There is no such function or no such construction.

    Example:
        >>> from lengthwise import sparse
        >>> sparse.construct("x1 & x4", length=5).construction
        <Construction B.2: 4 values of 2 of 5 bits, <BooleanTransformer 5 bits, width 8, 1 head, 12 and 3 hidden units>>

    """
    if not 1 <= length <= LARGEST_LENGTH:
        raise BooleanError(f"strings have 1 to {LARGEST_LENGTH} bits, not {length}; weights are matrices of that size")
    known = read_function(function, length) if isinstance(function, str) else function
    if coherence is None:
        built = represent(known, length=length, inputs=inputs)
    elif inputs == "trainable":
        raise BooleanError("trainable positions are chosen by the construction; a coherence is for the other inputs")
    else:
        built = represent(known, basis=polynomial(length, coherence), inputs=inputs)
    if samples is None and length > LARGEST_LISTED:
        samples = SAMPLES
    name = function if isinstance(function, str) else f"a function of {known.sparsity} bits"
    return Built(name, built, verify(built, samples=samples, seed=seed))


def _listed(indices: tuple[int, ...], most: int = 12) -> str:
    return ", ".join(map(str, indices[:most])) + (", …" if len(indices) > most else "")
