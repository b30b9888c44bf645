"""`lengthwise sparse` as a user meets it."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import load_file

import lengthwise as lw
from lengthwise.sparse.bounds import proposition_c3
from lengthwise.sparse.coupling import across_halves
from tests.e2e.command import lengthwise


def shown(*arguments: str, cwd: Path | None = None) -> Any:
    done = lengthwise("sparse", *arguments, "--json", cwd=cwd)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("inputs", ["deterministic", "trainable", "bag"])
@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("x2 & (x4 | !x5)", lambda bits: bits[1] and (bits[3] or not bits[4])),
        ("parity:3", lambda bits: (bits[0] + bits[2] + bits[5]) % 2),
        ("majority:1,4,6", lambda bits: bits[0] + bits[3] + bits[5] >= 2),
        ("and:2,", lambda bits: bits[1]),
        ("or:6", lambda bits: any(bits)),
    ],
)
def test_a_construction_computes_the_function_that_its_text_says(text: str, wanted: Any, inputs: Any) -> None:
    built = lw.sparse.construct(text, 6, inputs)
    assert built.verification.passed
    assert built.verification.exhaustive
    for code in range(2**6):
        bits = [code >> place & 1 for place in range(6)]
        assert float(built.construction.model(bits)) == pytest.approx(float(wanted(bits)), abs=1e-9)


def test_construct_prints_size_norms_and_verification_and_saves_the_weights(tmp_path: Path) -> None:
    data = shown("construct", "parity:3", "--length", "20", "-o", "parity.safetensors", cwd=tmp_path)
    assert set(data) == {
        "schema", "function", "length", "positions", "lemma", "width", "heads", "hidden_units", "coherence",
        "sharpness", "norms", "verification",
    }  # fmt: skip
    assert data["positions"] == [1, 10, 20]
    assert data["hidden_units"] == [16, 4]
    assert data["verification"]["passed"]
    assert data["verification"]["strings"] == 1024
    saved = load_file(tmp_path / "parity.safetensors")
    model = lw.sparse.construct("parity:3", 20).construction.model
    assert saved.keys() == model.weights().keys()
    assert all(np.array_equal(saved[name], weights) for name, weights in model.weights().items())


def test_fewer_dimensions_than_positions_cost_coherence() -> None:
    data = shown("construct", "majority:1,5,9", "-T", "500", "--coherence", "0.19", "--samples", "64")
    assert data["width"] < 500
    assert 0 < data["coherence"] <= 0.19
    assert data["verification"] == data["verification"] | {"passed": True, "strings": 64, "exhaustive": False}


def test_the_ensemble_report_has_the_exact_loss_beside_the_bounds_and_a_sample_near_it() -> None:
    data = shown("ensemble", "without-realizability", "-n", "8", "-t", "16", "--samples", "2000", "--seed", "3")
    (only,) = data["hypotheses"]
    instance = proposition_c3(8)[2]
    assert only["test_loss"] == float(instance.report(16).epsilon)
    assert data["violated"] == ["realizability"]
    assert only["repaired"] == pytest.approx(254, abs=0.5)
    assert only["repaired_holds"]
    assert abs(only["sampled"]["loss"] - only["test_loss"]) < 5 * only["sampled"]["standard_error"]
    assert data == shown("ensemble", "without-realizability", "--samples", "2000", "--seed", "3")


@pytest.mark.parametrize(
    ("name", "broken"),
    [
        ("sparse-parity", []),
        ("without-locality", ["locality"]),
        ("without-relative-positions", ["relative positions"]),
        ("without-coverage", ["coverage"]),
    ],
)
def test_each_instance_breaks_what_its_name_says(name: str, broken: list[str]) -> None:
    data = shown("ensemble", name, "-t", "12")
    assert data["violated"] == broken
    worst = max(each["test_loss"] for each in data["hypotheses"] if each["minimiser"])
    assert (worst == 0) == (not broken)
    assert (data["no_bound"] is None) == (name in ("sparse-parity", "without-coverage"))


def test_retrieval_is_not_learned_by_a_local_class() -> None:
    found = lw.sparse.check_ensemble("retrieval", 8, 10)
    assert "realizability" in found.violated
    assert found.learning.epsilon > Fraction(2, 5)


@pytest.mark.parametrize("name", ["across-halves", "digit-with-carry"])
def test_coupling_makes_the_loss_vanish_that_is_there_without_it(name: str) -> None:
    data = shown("coupling", name, "--train-length", "8", "--test-length", "12")
    assert data["violations"] == []
    assert data["loss_coupled"] == data["repaired"] == data["strong_failure"] == 0
    assert min(data["loss_local"], data["loss_far_sighted"]) > 0.4
    assert len(data["word"].split()) == 8


def test_noise_gives_coupled_words_a_loss_within_the_bound() -> None:
    data = shown("coupling", "digit-with-carry", "-n", "8", "-t", "10", "--noise", "0.001")
    assert 0 < data["loss_coupled"] < 0.001
    assert data["repaired_holds"]


def test_instances_and_tasks_of_ones_own_are_taken() -> None:
    own = lw.sparse.check_ensemble(proposition_c3(6)[3], test_length=8)
    assert own.learning.training_length == 6
    assert own.violated == ("coverage",)
    assert lw.sparse.check_coupling(across_halves(), 8, 9).coupled.measured == 0


@pytest.mark.parametrize("verb", ["ensemble", "coupling"])
def test_without_a_name_the_names_are_listed(verb: str) -> None:
    names = [entry["name"] for entry in shown(verb)]
    assert names == [line.split()[0] for line in lengthwise("sparse", verb).stdout.splitlines()]
    assert len(names) >= 2


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("construct", "parity:40"), "40 of 16 bits cannot be chosen; give a number from 1 to 16"),
        (("construct", "xnor:3"), "there is no function named 'xnor'; there are and, or, majority, parity"),
        (("construct", "parity:a"), "write how many bits, as in parity:3, or which, as in parity:1,5,9"),
        (("construct", "x5", "-T", "3"), "position 5 is beyond the 3 positions"),
        (("construct", "x1", "-T", "100000"), "strings have 1 to 4096 bits, not 100000"),
        (("construct", "x1", "--inputs", "trainable", "--coherence", "0.2"), "a coherence is for the other inputs"),
        (("construct", "x1", "--samples", "0"), "a sample has at least one string"),
        (("ensemble", "nothing"), "there is no instance 'nothing'; there are sparse-parity"),
        (("ensemble", "sparse-parity", "-t", "500"), "takes too long at length 500; test at up to 32"),
        (("ensemble", "sparse-parity", "--samples", "1"), "at least 2 samples"),
        (("ensemble", "sparse-parity", "-n", "0"), "training lengths go up to a whole number from 1 on, not 0"),
        (("coupling", "nothing"), "there are across-halves, digit-with-carry"),
        (("coupling", "across-halves", "--noise", "1"), "noise is a probability below 1"),
        (("coupling", "digit-with-carry", "-t", "11"), "must be L = 8 plus a multiple of L_local = 2"),
    ],
)
def test_bad_input_ends_with_one_sentence(arguments: tuple[str, ...], said: str) -> None:
    done = lengthwise("sparse", *arguments)
    assert done.returncode == 2
    assert said in done.stderr
    assert "Traceback" not in done.stderr
