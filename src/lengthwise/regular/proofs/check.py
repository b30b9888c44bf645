"""Checking a proof: which code replays which argument.

| claim | argument | checked by |
|---|---|---|
| equal | `bisimulation`: pairs of states that agree and lead to such pairs | here |
| equal | `invariant`: configurations that every word leads to one of | `invariant` |
| equal | `induction`: facts that every symbol keeps | `induction`, with Z3 |
| equal | `outputs`: each output; `chain`: one program after another | here |
| equal | `congruence`: the parts where two programs differ | `congruence` |
| member | `program`: one of the fragment, and that it is equal | here |
| not member | `witness`: group, flip-flop or balance | `witnesses` |
| task | `instances`: the argument's instances up to a size | here |
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lengthwise.crasp import Program
from lengthwise.crasp.syntax import (
    POINTWISE,
    Count,
    Definition,
    Everywhere,
    Exists,
    Expression,
    Name,
    Next,
    Sort,
    children,
)
from lengthwise.errors import LengthwiseError
from lengthwise.regular.languages.automaton import Automaton
from lengthwise.regular.proofs.congruence import check_congruence
from lengthwise.regular.proofs.induction import check_induction
from lengthwise.regular.proofs.invariant import check_invariant
from lengthwise.regular.proofs.proof import Equal, Member, NotMember, Proof, TaskAnswer
from lengthwise.regular.proofs.sides import FRAGMENTS, ProofError, ProofFileError, Side, over, side_from_json
from lengthwise.regular.proofs.witnesses import check_task, recheck, witness_of


def check_bisimulation(left: Automaton, right: Automaton, argument: Mapping[str, Any]) -> int:
    """Raise a `ProofError` unless the pairs show that two automata over the same symbols accept the same words.

    Args:
        left: One automaton.
        right: The other, with its symbols in the same order.
        argument: `pairs`, a list of pairs of states.

    Returns:
        The number of pairs.

    Raises:
        ProofError: If the starts are not paired, a pair disagrees, or a symbol leads from a pair to none.

    """
    pairs = {(one, other) for one, other in argument["pairs"]}
    if (left.start, right.start) not in pairs:
        raise ProofError("the two start states are not among the pairs")
    for one, other in pairs:
        if not (0 <= one < len(left) and 0 <= other < len(right)):
            raise ProofError("a pair names a state that does not exist")
        if (one in left.accepting) != (other in right.accepting):
            raise ProofError(f"of the states {one} and {other} only one accepts")
        for symbol, pair in zip(left.symbols, zip(left.table[one], right.table[other], strict=True), strict=True):
            if pair not in pairs:
                raise ProofError(f"{symbol!r} leads from the states {one} and {other} to a pair that is not listed")
    return len(pairs)


DEEPEST = 8
"""How deep arguments may be nested."""


def check(proof: Proof) -> None:
    """Replay a proof.

    Args:
        proof: A claim and its argument.

    Raises:
        ProofError: If the argument does not show the claim; the message says which step fails.

    """
    try:
        match proof.claim:
            case Equal(left, right, symbols):
                check_equal(left, right, symbols, proof.argument)
            case Member(side, fragment, acceptance):
                _check_member(side, fragment, acceptance, proof.argument)
            case NotMember(side, fragment, acceptance):
                _check_not_member(side, fragment, acceptance, proof.argument)
            case TaskAnswer(task, fragment):
                check_task(task, fragment, proof.argument)
    except (ProofError, ProofFileError):
        raise
    except LengthwiseError as problem:
        raise ProofError(f"the argument does not fit the claim: {problem}") from None
    except (RecursionError, MemoryError):
        raise ProofError("the argument is too large or too deep to be checked") from None
    except (KeyError, TypeError, ValueError, IndexError, AttributeError, ArithmeticError) as problem:
        raise ProofError(f"the argument is not of the documented form ({type(problem).__name__})") from None


def check_equal(left: Side, right: Side, symbols: tuple[str, ...], argument: Mapping[str, Any], depth: int = 0) -> None:
    """Raise a `ProofError` unless the argument shows that two sides accept the same words."""
    if depth > DEEPEST:
        raise ProofError("the argument is nested too deeply")
    if not symbols or len(set(symbols)) != len(symbols):
        raise ProofError("a proof of equality is about words over at least one symbol, each listed once")
    for side in (left, right):
        if not side.alphabet.is_open and any(symbol not in side.alphabet for symbol in symbols):
            raise ProofError("the proof compares words with symbols that a side does not read")
    kind = argument["kind"]
    programs = [side for side in (left, right) if isinstance(side, Program)]
    automata = [over(side, symbols) for side in (left, right) if isinstance(side, Automaton)]
    if len(automata) == 2 and len({side.start in side.accepting for side in automata}) == 2:
        raise ProofError("only one of the two automata accepts the empty word")
    match kind:
        case "bisimulation":
            if len(automata) != 2:
                raise ProofError("pairs of states compare two automata")
            check_bisimulation(automata[0], automata[1], argument)
        case "invariant":
            check_invariant(programs, automata[0] if automata else None, symbols, argument)
        case "induction":
            check_induction(programs, automata[0] if automata else None, symbols, argument)
        case "chain":
            between = [side_from_json(side) for side in argument["between"]]
            stations = [left, *between, right]
            steps = argument["steps"]
            if len(steps) != len(stations) - 1:
                raise ProofError("a chain has one step between any two neighbours")
            for one, other, step in zip(stations, stations[1:], steps, strict=False):
                check_equal(one, other, symbols, step, depth + 1)
        case "outputs":
            _check_outputs(left, right, symbols, argument, depth)
        case "congruence":
            if len(programs) != 2:
                raise ProofError("parts of programs are compared with parts of programs")
            check_congruence(
                programs[0],
                programs[1],
                argument,
                lambda one, other, step: _check_parts(one, other, symbols, step, depth + 1),
            )
        case _:
            raise ProofError(f"there is no kind of argument called {kind!r}")


def _check_parts(
    left: Program, right: Program, symbols: tuple[str, ...], argument: Mapping[str, Any], depth: int
) -> None:
    check_equal(left, right, symbols, argument, depth)
    if left.accepts(()) != right.accepts(()):
        raise ProofError("two parts differ on the empty word")


def _check_outputs(left: Side, right: Side, symbols: tuple[str, ...], argument: Mapping[str, Any], depth: int) -> None:
    """Acceptance and every prediction, one by one."""
    if not (isinstance(left, Program) and isinstance(right, Program)):
        raise ProofError("only programs have predictions")
    ours, others = outputs(left), outputs(right)
    if set(ours) != set(others):
        raise ProofError("the two programs do not predict the same symbols")
    for name, program in ours.items():
        _check_parts(program, others[name], symbols, argument["proofs"][name], depth + 1)


def outputs(program: Program) -> dict[str, Program]:
    """What a program puts out, each as a program that decides just that: `accept`, and `next x` for predictions."""
    fresh = next(f"P{n}" for n in range(len(program.names) + 1) if f"P{n}" not in program.names)
    found: dict[str, Program] = {}
    before: list[Definition] = []
    for statement, sort in zip(program.statements, program.sorts, strict=True):
        if isinstance(statement, Next):
            alone = Program((*before, Definition(fresh, statement.expression)), program.declared_alphabet)
            found[f"next {statement.symbol}"] = alone
        else:
            before.append(statement)
            if sort is Sort.BOOL:
                found["accept"] = Program(tuple(before), program.declared_alphabet)
    return found


# ----------------------------------------------------------------------------------------------- membership


def _check_member(side: Side, fragment: str, acceptance: str, argument: Mapping[str, Any]) -> None:
    if argument["kind"] != "program":
        raise ProofError("that a program exists is shown by one")
    found = argument["program"]
    program = side if found is None else found if isinstance(found, Program) else side_from_json({"program": found})
    if not isinstance(program, Program):
        raise ProofError("an automaton is no program")
    require_fragment(program, fragment, acceptance)
    if program is not side:
        symbols = tuple(argument["alphabet"])
        if not set(side.alphabet) <= set(symbols) or (side.alphabet.is_open and set(side.alphabet) == set(symbols)):
            raise ProofError("the program is not compared over all symbols, and one for those that are not mentioned")
        check_equal(program, side, symbols, argument["equality"])


def require_fragment(program: Program, fragment: str, acceptance: str) -> None:
    """Raise a `ProofError` unless a program's text is one of a fragment, read where acceptance is."""
    extra = program.fragment - FRAGMENTS[fragment]
    if extra:
        raise ProofError(f"the program uses {' and '.join(sorted(extra))} relations, which C-RASP[{fragment}] lacks")
    if acceptance == "eos" and not reads_only_counts(program):
        raise ProofError("the program looks at the last symbol itself, which is no longer there at an end marker")


