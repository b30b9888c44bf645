"""The two-party argument: what programs remember, and what copying and addition need."""

from __future__ import annotations

import json
from itertools import combinations, product
from random import Random

import pytest

from lengthwise.crasp import Program, library, parse
from lengthwise.errors import LengthwiseError, UnknownNameError
from lengthwise.regular.algorithmic.communication import CommunicationWitness, Symbols, most_states
from lengthwise.regular.deciding.verdict import Witness

TASKS = ("copy-repeat", "addition")


def sequence_of(task: str, half: Symbols) -> Symbols:
    """The whole sequence that begins with a half and goes on with Bob's operand, 0, written without the package."""
    if task == "copy-repeat":
        return (*half, *half[:-1], "EOS")
    number = int("".join(half[:-1]), 2)
    return (*half, "0", "=", *f"{number + 0:b}", "EOS")


# -------------------------------------------------------------------------------------- what a program remembers


def behaviours(program: Program, symbols: str, length: int, further: int) -> int:
    """How many different things a program can still do after the words of one length."""
    seen: set[tuple[object, ...]] = set()
    rests = ["".join(rest) for size in range(further + 1) for rest in product(symbols, repeat=size)]
    for word in map("".join, product(symbols, repeat=length)):
        if program.predicts:
            seen.add(tuple(frozenset(program.next_tokens(word + rest)[-1]) for rest in rests))
        else:
            seen.add(tuple(program.accepts(word + rest) for rest in rests))
    return len(seen)


@pytest.mark.parametrize(
    "name", ["majority", "dyck1", "tomita-4", "d3", "contains-ab", "aaaa-star", "induction-all:ab"]
)
def test_a_program_behaves_in_no_more_ways_than_it_has_states(name: str) -> None:
    program = library.get(name)
    symbols = "".join(program.alphabet.symbols)
    for length in range(1, 6):
        assert behaviours(program, symbols, length, 3) <= most_states(program, length)


def test_the_number_of_states_counts_running_counts_and_remembered_values() -> None:
    assert most_states(parse('A = # "a" >= # "b"'), 9) == 10**2
    assert most_states(parse('A = #[j >= i-2] "a" >= 2'), 9) == 2**2
    assert most_states(parse('A = i % 7 == 3 && "a"'), 9) == 1
    assert most_states(parse('next "a" = # "a" >= 1\nA = #(exists[j == i-1] "b") >= 2'), 9) == 10**2 * 2


# ------------------------------------------------------------------------------------------------ fooling sets


@pytest.mark.parametrize("task", TASKS)
def test_the_required_symbols_spell_out_the_sequence(task: str) -> None:
    witness = CommunicationWitness(task)
    for half in witness.halves(4):
        whole = sequence_of(task, half)
        begun = len(half) if task == "copy-repeat" else len(half) + 2
        for place in range(begun, len(whole)):
            assert witness.required(whole[:place]) == whole[place]
        assert witness.required(whole) is None


def test_sums_are_required_for_all_operands() -> None:
    witness = CommunicationWitness("addition")
    for left, right in product(range(9), repeat=2):
        read = (*f"{left:b}", "+", *f"{right:04b}", "=")
        written: Symbols = ()
        while (symbol := witness.required((*read, *written))) != "EOS":
            assert symbol is not None
            written += (symbol,)
        assert int("".join(written), 2) == left + right


def test_nothing_is_required_where_a_sequence_is_not_one_of_the_task() -> None:
    copying, adding = CommunicationWitness("copy-repeat"), CommunicationWitness("addition")
    for read in ("a b", "a b SEP b", "a b SEP a b EOS", "a SEP a b"):
        assert copying.required(tuple(read.split())) is None
    for read in ("1 +", "1 + 1", "1 + =", "+ 1 =", "1 + 1 = 0", "1 + 1 = 1 0 EOS", "1 = 1", "1 + 1 + 1 = 1"):
        assert adding.required(tuple(read.split())) is None


