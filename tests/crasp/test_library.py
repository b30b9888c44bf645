"""The library: each program against an oracle on all short words, its fragment, its names, and loading from files."""

from __future__ import annotations

import os
import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from itertools import permutations, product
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lengthwise.crasp import library
from lengthwise.crasp.library import generators
from lengthwise.crasp.program import Program, parse
from lengthwise.crasp.reading.diagnostics import ProgramError
from lengthwise.crasp.syntax import Definition, Next, Sort
from lengthwise.errors import LengthwiseError, NotAnAcceptorError, UnknownNameError
from tests.cases import oracles
from tests.crasp.naive import values

PREDICTORS = ("induction-argmax", "induction-all", "unique-copy", "sort")
LONGEST = {1: 12, 2: 10, 3: 10, 4: 8, 5: 7}
"""To which length all words are tried, by the size of the alphabet."""
LONGEST_NAIVE = {1: 7, 2: 7, 3: 5, 4: 4, 5: 5}


@cache
def all_words(symbols: str, length: int) -> tuple[list[str], npt.NDArray[np.intp]]:
    """Every word of a length, as text and as an array of places in `symbols`, one row a word."""
    columns = np.indices((len(symbols),) * length, dtype=np.intp).reshape(length, len(symbols) ** length)
    return list(map("".join, product(symbols, repeat=length))), columns.T


def assert_accepts_exactly(program: Program, symbols: str, belongs: Callable[[str], bool]) -> None:
    """On every word up to the length for its alphabet, and with the definition's own interpreter on shorter ones."""
    ids_of_symbols = np.array([program.alphabet.index(symbol) for symbol in symbols])
    for length in range(LONGEST[len(symbols)] + 1):
        words, places = all_words(symbols, length)
        accepted = program.accepts_batch(ids_of_symbols[places]).tolist()
        wrong = [word for word, verdict in zip(words, accepted, strict=True) if verdict != belongs(word)]
        assert wrong == []
    kinds = list(zip(program.statements, program.sorts, strict=True))
    deciding = max(at for at, (line, sort) in enumerate(kinds) if isinstance(line, Definition) and sort is Sort.BOOL)
    for word in oracles.words(symbols, LONGEST_NAIVE[len(symbols)]):
        assert bool(values(program.statements, word)[deciding][-1]) == belongs(word), word


def predicted_by_definition(program: Program, word: Sequence[str]) -> set[str]:
    """What a program predicts after a word, according to the definition's own interpreter."""
    results = zip(program.statements, values(program.statements, word), strict=True)
    return {line.symbol for line, column in results if isinstance(line, Next) and column[-1]}


def assert_predicts_exactly(
    program: Program, words: Sequence[Sequence[str]], expected: Callable[[Sequence[str]], set[str]]
) -> None:
    for word in words:
        predictions = program.next_tokens(word)
        assert predictions == [expected(word[:end]) for end in range(1, len(word) + 1)], word


def generate(program: Program, prompt: Sequence[str], stop: str) -> list[str]:
    """What follows on a prompt if the one predicted symbol is appended until it is `stop`."""
    appended: list[str] = []
    while appended[-1:] != [stop]:
        predicted = program.next_tokens([*prompt, *appended])[-1]
        assert len(predicted) == 1
        appended.extend(predicted)
        assert len(appended) < 50, "this does not stop"
    return appended


# ----------------------------------------------------------------------------------------------- languages


def test_every_library_name_is_covered_by_an_oracle_here() -> None:
    assert set(library.names()) == {*oracles.LANGUAGES, *PREDICTORS}


@pytest.mark.parametrize("name", oracles.LANGUAGES)
def test_a_library_program_accepts_exactly_its_language(name: str) -> None:
    symbols, belongs = oracles.LANGUAGES[name]
    assert_accepts_exactly(library.get(name), symbols, belongs)


def test_contains_ab_looks_at_neighbours_once_a_third_letter_can_stand_between() -> None:
    program = replace(library.get("contains-ab"), declared_alphabet=("a", "b", "c"))
    assert_accepts_exactly(program, "abc", lambda word: "ab" in word)


