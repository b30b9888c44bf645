"""Fill the columns of state_prediction.csv that are ours: verdict classes and canonical forms.

All other columns are the authors' numbers and stay as they are. A test computes the same columns again.
"""

from __future__ import annotations

import csv
import io
from pathlib import Path

from lengthwise.regular import Language, decide
from lengthwise.study.published.canonical import canonical_form
from lengthwise.study.published.practice import class_of_verdicts

PATH = Path(__file__).parent.parent / "src" / "lengthwise" / "study" / "published" / "state_prediction.csv"


def main() -> None:
    """Decide every language and write the file again."""
    lines = PATH.read_text(encoding="utf-8").splitlines()
    header = [line for line in lines if line.startswith("#")]
    rows = list(csv.DictReader(line for line in lines if not line.startswith("#")))
    for row in rows:
        language = Language.from_regex(row["regex"])
        last = decide(language)
        form = canonical_form(language.automaton)
        row["class"] = class_of_verdicts(decide(language, acceptance="eos"), last) or ""
        row["nope_last"] = last.nope.kind
        row["form"] = "" if form is None else form.digest
    shown = io.StringIO()
    writer = csv.DictWriter(shown, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    PATH.write_text("\n".join(header) + "\n" + shown.getvalue(), encoding="utf-8")


if __name__ == "__main__":
    main()
