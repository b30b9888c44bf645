"""`lengthwise capacity` as a user meets it."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.numpy import save_file

from lengthwise.bounds import capacity
from tests.diagnose.made_runs import config, save, untrained
from tests.e2e.command import lengthwise

torch.set_num_threads(1)


def shown(*arguments: str, cwd: Path | None = None) -> dict[str, Any]:
    done = lengthwise("capacity", *arguments, "--json", cwd=cwd)
    assert done.returncode == 0, done.stderr
    data: dict[str, Any] = json.loads(done.stdout)
    return data


def test_the_json_of_a_network_has_the_bound_its_covers_and_what_follows() -> None:
    data = shown("network", "--layers", "2", "--width", "4", "--gap", "0.5", "-m", "500", "-T", "20")
    assert set(data) == {
        "schema", "theorem", "value", "log10", "terms", "explicit", "assumptions", "printed",
        "covers", "generalization", "samples_needed",
    }  # fmt: skip
    assert data["explicit"]
    assert [form["explicit"] for form in data["printed"]] == [False, False]
    assert data["value"] == pytest.approx(sum(cover["log_covering"] for cover in data["covers"]))
    assert [cover["name"] for cover in data["covers"]][-1] == "readout"
    expected = capacity.network([capacity.LayerNorms(1, 1, 1, 1, 1, 1)] * 2, 4)
    assert data["value"] == pytest.approx(expected.covering(0.1, 500, 20).value)
    assert data["generalization"]["value"] == pytest.approx(expected.generalization(500, 20).value)
    assert data["samples_needed"] == capacity.samples_needed(expected, 0.5, 20)


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("linear", "--weight-norm", "2"), capacity.linear(2, 1).covering(0.1, 1000)),
        (("matrix", "--columns", "3", "--column-norm", "2"), capacity.matrices(3, 2, 1).covering(0.1, 1000)),
        (("matrix", "--columns", "3", "--column-sum", "2"), capacity.matrices_by_sum(3, 2, 1, 1).covering(0.1, 1000)),
        (
            ("head", "--value", "2", "--value-columns", "1", "--query-key-rows", "0.5", "--input-norm", "3"),
            capacity.self_attention(capacity.HeadNorms(2, 1, 0.5), 16, input_norm=3).covering(0.1, 1000, 100),
        ),
        (
            ("head", "--query-key-rows", "0.5,2", "--sharp", "--position-norm", "1", "-e", "0.3"),
            capacity.self_attention(
                [capacity.HeadNorms(1, 1, 0.5), capacity.HeadNorms(1, 1, 2)], 16, position_norm=1, softmax=1
            ).covering(0.3, 1000, 100),
        ),
        (
            ("network", "--value", "1,2", "--mix", "3", "--mix-columns", "2", "-L", "3", "-k", "4", "--readout", "2"),
            capacity.network(
                [capacity.LayerNorms(1, 1, value, value, 3, 2) for value in (1, 2, 2)], 16, head_width=4, readout=2
            ).covering(0.1, 1000, 100),
        ),
    ],
)
def test_options_say_which_class_is_meant(arguments: tuple[str, ...], expected: Any) -> None:
    data = shown(*arguments)
    assert data["value"] == pytest.approx(expected.value, rel=1e-12)
    assert data["printed"] == [form.as_json() for form in expected.printed]


def test_the_text_says_what_is_printed_what_is_ours_and_when_it_does_not_help() -> None:
    done = lengthwise("capacity", "network", "--layers", "3", "--gap", "0.1")
    lines = done.stdout.splitlines()
    assert lines[0].startswith("Theorem A.17, repaired: log N: 10^")
    assert sum(line.startswith("printed, ") for line in lines) == 3
    assert sum(line.startswith("cover of layer ") for line in lines) == 9
    assert any(line.endswith("(no help: no loss is above 1)") for line in lines)
    assert re.fullmatch(r"samples needed for 0\.1: [\d,]+", lines[-1])
    assumptions = [line for line in lines if line.startswith("assumes: ")]
    assert len(set(assumptions)) == len(assumptions)


def test_many_covers_are_shown_by_the_largest() -> None:
    lines = lengthwise("capacity", "network", "--layers", "30").stdout.splitlines()
    assert sum(line.startswith("cover of ") for line in lines) == 12
    assert "and 79 smaller covers" in lines


def test_enough_samples_help() -> None:
    done = lengthwise("capacity", "linear", "--samples", "1000000000000")
    assert "no help" not in done.stdout
    assert json.loads(lengthwise("capacity", "linear", "--json").stdout)["generalization"]["value"] > 1


@pytest.mark.parametrize("suffix", ["svg", pytest.param("png", marks=pytest.mark.slow)])
def test_a_plot_is_written_and_repeats_byte_for_byte(suffix: str, tmp_path: Path) -> None:
    for name in ("one", "two"):
        done = lengthwise("capacity", "network", "--layers", "2", "--plot", f"{name}.{suffix}", cwd=tmp_path)
        assert done.returncode == 0, done.stderr
    assert (tmp_path / f"one.{suffix}").read_bytes() == (tmp_path / f"two.{suffix}").read_bytes()
    if suffix == "svg":
        drawing = (tmp_path / "one.svg").read_text(encoding="utf-8")
        for label in ("context length T", "samples m", "width d", "layers L", "repaired, all constants", "as printed"):
            assert label in drawing


@pytest.mark.parametrize(
    "arguments",
    [
        ("linear",),
        ("matrix", "--over", "width"),
        ("head", "--over", "heads"),
        ("network", "--mix", "1e12", "--value", "1e12", "--over", "layers"),
    ],
)
def test_every_class_can_be_drawn_however_large(arguments: tuple[str, ...], tmp_path: Path) -> None:
    done = lengthwise("capacity", *arguments, "--plot", "drawn.svg", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    drawing = (tmp_path / "drawn.svg").read_text(encoding="utf-8")
    assert "repaired" in drawing
    assert ("log10 of log N" in drawing) == ("1e12" in arguments)


def test_a_run_is_bounded_by_the_norms_of_one_of_its_seeds(tmp_path: Path) -> None:
    made = config(seeds=2)
    weights = untrained(made)
    run = save(made, tmp_path, weights)
    data = shown("model", str(run.path), "--seed", "1", "--plot", "run.svg", cwd=tmp_path)
    norms = capacity.from_decoder(weights, made.decoder().as_json(), 1)
    assert data["value"] == pytest.approx(capacity.residual(norms).covering(0.1, 1000, 100).value)
    assert data["value"] != shown("model", str(run.path), "--seed", "0")["value"]
    assert [cover["name"] for cover in data["covers"]][:2] == ["embedding 1", "embedding 2"]
    assert (tmp_path / "run.svg").exists()


def test_a_state_dict_of_torch_is_bounded_from_its_file(tmp_path: Path) -> None:
    torch.manual_seed(0)
    layer = torch.nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)
    model = torch.nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
    state = {name: tensor.numpy().copy() for name, tensor in model.state_dict().items()}
    save_file(state, tmp_path / "model.safetensors")
    data = shown("model", "model.safetensors", "--heads", "2", "--input-norm", "2", cwd=tmp_path)
    expected = capacity.residual(capacity.from_encoder(state, 2, input_norm=2.0))
    assert data["log10"] == pytest.approx(expected.covering(0.1, 1000, 100).log10)
    assert data["terms"]["layers"] == 2
    assert math.isfinite(data["generalization"]["log10"])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("linear", "--epsilon", "0"), "epsilon is a positive number"),
        (("linear", "--samples", "0"), "samples is a whole number from 1 on"),
        (("linear", "--failure", "2"), "failure is a probability"),
        (("head", "--value", "x"), "--value takes numbers"),
        (("head", "--value", "1", "--value-columns", "2"), "no row or column is longer"),
        (("head", "--gap", "0.1"), "--readout"),
        (("network", "--layers", "2", "--mix", ","), "--mix takes numbers"),
        (("network", "--plot", "x.gif"), ".svg"),
        (("network", "--plot", "x.svg", "--over", "heads"), "length, samples, width, layers"),
        (("model", "missing.safetensors", "--heads", "2"), "no such file"),
        (("model", "missing.safetensors"), "no such file"),
        (("model", "broken.safetensors"), "--heads"),
        (("network", "--layers", "0"), "--layers takes a whole number from 1 on, not 0"),
        (("network", "--width", "-3"), "--width takes a whole number from 1 on, not -3"),
        (("head", "--heads", "0"), "--heads takes a whole number from 1 on, not 0"),
        (("model", "broken.safetensors", "--heads", "2"), "cannot be read as safetensors"),
        (("model", "other.safetensors", "--heads", "2"), "not the weights of a torch.nn.TransformerEncoder"),
        (("model", "."), "is no run directory: it has no done.json"),
    ],
)
def test_bad_input_says_what_is_required(arguments: tuple[str, ...], message: str, tmp_path: Path) -> None:
    (tmp_path / "broken.safetensors").write_bytes(b"nothing")
    save_file({"weight": np.eye(2)}, tmp_path / "other.safetensors")
    done = lengthwise("capacity", *arguments, cwd=tmp_path)
    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr
