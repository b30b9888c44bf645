"""Table 3: programs that solve the tasks, reasons where there is none, and the rows as printed.

The open cell of Table 3: two inputs of Binary Majority Interleave that counting does not tell apart.
"""

from __future__ import annotations

import json
import string
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise, permutations, product

import pytest

from lengthwise.crasp import Program, library, parse
from lengthwise.errors import LengthwiseError, UnknownNameError
from lengthwise.public import decide
from lengthwise.regular.algorithmic.arguments import InductionWitness, followed_by_b, interleave_automaton
from lengthwise.regular.algorithmic.decide import (
    decide_task,
    get_task,
    interleave_witness,
    paper_row,
    spread_out,
    task_names,
)
from lengthwise.regular.algorithmic.task_programs import copy_by_first_occurrence, interleaved_majority, majority
from lengthwise.regular.deciding.nope import decide_nope
from lengthwise.regular.deciding.verdict import Verdict, Witness
from lengthwise.regular.witnesses.kinds import Walk

TABLE_3 = """
binary-majority             yes         yes  no
binary-majority-interleave  none-found  yes  no
majority                    yes         yes  no
sort                        yes         yes  yes
copy-unique                 no          yes  yes
copy-repeat                 no          no   yes
parity                      no          no   no
addition                    no          no   yes
"""

Answer = Callable[[Sequence[str]], list[str] | None]


def most_frequent(word: Sequence[str]) -> str | None:
    """The one symbol that a word has most often; None if several tie."""
    ranking = Counter(word).most_common(2)
    if not ranking or (len(ranking) == 2 and ranking[0][1] == ranking[1][1]):
        return None
    return ranking[0][0]


def one_label(word: Sequence[str]) -> list[str] | None:
    label = most_frequent(word)
    return None if label is None else [label]


def label_for_each_track(word: Sequence[str], tracks: int = 3) -> list[str] | None:
    if not word or len(word) % tracks:
        return None
    labels = [most_frequent(word[track::tracks]) for track in range(tracks)]
    return None if None in labels else [label for label in labels if label is not None]


def assert_solves(program: Program, inputs: Iterator[Sequence[str]], answer: Answer, end: str = "EOS") -> None:
    """The program predicts exactly the right symbol at SEP and at every symbol of the output."""
    tried = 0
    for word in inputs:
        output = answer(word)
        if output is None:
            continue
        whole = [*word, "SEP", *output, end]
        predicted = program.next_tokens(whole)
        for place in range(len(word), len(whole) - 1):
            assert predicted[place] == {whole[place + 1]}, whole[: place + 1]
        tried += 1
    assert tried


def words(symbols: Sequence[str], longest: int) -> Iterator[Sequence[str]]:
    for length in range(1, longest + 1):
        yield from product(symbols, repeat=length)


def program_of(name: str) -> tuple[Program, int]:
    ape = decide_task(name).ape
    assert ape.program is not None
    assert ape.checked_to is not None
    return ape.program, ape.checked_to


# -------------------------------------------------------------------------------------------- the programs


def test_binary_majority_is_solved_on_every_input_up_to_the_length_stated() -> None:
    program, longest = program_of("binary-majority")
    assert program.fragment == frozenset()
    assert_solves(program, words("01", min(longest, 9)), one_label)


@pytest.mark.slow
def test_binary_majority_and_its_interleaving_are_solved_up_to_the_full_length_stated() -> None:
    program, longest = program_of("binary-majority")
    assert_solves(program, words("01", longest), one_label)
    program, longest = program_of("binary-majority-interleave")
    assert_solves(program, words("01", longest), label_for_each_track)


def test_binary_majority_interleave_is_solved_with_a_periodic_predicate() -> None:
    program, _ = program_of("binary-majority-interleave")
    assert program.fragment == {"periodic"}
    assert_solves(program, words("01", 9), label_for_each_track)
    assert_solves(interleaved_majority(2), words("01", 8), lambda word: label_for_each_track(word, 2))


def test_majority_is_solved_over_26_letters_and_over_few() -> None:
    program, longest = program_of("majority")
    assert program.fragment == frozenset()
    assert program.alphabet.symbols == (*string.ascii_lowercase, "SEP", "EOS")
    assert_solves(program, words(string.ascii_lowercase, longest - 1), one_label)
    assert_solves(majority("abc"), words("abc", 7), one_label)


@pytest.mark.slow
def test_majority_over_26_letters_is_solved_up_to_the_full_length_stated() -> None:
    program, longest = program_of("majority")
    assert_solves(program, words(string.ascii_lowercase, longest), one_label)


def test_sort_is_solved_with_and_without_repeated_numbers() -> None:
    program, longest = program_of("sort")
    assert program.fragment == frozenset()
    assert_solves(program, words("12345", longest - 1), sorted, end="END")
    assert_solves(program, iter(permutations("12345", longest)), sorted, end="END")


@pytest.mark.slow
def test_sort_is_solved_up_to_the_full_length_stated() -> None:
    program, longest = program_of("sort")
    assert_solves(program, words("12345", longest), sorted, end="END")


