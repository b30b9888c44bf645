"""Text automata of AT&T and OpenFst, against a small interpreter that follows all paths of the file at once."""

from __future__ import annotations

import random
from itertools import product
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lengthwise.regular.languages import att_files
from lengthwise.regular.languages.att_files import automaton_from_att, to_att, to_symbol_table
from lengthwise.regular.languages.automaton import Automaton
from lengthwise.regular.languages.dfa_files import AutomatonError, read_automaton
from lengthwise.regular.languages.language import Language

WORDS = [word for length in range(7) for word in product("ab", repeat=length)]


def accepts(text: str, word: tuple[str, ...]) -> bool:
    """Whether a file accepts a word: sets of states, `<eps>` followed until nothing is new."""
    lines = [line.split() for line in text.splitlines() if line.split()]
    arcs = [(line[0], line[2], line[1]) for line in lines if len(line) > 2]
    ends = {line[0] for line in lines if len(line) <= 2}

    def silent(states: set[str]) -> set[str]:
        while more := {t for s, label, t in arcs if s in states and label == "<eps>"} - states:
            states = states | more
        return states

    states = silent({lines[0][0]})
    for symbol in word:
        states = silent({t for s, label, t in arcs if s in states and label == symbol})
    return bool(states & ends)


def random_file(rng: random.Random, states: int, arcs: int) -> str:
    names = rng.sample(range(10 * states), states)
    columns = rng.choice([3, 4, 5])
    separator = rng.choice(["\t", " ", "  "])
    lines = []
    for _ in range(arcs):
        label = rng.choice(["a", "b", "a", "b", "<eps>"])
        line = [str(rng.choice(names)), str(rng.choice(names)), label, label, rng.choice(["0", "0.0", "0.000000"])]
        lines.append(separator.join(line[:columns]))
    ends = [f"{rng.choice(names)}{rng.choice(['', ' 0', separator + '0.0'])}" for _ in range(rng.randint(0, 2))]
    return "\n".join(
        [
            *lines,
            f"{names[0]} {names[0]} a{' a' * (columns > 3)}",
            f"{names[0]} {names[0]} b{' b' * (columns > 3)}",
            *ends,
        ]
    )


def test_random_files_have_the_words_that_following_all_paths_finds() -> None:
    rng = random.Random(11)
    nondeterministic = 0
    for _ in range(150):
        text = random_file(rng, rng.randint(1, 6), rng.randint(1, 12))
        machine = automaton_from_att(text)
        for word in WORDS:
            assert machine.accepts(word) == accepts(text, word), (text, word)
        nondeterministic += "<eps>" in text
    assert nondeterministic > 50


@st.composite
def automata(draw: st.DrawFn) -> Automaton:
    texts = st.text("ab01#-*<>é", min_size=1, max_size=2)
    symbols = draw(st.lists(texts, min_size=1, max_size=4, unique=True))
    count = draw(st.integers(1, 5))
    states = st.integers(0, count - 1)
    table = draw(st.lists(st.tuples(*(states for _ in symbols)), min_size=count, max_size=count))
    return Automaton(tuple(symbols), tuple(table), draw(states), frozenset(draw(st.sets(states))))


@settings(max_examples=80)
@given(automata())
def test_what_is_written_reads_back_as_the_same_language(automaton: Automaton) -> None:
    text, table = to_att(automaton), to_symbol_table(automaton)
    assert automaton_from_att(text, table).minimal() == automaton.minimal()
    if not any(symbol.isdecimal() for symbol in automaton.symbols):
        assert Language(automaton_from_att(text)) == Language(automaton)


def test_what_is_written_is_what_openfst_prints() -> None:
    even = Automaton(("a", "b"), ((1, 0), (0, 1)), 1, frozenset({0}))
    assert to_att(even) == "1\t0\ta\n1\t1\tb\n0\t1\ta\n0\t0\tb\n0\n"
    assert to_symbol_table(even) == "<eps>\t0\na\t1\nb\t2\n"
    digits = Automaton(("0", "1"), ((0, 0),), 0, frozenset())
    assert to_att(digits) == "0\t0\t2\n0\t0\t3\n"
    assert to_symbol_table(digits) == "<eps>\t0\n0\t2\n1\t3\n"


