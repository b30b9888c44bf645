"""The open cell of Table 3: two inputs of Binary Majority Interleave that counting does not tell apart."""

from collections import Counter

from lengthwise.regular.algorithmic.arguments import interleave_automaton
from lengthwise.regular.algorithmic.decide import decide_task, interleave_witness
from lengthwise.regular.witnesses.kinds import Walk


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
