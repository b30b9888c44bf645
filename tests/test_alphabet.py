import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lengthwise.alphabet import UNKNOWN, Alphabet, split
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
