"""Tasks of the field: what is sampled is what plain Python says, written without automata of ours."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lengthwise as lw
from lengthwise.tasks import check_claim, get
from lengthwise.tasks.field import StateTracking


def samples(task: Any, length: int, words: int = 60) -> list[tuple[list[str], list[Any], list[bool]]]:
    """Words, what is expected at each position, and whether that is scored."""
    batch = task.sample(length, words, np.random.default_rng(length))
    found = []
    for row in range(words):
        if task.loss == "next-set":
            names = [*task.alphabet.symbols, "end"]
            expected: list[Any] = [{names[k] for k in np.flatnonzero(at)} for at in batch.targets[row]]
        else:
            expected = list(task.alphabet.decode(batch.targets[row]))
        found.append((list(task.alphabet.decode(batch.tokens[row])), expected, batch.mask[row].tolist()))
    return found


def after_flip_flop(read: list[str]) -> set[str]:
    if len(read) % 2:
        if read[-1] != "r":
            return {"0", "1"}
        return {next(read[at + 1] for at in range(len(read) - 3, -1, -2) if read[at] == "w")}
    return {"w", "i", "r", "end"}


def after_brackets(read: list[str], pairs: str, depth: int) -> set[str]:
    opened: list[str] = []
    for symbol in read:
        if symbol in pairs[0::2]:
            opened.append(symbol)
        else:
            assert pairs[pairs.index(opened.pop()) + 1] == symbol
    found = set(pairs[0::2]) if len(opened) < depth else set()
    return found | ({pairs[pairs.index(opened[-1]) + 1]} if opened else {"end"})


def after_blocks(read: list[str], blocks: int) -> set[str]:
    done = [symbol for symbol, _ in itertools.groupby(read)]
    assert done == ["a", "b"] * (len(done) // 2) + ["a"] * (len(done) % 2)
    here, other = done[-1], {"a": "b", "b": "a"}[done[-1]]
    return {here} | ({"end"} if len(done) == blocks else {other})


@pytest.mark.parametrize("ignore", [0.0, 0.8])
def test_flip_flop_reads_what_was_written_last(ignore: float) -> None:
    for word, expected, scored in samples(get("task:flip-flop", ignore=ignore), 20):
        assert (word[0], word[-2], all(scored)) == ("w", "r", True)
        assert expected == [after_flip_flop(word[: at + 1]) for at in range(20)]
        if ignore == 0.0:
            assert "i" not in word


def test_the_share_of_ignored_bits_is_the_parameter() -> None:
    words = [word for word, _, _ in samples(get("task:flip-flop"), 42, 200)]
    between = [symbol for word in words for symbol in word[2:-2:2]]
    assert abs(between.count("i") / len(between) - 0.8) < 0.03
    assert abs(between.count("w") - between.count("r")) < 150


@pytest.mark.parametrize(("brackets", "depth"), [(1, 2), (2, 3), (4, 2)])
def test_brackets_are_nested_well_and_not_too_deep(brackets: int, depth: int) -> None:
    pairs = "()[]{}<>"[: 2 * brackets]
    for word, expected, _ in samples(get("task:bounded-dyck", brackets=brackets, depth=depth), 16):
        assert expected == [after_brackets(word[: at + 1], pairs, depth) for at in range(16)]
        assert "end" in expected[-1]


@pytest.mark.parametrize("blocks", [1, 2, 3, 6])
def test_letters_come_in_blocks(blocks: int) -> None:
    for word, expected, _ in samples(get("task:alternating-blocks", blocks=blocks), 9):
        assert expected == [after_blocks(word[: at + 1], blocks) for at in range(9)]
        assert len(list(itertools.groupby(word))) == blocks


def test_every_key_is_asked_for_its_value() -> None:
    task = get("task:associative-recall", keys=6, values=3)
    for word, expected, scored in samples(task, 5):
        pairs = dict(zip(word[0:10:2], word[1:10:2], strict=True))
        assert len(pairs) == 5
        assert word[10] == "?"
        assert sorted(word[11:]) == sorted(pairs)
        assert scored == [False] * 11 + [True] * 5
        assert expected[11:] == [pairs[key] for key in word[11:]]
    with pytest.raises(lw.LengthwiseError, match="has 6 keys, so no words of 7 pairs"):
        task.sample(7, 1, np.random.default_rng(0))


def test_the_program_of_associative_recall_solves_it_and_needs_a_local_window() -> None:
    task = get("task:associative-recall", keys=4, values=2)
    claim = check_claim(task, 4, 60)
    assert claim.counterexample is None
    verdict = lw.evaluate("task:associative-recall", "task:associative-recall", 3, words=4, keys=4, values=2)
    assert verdict.results[0].accuracy == 1.0


@pytest.mark.parametrize("answers", ["every", "markers"])
def test_the_states_of_parity_are_the_parities(answers: str) -> None:
    names: dict[int, set[str]] = {0: set(), 1: set()}
    for word, expected, scored in samples(get("task:state-tracking", answers=answers), 17):
        assert scored[-1]
        assert scored == [answers == "every" or symbol == "?" for symbol in word]
        for at in np.flatnonzero(scored):
            names[word[: at + 1].count("a") % 2].add(expected[at])
    assert sorted(map(len, names.values())) == [1, 1]
    assert names[0] != names[1]


def test_states_are_those_of_any_automaton_and_of_files(tmp_path: Path) -> None:
    (tmp_path / "three.att").write_text("0 1 a\n1 2 a\n2 0 a\n0 0 b\n1 1 b\n2 2 b\n0\n", encoding="utf-8")
    of_file = get("task:state-tracking", language=str(tmp_path / "three.att"))
    again = get("task:state-tracking", **of_file.parameters)
    of_object = StateTracking.of(lw.Subject.of(str(tmp_path / "three.att")).as_language().automaton)
    for task in (of_file, again, of_object):
        named: dict[int, set[str]] = {}
        for word, expected, _ in samples(task, 12):
            for at in range(12):
                named.setdefault(word[: at + 1].count("a") % 3, set()).add(expected[at])
        assert sorted(len(each) for each in named.values()) == [1, 1, 1]
        assert len(set.union(*named.values())) == 3


VERDICTS = {
    ("task:state-tracking", "language", "parity"): ("no", "no", "no"),
    ("task:state-tracking", "language", "(aa)*"): ("no", "no", "yes"),
    ("task:state-tracking", "language", "a*b*"): ("yes", "yes", "yes"),
    ("task:flip-flop", "ignore", 0.8): ("no", "no", "no"),
    ("task:bounded-dyck", "brackets", 1): ("yes", "yes", "yes"),
    ("task:alternating-blocks", "blocks", 4): ("yes", "yes", "yes"),
}


@pytest.mark.parametrize(("name", "key", "value"), VERDICTS)
def test_verdicts_are_those_of_the_languages(name: str, key: str, value: Any) -> None:
    found: Any = lw.describe_task(name, **{key: value})
    assert tuple(found["verdict"].values()) == VERDICTS[name, key, value]


@pytest.mark.parametrize(
    ("name", "parameters", "sentence"),
    [
        ("task:flip-flop", {"ignore": 2.0}, "ignore is a probability"),
        ("task:bounded-dyck", {"brackets": 5}, "brackets is a number from 1 to 4"),
        ("task:bounded-dyck", {"brackets": 4, "depth": 40}, "with at most 4096 stacks"),
        ("task:alternating-blocks", {"blocks": 0}, "blocks is a number from 1 to 64"),
        ("task:associative-recall", {"keys": 0}, "keys is a number from 1 to 1024"),
        ("task:state-tracking", {"answers": "none"}, "answers is one of every, markers"),
        ("task:state-tracking", {"language": "(("}, "("),
    ],
)
def test_parameters_that_make_no_task_are_refused(name: str, parameters: dict[str, Any], sentence: str) -> None:
    with pytest.raises(lw.LengthwiseError) as problem:
        get(name, **parameters)
    assert sentence in str(problem.value)
