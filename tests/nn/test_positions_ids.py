"""Schemes that choose position ids: randomized, PoSE, interpolation and coupled positions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from fractions import Fraction
from itertools import combinations, permutations, product
from typing import Any, cast

import numpy as np
import pytest
import torch

from lengthwise.errors import UnknownNameError
from lengthwise.nn import Decoder
from lengthwise.nn.positions import PositionError, PositionScheme
from lengthwise.nn.positions.randomized import subsets
from tests.nn.oracle import SCHEMES, config, random_tokens, randomised


def scheme(name: str, **parameters: Any) -> PositionScheme:
    return Decoder(config("one layer", name, position_parameters=parameters), [0], torch.float64).positions


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def rows(array: Any) -> list[tuple[int, ...]]:
    return [tuple(row) for row in array.tolist()]


def require_law(drawn: Iterable[tuple[int, ...]], law: dict[tuple[int, ...], Fraction]) -> None:
    """Only what is possible was drawn, and as often as is likely, up to five deviations."""
    counts = Counter(drawn)
    total = sum(counts.values())
    assert sum(law.values()) == 1
    assert set(counts) == set(law)
    for row, probability in law.items():
        deviation = (total * probability * (1 - probability)) ** 0.5
        assert abs(counts[row] - total * probability) <= 5 * deviation, row


# --------------------------------------------------------------------------------------------------- all of them


@pytest.mark.parametrize("name", SCHEMES)
def test_a_masked_symbol_changes_no_bit_whatever_the_ids(name: str) -> None:
    """Ids need not grow: what is later is decided by where symbols stand."""
    model = randomised(config("narrow heads", name))
    tokens, places = random_tokens(2, 2, 7), torch.from_numpy(rng().integers(1, 13, (2, 2, 7)))
    before = model(tokens, places)
    for place in range(1, 7):
        changed = tokens.clone()
        changed[:, :, place] = (changed[:, :, place] + 1) % 3
        after = model(changed, places)
        assert torch.equal(before[:, :, :place], after[:, :, :place])
        assert not torch.equal(before[:, :, place], after[:, :, place])


def test_by_default_ids_are_those_of_the_task_or_shifted_by_the_offsets() -> None:
    given = rng().integers(1, 9, (4, 5))
    for name in ("none", "learned", "periodic", "relative", "rope", "limit", "alibi", "fire"):
        positions = scheme(name, **SCHEMES[name])
        assert positions.training_places(5, 4, rng(), given) is given
        assert positions.test_places(5, 4, rng(), given) is given
        assert positions.test_places(5, 4, rng()) is None
        shifted, offsets = positions.training_places(5, 4, rng()), positions.offsets(5, 4, rng())
        assert (shifted is None) == (offsets is None) == (name != "learned")
        if shifted is not None and offsets is not None:
            assert rows(shifted) == [tuple(range(first + 1, first + 6)) for first in offsets]


def test_wrapped_schemes_say_what_they_do_to_logits_and_queries() -> None:
    for inner, rotates, adds in [("rope", True, False), ("learned", False, False), ("alibi", False, True)]:
        wrapped = scheme("randomized", context=9, inner=inner)
        assert (wrapped.rotates, wrapped.adds_to_logits) == (rotates, adds)
    assert {name for name in SCHEMES if scheme(name, **SCHEMES[name]).adds_to_logits} == {
        "relative", "limit", "alibi", "fire",
    }  # fmt: skip


@pytest.mark.parametrize("inner", ["none", "learned", "periodic", "relative", "rope", "limit", "alibi", "fire"])
def test_a_wrapped_scheme_computes_what_the_inner_one_does(inner: str) -> None:
    plain = Decoder(config("narrow heads", inner), [0, 1], torch.float64)
    parameters = {**SCHEMES[inner], "inner": inner, "context": 12}
    wrapped = Decoder(config("narrow heads", "pose", position_parameters=parameters), [0, 1], torch.float64)
    inner_weights = {name.replace("positions.", "positions.inner."): w for name, w in plain.state_dict().items()}
    wrapped.load_state_dict(inner_weights)
    tokens, places = random_tokens(2, 3, 6), torch.from_numpy(rng().integers(1, 13, (2, 3, 6)))
    assert torch.equal(wrapped(tokens, places), plain(tokens, places))


@pytest.mark.parametrize(
    ("name", "parameters", "message"),
    [
        ("pose", {}, "the position scheme 'pose' needs the parameter 'context'"),
        ("pose", {"context": 9, "bass": 2.0}, "no parameter 'bass'; its parameters are context, chunks, inner, base"),
        ("pose", {"context": 9, "inner": 3}, "'inner' of the position scheme 'pose' is a word, not 3"),
        ("pose", {"context": 9, "inner": "relative"}, "the position scheme 'pose' needs the parameter 'window'"),
        ("pose", {"context": 9, "inner": "randomized"}, "'randomized' chooses position ids itself; take a plain one"),
        ("pose", {"context": 9, "inner": "interpolation"}, "'interpolation' chooses position ids itself"),
        ("randomized", {"context": 9, "inner": "coupled"}, "'coupled' chooses position ids itself"),
        ("randomized", {"context": 9, "at_test": "odd"}, "'at_test' .* is one of random, even, first, not 'odd'"),
        ("interpolation", {"context": 9, "inner": "none"}, "only rope, learned, alibi, fire can be interpolated"),
    ],
)
def test_wrong_parameters_get_a_sentence(name: str, parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(PositionError, match=message):
        scheme(name, **parameters)


def test_an_unknown_inner_scheme_gets_the_nearest_names() -> None:
    with pytest.raises(UnknownNameError, match="there is no position scheme 'ropes'; nearest: rope"):
        scheme("pose", context=9, inner="ropes")


@pytest.mark.parametrize("name", ["pose", "randomized"])
def test_schemes_that_draw_ids_refuse_those_of_a_task_and_words_that_do_not_fit(name: str) -> None:
    positions = scheme(name, context=4)
    for places in (positions.training_places, positions.test_places):
        with pytest.raises(PositionError, match=f"'{name}' draws position ids itself, and this task gives some"):
            places(2, 1, rng(), np.array([[1, 2]]))
    with pytest.raises(PositionError, match="inputs of length 5 do not fit into a context of 4 positions"):
        positions.training_places(5, 2, rng())


# --------------------------------------------------------------------------------------------------- randomized


def test_every_subset_is_drawn_by_equally_many_permutations() -> None:
    class Scripted:
        def permuted(self, numbers: Any, axis: int) -> Any:
            assert rows(numbers) == [(1, 2, 3, 4, 5)] * 120
            assert axis == 1
            return np.array(list(permutations(range(1, 6))))

    drawn = subsets(5, 3, 120, cast(np.random.Generator, Scripted()))
    assert Counter(rows(drawn)) == dict.fromkeys(combinations(range(1, 6), 3), 12)


@pytest.mark.parametrize("when", ["training_places", "test_places"])
def test_randomized_ids_are_uniform_over_subsets_in_training_and_in_tests(when: str) -> None:
    drawn = getattr(scheme("randomized", context=5), when)(3, 20_000, rng())
    assert drawn.shape == (20_000, 3)
    require_law(rows(drawn), dict.fromkeys(combinations(range(1, 6), 3), Fraction(1, 10)))


def test_randomized_ids_of_tests_may_do_without_chance() -> None:
    first = scheme("randomized", context=10, at_test="first")
    even = scheme("randomized", context=10, at_test="even")
    assert rows(first.test_places(4, 2, rng())) == [(1, 2, 3, 4)] * 2
    assert rows(even.test_places(4, 2, rng())) == [(3, 5, 8, 10)] * 2
    assert rows(even.test_places(10, 1, rng())) == [tuple(range(1, 11))]


# --------------------------------------------------------------------------------------------------- PoSE


def law_of_pose(length: int, context: int) -> dict[tuple[int, ...], Fraction]:
    """Every cut and every pair J_0, J_1, all equally likely."""
    law: Counter[tuple[int, ...]] = Counter()
    starts = range(1, context - length + 2)
    for first, one, other in product(range(1, length), starts, starts):
        low, high = min(one, other), max(one, other)
        ids = [low + place if place < first else high + place for place in range(length)]
        law[tuple(ids)] += 1
    total = sum(law.values())
    return {ids: Fraction(count, total) for ids, count in law.items()}


@pytest.mark.parametrize(("length", "context"), [(2, 5), (3, 5), (4, 6), (4, 4)])
def test_pose_has_the_law_of_its_definition(length: int, context: int) -> None:
    drawn = scheme("pose", context=context).training_places(length, 30_000, rng())
    assert drawn is not None
    assert drawn.max() == context
    require_law(rows(drawn), law_of_pose(length, context))


@pytest.mark.parametrize("chunks", [1, 2, 3, 5, 9])
def test_pose_has_consecutive_ids_but_for_the_skips_between_chunks(chunks: int) -> None:
    drawn = scheme("pose", context=20, chunks=chunks).training_places(6, 3000, rng())
    assert drawn is not None
    steps = np.diff(drawn, axis=1)
    assert steps.min() == 1
    assert (steps > 1).sum(1).max() == min(chunks, 6) - 1
    assert set(drawn.ravel().tolist()) == set(range(1, 21))


def test_pose_meets_all_distances_of_the_context() -> None:
    drawn = scheme("pose", context=9).training_places(4, 3000, rng())
    assert drawn is not None
    met = {int(later - earlier) for row in drawn for earlier, later in combinations(row, 2)}
    assert met == set(range(1, 9))


def test_a_single_symbol_may_stand_anywhere_and_tests_count() -> None:
    pose = scheme("pose", context=4)
    require_law(rows(pose.training_places(1, 8000, rng())), {(place,): Fraction(1, 4) for place in range(1, 5)})
    assert pose.test_places(9, 2, rng()) is None


# --------------------------------------------------------------------------------------------------- interpolation


def test_interpolated_rotary_positions_turn_by_fractions_of_an_angle() -> None:
    """A pair of coordinates is a complex number z; at id iN/n it becomes z e^(iθ · iN/n)."""
    positions = scheme("interpolation", context=4, base=50.0)
    places = positions.test_places(10, 1, rng())
    vectors = torch.randn(1, 1, 10, 1, 6, dtype=torch.float64)
    assert places is not None
    found = positions.rotate(vectors, torch.from_numpy(places)[None])
    z = torch.complex(vectors[0, 0, :, 0, :3], vectors[0, 0, :, 0, 3:]).numpy()
    for i in range(1, 11):
        turned = z[i - 1] * np.exp(1j * i * 4 / 10 * 50.0 ** (-2 * np.arange(3) / 6))
        expected = np.concatenate([turned.real, turned.imag])
        np.testing.assert_allclose(found[0, 0, i - 1, 0].numpy(), expected, rtol=0, atol=1e-12)


def test_interpolated_learned_positions_lie_between_their_neighbours() -> None:
    positions = scheme("interpolation", context=3, inner="learned")
    places = positions.test_places(8, 1, rng())
    assert places is not None
    found = positions.embed(torch.zeros(1, 1, 8, 6, dtype=torch.float64), torch.from_numpy(places)[None])
    vectors = positions.get_parameter("inner.vectors")[0].detach().numpy()
    for i in range(1, 9):
        ends = np.array([1, 2, 3])
        expected = [np.interp(3 * i / 8, ends, vectors[:, coordinate]) for coordinate in range(6)]
        np.testing.assert_allclose(found[0, 0, i - 1].detach().numpy(), expected, rtol=0, atol=1e-12)


def test_whole_positions_are_what_they_were_without_interpolation() -> None:
    positions = scheme("interpolation", context=6, inner="learned")
    stream, places = torch.randn(1, 2, 6, 6, dtype=torch.float64), torch.arange(1, 7).view(1, 1, 6)
    assert torch.equal(positions.embed(stream, places.double()), positions.embed(stream, places))


def test_only_ids_beyond_the_context_are_scaled_each_word_by_itself() -> None:
    positions = scheme("interpolation", context=4)
    given = np.array([[0, 1, 4], [2, 0, 8], [1, 2, 3]])
    assert positions.test_places(4, 2, rng()) is None
    assert positions.test_places(3, 1, rng(), given[[0, 2]]) is not None
    assert rows(positions.test_places(3, 3, rng(), given)) == [(0, 1, 4), (1, 0, 4), (1, 2, 3)]
    assert rows(positions.test_places(8, 1, rng())) == [(0.5, 1, 1.5, 2, 2.5, 3, 3.5, 4)]


def test_interpolated_learned_positions_are_shifted_in_training_as_ever() -> None:
    drawn = scheme("interpolation", context=5, inner="learned").training_places(4, 100, rng())
    assert set(rows(drawn)) == {(1, 2, 3, 4), (2, 3, 4, 5)}
    assert scheme("interpolation", context=5).training_places(4, 100, rng()) is None


def test_fractions_outside_the_context_are_refused() -> None:
    learned = scheme("learned", context=3)
    for bad in (0.0, 3.5):
        with pytest.raises(PositionError, match=r"are not within the context of 3 learned positions"):
            learned.embed(torch.zeros(1, 1, 2, 6), torch.tensor([[[1.5, bad]]]))


# --------------------------------------------------------------------------------------------------- coupled


def test_coupled_positions_add_the_vector_of_the_id_and_0_has_one_too() -> None:
    positions = scheme("coupled", context=5)
    places = torch.tensor([[[0, 5, 2, 0]]])
    found = positions.embed(torch.zeros(1, 1, 4, 6, dtype=torch.float64), places)
    vectors = positions.get_parameter("vectors")
    assert vectors.shape == (1, 6, 6)
    assert torch.equal(found[0, 0], vectors[0, [0, 5, 2, 0]])
    by_place = positions.vectors_by_place()
    assert by_place is not None
    assert torch.equal(by_place, vectors[:, 1:])


@pytest.mark.parametrize("name", ["coupled", "predictive"])
def test_all_ids_of_a_word_but_0_are_shifted_by_one_offset_that_fits(name: str) -> None:
    given = np.repeat([[0, 1, 2, 3, 0, 3, 1]], 20_000, axis=0)
    drawn = scheme(name, context=6).training_places(7, 20_000, rng(), given)
    assert drawn is not None
    assert drawn.max() == 6
    shifted = [(0, 1 + s, 2 + s, 3 + s, 0, 3 + s, 1 + s) for s in range(4)]
    require_law(rows(drawn), dict.fromkeys(shifted, Fraction(1, 4)))


def test_every_word_is_shifted_as_far_as_its_own_ids_allow() -> None:
    given = np.array([[1, 0, 1], [6, 2, 0], [0, 0, 0], [3, 2, 5]] * 500)
    drawn = scheme("coupled", context=6).training_places(3, 2000, rng(), given)
    assert drawn is not None
    assert [sorted(set(drawn[start::4, 0].tolist())) for start in range(4)] == [[1, 2, 3, 4, 5, 6], [6], [0], [3, 4]]


def test_tests_have_the_ids_of_the_task() -> None:
    given = np.array([[0, 1, 2], [2, 1, 0]])
    assert scheme("coupled", context=6).test_places(3, 2, rng(), given) is given


def test_coupled_positions_need_ids_that_fit() -> None:
    positions = scheme("coupled", context=4)
    for places in (positions.training_places, positions.test_places):
        with pytest.raises(PositionError, match="'coupled' takes the position ids of a task, and this task gives none"):
            places(3, 1, rng())
        with pytest.raises(PositionError, match="position ids up to 5 do not fit into a context of 4"):
            places(3, 1, rng(), np.array([[0, 5, 1]]))
    for bad in (-1, 5):
        with pytest.raises(PositionError, match=f"position id {bad} is outside the context of 0 to 4"):
            positions.embed(torch.zeros(1, 1, 1, 6), torch.tensor([[[bad]]]))