@pytest.mark.parametrize("depth", [1, 2, 5, 12])
def test_bounded_dyck_draws_the_line_at_its_depth(depth: int) -> None:
    program = generators.bounded_dyck(depth)
    rng = random.Random(depth)
    assert program.accepts("a" * depth + "b" * depth)
    assert not program.accepts("a" * (depth + 1) + "b" * (depth + 1))
    verdicts = set()
    for _ in range(300):
        climb = "a" * rng.randint(depth - 1, depth)
        word = climb + "".join(rng.choice(["ab", "ba", "ab", "aabb"]) for _ in range(4)) + "b" * len(climb)
        assert program.accepts(word) == oracles.in_bounded_dyck(word, depth), word
        verdicts.add(program.accepts(word))
    assert verdicts == {True, False}


@pytest.mark.parametrize("tracks", [1, 2, 4, 5])
def test_majority_interleave_asks_for_a_majority_on_every_track(tracks: int) -> None:
    program = generators.majority_interleave(tracks)
    assert_accepts_exactly(program, "01", oracles.majority_interleave(tracks))


def test_majority_interleave_shows_the_answer_of_each_track() -> None:
    for word in oracles.words("01", 7):
        trace = generators.majority_interleave(3).run(word)
        answers = [bool(trace[f"M{track}"][-1]) for track in (1, 2, 3)]
        assert answers == [oracles.is_majority(word[start::3]) for start in range(3)]


@pytest.mark.parametrize("wanted", ["a", "ab", "aa", "abab", "abba", "aaa", "cab", "bccb"])
def test_scattered_accepts_exactly_the_words_with_that_subsequence(wanted: str) -> None:
    program = generators.scattered(wanted, alphabet="abc")
    assert program.declared_alphabet == ("a", "b", "c")
    assert_accepts_exactly(program, "abc", oracles.scattered(wanted))


def test_scattered_without_an_alphabet_reads_words_over_any_symbols() -> None:
    program = generators.scattered("aba")
    assert program.declared_alphabet is None
    for word in oracles.words("abz", 6):
        assert program.accepts(word) == oracles.contains_scattered(word, "aba")


def test_scattered_takes_symbols_of_several_characters() -> None:
    for wanted in ("x1 x2", ["x1", "x2"]):
        program = generators.scattered(wanted)
        assert program.accepts("x1 x3 x2")
        assert not program.accepts("x2 x1")


@pytest.mark.parametrize(
    ("formula", "belongs"),
    [
        ("ab & !ba | c", lambda w: ("ab" in w and "ba" not in w) if "c" not in w else True),
        ("!(ab|c)", lambda w: "c" not in w and w == "".join(sorted(w, reverse=True))),
        ("!!a", lambda w: "a" in w),
        ("a&&b||c", lambda w: ("a" in w and "b" in w) or "c" in w),
        ("a&(b|c)", lambda w: "a" in w and ("b" in w or "c" in w)),
        ("!a & !b & !c", lambda w: w == ""),
    ],
)
def test_piecewise_reads_not_before_and_before_or(formula: str, belongs: Callable[[str], bool]) -> None:
    assert_accepts_exactly(generators.piecewise(formula, alphabet="abc"), "abc", belongs)


def _formulas() -> st.SearchStrategy[tuple[str, Callable[[str], bool]]]:
    """Formulas in full brackets, with their meaning on a word."""
    leaves = st.text("abc", min_size=1, max_size=3).map(lambda w: (w, oracles.scattered(w)))

    def larger(
        parts: st.SearchStrategy[tuple[str, Callable[[str], bool]]],
    ) -> st.SearchStrategy[tuple[str, Callable[[str], bool]]]:
        negations = parts.map(lambda p: (f"!({p[0]})", lambda w: not p[1](w)))
        conjunctions = st.tuples(parts, parts).map(
            lambda p: (f"({p[0][0]}) & ({p[1][0]})", lambda w: p[0][1](w) and p[1][1](w))
        )
        disjunctions = st.tuples(parts, parts).map(
            lambda p: (f"({p[0][0]}) | ({p[1][0]})", lambda w: p[0][1](w) or p[1][1](w))
        )
        return st.one_of(negations, conjunctions, disjunctions)

    return st.recursive(leaves, larger, max_leaves=6)


@given(_formulas(), st.lists(st.text("abc", max_size=12), max_size=5))
def test_piecewise_means_what_its_formula_means(formula: tuple[str, Callable[[str], bool]], words: list[str]) -> None:
    text, belongs = formula
    program = generators.piecewise(text, alphabet="abc")
    assert program.fragment == frozenset()
    for word in ("", *words):
        assert program.accepts(word) == belongs(word)


