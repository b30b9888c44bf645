"""Checking a witness by running words through the automaton. Nothing here is shared with the search for witnesses.

Two states count as the same if the same words lead from them to acceptance: all words when acceptance is read at an end
marker, all non-empty ones when it is read at the last symbol.

Of the arguments against the tasks of Table 3 of Huang et al. as much is checked as can be run. These tasks are no
regular languages. Each argument is a proof in words (`explain` of its witness); what is checked are its instances up to
a size, or the regular language that it reduces to.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from lengthwise.regular.algorithmic.arguments import InductionWitness, interleave_automaton, is_input
from lengthwise.regular.algorithmic.communication import CommunicationWitness
from lengthwise.regular.languages.automaton import Acceptance, Automaton
from lengthwise.regular.proofs.sides import ProofError
from lengthwise.regular.witnesses.kinds import Balance, Block, FlipFlop, Group, Identity, Letters, Place, Walk


class WitnessError(ProofError):
    """A witness does not show what it claims."""


def recheck(witness: Group | FlipFlop | Balance, automaton: Automaton, acceptance: Acceptance) -> None:
    """Raise a `WitnessError` unless the witness shows that the automaton's language is out of its class."""
    _demand(witness.fragment in ("∅", "local", "periodic, local"), "there are no witnesses against that fragment")
    runner = _Runner(automaton, acceptance)
    match witness:
        case Group():
            _group(witness, runner)
        case FlipFlop():
            _flip_flop(witness, runner)
        case Balance():
            _balance(witness, runner)


def witness_of(data: Mapping[str, Any]) -> Group | FlipFlop | Balance:
    """The witness that plain data, as written by `as_json`, stand for."""
    kind = data["kind"]
    if kind in ("group", "flip-flop"):
        facts = {name: value for name, value in data.items() if name != "kind"}
        for name in ("access", "cycle", "first", "second", "suffix", "identity"):
            if facts.get(name) is not None:
                facts[name] = tuple(map(str, facts[name]))
        return Group(**facts) if kind == "group" else FlipFlop(**facts)
    if kind != "balance":
        raise ProofError(f"there is no kind of witness called {kind!r}")
    return Balance(
        data["fragment"],
        tuple(Place(tuple(place["access"]), place["context"], place["group"]) for place in data["places"]),
        tuple(Block(tuple(block["word"]), block["source"], block["target"]) for block in data["blocks"]),
        {name: tuple(word) for name, word in data["contexts"].items()},
        tuple((source, block, target) for source, block, target in data["edges"]),
        tuple(
            Identity(
                _walk(identity["path"]),
                identity["end"],
                identity["multiple"],
                tuple((coefficient, _walk(loop)) for coefficient, loop in identity["loops"]),
            )
            for identity in data["identities"]
        ),
        (data["pair"][0], data["pair"][1]),
        tuple(data["suffix"]),
        data["first_is_in"],
    )


def _walk(data: dict[str, Any]) -> Walk:
    return Walk(data["start"], tuple(data["blocks"]))


def _demand(holds: bool, what: str) -> None:
    if not holds:
        raise WitnessError(f"the witness fails: {what}")


class _Runner:
    def __init__(self, automaton: Automaton, acceptance: Acceptance) -> None:
        self.automaton = automaton
        self.ids = {symbol: number for number, symbol in enumerate(automaton.symbols)}
        self.acceptance = acceptance
        self._same: dict[tuple[int, int], bool] = {}

    def after(self, *words: Letters) -> int:
        """The state after reading words from the start."""
        return self.then(self.automaton.start, *words)

    def then(self, state: int, *words: Letters) -> int:
        """The state after reading words from a state."""
        for word in words:
            for symbol in word:
                state = self.automaton.table[state][self.ids[symbol]]
        return state

    def same(self, first: int, second: int) -> bool:
        """Whether the same words lead from two states to acceptance."""
        if (first, second) not in self._same:
            self._same[first, second] = self._agree(first, second)
        return self._same[first, second]

    def _agree(self, first: int, second: int) -> bool:
        """Whether two states are the same, by walking all pairs of states that they lead to."""
        if self.acceptance == "eos" and (first in self.automaton.accepting) != (second in self.automaton.accepting):
            return False
        waiting, seen = [(first, second)], set[tuple[int, int]]()
        while waiting:
            one, other = waiting.pop()
            for pair in zip(self.automaton.table[one], self.automaton.table[other], strict=True):
                if (pair[0] in self.automaton.accepting) != (pair[1] in self.automaton.accepting):
                    return False
                if pair[0] != pair[1] and pair not in seen:
                    seen.add(pair)
                    waiting.append(pair)
        return True

    def told_apart(
        self, first: tuple[Letters, ...], second: tuple[Letters, ...], suffix: Letters, first_is_in: bool
    ) -> bool:
        """Whether exactly one of two words followed by the suffix is accepted, namely the one that is said to be."""
        if self.acceptance == "last" and not suffix:
            return False
        accepted = [self.after(*words, suffix) in self.automaton.accepting for words in (first, second)]
        return accepted == [first_is_in, not first_is_in]


