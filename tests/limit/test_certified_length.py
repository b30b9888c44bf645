"""The certified length: compiled models are right up to it, in float32 as in float64, and not for ever beyond it."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from lengthwise.crasp import Program, library, load, parse
from lengthwise.errors import LengthwiseError
from lengthwise.limit.compiling.certify import certified_length, error_bounds
from lengthwise.limit.compiling.from_crasp import Compilation, compile_program, from_crasp, values
from lengthwise.limit.model import Head, LimitTransformer, ModelError
from tests.programs import programs, words

Float32s = npt.NDArray[np.float32]
Ids = npt.NDArray[np.int64]


# ------------------------------------------------------------------------------------------ float32 evaluation


def single(array: npt.ArrayLike) -> Float32s:
    return np.asarray(array, dtype=np.float32)


def attended(head: Head, stream: Float32s) -> Float32s:
    """What a head adds, all arithmetic in float32; uniform heads in linear time."""
    values = stream @ single(head.value).T
    positions = np.arange(1, len(stream) + 1)
    if not head.key_query.any() and not head.phi.any():
        return np.cumsum(values, axis=0, dtype=np.float32) / single(positions)[:, None]
    content = stream @ single(head.key_query).T @ stream.T
    distance = positions[:, None] - positions[None, :]
    phi = single([*head.phi, 0.0])[np.clip(distance, 0, len(head.phi))]
    exponent = np.where(distance >= 0, np.log(single(len(stream))) * (content + phi), single(-np.inf))
    weight = np.exp(exponent - exponent.max(axis=1, keepdims=True))
    return single((weight @ values) / weight.sum(axis=1, keepdims=True, dtype=np.float32))


def last_stream(model: LimitTransformer, ids: Ids) -> Float32s:
    """The last residual stream at the word's positions, with weights and arithmetic in float32."""
    tokens = model.tokens(ids)
    residues = np.arange(1, len(tokens) + 1) % model.period
    stream = single(model.embedding)[tokens] + single(model.positions)[residues]
    for layer in model.layers:
        middle = stream + sum((attended(head, stream) for head in layer.heads), start=np.zeros_like(stream))
        before = middle @ single(layer.hidden).T + single(layer.bias)
        after = np.where(layer.heaviside, single(before >= 0), np.maximum(before, single(0)))
        stream = middle + after @ single(layer.output).T
    assert stream.dtype == np.float32
    return stream[1:]


def wrong_positions(compilation: Compilation, ids: Ids) -> npt.NDArray[np.intp]:
    """Where, from 1, the float32 verdict on the prefix is not the program's."""
    model = compilation.model
    verdicts = last_stream(model, ids) @ single(model.unembedding).T > 0
    return np.flatnonzero(verdicts[:, model.outputs.index("accept")] != compilation.program.accepts_prefixes(ids)) + 1


# -------------------------------------------------------------------------------------------- at the edge


def close_race(left: int, right: int, length: int) -> Ids:
    """A word over {a, b} along which left·#a and right·#b keep meeting: their difference is -1 or 0 all over again.

    right·#b - left·#a runs through -1, 0, 1, … left + right - 2 in some order, again and again.
    """
    positions = np.arange(length + 1)
    letters_a = (positions * right + 1) // (left + right)
    return 1 - np.diff(letters_a)


def race(left: int, right: int) -> Compilation:
    return compile_program(parse(f'alphabet "a" "b"\nY = {left} * # "a" <= {right} * # "b"'))


RACES = [(7, 11), (31, 30), (100, 101), (301, 300)]


@pytest.mark.parametrize(("left", "right"), RACES)
def test_up_to_the_certified_length_float32_decides_every_close_race(left: int, right: int) -> None:
    compilation = race(left, right)
    ids = close_race(left, right, certified_length(compilation, bits=24))
    margins = right * np.cumsum(ids == 1) - left * np.cumsum(ids == 0)
    assert {-1, 0} <= set(margins[-(left + right) :].tolist()), "the edge itself is contested"
    assert wrong_positions(compilation, ids).tolist() == []


@pytest.mark.parametrize(("left", "right"), RACES)
def test_ten_times_the_certified_length_is_too_long_for_float32(left: int, right: int) -> None:
    compilation = race(left, right)
    certified = certified_length(compilation, bits=24)
    wrong = wrong_positions(compilation, close_race(left, right, 10 * certified))
    assert len(wrong)
    assert wrong[0] > certified


MIXTURES = {
    "window": 'D = 151 * # "b" + 200 - 200 * #[i-j in {1, 3}] "a" - 150 * # "a"\nY = D >= 0',
    "gate": 'D = 285 * # "b" + 3 - (290 * # "a" if "b" && # "a" > 3 else 280 * # "b")\nY = D >= 0',
    "extremes": 'D = 161 * min(# "a" + 9, # "b" + 2) + #[j < i] "b" - 160 * max(# "a", # "b")\nY = D >= 0',
    "nested": 'V = 400 * # "a" <= 401 * # "b"\nD = 490 * # !V + 3 - 500 * # V\nY = D >= 0',
}


