"""A program that is not known to be regular: which fragments of C-RASP[periodic, local] express what it computes.

Its own fragment does, by construction. A smaller one does if some program of it is equal; candidates are the program
with its positional relations replaced by simpler things, and only those count that were proved equal at every length:
the program is equal to its simplified form, that to the candidate wherever they differ (`congruence`), and that to its
own simplified form. So yes is certain, and what is left open is unknown, not no.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import islice, pairwise, product
from time import monotonic
from typing import Any

from lengthwise.crasp import Program, ProgramError
from lengthwise.crasp.syntax import (
    Before,
    Conditional,
    Count,
    Everywhere,
    Exists,
    Expression,
    Number,
    Truth,
    Window,
    children,
    positional_relation,
    rebuilt,
    walk,
)
from lengthwise.regular.deciding.proved import FRAGMENT_NAMES, member_by_construction, member_by_equality
from lengthwise.regular.deciding.verdict import Answer, Verdict
from lengthwise.regular.proofs import Equal, Proof, ProofError
from lengthwise.regular.proofs.check import outputs
from lengthwise.regular.proofs.proof import Argument
from lengthwise.regular.proofs.sides import FRAGMENTS, side_as_json
from lengthwise.regular.prover import compare
from lengthwise.regular.prover.alphabets import common_symbols
from lengthwise.regular.prover.congruence import proved_equal

MOST_CANDIDATES = 1000
"""How many programs are tried for each smaller fragment."""
MOST_WORDS = 300
"""How many words a candidate is tried on before it is proved."""

MOST_SECONDS = 2.0
"""How long the prover may take over one part of a candidate."""

Prover = Callable[[Program, Program, tuple[str, ...], float], "Proof | None"]
"""A proof that two acceptors are equal at every length, the empty word included, within some seconds."""


def smaller_fragments(program: Program, seconds: float = 10.0, prove: Prover | None = None) -> list[Program]:
    """Programs equal to this one that use strictly fewer kinds of positional relations, one for each fragment found.

    The first uses the fewest. All are proved equal: on acceptance, on every prediction, and on the empty word.
    """
    return [smaller for smaller, _ in _proved_smaller(program, seconds, prove or _compared)]


def decide_program(program: Program, seconds: float = 10.0, prove: Prover | None = None) -> Verdict:
    """The verdict on a program by its own fragment and the smaller ones that were found."""
    known = _proved_smaller(program, seconds, prove or _compared)

    def answer(name: str) -> Answer:
        fragment = FRAGMENT_NAMES[name]
        allowed = FRAGMENTS[fragment]
        if program.fragment <= allowed:
            proof = member_by_construction(program, fragment)
            reason = f"the program is one of {program.fragment_name}"
            return Answer("yes", reason, program, proved=proof is not None, proof=proof)
        for smaller, equality in known:
            if smaller.fragment <= allowed:
                proof = member_by_equality(fragment, "last", equality)
                reason = f"a program of {smaller.fragment_name} is equal to it at every length"
                return Answer("yes", reason, smaller, proved=proof is not None, proof=proof)
        needless = ", ".join(sorted(program.fragment - allowed))
        return Answer("unknown", f"the program uses {needless} relations, and no equal one without them was found")

    return Verdict(program.title or "program", answer("nope"), answer("ape"), answer("local"), "last")


def _proved_smaller(program: Program, seconds: float, prove: Prover) -> list[tuple[Program, Proof]]:
    """Programs of smaller fragments, the first with the fewest relations, and why each is equal to this one."""
    deadline = monotonic() + seconds
    simple = program.simplify()
    equality = _Equality(program, simple, deadline, prove)
    found: dict[frozenset[str], tuple[Program, Proof]] = {}
    for target in _below(program.fragment):
        if any(smaller <= target for smaller in found):
            continue
        for candidate in _candidates(simple, target):  # simplification alone may do
            if monotonic() > deadline:
                break
            smaller = candidate.simplify()
            if not smaller.fragment <= target or not _agree(program, smaller):
                continue
            proof = equality.proof(candidate, smaller)
            if proof is not None:
                found[smaller.fragment] = smaller, proof
                break
    return sorted(found.values(), key=lambda pair: (len(pair[0].fragment), pair[0].size))


class _Equality:
    """Why candidates are equal to a program, step by step."""

    def __init__(self, program: Program, simple: Program, deadline: float, prove: Prover) -> None:
        self.program, self.simple, self.deadline, self._prove = program, simple, deadline, prove
        self.symbols = common_symbols((program,))
        self._known: dict[tuple[str, str], dict[str, Any] | None] = {}

    def proof(self, candidate: Program, smaller: Program) -> Proof | None:
        """That a candidate in its simplified form is equal to the program; None if some step is not proved."""
        stations: list[Program] = []
        for station in (smaller, candidate, self.simple, self.program):
            if not stations or str(stations[-1]) != str(station):
                stations.append(station)
        if len(stations) == 1:
            stations *= 2
        steps = []
        for one, other in pairwise(stations):
            step = self._step(one, other)
            if step is None:
                return None
            steps.append(step)
        between = [side_as_json(station) for station in stations[1:-1]]
        argument = steps[0] if len(steps) == 1 else {"kind": "chain", "between": between, "steps": steps}
        proof = Proof(Equal(stations[0], stations[-1], self.symbols), argument)
        try:
            proof.check()
        except ProofError:  # pragma: no cover - every step was replayed when it was found
            return None
        return proof

    def _step(self, one: Program, other: Program) -> dict[str, Any] | None:
        """Why two neighbours are equal: part by part where they differ, or else output by output."""
        key = str(one), str(other)
        if key not in self._known:
            self._known[key] = self._congruence(one, other) or self._outputs(one, other)
        return self._known[key]

    def _congruence(self, one: Program, other: Program) -> dict[str, Any] | None:
        parts: list[dict[str, Any]] = []

        def proved(left: Program, right: Program) -> bool:
            argument = self._compared(left, right)
            if argument is not None:
                parts.append({"left": str(left), "right": str(right), "argument": argument})
            return argument is not None

        return {"kind": "congruence", "parts": parts} if proved_equal(one, other, proved) else None

    def _outputs(self, one: Program, other: Program) -> dict[str, Any] | None:
        ours, others = outputs(one), outputs(other)
        if set(ours) != set(others):
            return None
        found: dict[str, Any] = {}
        for name, program in ours.items():
            argument = self._compared(program, others[name])
            if argument is None:
                return None
            found[name] = argument
        return {"kind": "outputs", "proofs": found}

    def _compared(self, left: Program, right: Program) -> Argument | None:
        seconds = min(MOST_SECONDS, self.deadline - monotonic())
        proof = self._prove(left, right, self.symbols, seconds) if seconds > 0 else None
        return None if proof is None else proof.argument


def _below(fragment: frozenset[str]) -> list[frozenset[str]]:
    """The strictly smaller fragments, smallest first."""
    every = (frozenset[str](), frozenset({"local"}), frozenset({"periodic"}))
    return [smaller for smaller in every if smaller < fragment]


# --------------------------------------------------------------------------------------------- candidates


def _candidates(program: Program, target: frozenset[str]) -> Iterator[Program]:
    """Programs of a fragment that might be equal, of the same shape but with every unwanted relation replaced."""
    sites = list(
        dict.fromkeys(
            node
            for statement in program.statements
            for node in walk(statement.expression)
            if (kind := positional_relation(node)) is not None and kind not in target
        )
    )
    options = [_replacements(site) for site in sites]
    for choice in islice(product(*options), MOST_CANDIDATES):
        exchange = dict(zip(sites, choice, strict=True))
        try:
            statements = tuple(
                replace(statement, expression=_exchanged(statement.expression, exchange))
                for statement in program.statements
            )
            candidate = Program(statements, program.declared_alphabet, program.title)
        except ProgramError:  # such as one that nests too deeply
            continue
        yield candidate


def _replacements(site: Expression) -> list[Expression]:
    """What may stand in the place of a positional relation: the same without a window, or a constant."""
    match site:
        case Exists(Window(offsets), operand):
            whole: list[Expression] = [Exists(Before(), operand), Exists(Everywhere(), operand)]
            here = [operand] if offsets[0] == 0 else []
            return [*whole, *here, Truth(False), Truth(True)]
        case Count(Window(offsets), operand):
            whole = [Count(Before(), operand), Count(Everywhere(), operand)]
            one: Expression = Conditional(Number(1), operand, Number(0))
            return [*whole, *([one] if offsets[0] == 0 else []), Number(0), Number(len(offsets))]
        case _:
            return [Truth(True), Truth(False)]


def _exchanged(expression: Expression, exchange: dict[Expression, Expression]) -> Expression:
    """An expression with some of its parts exchanged, inside what they are exchanged for, too."""
    if expression in exchange:
        return _exchanged(exchange[expression], exchange)
    return rebuilt(expression, tuple(_exchanged(part, exchange) for part in children(expression)))


# ----------------------------------------------------------------------------------------------- equality


def _agree(program: Program, candidate: Program) -> bool:
    """Whether two programs agree on some short and some long words, at every position."""
    symbols = list(program.alphabet)
    if program.alphabet.is_open:
        symbols.append("".join(symbols) + "?")  # longer than every symbol, so it is none of them
    length = max(length for length in range(9) if len(symbols) ** length <= MOST_WORDS or length <= 1)
    rng = random.Random(0)  # noqa: S311 - words to try, no secrets
    long = [rng.choices(symbols, k=40) for _ in range(20)]
    for word in (*map(list, islice(product(symbols, repeat=length), MOST_WORDS)), *long):
        if program.listing.accept is not None:
            if candidate.listing.accept is None:
                return False
            if (program.accepts_prefixes(word) != candidate.accepts_prefixes(word)).any():
                return False
        if program.predicts and program.next_tokens(word) != candidate.next_tokens(word):
            return False
    return True


def _compared(left: Program, right: Program, symbols: tuple[str, ...], seconds: float) -> Proof | None:
    found = compare(left, right, symbols, seconds=seconds)
    return None if found.empty_differs else found.proof
