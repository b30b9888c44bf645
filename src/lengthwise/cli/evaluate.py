"""`lengthwise evaluate MODEL --task T --lengths 50,100`: any model, scored by length; or its answers to words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

import typer

from lengthwise.cli.answer import show
from lengthwise.cli.completion import subject_names
from lengthwise.cli.options import Alphabet, Json, grouped, numbers, values
from lengthwise.cli.printing import echo
from lengthwise.errors import LengthwiseError
from lengthwise.resources import SECONDS
from lengthwise.streams import standard_lines


@dataclass(frozen=True)
class Tokens:
    """How words reach a model from elsewhere, and how its outputs are read."""

    tokens: Annotated[
        str | None, typer.Option(metavar="FILE", help='A JSON file with the token of each symbol: {"a": 0}.')
    ] = None
    start_token: Annotated[str | None, typer.Option(metavar="TOKEN", help="The token in front of words.")] = None
    separator_token: Annotated[str | None, typer.Option(metavar="TOKEN", help="The token of SEP.")] = None
    end_token: Annotated[
        str | None, typer.Option(metavar="TOKEN", help="The token of EOS, or of the end of a word.")
    ] = None
    threshold: Annotated[
        float | None, typer.Option(metavar="P", help="Next symbols are those of probability P or more, not logit > 0.")
    ] = None


@grouped
def evaluate(
    *,
    model: Annotated[
        str,
        typer.Argument(
            metavar="MODEL",
            help="A run, a Hugging Face directory, a model file, a program, mine.py:Name or package.module:Name.",
        ),
    ],
    words: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[WORD]...",
            help="Without --lengths: words; '' is the empty word. Without words, lines of standard input.",
        ),
    ] = None,
    task: Annotated[
        str | None,
        typer.Option(
            "--task",
            metavar="SUBJECT",
            help="What the model is scored on; else the run's own.",
            autocompletion=subject_names,
        ),
    ] = None,
    lengths: Annotated[
        str | None, typer.Option("--lengths", "-t", metavar="N,N,…", help="The lengths of random words of the task.")
    ] = None,
    number: Annotated[int, typer.Option("--words", metavar="N", help="How many words of each length.")] = 1000,
    seed: Annotated[int, typer.Option("--seed", help="Of the words: the same for every model.")] = 0,
    form: Tokens,
    weights: Annotated[
        str | None, typer.Option("--weights", metavar="FILE", help="A safetensors file with the weights of a module.")
    ] = None,
    settings: Annotated[
        list[str] | None, typer.Option("--set", metavar="NAME=VALUE", help="A parameter of the task, such as omega=2.")
    ] = None,
    alphabet: Alphabet = None,
    regime: Annotated[
        str | None,
        typer.Option(help="For words: huang(8), izzo_finite(8), izzo_infinite or hardmax, of Limit Transformers."),
    ] = None,
    offset: Annotated[
        int, typer.Option(metavar="N", help="For words: where they start, in ordinary transformers.")
    ] = 0,
    seconds: Annotated[float, typer.Option("--seconds", help="For words: the time limit for each.")] = SECONDS,
    as_json: Json = False,
) -> None:
    """Score any model on random words of a task by length; or ask a compiled model about words.

    With --lengths, all models get the same words, and a word is right only if every position that decides on it is;
    the verdict on the task stands beside the scores. Without, a compiled model or a program says of each word whether
    it is accepted, with the outputs behind that; what is not proved to be what its program says is marked.
    """
    from lengthwise import public
    from lengthwise.tasks import read_settings

    if lengths is None:
        if task is not None:
            raise LengthwiseError(f"say at which lengths the model is scored on {task}, as in --lengths 50,100")
        given = words if words else standard_lines()
        found = public.evaluate(model, given, regime=regime, offset=offset, seconds=seconds)
        show(found.answers, as_json)
        if found.no_certificate:
            echo(f"no certificate: {found.no_certificate}", err=True)
        return
    if words:
        raise LengthwiseError(f"--lengths is for random words; leave out {words[0]!r}, or --lengths")
    asked = numbers(lengths, lengths.split(","), int, "--lengths takes numbers with commas between, such as 50,100")
    more: dict[str, Any] = {**values(form), "weights": weights, **read_settings(settings or [])}
    if alphabet is not None:
        more["alphabet"] = alphabet
    scores = public.evaluate(model, task, asked, words=number, seed=seed, **more)
    show(scores, as_json)
