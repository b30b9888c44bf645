"""Stand-ins keep what the repaired theorem promises, on counts up to 10^9 and on words; the printed ones do not."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from lengthwise.alphabet import Alphabet
from lengthwise.bounds.theorems.count_evaluation import Counts
from lengthwise.bounds.theorems.pair import Pair
from lengthwise.bounds.theorems.shortening import shorten
from lengthwise.bounds.theorems.simulation import Simulation, simulate, stand_in
from lengthwise.errors import LengthwiseError, WordError
from lengthwise.limit import IzzoFinite, LimitTransformer
from lengthwise.limit.constructions import mod_p_task, simple_task
from lengthwise.limit.evaluation.evaluate import last_output
from tests.bounds.attention_instances import (
    Integers,
    averaging_model,
    random_one_head,
    random_prefix,
)

# ------------------------------------------------------------------------------------------- the inequality


def random_pair(rng: np.random.Generator, bits: int | None) -> Pair:
    symbols, window, tight = int(rng.integers(1, 4)), int(rng.integers(0, 3)), bool(rng.random() < 0.5)
    periods = rng.choice([1, 1, 2, 3], 2).tolist()
    f, g = (random_one_head(rng, symbols, period, window, tight=tight) for period in periods)
    return Pair.of(f, g, bits)


def check_models(seed: int, rounds: int) -> tuple[Counter[str], float]:
    """Random pairs of models on random counts of up to 10^9 symbols, with hardmax and at a finite precision."""
    rng = np.random.default_rng(seed)
    cases: Counter[str] = Counter()
    worst = 0.0
    for _ in range(rounds):
        pair = random_pair(rng, int(rng.integers(1, 9)))
        for _ in range(5):
            prefix = random_prefix(rng, pair.symbols, pair.period, int(10.0 ** rng.uniform(3, 9)))
            x = Counts(prefix, rng.integers(0, pair.symbols, pair.window + 1))
            resolution = max(8, 2 * pair.types) * int(rng.integers(1, 20))
            found = simulate(pair, x, resolution, int(rng.integers(8, 200)))
            cases[found.case] += 1
            assert found.measured_finite is not None
            for measured, finite, promised in zip(found.measured, found.measured_finite, found.promised, strict=True):
                assert measured <= promised + 1e-9
                assert finite <= promised + 1e-9
            worst = max(worst, *found.used)
    return cases, worst


def test_outputs_on_a_stand_in_are_as_close_as_promised_for_random_models() -> None:
    cases, worst = check_models(seed=3, rounds=40)
    assert min(cases[case] for case in ("short", "copy", "B1", "B2")) > 5
    assert worst > 0.03


@pytest.mark.slow
def test_outputs_on_a_stand_in_are_as_close_as_promised_for_many_random_models() -> None:
    cases, worst = check_models(seed=4, rounds=600)
    assert min(cases[case] for case in ("short", "copy", "A-i", "A-ii", "B1", "B2")) > 5
    assert worst > 0.05


def check_words(seed: int, rounds: int) -> tuple[int, Counter[str]]:
    """Words that are written out, evaluated at finite precision by the limit package itself."""
    rng = np.random.default_rng(seed)
    cases: Counter[str] = Counter()
    compared = 0
    for _ in range(rounds):
        bits = int(rng.integers(1, 4))
        pair = random_pair(rng, bits)
        shares = rng.dirichlet(np.full(pair.symbols, 10.0 ** rng.uniform(-1.5, 0.5)))
        word = rng.choice(pair.symbols, int(10.0 ** rng.uniform(2, 4)), p=shares)
        x = Counts.from_tokens(word, pair.symbols, pair.period, pair.window)
        resolution = max(8, 2 * pair.types) * int(rng.integers(1, 4))
        found = simulate(pair, x, resolution, int(rng.integers(4, 40)))
        cases[found.case] += 1
        short = found.counts.to_tokens()
        assert short[-pair.window - 1 :].tolist() == word[-pair.window - 1 :].tolist()
        assert (len(word) - len(short)) % pair.period == 0
        assert types_of(short, pair.period) <= types_of(word, pair.period)
        for model, promised, measured in zip(
            (pair.first, pair.second), found.promised, found.measured_finite or (), strict=True
        ):
            at_precision = model.with_regime(IzzoFinite(bits))
            difference = float(np.linalg.norm(last_output(at_precision, word) - last_output(at_precision, short)))
            assert difference <= promised + 1e-9
            assert difference == pytest.approx(measured, abs=1e-9)
            compared += found.case != "short"
    return compared, cases


def types_of(word: Integers, period: int) -> set[tuple[int, int]]:
    return {(int(symbol), place % period) for place, symbol in enumerate(word.tolist(), start=1)}


def test_outputs_at_finite_precision_on_a_laid_out_stand_in_are_as_close_as_promised() -> None:
    compared, cases = check_words(seed=5, rounds=100)
    assert compared > 50
    assert len(cases) >= 4


@pytest.mark.slow
def test_outputs_at_finite_precision_on_many_laid_out_stand_ins_are_as_close_as_promised() -> None:
    compared, cases = check_words(seed=6, rounds=800)
    assert compared > 500
    assert len(cases) == 6


# --------------------------------------------------------------------------------------------- what users get


def test_the_stand_in_of_a_written_word_is_a_word() -> None:
    found = stand_in(simple_task(2.0).model, simple_task(2.0).model, "012" * 2000, resolution=20, ratio=10)
    assert found.case == "B1"
    assert found.word is not None
    assert len(found.word) == found.length == 201 < found.source.length
    assert found.word[-1] == "2"
    assert set(found.word) <= set("012")
    assert max(found.used) < 0.01
    assert found.as_json()["word"] == found.word
    assert found.as_json()["source_length"] == 6000


def test_symbols_of_several_characters_are_set_apart() -> None:
    model = replace(averaging_model("ab", {}, "a"), alphabet=Alphabet(("left", "right")))
    found = stand_in(model, model, "left right right", resolution=8, ratio=4)
    assert found.word == "left right right"


def test_a_thousand_million_symbols_are_no_harder_than_a_thousand() -> None:
    f, g = mod_p_task(4, 1).model, mod_p_task(6, 5).model
    pair = Pair.of(f, g)
    x = Counts.from_repeated(np.array([0, 1, 1, 0, 1]), 2 * 10**8, 2, pair.period, pair.window)
    assert x.length == 10**9
    found = stand_in(f, g, x, epsilon=0.05)
    assert found.case == "B1"
    assert sum(found.promised) <= 0.05
    assert max(found.measured) <= max(found.promised)
    assert found.word is None, "too long to be read"
    assert found.length < 10**8
    close = stand_in(f, g, x, epsilon=1e-4)
    assert (close.case, close.measured) == ("short", (0.0, 0.0))


def test_one_model_may_stand_on_both_sides() -> None:
    model = simple_task(3.0).model
    found = stand_in(model, model, Counts(np.array([[10**6], [10**6], [10**8]]), np.array([2])), epsilon=1.0)
    assert found.measured[0] == found.measured[1]
    assert isinstance(found, Simulation)


def test_questions_without_an_answer_are_refused() -> None:
    model = averaging_model("ab", {}, "a", period=2, phi=(0.0, 1.0))
    with pytest.raises(LengthwiseError, match="give epsilon, or both resolution and ratio"):
        stand_in(model, model, "ab", resolution=10)
    with pytest.raises(LengthwiseError, match=r"at least max\(8, 2 \|Σ\| Δ\) = 8, got 7"):
        stand_in(model, model, "ab", resolution=7, ratio=4)
    with pytest.raises(LengthwiseError, match="dominance ratio is at least 4, got 3"):
        stand_in(model, model, "ab", resolution=8, ratio=3)
    with pytest.raises(LengthwiseError, match="2 symbols at 2 residues and the last 2 symbols; got"):
        stand_in(model, model, Counts(np.array([[3], [4]]), np.array([0])), resolution=8, ratio=4)
    with pytest.raises(WordError, match="'c' at position 3 is not in the alphabet"):
        stand_in(model, model, "abc", resolution=8, ratio=4)
    with pytest.raises(LengthwiseError, match="positive number; got -1"):
        stand_in(model, model, "ab", epsilon=-1)


# --------------------------------------------------------------------------- what was printed, and where it fails


def share(model: LimitTransformer, word: str) -> float:
    return float(last_output(model, model.tokens(word))[0])


def test_the_last_symbols_that_matter_are_one_more_than_the_window() -> None:
    """ERR-0a: φ[1] is not 0, yet position T - 1 counts as prefix in Definition A.1, where only its type is kept."""
    model = averaging_model("ab", {}, "a", phi=(2.0, 2.0), regime=IzzoFinite(4))
    assert model.window == 1
    x, z = "bbbbab", "abbbbb"
    printed = [Counter(word[: len(word) - model.window]) for word in (x, z)]
    assert printed[0] == printed[1], "equal n(s, i, ·) as printed"
    assert x[-model.window :] == z[-model.window :], "and equal last τ symbols"
    assert (share(model, x), share(model, z)) == (0.5, 0.0), "yet different outputs"
    # Formula (2) as printed averages over all keys of the type (a, ·), however far they are.
    far = "a" * 9 + "bbbab"
    formula = 10 / (10 + 1)
    assert share(model, far) == 0.5 != formula
    ours = [Counts.from_tokens(model.tokens(word), 2, 1, model.window) for word in (x, z)]
    assert ours[0].suffix.tolist() != ours[1].suffix.tolist()
    found = stand_in(model, model, far * 100, resolution=8, ratio=4)
    assert found.length < len(far) * 100
    assert found.measured_finite == (0.0, 0.0)


def test_a_stand_in_by_the_printed_margin_is_not_in_the_hardmax_regime() -> None:
    """ERR-B1 on the map: with γ = ∞ as printed, one symbol stands in for a word on which all keys have weight."""
    model = averaging_model("ab", {}, "a", phi=(0.125,), regime=IzzoFinite(10))
    word = "a" * 99 + "b"
    x = Counts.from_tokens(model.tokens(word), 2)
    nothing = np.zeros((2, 1), dtype=bool)
    printed, case = shorten(x, nothing, nothing, 8, 4, hardmax_length=1)
    assert (case, printed.length) == ("copy", 1)
    assert share(model, word) > 0.98
    assert share(model, "b") == 0.0
    assert stand_in(model, model, word, resolution=8, ratio=4).case == "short", "ours leaves such words alone"


def test_padding_that_nobody_attends_to_need_not_exist() -> None:
    """ERR-C1: f attends to all even positions and g to all odd ones, so whatever is put between is attended."""
    f = averaging_model("ab", {("", 0): 4.0}, "a", period=2)
    g = averaging_model("ab", {("", 1): 4.0}, "a", period=2)
    word = "aabaabbb" * 2500 + "aa"  # at even positions and at odd ones half of the symbols are a
    # As printed: f and g share no key, so there are 1/ε keys for f and 1/ε² for g, each at its residue. But among 100
    # odd positions there are 100 even ones, and f attends to all that is put there.
    few, many = 10, 100
    for padding in "ab":
        even = ["a", "b"] * (few // 2) + [padding] * (many - few)
        printed = "".join(first + second for first, second in zip("ab" * (many // 2), even, strict=True)) + "aa"
        assert abs(share(g, word) - share(g, printed)) < 0.01
        assert abs(share(f, word) - share(f, printed)) > 0.4
    found = stand_in(f, g, word, resolution=100, ratio=40, bits=4)
    assert (found.case, found.length) == ("B1", 2 * 100 * 40 + 2)
    assert max(found.measured) < 0.01 < min(found.promised)


def test_a_stand_in_shorter_than_the_hardmax_length_attends_to_what_it_should_not() -> None:
    """ERR-C2: at 5 bits and margin 1 a key is forgotten from length 32 on; the printed stand-in has 4 symbols."""
    model = averaging_model("abc", {("a", -1): 1.0, ("b", -1): 1.0}, "a", regime=IzzoFinite(5))
    word = "c" * 2000 + "ab" + "c" * 2000 + "c"
    printed = "abcc"
    assert share(model, word) == 0.5
    assert share(model, printed) == pytest.approx(4 / (4 + 4 + 1 + 1)), "two keys of weight 4, two of weight 1"
    found = stand_in(model, model, word, resolution=8, ratio=4)
    assert (found.case, found.length, found.word) == ("copy", 32, "ab" + "c" * 30)
    assert share(model, "ab" + "c" * 30) == 0.5
    assert share(model, "ab" + "c" * 29) != 0.5, "one symbol less is too short"


def test_a_new_symbol_is_no_padding_even_if_nobody_attends_to_it_in_the_word() -> None:
    """c occurs nowhere in the word and so is attended by nobody there; one c captures all attention."""
    model = averaging_model("abc", {("c", -1): 3.0, ("a", -1): 1.0}, "a")
    assert share(model, "ab" * 10) == 1.0
    assert share(model, "abc" + "ab" * 10) == 0.0
    found = stand_in(model, model, "ab" * 1000, resolution=8, ratio=4)
    assert found.word is not None
    assert "c" not in found.word