def test_words_of_a_formula_that_begin_alike_share_their_operations() -> None:
    assert len(generators.piecewise("abc & !abb | abca").names) == 6


# --------------------------------------------------------------------------------------------- predictions


def _random_words(symbols: Sequence[str], seed: int) -> list[list[str]]:
    rng = random.Random(seed)
    return [[rng.choice(symbols) for _ in range(rng.randint(20, 60))] for _ in range(20)]


@pytest.mark.parametrize("symbols", ["a", "ab", "abc"])
def test_induction_argmax_predicts_all_most_frequent_successors(symbols: str) -> None:
    program = generators.induction_argmax(symbols)
    expected: Callable[[Sequence[str]], set[str]] = lambda prefix: oracles.most_frequent_successors(prefix, symbols)  # noqa: E731
    assert_predicts_exactly(program, [*oracles.words(symbols, 6), *_random_words(symbols, 1)], expected)
    for word in list(oracles.words(symbols, 4))[1:]:
        assert predicted_by_definition(program, word) == expected(word)


def test_induction_argmax_predicts_every_symbol_where_there_was_no_successor() -> None:
    program = library.get("induction-argmax:abcd")
    assert program.first_tokens() == set("abcd")
    assert program.next_tokens("abc")[-1] == set("abcd")
    assert program.next_tokens("abacab")[-1] == {"a"}
    assert program.next_tokens("abaca")[-1] == {"b", "c"}


@pytest.mark.parametrize("symbols", ["a", "ab", "abc"])
def test_induction_all_predicts_every_successor_seen(symbols: str) -> None:
    program = generators.induction_all(symbols)
    expected: Callable[[Sequence[str]], set[str]] = lambda prefix: set(oracles.successors(prefix))  # noqa: E731
    assert_predicts_exactly(program, [*oracles.words(symbols, 6), *_random_words(symbols, 2)], expected)
    assert program.first_tokens() == set()
    for word in list(oracles.words(symbols, 4))[1:]:
        assert predicted_by_definition(program, word) == expected(word)


def test_induction_works_with_symbols_that_cannot_be_parts_of_names() -> None:
    symbols = ["#", "0", "1", "ab", "a", "ba", "€"]
    program = generators.induction_all(symbols)
    assert len(set(program.names)) == len(symbols) ** 2
    assert_predicts_exactly(program, _random_words(symbols, 3), lambda prefix: set(oracles.successors(prefix)))


@pytest.mark.parametrize("size", range(5))
def test_unique_copy_generates_a_copy_of_every_word_without_repeats(size: int) -> None:
    program = library.get("unique-copy:abcd")
    for letters in permutations("abcd", size):
        assert generate(program, ["#", *letters, "#"], stop="#") == [*letters, "#"]


def test_unique_copy_works_with_another_separator() -> None:
    program = generators.unique_copy(["x1", "x2", "x3"], separator="|")
    assert generate(program, ["|", "x3", "x1", "|"], stop="|") == ["x3", "x1", "|"]


def test_sort_generates_the_sorted_word_even_with_repeats() -> None:
    program = library.get("sort:12")
    rng = random.Random(4)
    symbols = [str(number) for number in range(1, 13)]
    unique = [rng.sample(symbols, rng.randint(0, 12)) for _ in range(40)]
    repeating = [rng.choices(symbols, k=rng.randint(1, 15)) for _ in range(40)]
    for word in unique + repeating:
        assert generate(program, [*word, "SEP"], stop="END") == [*sorted(word, key=int), "END"]


def test_sort_predicts_the_smallest_missing_symbol_whatever_was_written() -> None:
    program = library.get("sort:2")
    symbols = ["1", "2", "SEP", "END"]
    words = [list(word) for length in range(7) for word in product(symbols, repeat=length)]
    expected: Callable[[Sequence[str]], set[str]] = lambda prefix: oracles.next_when_sorting(prefix, ["1", "2"])  # noqa: E731
    assert_predicts_exactly(program, words[:2000] + words[-1000:], expected)
    assert program.first_tokens() == set()
    for word in words[1:300]:
        assert predicted_by_definition(program, word) == expected(word)