def reads_only_counts(program: Program) -> bool:
    """Whether the verdict is made of comparisons of counts up to the present position.

    Then it is the same at an end marker after the word, where these counts are counts of earlier positions.
    """
    known: dict[str, bool] = {}
    verdict = False
    for statement, sort in zip(program.statements, program.sorts, strict=True):
        if isinstance(statement, Definition):
            known[statement.name] = _counts_only(statement.expression, known)
            if sort is Sort.BOOL:
                verdict = known[statement.name]
    return verdict


def _counts_only(root: Expression, known: Mapping[str, bool]) -> bool:
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if isinstance(node, Name):
            if not known[node.name]:
                return False
        elif isinstance(node, Count | Exists):
            if not isinstance(node.guard, Everywhere):
                return False
        elif isinstance(node, POINTWISE):
            waiting.extend(children(node))
        else:
            return False
    return True


def _check_not_member(side: Side, fragment: str, acceptance: Any, argument: Mapping[str, Any]) -> None:
    if argument["kind"] != "witness":
        raise ProofError("that no program exists is shown by a witness")
    automaton = side
    if isinstance(side, Program):
        found = argument["automaton"]
        automaton = found if isinstance(found, Automaton) else side_from_json({"automaton": found})
        symbols = tuple(argument["alphabet"])
        check_equal(side, automaton, symbols, argument["equality"])
        # What has no program over some of the symbols has none over all; other symbols say nothing about the program.
        automaton = over(automaton, symbols) if isinstance(automaton, Automaton) else automaton
    witness = argument["witness"]
    witness = witness_of(dict(witness)) if isinstance(witness, Mapping) else witness
    if not FRAGMENTS[fragment] <= FRAGMENTS[witness.fragment]:
        raise ProofError(f"the witness is one against C-RASP[{witness.fragment}], not against C-RASP[{fragment}]")
    if not isinstance(automaton, Automaton):
        raise ProofError("a witness speaks of the states of an automaton")
    recheck(witness, automaton, acceptance if witness.fragment == "∅" else "last")
