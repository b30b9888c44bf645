"""Nothing smaller explains the words than what is learned, and what is learned explains them."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path

import numpy as np
import pytest

import lengthwise as lw
from lengthwise import crasp
from lengthwise.atlas.examples import Example, Examples
from lengthwise.atlas.finding import Settings
from lengthwise.atlas.learning import greedy_cover, learn
from lengthwise.atlas.rivals import RivalSearch
from lengthwise.errors import LengthwiseError
from tests.atlas import expressions
from tests.e2e.command import lengthwise

FRAGMENTS = [(), ("periodic",), ("local",)]


def examples(labels: dict[str, bool], symbols: str = "ab") -> Examples:
    return Examples.of([Example(tuple(word), label, word) for word, label in labels.items()], tuple(symbols))


@pytest.mark.parametrize("fragment", FRAGMENTS, ids=str)
@pytest.mark.parametrize("errors", [0, 1])
def test_smallest_means_that_no_expression_of_smaller_complexity_does_as_well(
    fragment: tuple[str, ...], errors: int
) -> None:
    rng = np.random.default_rng(len(fragment) + errors)
    every = [(level, tree) for level in range(1, 6) for tree in expressions.trees(level, frozenset(fragment))]
    found = 0
    for _ in range(12):
        words = rng.choice(list(expressions.words(6)), size=6 + 4 * errors, replace=False)
        labels = {str(word): bool(rng.integers(2)) for word in words}
        if rng.integers(2):
            _, tree = every[int(rng.integers(len(every)))]
            labels = {word: expressions.holds(tree, word) for word in labels}
        learned = learn(examples(labels), Settings(fragment))
        right = sum(learned.program.accepts(word) == label for word, label in labels.items())
        if errors:
            learned = learn(examples(labels), Settings(fragment), errors=errors)
            right = sum(learned.program.accepts(word) == label for word, label in labels.items())
        assert learned.words - learned.errors == right >= len(labels) - errors
        least = min(
            (
                level
                for level, tree in every
                if sum(expressions.holds(tree, word) != label for word, label in labels.items()) <= errors
            ),
            default=None,
        )
        assert learned.smallest
        assert learned.complexity == least if least is not None else learned.complexity > 5
        found += least is not None
    assert found > 3


@pytest.mark.parametrize(
    "name",
    [
        *("aa-star", "aaaa-star", "contains-ab", "dyck1", "majority", "tomita-1", "tomita-4", "tomita-7"),
        pytest.param("tomita-2", marks=pytest.mark.slow),
        pytest.param("abab-star", marks=pytest.mark.slow),
    ],
)
def test_a_library_program_is_found_again_from_its_words_up_to_its_identification_length(name: str) -> None:
    right = lw.rivals(name, 1)
    assert right.found.proved
    assert right.found.member is not None
    length, fragment = 1, tuple(sorted(right.found.atlas.grammar.fragment))
    program, atlas = crasp.load(name), right.found.atlas
    search = RivalSearch(program, right.found, (10,))
    while next(search.rivals(length), None) is not None:
        length += 1
    options = (("max_period", max(3, program.period)),)

    def learned_from(longest: int) -> crasp.Program:
        words = ["".join(word) for word in atlas.words.short(longest)]
        labels = {word: program.accepts(word) for word in words}
        learned = learn(examples(labels, "".join(atlas.words.symbols)), Settings(fragment, options=options))
        assert learned.smallest
        assert learned.complexity <= right.found.member.complexity  # type: ignore[union-attr]
        return learned.program

    assert lw.verify(learned_from(length), program).equal
    if length > 1:
        shortened = learned_from(length - 1)
        compared = lw.verify(shortened, program)
        assert compared.equal or len(compared.difference or ()) == length


def test_words_without_labels_are_all_there_is() -> None:
    words = ["ab", "aabb", "aaabbb", "aaaabbbb"]
    learned = learn(Examples.read("\n".join(words), "given"), Settings())
    assert learned.agrees
    prefixes = {word[:end] for word in words for end in range(1, len(word) + 1)}
    for prefix in prefixes:
        following = {word[len(prefix)] for word in words if word.startswith(prefix) and word != prefix}
        assert learned.program.next_tokens(prefix)[-1] == following
        assert learned.program.accepts(prefix) == (prefix in words)


def test_beyond_the_atlas_conjunctions_and_disjunctions_agree_but_are_not_called_smallest() -> None:
    labels = {"".join(word): word.count("a") % 5 == 2 for size in range(1, 7) for word in product("ab", repeat=size)}
    learned = learn(examples(labels), Settings("", complexity=9))
    assert learned.agrees
    assert not learned.smallest
    assert all(learned.program.accepts(word) == label for word, label in labels.items())
    assert greedy_cover(np.array([[True, False], [False, False]])) is None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("ab\t1\nba\t0\nab\t0\n", "words.tsv:1 says that ab has label 1 and words.tsv:3 that it has 0"),
        ("ab\t2\n", "words.tsv:1: a label is 0 or 1, not '2'"),
        ("\n", "there are no words to learn from"),
        ("ab\t1\nba\n", "words.tsv:2: this word has no label and others have one"),
        ("\t1\n", "there are no words to learn from"),
        ('{"word": 3}\n', 'words.tsv:1: "word" is a text or a list of symbols'),
        ("{ab\t1\n", "words.tsv:1: this is no JSON object"),
        ("abcdefghi\t1\n", "take an alphabet of at most 8 symbols"),
        ("a" * 1001 + "\t1\n", "a word has at most 1000 symbols, not 1001"),
    ],
)
def test_bad_words_are_refused_in_one_sentence(text: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "words.tsv").write_text(text, encoding="utf-8")
    with pytest.raises(LengthwiseError) as problem:
        lw.learn(tmp_path / "words.tsv")
    assert message in str(problem.value).replace(f"{tmp_path}/", "")


def test_a_language_without_a_program_of_the_fragment_is_refused_with_the_witness() -> None:
    with pytest.raises(
        LengthwiseError, match=r"among all of C-RASP\[∅\], the answer is no: a group.*is in the language"
    ):
        lw.learn("(aa)*b", fragment="none", complexity=8)
    with pytest.raises(LengthwiseError, match=r"among all of C-RASP\[periodic, local\], the answer is no"):
        lw.learn("(b*ab*a)*b*", complexity=6)
    found = lw.learn("a+b+a+", fragment="", complexity=6).learned
    assert found.program.fragment == frozenset()
    assert not found.smallest


def test_the_empty_word_is_left_out_and_a_file_may_have_any_name(tmp_path: Path) -> None:
    (tmp_path / "examples").write_text("\t1\na\t0\nb\t1\nba\t1\n", encoding="utf-8")
    found = lw.learn(tmp_path / "examples")
    assert (found.learned.words, found.learned.agrees) == (3, True)
    assert found.note.startswith("The empty word was left out")


def test_contradicting_labels_are_counted_as_errors_where_these_are_allowed() -> None:
    text = "ab\t1\nab\t0\nb\t1\na\t0\naa\t0\n"
    learned = learn(Examples.read(text, "given"), Settings(), errors=1)
    assert (learned.errors, learned.words) == (1, 5)


def test_the_command_prints_what_is_promised(tmp_path: Path) -> None:
    lines = [f'{{"word": "{word}", "label": {int("b" in word)}}}' for word in ("a", "b", "ab", "ba", "aa")]
    (tmp_path / "words.jsonl").write_text("\n".join(lines), encoding="utf-8")
    answer = json.loads(lengthwise("learn", "words.jsonl", "--json", cwd=tmp_path).stdout)
    assert {"program", "complexity", "smallest", "agrees"} <= set(answer)
    assert (answer["complexity"], answer["smallest"], answer["agrees"]) == (3, True, True)
    assert crasp.parse(answer["program"]).accepts("aba")
    done = lengthwise("learn", "missing.tsv", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (2, "missing.tsv cannot be read: no such file or directory\n")


@pytest.mark.parametrize("subject", ["(a|b)*ab", "majority", lambda word: word.count("a") >= 2])
def test_a_language_a_program_or_a_predicate_is_learned(subject: object) -> None:
    found = lw.learn(subject, "ab" if callable(subject) else None, fragment="local")
    assert found.learned.smallest == (not callable(subject))
    right = lw.Subject.of(subject, "ab" if callable(subject) else None).as_acceptor()
    for word in product(right.alphabet.symbols, repeat=7):
        assert found.learned.program.accepts(word) == right.accepts(word)
