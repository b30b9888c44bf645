"""Hidden tokens really are hidden, and losses without tokens are those of a text in which they never stood."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from math import ceil

import numpy as np
import numpy.typing as npt
import pytest
import torch

from lengthwise.diagnose import DiagnosisError
from lengthwise.diagnose.influence import (
    HuggingFaceModel,
    OurTextModel,
    TextModel,
    base_losses,
    by_influence,
    dependence,
    far_tokens,
    influential,
    losses_without_each,
    sparse_losses,
)
from lengthwise.diagnose.influence.dependence import hidden_but
from lengthwise.nn.loading.gpt2 import from_gpt2
from tests.diagnose.text_models import (
    POSITIONS,
    RECENT,
    SYMBOLS,
    WINDOW,
    decoder,
    hugging_face,
    windows,
)

Window = npt.NDArray[np.int64]


def ours(position: str, dtype: torch.dtype = torch.float64) -> OurTextModel:
    return OurTextModel(decoder(position, dtype=dtype))


MODELS: dict[str, Callable[[], TextModel]] = {
    **{position: partial(ours, position) for position in POSITIONS},
    "hugging face": lambda: HuggingFaceModel(hugging_face()),
}
SINGLE: dict[str, Callable[[], TextModel]] = {
    f"{position} in float32": partial(ours, position, torch.float32) for position in POSITIONS
}

NEAR = {"hugging face": 1e-5}
"""How near losses are: ours are computed in float64 here, Hugging Face's in float32."""


def cut_out(name: str, window: Window, seen: list[int]) -> float:
    """The oracle: the loss of the last token behind those at some positions, which alone are read, at their places."""
    tokens = torch.tensor(window[[place - 1 for place in seen]])[None]
    places = torch.from_numpy(np.array([id_in_tests(name, place) for place in seen]))[None]
    with torch.no_grad():
        if name == "hugging face":
            logits = hugging_face()(tokens, position_ids=places - 1).logits[0, -1]
        else:
            logits = decoder(name)(tokens, places[None])[0, 0, -1]
    return float(-torch.log_softmax(logits.double(), 0)[int(window[-1])])


def id_in_tests(name: str, place: int) -> float:
    """The position id of a token of the nine that are read, when a model with this scheme is tested."""
    if name == "interpolation":
        return place * 6 / 9  # scaled down into a context of 6
    return ceil(place * 30 / 9) if name == "randomized" else place  # spread over a context of 30


@pytest.mark.parametrize("name", [*MODELS, *SINGLE])
def test_what_a_hidden_token_is_does_not_change_a_single_bit(name: str) -> None:
    model, rng = {**MODELS, **SINGLE}[name](), np.random.default_rng(0)
    tokens = windows(6)[:, :-1]
    hidden = rng.random(tokens.shape) < 0.4
    hidden[:, -1] = False
    hidden[0, :3] = True  # the first tokens of all, which then have nothing to look at
    assert hidden.any(axis=1).all()
    before = model.outputs(tokens, hidden)
    others = np.where(hidden, (tokens + rng.integers(1, SYMBOLS, tokens.shape)) % SYMBOLS, tokens)
    assert np.array_equal(model.outputs(others, hidden), before)
    assert np.isfinite(before).all()
    assert not np.allclose(model.outputs(others, np.zeros_like(hidden)), before)


@pytest.mark.parametrize("name", MODELS)
def test_leaving_out_one_by_one_is_a_text_without_the_token(name: str) -> None:
    given = windows()
    losses = losses_without_each(MODELS[name](), given, RECENT)
    everything = range(1, WINDOW)
    expected = [
        [cut_out(name, window, [place for place in everything if place != gone]) for gone in range(1, WINDOW - RECENT)]
        for window in given
    ]
    assert losses.shape == (3, 5)
    np.testing.assert_allclose(losses, expected, rtol=0, atol=NEAR.get(name, 1e-9))


@pytest.mark.parametrize("name", MODELS)
def test_the_three_losses_are_those_of_the_tokens_that_are_seen(name: str) -> None:
    given, kept = windows(2), np.array([[5, 2], [1, 3]])
    found = dependence(MODELS[name](), given, RECENT, kept)
    recent = [6, 7, 8, 9]  # X_{L̄-L}, …, X_{L̄-1} of a window of 10 with 4 recent tokens
    for number, window in enumerate(given):
        assert found.short[number] == pytest.approx(cut_out(name, window, recent), abs=NEAR.get(name, 1e-9))
        assert found.long[number] == pytest.approx(cut_out(name, window, list(range(1, 10))), abs=NEAR.get(name, 1e-9))
        seen = sorted(kept[number].tolist()) + recent
        assert found.sparse[number] == pytest.approx(cut_out(name, window, seen), abs=NEAR.get(name, 1e-9))