def _lengths(words: list[Letters], fragment: str) -> None:
    _demand(all(words), "a word that is repeated is empty")
    if fragment == "periodic, local":
        _demand(len({len(word) for word in words}) == 1, "its words do not have one length")


def _group(witness: Group, runner: _Runner) -> None:
    _demand(2 <= witness.order <= len(runner.automaton), "a cycle has at least two states, and not more than there are")
    repeated = [(witness.access, *[witness.cycle] * times) for times in range(witness.order + 1)]
    _demand(bool(witness.cycle), "the cycle is empty")
    _demand(runner.same(runner.after(*repeated[0]), runner.after(*repeated[-1])), "the cycle does not return")
    apart = runner.told_apart(repeated[0], repeated[1], witness.suffix, witness.first_is_in)
    _demand(apart, "the suffix does not tell the states apart")
    if witness.fragment == "∅":
        return
    _demand(witness.identity is not None, "no word leaves the states alone")
    identity = witness.identity or ()
    _lengths([witness.cycle, identity], witness.fragment)
    for words in repeated[:-1]:
        _demand(runner.same(runner.after(*words), runner.after(*words, identity)), "the identity moves a state")


def _flip_flop(witness: FlipFlop, runner: _Runner) -> None:
    first, second = (witness.access,), (witness.access, witness.second)
    one, other = runner.after(*first), runner.after(*second)
    apart = runner.told_apart(first, second, witness.suffix, witness.first_is_in)
    _demand(apart, "the suffix does not tell the states apart")
    _demand(bool(witness.first and witness.second), "a reset is empty")
    for state in (first, second):
        _demand(runner.same(runner.after(*state, witness.first), one), "the first word does not reset")
        _demand(runner.same(runner.after(*state, witness.second), other), "the second word does not reset")
    if witness.fragment == "∅":
        return
    _demand(witness.identity is not None, "no word leaves the states alone")
    identity = witness.identity or ()
    _lengths([witness.first, witness.second, identity], witness.fragment)
    for state in (first, second):
        _demand(runner.same(runner.after(*state, identity), runner.after(*state)), "the identity moves a state")


def _numbers(witness: Balance) -> None:
    """Places and blocks are numbers of the lists, counted from 0, and factors are whole numbers."""
    walks = [identity.path for identity in witness.identities]
    walks += [loop for identity in witness.identities for _, loop in identity.loops]
    factors = [identity.multiple for identity in witness.identities]
    factors += [coefficient for identity in witness.identities for coefficient, _ in identity.loops]
    places = [*witness.pair, *(walk.start for walk in walks), *(identity.end for identity in witness.identities)]
    places += [place for source, _, target in witness.edges for place in (source, target)]
    blocks = [block for _, block, _ in witness.edges] + [block for walk in walks for block in walk.blocks]
    _demand(all(type(number) is int for number in (*factors, *places, *blocks)), "a number is no whole number")
    _demand(all(0 <= place < len(witness.places) for place in places), "there is no place of that number")
    _demand(all(0 <= block < len(witness.blocks) for block in blocks), "there is no block of that number")


