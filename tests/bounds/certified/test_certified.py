"""The certified length, against brute force over words, and what it promises."""

import itertools
import json
import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from lengthwise import crasp, limit, resources
from lengthwise.bounds.bound import Bound
from lengthwise.bounds.certified.length import LISTING, certified, own_sensitivity
from lengthwise.bounds.certified.situation_list import enumerate_situations
from lengthwise.bounds.certified.table import as_json, as_markdown, exponent, table
from lengthwise.bounds.theorems.count_evaluation import Counts, evaluate_counts
from lengthwise.bounds.theorems.sweeps import sweep
from lengthwise.bounds.theorems.worst_case import worst_case
from lengthwise.errors import LengthwiseError
from lengthwise.limit import Hardmax, Huang, IzzoFinite, LimitTransformer
from lengthwise.limit.constructions import induction_head, mod_p_task, simple_task
from lengthwise.resources import TimeLimitError, time_limit
from tests.bounds import stand_in_oracle as oracle
from tests.test_resources import Clock, clock

MOST_WORDS = 4_000
"""As many words are looked at one by one, at most."""

__all__ = ["clock"]


def compare_with_brute_force(
    models: list[LimitTransformer], epsilon: float, sensitivity: float | None, longest: int, seconds: float = 600.0
) -> tuple[bool, bool]:
    """Whether the length is exact, and whether it was confirmed that the worst word needs it."""
    f, g = models[0], models[1] if len(models) > 1 else None
    found = certified(f, epsilon, g, sensitivity=sensitivity, seconds=seconds)
    assert found.at_least <= found.length
    assert found.exact == (found.at_least == found.length)
    needs = oracle.needed(models, epsilon, longest, sensitivity)
    assert max(needs.values()) <= found.length
    symbols, window = f.alphabet.id_count, max(model.window for model in models)
    if symbols ** max(0, found.at_least - window - 2) > MOST_WORDS or found.worst_input.length > 3_000:
        return found.exact, False
    worst = tuple(found.worst_input.counts.to_tokens().tolist())
    assert not oracle.has_stand_in_below(models, worst, found.at_least, epsilon, sensitivity)
    if found.exact:
        assert found.stand_in is not None
        own, other = (
            oracle.view(models, tuple(each.counts.to_tokens().tolist())) for each in (found.worst_input, found.stand_in)
        )
        assert own.situation == other.situation
        assert oracle.within(own, other, epsilon, sensitivity)
        assert found.stand_in.length <= found.length
    return found.exact, True


def random_pair(seed: int, *, symbols: int = 2, period: int = 1) -> tuple[LimitTransformer, LimitTransformer]:
    rng = np.random.default_rng(seed)
    first, second = (oracle.random_model(rng, symbols=symbols, period=period, window=seed % 3) for _ in range(2))
    return first, oracle.attending_as(second, first) if seed % 2 else second


@pytest.mark.parametrize(
    ("symbols", "period", "sensitivity"),
    [
        (2, 1, None),
        (2, 1, 1.0),
        (2, 2, None),
        (3, 1, None),
        pytest.param(2, 2, 1.0, marks=pytest.mark.slow),
        pytest.param(3, 1, 1.0, marks=pytest.mark.slow),
    ],
)
def test_one_model_needs_what_brute_force_says(symbols: int, period: int, sensitivity: float | None) -> None:
    results = []
    for seed in range(4):
        model, _ = random_pair(seed, symbols=symbols, period=period)
        epsilon = max(own_sensitivity(model), sensitivity or 0.0, 0.1) / 2.7
        results.append(compare_with_brute_force([model], epsilon, sensitivity, longest=5))
    assert all(exact for exact, _ in results)
    assert sum(confirmed for _, confirmed in results) > 1