@pytest.mark.parametrize("symbol", ["a b", "<eps>", "@0@", "@P.x@", "\t", "ε"])
def test_a_symbol_that_the_notation_cannot_hold_is_refused(symbol: str) -> None:
    for write in (to_att, to_symbol_table):
        with pytest.raises(AutomatonError, match="cannot be written in this notation"):
            write(Automaton((symbol,), ((0,),), 0, frozenset()))


# ------------------------------------------------------------------------------------------------- reading


@pytest.mark.parametrize(
    "text",
    [
        "0 1 a\n1 0 a\n0",
        "0\n0 1 a\n1 0 a",
        "7\t3\ta\ta\n3\t7\ta\ta\n7\n",
        "0 1 a a 0\n1 0 a a 0.0\n0 0",
        "0 1 a 0\n1 0 a 0.0\n0 0.0",
        "00 01 a\r\n\r\n1 0 a\r\n0\r\n",
        "999999999999999999 5 a\n5 999999999999999999 a\n999999999999999999",
        "0 1 @0@\n1 2 a\n2 0 a\n0\n2 2 ε",
        "0 1 a\n1 0 a\n0 2 a\n2 3 a\n0\n0",
    ],
)
def test_an_even_number_of_a_can_be_written_in_many_ways(text: str) -> None:
    assert Language(automaton_from_att(text)) == Language.from_regex("(aa)*")


def test_a_symbol_table_gives_the_alphabet_and_its_order() -> None:
    table = "b 7\n<eps> 0\na 9\nc 12\n"
    by_symbol, by_number = automaton_from_att("0 1 a\n1", table), automaton_from_att("0 1 9\n1 2 0\n1", table)
    assert by_symbol.symbols == by_number.symbols == ("b", "a", "c")
    assert Language(by_symbol) == Language(by_number) == Language.from_regex("a", "bac")


def test_numbers_without_a_table_are_symbols() -> None:
    machine = automaton_from_att("0 1 10 10\n1 1 9 9\n1")
    assert machine.symbols == ("9", "10")
    assert machine.accepts(["10", "9"])


def test_a_file_is_read_with_the_table_beside_it(tmp_path: Path) -> None:
    (tmp_path / "x.att").write_text("0 1 1\n1\n")
    assert read_automaton(tmp_path / "x.att").symbols == ("1",)
    (tmp_path / "x.syms").write_text("<eps> 0\nyes 1\nno 2\n")
    assert read_automaton(tmp_path / "x.att").symbols == ("yes", "no")
    assert Language.from_dfa(tmp_path / "x.att").accepts(["yes"])
    (tmp_path / "x.syms").write_text("<eps> 0\nyes one\n")
    with pytest.raises(AutomatonError, match=r"x\.syms:2: a line of a symbol table has a symbol and its number"):
        read_automaton(tmp_path / "x.att")
    (tmp_path / "x.att").write_text("0 1 a\n# an end\n1\n")
    (tmp_path / "x.syms").unlink()
    with pytest.raises(AutomatonError, match=r"x\.att:2: this notation has no comments; remove the line"):
        read_automaton(tmp_path / "x.att")


# -------------------------------------------------------------------------------------------------- errors