def _balance(witness: Balance, runner: _Runner) -> None:
    _numbers(witness)
    states = [runner.after(place.access) for place in witness.places]
    windows = witness.fragment != "∅"
    if windows:
        _lengths([*(block.word for block in witness.blocks), *witness.contexts.values()], witness.fragment)
    else:
        _demand(all(len(block.word) == 1 for block in witness.blocks), "a block is not a letter")
    for place, state in zip(witness.places, states, strict=True):
        if windows:
            _demand(place.context in witness.contexts, "a place has no context")
            fixed = witness.contexts[place.context or ""]
            _demand(runner.same(runner.then(state, fixed), state), "a context moves its place")
    steps: dict[tuple[int, int], int] = {}
    for source, block, target in witness.edges:
        word = witness.blocks[block].word
        _demand(runner.same(runner.then(states[source], word), states[target]), "an edge leads astray")
        if windows:
            named = witness.blocks[block].source, witness.blocks[block].target
            there = witness.places[source].context, witness.places[target].context
            _demand(named == there, "a block joins other contexts than those of its edge")
        _demand(steps.setdefault((source, block), target) == target, "two edges share a source and a block")
    _strongly_connected(len(witness.places), witness.edges)
    groups: dict[int, list[int]] = {}
    for number, place in enumerate(witness.places):
        groups.setdefault(place.group, []).append(number)
    for members in groups.values():
        _demand(len({witness.places[member].context for member in members}) == 1, "a group mixes contexts")

    def counted(walk: Walk, end: int) -> Counter[tuple[int, int]]:
        place = walk.start
        found: Counter[tuple[int, int]] = Counter()
        for block in walk.blocks:
            found[witness.places[place].group, block] += 1
            _demand((place, block) in steps, "a walk uses an edge that is not listed")
            place = steps[place, block]
        _demand(place == end, "a walk does not end where it should")
        return found

    joined = list(range(len(witness.places)))

    def find(place: int) -> int:
        while joined[place] != place:
            joined[place] = joined[joined[place]]
            place = joined[place]
        return place

    for identity in witness.identities:
        rest = Counter({key: identity.multiple * times for key, times in counted(identity.path, identity.end).items()})
        for coefficient, loop in identity.loops:
            for key, times in counted(loop, loop.start).items():
                rest[key] -= coefficient * times
        _demand(identity.multiple != 0 and not any(rest.values()), "an identity does not add up")
        joined[find(identity.path.start)] = find(identity.end)
    for members in groups.values():
        _demand(len({find(member) for member in members}) == 1, "the identities do not join a group")
    one, other = witness.pair
    _demand(one != other and witness.places[one].group == witness.places[other].group, "the pair is of two groups")
    words = (witness.places[one].access,), (witness.places[other].access,)
    apart = runner.told_apart(*words, witness.suffix, witness.first_is_in)
    _demand(apart, "the suffix does not tell the pair apart")


def _strongly_connected(size: int, edges: tuple[tuple[int, int, int], ...]) -> None:
    for forwards in (True, False):
        following: dict[int, list[int]] = {}
        for source, _, target in edges:
            here, there = (source, target) if forwards else (target, source)
            following.setdefault(here, []).append(there)
        reached, waiting = {0}, [0]
        while waiting:
            for place in following.get(waiting.pop(), ()):
                if place not in reached:
                    reached.add(place)
                    waiting.append(place)
        _demand(len(reached) == size, "the places are not mutually reachable")


LARGEST = 10
"""The largest size of instances that is checked."""


def check_task(task: str, fragment: str, argument: Mapping[str, Any]) -> None:
    """Raise a `ProofError` unless the instances of the argument against a task hold.

    Args:
        task: The name of the task in Table 3, such as `copy-repeat`.
        fragment: The fragment that is shown not to have a program.
        argument: `size`, up to which instances are checked; for the interleaved majority the `witness`.

    Raises:
        ProofError: If there is no argument against the task and the fragment, or an instance fails.

    """
    size = argument["size"]
    if argument["kind"] != "instances" or not 1 <= size <= LARGEST:
        raise ProofError(f"an argument about a task has instances up to a size from 1 to {LARGEST}")
    if task in ("copy-repeat", "addition"):
        if not CommunicationWitness(task).recheck(size):
            raise ProofError("two first halves are not told apart by what follows them")
    elif task == "copy-unique" and fragment == "∅":
        if not InductionWitness().recheck(size):
            raise ProofError("the words do not lead where the argument says")
    elif task == "binary-majority-interleave" and fragment in ("∅", "local"):
        _check_interleaved(argument["witness"])
    else:
        raise ProofError(f"there is no argument that {task} has no program in C-RASP[{fragment}]")


def _check_interleaved(data: Any) -> None:
    """Counting does not tell two inputs of the task apart that have different answers."""
    witness = witness_of(dict(data)) if isinstance(data, Mapping) else data
    if not isinstance(witness, Balance) or witness.fragment != "∅":
        raise ProofError("the interleaved majority needs a balance witness against C-RASP[∅]")
    recheck(witness, interleave_automaton(), "eos")
    for place in witness.pair:
        word = [*witness.places[place].access, *witness.suffix]
        if not is_input([int(symbol) for symbol in word]):
            raise ProofError("a word of the witness is no input of the task")