@pytest.mark.parametrize("symbols", [2, pytest.param(3, marks=pytest.mark.slow)])
def test_two_models_need_what_brute_force_says(symbols: int) -> None:
    results = []
    for seed in range(8):
        models = list(random_pair(seed, symbols=symbols))
        epsilon = max(0.1, *(own_sensitivity(model) for model in models)) / 2.3
        results.append(compare_with_brute_force(models, epsilon, None, longest=4))
    assert sum(exact for exact, _ in results) > 4
    assert sum(confirmed for _, confirmed in results) > 3


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(5))
def test_random_models_with_windows_and_periods_need_what_brute_force_says(seed: int) -> None:
    exact = 0
    for number in range(5):
        rng = np.random.default_rng([seed, number])
        symbols, period, window = (int(rng.integers(low, high)) for low, high in ((2, 4), (1, 4), (0, 3)))
        heads, outputs = (1, 2) if number % 2 else (2, 1)
        model = oracle.random_model(rng, symbols=symbols, period=period, window=window, heads=heads, outputs=outputs)
        sensitivity = 1.0 if number == 1 else None
        epsilon = max(own_sensitivity(model), 0.1) * float(rng.uniform(0.1, 0.5))
        longest = 8 if symbols == 2 else 6
        exact += compare_with_brute_force([model], epsilon, sensitivity, longest, seconds=3)[0]
    assert exact > 0


# --------------------------------------------------------------------------------------------- the papers' tasks


def words_of_simple_task(most: int) -> list[tuple[int, int, int]]:
    """Zeros, ones and the last symbol; twos before it change nothing but the length."""
    return [
        (zeros, ones, last)
        for zeros, ones, last in itertools.product(range(most + 1), range(most + 1), range(3))
        if 0 < zeros + ones <= most and (last == 2 or (zeros, ones)[last])
    ]


@pytest.mark.parametrize(("omega", "epsilon", "length"), [(3.0, 0.1, 15), (2.0, 0.1, 12), (4.0, 0.1, 9)])
def test_simple_task_needs_what_all_counts_up_to_a_length_need(omega: float, epsilon: float, length: int) -> None:
    """Straight from the definition of the task, whatever is attended: same last symbol, outputs within ε."""
    knots = np.linspace(-1, 1, 65)
    found = certified(simple_task(omega).model, epsilon)
    assert (found.length, found.exact) == (length, True)
    for last in range(3):
        words = [word for word in words_of_simple_task(100) if word[2] == last]
        values = np.interp([(zeros - ones) / (zeros + ones) for zeros, ones, _ in words], knots, np.sin(omega * knots))
        lengths = np.array([zeros + ones + (last == 2) for zeros, ones, _ in words])
        gaps = np.abs(values[:, None] - values[None, lengths <= length]).min(axis=1)
        assert gaps.max() <= epsilon
        too_far = np.abs(values[:, None] - values[None, lengths < length]).min(axis=1) > epsilon
        if last == found.worst_input.counts.suffix[0]:
            assert too_far.any()


@pytest.mark.parametrize("period", [2, 3, 5])
@pytest.mark.parametrize("steps", [4, 10])
def test_mod_p_task_needs_one_period_for_each_step_of_the_share(period: int, steps: int) -> None:
    """The last symbol counts if the length is a multiple of the period: then a share of 1s can be 1/n, but not 0."""
    found = certified(mod_p_task(period, 0).model, 1 / steps)
    assert (found.length, found.exact) == (period * steps, True)
    assert found.stand_in is not None
    assert found.stand_in.length == period * steps


def test_the_length_for_all_models_as_steep_grows_linearly_in_omega_and_in_the_period() -> None:
    rows = table(epsilons=(0.1,), omegas=(2.0, 3.0, 4.0, 5.5), periods=(3, 5, 8))
    assert all(row.exact for row in rows)
    assert exponent(rows, "SimpleTask", 0.1, "every") == pytest.approx(1.0, abs=0.02)
    assert exponent(rows, "ModPTask", 0.1, "every") == pytest.approx(1.0, abs=0.02)
    assert exponent(rows, "ModPTask", 0.1, "printed") == pytest.approx(7.0, abs=0.02)
    assert all(row.alone <= row.every < row.repaired / 1_000 < 10**row.printed for row in rows)
    assert as_json(rows)["rows"][0]["certified"] == 12
    assert "| 3 | 15 | 60 | 1.7·10^7 | 4.1·10^8 |" in as_markdown(rows)


