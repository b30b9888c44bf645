import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lengthwise.alphabet import UNKNOWN, Alphabet, parse_alphabet, split, write_alphabet
from lengthwise.errors import LengthwiseError, WordError

CLOSED = Alphabet(("a", "b", "ä"))
OPEN = Alphabet(("(", ")", "long"), is_open=True)


@given(st.lists(st.sampled_from(["a", "b", "ä"])))
def test_all_ways_to_write_a_word_give_the_same_ids(word: list[str]) -> None:
    expected = ["abä".index(symbol) for symbol in word]
    text = "".join(word)
    for written in (word, tuple(word), text, text.encode(), " ".join(word) + " ", np.array(expected, dtype=np.int64)):
        assert CLOSED.encode(written).tolist() == expected


@given(st.text(alphabet="()x "))
def test_text_is_split_at_spaces_if_there_are_any(text: str) -> None:
    expected = text.split() if " " in text else list(text)
    assert split(text) == expected
    assert OPEN.encode(text).tolist() == [{"(": 0, ")": 1}.get(symbol, 3) for symbol in expected]


def test_multi_character_symbols_need_spaces_or_a_list() -> None:
    assert OPEN.encode("long ( long").tolist() == [2, 0, 2]
    assert OPEN.encode(["long"]).tolist() == [2]
    assert OPEN.encode("long").tolist() == [3, 3, 3, 3]


def test_decoding_returns_the_symbols_and_marks_unlisted_ones() -> None:
    assert OPEN.decode(OPEN.encode(["(", "long", "?"])) == ["(", "long", UNKNOWN]


@pytest.mark.parametrize("word", ["abx", b"abx", ["a", "b", "x"], "a b x", "äbx"])
def test_a_closed_alphabet_names_the_unknown_symbol_and_its_position(word: str) -> None:
    with pytest.raises(WordError, match=r"'x' at position 3 is not in the alphabet \{a, b, ä\}"):
        CLOSED.encode(word)


@pytest.mark.parametrize("ids", [[0, 3], [-1], [2**40]])
def test_ids_out_of_range_are_refused(ids: list[int]) -> None:
    with pytest.raises(WordError, match="is not a symbol id"):
        CLOSED.encode(np.array(ids))


@pytest.mark.parametrize("word", [b"\xff\xfe", [1, 2.5, object()], [["a"]]])
def test_nonsense_words_are_refused_in_one_sentence(word: object) -> None:
    with pytest.raises(LengthwiseError) as caught:
        CLOSED.encode(word)  # type: ignore[arg-type]
    assert "\n" not in str(caught.value)


def test_an_alphabet_of_three_hundred_symbols_gets_wider_ids() -> None:
    many = Alphabet(tuple(f"s{number}" for number in range(300)))
    assert many.encode(["s299", "s0"]).tolist() == [299, 0]
    assert many.dtype == np.uint16


def test_an_alphabet_lists_each_symbol_once_and_at_least_one() -> None:
    with pytest.raises(WordError):
        Alphabet(("a", "a"))
    with pytest.raises(WordError):
        Alphabet(())


# ------------------------------------------------------------------------------------- alphabets as text


@pytest.mark.parametrize(
    ("text", "symbols"),
    [
        ("ab", ["a", "b"]),
        ("a b", ["a", "b"]),
        ("a,b", ["a", "b"]),
        ("a, b ,c", ["a", "b", "c"]),
        ("if then else", ["if", "then", "else"]),
        ("if,then", ["if", "then"]),
        ("(){}", ["(", ")", "{", "}"]),
        ("{ }", ["{", "}"]),
        ("a b ','", ["a", "b", ","]),
        ('a,",",b', ["a", ",", "b"]),
        ("""ab"'" """, ["a", "b", "'"]),
        ('" "a', [" ", "a"]),
        ("a\tb\n", ["a", "b"]),
    ],
)
def test_an_alphabet_is_read_from_text(text: str, symbols: list[str]) -> None:
    assert parse_alphabet(text) == tuple(symbols)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "is empty"),
        (" \n", "is empty"),
        ("aa", "lists 'a' twice"),
        ("a,b,a", "lists 'a' twice"),
        ("a,,b", "separates nothing"),
        (",", "separates nothing"),
        ("ab,", "separates nothing"),
        ("a,b c", "in one way only"),
        ("a b'", "not closed"),
        ("a ''", "empty symbol"),
        ("a 'b'c", "touches another"),
        ("{a, b}", "in braces"),
    ],
)
def test_an_alphabet_that_can_be_misread_is_refused(text: str, reason: str) -> None:
    with pytest.raises(WordError, match=reason):
        parse_alphabet(text)


@given(st.lists(st.text("ab,\"' {}\t", min_size=1, max_size=3), min_size=1, max_size=5, unique=True))
def test_a_written_alphabet_is_read_as_the_same_symbols(symbols: list[str]) -> None:
    if any('"' in symbol and "'" in symbol for symbol in symbols):
        with pytest.raises(WordError, match="both kinds of quotes"):
            write_alphabet(symbols)
    else:
        assert parse_alphabet(write_alphabet(symbols)) == tuple(symbols)


@given(st.text("ab, \"'{}\n", max_size=12))
def test_any_text_is_an_alphabet_or_refused_with_a_word_error(text: str) -> None:
    try:
        symbols = parse_alphabet(text)
    except WordError:
        return
    assert symbols
    assert len(set(symbols)) == len(symbols)
    assert "" not in symbols
