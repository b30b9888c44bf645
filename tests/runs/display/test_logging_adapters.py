"""Metrics for other tools: what they get is what the runs have written, whichever engine made these."""

import builtins
import json
import sys
import types
from collections.abc import Mapping
from functools import partial
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from lengthwise.cli.train import train
from lengthwise.runs.display import logging_adapters
from lengthwise.runs.display.logging_adapters import ELSEWHERE, LoggingError, TensorBoard, Trackio, get_logger, run_name
from lengthwise.runs.display.progress import Progress
from lengthwise.runs.engines.engine import Local, Serial
from lengthwise.runs.store.store import Store
from lengthwise.runs.sweep import run_sweep
from tests.runs.stand_in import config, configs, loss, pretended


class Notebook:
    """A logger that keeps what it is given."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, str]] = []
        self.numbers: dict[str, dict[tuple[str, int], float]] = {}

    def has(self, run: str) -> bool:
        return run in self.numbers

    def start(self, run: str, settings: Mapping[str, Any]) -> None:
        self.calls.append(("start", run))
        self.numbers[run] = {}

    def log(self, run: str, step: int, values: Mapping[str, float]) -> None:
        for name, value in values.items():
            assert (name, step) not in self.numbers[run], "taken down twice"
            self.numbers[run][name, step] = value

    def finish(self, run: str) -> None:
        self.calls.append(("finish", run))


def sweep(store: Store, number: int, log: Any, engine: Any = None) -> str:
    """Make some runs; what was said."""
    said = StringIO()
    show = partial(Progress, stream=said)
    run_sweep(configs(number), store, engine or Serial(), pretended, show=show, log=log)
    return said.getvalue()


class Elsewhere(Serial):
    """Stands for a cluster: runs come back as the content of their files."""

    shares_disk = False


@pytest.mark.parametrize("engine", [Serial(), Elsewhere(), pytest.param(Local(1), marks=pytest.mark.slow)])
def test_a_logger_gets_every_loss_of_every_run_once(engine: Any, tmp_path: Path) -> None:
    notebook = Notebook()
    sweep(Store(tmp_path), 2, notebook, engine)
    assert notebook.numbers == {
        run_name(run): {
            (f"train/loss/seed-{seed}", step): loss(run, seed, step) for seed in run.seeds for step in range(5)
        }
        for run in configs(2)
    }
    assert [kind for kind, _ in notebook.calls] == ["start", "finish"] * 2


def test_runs_that_were_finished_before_are_handed_on_to_a_logger_that_lacks_them(tmp_path: Path) -> None:
    store, notebook = Store(tmp_path), Notebook()
    sweep(store, 2, None)
    sweep(store, 3, notebook)
    assert set(notebook.numbers) == {run_name(run) for run in configs(3)}
    assert len(notebook.calls) == 6
    sweep(store, 3, notebook)
    assert len(notebook.calls) == 6


def test_a_logger_that_fails_is_named_once_and_ends_nothing(tmp_path: Path) -> None:
    class Broken(Notebook):
        def log(self, run: str, step: int, values: Mapping[str, float]) -> None:
            raise RuntimeError("the disk is on fire")

    notebook = Notebook()
    said = sweep(Store(tmp_path), 3, [Broken(), notebook])
    assert said.count("no more metrics go to Broken: RuntimeError: the disk is on fire") == 1
    assert "(3 of 3 runs" in said
    assert len(notebook.numbers) == 3


def test_names_of_runs_are_names_of_directories_and_differ() -> None:
    runs = [
        config(task="(ab)*", parameters={}),
        config(task="(ab)*", parameters={}, model={"position": "rope"}),
        config(task="(ab)*", parameters={}, model={"width": 8}),
    ]
    names = [run_name(run) for run in runs]
    assert len(set(names)) == 3
    assert names[1].startswith("ab-RoPE-N4-seeds0-1-")
    assert all(name.replace("-", "").replace("_", "").replace(".", "").isalnum() for name in names)


@pytest.mark.parametrize("text", ["tensorboard", "tensorboard:", "wandb:mine", ""])
def test_a_text_that_is_no_logger_is_refused(text: str) -> None:
    with pytest.raises(LoggingError, match="--log is tensorboard:DIR or trackio:PROJECT, not"):
        get_logger(text)


@pytest.mark.parametrize(
    ("text", "module", "sentence"),
    [
        (
            "tensorboard:x",
            "torch.utils.tensorboard",
            "needs TensorBoard, which is not installed; .*lengthwise.tensorboard",
        ),
        ("trackio:x", "trackio", "needs Trackio, which is not installed; .*lengthwise.trackio"),
    ],
)
def test_a_package_that_is_missing_is_named_with_its_extra_before_anything_is_trained(
    text: str, module: str, sentence: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(LoggingError, match=sentence):
        sweep(Store(tmp_path), 1, text)
    assert list(tmp_path.iterdir()) == []


# ------------------------------------------------------------------------------------------------- TensorBoard


class FakeWriter:
    made: list["FakeWriter"] = []  # noqa: RUF012

    def __init__(self, directory: str, purge_step: int | None = None) -> None:
        self.directory, self.purge_step = directory, purge_step
        self.scalars: list[tuple[str, float, int]] = []
        self.texts: list[str] = []
        self.closed = False
        Path(directory).mkdir(parents=True, exist_ok=True)
        (Path(directory) / f"events.out.tfevents.{len(self.made)}").touch()
        self.made.append(self)

    def add_scalar(self, name: str, value: float, step: int) -> None:
        assert not self.closed
        self.scalars.append((name, value, step))

    def add_text(self, name: str, text: str) -> None:
        self.texts.append(text)

    def close(self) -> None:
        self.closed = True


@pytest.fixture
def writers(monkeypatch: pytest.MonkeyPatch) -> list[FakeWriter]:
    module = types.ModuleType("torch.utils.tensorboard")
    module.SummaryWriter = FakeWriter  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "torch.utils.tensorboard", module)
    FakeWriter.made = []
    return FakeWriter.made


def test_tensorboard_has_a_directory_for_each_run(tmp_path: Path, writers: list[FakeWriter]) -> None:
    sweep(Store(tmp_path / "store"), 1, f"tensorboard:{tmp_path / 'logs'}")
    (writer,) = writers
    (run,) = configs(1)
    assert Path(writer.directory) == tmp_path / "logs" / run_name(run)
    assert writer.scalars[:2] == [(f"train/loss/seed-{seed}", loss(run, seed, 0), 0) for seed in run.seeds]
    assert "    train_length = 4" in writer.texts[0].splitlines()
    assert writer.closed
    assert writer.purge_step is None


def test_events_of_an_attempt_that_was_not_finished_are_purged(tmp_path: Path, writers: list[FakeWriter]) -> None:
    board = TensorBoard(tmp_path)
    board.start("a", {})
    board.start("a", {})
    assert [writer.closed for writer in writers] == [True, False]
    assert [writer.purge_step for writer in writers] == [None, 0]


def test_event_files_can_be_read_back(tmp_path: Path) -> None:
    pytest.importorskip("tensorboard", reason="TensorBoard is an extra (tests/SKIPS.md)")
    from tensorboard.backend.event_processing.event_accumulator import (  # type: ignore[import-not-found, unused-ignore]
        EventAccumulator,
    )

    sweep(Store(tmp_path / "store"), 1, f"tensorboard:{tmp_path / 'logs'}")
    (run,) = configs(1)
    events = EventAccumulator(str(tmp_path / "logs" / run_name(run))).Reload()
    for seed in run.seeds:
        found = [(event.step, event.value) for event in events.Scalars(f"train/loss/seed-{seed}")]
        assert found == [(step, pytest.approx(loss(run, seed, step))) for step in range(5)]


# ----------------------------------------------------------------------------------------------------- Trackio


class FakeTrackio(types.ModuleType):
    """The part of Trackio that is used, which prints as the real one does."""

    def __init__(self) -> None:
        super().__init__("trackio")
        self.runs: dict[str, Any] = {}
        self.asked: list[dict[str, Any]] = []

    def init(self, project: str, name: str, config: Any, resume: str, embed: bool, auto_log_gpu: bool) -> Any:
        builtins.print("* Trackio project initialized")
        self.asked.append({"project": project, "resume": resume, "embed": embed, "auto_log_gpu": auto_log_gpu})
        self.runs[name] = types.SimpleNamespace(name=name, config=config, logged=[], finished=0)
        run = self.runs[name]

        def finish() -> None:
            builtins.print("* Run finished")
            run.finished += 1

        run.log = lambda values, step: run.logged.append((step, values))
        run.finish = finish
        return run

    def Api(self) -> Any:  # noqa: N802 - the name of the real one
        def runs(project: str) -> list[Any]:
            if not self.runs:
                raise ValueError(f"Project '{project}' does not exist")
            return list(self.runs.values())

        return types.SimpleNamespace(runs=runs)


@pytest.fixture
def trackio(monkeypatch: pytest.MonkeyPatch) -> FakeTrackio:
    for name in ELSEWHERE:
        monkeypatch.delenv(name, raising=False)
    module = FakeTrackio()
    monkeypatch.setitem(sys.modules, "trackio", module)
    return module


def test_trackio_gets_the_runs_of_a_project_on_this_machine(
    tmp_path: Path, trackio: FakeTrackio, capsys: pytest.CaptureFixture[str]
) -> None:
    sweep(Store(tmp_path), 2, "trackio:mine")
    assert set(trackio.runs) == {run_name(run) for run in configs(2)}
    for run in configs(2):
        made = trackio.runs[run_name(run)]
        assert made.logged[0] == (0, {f"train/loss/seed-{seed}": loss(run, seed, 0) for seed in run.seeds})
        assert [step for step, _ in made.logged] == [0, 1, 2, 3, 4]
        assert made.config == run.settings()
        assert made.finished == 1
    assert trackio.asked == [{"project": "mine", "resume": "never", "embed": False, "auto_log_gpu": False}] * 2
    assert capsys.readouterr().out == ""


def test_the_command_hands_on_losses_and_test_results_and_prints_nothing_but_its_own(
    tmp_path: Path, trackio: FakeTrackio
) -> None:
    app = typer.Typer()
    app.command()(train)
    small = ["--set", "optimizer.batch=16", "--set", "evaluation.words=16", "--set", "model.hidden=4"]
    where = ["--store", str(tmp_path), "--engine", "serial", "--log", "trackio:mine", "--json"]
    done = CliRunner().invoke(app, ["(ab)*", "-n", "4", "-t", "N,8", "--seeds", "1", "--steps", "3", *small, *where])
    assert done.exit_code == 0, done.output
    results = json.loads(done.stdout)["results"]
    (run,) = trackio.runs.values()
    tested = [(step, values) for step, values in run.logged if any(name.startswith("test/") for name in values)]
    assert tested == [
        (each["test_length"], {
            "test/loss/seed-0": each["losses"][0], "test/accuracy/seed-0": each["accuracies"][0],
        })
        for each in results
    ]  # fmt: skip


@pytest.mark.parametrize("name", ELSEWHERE)
def test_trackio_is_refused_where_it_would_send_metrics_away(
    name: str, trackio: FakeTrackio, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(name, "somewhere/else")
    with pytest.raises(LoggingError, match=f"{name} is set, but metrics are logged on this machine only"):
        Trackio("mine")
    assert trackio.asked == []


def test_what_is_logged_of_a_line_is_what_it_has() -> None:
    assert logging_adapters.scalars({"step": 3, "seed": 0, "ending": "loss"}) == (3, {})
    assert logging_adapters.scalars({"trained_in": "abc"}) == (0, {})
    assert logging_adapters.scalars({"step": 3, "loss": {"4": 0.5}, "accuracy": {"4": 1.0}}) == (
        3,
        {"train/loss/seed-4": 0.5, "train/accuracy/seed-4": 1.0},
    )
    assert logging_adapters.scalars({"seed": 2, "test_length": 8, "loss": None, "accuracy": 0.25}) == (
        8,
        {"test/accuracy/seed-2": 0.25},
    )
