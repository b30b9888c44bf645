"""The atlas holds each function once, at its least complexity, with the answers that its program gives."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from lengthwise import crasp
from lengthwise.atlas import COMPLEXITIES, Atlas, Words
from lengthwise.atlas.building import Functions, hash_keys
from lengthwise.atlas.files import AtlasFileError
from lengthwise.errors import LengthwiseError
from lengthwise.regular import Language
from tests.atlas import expressions

FRAGMENTS = [(), ("periodic",), ("local",), ("periodic", "local")]


@pytest.fixture(scope="module")
def small() -> Atlas:
    return Atlas.build("", "ab", 12)


@pytest.mark.parametrize("fragment", FRAGMENTS, ids=str)
@pytest.mark.parametrize(("symbols", "complexity", "length"), [("ab", 6, 6), ("abc", 6, 3)])
def test_functions_and_their_complexities_are_those_of_all_expressions_without_merging(
    fragment: tuple[str, ...], symbols: str, complexity: int, length: int
) -> None:
    complexity -= len(fragment) // 2
    atlas = Atlas.build(fragment, symbols, complexity, words=Words.of(symbols, length, probes=0))
    every = expressions.functions(complexity, length, frozenset(fragment), symbols)
    listed = list(expressions.words(length, symbols))
    assert ["".join(word) for word in atlas.words.short(length)] == listed
    rows = atlas.words.answers(atlas.rows(slice(None)), length)
    found = {tuple(row): int(level) for row, level in zip(rows.tolist(), atlas.complexities, strict=True)}
    assert found == every
    assert len(atlas) == len(every) > 30


@pytest.mark.parametrize("options", [{"coefficients": 3, "constant": 2}, {"max_threshold": 7}, {"encoding": "heads"}])
@pytest.mark.parametrize("fragment", FRAGMENTS, ids=str)
def test_every_sort_of_member_runs_as_the_evaluator_runs_its_program(
    fragment: tuple[str, ...], options: dict[str, int]
) -> None:
    atlas = Atlas.build(fragment, "xyz", 9, words=Words.of("xyz", 4, 64, 70), memory=1 << 22, **options)  # type: ignore[arg-type]
    rng = np.random.default_rng(len(fragment))
    chosen = rng.choice(len(atlas), size=25, replace=False)
    for number, row in zip(chosen, atlas.rows(chosen), strict=True):
        member = atlas.member(int(number))
        assert np.array_equal(row, atlas.words.vector(member.program)), member.text
        assert member.program.depth == member.depth
        assert crasp.parse(str(member.program)) == member.program


@pytest.mark.parametrize("encoding", COMPLEXITIES)
@pytest.mark.parametrize("fragment", FRAGMENTS, ids=str)
def test_the_complexity_of_a_written_program_is_that_at_which_it_was_enumerated(
    fragment: tuple[str, ...], encoding: str
) -> None:
    words = Words.of("ab", 6, 0)
    atlas = Atlas.build(fragment, "ab", 11, words=words, encoding=encoding, coefficients=2, constant=1, seconds=60)
    chosen = np.random.default_rng(0).choice(len(atlas), size=60)
    for member in (atlas.member(int(number)) for number in chosen):
        assert COMPLEXITIES[encoding].of(member.program) == member.complexity, member.text


def test_the_numbers_of_functions_are_those_that_were_measured_with_numpy(small: Atlas) -> None:
    # identify.md counts 24,257 up to 15 with 60 probes of its own; some few depend on which words they are.
    words = Words.of("ab", 8, 60, 96)
    assert len(Atlas.build("", "ab", 15, words=words)) == pytest.approx(24_257, rel=1e-3)
    assert sum(small.counts().values()) == len(small) == 2692


def test_separating_lengths_are_those_of_a_search_over_all_pairs() -> None:
    # identify.md: 2, 2, 3, 3, 5, 5, 6, 6, 8, 8, 10 for complexities 3 to 13.
    found = [Atlas.build("", "ab", complexity).separating_length() for complexity in range(3, 14)]
    assert found == [2, 2, 3, 3, 5, 5, 6, 6, 8, 8, 10]
    assert Atlas.build("", "ab", 14).separating_length() is None


def test_a_program_that_differs_from_a_simpler_one_first_at_length_11_is_lost_without_that_word() -> None:
    text = 'alphabet "a" "b"\nY = "a" || #(#"b" >= 1) >= #!{}'
    hard, simple = crasp.parse(text.format('("b" && #"b" >= #"a")')), crasp.parse(text.format('(#"b" >= #"a")'))
    word = tuple("aaaabbbbbab")
    assert hard.accepts(word) != simple.accepts(word)
    without = Words.of("ab", 8, probes=0)
    atlas = Atlas.build("", "ab", 16, words=without)
    merged = atlas.find(hard)
    assert merged is not None
    assert merged == atlas.find(simple)
    assert merged.complexity <= 14
    atlas = Atlas.build("", "ab", 16, words=without.with_probes([word]))
    found = atlas.find(hard)
    assert found is not None
    assert (found.complexity, found.program.accepts(word)) == (16, hard.accepts(word))


def test_other_keys_of_the_hashes_find_the_same_functions(small: Atlas) -> None:
    other = Functions(small.grammar, small.words, 1 << 28, seed=12345)
    assert not np.array_equal(hash_keys(8, 12345), hash_keys(8))
    while other.level < 12:
        other.next_level()
    assert np.array_equal(other.rows_of(range(other.count)), small.rows(slice(None)))
    assert len(np.unique(small.rows(slice(None)), axis=0)) == len(small)


def test_answers_that_are_made_again_are_those_that_were_remembered(small: Atlas) -> None:
    narrow = Functions(small.grammar, small.words, 1 << 24)
    narrow.row_capacity = 100
    while narrow.level < 12:
        narrow.next_level()
    assert narrow.stored == 100
    assert np.array_equal(narrow.rows_of(range(narrow.count)), small.rows(slice(None)))


def test_a_kept_atlas_goes_on_where_it_ended_and_notices_damage(tmp_path: Path, small: Atlas) -> None:
    assert Atlas.build("", "ab", 9, directory=tmp_path).digest != small.digest
    seen: list[int] = []
    again = Atlas.build("", "ab", 12, directory=tmp_path, progress=lambda level, count: seen.append(level))
    assert min(seen) == 10
    assert again.digest == small.digest
    assert len(Atlas.build("", "ab", 11, directory=tmp_path)) == sum(list(small.counts().values())[:11])
    last = Atlas.build("", "ab", 12, directory=tmp_path, progress=lambda level, count: seen.append(-level))
    assert min(seen) > 0
    assert np.array_equal(last.rows(slice(None)), small.rows(slice(None)))
    damaged = next(tmp_path.glob("*/lefts-*.bin"))
    damaged.write_bytes(bytes(len(damaged.read_bytes())))
    with pytest.raises(AtlasFileError, match="damaged"):
        Atlas.build("", "ab", 12, directory=tmp_path)


def test_agreement_is_what_running_the_programs_on_all_short_words_says(small: Atlas) -> None:
    right = Language.from_regex("a*b*")
    for length in range(1, 5):
        agreeing = set(small.agreeing_with(right, length, 9).tolist())
        listed = [tuple(word) for word in expressions.words(length)]
        for member in [small.member(number) for number in range(small.ids(9).stop)]:
            same = all(member.program.accepts(word) == right.automaton.accepts(word) for word in listed)
            assert same == (member.id in agreeing), member.text


def test_merged_expressions_have_the_answers_of_the_function_that_stands_for_them(small: Atlas) -> None:
    merges = list(small.merges(6))
    every = sum(len(expressions.trees(level)) for level in range(1, 7))
    assert 50 < len(merges) < every
    for expression, number in merges:
        program = small.grammar.program(expression)
        assert np.array_equal(small.words.vector(program), small.rows(np.array([number]))[0])


def test_under_a_limit_of_depth_nothing_of_that_depth_is_lost_to_a_simpler_but_deeper_expression() -> None:
    free = Atlas.build("", "ab", 10)
    for limit in (1, 2):
        limited = Atlas.build("", "ab", 10, depth=limit)
        assert limited.depths.max() == limit
        found = [limited.find(row) for row in free.rows(np.flatnonzero(free.depths <= limit))]
        assert None not in found
    shallow = {tuple(row) for row in Atlas.build("", "ab", 6, depth=1).rows(slice(None)).tolist()}
    words = Words.of("ab", 6, probes=0)
    every = {
        tuple(expressions.holds(tree, word) for word in expressions.words(6))
        for level in range(1, 7)
        for tree in expressions.trees(level)
        if deep(tree) <= 1
    }
    assert len(shallow) == len(every)
    assert words.width < free.words.width


def deep(tree: expressions.Tree) -> int:
    below = max((deep(part) for part in tree[1:] if isinstance(part, tuple)), default=0)
    return below + (tree[0] in ("least", "compare"))


def test_a_budget_keeps_whole_levels(small: Atlas) -> None:
    part = Atlas.build("", "ab", 40, seconds=0.0)
    assert len(part) == part.ids(part.complexity).stop
    assert part.unfinished == f"the time was over at complexity {part.complexity + 1}"
    few = Atlas.build("", "ab", 40, memory=1 << 18)
    assert few.unfinished is not None
    assert few.unfinished.endswith("do not fit into 0.00024 GB")
    assert few.counts() == {level: len(small.ids(level)) for level in range(1, few.complexity + 1)}
    assert few.complexity > 5
    with pytest.raises(LengthwiseError, match="8 symbols"):
        Atlas.build("", "abcdefghijk", 3)
    with pytest.raises(LengthwiseError, match="length 16 fits"):
        Words.of("ab", 60)
    with pytest.raises(LengthwiseError, match="all words up to length 10, not up to 11"):
        small.agreeing_with(lambda word: True, 11)
