"""Every rival agrees on what was seen, differs where it says, and none is missing."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path

import numpy as np
import pytest

import lengthwise as lw
from lengthwise import crasp
from lengthwise.atlas.finding import Settings, find
from lengthwise.atlas.rivals import RivalSearch
from lengthwise.atlas.shares import Share
from tests.atlas import expressions
from tests.e2e.command import lengthwise

IDENTIFIED = {
    # identify.md, section 3: the identification length of each, κ = symbols, C-RASP[∅].
    "(a|b)*b(a|b)*": 2,
    "a*b*": 3,
    "majority": 3,
    "(a|b)*a(a|b)*b(a|b)*": 3,
    "dyck1": 5,
    "a*b*a*b*": 5,
}


@pytest.mark.parametrize(("subject", "length"), IDENTIFIED.items())
def test_rivals_end_at_the_identification_length(subject: str, length: int) -> None:
    assert lw.rivals(subject, length).rivals == ()
    before = lw.rivals(subject, length - 1)
    assert before.found.proved
    assert max(len(rival.difference) for rival in before.rivals) == length


def test_dyck_1_has_the_rival_that_is_predicted() -> None:
    found = lw.rivals("dyck1", 4)
    assert found.complexity == 15
    assert [rival.member.complexity for rival in found.rivals] == [15]
    named = crasp.parse('alphabet "(" ")"\nY = #")" >= #"(" && #"(" >= #(#")" >= #"(")')
    assert lw.verify(found.rivals[0].member.program, named).equal


@pytest.mark.parametrize(("subject", "length"), [("dyck1", 4), ("a*b*", 2), ("tomita-4", 3), ("d2", 5)])
def test_a_rival_agrees_on_all_short_words_and_differs_first_where_it_says(subject: str, length: int) -> None:
    found = lw.rivals(subject, length, most=4, fragment="local" if subject == "tomita-4" else "", complexity=15)
    right = found.subject.as_acceptor()
    assert found.rivals
    for rival in found.rivals:
        program = crasp.parse(str(rival.member.program))
        symbols = program.alphabet.symbols
        first = len(rival.difference)
        assert first > length
        assert rival.shortest
        for size in range(1, first):
            for word in product(symbols, repeat=size):
                assert program.accepts(word) == right.accepts(word)
        assert program.accepts(rival.difference) != right.accepts(rival.difference)
        compared = lw.verify(program, right)
        assert compared.difference is not None
        assert len(compared.difference) == first
        assert rival.shown == Share(0.0)
    order = [rival.member.complexity for rival in found.rivals]
    assert order == sorted(order)


def test_no_rival_of_small_complexity_is_missing() -> None:
    listed = list(expressions.words(7))
    right = crasp.parse('alphabet "a" "b"\nY = "a" && #"b" >= #"a"')
    for length in (1, 2, 3):
        short = [word for word in listed if len(word) <= length]
        every = set()
        for level in range(1, 7):
            for tree in expressions.trees(level):
                if all(expressions.holds(tree, word) == right.accepts(word) for word in short):
                    every.add(tuple(expressions.holds(tree, word) for word in listed))
        every.discard(tuple(right.accepts(word) for word in listed))
        found = lw.rivals(right, length, most=1000)
        small = [rival.member.program for rival in found.rivals if rival.member.complexity <= 6]
        assert {tuple(program.accepts(word) for word in listed) for program in small} == every
        assert found.complete


def test_words_that_are_drawn_leave_what_agrees_at_all_their_prefixes() -> None:
    right = crasp.load("majority")
    found = find(right, ("0", "1"), Settings())
    for train_length in (4, 14):
        search = RivalSearch(right, found, (20,), seed=3)
        seen = search.seen(train_length, 3)
        assert seen.drawn is not None
        words = ["".join("01"[letter] for letter in row) for part in seen.drawn for row in part]
        assert len(words) == 3
        assert max(map(len, words)) <= train_length
        prefixes = {word[:end] for word in words for end in range(1, len(word) + 1)}
        expected = {
            member.id
            for member in found.atlas
            if all(member.program.accepts(word) == right.accepts(word) for word in prefixes)
        }
        listed = list(search.rivals(train_length, 3))
        assert found.member is not None
        assert {rival.member.id for rival in listed} == expected - {found.member.id}
        for rival in listed:
            assert 0 < rival.shown.value < 1
            assert not rival.shown.exact


def test_accuracy_is_the_share_of_words_on_which_both_answer_the_same() -> None:
    right = crasp.load("majority")
    search = RivalSearch(right, find(right, ("0", "1"), Settings()), (9,))
    (rival,) = search.rivals(2)
    words = search.draw.words(9, 4000)
    texts = ["".join("01"[letter] for letter in row) for row in words]
    same = np.mean([right.accepts(text) == rival.member.program.accepts(text) for text in texts])
    ((length, share),) = rival.accuracy
    assert length == 9
    assert share.value == pytest.approx(same)
    assert share.low is not None
    assert share.low < same < (share.high or 0)


def test_the_command_prints_what_is_promised_and_draws(tmp_path: Path) -> None:
    done = lengthwise("rivals", "dyck1", "--train-length", "4", "--json", "--plot", "rivals.svg", cwd=tmp_path)
    answer = json.loads(done.stdout)
    assert {"subject", "train_length", "rivals"} <= set(answer)
    keys = {"program", "complexity", "shortest_difference", "shown", "accuracy"}
    assert all(keys <= set(rival) for rival in answer["rivals"])
    assert answer["rivals"][0]["shortest_difference"] == "(()))"
    assert "Rivals of dyck1" in (tmp_path / "rivals.svg").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("majority", "-n", "5000"), "the training length lies between 1 and 2000, not 5000"),
        (("majority", "-n", "3", "--fragment", "foo"), "a fragment is a subset of periodic, local"),
        (("majority", "-n", "3", "--encoding", "foo"), "there is no complexity 'foo'; choose symbols, bits, heads"),
        (("majority", "-n", "3", "-t", "x"), "--test-lengths takes numbers with commas between"),
        (("copy-unique", "-n", "3"), "accepts"),
    ],
)
def test_bad_input_is_one_sentence(arguments: tuple[str, ...], message: str, tmp_path: Path) -> None:
    done = lengthwise("rivals", *arguments, cwd=tmp_path)
    assert done.returncode == 2
    assert message in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


def test_a_difference_beyond_the_short_words_is_found_by_verify() -> None:
    # D_6 and Dyck-1 differ first at length 14, and short words go to 10.
    found = lw.rivals("d:6", 11, most=1, fragment="", complexity=15)
    assert [len(rival.difference) for rival in found.rivals] == [14]
    assert found.rivals[0].shortest