@pytest.mark.parametrize("task", TASKS)
def test_all_halves_of_a_size_are_told_apart_by_their_suffixes(task: str) -> None:
    witness = CommunicationWitness(task)
    for size in range(6):
        halves = witness.halves(size)
        assert len(set(halves)) == 2**size
        assert len({len(half) for half in halves}) == 1
        for first, second in combinations(halves, 2):
            rest = witness.suffix(first, second)
            one, other = sequence_of(task, first), sequence_of(task, second)
            place = len(first) + len(rest)
            assert one[:place] == (*first, *rest)
            assert other[:place] == (*second, *rest)
            assert one[place] != other[place]


@pytest.mark.parametrize("task", TASKS)
def test_brute_force_over_all_continuations_counts_as_many_behaviours_as_halves(task: str) -> None:
    assert [CommunicationWitness(task).residuals(size) for size in range(4)] == [1, 2, 4, 8]


@pytest.mark.parametrize("task", TASKS)
def test_the_recheck_passes(task: str) -> None:
    assert CommunicationWitness(task).recheck(8)


@pytest.mark.parametrize("task", TASKS)
def test_the_recheck_fails_if_a_suffix_does_not_tell_two_halves_apart(
    task: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    right = CommunicationWitness.suffix

    def wrong(self: CommunicationWitness, first: Symbols, second: Symbols) -> Symbols:
        rest = right(self, first, second)
        return rest[:-1] if len(rest) > 3 else rest

    monkeypatch.setattr(CommunicationWitness, "suffix", wrong)
    assert not CommunicationWitness(task).recheck(6)


def test_two_equal_halves_have_no_suffix() -> None:
    witness = CommunicationWitness("copy-repeat")
    half = witness.halves(2)[0]
    with pytest.raises(LengthwiseError, match="the two halves are the same"):
        witness.suffix(half, half)


# ------------------------------------------------------------------------------------------ against programs


def copies(program: Program, word: str) -> bool:
    whole = [*word, "SEP", *word, "EOS"]
    predicted = program.next_tokens(whole)
    return all(predicted[place] == {whole[place + 1]} for place in range(len(word), len(whole) - 1))


ATTEMPT = """
alphabet "a" "b" "SEP" "EOS"
W = #(exists "SEP")
N = #(!exists "SEP")
A_1 = exists ("a" && !exists "SEP" && # true == 1)
A_2 = exists ("a" && !exists "SEP" && # true == 2)
A_3 = exists ("a" && !exists "SEP" && # true == 3)
L = W == 1 && A_1 || W == 2 && A_2 || W == 3 && A_3
next "a" = exists "SEP" && W <= N && L
next "b" = exists "SEP" && W <= N && !L
next "EOS" = W == N + 1
"""
"""Copies words of up to three letters by remembering each."""


def test_a_program_that_copies_short_words_fails_before_the_size_at_which_it_must() -> None:
    program = parse(ATTEMPT)
    words = {size: list(map("".join, product("ab", repeat=size))) for size in range(1, 5)}
    assert all(copies(program, word) for size in (1, 2, 3) for word in words[size])
    assert not all(copies(program, word) for word in words[4])
    size = CommunicationWitness("copy-repeat").fails_from(program)
    assert most_states(program, size + 1) < 2**size
    assert most_states(program, size) >= 2 ** (size - 1)
    rng = Random(0)
    assert not all(copies(program, "".join(rng.choices("ab", k=size))) for _ in range(20))


# ------------------------------------------------------------------------------------------------- as a witness


@pytest.mark.parametrize("task", TASKS)
def test_the_argument_is_told_in_words_and_as_plain_data(task: str) -> None:
    witness: Witness = CommunicationWitness(task)
    assert witness.kind == "communication"
    plain = witness.as_json()
    assert json.loads(json.dumps(plain)) == plain
    example = plain["example"]
    for half, symbol in zip((example["first"], example["second"]), example["required"], strict=True):
        begun = (*half, *example["suffix"])
        assert sequence_of(task, tuple(half))[: len(begun) + 1] == (*begun, symbol)
        assert f"{' '.join(begun)} belongs {symbol}" in witness.explain()


def test_other_tasks_have_no_such_argument() -> None:
    with pytest.raises(UnknownNameError, match="copy-repeat and addition, not for sort"):
        CommunicationWitness("sort")
