"""Does a construction compute what it is meant to, and how large are its weights?

It is run on all strings if these are few, else on many that are chosen badly. Two things are looked at: how far heads
are from their target, of which γ/4 is allowed, and how far the network's output is from f. The latter is 0 in real
numbers as soon as heads are within `Memory.radius`; what is left is floating point.

The norms of the weights stand beside what the lemmas state, as printed and as repaired. Repaired bounds are proved for
dual keys and Δ < 1/(2s - 1) (for the s heads of lemma B.2 Δ < 1/s), from ||G^-1||_∞ <= 1/(1 - (s - 1)Δ) for the
products G of the vectors of I. Where a lemma's condition on Δ is not met there is no bound. Edelman et al., lemmas B.2
to B.6 and B.8.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from lengthwise.errors import require_seed
from lengthwise.resources import require_memory
from lengthwise.sparse.boolean.arrays import Bits, BooleanError, Floats, all_bits
from lengthwise.sparse.boolean.construction import Construction
from lengthwise.sparse.boolean.represent import printed_sharpness

LARGEST_EXHAUSTIVE = 20
"""Up to this length all strings are tried."""
LARGEST_LISTED = 12
"""Patterns of at most this many bits are run through one by one."""
TOLERANCE = 1e-9
"""Floating point may put an output this far off, relative to the largest value of f."""


@dataclass(frozen=True)
class Verification:
    """What was found on some strings."""

    strings: int
    exhaustive: bool
    """Whether these were all strings of this length."""
    attention_error: float
    """The largest distance of the heads from their target, in any coordinate."""
    allowed_error: float
    """γ/4."""
    output_error: float | None
    """The largest distance of outputs from f; None without a network."""
    mistakes: int
    """Strings on which heads or outputs are further off than allowed."""
    worst: str
    """The string on which the heads are furthest off."""

    @property
    def passed(self) -> bool:
        """Whether there was no mistake."""
        return not self.mistakes


def verify(construction: Construction, *, samples: int | None = None, seed: int = 0) -> Verification:
    """All of {0, 1}^T if T is at most 20 and no number of samples is given, else that many strings (`hostile`)."""
    if samples is None and construction.length > LARGEST_EXHAUSTIVE:
        raise BooleanError(
            f"there are 2^{construction.length} strings, too many to try; say how many samples to draw instead"
        )
    if samples is not None and samples < 1:
        raise BooleanError(f"a sample has at least one string, not {samples}")
    require_seed(seed)
    if samples is None:
        strings = all_bits(construction.length)
    else:
        strings = hostile(construction, samples, np.random.default_rng(seed))
    model = construction.model
    errors = np.abs(model.attended(strings) - construction.wanted(strings)).max(axis=-1)
    allowed, wrong, output_error = construction.allowed_error, errors > construction.allowed_error, None
    if construction.function is not None and model.memory is not None:
        distances = np.abs(model(strings) - construction.function(strings))
        wrong |= (errors > float(model.memory.radius)) | (
            distances > TOLERANCE * max(1.0, construction.function.largest)
        )
        output_error = float(distances.max())
    worst = "".join(map(str, strings[errors.argmax()].astype(int).tolist()))
    return Verification(
        len(strings), samples is None, float(errors.max()), allowed, output_error, int(wrong.sum()), worst
    )


def hostile(construction: Construction, samples: int, rng: np.random.Generator) -> Bits:
    """Strings whose bits in I run through all patterns, and whose others are all 0, all 1, fair or of random density.

    Heads are furthest off where everything else agrees, which fair bits never do. Beyond 2^12 patterns the numbers of
    ones are run through.
    """
    needed = 16 * samples * (construction.length + construction.sparsity)
    require_memory(needed, f"{samples} strings of {construction.length} bits", "lower --samples")
    size, turn = construction.sparsity, np.arange(samples)
    if size <= LARGEST_LISTED:
        patterns = all_bits(size)[turn % 2**size]
        kind = (turn + turn // 2**size) % 4  # with 4 · 2^s samples every pattern meets every kind
    else:
        patterns = rng.random((samples, size)).argsort(axis=1) < (turn % (size + 1))[:, None]
        kind = rng.integers(0, 4, samples)
    density = np.choose(kind, [0.0, 1.0, 0.5, rng.random(samples)])
    strings = rng.random((samples, construction.length)) < density[:, None]
    strings[:, [index - 1 for index in construction.indices]] = patterns
    return strings


SLACK = 1e-9
"""Relative error of norms that were computed in floating point."""


@dataclass(frozen=True)
class Norm:
    """A norm of one of the weights; of several heads it is the largest."""

    weight: str
    """As in the paper: W_Q, W_K, W_V, W_C, P, W_1, W_2, w."""
    kind: str
    """F: Frobenius; 2,1: the sum of the norms of rows; max: the largest entry."""
    value: float
    repaired: float | None
    """The bound that is proved here; None where its conditions are not met."""
    printed: float | None
    """The bound of the paper; None where its conditions are not met."""

    @property
    def within_repaired(self) -> bool | None:
        """Whether it is within the repaired bound, if there is one."""
        return None if self.repaired is None else self.value <= self.repaired * (1 + SLACK)

    @property
    def within_printed(self) -> bool | None:
        """Whether it is within the printed bound, if there is one."""
        return None if self.printed is None else self.value <= self.printed * (1 + SLACK)

    def __str__(self) -> str:
        repaired, printed = ("none" if each is None else f"{each:.4g}" for each in (self.repaired, self.printed))
        return f"‖{self.weight}‖_{self.kind} = {self.value:.4g}, repaired bound {repaired}, printed {printed}"


Bounds = dict[str, float | None]


def norms(construction: Construction) -> tuple[Norm, ...]:
    """The norms of all weights of a construction."""
    model, repaired, printed = construction.model, _repaired(construction), _printed(construction)
    found: list[tuple[str, str, float]] = []
    if construction.lemma == "B.3":
        found.append(("P", "2,1", float(np.linalg.norm(model.inputs.rows, axis=1).sum())))
    for weight, name in (("W_Q", "query"), ("W_K", "key"), ("W_V", "value"), ("W_C", "mix")):
        found.append((weight, "F", max(float(np.linalg.norm(getattr(head, name))) for head in model.heads)))
    if model.memory is not None:
        network = (("W_1", model.memory.first), ("W_2", model.memory.second), ("w", model.memory.last))
        found += [(weight, "max", _largest(values)) for weight, values in network]
    return tuple(Norm(weight, kind, value, repaired[weight], printed[weight]) for weight, kind, value in found)


def hidden_units(construction: Construction) -> tuple[tuple[int, int], tuple[int, int]]:
    """The sizes of the network's two hidden layers: 4 n d_f and n, and as printed 4 n d_f and 2n."""
    if construction.model.memory is None:
        raise BooleanError("attention alone has no hidden units")
    first, second = construction.model.memory.units
    return (first, second), (first, 2 * second)


