"""Compiled programs: the same value of every operation at every position, in models of the promised size and shape."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from itertools import product

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from lengthwise.crasp import Program, library, load, parse
from lengthwise.errors import NotAnAcceptorError
from lengthwise.limit.compiling.from_crasp import Compilation, compile_program, from_crasp, values
from lengthwise.limit.compiling.linear_forms import INVERSE
from lengthwise.limit.evaluation import naive
from lengthwise.limit.evaluation.evaluate import residual_streams
from lengthwise.limit.evaluation.regimes import Hardmax, Huang, IzzoFinite, IzzoInfinite, Regime
from lengthwise.limit.model import Head, Layer, LimitTransformer, ModelError
from tests.crasp import naive as definition
from tests.programs import programs, words

NAMES = library.names()
LONGEST = {2: 8, 3: 5, 4: 4, 5: 3, 7: 3}
"""To which length all words are tried, by the size of the alphabet."""
LONGEST_PERIOD = 5000
"""Positional encodings of random programs; moduli multiply up, and each row of the table is as wide as the model."""

compiled = cache(lambda name: compile_program(load(name)))


def random_words(program: Program, lengths: Sequence[int], seed: int = 0) -> list[npt.NDArray[np.int64]]:
    generator = np.random.default_rng(seed)
    return [generator.integers(0, program.alphabet.id_count, size=length) for length in lengths]


def wrong_values(compilation: Compilation, ids: npt.NDArray[np.int64], tolerance: float = 0.0) -> list[int]:
    """The operations whose value, read off the model, is not what the program's evaluator says."""
    program, found = compilation.program, values(compilation, ids)
    truth = program.evaluator.everywhere(tuple(found), ids)
    is_count = [program.listing.operations[index].is_count for index in found]
    return [
        index
        for index, true, counted in zip(found, truth, is_count, strict=True)
        if not (np.abs(found[index] - true) <= (1e-6 if counted else tolerance)).all()
    ]


# -------------------------------------------------------------------------------------- values and verdicts


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_on_every_short_word_a_compiled_library_program_has_every_value_of_its_source(name: str) -> None:
    compilation = compiled(name)
    program, symbols = compilation.program, compilation.program.alphabet.id_count
    for length in range(1, LONGEST[symbols] + 1):
        every = np.array(list(product(range(symbols), repeat=length)))
        assert [ids.tolist() for ids in every if wrong_values(compilation, ids)] == []
        if program.listing.accept is not None:
            assert (compilation.model.accepts_batch(every) == program.accepts_batch(every)).all()


@pytest.mark.parametrize("name", NAMES)
def test_on_long_words_a_compiled_library_program_has_every_value_of_its_source(name: str) -> None:
    compilation = compiled(name)
    for ids in random_words(compilation.program, [1, 17, 300, 2000]):
        assert wrong_values(compilation, ids) == []


@pytest.mark.parametrize("name", NAMES)
def test_the_definition_of_attention_gives_the_same_values_as_the_fast_evaluation(name: str) -> None:
    compilation = compiled(name)
    for ids in random_words(compilation.program, [3, 90]):
        tokens = compilation.model.tokens(ids)
        slow, fast = (
            naive.residual_streams(compilation.model, tokens)[-1],
            residual_streams(compilation.model, tokens)[-1],
        )
        rows = np.array([form.row(compilation.model.width) for form in compilation.forms.values()])
        assert np.abs(slow @ rows.T - fast @ rows.T).max() < 1e-12


@pytest.mark.slow
@given(st.data())
@settings(max_examples=150, deadline=None)
def test_any_compiled_program_agrees_with_its_definition_at_every_position(data: st.DataObject) -> None:
    program = data.draw(programs())
    assume((program.listing.accept is not None or program.predicts) and program.period <= LONGEST_PERIOD)
    compilation, word = compile_program(program), data.draw(words(program))
    truth = definition.values(program.statements, word)
    found = values(compilation, word)
    for place, column in zip(program.listing.statements, truth, strict=True):
        if word and place in found:
            tolerance = 1e-6 if program.listing.operations[place].is_count else 0.0
            assert np.abs(found[place] - column).max() <= tolerance
    if program.listing.accept is not None:
        assert compilation.model.accepts(word) == program.accepts(word)
    if word and program.predicts:
        assert predicted(compilation.model, word) == program.next_tokens(word)


@pytest.mark.slow
@given(st.data())
@settings(max_examples=75, deadline=None)
def test_any_program_agrees_with_its_relu_only_model_up_to_the_promised_length(data: st.DataObject) -> None:
    program = data.draw(programs())
    assume((program.listing.accept is not None or program.predicts) and program.period <= LONGEST_PERIOD)
    compilation, word = compile_program(program, relu_only_up_to=24), data.draw(words(program, longest=24))
    assert not compilation.model.uses_heaviside
    assert compilation.model.certified_length == 24
    if word:
        assert wrong_values(compilation, program.alphabet.encode(word).astype(np.int64), tolerance=1e-9) == []
    if program.listing.accept is not None:
        assert compilation.model.accepts(word) == program.accepts(word)