def test_sort_accepts_once_everything_is_written() -> None:
    program = library.get("sort")
    verdicts = program.accepts_prefixes("3 1 5 SEP 1 3 5 END")
    assert verdicts.tolist() == [False] * 6 + [True, True]


def test_sort_sorts_in_the_order_in_which_its_symbols_are_listed() -> None:
    program = generators.sort("cab", separator="/", end=".")
    assert generate(program, "abc/", stop=".") == ["c", "a", "b", "."]


def test_the_size_of_sort_grows_linearly() -> None:
    ten, twenty, forty = (library.get(f"sort:{n}").size for n in (10, 20, 40))
    assert forty - twenty == 2 * (twenty - ten)


@pytest.mark.parametrize("name", ["induction-argmax", "induction-all", "unique-copy"])
def test_induction_programs_predict_and_do_not_pretend_to_accept(name: str) -> None:
    program = library.get(name)
    assert set(program.predicts) == set(program.alphabet)
    with pytest.raises(NotAnAcceptorError):
        program.accepts("a")


# ----------------------------------------------------------------------------------- fragments, text, names

FRAGMENTS = {
    "aa-star": {"periodic"},
    "aaaa-star": {"periodic"},
    "abab-star": {"periodic"},
    "majority-interleave": {"periodic"},
    "contains-ab": {"local"},
    "tomita-4": {"local"},
    "induction-argmax": {"local"},
    "induction-all": {"local"},
    "unique-copy": {"local"},
}
"""Tables 2 and 3 of Huang et al.; what is not listed needs no positional relation."""


@pytest.mark.parametrize(
    "name", [*library.names(), "majority-interleave:1", "scattered:abba", "piecewise:ab & !ba | c"]
)
def test_a_library_program_lies_in_the_fragment_of_the_paper(name: str) -> None:
    assert library.get(name).fragment == FRAGMENTS.get(name, set())


@pytest.mark.parametrize(
    "name",
    [*library.names(), "d:5", "majority-interleave:1", "scattered:aab", "piecewise:!(ab | c) & a", "unique-copy:x1 #2"],
)
def test_a_library_program_is_called_by_its_name_and_parses_back_from_its_text(name: str) -> None:
    program = library.get(name)
    assert program.title == name
    assert parse(str(program)) == program


@pytest.mark.parametrize("name", library.names())
def test_every_line_of_a_library_program_says_what_it_means(name: str) -> None:
    program = library.get(name)
    assert program.declared_alphabet is not None
    assert [line for line in program.statements if not line.comment] == []


@pytest.mark.parametrize("name", [*library.names(), "d7", "scattered:abab", "piecewise:a|b", "sort:9"])
def test_every_name_is_described_in_one_line(name: str) -> None:
    description = library.describe(name)
    assert 10 < len(description) < 130
    assert "\n" not in description
    assert not description.startswith("/")


def test_the_description_of_a_name_mentions_its_parameter() -> None:
    assert "at most 7 deep" in library.describe("d7")
    assert "abba" in library.describe("scattered:abba")
    assert "1 to 9" in library.describe("sort:9")


def test_both_ways_to_write_a_depth_mean_the_same() -> None:
    assert library.get("d:5") == library.get("d5") == generators.bounded_dyck(5)


def test_a_bare_name_stands_for_the_default_parameter() -> None:
    assert library.get("majority-interleave") == library.get("majority-interleave:3")
    assert library.get("induction-argmax") == library.get("induction-argmax:abc")
    assert library.get("induction-all") == library.get("induction-all:abc")
    assert library.get("unique-copy") == library.get("unique-copy:abc")
    assert library.get("sort") == library.get("sort:5")


def test_a_generated_program_is_titled_with_the_name_that_gets_it_back() -> None:
    programs = [
        generators.bounded_dyck(6),
        generators.majority_interleave(),
        generators.majority_interleave(4),
        generators.scattered(["x1", "x2"]),
        generators.piecewise("a & !b"),
        generators.induction_all("abc"),
        generators.induction_argmax(["x1", "x2"]),
        generators.unique_copy("xyz"),
        generators.sort("123"),
    ]
    for program in programs:
        assert library.get(program.title) == program


def test_the_forms_name_every_family_with_a_parameter() -> None:
    families = {"d", "majority-interleave", "scattered", "piecewise", *PREDICTORS}
    assert {form.partition(":")[0] for form in library.forms()} == families
    assert all(form.partition(":")[2] in description for form, description in library.forms().items())


