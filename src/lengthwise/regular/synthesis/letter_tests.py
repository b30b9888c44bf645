"""Small Boolean tests that tell two sets of moments apart: decision trees over what a program can read.

A sample lists what is known at a moment (the current letter, letters before it, residues, values of potentials) and
whether the test shall hold there. Combinations that no sample has may come out either way; that keeps tests short.

A `Feature` is what a program can read at a moment, as tests: letters, residues and the values of potentials.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from math import log2
from typing import TypeAlias

from lengthwise.crasp import all_of, any_of, i, truth
from lengthwise.crasp.frontend import BoolValue, CountValue
from lengthwise.resources import check_time

UNSEEN = "unseen"
"""The value of a feature that a moment does not determine: the test must come out right whatever it is."""

MOST_PAIRS = 20_000
"""Groups with more pairs of samples to compare are not merged; the test gets longer, not wrong."""

Sample: TypeAlias = tuple[tuple[Hashable, ...], bool]
Values: TypeAlias = frozenset[Hashable]


@dataclass(frozen=True)
class Feature:
    """Something a program can read: its cost, and the test that it has one of some values."""

    cost: float
    among: Callable[[Values, Values], BoolValue]
    """Given wanted and unwanted values: a test that holds at the wanted and not at the unwanted ones."""
    domain: tuple[Hashable, ...] = ()
    """All values it can have; needed where samples leave it unseen."""


def separating(samples: Sequence[Sample], features: Sequence[Feature]) -> BoolValue | None:
    """A test that holds at the samples that want it and at no others; None if it holds nowhere."""
    distinct = sorted(set(samples), key=repr)
    if not any(wanted for _, wanted in distinct):
        return None
    return _tree(distinct, features)


def _tree(samples: Sequence[Sample], features: Sequence[Feature]) -> BoolValue:
    if all(wanted for _, wanted in samples):
        return truth(True)
    if not any(wanted for _, wanted in samples):
        return truth(False)
    place = _best(samples, features)
    check_time()
    groups: dict[Hashable, list[Sample]] = {}
    unseen = [sample for sample in samples if sample[0][place] == UNSEEN]
    if unseen:
        groups = {value: list(unseen) for value in features[place].domain}
    for sample in samples:
        if sample[0][place] != UNSEEN:
            groups.setdefault(sample[0][place], []).append(sample)
    merged: list[tuple[set[Hashable], list[Sample]]] = []
    for value, group in groups.items():
        for values, members in merged:
            check_time()
            if _agree(members, group, place):
                values.add(value)
                members.extend(group)
                break
        else:
            merged.append(({value}, list(group)))
    if len(merged) == 1:
        return _tree(_without(samples, place), features)
    everything = frozenset(groups)
    branches: list[BoolValue] = []
    for values, members in merged:
        if not any(wanted for _, wanted in members):
            continue
        test = features[place].among(frozenset(values), everything - values)
        if all(wanted for _, wanted in members):
            branches.append(test)
        else:
            branches.append(all_of([test, _tree(_without(members, place), features)]))
    return any_of(branches)


def _without(samples: Sequence[Sample], place: int) -> list[Sample]:
    """The samples with one feature forgotten."""
    return list(dict.fromkeys(((*what[:place], None, *what[place + 1 :]), wanted) for what, wanted in samples))


def _agree(first: Sequence[Sample], second: Sequence[Sample], place: int) -> bool:
    """Whether two groups can share one test that ignores this feature."""
    if {all(w for _, w in first), any(w for _, w in first)} != {all(w for _, w in second), any(w for _, w in second)}:
        return False  # one of them needs no test at all, and the other does
    together = [((*what[:place], None, *what[place + 1 :]), wanted) for what, wanted in (*first, *second)]
    yes = {what for what, wanted in together if wanted}
    no = {what for what, wanted in together if not wanted}
    if not any(UNSEEN in what for what, _ in together):
        return not yes & no
    if len(yes) * len(no) > MOST_PAIRS:
        return False
    return not any(_compatible(one, other) for one in yes for other in no)


def _compatible(first: tuple[Hashable, ...], second: tuple[Hashable, ...]) -> bool:
    """Whether two samples may be of one moment: equal wherever both are seen."""
    return all(a == b or UNSEEN in (a, b) for a, b in zip(first, second, strict=True))


def _best(samples: Sequence[Sample], features: Sequence[Feature]) -> int:
    """The feature that leaves the least uncertainty for its cost."""
    scores: list[tuple[float, int]] = []
    for place, feature in enumerate(features):
        check_time()
        groups: dict[Hashable, list[int]] = {}
        for what, wanted in samples:
            groups.setdefault(what[place], [0, 0])[wanted] += 1
        unseen = groups.pop(UNSEEN, None)
        if unseen is not None:
            for value in feature.domain:
                kinds = groups.setdefault(value, [0, 0])
                groups[value] = [kinds[0] + unseen[0], kinds[1] + unseen[1]]
        if len(groups) > 1:
            number = sum(no + yes for no, yes in groups.values())
            left = sum((no + yes) * _entropy(no, yes) for no, yes in groups.values()) / number
            whole = _entropy(sum(no for no, _ in groups.values()), sum(yes for _, yes in groups.values()))
            scores.append((-(whole - left + 1e-9) / (feature.cost + log2(len(groups))), place))
    return min(scores)[1]


def _entropy(no: int, yes: int) -> float:
    if not no or not yes:
        return 0.0
    share = yes / (no + yes)
    return -(share * log2(share) + (1 - share) * log2(1 - share))


def letter_feature(cost: float, tests: Sequence[BoolValue]) -> Feature:
    """A letter: one test for each symbol; None stands for no letter."""

    def among(wanted: frozenset[Hashable], others: frozenset[Hashable]) -> BoolValue:
        yes = [tests[value] for value in sorted(v for v in wanted if isinstance(v, int))]
        no = [tests[value] for value in sorted(v for v in others if isinstance(v, int))]
        if None in wanted or (len(no) < len(yes) and None not in others):
            return ~any_of(no) if no else truth()
        return any_of(yes)

    return Feature(cost, among, (*range(len(tests)), None))


def residue_feature(period: int) -> Feature:
    """The position modulo the period, tested with the smallest modulus that will do."""

    def among(wanted: frozenset[Hashable], others: frozenset[Hashable]) -> BoolValue:
        yes = {value for value in wanted if isinstance(value, int)}
        no = {value for value in others if isinstance(value, int)}
        for modulus in range(1, period + 1):
            if period % modulus == 0 and not {v % modulus for v in yes} & {v % modulus for v in no}:
                residues = {v % modulus for v in yes}
                return truth() if modulus == 1 else (i % modulus).among(*residues)
        raise ValueError("one residue is both wanted and not")

    return Feature(1.5, among)


def potential_feature(form: CountValue) -> Feature:
    """The value of a potential: equalities, or a comparison where the wanted values lie on one side."""

    def among(wanted: frozenset[Hashable], others: frozenset[Hashable]) -> BoolValue:
        yes = sorted(value for value in wanted if isinstance(value, int))
        no = sorted(value for value in others if isinstance(value, int))
        if not no:
            return truth()
        if len(yes) == 1:
            return form == yes[0]
        if len(no) == 1:
            return form != no[0]
        if yes[0] > no[-1]:
            return form >= yes[0]
        if yes[-1] < no[0]:
            return form <= yes[-1]
        if len(no) < len(yes):
            return ~any_of([form == value for value in no])
        return any_of([form == value for value in yes])

    return Feature(2.5, among)
