"""Runs are watched while a trainer that pretends writes their metrics."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from lengthwise.nn import positions
from lengthwise.runs.config import RunConfig
from lengthwise.runs.display.watch import Watch
from lengthwise.runs.labels import run_label, scheme_label
from lengthwise.runs.store.draft import Draft
from lengthwise.runs.store.run_directory import METRICS
from tests.runs.stand_in import config, pretended


class Heard:
    """Everything that a listener is told."""

    def __init__(self) -> None:
        self.told: list[tuple[str, Any]] = []

    def begin(self, run: RunConfig) -> None:
        self.told.append(("begin", run.id))

    def record(self, run: RunConfig, record: Mapping[str, Any]) -> None:
        self.told.append(("record", record.get("step")))

    def end(self, run: RunConfig) -> None:
        self.told.append(("end", run.id))


def test_a_draft_tells_step_loss_and_accuracy_of_its_run(tmp_path: Path) -> None:
    run = config(seeds=[0, 1, 2], model={"position": "rope", "layers": 2, "heads": [2, 1], "width": 4})
    watch = Watch(tmp_path, [run])
    with Draft(tmp_path, run) as draft:
        assert [each.step for each in watch.running()] == [0]
        draft.log(step=200, loss={0: 0.5, 1: 0.25, 2: float("nan")}, accuracy={0: 0.5, 1: 1.0, 2: 0.75})
        draft.log(step=400, loss={0: 0.125, 1: 0.25})
        (found,) = watch.running()
        assert (found.task, found.scheme, found.size, found.seeds) == (
            "simple-task omega=2.0",
            "RoPE",
            "2/2+1/4",
            "0-2",
        )
        assert (found.step, found.limit, found.loss, found.accuracy) == (400, 20_000, 0.25, 0.75)
        assert found.done == 400 / 20_000
        assert not found.testing
        draft.log(seed=0, test_length=4, loss=0.5, accuracy=None)
        assert watch.running()[0].testing
        assert watch.running()[0].step == 400
    assert watch.running() == []


def test_a_line_that_is_only_half_written_waits_for_its_other_half(tmp_path: Path) -> None:
    run, heard = config(), Heard()
    watch = Watch(tmp_path, [run], [heard])
    with Draft(tmp_path, run) as draft:
        metrics = draft.path / METRICS
        metrics.write_bytes(b'{"step": 1, "lo')
        assert watch.running()[0].step == 0
        metrics.write_bytes(b'{"step": 1, "loss": {"0": 1.0}}\n{"st')
        assert watch.running()[0].step == 1
    assert heard.told == [("begin", run.id), ("record", 1)]


def test_every_line_is_told_once_whether_it_was_seen_in_the_draft_or_at_the_end(tmp_path: Path) -> None:
    early, late = config(parameters={"omega": 2}), config(parameters={"omega": 3})
    heard = Heard()
    watch = Watch(tmp_path, [early, late], [heard])
    with Draft(tmp_path, early) as draft:
        for step in range(3):
            draft.log(step=step, loss={0: 1.0, 1: 1.0})
        watch.running()
    pretended(early, tmp_path)
    pretended(late, tmp_path)
    for run in (early, early, late):
        watch.end(run)
    steps = [told for kind, told in heard.told if kind == "record"]
    assert steps == [0, 1, 2, 3, 4, 0, 1, 2, 3, 4]
    assert [kind for kind, _ in heard.told if kind != "record"] == ["begin", "end", "begin", "end"]


def test_a_run_that_begins_again_is_told_from_its_beginning(tmp_path: Path) -> None:
    run, heard = config(), Heard()
    watch = Watch(tmp_path, [run], [heard])
    for step in (7, 3):
        with Draft(tmp_path, run) as draft:
            draft.log(step=step, loss={0: 1.0, 1: 1.0})
            assert [each.step for each in watch.running()] == [step]
    assert heard.told == [("begin", run.id), ("record", 7), ("begin", run.id), ("record", 3)]


def test_runs_of_others_in_the_same_store_are_not_shown(tmp_path: Path) -> None:
    with Draft(tmp_path, config(parameters={"omega": 9})):
        assert Watch(tmp_path, [config()]).running() == []


def test_position_schemes_have_the_names_of_the_papers() -> None:
    labels = {name: scheme_label(name) for name in positions.names()}
    assert labels == {**{name: name for name in labels}, **{
        "none": "NoPE", "learned": "APE", "rope": "RoPE", "alibi": "ALiBi", "fire": "FIRE", "pose": "PoSE",
        "randomized": "randomized APE", "relative": "RPE",
    }}  # fmt: skip
    assert run_label(config(seeds=[2], model={"position": "rope"})).endswith(", RoPE, 1/1/16, seed 2")
