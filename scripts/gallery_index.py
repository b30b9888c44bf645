"""Write docs/gallery/index.md: a section for every study of the gallery, with its numbers from report.json."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

GALLERY = Path(__file__).parent.parent / "docs" / "gallery"
TEXTS: dict[str, tuple[str, str]] = {
    "majority": (
        "Majority",
        "Are there at least as many 1 as 0? A program compares two counts: yes, with or without positions.",
    ),
    "some-b": ("Some b", "Has there been a b? Yes, with or without positions."),
    "d4": (
        "D₄",
        "Words of a and b that return to depth 0 and never go deeper than 4: (a(a(a(ab)\\*b)\\*b)\\*b)\\*. Counting is "
        "enough, with or without positions, and still the hardest yes of Huang et al.",
    ),
    "tomita-4": (
        "Tomita 4",
        "No three 0 in a row. A no without positions and a yes with them, as a program looks at the last three "
        "symbols.",
    ),
    "even-a": (
        "An even number of a",
        "Impossible without positions, possible with them: a program looks at positions modulo 2. Position vectors "
        "that repeat with that period are what the theory's ideal learner would come to.",
    ),
    "abab-star": (
        "(abab)\\*",
        "Impossible without positions, and models without positions fail; possible with them, as a program looks at "
        "positions modulo 4.",
    ),
    "neighbours": (
        "(ba⁺b⁺)⁺",
        "A yes that learned positions do not reach: a program looks at neighbours, the models hold to the longest "
        "training words and fall at twice their length.",
    ),
    "parity": ("Parity", "An even number of 1? No program exists, with or without positions."),
    "sort": (
        "Sorting",
        "A sequence task of Huang et al. with several position schemes. The length is that of the whole input: the "
        "list, a separator, and the list in order.",
    ),
    "plurality": (
        "A task of a user's file",
        "Which of three letters has the most votes? `examples/plurality.py` draws questions and answers them, and "
        "names a C-RASP program as its claim, which the study checks against the samples.",
    ),
    "simple-task": (
        "SimpleTask",
        "A number, sin(3 (c₀ − c₁) / (c₀ + c₁)) of the counts c₀ and c₁ of two symbols (Izzo et al.). There are "
        "theorems on how long training words must be; the page has them beside what was measured.",
    ),
}
"""The studies in the order of the page: a title, and what the task is."""
HEAD = """# Gallery

Each of these reports was made by one command, which stands on it; `scripts/gallery` makes all of them again. A row
has the training length N that counts, the accuracy on words of training lengths, at 2N and at 3N (median of the
seeds, lowest to highest), how far the median seed has 95 % of words right, what [the
rule](../howto/study.md#the-rule) makes of it, and whether that is what the verdict says. The protocol was chosen
after runs on some of these tasks (`lengthwise.study.protocol` has the account), so what is shown is no independent
confirmation. The reports open from a clone of the repository or from the built documentation.
"""


def report(name: str) -> dict[str, Any]:
    """The data of a study."""
    found: dict[str, Any] = json.loads((GALLERY / name / "report.json").read_text(encoding="utf-8"))
    return found


def share(value: float) -> str:
    """A share in percent."""
    return f"{round(100 * value, 1):g} %"


def scores(trained: dict[str, Any], length: int) -> str:
    """The median, the lowest and the highest score at a test length."""
    for result in trained["results"]:
        if result["test_length"] == length:
            found = [each for each in result["scores"] if each is not None]
            low, high = share(min(found)), share(max(found))
            return share(result["median_score"]) + ("" if low == high else f" ({low} to {high})")
    return "–"


def rows(found: dict[str, Any]) -> list[str]:
    """A row of the table for each scheme."""
    made = []
    for scheme, outcome in found["outcomes"].items():
        length = outcome["train_length"]
        (trained,) = (each for each in found["measured"][scheme]["trained"] if each["train_length"] == length)
        far = outcome["how_far"]
        cells = [
            outcome["name"],
            outcome["verdict"],
            f"{length} ({trained['model']})",
            scores(trained, length),
            scores(trained, 2 * length),
            scores(trained, 3 * length),
            "–" if far is None else f"{'≥ ' if far == outcome['longest_tested'] else ''}{far}",
            outcome["outcome"],
            outcome["agreement"],
        ]
        made.append(f"| {' | '.join(cells)} |")
    return made


def section(name: str) -> str:
    """The part of the page on a study."""
    title, text = TEXTS[name]
    found = report(name)
    head = "| positions | verdict | N | accuracy up to N | at 2N | at 3N | how far | outcome | verdict and outcome |"
    lines = [
        f"## [{title}]({name}/report.html)",
        "",
        f"`{found['command']}`",
        "",
        text,
        "",
        f"> {found['answer']['headline']}",
        "",
        head,
        "|---|---|---|---|---|---|---|---|---|",
        *rows(found),
    ]
    return "\n".join(lines)


def index() -> str:
    """The whole page."""
    return "\n\n".join([HEAD.rstrip(), *(section(name) for name in TEXTS)]) + "\n"


if __name__ == "__main__":
    (GALLERY / "index.md").write_text(index(), encoding="utf-8")
