"""`decide`: is there one C-RASP program for all lengths?

A regular language is decided exactly. A program is in its own fragment by construction; if its language turns out to be
regular it is decided like any other, and else smaller fragments are searched. `algorithmic` has the tasks of Table 3.
"""

from __future__ import annotations

from dataclasses import replace

from lengthwise.crasp import Program
from lengthwise.errors import LengthwiseError
from lengthwise.regular.deciding.budget import Budget
from lengthwise.regular.deciding.decider import decide_automaton
from lengthwise.regular.deciding.fragments import decide_program
from lengthwise.regular.deciding.proved import FRAGMENT_NAMES, about_program, member_by_construction
from lengthwise.regular.deciding.verdict import Answer, Verdict
from lengthwise.regular.languages.automaton import Acceptance, Automaton
from lengthwise.regular.languages.from_program import automaton_of
from lengthwise.regular.languages.language import Language
from lengthwise.regular.proofs import Member, Proof, ProofError
from lengthwise.regular.proofs.sides import side_as_json
from lengthwise.regular.prover import compare
from lengthwise.regular.synthesis.minimise import Minimised, minimised
from lengthwise.resources import TimeLimitError

__all__ = ["decide", "decide_automaton", "with_minimal_programs"]

FRAGMENTS = {"nope": frozenset[str](), "local": frozenset({"local"}), "ape": frozenset({"local", "periodic"})}
"""What the programs of each answer may use."""
REGULAR = "The program's language is regular (its configurations are finitely many), so it was decided exactly."


def decide(
    subject: Program | Language | Automaton,
    symbols: tuple[str, ...] | None = None,
    acceptance: Acceptance = "last",
    budget: Budget | None = None,
    title: str = "",
) -> Verdict:
    """Decide whether a language is in C-RASP[∅], C-RASP[local] and C-RASP[periodic, local].

    Args:
        subject: A language, an automaton, or a program. `lengthwise.decide` also reads texts.
        symbols: For a program whose alphabet is open: the symbols of its words.
        acceptance: Where words are accepted: at their `last` symbol, or at an end marker, `eos`.
        budget: What may be spent.
        title: What the verdict calls the subject; else what it calls itself.

    Returns:
        The three answers, each with a program or a reason.

    Raises:
        LengthwiseError: The subject is none of these, or there is no such acceptance.

    Example:
        >>> from lengthwise.regular import Language
        >>> decide(Language.from_regex("(aa)*")).nope.kind
        'no'

    """
    if acceptance not in ("last", "eos"):
        raise LengthwiseError(f"acceptance is read at the 'last' symbol or at an end marker, 'eos', not {acceptance!r}")
    budget = budget or Budget()
    with budget.in_force():
        match subject:
            case Program():
                return _decide_program(subject, symbols, acceptance, budget, title or subject.title or "program")
            case Language():
                return decide_automaton(subject.automaton, acceptance, budget, title or subject.title or "language")
            case Automaton():
                return decide_automaton(subject, acceptance, budget, title or "automaton")
    raise LengthwiseError(
        f"regular.decide takes a Program, a Language or an Automaton, not {type(subject).__name__}; lengthwise.decide "
        "also takes texts and files"
    )


def with_minimal_programs(verdict: Verdict, seconds: float = 5.0) -> Verdict:
    """The same verdict with every proved program made smaller, as far as that can be proved in the time.

    Args:
        verdict: A verdict with proved programs.
        seconds: The longest time for each program.

    Returns:
        The same verdict with smaller programs, as far as these were proved equal in the time.

    Example:
        >>> import lengthwise as lw
        >>> with_minimal_programs(lw.decide("(ab)*"), seconds=0.5).ape.kind
        'yes'

    """
    smaller: dict[str, Minimised] = {}

    def made(answer: Answer) -> Answer:
        if answer.program is None or answer.proof is None or not isinstance(answer.proof.claim, Member):
            return answer
        text = str(answer.program)
        if text not in smaller:
            smaller[text] = minimised(answer.program, seconds=seconds)
        found = smaller[text]
        if found.proof is None or found.program == answer.program:
            return answer
        proof = _with_smaller(answer.proof, answer.program, found)
        try:
            proof.check()
        except ProofError:
            return answer
        return replace(answer, program=found.program, proof=proof)

    return replace(verdict, nope=made(verdict.nope), local=made(verdict.local), ape=made(verdict.ape))


def _with_smaller(proof: Proof, program: Program, found: Minimised) -> Proof:
    """A proof of membership by one program as one by a smaller program that is equal to it."""
    equality = found.proof.argument if found.proof is not None else {}
    argument = {"kind": "program", "program": found.program, "alphabet": list(found.symbols)}
    if proof.argument["program"] is None:  # the program was the subject itself
        return replace(proof, argument={**argument, "equality": equality})
    steps = {"steps": [equality, proof.argument["equality"]]}
    return replace(
        proof, argument={**argument, "equality": {"kind": "chain", "between": [side_as_json(program)], **steps}}
    )


def _decide_program(
    program: Program, symbols: tuple[str, ...] | None, acceptance: Acceptance, budget: Budget, title: str
) -> Verdict:
    seconds = 10.0 if budget.left is None else min(10.0, budget.left)
    if symbols is not None and program.alphabet.is_open and set(program.alphabet) <= set(symbols):
        program = replace(program, declared_alphabet=symbols)  # what is decided are words over these symbols
    if program.listing.accept is None or program.predicts:
        return replace(decide_program(program, seconds), subject=title)
    try:
        automaton = automaton_of(program, symbols, budget.described, seconds)
    except TimeLimitError:
        automaton = None
    if automaton is None:
        return replace(decide_program(program, seconds), subject=title)
    verdict = decide_automaton(automaton, acceptance, budget, title)
    equality = compare(program, automaton, automaton.symbols, 2 * budget.configurations, seconds).proof
    return replace(
        verdict,
        nope=_by_construction(program, "nope", verdict.nope, acceptance, equality),
        local=_by_construction(program, "local", verdict.local, acceptance, equality),
        ape=_by_construction(program, "ape", verdict.ape, acceptance, equality),
        notes=(REGULAR, *verdict.notes),
    )


def _by_construction(
    program: Program, name: str, answer: Answer, acceptance: Acceptance, equality: Proof | None
) -> Answer:
    """The program itself where it is in the fragment, unless a smaller one was proved."""
    own = program.fragment <= FRAGMENTS[name] and not (name == "nope" and acceptance == "eos")
    proof = about_program(answer.proof, equality)
    smaller = proof is not None and answer.program is not None and answer.program.size < program.size
    if smaller or not own:
        return replace(answer, proof=proof, proved=proof is not None)
    proof = member_by_construction(program, FRAGMENT_NAMES[name])
    return Answer(
        "yes", f"the program is one of {program.fragment_name}", program, None, proof is not None, None, proof
    )
