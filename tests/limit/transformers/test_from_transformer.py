"""From ordinary transformers to Limit Transformers (Huang et al., Lemma 52), and which products decide the period."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from lengthwise.limit.evaluation.regimes import Floats, Huang
from lengthwise.limit.model import Head, Layer, ModelError
from lengthwise.limit.transformers.from_transformer import from_transformer
from lengthwise.limit.transformers.hypothesis_class import membership
from lengthwise.limit.transformers.products import positional_products, smallest_period, valid_length
from lengthwise.limit.transformers.to_transformer import to_transformer
from lengthwise.limit.transformers.transformer import Transformer
from tests.cases.oracles import words
from tests.limit.random_models import AB, SHAPES, outputs, random_limit, random_transformer


@pytest.mark.parametrize(("period", "window", "layers"), SHAPES)
def test_a_model_comes_back_from_a_transformer_with_the_same_outputs(period: int, window: int, layers: int) -> None:
    model = random_limit(100 + period + window, period, window, layers)
    back = from_transformer(to_transformer(model, 6))
    assert (back.period, back.window) == (period, window)
    for word in words("ab", 5):
        np.testing.assert_allclose(outputs(back, word), outputs(model, word), rtol=0, atol=1e-9)


@pytest.mark.parametrize("period", [2, 3])
def test_what_comes_back_is_right_beyond_the_context_too(period: int) -> None:
    model = random_limit(4, period, 2)
    back = from_transformer(to_transformer(model, 7))
    word = "abbabaabbbababba"
    np.testing.assert_allclose(outputs(back, word), outputs(model, word), rtol=0, atol=1e-9)


def test_without_a_start_symbol_a_model_comes_back_too() -> None:
    model = random_limit(5, window=2, layers=2, start=False)
    back = from_transformer(to_transformer(model, 6))
    for word in words("ab", 6):
        np.testing.assert_allclose(outputs(back, word), outputs(model, word), rtol=0, atol=1e-9)


def test_transformers_outside_the_class_are_refused_with_the_product_that_varies() -> None:
    with pytest.raises(ModelError, match=r"not in Θ_6 .*one position: .*p_\d.*two positions: layer \d, head \d, key "):
        from_transformer(random_transformer(0))


def pair_of_regions(products: Floats, *, moved_query: bool) -> Transformer:
    """Two layers: places are copied to a second region by a uniform head; then keys and queries meet with `products`.

    Either the query's place has been copied and the key's is its own, or the other way round. The output is how much
    attention goes to b.
    """
    size = len(products)
    own, copied, symbol, seen = slice(0, size), slice(size, 2 * size), 2 * size, 2 * size + 1
    width = 2 * size + 2
    copy, meet, tell = np.zeros((3, width, width))
    copy[copied, own] = np.eye(size)
    meet[(own, copied) if moved_query else (copied, own)] = products
    tell[seen, symbol] = 1.0
    embedding = np.zeros((3, width))
    embedding[1, symbol] = 1.0
    layers = (
        Layer.attention_only([Head(np.zeros((width, width)), copy)], width),
        Layer.attention_only([Head(meet, tell)], width),
    )
    return Transformer(
        AB, embedding, np.eye(size, width), layers, np.eye(1, width, seen), ("attention to b",), True, Huang(8)
    )


def toeplitz(of_distance: Callable[[int], float], size: int) -> Floats:
    """Entry (key, query) is a function of query - key."""
    return np.array([[float(of_distance(query - key)) for query in range(size)] for key in range(size)])


def test_a_key_that_stands_behind_its_query_is_no_representative_of_those_before() -> None:
    """ERR-G7: products are periodic where keys precede queries, and anything elsewhere."""
    transformer = pair_of_regions(toeplitz(lambda n: n % 2 if n >= 0 else 0, 6), moved_query=False)
    model = from_transformer(transformer)
    assert model.period == 2
    for word in words("ab", 5):
        np.testing.assert_allclose(outputs(model, word), transformer(word), rtol=0, atol=1e-9)
    # As printed: the entry for key residue of p_2 and query residue of p_1 is taken from p_2 and p_1, where it is 0.
    layer = model.layers[1]
    table = np.array(layer.heads[0].key_query)
    query = int(np.flatnonzero(model.positions[1 % 2])[0])
    assert np.count_nonzero(table) == 2
    table[:, query] = 0.0
    printed = replace(model, layers=(model.layers[0], replace(layer, heads=(Head(table, layer.heads[0].value),))))
    assert np.abs(outputs(printed, "abbab") - transformer("abbab")).max() > 1e-3


def test_a_query_with_a_copied_position_meets_keys_behind_that_position() -> None:
    """Causal pairs alone do not settle the period: here they have period 1, and with it all keys would look alike."""
    transformer = pair_of_regions(toeplitz(lambda n: n >= 0, 6), moved_query=True)
    (product,) = (each for each in positional_products(transformer) if not each.is_local)
    assert valid_length(product.values, 1, causal=True) == 6
    assert valid_length(product.values, 1, causal=False) == 1
    assert membership(transformer, 0)
    model = from_transformer(transformer)
    assert model.period == 6
    for word in words("ab", 5):
        np.testing.assert_allclose(outputs(model, word), transformer(word), rtol=0, atol=1e-9)
    alike = np.mean([0.0, 0, 1, 1, 0, 1])
    assert abs(float(transformer.last("abbab")[0]) - alike) > 0.05


def test_a_shorter_length_may_do_with_a_shorter_period() -> None:
    """ERR-G9: a product of rank 2 with period 2, except that the two farthest positions do not fit in."""
    products = toeplitz(lambda n: 3 if n == 7 else n % 2, 8)
    corner = products - toeplitz(lambda n: n % 2, 8)
    assert np.count_nonzero(corner) == np.linalg.matrix_rank(corner) == 1
    transformer = pair_of_regions(products, moved_query=False)
    assert (smallest_period(transformer, 8), smallest_period(transformer, 7)) == (8, 2)
    with pytest.raises(
        ModelError, match=r"keys V_\{1,1\} p and queries p have period 2 only among the first 7 positions"
    ):
        from_transformer(transformer, period=2)
    short, full = from_transformer(transformer, length=7), from_transformer(transformer)
    assert (short.period, full.period) == (2, 8)
    assert from_transformer(transformer, period=4, length=7).period == 4
    for word in ("", "ab", "abbaba"):
        for model in (short, full):
            np.testing.assert_allclose(outputs(model, word), transformer(word), rtol=0, atol=1e-9)
    np.testing.assert_allclose(outputs(full, "abbabab"), transformer("abbabab"), rtol=0, atol=1e-9)
    assert np.abs(outputs(short, "abbabab")[-1] - transformer.last("abbabab")).max() > 1e-3


@pytest.mark.parametrize(
    ("options", "message"), [({"period": 0}, "1 to 5"), ({"length": 6}, "1 to 5"), ({"length": 0}, "1 to 5")]
)
def test_periods_and_lengths_lie_in_the_context(options: dict[str, int], message: str) -> None:
    with pytest.raises(ModelError, match=message):
        from_transformer(to_transformer(random_limit(0), 5), **options)


def test_only_vectors_that_are_carried_somewhere_get_a_coordinate() -> None:
    transformer = to_transformer(random_limit(0, period=3, layers=2), 7)
    origins = 3 + 3 + sum(len(layer.bias) for layer in transformer.layers)
    paths = np.prod([len(layer.heads) + 1 for layer in transformer.layers])
    assert from_transformer(transformer).width < origins * paths / 10


@pytest.mark.parametrize("period", [1, 2, 3])
def test_what_all_positions_have_in_common_may_be_read_by_anyone(period: int) -> None:
    """Products with one position are constant, not zero; with two they are no longer local, but still of a distance."""
    model = random_limit(7, period, window=1, layers=2)
    transformer = to_transformer(model, 6)
    common = np.zeros(transformer.width)
    common[:3] = [0.5, -0.25, 1.0]
    shifted = replace(transformer, positions=transformer.positions + common, embedding=transformer.embedding - common)
    back = from_transformer(shifted)
    assert (back.period, back.window) == (period, 5)
    for word in words("ab", 5):
        np.testing.assert_allclose(outputs(back, word), outputs(model, word), rtol=0, atol=1e-9)
