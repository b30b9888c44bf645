"""True proofs, and ways to turn them into proofs of something false or into something that is no proof at all."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from copy import deepcopy
from random import Random
from typing import Any

from lengthwise.crasp import Program, load, parse
from lengthwise.errors import LengthwiseError
from lengthwise.regular.languages.automaton import Automaton
from lengthwise.regular.languages.from_program import automaton_of
from lengthwise.regular.proofs import Equal, Proof, ProofError, ProofFileError, proofs_from_json
from lengthwise.regular.prover import compare
from tests.regular.proofs.generated import LETTERS, Generator, verdicts

ABC, BRACKETS = 'alphabet "a" "b" "c"\n', 'alphabet "(" ")"\n'
PAIRS = (
    # two orders give a third: relations between forms
    (
        ABC + 'A = # "a" >= # "b" && # "b" >= # "c" && # "a" >= # "c"',
        ABC + 'A = # "a" >= # "b" && # "b" >= # "c"',
    ),
    (
        ABC + 'A = # "a" - # "b" >= 2 && # "b" - # "c" >= 1 && # "a" - # "c" >= 3',
        ABC + 'A = # "a" - # "b" >= 2 && # "b" - # "c" >= 1',
    ),
    # counts with relations, after letters in order
    (
        ABC + 'V = "a" && exists ("b" || "c") || "b" && exists "c"\nA = # V == 0 && # "a" == # "b" && # "b" == # "c"',
        ABC
        + 'V = "a" && #[j < i] ("b" || "c") >= 1 || "b" && #[j < i] "c" >= 1\n'
        + 'A = !exists V && # "a" == # "c" && # "a" + # "c" == 2 * # "b"',
    ),
    # what was true one position ago
    (
        ABC + 'E = # "a" == # "b"\nA = #[j == i-1] E >= 1 && "a"',
        ABC + 'A = "a" && # "a" - 1 == # "b" && # true >= 2',
    ),
    (
        BRACKETS + 'V = # "(" < # ")"\nA = # V == 0 && # "(" == # ")"',
        BRACKETS + 'V = ")" && #[j < i] "(" <= #[j < i] ")"\nA = # V == 0 && # "(" == # ")"',
    ),
    (
        BRACKETS + 'V = # "(" < # ")"\nA = # V == 0',
        BRACKETS + 'V = # "(" < # ")"\nW = # V >= 1\nA = # W == 0',
    ),
    (
        BRACKETS + 'V = # "(" < # ")"\nA = # V == 0 && # "(" == # ")"',
        BRACKETS + 'V = # "(" - # ")" <= -1\nA = !exists (V && ")") && 2 * # "(" == # true',
    ),
)
"""Equal programs that count without end and are not of one normal form: their proofs have intervals and relations."""


def hard_proofs() -> list[Proof]:
    """Proofs of the pairs, and of library programs against automata that are not minimal."""
    found = [compare(parse(left), parse(right), states=4_000, seconds=20).proof for left, right in PAIRS]
    for name in ("tomita-4", "d3", "aa-star"):
        program = load(name)
        small = automaton_of(program)
        assert small is not None
        shifted = tuple(tuple(target + len(small) for target in row) for row in small.table)
        accepting = small.accepting | {state + len(small) for state in small.accepting}
        found.append(compare(program, Automaton(small.symbols, (*shifted, *small.table), 0, accepting)).proof)
    proofs = [proof for proof in found if proof is not None]
    assert len(proofs) == len(found)
    return proofs


def true_proofs(seed: int, count: int) -> list[Proof]:
    """The hard proofs, and such of random programs with their automata and with themselves simplified."""
    rng = Random(seed)
    found = hard_proofs() * 3
    while len(found) < count:
        letters = LETTERS[: rng.randint(1, 2)]
        program = Generator(rng, letters, thresholds=4).program(rng.randint(1, 3), rng.randint(1, 3))
        other = automaton_of(program, states=60, seconds=20) if rng.random() < 0.7 else program.simplify()
        if other is None or (isinstance(other, Automaton) and len(other) < 2):
            continue
        proof = compare(program, other, states=2_000, seconds=20).proof
        if proof is None or len(json.dumps(proof.as_json())) > 60_000:
            continue
        if any(len(part["configurations"]) > 1 for part in invariants(proof.argument)):
            found.append(proof)
    return found


def checked(proof: Proof) -> str | None:
    """None if a proof is accepted, else why it is refused; anything but the two errors is a fault of the checker."""
    try:
        proof.check()
    except (ProofError, ProofFileError) as problem:
        return str(problem)
    return None


def accepted_text(text: str) -> list[Proof]:
    """The proofs in a text of which the checker accepts all; none if it refuses."""
    try:
        proofs = proofs_from_json(text)
        for proof in proofs:
            proof.check()
    except (ProofError, ProofFileError):
        return []
    return proofs


def answers(side: Program | Automaton, word: tuple[str, ...]) -> list[bool]:
    """Whether each non-empty prefix of a word is accepted."""
    if isinstance(side, Program):
        return verdicts(side, word)
    state, found = side.start, []
    for letter in word:
        state = side.table[state][side.symbols.index(letter)]
        found.append(state in side.accepting)
    return found


def differing_word(claim: Equal, rng: Random, length: int = 12, tries: int = 60) -> tuple[str, ...] | None:
    """A word on which two sides differ, if a few random and lopsided words show one."""
    for _ in range(tries):
        some = rng.sample(claim.symbols, rng.randint(1, len(claim.symbols)))
        word = tuple(rng.choice(some) for _ in range(length))
        ours, others = answers(claim.left, word), answers(claim.right, word)
        if ours != others:
            return word
    return None


def changed_programs(program: Program, rng: Random) -> Iterator[Program]:
    """Programs with one number, comparison, letter or connective changed; operations mostly keep their places."""
    text = str(program)
    head, _, body = text.partition("\n")
    places = list(re.finditer(r'\b\d+\b|<=|>=|==|!=|<|>|&&|\|\||"[abc()]"|min|max', body))
    for match in rng.sample(places, min(len(places), 6)):
        old = match.group()
        if old.isdigit():
            new = str(max(0, int(old) + rng.choice((-1, 1, 2))))
        elif old[0] == '"':
            new = rng.choice([f'"{symbol}"' for symbol in program.alphabet])
        else:
            groups = (("<=", ">=", "==", "!=", "<", ">"), ("&&", "||"), ("min", "max"))
            new = rng.choice(next(group for group in groups if old in group))
        try:
            changed = parse(f"{head}\n{body[: match.start()]}{new}{body[match.end() :]}")
        except LengthwiseError:
            continue  # most such texts are programs; the others do not matter
        yield changed


def changed_automata(automaton: Automaton, rng: Random) -> Iterator[Automaton]:
    """Automata with one transition or one verdict changed."""
    for _ in range(4):
        table = [list(row) for row in automaton.table]
        accepting = set(automaton.accepting)
        if rng.random() < 0.5:
            accepting ^= {rng.randrange(len(table))}
        else:
            table[rng.randrange(len(table))][rng.randrange(len(automaton.symbols))] = rng.randrange(len(table))
        yield Automaton(automaton.symbols, tuple(map(tuple, table)), automaton.start, frozenset(accepting))


def false_claims(proof: Proof, rng: Random) -> Iterator[Proof]:
    """The argument of a true equality with a side changed so that some word shows a difference."""
    claim = proof.claim
    assert isinstance(claim, Equal)
    for side in ("left", "right"):
        old = getattr(claim, side)
        changed: Iterator[Program | Automaton]
        changed = changed_programs(old, rng) if isinstance(old, Program) else changed_automata(old, rng)
        for new in changed:
            sides = {"left": claim.left, "right": claim.right, side: new}
            false = Equal(sides["left"], sides["right"], claim.symbols)
            if differing_word(false, rng) is not None:
                yield Proof(false, proof.argument)


def invariants(argument: Any) -> list[dict[str, Any]]:
    """All invariants inside an argument."""
    if isinstance(argument, dict):
        inside = [found for part in argument.values() for found in invariants(part)]
        return [argument, *inside] if argument.get("kind") == "invariant" else inside
    return [found for part in argument for found in invariants(part)] if isinstance(argument, list) else []


def tampered(argument: dict[str, Any], rng: Random, problem: str) -> None:
    """Change an invariant in place, near where the checker found fault with it."""
    rows = argument["configurations"]
    named = re.search(r"configuration (\d+)", problem)
    number = int(named.group(1)) if named and rng.random() < 0.8 else rng.randrange(len(rows))
    row = rows[number] = deepcopy(rows[number % len(rows)]) if number < len(rows) else rows[0]
    symbol = re.search(r"symbol (\d+)", problem)
    place = int(symbol.group(1)) - 1 if symbol else rng.randrange(len(row[6]))
    match rng.randrange(9):
        case 0:
            row[6][place] = list(range(len(rows)))
        case 1:
            row[6][place] = [rng.randrange(len(rows)) for _ in range(rng.randint(0, 4))]
        case 2 if row[3]:
            part = rng.choice(row[3])
            part[rng.randint(1, 2)] = rng.choice((None, rng.randint(-3, 6)))
        case 3 if argument["forms"]:
            row[3].append([rng.randrange(len(argument["forms"])), *rng.choice(((None, -1), (7, None), (3, 2), (0, 0)))])
        case 4 if argument["memories"]:
            row[4].append([rng.randrange(len(argument["memories"])), rng.randrange(8), rng.randrange(8)])
        case 5 if argument["forms"]:
            form = rng.randrange(len(argument["forms"]))
            argument["clauses"].append([[form, rng.randint(-2, 5), None], [form, None, rng.randint(-5, 2)]])
            for other in rng.sample(rows, min(len(rows), 3)) if rng.random() < 0.5 else rows:
                other[5].append(len(argument["clauses"]) - 1)
        case 6:
            row[0], row[1], row[2] = rng.choice(rows)[:3]
        case 7 if argument["forms"]:
            argument["relations"].append([[rng.randrange(len(argument["forms"])), 1], [0, rng.choice((1, -1))]])
        case _:
            column = rng.choice((3, 4, 5))
            row[column] = deepcopy(rng.choice(rows)[column])


HOSTILE: tuple[Any, ...] = (
    None, True, False, -1, 0, 1, 2, -2, 10**30, -(10**30), 10**4000, "", "a", "0", [], [[]], [0], [None, None], {},
    {"kind": "chain"},
    [[0, 0, 0]], {"program": 'alphabet "a"\nx = true'}, {"automaton": {}}, [-1, -1], "∅", "periodic", [["form", 0, 1]],
)  # fmt: skip


def corrupted(data: Any, rng: Random) -> Any:
    """Plain data with a part replaced, dropped, doubled or swapped with another."""
    places: list[tuple[Any, Any]] = []
    waiting = [data]
    while waiting:
        part = waiting.pop()
        keys = list(part) if isinstance(part, dict) else range(len(part))
        for key in keys:
            places.append((part, key))
            if isinstance(part[key], dict | list):
                waiting.append(part[key])
    holder, key = rng.choice(places)
    match rng.randrange(5):
        case 0 | 1:
            holder[key] = deepcopy(rng.choice(HOSTILE))
        case 2:
            del holder[key]
        case 3:
            other, there = rng.choice(places)
            holder[key] = deepcopy(other[there])
        case _:
            if isinstance(holder, list):
                holder.insert(rng.randrange(len(holder) + 1), deepcopy(holder[key]))
            elif isinstance(holder[key], int):
                holder[key] += rng.choice((-1, 1))
    return data
