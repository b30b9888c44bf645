"""Witnesses: every no has one that passes the check, and a damaged one does not pass."""

import random
from collections import Counter
from dataclasses import replace

import pytest

from lengthwise.alphabet import Alphabet
from lengthwise.regular.algebra.monoid import TransitionMonoid, stable
from lengthwise.regular.deciding.ape import decide_ape, decide_local
from lengthwise.regular.deciding.budget import Budget
from lengthwise.regular.deciding.fast_no import fast_no
from lengthwise.regular.deciding.machine import machine
from lengthwise.regular.deciding.nope import decide_nope
from lengthwise.regular.languages.automaton import Acceptance, Automaton
from lengthwise.regular.languages.regex import parse_regex
from lengthwise.regular.languages.regex_automaton import regex_automaton
from lengthwise.regular.proofs.witnesses import WitnessError, recheck
from lengthwise.regular.witnesses.kinds import Balance, FlipFlop, Group
from lengthwise.regular.witnesses.search import nope_witness, semigroup_witness
from tests.regular.regexes import random_regex


def automaton_of(regex: str, symbols: str) -> Automaton:
    return regex_automaton(parse_regex(regex, Alphabet(tuple(symbols)))).minimal()


def why_not(regex: str, symbols: str, acceptance: Acceptance = "last") -> Group | FlipFlop | Balance:
    decision = decide_nope(automaton_of(regex, symbols), acceptance)
    assert not decision.yes
    return nope_witness(decision, Budget())


NEUTRAL = "(c*ac*ac*bc*|c*bc*ac*)*|c*"
"""(aab|ba)* with a letter c that changes nothing."""


@pytest.mark.parametrize(
    ("regex", "symbols", "kind"),
    [("(aa)*", "a", "group"), ("(a|b)*aa(a|b)*", "ab", "flip-flop"), ("(aab|ba)*", "ab", "balance")],
)
def test_each_kind_of_witness_against_counting_is_found_and_passes(regex: str, symbols: str, kind: str) -> None:
    witness = why_not(regex, symbols)
    recheck(witness, automaton_of(regex, symbols), "last")
    assert witness.kind == kind
    assert "is in the language and" in witness.explain()
    assert witness.as_json()["kind"] == kind


@pytest.mark.parametrize(
    ("regex", "symbols", "kind"),
    [("b*(ab*ab*)*", "ab", "group"), ("[abe]*be*", "abe", "flip-flop"), (NEUTRAL, "abc", "balance")],
)
def test_each_kind_of_witness_against_windows_and_periods_is_found_and_passes(
    regex: str, symbols: str, kind: str
) -> None:
    automaton = automaton_of(regex, symbols)
    decision = decide_ape(automaton)
    assert decision.kind == "no"
    witness = semigroup_witness(decision, Budget())
    recheck(witness, automaton, "last")
    assert witness.kind == kind
    assert witness.fragment == "periodic, local"


def test_the_identities_of_the_paradigm_are_those_one_finds_by_hand() -> None:
    witness = why_not("(aab|ba)*", "ab")
    assert isinstance(witness, Balance)
    shown = witness.explain()
    assert "Ψ(a) = - 1·Ψ(ba) + 1·Ψ(aab)" in shown
    assert "3 identities" in shown


def test_every_random_no_has_a_witness_that_passes() -> None:
    rng = random.Random(11)
    kinds: Counter[str] = Counter()
    for _ in range(200):
        symbols = rng.choice(["ab", "abc"])
        automaton = automaton_of(random_regex(rng, symbols, rng.randint(3, 12)), symbols)
        acceptances: tuple[Acceptance, ...] = ("last", "eos")
        for acceptance in acceptances:
            decision = decide_nope(automaton, acceptance)
            if not decision.yes:
                witness = nope_witness(decision, Budget())
                recheck(witness, automaton, acceptance)
                kinds[witness.kind] += 1
        if len(automaton) > 30:
            continue  # its monoid may be large, which takes long and shows nothing new
        for decide in (decide_ape, decide_local):
            found = decide(automaton)
            if found.kind == "no":
                recheck(semigroup_witness(found, Budget()), automaton, "last")
                kinds[decide.__name__] += 1
    assert min(kinds[kind] for kind in ("group", "flip-flop", "balance", "decide_ape", "decide_local")) >= 1


def test_a_witness_does_not_pass_for_a_language_it_was_not_made_for() -> None:
    for regex, symbols in [("(aa)*", "a"), ("(a|b)*aa(a|b)*", "ab"), ("(aab|ba)*", "ab")]:
        witness = why_not(regex, symbols)
        inside = automaton_of("a*", symbols)
        with pytest.raises(WitnessError):
            recheck(witness, inside, "last")


