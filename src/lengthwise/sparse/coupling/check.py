"""Position coupling on one task: is it one, what does it repair, and what does the bound say then?

>>> from lengthwise import sparse
>>> found = sparse.check_coupling("across-halves", train_length=8, test_length=12)
>>> found.violations, float(found.local.epsilon) > 0.4, found.coupled.measured
((), True, Fraction(0, 1))
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from lengthwise.errors import UnknownNameError, require_seed
from lengthwise.sparse.bounds.extrapolation import Extrapolation, require_short
from lengthwise.sparse.bounds.measured import Promise, finite, promises
from lengthwise.sparse.coupling.conditions import Violation, violations
from lengthwise.sparse.coupling.coupled_ensemble import coupled_sample, strong_failure
from lengthwise.sparse.coupling.coupling import CoupledVocabulary, CouplingError
from lengthwise.sparse.coupling.examples import CoupledTask, across_halves, digit_with_carry
from lengthwise.sparse.ensembles.laws import Number
from lengthwise.sparse.functional.risk import LengthGeneralization, length_generalization

STRONG = 6
"""Strong realizability is computed at this length: word by word, so that it is a short one."""

COUPLED_TASKS: dict[str, tuple[Callable[[Number], CoupledTask], str]] = {
    "across-halves": (lambda noise: across_halves(_noisy(noise)), "are two letters half a word apart equal?"),
    "digit-with-carry": (digit_with_carry, "the parity of a carry, a digit and the digit half a word behind it"),
}
"""The tasks that have a name, each with a line about it; both take the share of background that is noise."""


def _noisy(noise: Number) -> dict[str, Number] | None:
    return {".": 1 - noise, "a": noise} if noise else None


@dataclass(frozen=True)
class CouplingReport:
    """A task whose planted tokens are far apart, without and with coupling."""

    name: str
    task: CoupledTask
    violations: tuple[Violation, ...]
    """The conditions of Definition 4.1, and independence, that fail."""
    strong_failure: Fraction
    """δ of Assumption D.1 for the class without coupling, at length `STRONG`."""
    local: LengthGeneralization
    """What a local class does without coupling."""
    far_sighted: LengthGeneralization
    """What a class that may look any distance does without coupling."""
    coupled: Promise
    """What the coupled class does, and the bound on it."""
    word: str
    """A coupled word: at each position ID the ranks and tokens that have it."""

    @property
    def test_length(self) -> int:
        """L̄."""
        return self.local.test_length

    def as_json(self) -> dict[str, Any]:
        """All of it as data."""
        return {
            "task": self.name,
            "sparsity": self.task.ensemble.sparsity,
            "position_ids": self.task.size,
            "train_length": self.local.training_length,
            "test_length": self.test_length,
            "violations": [str(each) for each in self.violations],
            "strong_failure": float(self.strong_failure),
            "loss_local": float(self.local.epsilon),
            "loss_far_sighted": float(self.far_sighted.epsilon),
            "loss_coupled": float(self.coupled.measured),
            "repaired": finite(self.coupled.repaired),
            "repaired_from_training": finite(self.coupled.from_training),
            "repaired_holds": self.coupled.repaired_holds,
            "word": self.word,
        }

    def __str__(self) -> str:
        failed = "; ".join(map(str, self.violations)) or "all hold"
        trained, tested = self.local.training_length, self.test_length
        bound = finite(self.coupled.repaired)
        shown = "infinity" if bound is None else f"{bound:.3g}"
        return "\n".join(
            [
                f"{self.name}: {self.task.ensemble.sparsity} planted tokens get {self.task.size} position "
                f"{'ID' if self.task.size == 1 else 'IDs'}",
                f"conditions of Definition 4.1, and independence: {failed}",
                f"strong realizability (Assumption D.1) fails with probability {float(self.strong_failure):.3g}",
                f"trained up to length {trained}, loss at length {tested}:",
                f"  without coupling, local keys          {float(self.local.epsilon):.4g}",
                f"  without coupling, keys that look far  {float(self.far_sighted.epsilon):.4g}",
                f"  coupled                               {float(self.coupled.measured):.4g}",
                f"  bound on that (Theorem 4.3, repaired) {shown}",
                f"a coupled word: {self.word}",
            ]
        )


def check_coupling(
    task: str | CoupledTask,
    train_length: int = 8,
    test_length: int = 12,
    noise: Number = 0,
    seed: int = 0,
) -> CouplingReport:
    """Check Definition 4.1 and Proposition 4.4 of Golowich et al. on one task, with exact losses.

    Args:
        task: A name of `COUPLED_TASKS`, or a task of one's own.
        train_length: L; words of length ⌈L/2⌉ to L are trained on.
        test_length: L̄: L and a multiple of the locality of the coupled class.
        noise: With this probability a background position holds a letter that could be a planted one.
        seed: Which coupled word is shown.

    Returns:
        The conditions that fail, the losses without and with coupling, and the bound.

    Raises:
        LengthwiseError: There is no such task, a condition fails, or the theorem is not about these lengths.

    Example:
        >>> from lengthwise import sparse
        >>> sparse.check_coupling("digit-with-carry", 8, 10).coupled.repaired_holds
        True

    """
    if isinstance(task, str):
        if task not in COUPLED_TASKS:
            raise UnknownNameError(f"there is no task {task!r} for a coupling; there are {', '.join(COUPLED_TASKS)}")
        if not 0 <= noise < 1:
            raise CouplingError(f"noise is a probability below 1, not {noise}")
        name, known = task, COUPLED_TASKS[task][0](noise)
    else:
        name, known = "a task of one's own", task
    require_short(test_length)
    require_seed(seed)
    lengths = Extrapolation(train_length, test_length, known.locality)
    used = range(max(known.coupling.min_length, -(-train_length // 2)), test_length + 1)
    failed = violations(known.coupling, known.ensemble.positions, known.locality, used)
    image = known.coupled_ensemble(used)
    (promise, *_) = promises(known.coupled, image, lengths)
    (plain, *_) = known.plain.values()
    shortest = max(STRONG, known.ensemble.min_length)
    return CouplingReport(
        name,
        known,
        failed,
        strong_failure(plain, known.ensemble, shortest),
        length_generalization(known.local, known.ensemble, train_length, test_length),
        length_generalization(known.far_sighted(train_length), known.ensemble, train_length, test_length),
        promise,
        _word(known, train_length, seed),
    )


def _word(task: CoupledTask, length: int, seed: int) -> str:
    vocabulary = CoupledVocabulary(task.ensemble.alphabet, task.ensemble.sparsity)
    drawn = coupled_sample(task.ensemble, task.coupling, length, 1, np.random.default_rng(seed))
    return " ".join(vocabulary.alphabet.decode(drawn.tokens[0]))
