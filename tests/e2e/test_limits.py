"""Arguments that would take all memory or all time end with one sentence: the estimate, the limit, what to change."""

from __future__ import annotations

import inspect
import re
from itertools import count
from pathlib import Path

import pytest
from typer.main import get_command

import lengthwise as lw
from lengthwise import resources
from lengthwise.cli import app
from lengthwise.cli.exit import ended
from lengthwise.resources import SECONDS
from tests.e2e.command import lengthwise

HUGE = "1000000000"
REFUSED = {
    "a word of 8000000000 symbols in a model": ("train", "parity", "-n", HUGE),
    "1000000000 seeds": ("train", "parity", "-n", "10", "--seeds", HUGE),
    "a model of 1000000000 layers": ("train", "parity", "-n", "10", "--set", f"model.layers={HUGE}"),
    "a model of 1 layers and width 16 with 8 seeds": (
        "train",
        "parity",
        "-n",
        "10",
        "--set",
        f"model.head_width={HUGE}",
    ),
    "a table of 1000000000 positions": (
        "train",
        "parity",
        "-n",
        "10",
        "--position",
        "learned",
        "--set",
        f"model.position_parameters.context={HUGE}",
    ),
    "a step on 10000000 words": ("train", "parity", "-n", "10", "--set", "optimizer.batch=10000000"),
    "a model of 1 layers and width 1000000000": ("train", "parity", "-n", "10", "--set", f"model.width={HUGE}"),
    "a batch of 1000000000 words": ("train", "parity", "-n", "10", "--set", f"optimizer.batch={HUGE}"),
    "an example of 1000000000 symbols": ("tasks", "parity", "--length", HUGE),
    "a transformer with 1000000000 positions": ("compile", "dyck1", "--context", HUGE, "-o", "model.safetensors"),
    "SimpleTask with 1000000000 units": ("bound", "worst-case", "simple-task", "--units", HUGE),
    "ModPTask with the period 100000": ("bound", "certified", "mod-p-task", "--period", "100000"),
    "a k-gram model of context 1000000000": ("bound", "two-layer", "k-gram", "--context", HUGE),
    "an estimate from 1000000000 words": ("bound", "average", "simple-task", "--estimate", "9", "--samples", HUGE),
    "a word of 2000000000 symbols": ("protocol", "majority", "01", "--times", HUGE),
    "a network with 1000000000 heads": ("capacity", "head", "--heads", HUGE),
    "a network with 1000000000 layers": ("capacity", "network", "--layers", HUGE),
    "1000000000 strings of 16 bits": ("sparse", "construct", "parity:3", "--samples", HUGE),
}
LIMITED = ["decide", "show", "run", "check-proof", "verify", "simulate", "protocol", "compile", "evaluate", "tasks"]
BOUNDS = [f"bound {theorem}" for theorem in ("worst-case", "average", "two-layer", "certified", "table")]
CAPACITIES = [f"capacity {kind}" for kind in ("linear", "matrix", "head", "network", "model")]
FUNCTIONS = [verb.replace("-", "_").replace("tasks", "describe_task") for verb in LIMITED if verb != "evaluate"]


def plain(text: str) -> str:
    """A help page on one line, without its frame."""
    return " ".join(re.sub(r"[│╭╮╰╯─]", " ", text).split())