# ------------------------------------------------------------------------------------------------------- the laws


def test_a_smaller_error_needs_longer_words() -> None:
    for model in (simple_task(2.5).model, mod_p_task(3, 1).model, random_pair(4)[0]):
        lengths = [certified(model, epsilon).length for epsilon in (1.0, 0.5, 0.2, 0.1)]
        assert lengths == sorted(lengths)


def test_a_model_together_with_itself_needs_what_it_needs_alone() -> None:
    for seed in (0, 2, 3, 5):
        model, _ = random_pair(seed)
        assert certified(model, 0.3, model).length == certified(model, 0.3).length


def test_two_models_need_at_least_what_each_needs() -> None:
    first, second = simple_task(1.0).model, simple_task(2.5).model
    alone = [certified(model, 0.2).length for model in (first, second)]
    assert certified(first, 0.2, second).length >= max(alone)


def test_a_class_of_models_needs_at_least_what_one_of_them_needs() -> None:
    for model in (simple_task(2.0).model, mod_p_task(3, 0).model, random_pair(3)[0]):
        alone, every = certified(model, 0.2), certified(model, 0.2, sensitivity="own")
        assert every.length >= alone.length
        assert every.sensitivity == own_sensitivity(model)


def test_without_time_there_is_an_upper_bound_and_it_is_not_called_exact(clock: Clock) -> None:
    model = oracle.random_model(np.random.default_rng(5), symbols=3, period=1, window=0, outputs=2)
    with time_limit(10**9).in_force():
        enumerate_situations([model])
    listed = clock.now
    exact, rushed = certified(model, 0.2, seconds=10**9), certified(model, 0.2, seconds=listed / LISTING + 4)
    assert exact.exact
    assert not rushed.exact
    assert rushed.at_least <= exact.length <= rushed.length
    short = certified(simple_task(3.0).model, 0.01, longest=50, seconds=None)
    assert not short.exact
    assert short.at_least <= 152 <= short.length


@pytest.mark.parametrize("seconds", [50, 100, 300])
def test_before_all_situations_are_listed_the_formula_is_the_bound_and_the_time_is_kept(
    clock: Clock, seconds: int
) -> None:
    model = mod_p_task(60, 0).model.with_regime(Hardmax())
    found: Any = clock.counting(lambda: certified(model, 0.1, seconds=seconds))
    assert clock.now < seconds + 5
    # Twice the error for the two models together is the error for each.
    assert found.length == worst_case(model, model, 0.2).value
    assert not found.exact
    assert found.at_least <= 60
    assert "missing are the situations, for whose list there was no time" in str(found)
    assert clock.most_lines < 20_000


def test_the_formula_of_a_rushed_call_is_above_the_exact_length_of_two_models(clock: Clock) -> None:
    models = [oracle.random_model(np.random.default_rng(seed), symbols=2, period=2, window=0) for seed in (1, 2)]
    exact, rushed = (certified(models[0], 0.5, models[1], seconds=seconds) for seconds in (10**9, 4))
    assert exact.exact
    assert rushed.bound.terms["situations"] == 0
    assert rushed.at_least <= exact.length <= rushed.length


