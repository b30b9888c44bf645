"""The three answers on one language, and what supports them."""

import random

import pytest

from lengthwise.alphabet import Alphabet
from lengthwise.errors import LengthwiseError
from lengthwise.regular.deciding.budget import Budget
from lengthwise.regular.deciding.decider import decide_automaton
from lengthwise.regular.deciding.verdict import Verdict
from lengthwise.regular.languages.automaton import Automaton
from lengthwise.regular.languages.regex import parse_regex
from lengthwise.regular.languages.regex_automaton import regex_automaton
from tests.regular.regexes import random_regex
from tests.work import lines_executed


def automaton_of(regex: str, symbols: str) -> Automaton:
    return regex_automaton(parse_regex(regex, Alphabet(tuple(symbols)))).minimal()


def kinds(verdict: Verdict) -> tuple[str, str, str]:
    return verdict.nope.kind, verdict.local.kind, verdict.ape.kind


@pytest.mark.parametrize(
    ("regex", "symbols", "last", "eos"),
    [
        ("a*", "a", "yes yes yes", "yes yes yes"),
        ("a*", "ab", "yes yes yes", "yes yes yes"),
        ("(ab)*", "ab", "yes yes yes", "yes yes yes"),
        ("[ab]*b", "ab", "yes yes yes", "no yes yes"),
        ("(aa)*", "a", "no no yes", "no no yes"),
        ("b*(ab*ab*)*", "ab", "no no no", "no no no"),
        ("[ab]*aa[ab]*", "ab", "no yes yes", "no yes yes"),
        ("[ab]*ab[ab]*", "ab", "yes yes yes", "yes yes yes"),
        ("[abc]*ab[abc]*", "abc", "no yes yes", "no yes yes"),
        ("[abe]*be*", "abe", "no no no", "no no no"),
        ("(aab|ba)*", "ab", "no yes yes", "no yes yes"),
        ("(abba)*", "ab", "yes yes yes", "yes yes yes"),
    ],
)
def test_languages_settled_by_hand_come_out_as_they_should(regex: str, symbols: str, last: str, eos: str) -> None:
    automaton = automaton_of(regex, symbols)
    for acceptance, expected in (("last", last), ("eos", eos)):
        verdict = decide_automaton(automaton, acceptance)  # type: ignore[arg-type]
        assert kinds(verdict) == tuple(expected.split())
        for answer in (verdict.nope, verdict.local, verdict.ape):
            assert answer.proved
            assert (answer.program is None) == (answer.kind == "no") == (answer.witness is not None)


def test_every_program_is_in_the_fragment_it_stands_for() -> None:
    rng = random.Random(8)
    for _ in range(25):
        symbols = rng.choice(["ab", "abc"])
        verdict = decide_automaton(automaton_of(random_regex(rng, symbols, rng.randint(2, 10)), symbols))
        allowed = {"nope": set[str](), "local": {"local"}, "ape": {"local", "periodic"}}
        for name, fragment in allowed.items():
            program = getattr(verdict, name).program
            assert program is None or set(program.fragment) <= fragment


def test_a_program_read_at_an_end_marker_tests_no_current_symbol() -> None:
    """What is read behind the word cannot depend on its last symbol, so appending nothing new must change nothing:

    two words with the same counts at every depth are treated alike. Here: the outermost operations are all counts.
    """
    rng = random.Random(9)
    seen = 0
    for _ in range(25):
        verdict = decide_automaton(automaton_of(random_regex(rng, "ab", rng.randint(2, 9)), "ab"), "eos")
        program = verdict.nope.program
        if program is None:
            continue
        seen += 1
        listing = program.listing
        assert listing.accept is not None
        stack, visited = [listing.accept], set[int]()
        while stack:  # everything above the first count
            index = stack.pop()
            if index not in visited:
                visited.add(index)
                operation = listing.operations[index]
                assert operation.kind != "symbol"
                if operation.kind not in ("count", "before"):
                    stack.extend(operation.operands)
    assert seen > 10


