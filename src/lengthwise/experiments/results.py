"""The results of a figure from a store: every number in a table, and where the numbers come from.

Both are the same bytes whenever they are made from the same store: nothing in them depends on the clock, on the machine
that writes them, or on where files are. The table says nothing of how seeds were shared out over runs, so that it is
also the same after an interruption; that is in the provenance.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from lengthwise.output import plain
from lengthwise.runs.config import RunConfig
from lengthwise.runs.grid import flat
from lengthwise.runs.store.disk import write, writing
from lengthwise.runs.store.store import Row, Store
from lengthwise.runs.training.retest import TRAINED_IN

Sweeps = Mapping[str, list[RunConfig]]
"""The configs of a figure by sweep."""
APART = ("seeds", "test_lengths", "train_length")
"""Settings that have columns of their own."""
GROUP = "parameters."
"""The settings that have columns even if they do not vary: what a task is asked for."""


@dataclass(frozen=True)
class Size:
    """How much there is to train for a preset of a figure."""

    configs: int
    """Different settings, seeds aside."""
    seeds: int
    """Of one config; the most, where they differ."""
    models: int
    """Seeds of all configs together."""


def size_of(sweeps: Iterable[Iterable[RunConfig]]) -> Size:
    """How much there is to train for all these configs; what several sweeps share is counted once."""
    seeds: dict[str, set[int]] = {}
    for configs in sweeps:
        for config in configs:
            seeds.setdefault(config.settings_id, set()).update(config.seeds)
    numbers = [len(each) for each in seeds.values()]
    return Size(len(numbers), max(numbers, default=0), sum(numbers))


@dataclass(frozen=True)
class Results:
    """What a store has for the configs of a figure."""

    store: Store
    sweeps: Sweeps

    @property
    def configs(self) -> list[RunConfig]:
        """Those of all sweeps."""
        return [config for configs in self.sweeps.values() for config in configs]

    @cached_property
    def rows(self) -> dict[tuple[str, int], list[Row]]:
        """The results by settings and seed, in the order of test lengths."""
        found: dict[tuple[str, int], list[Row]] = {}
        settings: dict[str, str] = {}
        for row in self.store.rows(self.configs):
            if row.run not in settings:
                settings[row.run] = row.config.settings_id
            found.setdefault((settings[row.run], row.seed), []).append(row)
        return found

    @property
    def models(self) -> int:
        """How many models there should be."""
        return size_of(self.sweeps.values()).models

    @property
    def reached(self) -> int:
        """How many models ended because they were good enough."""
        return sum(rows[0].ending in ("loss", "accuracy") for rows in self.rows.values())

    @property
    def goals(self) -> list[str]:
        """What was good enough, in words."""
        rules = [config.stopping for config in self.configs]
        found = [f"loss {rule.loss:g}" for rule in rules if rule.loss is not None]
        found += [f"accuracy {rule.accuracy:g}" for rule in rules if rule.accuracy is not None]
        return list(dict.fromkeys(found))

    def missing(self) -> list[RunConfig]:
        """What the store lacks, each with the seeds that are not there."""
        return self.store.missing(self.configs)

    def records(self) -> Iterator[dict[str, Any]]:
        """One record for each config, seed and test length, in the order of the figure."""
        varying = varying_settings(self.configs)
        for sweep, configs in self.sweeps.items():
            for config in configs:
                chosen = dict(flat(config.settings()))
                common = {"sweep": sweep, **{name: chosen.get(name) for name in varying}}
                for seed in config.seeds:
                    for row in self.rows.get((config.settings_id, seed), ()):
                        yield {
                            **common,
                            "train_length": config.train_length,
                            "seed": seed,
                            "test_length": row.test_length,
                            "loss": row.loss,
                            "accuracy": row.accuracy,
                            "words": row.words,
                            "steps": row.steps,
                            "ending": row.ending,
                            "training_loss": row.training_loss,
                            "settings": config.settings_id,
                        }

    def table(self) -> bytes:
        """The records as CSV."""
        return as_csv(self.records())

    def provenance(self) -> dict[str, Any]:
        """Which runs the numbers are from, and what they were computed with."""
        seeds: dict[str, set[int]] = {}
        settings: dict[str, str] = {}
        for (hashed, seed), rows in self.rows.items():
            for row in rows:
                seeds.setdefault(row.run, set()).add(seed)
                settings[row.run] = hashed
        directories = [self.store.directory(run) for run in sorted(seeds)]
        facts = [plain(each.environment()) for each in directories]
        sources = [each.pop(TRAINED_IN, None) for each in facts]
        texts = [json.dumps(each, sort_keys=True) for each in facts]
        different = sorted(set(texts))
        runs: list[dict[str, Any]] = [
            {
                "run": each.run,
                "settings": settings[each.run],
                "seeds": sorted(seeds[each.run]),
                **({} if source is None else {TRAINED_IN: source}),
                **({"environment": different.index(text)} if len(different) > 1 else {}),
            }
            for each, source, text in zip(directories, sources, texts, strict=True)
        ]
        return {
            "seeds": sorted({seed for _, seed in self.rows}),
            "configs": size_of(self.sweeps.values()).configs,
            "models": self.models,
            "trained": len(self.rows),
            "reached": self.reached,
            "environments": [{"runs": texts.count(text), **json.loads(text)} for text in different],
            "runs": runs,
        }

    def timings(self) -> dict[str, Any]:
        """How long the runs took."""
        runs = sorted({row.run for rows in self.rows.values() for row in rows})
        seconds = {run: self.store.directory(run).done().seconds for run in runs}
        return {"seconds": round(sum(seconds.values()), 3), "runs": seconds}


def varying_settings(configs: Iterable[RunConfig]) -> list[str]:
    """The settings that the configs do not all share, and the parameters of their tasks."""
    values: dict[str, list[str]] = {}
    number = 0
    for config in configs:
        number += 1
        for name, value in flat(config.settings()):
            values.setdefault(name, []).append(json.dumps(value))
    shared = {name for name, found in values.items() if len(found) == number and len(set(found)) == 1}
    return [name for name in values if name not in APART and (name not in shared or name.startswith(GROUP))]


def write_results(directory: Path, files: Mapping[str, bytes]) -> None:
    """Write files into a directory, each of them complete or not at all."""
    with writing(f"{directory}"):
        directory.mkdir(parents=True, exist_ok=True)
        for name, content in files.items():
            write(directory / name, content)


def as_bytes(data: Any) -> bytes:
    """Data as JSON text, with null for the numbers that JSON lacks."""
    return (json.dumps(plain(data), indent=2, ensure_ascii=False) + "\n").encode()


def as_csv(records: Iterable[Mapping[str, Any]]) -> bytes:
    """Records with the same keys as CSV; numbers in full, what is not there as nothing, lists as JSON."""
    found, text = list(records), io.StringIO()
    writer = csv.DictWriter(text, list(found[0]) if found else [], lineterminator="\n")
    writer.writeheader()
    writer.writerows({name: _entry(value) for name, value in record.items()} for record in found)
    return text.getvalue().encode()


def _entry(value: Any) -> Any:
    return json.dumps(value) if isinstance(value, list | dict) else value
