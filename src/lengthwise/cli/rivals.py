"""`lengthwise rivals SUBJECT`: what else short words allow."""

from __future__ import annotations

from typing import Annotated

import typer

from lengthwise.cli.answer import counted_progress, show
from lengthwise.cli.options import (
    Alphabet,
    AtlasDirectory,
    Encoding,
    Fragment,
    Json,
    Largest,
    Seconds,
    Subject,
    file_option,
    numbers,
)
from lengthwise.resources import SECONDS


def rivals(
    subject: Subject,
    train_length: Annotated[int, typer.Option("--train-length", "-n", min=1, help="N: words up to this length.")],
    words: Annotated[
        int | None, typer.Option("--words", min=1, help="Only so many drawn words were seen, instead of all.")
    ] = None,
    most: Annotated[int, typer.Option("--most", min=1, help="How many rivals to list.")] = 10,
    test_lengths: Annotated[
        str | None, typer.Option("--test-lengths", "-t", help="Where to judge them, as in 20,50; else 2N,4N,8N.")
    ] = None,
    alphabet: Alphabet = None,
    fragment: Fragment = None,
    complexity: Largest = None,
    encoding: Encoding = "symbols",
    atlas: AtlasDirectory = None,
    plot: Annotated[
        str | None, file_option("--plot", help="Draw accuracy against length (.svg, .pdf, .png).", figure=True)
    ] = None,
    seed: Annotated[int, typer.Option("--seed", help="Of the words that are drawn.")] = 0,
    seconds: Seconds = SECONDS,
    as_json: Json = False,
) -> None:
    """List the other programs, no more complex, that words up to a length do not tell from a subject.

    A learner that takes a simplest program for what it saw may take any of them. Each is shown with the shortest word
    on which it differs, how often training words show that, and how often it is right on longer words.
    """
    from lengthwise import public

    lengths = None
    if test_lengths is not None:
        lengths = numbers(
            test_lengths, test_lengths.split(","), int, "--test-lengths takes numbers with commas between"
        )
    with counted_progress() as progress:
        found = public.rivals(
            subject,
            train_length,
            words,
            alphabet,
            most=most,
            test_lengths=lengths,
            fragment=fragment,
            complexity=complexity,
            encoding=encoding,
            atlas=atlas,
            seconds=seconds,
            progress=progress,
            seed=seed,
        )
    if plot is not None:
        from lengthwise.drawing.rivals_plot import plot_rivals

        # All words up to N were seen, so a rival is right on these.
        start = [(train_length, 1.0)] if words is None else []
        curves = [
            (rival.member.text, start + [(length, share.value) for length, share in rival.accuracy])
            for rival in found.rivals
        ]
        plot_rivals(curves, train_length, f"Rivals of {subject}", plot)
    show(found, as_json, path=plot)