@pytest.mark.parametrize(
    ("text", "table", "message"),
    [
        ("", None, "line 1: there is no state"),
        ("0", None, "no symbol is named"),
        ("0 1 <eps>\n1", None, "no symbol is named"),
        ("0 1 a\n1 0.5", None, "line 2: the final weight '0.5' is not 0"),
        ("0 1 a\n1 Infinity", None, "line 2: the final weight 'Infinity' is not 0"),
        ("0 1", None, "line 1: the final weight '1' is not 0; remove the weights, or add a label"),
        ("0 1 a\n0 1 b 2", None, "line 2: the fourth column '2' is neither the label 'b' again nor the weight 0"),
        ("0 1 a a\n0 1 a b", None, "line 2: the label 'a' and the output label 'b' differ"),
        ("0 1 a b", None, "line 1: the label 'a' and the output label 'b' differ"),
        ("0 1 1 2", None, "line 1: the fourth column '2' is neither the label '1' again nor the weight 0"),
        ("0 1 1 1\n0 1 2 3", None, "line 1: the fourth column is the label again here, but not in every line"),
        ("0 1 a\n0 1 b b", None, "line 2: the fourth column is the label again here, but not in every line"),
        ("0 1 a b 0", None, "line 1: the label 'a' and the output label 'b' differ; only acceptors"),
        ("0 1 a a 1.5", None, "line 1: the weight '1.5' is not 0"),
        ("0 1 a a 0\n0 1 b", None, "line 2: this arc has no output label"),
        ("0 1 a a 0\n0 1 b 0", None, "line 2: the label 'b' and the output label '0' differ"),
        ("0 1 5 0", None, "line 1: the fourth column 0 can be a weight or a label"),
        ("0 1 a 0", "a 1\n0 2", "line 1: the fourth column 0 can be a weight or a label"),
        ("0 1 0", None, "line 1: the label 0 can be epsilon or the symbol 0"),
        ("0 1 a b c d", None, "line 1: an arc has at most five columns, this line 6"),
        ("p q a", None, "line 1: 'p' is not the number of a state"),
        ("0 -1 a", None, "line 1: '-1' is not the number of a state"),
        ("0 " + "9" * 5000 + " a", None, "is not the number of a state"),
        ("0 1 a\n--\n0 1 b", None, "line 2: a second automaton begins here"),
        ("0 1 @_IDENTITY_SYMBOL_@", None, "line 1: the special symbol @_IDENTITY_SYMBOL_@ is not read"),
        ("0 1 b", "a 1", "line 1: the label 'b' is not in the symbol table"),
        ("0 1 1\n0 1 2", "a 1", "line 2: the label '2' is not in the symbol table"),
        ("0 1 1", "0 1\n1 2", "line 1: the label '1' is a symbol and a number of the symbol table"),
        ("0 1 a", "a 0", "symbol table:1: the number 0 is that of epsilon"),
        ("0 1 a", "a 1\n<eps> 3", "symbol table:2: the number 0 is that of epsilon"),
        ("0 1 a", "a 1\na 2", "symbol table:2: the symbol 'a' stands in line 1 already"),
        ("0 1 a", "a 1\nb 01", "symbol table:2: the number 1 stands in line 1 already"),
        ("0 1 a", "<eps> 0", "line 1: the label 'a' is not in the symbol table"),
    ],
)  # fmt: skip
def test_a_bad_file_is_refused_with_its_line(text: str, table: str | None, message: str) -> None:
    with pytest.raises(AutomatonError) as caught:
        automaton_from_att(text, table)
    assert message in str(caught.value)


@settings(max_examples=300)
@given(st.text("01 \ta<eps>\n#.-", max_size=30), st.none() | st.text("01 a<eps>\n", max_size=20))
def test_any_text_is_an_automaton_or_refused(text: str, table: str | None) -> None:
    try:
        symbols = automaton_from_att(text, table).symbols
    except AutomatonError as error:
        symbols = (str(error),)
    assert symbols
    assert "\n" not in "".join(symbols)


def with_an_a_before(distance: int) -> str:
    """A file that guesses the a so many symbols before the end; deterministic, it has 2 ** distance states."""
    rest = "".join(f"{state} {state + 1} {symbol}\n" for state in range(1, distance) for symbol in "ab")
    return f"0 0 a\n0 0 b\n0 1 a\n{rest}{distance}\n"


def test_files_that_would_become_too_large_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    many = "".join(f"{state} {state + 1} a\n" for state in range(20_001))
    with pytest.raises(AutomatonError, match="it has 20002 states and 1 symbols; at most 20000 states"):
        automaton_from_att(many)
    assert len(automaton_from_att(with_an_a_before(8))) == 256
    with pytest.raises(AutomatonError, match=r"^x\.att: the deterministic automaton of this file has more than 20000"):
        automaton_from_att(with_an_a_before(15), name="x.att")
    with pytest.raises(AutomatonError, match="has more than 255 states"):
        automaton_from_att(with_an_a_before(8), limit=255)
    monkeypatch.setattr(att_files, "MOST_BITS", 100)
    with pytest.raises(AutomatonError, match="too large to be made deterministic"):
        automaton_from_att(with_an_a_before(8))


def test_a_long_chain_without_symbols_is_followed_quickly() -> None:
    chain = "".join(f"{state} {state + 1} <eps>\n" for state in range(5_000)) + "5000 0 a\n5000\n"
    assert Language(automaton_from_att(chain)) == Language.from_regex("a*")
