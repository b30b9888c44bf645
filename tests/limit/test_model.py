"""The object itself: what it refuses, what it says of itself, and that it cannot be changed."""

import numpy as np
import pytest

from lengthwise.alphabet import Alphabet
from lengthwise.errors import LengthwiseError, WordError
from lengthwise.limit import Hardmax, Head, Huang, IzzoFinite, IzzoInfinite, Layer, LimitTransformer, ModelError
from lengthwise.limit.evaluation.regimes import Regime, average, exponents, parse, rounded, weights
from tests.limit.random_models import certificate

WIDTH = 3


def layer(heads: int = 1, units: int = 2) -> Layer:
    head = Head(np.zeros((WIDTH, WIDTH)), np.eye(WIDTH), np.array([0.0, 2.0, 0.0]))
    return Layer(
        (head,) * heads, np.ones((units, WIDTH)), np.zeros(units), np.ones((WIDTH, units)), np.zeros(units, dtype=bool)
    )


def model(**changes: object) -> LimitTransformer:
    fields: dict[str, object] = {
        "alphabet": Alphabet(("a", "b")),
        "embedding": np.eye(2, WIDTH),
        "positions": np.zeros((1, WIDTH)),
        "layers": (layer(),),
        "unembedding": np.eye(WIDTH)[:1],
        "outputs": ("accept",),
    }
    return LimitTransformer(**{**fields, **changes})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"embedding": np.eye(3)}, r"embedding \(E\) has shape \(3, 3\), expected 2 × 3"),
        ({"embedding": np.full((2, WIDTH), np.nan)}, r"embedding \(E\) has an entry that is not a finite number"),
        ({"positions": np.zeros((2, 2))}, r"positions \(p\) has shape \(2, 2\)"),
        ({"positions": np.zeros((0, WIDTH))}, "at least one row"),
        ({"positions": np.full((1, WIDTH), np.inf)}, r"positions \(p\) has an entry that is not a finite number"),
        ({"unembedding": np.eye(2)}, r"unembedding \(U\) has shape"),
        ({"outputs": ("accept", "more")}, "2 output names for 1 rows"),
        ({"has_start": True}, r"embedding \(E\) has shape \(2, 3\), expected 3 × 3"),
        ({"layers": (Layer.attention_only([Head(np.eye(2), np.eye(2))], 2),)}, "layer 1 is not of width 3"),
    ],
)
def test_weights_that_do_not_fit_are_named(changes: dict[str, object], message: str) -> None:
    with pytest.raises(ModelError, match=message):
        model(**changes)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Head(np.eye(2), np.eye(3)), "value has shape"),
        (lambda: Head(np.zeros((2, 3)), np.eye(3)), "key_query has shape"),
        (lambda: Head(np.eye(2), np.eye(2), np.zeros(0)), "at least one"),
        (lambda: Head(np.eye(2), np.eye(2), np.array([np.nan])), "phi has an entry"),
        (lambda: Layer((), np.ones((2, 3)), np.zeros(1), np.ones((3, 1)), np.zeros(1, dtype=bool)), r"hidden \(A\)"),
        (lambda: Layer((), np.ones((1, 3)), np.zeros(1), np.ones((3, 2)), np.zeros(1, dtype=bool)), r"output \(B\)"),
        (lambda: Layer((), np.ones((1, 3)), np.zeros(1), np.ones((3, 1)), np.zeros(2, dtype=bool)), "heaviside"),
    ],
)
def test_parts_that_do_not_fit_are_named(make: object, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        make()  # type: ignore[operator]


def test_weights_are_copied_and_cannot_be_changed() -> None:
    given = np.eye(2, WIDTH)
    made = model(embedding=given)
    given[:] = 7
    assert made.embedding[0, 0] == 1
    with pytest.raises(ValueError, match="read-only"):
        made.embedding[0, 0] = 5
    with pytest.raises(AttributeError):
        made.title = "x"  # type: ignore[misc]


def test_it_says_how_large_it_is() -> None:
    made = model(layers=(layer(heads=2), layer()), positions=np.zeros((4, WIDTH)), title="toy")
    # E 6, p 12, U 3; a layer has A 6, b 2, B 6 and 21 for each head.
    assert made.parameters == 6 + 12 + 3 + 2 * 14 + 3 * 21
    assert repr(made) == ("<LimitTransformer toy: 2 layers, 2+1 heads, width 3, Δ=4, τ=1, 112 parameters, huang(8)>")


def test_unknown_symbols_and_missing_outputs_are_named() -> None:
    with pytest.raises(WordError, match="'c' at position 2"):
        model().accepts("ac")
    with pytest.raises(ModelError, match='no output "accept"; its outputs are x'):
        model(outputs=("x",)).accepts("a")


def test_the_empty_word_needs_a_start_symbol() -> None:
    with pytest.raises(ModelError):
        model().last("")
    started = model(embedding=np.eye(3, WIDTH), has_start=True)
    assert started.last("").shape == (1,)


@pytest.mark.parametrize("regime", [Huang(0), Huang(8, shift=True), IzzoFinite(12), IzzoInfinite(), Hardmax()])
def test_a_regime_reads_back_from_its_name(regime: Regime) -> None:
    assert parse(str(regime)) == regime
    assert model().with_regime(regime).regime == regime


@pytest.mark.parametrize(
    "text", ["", "huang", "huang(x)", "huang(8, what)", "izzo_finite()", "hardmax(2)", "huang(-1)"]
)
def test_an_unknown_regime_gets_the_list(text: str) -> None:
    with pytest.raises(LengthwiseError, match="huang"):
        parse(text)


def test_a_precision_is_a_sensible_number_of_bits() -> None:
    with pytest.raises(LengthwiseError, match="bits"):
        Huang(-1)
    with pytest.raises(LengthwiseError, match="bits"):
        IzzoFinite(5000)


def test_rounding_goes_to_the_nearest_multiple_and_ties_to_even() -> None:
    assert rounded(np.array([0.124, 0.125, 0.375, -0.125, 1e300]), 2).tolist() == [0.0, 0.0, 0.5, 0.0, 1e300]
    assert rounded(np.array([0.3]), 1000).tolist() == [0.3]


def test_powers_of_two_are_rounded_as_ties() -> None:
    # N = 4, logit -3: the weight is 2^-6, exactly half of 2^-5, and goes to the even multiple 0.
    exponent = exponents(Huang(5), np.array([[-3.0]]), np.zeros((1, 1)), np.ones((1, 1)), 4)
    assert weights(Huang(5), exponent, exponent).tolist() == [[0.0]]


def test_with_no_bits_the_largest_weight_still_counts() -> None:
    exponent = np.array([[0.0, -0.5]])
    assert weights(IzzoFinite(0), exponent, np.array([[0.0]])).tolist() == [[1.0, 0.0]]


def test_weights_of_any_size_do_not_overflow() -> None:
    content = np.array([[400.0, 1.0, -400.0]])
    for regime in (Huang(8), Huang(8, shift=True), IzzoFinite(8), IzzoInfinite(), Hardmax()):
        exponent = exponents(regime, content, np.zeros((1, 3)), np.full((1, 1), 1000.0), 1000)
        found = weights(regime, exponent, exponent.max(axis=1, keepdims=True))
        assert np.isfinite(found).all()
        assert found[0, 0] == found.max() > 0


def test_a_query_without_weight_adds_nothing() -> None:
    assert average(np.array([[0.0, 0.0]]), np.array([[0.0]])).tolist() == [[0.0, 0.0]]


def test_the_certified_length_is_a_border() -> None:
    made = certificate(3).attached_to(model())
    assert made.certified_length == 3
    assert made.last("aba").shape == (1,)
    with pytest.raises(ModelError, match="certified for words of at most 3 symbols, got 4"):
        made.last("abab")
