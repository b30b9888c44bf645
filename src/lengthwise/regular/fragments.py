"""A program that is not known to be regular: which fragments of C-RASP[periodic, local] express what it computes.

Its own fragment does, by construction. A smaller one does if some program of it is equal; candidates are the program
with its positional relations replaced by simpler things, and only those count that were proved equal at every length.
So yes is certain, and what is left open is unknown, not no.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import islice, product
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
    Periodic,
    Sum,
    Truth,
    Window,
    total,
    walk,
)
from lengthwise.regular.congruence import proved_equal
from lengthwise.regular.verdict import Answer, Verdict

MOST_CANDIDATES = 1000
"""How many programs are tried for each smaller fragment."""
MOST_WORDS = 300
"""How many words a candidate is tried on before it is proved."""

MOST_SECONDS = 2.0
"""How long the prover may take over one part of a candidate."""

Prover = Callable[[Program, Program, float], bool]
"""Whether two acceptors are proved equal at every length, the empty word included, within some seconds."""


def smaller_fragments(program: Program, seconds: float = 10.0, prove: Prover | None = None) -> list[Program]:
    """Programs equal to this one that use strictly fewer kinds of positional relations, one for each fragment found.

    The first uses the fewest. All are proved equal: on acceptance, on every prediction, and on the empty word.
    """
    deadline = monotonic() + seconds
    simple = program.simplify()
    found: dict[frozenset[str], Program] = {}
    for target in _below(program.fragment):
        if any(smaller <= target for smaller in found):
            continue
        if simple.fragment <= target:  # simplification preserves all values
            found[simple.fragment] = simple
            continue
        for candidate in _candidates(simple, target):
            if monotonic() > deadline:
                break
            smaller = candidate.simplify()
            if not smaller.fragment <= target or not _agree(program, smaller):
                continue
            if proved_equal(simple, candidate, _within(deadline, prove or _compared)):
                found[smaller.fragment] = smaller
                break
    return sorted(found.values(), key=lambda smaller: (len(smaller.fragment), smaller.size))


def decide_program(program: Program, seconds: float = 10.0, prove: Prover | None = None) -> Verdict:
    """The verdict on a program by its own fragment and the smaller ones that were found."""
    known = [program, *smaller_fragments(program, seconds, prove)]

    def answer(allowed: frozenset[str]) -> Answer:
        inside = [each for each in known if each.fragment <= allowed]
        if program in inside:
            return Answer("yes", f"the program is one of {program.fragment_name}", program, proved=True)
        if inside:
            reason = f"a program of {inside[0].fragment_name} is equal to it at every length"
            return Answer("yes", reason, inside[0], proved=True)
        needless = ", ".join(sorted(program.fragment - allowed))
        return Answer("unknown", f"the program uses {needless} relations, and no equal one without them was found")

    subject = program.title or "program"
    every = frozenset({"periodic", "local"})
    return Verdict(subject, answer(frozenset()), answer(every), answer(frozenset({"local"})), "last")


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
            if (kind := _relation(node)) is not None and kind not in target
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


def _relation(node: Expression) -> str | None:
    """Which positional relation a node uses itself."""
    if isinstance(node, Periodic):
        return "periodic"
    if isinstance(node, Count | Exists) and isinstance(node.guard, Window):
        return "local"
    return None


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
    if isinstance(expression, Sum):
        return total([(sign, _exchanged(term, exchange)) for sign, term in expression.terms])
    changes: dict[str, Any] = {}
    for field in ("operand", "left", "right", "then", "condition", "otherwise"):
        if hasattr(expression, field):
            changes[field] = _exchanged(getattr(expression, field), exchange)
    if hasattr(expression, "operands"):
        changes["operands"] = tuple(_exchanged(operand, exchange) for operand in expression.operands)
    return replace(expression, **changes) if changes else expression


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


def _within(deadline: float, prove: Prover) -> Callable[[Program, Program], bool]:
    """A prover for parts of programs that spends at most `MOST_SECONDS` on each and stops at the deadline."""

    def proved(left: Program, right: Program) -> bool:
        seconds = min(MOST_SECONDS, deadline - monotonic())
        return seconds > 0 and prove(left, right, seconds)

    return proved


def _compared(left: Program, right: Program, seconds: float) -> bool:
    from lengthwise.regular.prover import compare

    found = compare(left, right, seconds=seconds)
    return found.equal is True and not found.empty_differs