def _largest(values: Floats) -> float:
    return float(np.abs(values).max())


def _repaired(construction: Construction) -> Bounds:
    size, gamma, coherence = construction.sparsity, construction.gamma, construction.coherence
    tokens, several = construction.length, not construction.target.counts_only
    stretch = 1 - (size - 1) * coherence
    inverse = 1 / stretch if stretch > 0 else math.inf  # at least ||G^-1||
    # How much vectors outside I answer: to the sum of all dual vectors, and to one of them.
    together, alone = size * coherence * inverse, coherence * inverse
    rows, off, keys, values, mixing = 1.0, together, math.sqrt(size * inverse), math.sqrt(2), 1.0
    match construction.lemma:
        case "B.2" if several:
            off, keys = alone, math.sqrt(inverse)
        case "B.3":
            off, keys = 0.0, 1.0
        case "B.4":
            rows = 1 + alone if several else size + together
            keys, values, mixing = math.hypot(keys, 1.0), math.sqrt(size * inverse + size), math.sqrt(size)
    bounds: Bounds = {"W_Q": None, "W_K": None, "W_V": None, "W_C": None}
    if off < 1 and inverse < math.inf:
        queries = math.log(8 * tokens * rows / gamma) / (1 - off)
        bounds = {"W_Q": queries, "W_K": keys, "W_V": values, "W_C": mixing}
    delta, inputs = gamma / 4, construction.target.outputs
    largest = construction.function.largest if construction.function else None
    first = max(1 / delta, construction.target.bound / delta + 2)
    return bounds | {"P": float(size), "W_1": first, "W_2": max(1.0, inputs - 1.0), "w": largest}


def _printed(construction: Construction) -> Bounds:
    size, gamma, coherence = construction.sparsity, construction.gamma, construction.coherence
    tokens, several = construction.length, not construction.target.counts_only
    queries: float | None = None
    match construction.lemma:
        case "B.2" | "B.3":
            if size * coherence < 1:
                queries = math.log(8 * tokens / gamma) / (1 - size * coherence)
            keys, values, mixing = (1.0 if several or construction.lemma == "B.3" else float(size)), 2.0, 1.0
        case "B.4":
            if size * coherence < min(gamma, 1.0):
                queries = printed_sharpness(tokens, size, gamma, coherence)
            keys, values, mixing = size + 1.0, 2.0 * size, float(size)
    bounds: Bounds = {"W_Q": None, "W_K": None, "W_V": None, "W_C": None}
    if queries is not None:
        bounds = {"W_Q": queries, "W_K": keys, "W_V": values, "W_C": mixing}
    largest = construction.function.largest if construction.function else None
    first = 8 * max(1.0, construction.target.bound) / gamma
    return bounds | {"P": float(size), "W_1": first, "W_2": 8 * size / gamma, "w": largest}
