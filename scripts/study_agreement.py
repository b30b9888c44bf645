"""Do verdicts and outcomes of studies agree? The tasks of results/study-agreement/tasks.toml, studied and counted.

    python scripts/study_agreement.py run [--store DIR] [--minutes 5] [--only TEXT]
    python scripts/study_agreement.py before --checkout DIR [--store DIR]
    python scripts/study_agreement.py summarise

`run` studies the tasks one after the other, as `lengthwise study` does by default, except that shorter training lengths
are left out where all schemes have learned the longest: the outcome is that of the longest. After every task its cells
are written to results/study-agreement/cells.json, so that an interrupted run goes on where it ended. `before` does the
same with the default study of an older version (`git worktree add DIR 6668c47`) and writes before.json; what that
refuses is a cell without an outcome. `summarise` counts them: agreement for each scheme with 95 % intervals (Wilson),
and how well C-RASP[∅] and C-RASP[periodic, local] predict which models hold at 2N and at 3N.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import lengthwise as lw
from lengthwise.runs.config import RunConfig
from lengthwise.runs.display.progress import Progress
from lengthwise.runs.engines.engine import Engine, get_engine
from lengthwise.runs.store.store import Store
from lengthwise.runs.sweep import Sweep, run_sweep
from lengthwise.study import Request, Study, look_ahead, plan_of, report, train
from lengthwise.study.conduct import progress_of
from lengthwise.study.measurement import measurements

HERE = Path(__file__).parent.parent / "results" / "study-agreement"
CELLS, SUMMARY, BEFORE = HERE / "cells.json", HERE / "summary.json", HERE / "before.json"
HOLDS = 0.9
"""The median accuracy from which on models hold at a length."""


def subjects() -> Iterator[tuple[str, str]]:
    """The tasks, each with the group that it was drawn for."""
    data = tomllib.loads((HERE / "tasks.toml").read_text(encoding="utf-8"))
    yield from ((text, "catalogue") for text in data["catalogue"]["subjects"])
    for name, found in data["random"].items():
        yield from ((f"regex:{text}", f"random {name}") for text in found["subjects"])
    for name in ("programs", "sequences"):
        yield from ((text, name) for text in data[name]["subjects"])


def studied(text: str, minutes: float, store: str) -> Study:
    """The default study of a task; without its shorter training lengths where the longest is learned and so decides."""
    kept, engine = Store(store), get_engine("local")
    known = look_ahead(text, {})
    plan = plan_of(known, Request.of(known.subject, minutes), kept, engine.processes)

    def round_of(configs: Sequence[RunConfig], store: Store, engine: Engine) -> Sweep:
        measured = measurements(plan, progress_of(plan, store).stages, store, text)
        if all(
            each.trained[-1].learned and len(each.trained[-1].seeds) == plan.request.seeds for each in measured.values()
        ):
            raise Decided
        return run_sweep(configs, store, engine, show=shown.part)

    with Progress() as shown, suppress(Decided):
        train(plan, kept, engine, round_of)
    return report(known, plan, kept)


class Decided(Exception):  # noqa: N818 - no error
    """Nothing that is still to be trained can change the outcomes."""


def cells_of(text: str, group: str, store: str, minutes: float) -> list[dict[str, Any]]:
    """The cells of a task, one for each scheme."""
    data = studied(text, minutes, store).as_json()
    verdict, at_the_end = data["verdict"], _at_the_end(text)
    found = []
    for scheme, outcome in data["outcomes"].items():
        length = outcome["train_length"]
        (trained,) = (each for each in data["measured"][scheme]["trained"] if each["train_length"] == length)
        found.append(
            {
                "task": text,
                "group": group,
                "scheme": scheme,
                "verdict": outcome["verdict"],
                "outcome": outcome["outcome"],
                "agreement": outcome["agreement"],
                "learned": outcome["learned"],
                "train_length": length,
                "how_far": outcome["how_far"],
                "model": trained["model"],
                "steps": trained["steps"],
                "nothing": verdict["nope"]["answer"],
                "nothing_at_the_end": at_the_end,
                "periodic_local": verdict["ape"]["answer"],
                "accuracies": {str(each["test_length"]): each["scores"] for each in trained["results"]},
                "left_out": data["plan"]["left_out"],
                "command": data["command"],
            }
        )
    return found


def _at_the_end(text: str) -> str | None:
    """The verdict on C-RASP[∅] if words are read at an end marker; None for tasks that are no languages."""
    try:
        return None if text.startswith("task:") else lw.decide(text, acceptance="eos").nope.kind
    except lw.LengthwiseError:
        return None


def run(store: str, minutes: float, only: str | None) -> None:
    """Study what is not there yet."""
    there = json.loads(CELLS.read_text(encoding="utf-8")) if CELLS.exists() else []
    for text, group in subjects():
        if any(cell["task"] == text for cell in there) or (only is not None and only not in text):
            continue
        there += cells_of(text, group, store, minutes)
        CELLS.write_text(json.dumps(there, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        summarise()


def before(checkout: str, store: str) -> None:
    """Study what is not there yet with an older version."""
    there = json.loads(BEFORE.read_text(encoding="utf-8")) if BEFORE.exists() else []
    environment = {**os.environ, "PYTHONPATH": str(Path(checkout).resolve() / "src")}
    for text, group in subjects():
        if any(cell["task"] == text for cell in there):
            continue
        command = [
            "-m",
            "lengthwise",
            "study",
            text,
            "--json",
            "--store",
            store,
            "--out",
            f"{store}/reports/{len(there)}",
        ]
        done = subprocess.run(  # noqa: S603 - no shell
            [sys.executable, *command], env=environment, capture_output=True, text=True, check=False
        )
        outcomes = json.loads(done.stdout)["outcomes"] if done.returncode == 0 else {}
        for scheme in ("nope", "ape"):
            found = outcomes.get(scheme, {})
            there.append(
                {
                    "task": text,
                    "group": group,
                    "scheme": scheme,
                    "verdict": found.get("verdict"),
                    "outcome": found.get("outcome", "refused" if done.returncode else "not measured"),
                    "agreement": found.get("agreement", "undecided"),
                    "train_length": found.get("train_length"),
                }
            )
        BEFORE.write_text(json.dumps(there, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        print(text, [(cell["scheme"], cell["outcome"], cell["agreement"]) for cell in there[-2:]], flush=True)


def interval(good: int, number: int) -> list[float]:
    """The 95 % interval of a share (Wilson)."""
    if not number:
        return [0.0, 1.0]
    z = 1.959964
    share, scale = good / number, 1 + z * z / number
    middle = (share + z * z / (2 * number)) / scale
    half = z * math.sqrt(share * (1 - share) / number + z * z / (4 * number * number)) / scale
    return [round(middle - half, 4), round(middle + half, 4)]


def counted(good: int, number: int) -> dict[str, Any]:
    """A count with its share and interval."""
    share = round(good / number, 4) if number else None
    return {"right": good, "of": number, "share": share, "interval": interval(good, number)}


def agreement(cells: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """How many decisive cells are confirmed, and how many are undecided."""
    decisive = [cell for cell in cells if cell["agreement"] != "undecided"]
    return {
        "confirmed": counted(sum(cell["agreement"] == "confirmed" for cell in decisive), len(decisive)),
        "undecided": counted(len(cells) - len(decisive), len(cells)),
    }


def predictions(cells: Sequence[dict[str, Any]], multiple: int) -> dict[str, Any]:
    """How often having a program in a class says whether the median seed holds at a multiple of N."""
    found: dict[str, Any] = {}
    for predictor in ("nothing", "nothing_at_the_end", "periodic_local"):
        pairs = []
        for cell in cells:
            scores = cell["accuracies"].get(str(multiple * cell["train_length"]))
            if cell["learned"] and scores and cell[predictor] in ("yes", "no"):
                median = sorted(scores)[len(scores) // 2]
                pairs.append((cell[predictor] == "yes", median >= HOLDS))
        found[predictor] = counted(sum(said == held for said, held in pairs), len(pairs))
    return found


def summarise() -> None:
    """Count the cells that are there."""
    cells = json.loads(CELLS.read_text(encoding="utf-8"))
    schemes = {name: [cell for cell in cells if cell["scheme"] == name] for name in ("nope", "ape")}
    found: dict[str, Any] = {
        "tasks": len({cell["task"] for cell in cells}),
        "tasks_listed": len(list(subjects())),
        "after": {name: agreement(own) for name, own in schemes.items()},
        "predictors": {
            name: {f"{multiple}N": predictions(own, multiple) for multiple in (2, 3)} for name, own in schemes.items()
        },
    }
    if BEFORE.exists():
        before = json.loads(BEFORE.read_text(encoding="utf-8"))
        found["before"] = {
            name: agreement([cell for cell in before if cell["scheme"] == name]) for name in ("nope", "ape")
        }
    SUMMARY.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def main() -> None:
    """Read the arguments."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=["run", "before", "summarise"])
    parser.add_argument("--checkout")
    parser.add_argument("--store", default="lengthwise-runs")
    parser.add_argument("--minutes", type=float, default=5.0)
    parser.add_argument("--only")
    given = parser.parse_args()
    if given.what == "run":
        run(given.store, given.minutes, given.only)
    elif given.what == "before":
        if given.checkout is None:
            parser.error("before needs the --checkout of an older version")
        before(given.checkout, given.store)
    summarise()


if __name__ == "__main__":
    main()