def test_a_drawing_leaves_out_what_there_is_no_time_for(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[float] = []
    monkeypatch.setattr(resources, "clock", lambda: float(len(drawn)))
    with time_limit(1.5).in_force():
        for point in sweep("simple-task", "epsilon", [0.5, 0.4, 0.3]):
            drawn.append(point.value)
    assert drawn == [0.5, 0.4]


def test_without_time_there_is_no_formula_for_a_sensitivity(clock: Clock) -> None:
    with pytest.raises(TimeLimitError, match="time limit of 4 seconds"):
        certified(mod_p_task(60, 0).model.with_regime(Hardmax()), 0.1, sensitivity=1.0, seconds=4)


@pytest.mark.parametrize("epsilon", [1e-30, 1e-300])
def test_an_error_too_small_for_a_search_gives_the_formula_as_an_upper_bound(epsilon: float) -> None:
    found = certified(simple_task(3.0).model, epsilon, longest=30, seconds=None)
    assert not found.exact
    assert found.length > 1 / epsilon


# -------------------------------------------------------------------------------------------- what it promises


def plus_tent(f: LimitTransformer, share: float, radius: float, slope: float) -> LimitTransformer:
    """SimpleTask with a tent added over one share of zeros, as high as its slope and its radius make it."""
    layer, at = f.layers[0], 2 * share - 1  # the MLP reads the quotient, which changes twice as fast as the share
    hidden, output = np.zeros((3, f.width)), np.zeros((f.width, 3))
    hidden[:, 3], output[4] = 1.0, np.array([1.0, -2.0, 1.0]) * slope / 2
    wider = replace(
        layer,
        hidden=np.concatenate([layer.hidden, hidden]),
        bias=np.concatenate([layer.bias, -at + np.array([2.0, 0.0, -2.0]) * radius]),
        output=np.concatenate([layer.output, output], axis=1),
        heaviside=np.zeros(len(layer.bias) + 3, dtype=bool),
    )
    return replace(f, layers=(wider,))


def word_of(zeros: int, ones: int, last: int) -> Counts:
    prefix = np.array([[zeros], [ones], [0]])
    prefix[last] -= last < 2
    return Counts(prefix, np.array([last]))


def short_words(length: int) -> list[tuple[int, int, int]]:
    return [word for word in words_of_simple_task(length) if sum(word[:2]) + (word[2] == 2) <= length]


def gap(f: LimitTransformer, g: LimitTransformer, words: list[Counts]) -> float:
    return max(float(np.abs(evaluate_counts(f, word) - evaluate_counts(g, word)).max()) for word in words)


def test_models_of_the_class_that_agree_on_short_words_agree_on_all_words_up_to_twice_epsilon() -> None:
    rng = np.random.default_rng(0)
    f, epsilon = simple_task(2.0).model, 0.8
    steep = 2 * own_sensitivity(f)
    length = certified(f, epsilon, sensitivity=steep).length
    short = [word_of(*word) for word in short_words(length)]
    excess = []
    for _ in range(12):
        # Over a share that short words do not have, the tent is hardly seen in training.
        share, radius = rng.uniform(0, 1), 10 ** rng.uniform(-2, 0)
        g = plus_tent(f, share, radius, slope=steep / 2)
        assert own_sensitivity(g) <= steep * (1 + 1e-9)
        keys = 10**6
        zeros = [round(keys * min(max(share + move, 1e-6), 1 - 1e-6)) for move in (0.0, *rng.normal(size=5) * radius)]
        long = [word_of(some, keys - some, int(rng.integers(3))) for some in zeros]
        excess.append(gap(f, g, long) - gap(f, g, short))
    assert 0.05 < max(excess) <= 2 * epsilon


def test_with_one_symbol_less_a_model_can_agree_on_all_short_words_and_be_off_by_more_than_epsilon() -> None:
    f, epsilon = simple_task(2.0).model, 0.2
    steep = own_sensitivity(f)
    found = certified(f, epsilon, sensitivity=steep)
    share, last = found.worst_input.shares[0]["0"], int(found.worst_input.counts.suffix[0])
    short = [word for word in short_words(found.length - 1) if word[2] == last]
    radius = min(abs(zeros / (zeros + ones) - share) for zeros, ones, _ in short)
    g = plus_tent(f, share, radius, slope=steep)
    assert own_sensitivity(g) <= 2 * steep * (1 + 1e-9)
    assert gap(f, g, [word_of(*word) for word in short]) < 1e-9
    assert gap(f, g, [found.worst_input.counts]) > epsilon


# ---------------------------------------------------------------------------------------------- finite precision


def test_stand_ins_are_taken_where_attention_is_a_hardmax() -> None:
    model = simple_task(2.0, bits=8).model
    exact = certified(model, 0.3)
    assert exact.exact
    assert certified(model, 0.3, bits=8).length == exact.length
    # With 40 bits and a margin of 8, attention is a hardmax from length 2^5 on.
    careful = certified(model, 0.3, bits=40)
    assert not careful.exact
    assert careful.length == max(exact.length, 32)
    assert careful.stand_in is None or careful.stand_in.length >= 32
    finite = model.with_regime(IzzoFinite(40))
    assert certified(finite, 0.3).length == careful.length


def test_without_fillers_stand_ins_are_as_long_as_a_hardmax_takes_them_to_be() -> None:
    uniform = oracle.with_head(mod_p_task(2, 0).model, phi=np.array([-0.5]))
    careful = certified(uniform.with_regime(IzzoFinite(3)), 0.2)
    assert careful.length >= 2**6 - 1
    assert not careful.exact


# ------------------------------------------------------------------------------------------------------ the rest


def test_the_result_is_plain_data_and_a_bound() -> None:
    found = certified(simple_task(3.0).model, 0.1)
    assert isinstance(found.bound, Bound)
    assert found.bound.value == found.length == 15
    data = json.loads(json.dumps(found.as_json()))
    assert {"length", "exact", "worst_input", "stand_in"} <= data.keys()
    assert data["stand_in"]["word"] == "000000111111110"
    assert data["worst_input"]["counts"] == {"0": 11, "1": 13}
    assert data["worst_input"]["shares"] == [{"0": 0.48, "1": 0.52}]
    assert data["situation"] == "words that end in 0 and attend to 0, 1"
    assert "within ε_train + 2ε" in data["bound"]["assumptions"][0]
    assert found.shown == "15"


def test_a_constant_model_needs_the_words_that_have_no_stand_in_but_themselves() -> None:
    model = oracle.with_head(mod_p_task(4, 1).model, value=np.zeros((7, 7)), phi=np.array([0.0, 0.0, 1.0]))
    found = certified(model.with_regime(Hardmax()), 0.1)
    assert found.exact
    assert found.length == found.worst_input.length
    assert math.isclose(found.distance or 0.0, 0.0)


@pytest.mark.parametrize(
    ("model", "changes", "message"),
    [
        (simple_task(2.0).model, {"epsilon": 0.0}, "epsilon is the error that is accepted"),
        (simple_task(2.0).model, {"epsilon": -1.0}, "a positive number; got -1.0"),
        (simple_task(2.0).model, {"epsilon": math.nan}, "a positive number; got nan"),
        (induction_head("ab").model, {}, "a model with one layer, and f has 2"),
        (limit.from_crasp(crasp.load("majority")), {}, "f has Heaviside units, as compiled programs do"),
        (replace(simple_task(2.0).model, has_start=True, embedding=np.eye(4, 5)), {}, "without a start symbol, and f"),
        (simple_task(2.0).model, {"g": mod_p_task(2, 0).model}, "one word has to stand in for both"),
        (simple_task(2.0).model.with_regime(Huang(8)), {}, "say for how many bits: .* and the regime is huang"),
        (simple_task(2.0).model, {"sensitivity": -1.0}, "a sensitivity is a finite number >= 0, got -1.0"),
        (
            simple_task(2.0).model,
            {"sensitivity": 1.0, "g": simple_task(2.0).model},
            "a second model or a sensitivity, which stands for all second models, but not both",
        ),
    ],
)
def test_what_has_no_certified_length_is_refused_with_the_reason(
    model: LimitTransformer, changes: dict[str, object], message: str
) -> None:
    arguments: dict[str, object] = {"epsilon": 0.1, **changes}
    with pytest.raises(LengthwiseError, match=message):
        certified(model, **arguments)  # type: ignore[arg-type]