@pytest.mark.parametrize("name", NAMES)
def test_the_empty_word_gets_the_verdict_and_predictions_of_the_program(name: str) -> None:
    program, model = load(name), compiled(name).model
    last = dict(zip(model.outputs, model.last("").tolist(), strict=True))
    if program.listing.accept is not None:
        assert (last["accept"] > 0) == program.accepts("")
    if program.predicts:
        assert {symbol for symbol in program.predicts if last[symbol] > 0} == program.first_tokens()


def predicted(model: LimitTransformer, word: Sequence[str] | npt.NDArray[np.int64]) -> list[set[str]]:
    return [
        {name for name, value in zip(model.outputs, row, strict=True) if value > 0 and name != "accept"}
        for row in model(word)
    ]


@pytest.mark.parametrize("name", [name for name in NAMES if load(name).predicts])
def test_a_compiled_predictor_predicts_what_its_source_does_at_every_position(name: str) -> None:
    program, model = load(name), compiled(name).model
    assert set(model.outputs) - {"accept"} == set(program.predicts)
    for ids in random_words(program, [8, 8, 8, 500]):
        assert predicted(model, ids) == program.next_tokens(ids)


def test_symbols_that_an_open_program_does_not_mention_match_no_literal() -> None:
    model = from_crasp(parse('only = # !("a" || "b") == 0'))
    assert [model.accepts(word) for word in ("ab", "", "abz", "zzz")] == [True, True, False, False]


@pytest.mark.parametrize("regime", [Huang(0), Huang(20), IzzoFinite(8), IzzoFinite(1), Hardmax()], ids=str)
def test_local_counts_are_right_in_every_regime_that_scales_logits_by_the_length(regime: Regime) -> None:
    program = parse('Y = #[i-j in {0, 2, 5}] "a" > #[j == i-1] !"a"')
    compilation = compile_program(program)
    model = compilation.model.with_regime(regime)
    for length in (1, 2, 3, 7, 400):
        for ids in random_words(program, [length] * 4, seed=length):
            found = np.asarray(model(ids)[:, 0] > 0)
            assert found.tolist() == program.accepts_prefixes(ids).tolist()


def test_a_program_without_local_counts_needs_no_scaling_of_logits() -> None:
    program, model = load("dyck1"), compiled("dyck1").model.with_regime(IzzoInfinite())
    for ids in random_words(program, [200]):
        assert np.asarray(model(ids)[:, 0] > 0).tolist() == program.accepts_prefixes(ids).tolist()


# -------------------------------------------------------------------------------------------- size and shape


SIZES = {
    "aa-star": (2, 9), "aaaa-star": (2, 9), "ab-d-bc": (5, 17), "abab-star": (4, 13), "abcde": (6, 36),
    "anbncn": (4, 21), "contains-ab": (4, 11), "dyck1": (3, 12), "majority": (1, 8), "tomita-1": (1, 7),
    "tomita-2": (5, 15), "tomita-4": (3, 12), "tomita-7": (7, 16), "d2": (4, 14), "d3": (4, 14), "d4": (4, 14),
    "d12": (4, 14), "majority-interleave": (3, 24), "induction-argmax": (6, 51), "induction-all": (6, 54),
    "unique-copy": (6, 87), "sort": (5, 46),
}  # fmt: skip
"""Layers and width; the paper's construction takes 5 and 12 for contains-ab, 3 and 13 for Dyck-1, 6 and 26 for aⁿbⁿcⁿ,
because there an equality takes three operations and a local count two layers."""


def test_library_programs_have_the_documented_number_of_layers_and_dimensions() -> None:
    assert {name: (len(compiled(name).model.layers), compiled(name).model.width) for name in NAMES} == SIZES


def test_dyck1_in_the_operations_of_the_definition_takes_three_layers_and_thirteen_dimensions() -> None:
    program = parse(
        'alphabet "(" ")"\nC_open = # "("\nC_close = # ")"\nV = C_open < C_close\nCV = # V\nM = CV <= 0\n'
        "L = C_open <= C_close\nB = !V && L\nD = M && B"
    )
    model = from_crasp(program)
    assert (len(model.layers), model.width) == (3, 13)


def test_a_chain_of_conjunctions_is_no_deeper_than_one() -> None:
    depths = {len(from_crasp(load(f"sort:{numbers}")).layers) for numbers in (2, 5, 9)}
    assert depths == {5}


@pytest.mark.parametrize("name", [name for name in NAMES if not load(name).fragment])
def test_a_program_without_positional_relations_needs_neither_encodings_nor_phi(name: str) -> None:
    model = compiled(name).model
    assert not model.positions.any()
    assert (model.period, model.window) == (1, 0)
    assert not any(head.phi.any() for layer in model.layers for head in layer.heads)