@pytest.mark.parametrize(
    ("what", "command"),
    [pytest.param(*each, marks=[pytest.mark.slow] if each[1][0] == "train" else []) for each in REFUSED.items()],
)
def test_what_does_not_fit_into_memory_is_refused_before_it_is_made(
    what: str, command: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LENGTHWISE_MEMORY", "1G")
    done = lengthwise(*command, cwd=tmp_path)
    sentence = done.stderr.strip().splitlines()[-1]
    assert done.returncode == 2
    assert re.search(
        re.escape(what) + r".* would take about [\d.e+]+ [GT]B of memory, and the limit is 1 GB; ", sentence
    )
    assert sentence.endswith("or raise the limit with LENGTHWISE_MEMORY")
    help_page = lengthwise(*command[: 1 + (command[0] in ("bound", "capacity", "sparse"))], "--help").stdout
    assert all(option in help_page for option in re.findall(r"--[a-z-]+", sentence))
    assert not list(tmp_path.glob("*.safetensors"))


@pytest.mark.parametrize("times", ["1" + 20 * "0", "1e20"])
def test_a_number_of_times_beyond_all_counting_is_refused(times: str) -> None:
    done = lengthwise("simulate", "simple-task", "01", "--times", times)
    assert done.returncode == 2
    assert "--times" in done.stderr


def test_parameters_of_a_distribution_that_overflow_are_refused() -> None:
    assert "adds up to at most 1e+15" in lengthwise("bound", "average", "simple-task", "--alpha", "1e308").stderr


@pytest.mark.parametrize("verb", [*LIMITED, *BOUNDS, *CAPACITIES])
def test_every_verb_that_can_take_long_has_a_time_limit_with_a_default(verb: str) -> None:
    shown = plain(lengthwise(*verb.split(), "--help").stdout)
    default = re.search(r"--seconds.*?\[default: ([\d.]+)", shown)
    assert default is not None
    assert float(default[1]) in (SECONDS, 30.0)


@pytest.mark.parametrize("name", [*FUNCTIONS, "bound"])
def test_the_functions_of_these_verbs_have_it_too(name: str) -> None:
    assert inspect.signature(getattr(lw, name)).parameters["seconds"].default in (SECONDS, 30.0)


EXTREME = ("1e308", "1e-308", "1" + 20 * "0", "0", "-1", "nan", "inf")
NAMED = {"bound": "simple-task", "construct": "parity:3", "ensemble": "sparse-parity", "coupling": "digit-with-carry"}


def options_with_numbers() -> list[tuple[str, str, str]]:
    """The options of `capacity`, `bound` and `sparse` that are no flags and no files."""
    groups = get_command(app).commands  # type: ignore[attr-defined]
    return [
        (group, name, option.opts[0])
        for group in ("capacity", "bound", "sparse")
        for name, command in groups[group].commands.items()
        if name not in ("table", "model")
        for option in command.params
        if option.param_type_name == "option"
        and not option.is_flag
        and option.name not in ("plot", "over", "output", "seconds")
    ]


@pytest.mark.slow
@pytest.mark.parametrize(("group", "name", "option"), options_with_numbers())
def test_no_number_however_extreme_is_a_fault_of_lengthwise(
    group: str, name: str, option: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("LENGTHWISE_MEMORY", "1G")
    monkeypatch.setattr(resources, "clock", count(0.0, 0.01).__next__)
    command = get_command(app)
    subject = [] if group == "capacity" else [NAMED.get(name, "k-gram" if name == "two-layer" else NAMED["bound"])]
    for value in EXTREME:
        given = [group, name, *subject, option, value]
        code = ended(lambda given=given: command(given, standalone_mode=False) or 0)  # type: ignore[misc]
        assert code in (0, 1, 2, 3), (given, capsys.readouterr().err)


@pytest.mark.slow
@pytest.mark.parametrize(
    "command",
    [
        ("train", "parity", "-n", "4", "--seeds", "1", "--steps", "5"),
        ("search", "majority", "-n", "10", "--layers", "1", "--heads", "1", "--widths", "16", "--rates", "1e-3"),
        ("reproduce", "izzo-fig2", "--preset", "smoke"),
    ],
)
def test_training_that_runs_out_of_time_says_what_is_kept_and_ends_with_3(
    command: tuple[str, ...], tmp_path: Path
) -> None:
    done = lengthwise(*command, "--engine", "serial", "--seconds", "1e-9", cwd=tmp_path)
    assert done.returncode == 3, done.stderr
    told = done.stderr.strip().splitlines()[-1]
    assert re.search(r"^the time limit of 1e-09 seconds was reached: .*kept.*the same command goes on", told), told
