"""Tasks, schemes, verdicts and accuracies as they are written in figures and tables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from lengthwise.experiments.generalization.cell import Scheme
from lengthwise.experiments.generalization.measured import Measured
from lengthwise.experiments.generalization.predictors import PREDICTORS, PREFIX
from lengthwise.regular import languages
from lengthwise.regular.algorithmic.decide import get_task, task_names
from lengthwise.regular.languages.catalogue import table_row

Verdict = Literal["program", "no program", "undecided"]
"""Of `decide`, about a task with a scheme: there is a program, it is proved that there is none, or neither."""
VERDICTS: tuple[Verdict, ...] = ("program", "no program", "undecided")
THEORY = next(iter(PREDICTORS))
"""The predictor whose verdicts these are."""
SCHEMES: dict[Scheme, str] = {"ape": "APE", "nope": "NoPE", "baseline": "baseline"}
LOWERED = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")


def verdict(task: str, scheme: Scheme) -> Verdict:
    """What `decide` says about a task with a scheme."""
    predicted = PREDICTORS[THEORY](task, scheme)
    return "undecided" if predicted is None else "program" if predicted else "no program"


def title(task: str) -> str:
    """What the paper calls a task."""
    name = task.removeprefix(PREFIX)
    if task != name and name in task_names():
        return get_task(name).title
    if task not in languages():
        return task
    written = table_row(task).written
    if table_row(task).number is None:
        # PARITY, which is an algorithmic task as well.
        return f"{written} (language)"
    if task.startswith("tomita-"):
        return task.replace("tomita-", "Tomita ")
    return written[:1] + written[2:].translate(LOWERED) if written.startswith("D_") else written


def number(task: str) -> int | None:
    """The number that a language has in Table 2."""
    return table_row(task).number if task in languages() else None


def label(task: str) -> str:
    """The title, with the number before it if there is one."""
    found = number(task)
    return title(task) if found is None else f"{found}: {title(task)}"


def named(each: Measured) -> str:
    """A cell in words."""
    return f"{title(each.cell.task)} {SCHEMES[each.cell.scheme]}"


def percent(accuracy: float | None) -> str:
    """An accuracy in percent; 100 and 0 are exact, and a dash stands for none."""
    if accuracy is None:
        return "–"
    # Means of many numbers are off in the last digits.
    accuracy = round(accuracy, 9)
    if accuracy in (0.0, 1.0):
        return f"{100 * accuracy:.0f}"
    shown = f"{100 * accuracy:.1f}"
    return {"100.0": ">99.9", "0.0": "<0.1"}.get(shown, shown)


def with_spread(each: Measured, place: int = -1) -> str:
    """The mean accuracy of a cell in a bin, with the lowest and the highest seed if they differ."""
    spread = each.spread(place)
    if spread is None:
        return percent(None)
    return percent(each.mean(place)) + from_to(*spread)


def from_to(low: float, high: float) -> str:
    """The lowest and the highest accuracy in brackets; nothing if they are the same."""
    ends = percent(low), percent(high)
    return "" if ends[0] == ends[1] else f" ({ends[0]}–{ends[1]})"


def bin_names(ends: Sequence[int]) -> list[str]:
    """The bins of test lengths by their ends."""
    begins = [0, *ends[:-1]]
    return [f"≤{end}" if not begin else f"{begin + 1}–{end}" for begin, end in zip(begins, ends, strict=True)]


def numbers(found: Sequence[int]) -> str:
    """Whole numbers with stretches drawn together: 1, 2, 7–11."""
    stretches: list[list[int]] = []
    for each in sorted(found):
        if stretches and stretches[-1][-1] == each - 1:
            stretches[-1].append(each)
        else:
            stretches.append([each])
    return ", ".join(
        f"{stretch[0]}–{stretch[-1]}" if len(stretch) > 2 else ", ".join(map(str, stretch)) for stretch in stretches
    )