def words_without_repeats(symbols: str) -> Iterator[Sequence[str]]:
    for length in range(1, len(symbols) + 1):
        yield from permutations(symbols, length)


def test_unique_copying_is_solved_with_a_local_relation() -> None:
    program, longest = program_of("copy-unique")
    assert program.fragment == {"local"}
    assert longest == 3
    for word in words_without_repeats("abc"):
        whole = ["#", *word, "#", *word, "#"]
        predicted = program.next_tokens(whole)
        for place in range(len(word) + 1, len(whole) - 1):
            assert predicted[place] == {whole[place + 1]}


@pytest.mark.parametrize("symbols", ["a", "ab", "abcd", "abcde"])
def test_unique_copying_needs_no_positions_if_only_words_without_repeats_count(symbols: str) -> None:
    program = copy_by_first_occurrence(symbols)
    assert program.fragment == frozenset()
    assert_solves(program, words_without_repeats(symbols), list)


def test_copying_by_first_occurrence_is_linear_in_the_alphabet() -> None:
    sizes = [copy_by_first_occurrence(string.ascii_lowercase[:count]).size for count in (5, 10, 15, 20)]
    assert len({later - earlier for earlier, later in pairwise(sizes)}) == 1


@pytest.mark.parametrize("name", task_names())
def test_the_example_of_a_task_is_one_of_its_sequences(name: str) -> None:
    answer = decide_task(name).ape
    whole = get_task(name).example.split()
    if answer.program is None:
        witness = answer.witness
        if name != "parity":
            begun = whole.index("=" if name == "addition" else "SEP") + 1
            required = [witness.required(tuple(whole[:place])) for place in range(begun, len(whole))]  # type: ignore[union-attr]
            assert required == whole[begun:]
        return
    begun = len(whole) - 1 - whole[::-1].index("#", 1) if name == "copy-unique" else whole.index("SEP")
    predicted = answer.program.next_tokens(whole)
    assert [predicted[place] for place in range(begun, len(whole) - 1)] == [{symbol} for symbol in whole[begun + 1 :]]


# ------------------------------------------------------------------------------------------------ the table


def test_the_rows_are_those_of_table_3() -> None:
    rows = {name: (row.nope.replace(" ", "-"), row.ape, row.ac0) for name in task_names() for row in [paper_row(name)]}
    expected = {line.split()[0]: tuple(line.split()[1:]) for line in TABLE_3.strip().splitlines()}
    assert rows == expected
    assert list(rows) == list(expected)


@pytest.mark.parametrize("name", task_names())
def test_every_answer_is_that_of_table_3_and_has_a_program_or_a_checked_reason(name: str) -> None:
    verdict, row = decide_task(name), paper_row(name)
    assert verdict.subject == name
    for answer, printed in ((verdict.nope, row.nope), (verdict.ape, row.ape)):
        assert answer.kind == ("no" if printed == "none found" else printed)
        if printed == "yes":
            assert answer.program is not None
            assert answer.checked_to is not None
        else:
            assert answer.witness is not None
            assert answer.proved


@pytest.mark.parametrize("name", task_names())
def test_smaller_classes_contain_no_more_than_larger_ones(name: str) -> None:
    verdict = decide_task(name)
    order = {"no": 0, "unknown": 1, "yes": 2}
    assert order[verdict.nope.kind] <= order[verdict.local.kind] <= order[verdict.ape.kind]
    for answer, allowed in (
        (verdict.nope, set[str]()), (verdict.local, {"local"}), (verdict.ape, {"periodic", "local"}),
    ):  # fmt: skip
        assert answer.program is None or answer.program.fragment <= allowed


@pytest.mark.parametrize("name", task_names())
def test_a_verdict_is_plain_data(name: str) -> None:
    plain = json.loads(json.dumps(decide_task(name).as_json(), ensure_ascii=False))
    for answer in (plain["nope"], plain["ape"], plain["local"]):
        assert answer["program"] is None or str(parse(answer["program"])) == answer["program"]


def test_an_unknown_task_is_refused_with_the_nearest_names() -> None:
    with pytest.raises(UnknownNameError, match="no algorithmic task 'copy-uniqe'; there is copy-unique"):
        decide_task("copy-uniqe")
    with pytest.raises(UnknownNameError, match="there is binary-majority, "):
        decide_task("xyz")


