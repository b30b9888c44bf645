"""What only this process has registered is refused before workers fail on it; what they know is not."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from importlib import metadata
from importlib.metadata import EntryPoint, EntryPoints
from pathlib import Path
from typing import Any

import pytest

from lengthwise.nn.positions import registry as positions
from lengthwise.nn.positions.none import NoPositions
from lengthwise.runs.engines.engine import EngineError, Item, Local, Outcome, Outcomes, Serial, Value
from lengthwise.runs.engines.known_to_workers import Registered, doubts, require_known, unknown_here
from lengthwise.runs.store.store import Store
from lengthwise.runs.sweep import Sweep, run_sweep
from lengthwise.tasks import SimpleTask, Task, registry
from tests.runs.stand_in import config, pretended

TINY: dict[str, Any] = {"stopping": {"steps": 2}, "optimizer": {"batch": 8}, "evaluation": {"words": 8}, "seeds": 1}
SCRIPT = """
from lengthwise.nn.positions import PositionScheme, register_position
from lengthwise.tasks import SimpleTask, register_task


@register_task("of-a-script")
def of_a_script(omega: float = 1.0):
    return SimpleTask(omega)


@register_position("of-a-script-too")
class Nothing(PositionScheme):
    parameters_wanted = {}


if __name__ == "__main__":
    from lengthwise.cli import main

    main()
