"""`lengthwise learn FILE`: the smallest program for labelled words, a predicate, an automaton or a language."""

from __future__ import annotations

from typing import Annotated

import typer

from lengthwise.cli.answer import counted_progress, show
from lengthwise.cli.options import Alphabet, AtlasDirectory, Encoding, Fragment, Json, Largest, Seconds
from lengthwise.resources import SECONDS


def learn(
    examples: Annotated[
        str,
        typer.Argument(metavar="FILE", help="Words with labels (.tsv, .txt, .jsonl), or a subject to compute."),
    ],
    errors: Annotated[int, typer.Option("--errors", min=0, help="How many words may be labelled otherwise.")] = 0,
    alphabet: Alphabet = None,
    fragment: Fragment = None,
    complexity: Largest = None,
    encoding: Encoding = "symbols",
    atlas: AtlasDirectory = None,
    seconds: Seconds = SECONDS,
    as_json: Json = False,
) -> None:
    """Find the smallest program for labelled words, or for a language, a predicate or an automaton.

    A line of the file is a word, a tab and 0 or 1, or a JSON object such as {"word": "ab", "label": 1}. Words without
    labels are taken for all words of a language: what may follow is learned for each symbol.
    """
    from lengthwise import public

    with counted_progress() as progress:
        found = public.learn(
            examples,
            alphabet,
            errors=errors,
            fragment=fragment,
            complexity=complexity,
            encoding=encoding,
            atlas=atlas,
            seconds=seconds,
            progress=progress,
        )
    show(found, as_json)