@pytest.mark.parametrize(
    ("name", "near"),
    [("dyk1", "dyck1"), ("Majority", "majority"), ("tomita-3", "tomita-4"), ("scatered:ab", "scattered:abab")],
)
def test_an_unknown_name_gets_the_nearest_names(name: str, near: str) -> None:
    for ask in (library.get, library.describe, library.load):
        with pytest.raises(UnknownNameError, match=f"no library program '{name}'; did you mean .*{near}"):
            ask(name)


def test_a_name_like_no_other_gets_all_names() -> None:
    with pytest.raises(UnknownNameError, match=r"there are .*dyck1.*majority.*sort"):
        library.get("qqqqqqqq")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("d", "d needs a parameter behind a colon, as in d:5"),
        ("scattered", "as in scattered:abab"),
        ("d0", "the depth of D_n is a whole number from 1 to 1000000000, not 0"),
        ("d:99999999999999999999999", "from 1 to 1000000000"),
        ("d:-3", "a whole number belongs behind the colon, as in d:5, not '-3'"),
        ("d:" + "9" * 5000, "a whole number belongs behind the colon"),
        ("majority-interleave:0", "the number of tracks is a whole number from 1 to 1000, not 0"),
        ("majority-interleave:many", "a whole number belongs behind the colon"),
        ("sort:0", "for an N from 1 to 1000, not 0"),
        ("sort:", "a whole number belongs behind the colon, as in sort:9, not ''"),
        ("scattered:", "a scattered word has at least one symbol"),
        ("induction-all:", "an alphabet needs at least one symbol"),
        ("induction-argmax:abca", "an alphabet has a twice"),
        ("unique-copy:ab#", "the separator # is in the alphabet"),
        ("piecewise:", "it ends where a word was expected"),
        ("piecewise:a &", "it ends where a word was expected"),
        ("piecewise:a | & b", "'&' stands where a word was expected"),
        ("piecewise:a b", "'b' stands where & or | was expected"),
        ("piecewise:(a | b", "it ends where the closing bracket was expected"),
        ("piecewise:a)", r"'\)' stands where & or \| was expected"),
        ("piecewise:" + "(" * 5000 + "a" + ")" * 5000, "a formula nests at most 20 deep"),
        ("piecewise:" + "!" * 5000 + "a", "a formula nests at most 20 deep"),
    ],
)
def test_a_bad_parameter_gets_one_sentence_that_says_what_belongs_there(name: str, message: str) -> None:
    for ask in (library.get, library.describe):
        with pytest.raises(LengthwiseError, match=message) as caught:
            ask(name)
        assert not isinstance(caught.value, UnknownNameError | ProgramError)
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: generators.bounded_dyck(2.5), "not 2.5"),  # type: ignore[arg-type]
        (lambda: generators.majority_interleave(True), "not True"),
        (lambda: generators.scattered("ab", alphabet="ac"), "the alphabet a c lacks b"),
        (lambda: generators.scattered("ab", alphabet=""), "an alphabet needs at least one symbol"),
        (lambda: generators.piecewise("a & b", alphabet="b"), "the alphabet b lacks a"),
        (lambda: generators.scattered(["a", ""]), "'' cannot be a symbol"),
        (lambda: generators.scattered([1, 2]), "1 cannot be a symbol"),  # type: ignore[list-item]
        (lambda: generators.induction_all(["a", "b\nc"]), "cannot be a symbol"),
        (lambda: generators.induction_all(["a", "\"'"]), "cannot be a symbol"),
        (lambda: generators.induction_all([1, 2]), "1 cannot be a symbol"),  # type: ignore[list-item]
        (lambda: generators.unique_copy("ab", separator=""), "'' cannot be a symbol"),
        (lambda: generators.sort("ab", separator="a"), "has a twice"),
        (lambda: generators.sort("ab", separator="/", end="/"), "has / twice"),
    ],
)
def test_generators_refuse_arguments_that_make_no_program(call: Callable[[], Program], message: str) -> None:
    with pytest.raises(LengthwiseError, match=message) as caught:
        call()
    assert not isinstance(caught.value, ProgramError)


