"""Texts become acceptors, acceptors are compared, and the command line says what was found."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from lengthwise.crasp import load, parse
from lengthwise.errors import LengthwiseError
from lengthwise.public import verify
from lengthwise.public.deciding import written
from lengthwise.regular import Language
from lengthwise.regular.languages.automaton import Automaton
from lengthwise.subjects import Subject
from tests.e2e.command import Done, lengthwise
from tests.regular.prover.test_prover import AUTOMATA, bounded_dyck

TABLE = "     a  b\n> p  q  p\n* q  q  q\n"
JSON = {
    "alphabet": ["a", "b"],
    "states": ["p", "q"],
    "start": "p",
    "accepting": ["q"],
    "transitions": {"p": {"a": "q", "b": "p"}, "q": {"a": "q", "b": "q"}},
}
CONTAINS_A = Automaton(("a", "b"), ((1, 0), (1, 1)), 0, frozenset({1}))
PROGRAM = 'alphabet "a" "b"\nY = exists "a"\n'


@pytest.fixture
def files(tmp_path: Path) -> Path:
    (tmp_path / "some.crasp").write_text(PROGRAM)
    (tmp_path / "plain").write_text(PROGRAM)
    (tmp_path / "some.dfa").write_text(TABLE)
    (tmp_path / "some.txt").write_text(TABLE)
    (tmp_path / "some.json").write_text(json.dumps(JSON))
    return tmp_path


# ---------------------------------------------------------------------------------------------- subjects


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("some.crasp", "program"),
        ("plain", "program"),
        ("some.dfa", "automaton"),
        ("some.txt", "automaton"),
        ("some.json", "automaton"),
    ],
)
def test_a_file_is_read_by_its_suffix(files: Path, name: str, kind: str) -> None:
    found = Subject.of(str(files / name))
    assert found.kind == kind
    assert found.as_acceptor() == (CONTAINS_A if kind == "automaton" else parse(PROGRAM))


def test_a_prefix_says_what_a_name_is_meant_to_be() -> None:
    assert Subject.of("d2").as_acceptor() == load("d2")
    assert Subject.of("d:3").as_acceptor() == load("d:3")
    regex = Subject.of("regex:d2").as_acceptor()
    assert isinstance(regex, Automaton)
    assert regex.symbols == ("2", "d")
    assert Subject.of("(ab)*").kind == "regex"
    assert Subject.of("program:d2").as_acceptor() == load("d2")
    assert Subject.of("language:d2").as_acceptor() == AUTOMATA["d2"].minimal()
    assert Subject.of("tomita-5").kind == "language"  # no program accepts it


def test_a_regex_is_read_over_the_alphabet_that_is_given() -> None:
    found = Subject.of("a.*", "abc").as_acceptor()
    assert isinstance(found, Automaton)
    assert found.symbols == ("a", "b", "c")
    assert found.accepts("acb")
    spaced = Subject.of('"if" .', "if then").as_acceptor()
    assert spaced.accepts(["if", "then"])


@pytest.mark.parametrize(
    "text", ["no-such-file.crasp", "no-such-file.json", "language:nothing", "a(b", "program:(ab)*"]
)
def test_a_text_that_stands_for_nothing_is_refused(text: str) -> None:
    with pytest.raises(LengthwiseError):
        Subject.of(text)


# ------------------------------------------------------------------------------------------------ verify


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("d2", "(a(ab)*b)*"),
        ("(a(ab)*b)*", "d2"),
        ("tomita-7", "0*1*0*1*"),
        ("contains-ab", ".*ab.*"),
        ("abcde", "a+b+c+d+e+"),
        ("ab-d-bc", "[ab]*d[bc]*"),
        ("aa-star", "(aa)*"),
        ("tomita-1", "1*"),
        ("(a|b)*", "(a*b*)*"),
        ("scattered:ab", "[abc]*a[abc]*b[abc]*"),
    ],
)
def test_a_program_is_equal_to_a_regex_over_its_own_alphabet(left: str, right: str) -> None:
    assert verify(left, right).equal


@pytest.mark.parametrize(
    ("left", "right", "word"),
    [
        ("d2", "d3", "aaabbb"),
        ("dyck1", bounded_dyck(3, ("(", ")")), "(((())))"),
        ("contains-ab", "a*b*", "a"),
        ("a*", "a+", ""),
        ("a*", "b*", "a"),
        ("majority", "1*", "01"),
        (AUTOMATA["d2"], "(ab)*", "aabb"),
    ],
)
def test_the_first_difference_is_found(left: str, right: str | Automaton, word: str) -> None:
    found = verify(left, right)
    assert (found.equal, found.difference) == (False, tuple(word))


def test_sides_may_be_programs_automata_and_languages() -> None:
    sides = ("d2", load("d2"), AUTOMATA["d2"], Language(AUTOMATA["d2"]))
    for left in sides:
        for right in sides:
            assert verify(left, right).equal


def test_what_search_cannot_prove_induction_may() -> None:
    # Three quarters of all are a; the forms are related only through all three letters at once.
    left = parse('alphabet "a" "b" "c"\nY = # "a" >= # "b" && # "b" >= # "c" && # "a" + # "b" + # "c" >= 3 * # "c"')
    right = parse('alphabet "a" "b" "c"\nY = # "a" >= # "b" && # "b" >= # "c"')
    assert verify(left, right, seconds=60).equal


def test_too_little_time_leaves_it_open() -> None:
    found = verify("dyck1", bounded_dyck(200, ("(", ")")), seconds=20, states=50)
    assert found.equal is None
    assert found.checked_to is not None


def test_an_alphabet_restricts_the_words_that_are_compared() -> None:
    assert verify("contains-ab", "a*").difference == ("a",)
    assert verify("contains-ab", "a*", "b").equal  # neither has a non-empty word without a
    left, right = parse('Y = "a" || "c"'), parse('Y = "a"')
    assert verify(left, right).difference == ("c",)
    assert verify(left, right, "ab").equal


def test_something_else_is_refused() -> None:
    with pytest.raises(LengthwiseError, match="int is no subject"):
        verify("d2", 3)


# ------------------------------------------------------------------------------------------ command line


def run(*arguments: str) -> Done:
    return lengthwise("verify", *arguments)


def test_equal_sides_end_with_code_zero() -> None:
    done = run("d2", "(a(ab)*b)*")
    assert done.returncode == 0
    assert done.stdout.splitlines() == [
        "library program and language d2 over {a, b}; regex over {a, b}",
        "equal at every length (proved, all 4 configurations compared)",
    ]


def test_different_sides_end_with_code_one_and_the_first_difference() -> None:
    done = run("d2", "d3")
    assert done.returncode == 1
    assert done.stdout.splitlines()[1:] == ["different: first on `aaabbb`, which d3 accepts and d2 rejects"]
    assert "the empty word, which a* accepts" in run("a*", "a+").stdout


def test_an_open_question_ends_with_code_three() -> None:
    done = run("d12", "d12", "--seconds", "0")
    assert done.returncode == 3
    assert done.stdout.splitlines()[1].startswith(
        "equal on every word up to length 0; neither a proof nor a difference"
    )


def test_the_empty_word_is_mentioned_apart(tmp_path: Path) -> None:
    path = tmp_path / "empty.crasp"
    path.write_text('alphabet "a"\nY = # "a" == 0\n')
    done = run(str(path), "∅", "--alphabet", "a")
    assert done.returncode == 0
    assert "On the empty word" in done.stdout


def test_json_has_stable_keys() -> None:
    equal = json.loads(run("d2", "(a(ab)*b)*", "--json").stdout)
    assert equal["equal"] is True
    assert (equal["difference"], equal["checked_to"], equal["left"], equal["right"]) == (None, None, "d2", "(a(ab)*b)*")
    different = json.loads(run("d2", "d3", "--json").stdout)
    assert (different["equal"], different["difference"], different["accepted_by"]) == (False, "aaabbb", "right")
    unknown = json.loads(run("d2", "d3", "--json", "--seconds", "0").stdout)
    assert (unknown["equal"], unknown["difference"], unknown["checked_to"]) == ("unknown", None, 0)
    assert equal["meanings"] == ["library program and language d2 over {a, b}", "regex over {a, b}"]
    assert {"method", "states", "alphabet", "empty_differs"} <= set(equal)


def test_symbols_of_several_characters_are_written_with_spaces(tmp_path: Path) -> None:
    path = tmp_path / "open.crasp"
    path.write_text('alphabet "open" "close"\nY = # "close" > # "open"\n')
    done = json.loads(run(str(path), '("open" "close")*', "--json").stdout)
    assert (done["difference"], done["equal"]) == ("close", False)
    assert written(("open", "close")) == "open close"
    assert written(("a", "b")) == "ab"