def test_spreading_out_an_interleaved_input_keeps_its_labels_and_hides_its_bits_from_each_other() -> None:
    for word in words("01", 9):
        for reach in (1, 7):
            spread = spread_out("".join(word), reach)
            assert label_for_each_track(spread) == label_for_each_track(word)
            places = [place for place in range(len(spread)) if place % (len(spread) // len(word)) == places_of(reach)]
            assert "".join(spread[place] for place in places) == "".join(word)
            assert min(places[0], len(spread) - 1 - places[-1]) >= reach


def places_of(reach: int) -> int:
    """Where the first bit of a word stands in the spread-out input: behind the first stretch."""
    return len(spread_out("0", reach)) // 2


def test_interleaving_needs_the_period_and_windows_do_not_help() -> None:
    verdict = decide_task("binary-majority-interleave")
    assert (verdict.nope.kind, verdict.local.kind, verdict.ape.kind) == ("no", "no", "yes")
    assert verdict.nope.proved


def test_majority_is_the_task_and_says_so_because_a_library_program_has_its_name() -> None:
    verdict: Verdict = decide_task("majority")
    assert "library" in " ".join(verdict.notes)
    assert library.get("majority").fragment <= frozenset()
    assert verdict.nope.kind == "yes"


# ------------------------------------------------------------------------------------------ induction heads


def test_the_language_of_the_induction_head_holds_the_words_whose_last_letter_was_followed_by_b() -> None:
    automaton = followed_by_b()
    for word in map("".join, words("ab", 8)):
        assert automaton.accepts(word) == (word[-1] + "b" in word)


def test_the_language_of_the_induction_head_is_not_in_crasp_without_positions() -> None:
    assert not decide_nope(followed_by_b(), "last").yes
    assert not decide_nope(followed_by_b(), "eos").yes


def test_the_appendix_leaves_out_words_that_end_in_their_only_bb() -> None:
    """App. C.2.2 has Σ*abΣ*a ∪ Σ*bbΣ*b, but its program predicts b after bb."""
    predictor = library.get("induction-all:ab")
    assert "b" in predictor.next_tokens("bb")[-1]
    assert "bb" not in "bb"[:-1]


def test_the_witness_of_the_induction_head_is_rechecked_and_a_wrong_one_is_refused() -> None:
    assert InductionWitness().recheck()
    assert not InductionWitness(access="a").recheck(3)
    assert not InductionWitness(there="a").recheck(3)
    assert not InductionWitness(back="b").recheck(3)
    assert not InductionWitness(reset="b").recheck(3)
    assert not InductionWitness(suffix="").recheck(3)
    assert not InductionWitness(suffix="a").recheck(3)


def test_the_witness_of_the_induction_head_is_told_in_words() -> None:
    witness: Witness = InductionWitness()
    assert witness.kind == "flip-flop"
    assert "After aba the automaton of L is in a state p" in witness.explain()
    assert json.loads(json.dumps(witness.as_json())) == witness.as_json()


@pytest.mark.parametrize("name", task_names())
def test_a_task_is_decided_by_the_name_that_it_is_trained_by(name: str) -> None:
    assert decide(f"task:{name}").as_json() == decide_task(name).as_json() | {"meaning": f"task {name}"}


def test_a_name_of_a_task_without_a_verdict_is_no_regex() -> None:
    with pytest.raises(LengthwiseError, match="there is no verdict on the task sparse-parity: it comes with neither"):
        decide("task:sparse-parity")
    with pytest.raises(LengthwiseError, match="task:sort is a task, which has its own alphabet"):
        decide("task:sort", alphabet="task:or")


def leads(word: tuple[str, ...]) -> list[int]:
    return [sum(1 if bit == "1" else -1 for bit in word[track::3]) for track in range(3)]


def test_the_automaton_follows_three_tracks_whose_leads_stay_within_one() -> None:
    automaton = interleave_automaton()
    small = automaton.minimal()
    assert len(small) == 22  # 21 reachable configurations of position and leads, and the sink: none is merged
    for number in range(2**9):
        word = tuple(f"{number:09b}")
        bounded = all(abs(lead) <= 1 for end in range(1, 10) for lead in leads(word[:end]))
        assert automaton.accepts(word) == (bounded and leads(word)[0] == 1)


def test_the_pair_are_inputs_of_the_task_with_different_answers() -> None:
    witness = interleave_witness()
    words = [witness.places[place].access + witness.suffix for place in witness.pair]
    assert all(len(word) % 3 == 0 and all(leads(word)) for word in words)
    assert {leads(word)[0] > 0 for word in words} == {True, False}


def test_the_identities_add_up_when_the_tracks_are_followed_by_hand() -> None:
    witness = interleave_witness()
    group = {
        (len(place.access) % 3, *leads(place.access)): place.group for place in witness.places
    }  # a configuration determines its group

    def counted(walk: Walk) -> Counter[tuple[int, str]]:
        read = list(witness.places[walk.start].access)
        found: Counter[tuple[int, str]] = Counter()
        for block in walk.blocks:
            (letter,) = witness.blocks[block].word
            found[group[len(read) % 3, *leads(tuple(read))], letter] += 1
            read.append(letter)
            assert all(abs(lead) <= 1 for lead in leads(tuple(read)))
        return found

    assert len(group) == len(witness.places) == 21
    for identity in witness.identities:
        left = {key: identity.multiple * times for key, times in counted(identity.path).items()}
        right: Counter[tuple[int, str]] = Counter()
        for coefficient, loop in identity.loops:
            for key, times in counted(loop).items():
                right[key] += coefficient * times
        assert {key: value for key, value in left.items() if value} == {k: v for k, v in right.items() if v}


def test_the_answer_is_a_checked_no_that_goes_beyond_the_paper() -> None:
    answer = decide_task("binary-majority-interleave").nope
    assert (answer.kind, answer.proved) == ("no", True)
    assert "found no program" in answer.reason
