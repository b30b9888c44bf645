"""Hand-written models against what they are meant to compute, counted in plain Python, within their stated errors."""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator

import numpy as np
import pytest

from lengthwise.alphabet import Alphabet
from lengthwise.errors import LengthwiseError
from lengthwise.limit import Head, Huang, IzzoFinite, Layer, LimitTransformer
from lengthwise.limit.constructions import Construction, induction_head, k_gram, mod_p_task, simple_task
from lengthwise.limit.evaluation import naive
from lengthwise.limit.quantities.constants import one_layer_constants, two_layer_constants
from lengthwise.limit.quantities.margins import hardmax_length, positional_margin
from tests.cases.oracles import words

FLOAT = 1e-12
TRIVIAL = 2.0
"""Two distributions are never further apart, so larger bounds say nothing."""

Shares = list[float] | None


def random_words(symbols: str, lengths: Iterable[int], seed: int) -> Iterator[str]:
    rng = np.random.default_rng(seed)
    for length in lengths:
        yield "".join(rng.choice(list(symbols), length, p=rng.dirichlet(np.ones(len(symbols)))))


def answer(model: LimitTransformer, word: str) -> list[float]:
    return [float(value) for value in naive.outputs(model, model.tokens(word))[-1]]


def distance(left: Iterable[float], right: Iterable[float]) -> float:
    return sum(abs(a - b) for a, b in zip(left, right, strict=True))


def worst_ratio(construction: Construction, oracle: Callable[[str], Shares], tried: Iterable[str]) -> float:
    """The largest error relative to its bound; checks the construction's own target on the way."""
    worst, informative = 0.0, 0
    for word in tried:
        wanted, target = oracle(word), construction.target(word)
        bound = construction.error_bound(word)
        if wanted is None:
            assert target is None
            assert bound == math.inf
            continue
        assert target is not None
        assert distance(wanted, target) < FLOAT
        error = distance(answer(construction.model, word), wanted)
        assert error <= bound + FLOAT, f"{word}: error {error}, bound {bound}"
        informative += bound < TRIVIAL
        if 0 < bound < TRIVIAL:
            worst = max(worst, (error - FLOAT) / bound)
    assert informative, "every bound was trivial"
    return worst


# ---------------------------------------------------------------------------------------------- averages


def sine_of_quotient(omega: float) -> Callable[[str], Shares]:
    def value(word: str) -> Shares:
        zeros, ones = word.count("0"), word.count("1")
        return [math.sin(omega * (zeros - ones) / (zeros + ones))] if zeros + ones else None

    return value


@pytest.mark.parametrize("omega", [2.0, 5.5])
@pytest.mark.parametrize("units", [4, 16, 64])
def test_simple_task_is_within_the_error_of_linear_interpolation(omega: float, units: int) -> None:
    construction = simple_task(omega, units)
    tried = [*words("012", 5), *random_words("012", [50, 100, 200, 300] * 5, seed=units)]
    ratio = worst_ratio(construction, sine_of_quotient(omega), tried[1:])
    assert construction.error_bound("0") == pytest.approx(omega**2 / units**2 / 2)
    assert 0.75 < ratio <= 1, "the bound on interpolation is nearly attained"


def test_simple_task_says_zero_where_it_is_undefined() -> None:
    assert answer(simple_task(3.0).model, "2222") == [0.0]


@pytest.mark.parametrize("bits", [1, 3, 20])
def test_simple_task_attends_exactly_from_length_two_on(bits: int) -> None:
    assert hardmax_length(simple_task(2.0, bits=bits).model) == 2


def test_the_constant_of_simple_task_grows_with_the_square_of_the_frequency() -> None:
    """The paper says L = Θ(ω); the slope of sin(ωz) varies by 4ω²/π and that of ReLU units by at most ||A|| ||B||."""
    for omega in (4.0, 16.0, 64.0):
        points = np.linspace(-1, 1, 4097)
        variation = float(np.abs(np.diff(np.sin(omega * points), n=2)).sum() * 2048)
        assert variation == pytest.approx(4 * omega**2 / math.pi, rel=0.3)
        lipschitz = one_layer_constants(simple_task(omega, units=4096).model).mlp_lipschitz
        assert variation <= lipschitz <= variation + 2 * omega + 1.01


