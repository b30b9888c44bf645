"""From what a guard says about i and j to the distances i - j it admits.

A guard is a conjunction of comparisons between i and j. It is local and translation-invariant exactly when it bounds
the distance i - j from above (or names the distances); `j <= i` always holds. `j < i` alone is the one guard without a
bound that is allowed, because it is sugar. The public interpreter's predicates `pred` and `predK` are windows too.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from lengthwise.crasp.syntax import MAX_OFFSET, Before, Everywhere, Guard, Relation, Window

_PREDICATE = re.compile(r"pred([0-9]{0,9})")


class RefusedGuardError(Exception):
    """Why a guard is refused: a diagnostic code, a sentence and a hint."""

    def __init__(self, code: str, message: str, hint: str) -> None:
        super().__init__(message)
        self.code, self.message, self.hint = code, message, hint


def mirrored(relation: Relation) -> Relation:
    """The relation with its sides exchanged: a < b is b > a."""
    pairs: dict[Relation, Relation] = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
    return pairs.get(relation, relation)


def distance(linear: tuple[int, int, int]) -> tuple[int, int]:
    """Read a·i + b·j + c as ±(i - j) + c, or refuse: the guard would not be translation-invariant."""
    if linear[0] == -linear[1] and abs(linear[0]) == 1:
        return linear[0], linear[2]
    raise RefusedGuardError(
        "LW301",
        "this guard is not a condition on the distance i - j, so it is not translation-invariant and would leave "
        "C-RASP[periodic, local]",
        "compare j with i: j == i-1; for a period of j, count b && i % 2 == 0",
    )


def predicate(name: str) -> Guard | None:
    """The window of an importable guard: `pred` is j = i-1, `predK` is j = i-K; None for any other name."""
    match = _PREDICATE.fullmatch(name)
    if match is None:
        return None
    offset = int(match[1] or 1)
    return Window((offset,)) if offset <= MAX_OFFSET else None


@dataclass(slots=True)
class Distances:
    """The set of distances i - j that the comparisons met so far admit."""

    least: int = 0
    most: int | None = None
    excluded: set[int] = field(default_factory=set)
    listed: set[int] | None = None

    def restrict(self, relation: Relation, bound: int) -> None:
        """Keep the distances d with `d relation bound`."""
        if relation in ("==", "<=", "<"):
            most = bound - 1 if relation == "<" else bound
            self.most = most if self.most is None else min(self.most, most)
        if relation in ("==", ">=", ">"):
            self.least = max(self.least, bound + 1 if relation == ">" else bound)
        if relation == "!=":
            self.excluded.add(bound)

    def choose(self, members: set[int]) -> None:
        """Keep the distances in a set."""
        self.listed = members if self.listed is None else self.listed & members

    def guard(self) -> Guard:
        """The guard that admits exactly these distances, or a `RefusedGuardError` that says why there is none."""
        if self.listed is not None:
            kept = {d for d in self.listed if d >= self.least and (self.most is None or d <= self.most)}
        elif self.most is None:
            return self._unbounded()
        elif self.most - self.least > MAX_OFFSET:
            kept = {self.most}
        else:
            kept = set(range(self.least, self.most + 1))
        kept -= self.excluded
        if not kept:
            raise RefusedGuardError(
                "LW301", "this guard admits no position j <= i", "write 0 for a count that is always zero"
            )
        if max(kept) > MAX_OFFSET:
            raise RefusedGuardError(
                "LW304", f"a window reaches back at most {MAX_OFFSET} positions", "use a smaller window"
            )
        return Window(tuple(sorted(kept)))

    def _unbounded(self) -> Guard:
        excluded = {d for d in self.excluded if d >= self.least}
        least = self.least
        while least in excluded:
            excluded.remove(least)
            least += 1
        if not excluded and least == 0:
            return Everywhere()
        if not excluded and least == 1:
            return Before()
        raise RefusedGuardError(
            "LW301",
            "this guard is not a finite window: it admits arbitrarily distant positions, which would leave "
            "C-RASP[periodic, local]",
            "subtract a window instead: # b - #[j >= i-1] b counts b at the positions j <= i-2",
        )
