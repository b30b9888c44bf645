"""Theorem 4.3 on one instance: which assumptions hold, what is learned, and what the bound says about it.

>>> from lengthwise import sparse
>>> found = sparse.check_ensemble("without-realizability", train_length=8, test_length=16)
>>> found.violated, round(float(found.learning.epsilon), 3)
(('realizability',), 0.603)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import product
from typing import Any

import numpy as np

from lengthwise.alphabet import Alphabet
from lengthwise.errors import UnknownNameError, require_seed
from lengthwise.sparse.bounds.extrapolation import Extrapolation, SparsityBoundError, require_short
from lengthwise.sparse.bounds.instance import (
    Instance,
    without_coverage,
    without_locality,
    without_realizability,
    without_relative_positions,
)
from lengthwise.sparse.bounds.measured import Promise, finite, promises
from lengthwise.sparse.ensembles.examples import k_gram_retrieval, sparse_parity
from lengthwise.sparse.ensembles.positions import placed_shapes
from lengthwise.sparse.functional.keys import TokenKey
from lengthwise.sparse.functional.losses import SampledLoss, sampled_losses
from lengthwise.sparse.functional.risk import LengthGeneralization, attention_class, training_lengths
from lengthwise.sparse.functional.values import ValueTable


def neighbouring_parity(training: int) -> Instance:
    """Sparse parity of two items that stand next to each other or have one item between them: everything holds."""
    ensemble = sparse_parity(2, positions=placed_shapes({(0, 1): 0.5, (0, 2): 0.5}))
    pairs = ["1:0 1:0", "1:0 1:1", "1:1 1:0", "1:1 1:1"]
    keys = {"both counted items": TokenKey.of(ensemble.alphabet, dict.fromkeys(pairs, 1), locality=2)}
    value = ValueTable.of(ensemble.alphabet, 2, {"1:0 1:1": 1, "1:1 1:0": 1})
    return Instance(
        "sparse parity of near items",
        ensemble,
        attention_class(ensemble.alphabet, keys, {"": value}),
        "both counted items",
        training,
        2,
    )


def retrieval(training: int) -> Instance:
    """2-gram retrieval: what followed the last token before? A local key cannot see both occurrences."""
    letters = Alphabet(("a", "b"))
    ensemble = k_gram_retrieval(1, letters, {"a": 0, "b": 1})
    words = ["".join(word) for word in product("ab", repeat=3) if word[0] == word[2]]
    keys = {"x y x": TokenKey.of(letters, dict.fromkeys(words, 1), locality=2)}
    value = ValueTable.of(letters, 3, {word: int(word[1] == "b") for word in words})
    return Instance("2-gram retrieval", ensemble, attention_class(letters, keys, {"": value}), "x y x", training, 2)


INSTANCES: dict[str, tuple[Callable[[int], Instance], str]] = {
    "sparse-parity": (neighbouring_parity, "the parity of two marked items near each other: all assumptions hold"),
    "retrieval": (retrieval, "what followed the last token before: planted sets are not local"),
    "without-locality": (without_locality, "Proposition C.3 (a): a key looks arbitrarily far"),
    "without-relative-positions": (without_relative_positions, "Proposition C.3 (b): a key knows absolute positions"),
    "without-realizability": (without_realizability, "Proposition C.3 (c): no hypothesis is right"),
    "without-coverage": (without_coverage, "Proposition C.3 (d): what is planted changes with the length"),
}
"""The instances that have a name, each with a line about it."""


@dataclass(frozen=True)
class EnsembleReport:
    """One instance of sparse planted correlations at two lengths."""

    instance: Instance
    violated: tuple[str, ...]
    """The assumptions of Theorem 4.3 that fail."""
    learning: LengthGeneralization
    """Risk minimisation, with exact losses."""
    promises: tuple[Promise, ...]
    """The bound for each minimiser; none if the theorem does not apply."""
    inapplicable: str
    """Why it does not; else empty."""
    sampled: Mapping[str, SampledLoss] = field(default_factory=dict)
    """Losses at the test length on sampled words, if asked for."""

    def as_json(self) -> dict[str, Any]:
        """All of it as data."""
        learning, bounds = self.learning, {each.name: each for each in self.promises}
        hypotheses = []
        for name, risk in learning.risks.items():
            entry: dict[str, Any] = {
                "name": name,
                "training_loss": float(risk),
                "test_loss": float(learning.losses[learning.test_length][name]),
                "minimiser": name in learning.minimisers,
            }
            if name in bounds:
                promise = bounds[name]
                entry["repaired"] = finite(promise.repaired)
                entry["repaired_from_training"] = finite(promise.from_training)
                entry["repaired_holds"] = promise.repaired_holds
                entry["printed"] = finite(promise.printed)
                entry["printed_holds"] = promise.printed_holds
            if name in self.sampled:
                found = self.sampled[name]
                entry["sampled"] = {"loss": found.mean, "standard_error": found.error, "words": len(found.each)}
            hypotheses.append(entry)
        return {
            "instance": self.instance.name,
            "alphabet": list(self.instance.ensemble.alphabet.symbols),
            "sparsity": self.instance.ensemble.sparsity,
            "locality": self.instance.locality,
            "train_length": learning.training_length,
            "test_length": learning.test_length,
            "violated": list(self.violated),
            "hypotheses": hypotheses,
            "no_bound": self.inapplicable or None,
        }

    def __str__(self) -> str:
        ensemble = self.instance.ensemble
        rows = [
            f"{self.instance.name}: {ensemble.sparsity} planted tokens, L_local = {self.instance.locality}",
            f"assumptions of Theorem 4.3 that fail: {', '.join(self.violated) or 'none'}",
            str(self.learning),
            *(f"bound on the minimiser {promise}" for promise in self.promises),
            *([f"no bound: {self.inapplicable}"] if self.inapplicable else []),
        ]
        for name, found in self.sampled.items():
            rows.append(f"{name}: loss {found.mean:.3g} ± {found.error:.2g} on {len(found.each):,} sampled words")
        return "\n".join(rows)


def check_ensemble(
    instance: str | Instance,
    train_length: int = 8,
    test_length: int = 16,
    samples: int | None = None,
    seed: int = 0,
) -> EnsembleReport:
    """Check Theorem 4.3 of Golowich et al. on one instance: assumptions, exact losses, bounds.

    Args:
        instance: A name of `INSTANCES`, or an instance of one's own.
        train_length: L; words of length ⌈L/2⌉ to L are trained on. An instance of one's own has its own L.
        test_length: L̄.
        samples: Also estimate the losses at L̄ from this many sampled words.
        seed: Which words these are.

    Returns:
        The assumptions that fail, the losses of all hypotheses, and the bounds on those of least risk.

    Raises:
        LengthwiseError: There is no such instance, or words of these lengths do not exist.

    Example:
        >>> from lengthwise import sparse
        >>> sparse.check_ensemble("sparse-parity").promises[0].measured
        Fraction(0, 1)

    """
    known = named(instance, train_length) if isinstance(instance, str) else instance
    require_short(max(train_length, test_length))
    require_seed(seed)
    learning = known.report(test_length)
    lengths = dict.fromkeys([*training_lengths(known.training), test_length])
    found: tuple[Promise, ...] = ()
    reason = ""
    try:
        found = promises(known.members, known.ensemble, Extrapolation(known.training, test_length, known.locality))
    except SparsityBoundError as problem:
        reason = str(problem)
    sampled: dict[str, SampledLoss] = {}
    if samples is not None:
        rng = np.random.default_rng(seed)
        sampled = sampled_losses(known.members, known.ensemble, test_length, samples, rng)
    return EnsembleReport(known, known.violated(list(lengths)), learning, found, reason, sampled)


def named(name: str, training: int) -> Instance:
    """The instance of a name, at one training length."""
    if name not in INSTANCES:
        raise UnknownNameError(f"there is no instance {name!r}; there are {', '.join(INSTANCES)}")
    return INSTANCES[name][0](training)
