"""`lengthwise show SUBJECT`: a program's canonical form or a language's automaton, or a model file's quantities."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

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
        ),
    ],
    latex: Annotated[bool, typer.Option("--latex", help="Print LaTeX in the style of the papers' boxes.")] = False,
    simplified: Annotated[bool, typer.Option("--simplify", help="Show the simplified program.")] = False,
    minimised: Annotated[
        bool, typer.Option("--minimise", help="Show a smaller program that is proved to accept the same words.")
    ] = False,
    products: Annotated[
        bool, typer.Option("--products", help="Of a model or a program's: the product functions of its weights.")
    ] = False,
    context: Annotated[
        int | None, typer.Option("--context", help="--products: how many positions that model gets; else 8.")
    ] = None,
    alphabet: AlphabetOption = None,
    proof: ProofOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Show a program in canonical form, a language's minimal automaton, or a model file's quantities."""
    if proof is not None and not minimised:
        raise LengthwiseError("--proof saves why a smaller program is equal; give --minimise, too")
    if products:
        _show_products(program, latex or simplified or minimised, context, as_json)
        return
    if context is not None:
        raise LengthwiseError("--context says at which length to look for product functions; give --products, too")
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
        say(proof, json.dumps(entry, ensure_ascii=False, indent=2))
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
    typer.echo(json.dumps(facts, ensure_ascii=False, indent=2) if as_json else "\n".join(lines(facts)))


def _show_products(text: str, other_form: bool, context: int | None, as_json: bool) -> None:
    from lengthwise import limit
    from lengthwise.cli.models import model_from
    from lengthwise.limit.files import ORDINARY, kind_of

    if other_form:
        raise LengthwiseError("--products is about weights; --latex, --simplify and --minimise are for programs")
    model: limit.LimitTransformer | limit.Transformer
    if text.endswith(".safetensors") and kind_of(text) == ORDINARY:
        model, meaning = limit.load_transformer(text), f"model {Path(text).name}"
    else:
        model, meaning = model_from(text, {}, "Definition 43 of Huang et al.")
    found = limit.product_functions(model, context)
    if as_json:
        typer.echo(json.dumps({"meaning": meaning, **found.as_json()}, ensure_ascii=False, indent=2))
        return
    typer.echo(meaning)
    typer.echo(str(found))


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
        entry = {"language": text, "meaning": meaning, **facts, "text": to_table(automaton)}
        typer.echo(json.dumps(entry, ensure_ascii=False, indent=2))
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