def test_damaged_witnesses_do_not_pass() -> None:
    group = why_not("(aaa)*", "a")
    assert isinstance(group, Group)
    flip_flop = why_not("(a|b)*aa(a|b)*", "ab")
    assert isinstance(flip_flop, FlipFlop)
    balance = why_not("(aab|ba)*", "ab")
    assert isinstance(balance, Balance)
    identity = balance.identities[0]
    places = list(balance.places)
    damaged: list[tuple[str, str, Group | FlipFlop | Balance]] = [
        ("(aaa)*", "a", replace(group, order=2)),
        ("(aaa)*", "a", replace(group, suffix=())),
        ("(aaa)*", "a", replace(group, cycle=("a", "a", "a"))),
        ("(aaa)*", "a", replace(group, first_is_in=not group.first_is_in)),
        ("(aaa)*", "a", replace(group, fragment="local")),
        ("(aaa)*", "a", replace(group, fragment="periodic, local", identity=("a", "a", "a"))),
        ("(a|b)*aa(a|b)*", "ab", replace(flip_flop, first=flip_flop.second)),
        ("(a|b)*aa(a|b)*", "ab", replace(flip_flop, second=("a", "a"))),
        ("(a|b)*aa(a|b)*", "ab", replace(flip_flop, fragment="local", identity=("b",))),
        ("(aab|ba)*", "ab", replace(balance, identities=balance.identities[1:])),
        ("(aab|ba)*", "ab", replace(balance, identities=(replace(identity, multiple=7), *balance.identities[1:]))),
        ("(aab|ba)*", "ab", replace(balance, identities=(replace(identity, multiple=0, loops=()),))),
        ("(aab|ba)*", "ab", replace(balance, edges=balance.edges[1:])),
        ("(aab|ba)*", "ab", replace(balance, pair=(0, 0))),
        ("(aab|ba)*", "ab", replace(balance, suffix=("b",))),
        ("(aab|ba)*", "ab", replace(balance, places=(places[1], places[0], *places[2:]))),
    ]
    for regex, symbols, witness in damaged:
        with pytest.raises(WitnessError):
            recheck(witness, automaton_of(regex, symbols), "last")


def test_one_identity_over_plain_letters_is_no_witness() -> None:
    """(abba)* is in C-RASP[∅] by two levels, although 2Ψ(ab) = Ψ(abba)."""
    assert decide_nope(automaton_of("(abba)*", "ab"), "last").yes


def test_at_the_last_symbol_an_empty_suffix_tells_nothing_apart() -> None:
    """Σ*b is in C-RASP[∅] under `last` by Q_b, and out under `eos`."""
    automaton = automaton_of("(a|b)*b", "ab")
    witness = why_not("(a|b)*b", "ab", "eos")
    recheck(witness, automaton, "eos")
    with pytest.raises(WitnessError):
        recheck(witness, automaton, "last")


def test_the_search_on_pairs_finds_exactly_the_flip_flops_and_parities_of_the_stable_semigroup() -> None:
    """Against a scan of all elements of η(Σˢ), whose words have one length."""
    rng = random.Random(21)
    found: Counter[bool] = Counter()
    for number in range(300):
        symbols = rng.choice(["ab", "abc"])
        if number % 2:
            automaton = automaton_of(random_regex(rng, symbols, rng.randint(3, 11)), symbols)
        else:
            states = rng.randint(2, 5)
            table = tuple(tuple(rng.randrange(states) for _ in symbols) for _ in range(states))
            accepting = frozenset(state for state in range(states) if rng.random() < 0.5)
            automaton = Automaton(tuple(symbols), table, 0, accepting).minimal()
        wanted = machine(automaton, "last")
        if len(wanted) > 12:
            continue
        monoid = TransitionMonoid(Automaton(wanted.symbols, wanted.table, 0, frozenset()))
        actions = [monoid.actions[x] for x in stable(monoid).elements]
        expected = False
        for component in wanted.components:
            for p in component:
                for q in component:
                    images = {(action[p], action[q]) for action in actions}
                    if p != q and (p, q) in images and ({(p, p), (q, q)} <= images or (q, p) in images):
                        expected = True
        witness = fast_no(wanted, Budget())
        assert (witness is not None) == expected
        if witness is not None:
            recheck(witness, automaton, "last")
        found[expected] += 1
    assert min(found.values()) > 40


def test_the_quick_search_on_pairs_finds_parity_and_flip_flop_and_nothing_else() -> None:
    for regex, symbols, kind in [("b*(ab*ab*)*", "ab", "group"), ("[abe]*be*", "abe", "flip-flop")]:
        automaton = automaton_of(regex, symbols)
        witness = fast_no(machine(automaton, "last"), Budget())
        assert witness is not None
        assert witness.kind == kind
        recheck(witness, automaton, "last")
    for regex, symbols in [("(aa)*", "a"), ("(a|b)*aa(a|b)*", "ab"), ("(abab)*", "ab")]:
        assert fast_no(machine(automaton_of(regex, symbols), "last"), Budget()) is None