"""


def of_a_test(omega: float = 1.0) -> Task:
    """A task that is registered by nobody but this module."""
    return SimpleTask(omega)


class OfATest(NoPositions):
    """A scheme that is registered by nobody but this module."""


@pytest.fixture
def _registered(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(registry, "_makers", {**registry._makers, "of-a-test": of_a_test})
    monkeypatch.setattr(positions, "_SCHEMES", {**positions._SCHEMES, "of-a-test": OfATest})
    yield
    registry._plugins.cache_clear()


def offer(monkeypatch: pytest.MonkeyPatch, *entries: EntryPoint) -> None:
    """Let packages be installed that have these entry points."""
    found = EntryPoints(entries)
    monkeypatch.setattr(metadata, "entry_points", lambda group: found.select(group=group))
    monkeypatch.setattr(positions, "entry_points", lambda group: found.select(group=group))
    registry._plugins.cache_clear()


class Elsewhere:
    """An engine whose workers are on other machines, and know all tasks or all position schemes or fail to answer."""

    processes = 1

    def __init__(self, *known: str, shares_disk: bool = False, error: Exception | None = None) -> None:
        self.known, self.shares_disk, self.error, self.asked = known, shares_disk, error, 0

    def completed(self, function: Callable[[Item], Value], items: Iterable[Item]) -> Outcomes[Item, Value]:
        for item in items:
            assert isinstance(item, list)
            self.asked += 1
            unknown: Any = [each for each in item if each.kind not in self.known]
            yield Outcome(item, None if self.error else unknown, self.error)


@pytest.mark.usefixtures("_registered")
def test_only_what_is_neither_of_this_package_nor_an_entry_point_is_in_doubt(monkeypatch: pytest.MonkeyPatch) -> None:
    every = [
        config(),
        config(task="(aa)*", parameters={}, model={"position": "rope"}),
        config(task="majority", parameters={}, model={"position": "learned"}),
        config(task="of-a-test", parameters={}),
        config(task="(aa)*", parameters={}, model={"position": "of-a-test"}),
    ]
    assert list(doubts(every)) == [
        Registered("task", "of-a-test", __name__),
        Registered("position scheme", "of-a-test", __name__),
    ]
    offer(
        monkeypatch,
        EntryPoint("of-a-test", f"{__name__}:of_a_test", "lengthwise.tasks"),
        EntryPoint("of-a-test", f"{__name__}:OfATest", "lengthwise.positions"),
    )
    assert list(doubts(every)) == []


@pytest.mark.usefixtures("_registered")
def test_a_sweep_of_what_workers_do_not_know_is_refused_in_a_sentence_before_anything_is_run(tmp_path: Path) -> None:
    runs, store = [config(**TINY), config(task="of-a-test", parameters={}, **TINY)], Store(tmp_path / "store")
    with pytest.raises(EngineError) as refused:
        run_sweep(runs, store, Local(1))
    assert str(refused.value) == (
        f"worker processes would not know the task 'of-a-test', as only the module {__name__} registers it; use "
        "--engine serial, or make it known by the entry point of a package "
        "(docs/howto/own-task.md#make-it-known-everywhere)"
    )
    assert list(tmp_path.iterdir()) == []
    assert len(run_sweep(runs, store, Serial()).made) == 2
    # Nothing is missing any more, so that no worker is needed.
    assert run_sweep(runs, store, Local(1)) == Sweep((), ())


@pytest.mark.usefixtures("_registered")
def test_position_schemes_are_refused_alike_and_have_a_guide_of_their_own() -> None:
    wanted = [config(task="of-a-test", parameters={}, model={"position": "of-a-test"})]
    with pytest.raises(EngineError, match=r"the position scheme 'of-a-test', as .*own-position-scheme\.md#make-it"):
        require_known(wanted, Elsewhere("task"))
    with pytest.raises(EngineError, match=r"the task 'of-a-test', as .* registers it; .*own-task\.md#make-it"):
        require_known(wanted, Elsewhere("position scheme"))
    with pytest.raises(EngineError, match=r"scheme 'of-a-test', nor the task 'of-a-test', as .* registers them; use"):
        require_known(wanted, Elsewhere())


@pytest.mark.usefixtures("_registered")
@pytest.mark.parametrize(
    ("engine", "asked"),
    [
        (Elsewhere("task", "position scheme"), 1),
        (Elsewhere(error=EngineError("its worker process died")), 1),
        (Elsewhere(shares_disk=True), 0),
    ],
    ids=["workers know it", "workers do not answer", "perhaps this process"],
)
def test_nobody_is_refused_by_a_guess(engine: Elsewhere, asked: int) -> None:
    require_known([config(task="of-a-test", parameters={})], engine)
    assert engine.asked == asked


def test_workers_are_not_asked_about_what_everybody_knows() -> None:
    engine = Elsewhere()
    require_known([config(), config(task="(aa)*", parameters={}, model={"position": "relative",
                                    "position_parameters": {"window": 1}})], engine)  # fmt: skip
    assert engine.asked == 0


@pytest.mark.usefixtures("_registered")
def test_a_trainer_that_brings_what_it_needs_is_not_asked(tmp_path: Path) -> None:
    made = run_sweep([config(task="of-a-test", parameters={}, seeds=1)], Store(tmp_path), Local(1), pretended)
    assert len(made.made) == 1


def test_names_are_known_in_a_process_that_has_registered_them() -> None:
    wanted = [Registered("task", "simple-task", ""), Registered("position scheme", "rope", "")]
    strange = [Registered("task", "rope", ""), Registered("position scheme", "simple-task", "")]
    assert unknown_here([*wanted, *strange]) == strange


# ---------------------------------------------------------------------------------------------- in real processes


def command(directory: Path, *first: str, scheme: str = "none") -> tuple[int, str]:
    """Train a model of the script's in worker processes; the exit code and what was said."""
    settings = ["optimizer.batch=8", "evaluation.words=8", "optimizer.inputs=tokens"]
    options = ["--train-length", "4", "--seeds", "1", "--steps", "2", "--position", scheme, "--engine", "local"]
    options += [part for setting in settings for part in ("--set", setting)]
    done = subprocess.run(
        [sys.executable, *first, "train", "of-a-script", *options],
        cwd=directory, env={**os.environ, "PYTHONPATH": str(directory)}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    return done.returncode, done.stderr


@pytest.mark.slow
def test_a_script_is_told_that_its_workers_would_not_know_its_task(tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text(SCRIPT, encoding="utf-8")
    code, said = command(tmp_path, "script.py", scheme="of-a-script-too")
    assert code == 2
    assert said.count("\n") == 1
    assert said.startswith("worker processes would not know the position scheme 'of-a-script-too', nor the task")
    assert "as only this script or notebook registers them; use --engine serial" in said
    assert [path.name for path in tmp_path.iterdir() if path.name != "__pycache__"] == ["script.py"]


@pytest.mark.slow
def test_an_entry_point_makes_a_task_known_to_workers(tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text(SCRIPT, encoding="utf-8")
    info = tmp_path / "restless-0.1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: restless\nVersion: 0.1\n", encoding="utf-8")
    (info / "entry_points.txt").write_text(
        "[lengthwise.tasks]\nof-a-script = script:of_a_script\n"
        "[lengthwise.positions]\nof-a-script-too = script:Nothing\n",
        encoding="utf-8",
    )
    code, said = command(tmp_path, "-m", "lengthwise", scheme="of-a-script-too")
    assert code == 0, said


@pytest.mark.slow
def test_what_every_interpreter_imports_is_known_to_workers(tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text(SCRIPT, encoding="utf-8")
    (tmp_path / "sitecustomize.py").write_text("import script\n", encoding="utf-8")
    code, said = command(tmp_path, "-m", "lengthwise", scheme="of-a-script-too")
    assert code == 0, said
