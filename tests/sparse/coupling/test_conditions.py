"""The conditions of Definition 4.1 are told apart, and a violated one is named."""

from fractions import Fraction

import pytest

from lengthwise.alphabet import Alphabet
from lengthwise.sparse.coupling import Coupling, CouplingError, gathering, violations
from lengthwise.sparse.coupling.conditions import (
    INDEPENDENT,
    LOCAL,
    MARGINAL,
    SAME_RANKS,
    SAME_SIZE,
    UNCOUPLED,
    image_law,
)
from lengthwise.sparse.coupling.coupling import Renumbering
from lengthwise.sparse.ensembles import PositionLaw, any_places, coverage, k_gram_retrieval, uniform_over
from lengthwise.sparse.ensembles.laws import Number, Places

ENDS = uniform_over(2, 3, lambda length: [(1, length)])
"""The first and the last position: as far apart as can be."""


def fixed(renumber: dict[int, Renumbering]) -> Coupling:
    def table(length: int) -> dict[tuple[Places, Renumbering], Number]:
        return {((1, length), renumber[length]): 1}

    return Coupling(3, table)


def items(coupling: Coupling, locality: int, lengths: range, positions: PositionLaw = ENDS) -> list[str]:
    return [violation.item for violation in violations(coupling, positions, locality, lengths)]


@pytest.mark.parametrize("groups", [[(1, 2)], [(1,), (2,)], [(2,), (1,)]])
def test_gathering_meets_every_condition(groups: list[tuple[int, ...]]) -> None:
    assert items(gathering(ENDS, groups), len(groups) - 1, range(3, 9)) == []


def test_gathering_works_for_sets_of_any_law() -> None:
    for law in (any_places(3), k_gram_retrieval(1, Alphabet(("a", "b"))).positions):
        coupling = gathering(law, [(1, 3), (2,)])
        assert items(coupling, 1, range(law.min_length, law.min_length + 3), law) == []


def test_the_image_of_a_gathered_set_has_bounded_coverage() -> None:
    coupling = gathering(ENDS, [(1,), (2,)])
    law = PositionLaw(2, 3, lambda length: image_law(coupling, length))
    assert coverage(law, 9, 3).value <= 9


def test_identical_ids_for_far_positions_are_needed_for_item_1() -> None:
    coupling = fixed({4: (1, 2, 3, 4), 5: (1, 2, 3, 4, 5)})
    (found,) = violations(coupling, ENDS, 3, range(4, 6))
    assert (found.item, found.length, found.places) == (LOCAL, 5, (1, 5))
    assert "{1, 5}" in str(found)


def test_item_2_forbids_background_to_share_an_id() -> None:
    found = violations(fixed({4: (1, 2, 2, 1)}), ENDS, 3, range(4, 5))
    assert [violation.item for violation in found] == [UNCOUPLED]
    assert "position 2 is not planted but shares the ID 2" in str(found[0])
    assert items(fixed({4: (1, 1, 2, 1)}), 3, range(4, 5)) == [UNCOUPLED]


def test_item_3_wants_the_same_number_of_ids_at_every_length() -> None:
    found = items(fixed({3: (1, 2, 1), 4: (2, 3, 4, 1)}), 3, range(3, 5))
    assert SAME_SIZE in found


def test_item_3_wants_the_same_law_of_ranks_at_every_length() -> None:
    coupling = fixed({3: (1, 3, 2), 4: (2, 3, 4, 1)})  # the order of the two planted positions is turned round
    assert items(coupling, 1, range(3, 5)) == [SAME_RANKS]


def test_a_mixture_of_sizes_at_one_length_is_seen() -> None:
    def table(length: int) -> dict[tuple[Places, Renumbering], Number]:
        return {((1, 3), (1, 2, 1)): Fraction(1, 2), ((1, 3), (1, 3, 2)): Fraction(1, 2)}

    assert SAME_SIZE in items(Coupling(3, table), 2, range(3, 4))


def test_the_planted_sets_must_have_the_law_of_the_ensemble() -> None:
    coupling = gathering(uniform_over(2, 3, lambda length: [(1, 2)]), [(1, 2)])
    assert items(coupling, 1, range(3, 5)) == [MARGINAL]


def test_ranks_that_depend_on_the_place_are_seen_though_the_paper_allows_them() -> None:
    def table(length: int) -> dict[tuple[Places, Renumbering], Number]:
        left, right = (1, *range(3, length + 1), 2), (length, *range(1, length - 1), length - 1)
        return {((1, length), left): Fraction(1, 2), ((1, length), right): Fraction(1, 2)}

    assert items(Coupling(4, table), 1, range(4, 7)) == [INDEPENDENT]


def test_what_is_no_renumbering_is_refused() -> None:
    with pytest.raises(CouplingError, match="4 IDs from 1 to 4"):
        fixed({4: (1, 2, 5, 4)}).masses(4)
    with pytest.raises(CouplingError, match="each rank from 1 to 2 exactly once"):
        gathering(ENDS, [(1,)])
    with pytest.raises(CouplingError, match="too short"):
        gathering(ENDS, [(1, 2)]).masses(2)


def test_conditions_that_were_looked_at_nowhere_are_not_called_met() -> None:
    with pytest.raises(CouplingError, match="at least one length"):
        violations(gathering(ENDS, [(1, 2)]), ENDS, 1, [])