@pytest.mark.parametrize("name", [name for name in NAMES if load(name).fragment])
def test_period_and_window_of_a_model_are_those_of_its_program(name: str) -> None:
    program, model = load(name), compiled(name).model
    assert (model.period, model.window) == (program.period, program.window)


def test_operations_that_no_output_depends_on_are_left_out() -> None:
    lean, padded = parse('Y = # "a" > 1'), parse('U = #[j >= i-9] "a" > 3\nW = i % 7 == 0 && U\nY = # "a" > 1')
    assert repr(from_crasp(padded)) == repr(from_crasp(lean))


def test_comparisons_and_their_negations_share_a_dimension() -> None:
    one = from_crasp(parse('Y = # "a" <= # "b"'))
    four = from_crasp(parse('A = # "a" <= # "b"\nB = # "b" < # "a"\nC = !(# "b" >= # "a")\nY = A && !B && !C'))
    assert four.width == one.width


# ------------------------------------------------------------------------------------- what is printed is wrong


def test_without_a_sink_the_printed_local_count_sees_positions_that_are_not_there() -> None:
    """ERR-F3: with no position three back, attention is uniform, and its mean may well exceed one half."""
    value, phi = np.zeros((4, 4)), np.array([0.0, 0.0, 0.0, 1.0])
    value[2, 0] = 1.0  # dimensions: the letter a, one, the mean c, the Boolean c >= 1/2
    hidden, output = np.array([[0.0, -0.5, 1.0, 0.0]]), np.array([[0.0], [0.0], [0.0], [1.0]])
    layer = Layer((Head(np.zeros((4, 4)), value, phi),), hidden, np.zeros(1), output, np.array([True]))
    embedding = np.array([[1.0, 1.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0]])
    program = parse('alphabet "a"\nY = #[j == i-3] "a" >= 1')
    printed = LimitTransformer(
        program.alphabet, embedding, np.zeros((1, 4)), (layer,), np.eye(4)[3:], ("Y",), has_start=True
    )
    assert printed("aaaa")[:, 0].tolist() == [1, 1, 0, 1]
    assert program.accepts_prefixes("aaaa").tolist() == [False, False, False, True]
    assert (from_crasp(program)("aaaa")[:, 0] > 0).tolist() == [False, False, False, True]


def without_margin(model: LimitTransformer) -> LimitTransformer:
    """The printed comparison: H(x' - x) without half a count of margin."""
    layers = []
    for layer in model.layers:
        hidden = layer.hidden.copy()
        hidden[layer.heaviside, INVERSE.dimensions[0]] -= 0.5
        layers.append(replace(layer, hidden=hidden))
    return replace(model, layers=tuple(layers))


def test_without_half_a_count_of_margin_float64_denies_what_always_holds() -> None:
    """ERR-F4: both sides are equal everywhere, but are computed along different ways."""
    truths = [
        'Y = #("a" || "b") == # "a" + # "b"',
        'Y = # "a" <= #("a" && i % 2 == 0) + #("a" && i % 2 == 1)',
        'Y = 3 * # "a" <= #("a" && "a") + 2 * # !(!"a" || "b")',
        'Y = #(exists "a") + #(!exists "a") >= # true',
    ]
    printed_is_wrong = 0
    for text in truths:
        program = parse(f'alphabet "a" "b" "c"\n{text}')
        model = from_crasp(program)
        for ids in random_words(program, [1000], seed=1):
            assert program.accepts_prefixes(ids).all()
            assert (model(ids)[:, 0] > 0).all()
            printed_is_wrong += int((without_margin(model)(ids)[:, 0] <= 0).any())
    assert printed_is_wrong >= 2


# ------------------------------------------------------------------------------------------------- refusals


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('Y = #[j >= i-3000] "a" >= 1', "use smaller windows"),
        ("Y = i % 65521 == 0 && i % 65519 == 0", "shorter periods"),
        (f'Y = {2**60} * # "a" > # "b"', "too large for float64"),
        (f'Y = {2**62} * ({2**62} * {2**62} * # "a") > # "b"', "too large for float64"),
        ('next "accept" = # "a" > 1', "another name"),
    ],
)
def test_what_cannot_be_compiled_is_refused_with_a_reason(text: str, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        from_crasp(parse(text))


def test_a_program_that_says_nothing_is_refused() -> None:
    with pytest.raises(NotAnAcceptorError, match="nothing to compile"):
        from_crasp(parse('C = # "a"'))


@pytest.mark.parametrize(("length", "message"), [(0, "at least 1"), (10**12, "use a shorter one")])
def test_a_relu_only_model_for_an_impossible_length_is_refused(length: int, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        from_crasp(load("dyck1"), relu_only_up_to=length)