def test_with_rotary_positions_the_recent_tokens_might_as_well_be_read_by_themselves() -> None:
    given = windows()
    short, _ = base_losses(OurTextModel(decoder("rope")), given, RECENT)
    with torch.no_grad():
        logits = decoder("rope")(torch.tensor(given[:, -RECENT - 1 : -1]))[0, :, -1]
    expected = torch.nn.functional.cross_entropy(logits, torch.tensor(given[:, -1]), reduction="none")
    np.testing.assert_allclose(short, expected.numpy(), atol=1e-9)


def test_with_all_far_tokens_nothing_is_hidden() -> None:
    model, given = OurTextModel(decoder()), windows()
    all_far = np.tile(np.arange(1, WINDOW - RECENT), (len(given), 1))
    np.testing.assert_allclose(sparse_losses(model, given, RECENT, all_far), base_losses(model, given, RECENT)[1])


def test_gpt2_has_the_same_influential_tokens_in_both_implementations() -> None:
    theirs, given = hugging_face(), windows(4)
    same = OurTextModel(from_gpt2(theirs.state_dict(), 2))
    assert np.array_equal(influential(same, given, RECENT), influential(HuggingFaceModel(theirs), given, RECENT))


def test_influential_tokens_are_those_whose_absence_costs_most_and_ties_go_to_the_earlier() -> None:
    losses = np.array([[1.0, 3.0, 2.0, 3.0], [0.5, 0.5, 0.5, 0.5]])
    assert by_influence(losses).tolist() == [[2, 4, 3, 1], [1, 2, 3, 4]]


class Counting:
    """A model that gives the token 1 one nat less for each visible 1 at the given positions; counts its calls."""

    vocabulary, longest, at_once, calls = 2, None, 7, 0

    def __init__(self, weights: dict[int, float]) -> None:
        self.weights = weights

    def outputs(self, tokens: Window, hidden: npt.NDArray[np.bool_]) -> npt.NDArray[np.float32]:
        self.calls += 1
        assert len(tokens) <= self.at_once
        score = sum(weight * (tokens[:, place - 1] * ~hidden[:, place - 1]) for place, weight in self.weights.items())
        return np.stack([np.zeros(len(tokens)), np.broadcast_to(score, len(tokens))], axis=1).astype(np.float32)

    def encode(self, text: bytes) -> Window:
        raise NotImplementedError

    def decode(self, token: int) -> str:
        raise NotImplementedError


def test_the_tokens_that_a_rule_looks_at_are_found_in_few_passes() -> None:
    model = Counting({3: 5.0, 1: 2.0, 7: 9.0, 4: -1.0})
    found = influential(model, np.ones((2, 10), dtype=np.int64), recent=3)
    # 7 is recent; 4 is against the token, and so comes last; 2, 5 and 6 do nothing.
    assert found.tolist() == [[3, 1, 2, 5, 6, 4]] * 2
    assert model.calls == 2  # 12 inputs, 7 at once


def test_figure_5_of_the_paper() -> None:
    hidden = hidden_but(8, 2, np.array([[2, 4]]))
    assert [place for place in range(1, 8) if not hidden[0, place - 1]] == [2, 4, 6, 7]
    assert far_tokens(128, 64) == 63


@pytest.mark.parametrize(("window", "recent"), [(10, 0), (10, 9), (2, 1)])
def test_a_window_without_far_or_recent_tokens_is_refused(window: int, recent: int) -> None:
    with pytest.raises(DiagnosisError, match="recent"):
        far_tokens(window, recent)


@pytest.mark.parametrize("window", [-5, 0, 1, 2])
def test_a_window_that_no_number_of_recent_tokens_suits_is_told_to_be_too_short(window: int) -> None:
    with pytest.raises(DiagnosisError, match=f"^a window of {window} tokens is too short; it has 3 or more: "):
        far_tokens(window, 1)
    assert far_tokens(3, 1) == 1


def test_models_that_do_not_predict_their_own_symbols_are_refused() -> None:
    with pytest.raises(DiagnosisError, match="causal"):
        OurTextModel(decoder(causal=False))
    model = OurTextModel(decoder())
    with pytest.raises(DiagnosisError, match="cannot be hidden"):
        model.outputs(windows(1), np.ones((1, WINDOW), dtype=np.bool_))
    with pytest.raises(DiagnosisError, match="tokens 0 to 6"):
        model.outputs(windows(1) + SYMBOLS, np.zeros((1, WINDOW), dtype=np.bool_))
    with pytest.raises(DiagnosisError, match="byte by byte"):
        model.encode(b"text")