def share_of_ones(p: int, k: int) -> Callable[[str], Shares]:
    def value(word: str) -> Shares:
        chosen = [symbol for place, symbol in enumerate(word, start=1) if place % p == k % p]
        return [chosen.count("1") / len(chosen)] if chosen else None

    return value


@pytest.mark.parametrize(("p", "k"), [(1, 0), (2, 0), (2, 1), (3, 2), (5, 0), (5, 3), (4, 9)])
def test_mod_p_task_is_exact(p: int, k: int) -> None:
    construction = mod_p_task(p, k)
    tried = [*words("01", 8), *random_words("01", [97, 300], seed=p)]
    assert worst_ratio(construction, share_of_ones(p, k), tried[1:]) == 0.0
    constants = one_layer_constants(construction.model)
    assert constants.attention_sensitivity == 1.0, "L = Θ(1), whatever the period"


# ----------------------------------------------------------------------------------------- induction heads


def following(context: int, symbols: str) -> Callable[[str], Shares]:
    """Shares of the symbols that came behind earlier occurrences of the last few."""

    def value(word: str) -> Shares:
        if len(word) < context:
            return None
        counts = Counter(
            word[place] for place in range(context, len(word)) if word[place - context : place] == word[-context:]
        )
        return [counts[symbol] / counts.total() for symbol in symbols] if counts else None

    return value


@pytest.mark.parametrize("regime", [Huang(1), Huang(8), IzzoFinite(1), IzzoFinite(30)], ids=str)
def test_the_induction_head_is_within_its_error(regime: Huang | IzzoFinite) -> None:
    construction = induction_head(Alphabet(tuple("abc")), regime)
    short = worst_ratio(construction, following(1, "abc"), words("abc", 6))
    long = worst_ratio(construction, following(1, "abc"), random_words("abc", [50, 100, 200, 400] * 2, seed=1))
    if regime == IzzoFinite(1):
        assert short == long == 0.0, "with one bit only the largest weights survive"
    else:
        assert 0.6 < short <= 1
        assert long <= 1


def test_the_error_of_the_induction_head_falls_like_one_over_the_length() -> None:
    construction = induction_head(Alphabet(tuple("abc")))
    for length in (50, 200, 800):
        word = "c" * (length - 3) + "aba"
        error = distance(answer(construction.model, word), [0.0, 1.0, 0.0])
        assert error <= construction.error_bound(word) <= 2 / length
        assert error >= 0.9 * construction.error_bound(word), "one match and a sea of others attain the bound"


def test_the_printed_strength_of_the_copy_lets_early_matches_outweigh_late_ones() -> None:
    """The paper's φ = 1: half of what follows a is b, early, and half is c, late; the answer tends to b alone."""
    alphabet = Alphabet(tuple("abc"))
    errors: dict[int, list[float]] = {1: [], 3: []}
    for copy, found in errors.items():
        for quarter in (16, 64, 256):
            word = "ab" * quarter + "ac" * quarter + "a"
            model = induction_head(alphabet, IzzoFinite(30), copy=copy).model
            found.append(distance(answer(model, word), [0.0, 0.5, 0.5]))
    assert errors[1][0] < errors[1][1] < errors[1][2]
    assert errors[1][2] > 0.5
    assert errors[3][2] < 1e-3


def test_without_the_start_symbol_the_first_position_would_match_itself() -> None:
    model = induction_head(Alphabet(tuple("ab"))).model
    bare = LimitTransformer(
        model.alphabet, model.embedding[:2], model.positions, model.layers, model.unembedding, model.outputs
    )
    assert answer(model, "ab" + "bb" * 20 + "a")[1] > 0.99
    assert answer(bare, "ab" + "bb" * 20 + "a")[0] == pytest.approx(0.5, abs=0.02), "the first a has no predecessor"


# ------------------------------------------------------------------------------------------------ k-grams


