"""What a program can read at a moment, as tests: letters, residues and the values of potentials."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from lengthwise.crasp import any_of, i, truth
from lengthwise.crasp.frontend import BoolValue, CountValue
from lengthwise.regular.synthesis.letter_tests import Feature


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
