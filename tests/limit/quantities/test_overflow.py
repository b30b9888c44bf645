"""Numbers too large for float64: noticed before they turn into verdicts."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np
import pytest

from lengthwise.crasp import library, load
from lengthwise.limit import Head, Layer, LimitTransformer, ModelError, from_crasp, to_transformer
from lengthwise.limit.evaluation import naive
from lengthwise.limit.evaluation.regimes import Floats
from lengthwise.limit.quantities.overflow import LARGEST, largest_intermediate
from lengthwise.limit.transformers.transformer import Transformer
from tests.limit.random_models import AB, outputs, random_limit, random_transformer


def stepping(hidden: Floats, embedding: Floats) -> LimitTransformer:
    """One step unit that decides; whatever goes into it, its output is 0 or 1."""
    layer = Layer((), hidden[None], np.zeros(1), np.array([[0.0], [0.0], [1.0]]), np.array([True]))
    return LimitTransformer(AB, embedding, np.zeros((1, 3)), (layer,), np.array([[0.0, 0.0, 1.0]]), ("accept",))


def test_a_step_hides_an_overflow_and_the_model_is_refused() -> None:
    """-2^1023·16 + 2^1023·16 overflows on the way: the step says 0, and the right answer is 1."""
    hidden, embedding = np.array([-(2.0**1023), 2.0**1023, 0.0]), np.array([[16.0, 16.0, 0.0]] * 2)
    model = stepping(hidden, embedding)
    with np.errstate(all="ignore"):
        assert naive.outputs(model, model.tokens("a"))[-1, 0] == 0.0
    assert naive.outputs(stepping(hidden / 1024, embedding), model.tokens("a"))[-1, 0] == 1.0
    for attempt in (model.accepts, model.last, model):
        with pytest.raises(ModelError, match="float64 may overflow"):
            attempt("a")
    with pytest.raises(ModelError, match="float64 may overflow"):
        model.accepts_batch(np.zeros((2, 3), dtype=int))


def test_an_ordinary_transformer_is_refused_alike() -> None:
    transformer = random_transformer(0)
    large = replace(transformer, embedding=transformer.embedding * 1e200)
    with pytest.raises(ModelError, match="float64 may overflow"):
        large("ab")


@pytest.mark.parametrize("part", ["key_query", "value", "phi"])
def test_a_head_whose_weights_only_meet_zeros_is_refused_too(part: str) -> None:
    huge: dict[str, Floats] = {"key_query": np.zeros((3, 3)), "value": np.zeros((3, 3)), "phi": np.zeros(2)}
    huge[part] = np.full((2,) if part == "phi" else (3, 3), 1e308)
    model = replace(random_limit(0), layers=(Layer.attention_only([Head(**huge)] * 2, 3),))
    with pytest.raises(ModelError, match="float64 may overflow"):
        model.last("ab")


@pytest.mark.parametrize("seed", range(5))
def test_the_bound_is_above_every_activation(seed: int) -> None:
    for model in (random_limit(seed, period=2, window=2), random_transformer(seed).at(0)):
        bound = largest_intermediate(model)
        for word in ("", "a", "abba", "bbbbb"):
            tokens = model.tokens(word)
            assert all(np.abs(stream).max() <= bound for stream in naive.residual_streams(model, tokens))
        assert bound < 1e6


def test_models_of_the_largest_allowed_size_still_read_without_a_warning() -> None:
    model = random_limit(1)
    scaled = replace(model, embedding=model.embedding * 1e20)
    assert 1e20 < largest_intermediate(scaled) < LARGEST
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        np.testing.assert_allclose(scaled("abba"), outputs(scaled, "abba"), rtol=1e-9)


@pytest.mark.parametrize("name", library.names())
def test_no_library_program_comes_near_the_border(name: str) -> None:
    model = from_crasp(load(name))
    transformer: Transformer = to_transformer(model, 5)
    assert largest_intermediate(model) < 100
    assert largest_intermediate(transformer.at(0)) < 10**5