def test_the_deepest_formula_allowed_is_still_a_program() -> None:
    formula = "a | b & (" * 20 + "c" + ")" * 20
    assert generators.piecewise(formula).accepts("bc")
    assert not generators.piecewise(formula).accepts("b")


# ----------------------------------------------------------------------------------------------- loading

ONLY_X = 'alphabet "x" "y"\nY = # "y" == 0\n'


def test_load_reads_a_file_and_calls_the_program_by_its_path(tmp_path: Path) -> None:
    file = tmp_path / "only_x.crasp"
    file.write_text(ONLY_X, encoding="utf-8")
    for given_path in (file, str(file)):
        program = library.load(given_path)
        assert program.accepts("xx")
        assert not program.accepts("xyx")
        assert program.title == str(file)


def test_load_gets_a_library_program_by_name() -> None:
    assert library.load("dyck1") == library.get("dyck1")
    assert library.load("d:5").title == "d:5"


def test_a_file_in_the_current_directory_does_not_hide_a_library_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("dyck1", "d7", "dyck1.crasp", "mine"):
        Path(name).write_text(ONLY_X, encoding="utf-8")
    assert library.load("dyck1") == library.get("dyck1")
    assert library.load("d7") == library.get("d7")
    for file in ("./dyck1", "dyck1.crasp", "mine", Path("dyck1")):
        assert library.load(file) == parse(ONLY_X)


def test_a_library_parameter_may_contain_what_looks_like_a_path() -> None:
    assert library.load("scattered:a/b").accepts("a.b/.b")
    assert not library.load("scattered:a/b").accepts("ab")
    assert library.load("piecewise:x.crasp").accepts("x.crasp")


def test_problems_in_a_file_are_reported_with_file_line_and_column(tmp_path: Path) -> None:
    file = tmp_path / "broken.crasp"
    file.write_text('A = # "a"\nB = A && "b"\n', encoding="utf-8")
    with pytest.raises(ProgramError) as caught:
        library.load(file)
    assert str(caught.value).startswith(f"{file}:2:5: ")


@pytest.mark.parametrize("name", ["missing.crasp", "missing.cr", "no/such/program", "dyck1/inside.crasp"])
def test_what_looks_like_a_path_but_does_not_exist_is_a_missing_file(name: str) -> None:
    with pytest.raises(LengthwiseError, match=f"the file {name} does not exist") as caught:
        library.load(name)
    assert not isinstance(caught.value, UnknownNameError)


def test_a_path_object_is_never_a_library_name() -> None:
    with pytest.raises(LengthwiseError, match="the file majority does not exist"):
        library.load(Path("majority"))


def test_neither_a_file_nor_a_name_is_said_to_be_neither() -> None:
    with pytest.raises(UnknownNameError, match="there is no file 'dyck', and there is no library program 'dyck'"):
        library.load("dyck")
    with pytest.raises(UnknownNameError, match="there is no file ''"):
        library.load("")


def test_a_directory_is_not_a_program(tmp_path: Path) -> None:
    with pytest.raises(LengthwiseError, match="is a directory"):
        library.load(str(tmp_path))


def test_bytes_that_are_not_utf8_are_refused_at_their_place(tmp_path: Path) -> None:
    file = tmp_path / "latin1.crasp"
    file.write_bytes(b"A = true // \xe4\n")
    with pytest.raises(LengthwiseError, match=r"is not UTF-8 text \(byte 13 is not\)"):
        library.load(file)


def test_a_file_that_is_too_large_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "large.crasp"
    text = b"A = true\n"
    file.write_bytes(text + b" " * (10_000_000 - len(text)))
    assert library.load(file).accepts("")
    with file.open("ab") as grown:
        grown.write(b" ")
    with pytest.raises(LengthwiseError, match="more than 10000000 bytes"):
        library.load(file)


def test_a_file_that_cannot_be_read_is_refused_with_the_reason(tmp_path: Path) -> None:
    file = tmp_path / "secret.crasp"
    file.write_text(ONLY_X, encoding="utf-8")
    file.chmod(0)
    if os.access(file, os.R_OK):  # the superuser reads everything, but no one reads the start of a process's memory
        file = Path("/proc/self/mem")
    if not file.exists():
        pytest.skip("nothing unreadable to be found here")
    with pytest.raises(LengthwiseError, match="cannot be read: "):
        library.load(file)