def contested(program: Program, length: int) -> Ids:
    """A word chosen letter by letter so that D stays as close as it can to the border between -1 and 0."""
    ids = np.zeros(length, dtype=np.int64)
    for end in range(1, length + 1):
        distances = []
        for letter in (0, 1):
            ids[end - 1] = letter
            distances.append(abs(2 * program.run(ids[:end])["D"][-1] + 1))
        ids[end - 1] = np.argmin(distances)
    return ids


@pytest.mark.parametrize("text", MIXTURES.values(), ids=MIXTURES)
def test_up_to_the_certified_length_float32_agrees_on_programs_of_every_kind(text: str) -> None:
    compilation = compile_program(parse(f'alphabet "a" "b"\n{text}'))
    certified = certified_length(compilation, bits=24)
    assert 100 < certified < 2500
    for ids in (contested(compilation.program, certified), np.random.default_rng(0).integers(0, 2, size=certified)):
        assert wrong_positions(compilation, ids).tolist() == []


@pytest.mark.slow
@given(st.data())
@settings(max_examples=60, deadline=None)
def test_no_stored_value_is_off_by_more_than_the_analysis_says(data: st.DataObject) -> None:
    program = data.draw(programs(closed=True, most=4))
    assume(program.listing.accept is not None and program.period <= 500)
    compilation, word = compile_program(program), data.draw(words(program, longest=40))
    certified = certified_length(compilation, bits=24)
    ids = program.alphabet.encode(word).astype(np.int64)[: max(certified, 0)]
    assume(len(ids) > 0)
    stream = last_stream(compilation.model, ids).astype(np.float64)
    bounds = error_bounds(compilation, list(compilation.forms.values()), bits=24, length=len(ids))
    truth = program.evaluator.everywhere(tuple(compilation.forms), ids)
    positions = np.arange(2, len(ids) + 2)
    for (index, form), bound, true in zip(compilation.forms.items(), bounds, truth, strict=True):
        # The form is read exactly here; what the stored values are off by is part of the bound.
        read = sum((float(factor) * stream[:, at] for at, factor in form.terms), start=np.zeros(len(ids)))
        exact = true / positions if program.listing.operations[index].is_count else true
        assert (np.abs(read - exact) <= bound.flat + bound.fading / positions + 1e-14).all()


@pytest.mark.slow
@given(st.data())
@settings(max_examples=75, deadline=None)
def test_a_program_with_huge_numbers_is_refused_or_right_as_far_as_it_is_certified(data: st.DataObject) -> None:
    program = data.draw(programs(large=True, closed=True))
    assume(program.listing.accept is not None and program.period <= 500)
    try:
        compilation = compile_program(program)
    except LengthwiseError:
        return
    longest = min(compilation.model.certified_length or 0, program.evaluator.longest)
    ids = program.alphabet.encode(data.draw(words(program))).astype(np.int64)[: max(longest, 0)]
    if len(ids):
        booleans = [index for index in compilation.forms if not program.listing.operations[index].is_count]
        found, truth = values(compilation, ids), program.evaluator.everywhere(tuple(booleans), ids)
        assert all((found[index] == true).all() for index, true in zip(booleans, truth, strict=True))


# --------------------------------------------------------------------------------------------- the numbers


@pytest.mark.parametrize("name", library.names())
def test_in_float64_library_programs_are_certified_for_more_than_ten_trillion_symbols(name: str) -> None:
    longest = from_crasp(load(name)).certified_length
    assert longest is not None
    assert 10**13 < longest < 2**53


@pytest.mark.parametrize("name", library.names())
def test_in_float32_library_programs_are_certified_for_tens_of_thousands_of_symbols(name: str) -> None:
    assert 20_000 < certified_length(compile_program(load(name)), bits=24) < 2**24


def test_larger_numbers_shorten_the_certified_length_in_proportion() -> None:
    lengths = [certified_length(race(factor * 3, factor * 3 + 1)) for factor in (10, 100, 1000, 10**6)]
    ratios = [Fraction(longer, shorter) for longer, shorter in pairwise(lengths)]
    assert [round(ratio) for ratio in ratios[:2]] == [10, 10]
    assert round(ratios[2]) == 1000


def test_a_large_constant_does_not_shorten_it_since_it_fades_with_the_length() -> None:
    few, many = (compile_program(parse(f'Y = # "a" <= {number}')) for number in (1, 10**6))
    assert certified_length(many) > 0.99 * certified_length(few)


def test_weights_that_no_float_holds_have_no_certified_length() -> None:
    compilation = race(2**30, 2**30 + 1)
    assert certified_length(compilation, bits=24) == -1
    assert certified_length(compilation) > 10**5


@pytest.mark.parametrize("name", library.names())
def test_a_relu_only_model_is_certified_up_to_the_length_it_is_made_for(name: str) -> None:
    assert from_crasp(load(name), relu_only_up_to=10**6).certified_length == 10**6


def test_a_relu_only_model_is_not_certified_beyond_what_float64_carries() -> None:
    longest = from_crasp(load("dyck1"), relu_only_up_to=7_250_000).certified_length
    assert longest is not None
    assert 1000 < longest < 7_250_000


def test_words_beyond_the_certified_length_are_refused_and_shorter_ones_are_not() -> None:
    program: Program = load("dyck1")
    model = from_crasp(program, relu_only_up_to=6)
    assert model.accepts("(())()")
    with pytest.raises(ModelError, match="at most 6 symbols, got 7"):
        model.accepts("(())()(")