@pytest.mark.parametrize(
    ("context", "symbols", "beta", "phi"),
    [(1, "ab", 3.0, 8.0), (1, "abc", 6.0, 8.0), (2, "ab", 6.0, 6.0), (3, "ab", 8.0, 8.0)],
)
def test_the_k_gram_model_is_within_its_error(context: int, symbols: str, beta: float, phi: float) -> None:
    construction = k_gram(context, Alphabet(tuple(symbols)), beta, phi)
    tried = [*words(symbols, 8 if len(symbols) == 2 else 5), *random_words(symbols, [60, 150, 300] * 5, seed=context)]
    ratio = worst_ratio(construction, following(context, symbols), tried[1:])
    assert 0.1 < ratio <= 1


def test_the_k_gram_model_is_in_the_class_of_the_two_layer_theorem() -> None:
    model = k_gram(3, Alphabet(tuple("ab")), 5.0, 2.5).model
    assert positional_margin(model) == 1.5
    assert two_layer_constants(model).largest_activation == 4.0
    assert np.linalg.norm(model.layers[1].heads[0].key_query, 2) == pytest.approx(5.0)
    assert [np.linalg.norm(head.value, 2) for head in model.layers[0].heads] == [1.0] * 3


def test_without_a_block_of_its_own_the_answer_contains_the_last_symbol() -> None:
    """ERR-E6: the printed width (τ + 1) S leaves no room but that of the symbols themselves."""
    construction = k_gram(1, Alphabet(tuple("ab")), 20.0, 8.0)
    first, second = construction.model.layers
    width = 4
    copy = Head(np.zeros((width, width)), first.heads[0].value[:width, :width], first.heads[0].phi)
    in_place = np.zeros((width, width))
    in_place[:2, :2] = np.eye(2)
    match = Head(second.heads[0].key_query[:width, :width], in_place)
    printed = LimitTransformer(
        construction.model.alphabet,
        np.eye(2, width),
        np.zeros((1, width)),
        (Layer.attention_only([copy], width), Layer.attention_only([match], width)),
        np.eye(width)[:2],
        ("a", "b"),
        regime=construction.model.regime,
    )
    word = "b" + "ab" * 30
    wanted = following(1, "ab")(word)
    assert wanted == [1.0, 0.0]
    assert answer(printed, word) == pytest.approx([1.0, 1.0], abs=0.05), "the answer plus the last symbol, b"
    assert answer(construction.model, word) == pytest.approx([1.0, 0.0], abs=0.05)


@pytest.mark.parametrize(("context", "word"), [(1, "aba"), (2, "aabaa"), (3, "aaabaaa")])
def test_the_first_positions_may_match_without_cause(context: int, word: str) -> None:
    """ERR-E7: the first symbol is copied into every block, however sharp the model."""
    construction = k_gram(context, Alphabet(tuple("ab")), 40.0, 30.0)
    wanted = following(context, "ab")(word)
    assert wanted == [0.0, 1.0]
    error = distance(answer(construction.model, word), wanted)
    assert error >= 0.99, "as many spurious matches as true ones, or more"
    without_the_term = 2 * (len(word) - 1) * math.exp(-40) + 1e-6
    assert without_the_term < error <= construction.error_bound(word)


# ------------------------------------------------------------------------------------------------ refusals


@pytest.mark.parametrize(
    ("build", "reason"),
    [
        (lambda: simple_task(2.0, 3), "an even number of units"),
        (lambda: simple_task(2.0, bits=0), "at least 1 bit"),
        (lambda: mod_p_task(0, 0), "positive number of positions"),
        (lambda: k_gram(1, Alphabet(("a",)), 1.0, 1.0), "phi > 1"),
        (lambda: k_gram(1, Alphabet(("a",), is_open=True), 1.0, 2.0), "list them all"),
        (lambda: induction_head(Alphabet(("a",), is_open=True)), "list them all"),
        (lambda: induction_head(Alphabet(("a",)), Huang(0)), "at least 1"),
        (lambda: induction_head(Alphabet(("a",)), Huang(8, shift=True)), "not shifted"),
    ],
)
def test_what_no_construction_covers_is_refused(build: Callable[[], Construction], reason: str) -> None:
    with pytest.raises(LengthwiseError, match=reason):
        build()
