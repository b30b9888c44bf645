"""The claims of a published figure, judged from what was measured.

    [[claims]]
    text = "The plateau falls with the training length."
    kind = "falls"
    with = "train_length"
    where = { "parameters.omega" = 2 }     # optional: only the configs with these settings
    sweep = "wide"                         # optional: of a figure of several sweeps, which one; else the first
    of = "errors"                          # optional: the shares of wrong words in the place of losses

| kind | says | keys | judged in |
|---|---|---|---|
| `plateau` | the loss levels off as the test length grows | | `growth` |
| `rises`, `falls` | the plateau rises or falls with a setting, all else equal | `with` | `trend` |
| `linear` | the training length needed for a loss is proportional to a setting | `with`, `loss` | `linear` |
| `collapse` | curves over N / setting are closer together than over N | `with` | `collapse` |
| `better` | models of the sweep have a lower plateau than those of another | `than`, `by` | `trend` |

The plateau of a config is its loss at the longest test length. Claims about something else than losses are judged by
whoever can: `evaluate` takes more kinds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from lengthwise.experiments.finding import (
    Estimate,
    Finding,
    Judgement,
    Verdict,
    enough_seeds,
    nothing,
    spread_is_known,
    table,
)
from lengthwise.experiments.sweeps.cells import MEASURES, TRAIN_LENGTH, Cell, Measure, cells, require_setting, selected
from lengthwise.experiments.sweeps.collapse import collapse
from lengthwise.experiments.sweeps.growth import plateau
from lengthwise.experiments.sweeps.needed_length import linear
from lengthwise.experiments.sweeps.trend import better, trend
from lengthwise.runs.config import ConfigError
from lengthwise.runs.config_problems import nearest
from lengthwise.runs.resampling import Resampling
from lengthwise.runs.store.summary import Summary

__all__ = [
    "COMMON",
    "Claim",
    "Estimate",
    "Evaluator",
    "Finding",
    "Resampling",
    "Verdict",
    "evaluate",
    "evaluate_all",
    "table",
]

Claim = Mapping[str, Any]
Evaluator = Callable[[Claim, Sequence[Summary]], Finding]
"""Judges a claim by configs, which are already those of its `sweep` and `where`."""
COMMON = ("kind", "text", "sweep", "where", "of")
BETTER = "better"
"""The kind of claim that is about two sweeps."""


@dataclass(frozen=True)
class Kind:
    """What claims of a kind say, the keys they need, and who judges them."""

    text: str
    keys: tuple[str, ...]
    judge: Callable[[Sequence[Cell], Claim, Resampling], Judgement]


KINDS: Mapping[str, Kind] = {
    "plateau": Kind(
        "The test loss plateaus as the test length grows.", (), lambda grid, claim, how: plateau(grid, how)
    ),
    "rises": Kind(
        "The plateau rises with {with}.", ("with",), lambda grid, claim, how: trend(grid, claim["with"], 1, how)
    ),
    "falls": Kind(
        "The plateau falls with {with}.", ("with",), lambda grid, claim, how: trend(grid, claim["with"], -1, how)
    ),
    "linear": Kind(
        "The training length needed for a loss of {loss} is proportional to {with}.",
        ("with", "loss"),
        lambda grid, claim, how: linear(grid, claim["with"], claim["loss"], how),
    ),
    "collapse": Kind(
        "Curves of the plateau over N / {with} overlap.",
        ("with",),
        lambda grid, claim, how: collapse(grid, claim["with"], how),
    ),
}


def evaluate(
    claim: Claim,
    summaries: Sequence[Summary],
    more: Mapping[str, Evaluator] | None = None,
    resampling: Resampling | None = None,
) -> Finding:
    """What the configs of a sweep say about a claim; `more` are kinds that are judged elsewhere."""
    others = more or {}
    kind = claim.get("kind")
    if not isinstance(kind, str) or kind not in {*KINDS, *others}:
        raise ConfigError(
            f"a claim has a 'kind', one of {', '.join((*KINDS, BETTER, *others))}"
            + (f"; got {kind!r}" if "kind" in claim else "")
        )
    where = claim.get("where", {})
    if not isinstance(where, Mapping):
        raise ConfigError(f"'where' of a claim gives settings their values, got {where!r}")
    chosen = selected(summaries, where)
    if kind in others:
        return others[kind](claim, chosen)
    _require(kind, claim, chosen or summaries)
    grid = cells(chosen, _measure(claim))
    if grid:
        judged = KINDS[kind].judge(grid, claim, resampling or Resampling())
    else:
        judged = nothing("–", f"None of {len(chosen)} configs has results yet." if chosen else _no_config(where))
    return _finding(str(claim.get("text", KINDS[kind].text.format(**claim))), kind, judged, chosen, grid)


def _finding(text: str, kind: str, judged: Judgement, chosen: Sequence[Summary], grid: Sequence[Cell]) -> Finding:
    return Finding.of(
        text,
        kind,
        judged.estimates,
        judged.detail + _remarks(judged, chosen, grid),
        len(judged.cells),
        min((cell.seeds for cell in judged.cells), default=0),
    )


def evaluate_all(
    claims: Iterable[Claim],
    sweeps: Mapping[str, Sequence[Summary]],
    more: Mapping[str, Evaluator] | None = None,
    resampling: Resampling | None = None,
) -> list[Finding]:
    """The findings on the claims of a figure, whose configs are given by sweep."""
    findings = []
    for number, claim in enumerate(claims, 1):
        sweep = claim.get("sweep", next(iter(sweeps), ""))
        try:
            if sweep not in sweeps:
                raise ConfigError(f"there is no sweep {sweep!r}; {nearest(str(sweep), tuple(sweeps))}")
            if claim.get("kind") == BETTER:
                findings.append(_better(claim, sweep, sweeps, resampling or Resampling()))
            else:
                findings.append(evaluate(claim, sweeps[sweep], more, resampling))
        except ConfigError as problem:
            raise ConfigError(f"claim {number}: {problem}") from None
    return findings


def _better(claim: Claim, sweep: str, sweeps: Mapping[str, Sequence[Summary]], how: Resampling) -> Finding:
    """What two sweeps say about a claim that one is better."""
    for key in claim:
        if key not in (*COMMON, "than", "by"):
            raise ConfigError(f"a claim of the kind {BETTER!r} has no {key!r}; {nearest(key, (*COMMON, 'than', 'by'))}")
    for key in ("than", "by"):
        if not isinstance(claim.get(key), str):
            raise ConfigError(f"a claim of the kind {BETTER!r} needs {key!r}, a name")
    than, by = claim["than"], claim["by"]
    if than not in sweeps or than == sweep:
        raise ConfigError(f"there is no other sweep {than!r}; {nearest(than, tuple(sweeps))}")
    chosen = [selected(sweeps[name], claim.get("where", {})) for name in (sweep, than)]
    for summary in (*chosen[0], *chosen[1]):
        require_setting(summary, by)
    ours, theirs = (cells(each, _measure(claim)) for each in chosen)
    if ours and theirs:
        judged = better(ours, theirs, by, how)
    else:
        judged = nothing("–", f"There are no results of {sweep if not ours else than} yet.")
    text = str(claim.get("text", f"Models of {sweep} do better than those of {than}."))
    return _finding(text, BETTER, judged, [*chosen[0], *chosen[1]], [*ours, *theirs])


def _measure(claim: Claim) -> Measure:
    of = claim.get("of", MEASURES[0])
    for known in MEASURES:
        if of == known:
            return known
    raise ConfigError(f"a claim is 'of' {' or '.join(MEASURES)}, not {of!r}")


def _require(kind: str, claim: Claim, summaries: Sequence[Summary]) -> None:
    """Refuse a claim with missing, unknown or unsuitable keys."""
    needed = KINDS[kind].keys
    for key in needed:
        if key not in claim:
            raise ConfigError(f"a claim of the kind {kind!r} needs {key!r}")
    for key in claim:
        if key not in (*needed, *COMMON):
            raise ConfigError(f"a claim of the kind {kind!r} has no {key!r}; {nearest(key, (*needed, *COMMON))}")
    if "with" in needed:
        if not isinstance(claim["with"], str):
            raise ConfigError(f"'with' of a claim is the name of a setting, got {claim['with']!r}")
        for summary in summaries:
            require_setting(summary, claim["with"])
        if kind in ("linear", "collapse") and claim["with"] == TRAIN_LENGTH:
            raise ConfigError(f"a claim of the kind {kind!r} sets the training length against another setting")
    if "loss" in needed:
        loss = claim["loss"]
        if isinstance(loss, bool) or not isinstance(loss, int | float) or not 0 < loss < np.inf:
            raise ConfigError(f"'loss' of a claim is a positive number, got {loss!r}")


def _remarks(judged: Judgement, chosen: Sequence[Summary], grid: Sequence[Cell]) -> str:
    """What else a reader must know."""
    remarks = []
    if judged.cells and not spread_is_known(judged.cells):
        remarks.append("There are cells with one seed only, so the spread over seeds is not known.")
    elif judged.cells and not enough_seeds(judged.cells):
        remarks.append("There are too few seeds to rely on the interval.")
    seeds = sum(cell.seeds for cell in judged.cells)
    if diverged := sum(int(np.isinf(cell.plateaus).sum()) for cell in judged.cells):
        remarks.append(f"Of {seeds} seeds, {diverged} diverged and count as infinitely bad.")
    missing = sum(not summary.lengths for summary in chosen)
    if missing and grid:
        remarks.append(f"Of {len(chosen)} configs, {missing} have no results yet.")
    return "".join(f" {remark}" for remark in remarks)


def _no_config(where: Mapping[str, Any]) -> str:
    wanted = ", ".join(f"{name} = {value}" for name, value in where.items())
    return f"No config has {wanted}." if wanted else "There are no configs."
