"""The table of identification lengths: the languages of Table 2, D_n, and the library programs that accept words.

    python scripts/identification_table.py [--seconds 60] [--only NAME]... > table.md

A row for each subject, as `lengthwise bound identification` finds it, with the fragment of the subject's own program.
"""

from __future__ import annotations

import argparse
import sys

import lengthwise as lw
from lengthwise.atlas.identification import Identification
from lengthwise.crasp import library
from lengthwise.errors import LengthwiseError
from lengthwise.regular.languages.catalogue import languages

HEAD = "| subject | class | κ | N_id | N_id^< | last rival | shortest difference | smallest teaching set |"


def subjects() -> list[str]:
    """The names, each once."""
    named = [*languages(), *(f"d{n}" for n in range(1, 13)), *library.names()]
    return list(dict.fromkeys(named))


def row(name: str, found: Identification) -> str:
    """A line of the table."""
    answer = found.as_json()
    witness = answer["witness"] or {"expression": "–", "shortest_difference": "–"}
    sure = f"{found.length}" if found.exact else f"≥ {found.length}"
    strict = f"{found.strict_length}" if found.exact else f"≥ {found.strict_length}"
    complexity = f"> {found.searched}" if found.complexity is None else str(found.complexity)
    teaching = answer["teaching"]
    taught = "–" if teaching is None else f"{len(teaching)} words" if len(teaching) > 8 else ", ".join(teaching)
    fragment = found.class_name.split(" over ")[0]
    rival = witness["expression"].replace("|", "\\|")
    word = witness["shortest_difference"]
    cells = [name, fragment, complexity, sure, strict, f"`{rival}`", word, taught]
    return "| " + " | ".join(map(str, cells)) + " |"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=60.0, help="for each subject")
    parser.add_argument("--only", action="append", help="only this subject")
    options = parser.parse_args()
    print(HEAD, "|" + "---|" * 8, sep="\n", flush=True)
    for name in options.only or subjects():
        try:
            print(row(name, lw.identification(name, seconds=options.seconds)), flush=True)
        except LengthwiseError as problem:
            print(f"{name}: {problem}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
