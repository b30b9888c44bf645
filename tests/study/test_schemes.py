"""Position schemes as options and in reports."""

import pytest

from lengthwise.errors import LengthwiseError
from lengthwise.nn import positions
from lengthwise.study.schemes import KNOWN, read_positions, scheme_of


def test_schemes_are_read_with_their_aliases_and_numbers() -> None:
    found = read_positions("nope, learned,periodic:3,RPE,rope")
    assert [(each.key, each.position, each.given) for each in found] == [
        ("nope", "none", "none"),
        ("ape", "learned", "learned"),
        ("periodic", "periodic", "periodic:3"),
        ("relative", "relative", "relative"),
        ("rope", "rope", "rope"),
    ]


def test_a_scheme_counts_once_and_others_have_their_own_names() -> None:
    assert [each.key for each in read_positions(["none", "nope"])] == ["nope"]
    assert (scheme_of("pose").name, scheme_of("coupled").name) == ("PoSE", "coupled")
    assert scheme_of("pose").programs is None
    assert set(KNOWN) <= set(positions.names())


def test_the_names_of_headlines_are_read() -> None:
    names = ("NoPE", "APE", "RoPE", "ALiBi", "FIRE", "periodic")
    assert [scheme_of(name).name for name in names] == list(names)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("ropee", "there is no position scheme 'ropee'; nearest: rope"),
        ("rope:4", "'rope:4' is no position scheme; only periodic:NUMBER and relative:NUMBER"),
        ("periodic:0", "is no position scheme"),
        ("", "give at least one position scheme"),
        ("relative:2,relative:4", "one scheme of a kind, not relative:2 and relative:4"),
    ],
)
def test_what_is_no_scheme_is_refused_in_a_sentence(text: str, message: str) -> None:
    with pytest.raises(LengthwiseError, match=message):
        read_positions(text)