@pytest.mark.parametrize("polarity", ["[ab]*", "()", "a"])
def test_trivial_languages_have_trivial_programs(polarity: str) -> None:
    verdict = decide_automaton(automaton_of(polarity, "ab"))
    assert kinds(verdict) == ("yes", "yes", "yes")
    assert verdict.nope.program is not None
    assert verdict.nope.program.size <= 8


def test_the_note_says_whether_the_empty_word_is_in_the_language() -> None:
    assert "contains it" in decide_automaton(automaton_of("a*", "a")).notes[0]
    assert "does not contain it" in decide_automaton(automaton_of("a+", "a")).notes[0]


def test_a_cap_that_is_hit_gives_unknown_and_names_the_cap() -> None:
    automaton = automaton_of("[ab]*aa[ab]*", "ab")
    verdict = decide_automaton(automaton, budget=Budget(monoid=2, nodes=2))
    assert verdict.ape.kind == "unknown"
    assert "cap 'monoid' of 2" in verdict.ape.reason
    assert verdict.nope.kind == "no"
    assert decide_automaton(automaton).ape.kind != "unknown"


def test_a_no_is_still_found_on_pairs_of_states_when_the_monoid_is_too_large() -> None:
    verdict = decide_automaton(automaton_of("b*(ab*ab*)*", "ab"), budget=Budget(monoid=1))
    assert (verdict.ape.kind, verdict.ape.proved) == ("no", True)


def test_without_room_for_a_proof_the_checked_length_is_said() -> None:
    automaton = automaton_of("a+b+c+d+e+", "abcde")
    verdict = decide_automaton(automaton, budget=Budget(states=5))
    assert verdict.nope.kind == "yes"
    assert not verdict.nope.proved
    assert verdict.nope.checked_to is not None
    assert f"up to length {verdict.nope.checked_to}" in verdict.nope.reason


def test_a_time_limit_is_kept() -> None:
    automaton = automaton_of("[ab]*a[ab]{7}", "ab")
    limited = lines_executed(lambda: decide_automaton(automaton, budget=Budget(seconds=0.001)))
    assert limited < lines_executed(lambda: decide_automaton(automaton)) / 2
    assert decide_automaton(automaton).ape.kind == "yes"
    verdict = decide_automaton(automaton, budget=Budget(seconds=0.001))
    assert "time limit of 0.001 seconds" in verdict.ape.reason


@pytest.mark.parametrize("caps", [{"monoid": 0}, {"seconds": 0.0}, {"proof": -1.0}, {"states": -3}])
def test_caps_that_allow_nothing_are_refused(caps: dict[str, float]) -> None:
    with pytest.raises(LengthwiseError, match=r"must be|positive"):
        Budget(**caps)  # type: ignore[arg-type]


def test_json_has_the_contracted_keys() -> None:
    data = decide_automaton(automaton_of("(aa)*", "a")).as_json()
    assert {"nope", "ape", "acceptance"} <= set(data)
    assert {"answer", "reason", "program", "proved"} <= set(data["nope"])
    assert data["ape"]["program"].strip().endswith("accept = i % 2 == 0")
    assert data["nope"]["witness"]["kind"] == "group"


@pytest.mark.slow
def test_random_languages_are_all_decided_and_nearly_all_with_a_proved_program() -> None:
    """Every no has a checked witness; a yes may lack its program if that needs a window beyond the cap on nodes."""
    rng = random.Random(2026)
    supported = 0
    answers = 0
    for _ in range(80):
        regex = random_regex(rng, "abc", rng.randint(3, 11))
        verdict = decide_automaton(automaton_of(regex, "abc"))
        for answer in (verdict.nope, verdict.local, verdict.ape):
            assert answer.kind != "unknown", regex
            assert answer.proved or (answer.kind == "yes" and "cap 'nodes'" in answer.reason), regex
            supported += answer.proved
            answers += 1
    assert supported >= 0.98 * answers
