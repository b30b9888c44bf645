"""`lengthwise show SUBJECT`: a program's canonical form or a language's automaton, or a model file's quantities."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lengthwise.cli.completion import subject_names
from lengthwise.cli.json_text import json_text
from lengthwise.cli.outputs import beside, say
from lengthwise.cli.proofs import ProofOption, save_proofs
from lengthwise.cli.reading import AlphabetOption, announce
from lengthwise.crasp import Program
from lengthwise.errors import LengthwiseError
from lengthwise.subjects import Subject

if TYPE_CHECKING:
    from lengthwise.regular import Language


def show(
    program: Annotated[
        str,
        typer.Argument(
            metavar="SUBJECT",
            help="A program, a language, a regex or a file of one (docs/reference/subjects.md); or a model file "
            "(.safetensors).",
            autocompletion=subject_names,
        ),
    ],
    latex: Annotated[bool, typer.Option("--latex", help="Print LaTeX in the style of the papers' boxes.")] = False,
    simplified: Annotated[bool, typer.Option("--simplify", help="Show the simplified program.")] = False,
    minimised: Annotated[
        bool, typer.Option("--minimise", help="Show a smaller program that is proved to accept the same words.")
    ] = False,
    alphabet: AlphabetOption = None,
    proof: ProofOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Show a program in canonical form, a language's minimal automaton, or a model file's quantities."""
    if proof is not None and not minimised:
        raise LengthwiseError("--proof saves why a smaller program is equal; give --minimise, too")
    if program.endswith(".safetensors"):
        _show_model(Path(program), latex or simplified or minimised, as_json)
        return
    subject = Subject.of(program, alphabet)
    found = subject.as_runnable()
    if not isinstance(found, Program):
        _show_language(program, subject.meaning, found, latex or simplified or minimised, as_json)
        return
    loaded = found.simplify() if simplified else found
    if minimised:
        from lengthwise.regular.synthesis.minimise import minimised as made_smaller

        smaller = made_smaller(loaded)
        loaded = smaller.program
        save_proofs(proof, [smaller.proof])
    if not as_json:
        announce(subject, aside=latex or beside(proof))
    if as_json:
        entry = {"program": program, "meaning": subject.meaning, **_facts(loaded), "text": str(loaded)}
        if latex:
            entry["latex"] = loaded.to_latex()
        say(proof, json_text(entry))
    elif latex:
        say(proof, loaded.to_latex())
    else:
        say(proof, str(loaded))
        for label, text in _summary(loaded):
            say(proof, f"{label:9} {text}")


def _show_model(path: Path, other_form: bool, as_json: bool) -> None:
    from lengthwise.cli.show_model import facts_of_file, lines

    if other_form:
        raise LengthwiseError("--latex and --simplify are for programs; this is a model file")
    facts = facts_of_file(path)
    typer.echo(json_text(facts) if as_json else "\n".join(lines(facts)))


def _show_language(text: str, meaning: str, language: Language, other_form: bool, as_json: bool) -> None:
    from lengthwise.regular.languages.dfa_files import to_table

    if other_form:
        raise LengthwiseError(
            f"--latex, --simplify and --minimise are for programs, and {text} is a {meaning}; decide it with -o FILE "
            "and show that file"
        )
    automaton = language.automaton
    shortest = language.shortest_word
    word = None if shortest is None else ("" if isinstance(shortest, str) else " ").join(shortest)
    facts = {
        "states": len(automaton),
        "accepting": len(automaton.accepting),
        "alphabet": list(language.alphabet.symbols),
        "shortest": word,
    }
    if as_json:
        typer.echo(json_text({"language": text, "meaning": meaning, **facts, "text": to_table(automaton)}))
        return
    typer.echo(meaning)
    typer.echo(to_table(automaton).rstrip())
    typer.echo(f"states    {len(automaton)} (of the minimal automaton), {len(automaton.accepting)} accepting")
    typer.echo(f"alphabet  {' '.join(language.alphabet.symbols)}")
    typer.echo(f"shortest  {'(none)' if word is None else word or '(the empty word)'}")


def _facts(program: Program) -> dict[str, object]:
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


def _summary(program: Program) -> list[tuple[str, str]]:
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
