"""`lengthwise check-proof FILE`: replay what `--proof FILE` saved, with code that shares nothing with the search."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from lengthwise.errors import LengthwiseError

FAILED = 1
"""The exit code of a proof that does not hold."""
LARGEST_FILE = 1_000_000_000
"""The most bytes a proof may have."""


def check_proof(
    file: Annotated[str, typer.Argument(metavar="FILE", help="A file that `--proof FILE` wrote; - is standard input.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print a JSON list of {claim, holds, problem}.")] = False,
) -> None:
    """Replay saved proofs. Exit code 0: all hold. 1: some does not, and what does not hold is said. 2: no proof."""
    from lengthwise.regular.proofs import Proof, ProofError, proofs_from_json

    def problem_of(proof: Proof) -> str | None:
        try:
            proof.check()
        except ProofError as problem:
            return str(problem)
        return None

    proofs = proofs_from_json(_text(file))
    problems = [problem_of(proof) for proof in proofs]
    if as_json:
        entries: list[dict[str, Any]] = [
            {"claim": str(proof.claim), "holds": problem is None, "problem": problem}
            for proof, problem in zip(proofs, problems, strict=True)
        ]
        typer.echo(json.dumps(entries, ensure_ascii=False, indent=2))
    else:
        for proof, problem in zip(proofs, problems, strict=True):
            verdict = "holds" if problem is None else f"does not hold: {problem}"
            typer.echo(f"{proof.claim}: {verdict}")
    if any(problem is not None for problem in problems):
        raise typer.Exit(FAILED)


def _text(file: str) -> str:
    try:
        raw = sys.stdin.buffer.read(LARGEST_FILE + 1) if file == "-" else _bytes(file)
    except OSError as problem:
        raise LengthwiseError(f"the proof {file} cannot be read: {problem.strerror}") from None
    if len(raw) > LARGEST_FILE:
        raise LengthwiseError(f"the file {file} has more than {LARGEST_FILE} bytes, which no proof has; is it one?")
    try:
        return raw.decode()
    except UnicodeDecodeError:
        raise LengthwiseError(f"the file {file} is not UTF-8 text, so it is no proof") from None


def _bytes(file: str) -> bytes:
    with Path(file).open("rb") as source:
        return source.read(LARGEST_FILE + 1)
