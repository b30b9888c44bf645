"""What training gave, as text and as data: one config with all its numbers, or several in one table."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from lengthwise.runs.config import length_in
from lengthwise.runs.labels import scheme_of, size_of
from lengthwise.text_table import aligned

if TYPE_CHECKING:
    from lengthwise.runs.comparison import LeftOut
    from lengthwise.runs.store.summary import Summary
    from lengthwise.runs.sweep import Failure


def single_lines(summary: Summary, store: str) -> Iterator[str]:
    """One config: how its seeds ended, and their losses at every test length."""
    config = summary.config
    yield f"{config}: {len(summary.seeds)} of {len(config.seeds)} seeds trained, kept in {store}"
    if not summary.seeds:
        return
    steps = f"{statistics.median(seed.steps for seed in summary.seeds):,g} steps (median)"
    goals = _goals(summary)
    if goals:
        yield f"{summary.reached} of {len(summary.seeds)} seeds reached {' or '.join(goals)}; {steps}"
    else:
        yield steps
    yield ""
    scored = summary.lengths[0].accuracies is not None
    rows = [["length", "median loss", "lowest", "highest", *(["accuracy"] if scored else [])]]
    for each in summary.lengths:
        losses = (f"{loss:.3g}" for loss in (each.median_loss, each.lowest_loss, each.highest_loss))
        accuracy = [] if each.median_accuracy is None else [f"{each.median_accuracy:.1%}"]
        rows.append([f"{each.test_length:,}", *losses, *accuracy])
    yield from aligned(rows, right=range(5), least=(10, 12, 10, 10, 8))


def combined_lines(summaries: Sequence[Summary], test_lengths: Sequence[Any], store: str) -> Iterator[str]:
    """Several configs: a line for each scheme and training length, with the median at every test length."""
    scored = all(each.accuracies is not None for summary in summaries for each in summary.lengths)
    first = summaries[0].config
    measure = "accuracy" if scored else "loss"
    sizes = {size_of(summary.config.model) for summary in summaries}
    size = f", layers/heads/width {sizes.pop()}" if len(sizes) == 1 else ""
    yield f"{first.task_title}{size}: median {measure} over seeds at each test length, kept in {store}"
    goals = sorted({goal for summary in summaries for goal in _goals(summary)})
    if goals:
        yield f"reached: seeds whose training reached {' or '.join(goals)}"
    yield ""
    headers = ["scheme", "N", "seeds", *(["reached"] if goals else []), "steps", *(str(each) for each in test_lengths)]
    rows = [headers]
    for summary in summaries:
        known = {each.test_length: each for each in summary.lengths}
        at = [known.get(int(length_in(each, summary.config.train_length))) for each in test_lengths]
        steps = f"{statistics.median(seed.steps for seed in summary.seeds):,g}" if summary.seeds else "-"
        rows.append(
            [
                scheme_of(summary.config),
                str(summary.config.train_length),
                f"{len(summary.seeds)}/{len(summary.config.seeds)}",
                *([str(summary.reached)] if goals else []),
                steps,
                *(
                    "-" if each is None else f"{each.median_accuracy:.1%}" if scored else f"{each.median_loss:.3g}"
                    for each in at
                ),
            ]
        )
    yield from aligned(rows, right=range(1, len(headers)))


def as_data(
    meaning: str, summaries: Sequence[Summary], failed: Sequence[Failure], left_out: Sequence[LeftOut], several: bool
) -> dict[str, Any]:
    """The same as plain data: of one config itself, of several as a list of them."""

    def failures(summary: Summary) -> list[dict[str, Any]]:
        settings = summary.config.settings_id
        return [
            {"seeds": list(each.config.seeds), "reason": each.reason}
            for each in failed
            if each.config.settings_id == settings
        ]

    if not several:
        return {"meaning": meaning, **summaries[0].as_json(), "failed": failures(summaries[0])}
    return {
        "meaning": meaning,
        "runs": [{"scheme": scheme_of(each.config), **each.as_json(), "failed": failures(each)} for each in summaries],
        "left_out": [asdict(each) for each in left_out],
    }


def _goals(summary: Summary) -> list[str]:
    """What ends training before the step limit, in words."""
    stopping = summary.config.stopping
    goals = [f"loss {stopping.loss:g}"] if stopping.loss is not None else []
    return goals + ([f"accuracy {stopping.accuracy:g}"] if stopping.accuracy is not None else [])
