"""Showing: a program in canonical form, a language's minimal automaton, a model's quantities."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lengthwise.crasp import Program
from lengthwise.errors import LengthwiseError
from lengthwise.resources import SECONDS, time_limit
from lengthwise.subjects import Subject
from lengthwise.subjects.subject import Symbols

if TYPE_CHECKING:
    from lengthwise.regular import Language, Proof


@dataclass(frozen=True)
class Shown:
    """What `show` gives: the facts about a program, a language or a model, as data and as text."""

    subject: str
    """As it was given."""
    meaning: str
    """How it was read."""
    facts: dict[str, Any]
    """Plain data with stable keys: sizes, alphabet, and for models the quantities of the theory."""
    text: str
    """The program in canonical form, the automaton as a table, or the facts about a model, line by line."""
    program: Program | None = None
    language: Language | None = None
    proof: Proof | None = None
    """Of a smaller program: that it accepts the same words."""

    @property
    def latex(self) -> str:
        """The program in LaTeX, in the style of the papers' boxes."""
        if self.program is None:
            raise LengthwiseError(_not_a_program(self.subject, self.meaning))
        return self.program.to_latex()

    def as_json(self, *, latex: bool = False) -> dict[str, Any]:
        """Plain data with stable keys."""
        if self.program is None and self.language is None:
            return self.facts
        kind = "language" if self.program is None else "program"
        found = {kind: self.subject, "meaning": self.meaning, **self.facts, "text": self.text}
        return {**found, "latex": self.latex} if latex else found

    def __str__(self) -> str:
        return "\n".join([self.text.rstrip() if self.language is not None else self.text, *self._summary()])

    def _summary(self) -> list[str]:
        if self.program is not None:
            return [f"{label:9} {text}" for label, text in _program_summary(self.program)]
        if self.language is not None:
            states, accepting, word = (self.facts[name] for name in ("states", "accepting", "shortest"))
            return [
                f"states    {states} (of the minimal automaton), {accepting} accepting",
                f"alphabet  {' '.join(self.facts['alphabet'])}",
                f"shortest  {'(none)' if word is None else word or '(the empty word)'}",
            ]
        return []


def show(
    subject: object,
    alphabet: Symbols | None = None,
    *,
    simplify: bool = False,
    minimise: bool = False,
    products: bool = False,
    context: int | None = None,
    seconds: float | None = SECONDS,
) -> Shown:
    """Show a program in canonical form, a language's minimal automaton, or a model file's quantities.

    Args:
        subject: What `Subject.of` takes, or a model file (.safetensors).
        alphabet: The symbols of a regex or a predicate.
        simplify: Whether to show the simplified program.
        minimise: Whether to show a smaller program that is proved to accept the same words.
        products: Whether to show the product functions of a model, or of the one that a program compiles to.
        context: For these, how many positions a Limit Transformer gets as an ordinary one; else 8.
        seconds: The time limit; None for no limit.

    Returns:
        The facts with the text; of a program also its LaTeX.

    Raises:
        LengthwiseError: The subject is none, or a language or a model is to be simplified.

    Example:
        >>> import lengthwise as lw
        >>> lw.show("majority").facts["depth"]
        1
        >>> lw.show("(ab)*").facts["states"]
        3

    """
    with time_limit(seconds).in_force():
        return _shown(subject, alphabet, simplify, minimise, products, context)


def _shown(
    subject: object, alphabet: Symbols | None, simplify: bool, minimise: bool, products: bool, context: int | None
) -> Shown:
    if products:
        if simplify or minimise:
            raise LengthwiseError("--products is about weights; --latex, --simplify and --minimise are for programs")
        return _shown_products(subject, context)
    if context is not None:
        raise LengthwiseError("--context says at which length to look for product functions; give --products, too")
    if isinstance(subject, str | os.PathLike) and os.fspath(subject).endswith(".safetensors"):
        if simplify or minimise:
            raise LengthwiseError("--latex and --simplify are for programs; this is a model file")
        return _shown_model(Path(subject))
    meant = Subject.of(subject, alphabet)
    found = meant.as_runnable()
    if not isinstance(found, Program):
        if simplify or minimise:
            raise LengthwiseError(_not_a_program(meant.text, meant.meaning))
        return _shown_language(meant.text, meant.meaning, found)
    program = found.simplify() if simplify else found
    proof = None
    if minimise:
        from lengthwise.regular.synthesis.minimise import minimised

        smaller = minimised(program)
        program, proof = smaller.program, smaller.proof
    return Shown(meant.text, meant.meaning, _program_facts(program), str(program), program, proof=proof)


def _not_a_program(text: str, meaning: str) -> str:
    if text.endswith(".safetensors"):
        return "--latex and --simplify are for programs; this is a model file"
    return (
        f"--latex, --simplify and --minimise are for programs, and {text} is a {meaning}; decide it with -o FILE "
        "and show that file"
    )


def _shown_model(path: Path) -> Shown:
    from lengthwise.limit.quantities.facts import facts_of_file, lines

    facts = facts_of_file(path)
    return Shown(str(path), f"model {path.name}", facts, "\n".join(lines(facts)))


def _shown_products(subject: object, context: int | None) -> Shown:
    from lengthwise import limit
    from lengthwise.limit.files import ORDINARY, kind_of
    from lengthwise.public.models import MODEL, meant_model

    text = os.fspath(subject) if isinstance(subject, str | os.PathLike) else ""
    model: limit.LimitTransformer | limit.Transformer
    if isinstance(subject, limit.Transformer):
        model, meaning = subject, subject.title or "transformer"
    elif text.endswith(MODEL) and kind_of(text) == ORDINARY:
        model, meaning = limit.load_transformer(text), f"model {Path(text).name}"
    else:
        model, meaning = meant_model(subject, {}, "Definition 43 of Huang et al.")
    found = limit.product_functions(model, context)
    return Shown(text or meaning, meaning, {"meaning": meaning, **found.as_json()}, f"{meaning}\n{found}")


def _shown_language(text: str, meaning: str, language: Language) -> Shown:
    from lengthwise.regular.languages.dfa_files import to_table

    automaton = language.automaton
    shortest = language.shortest_word
    facts = {
        "states": len(automaton),
        "accepting": len(automaton.accepting),
        "alphabet": list(language.alphabet.symbols),
        "shortest": None if shortest is None else ("" if isinstance(shortest, str) else " ").join(shortest),
    }
    return Shown(text, meaning, facts, to_table(automaton), language=language)


def _program_facts(program: Program) -> dict[str, Any]:
    return {
        "fragment": sorted(program.fragment),
        "depth": program.depth,
        "window": program.window,
        "period": program.period,
        "size": program.size,
        "alphabet": list(program.alphabet.symbols),
        "alphabet_is_open": program.alphabet.is_open,
        "predicts": list(program.predicts),
    }


def _program_summary(program: Program) -> list[tuple[str, str]]:
    alphabet = " ".join(program.alphabet.symbols) or "(none)"
    rows = [
        ("fragment", program.fragment_name),
        ("depth", f"{program.depth} (nesting of counts)"),
        ("window", f"{program.window} (τ: how far back local guards look)"),
        ("period", f"{program.period} (Δ: of the position predicates)"),
        ("size", f"{program.size} operations"),
        (
            "alphabet",
            alphabet + (" (open: other symbols are legal and match nothing)" if program.alphabet.is_open else ""),
        ),
    ]
    if program.predicts:
        rows.append(("predicts", " ".join(program.predicts)))
    return rows
