"""`lengthwise bound` and `simulate` as a user meets them."""

import json
from pathlib import Path

import pytest

from tests.e2e.command import lengthwise


def test_the_contracted_json_of_the_certified_length() -> None:
    done = lengthwise("bound", "certified", "simple-task", "--omega", "3", "--epsilon", "0.1", "--json")
    data = json.loads(done.stdout)
    assert {"length", "exact", "worst_input", "stand_in"} <= set(data)
    assert data["exact"] is True
    assert data["stand_in"]["length"] <= data["length"] < data["worst_input"]["length"]


def test_the_certified_length_of_all_models_as_steep_is_longer() -> None:
    alone = json.loads(lengthwise("bound", "certified", "simple-task", "--json").stdout)
    every = json.loads(lengthwise("bound", "certified", "simple-task", "--sensitivity", "own", "--json").stdout)
    assert (alone["length"], every["length"]) == (12, 40)
    assert lengthwise("bound", "certified", "simple-task", "--sensitivity", "steep").returncode == 2


@pytest.mark.parametrize(
    "arguments",
    [
        ("worst-case", "simple-task", "--omega", "2"),
        ("worst-case", "mod-p-task", "--period", "4"),
        ("average", "mod-p-task", "--kappa", "0.5", "--alpha", "1,2"),
        ("two-layer", "k-gram", "--beta", "2"),
    ],
)
def test_every_bound_has_terms_and_its_printed_forms(arguments: tuple[str, ...]) -> None:
    data = json.loads(lengthwise("bound", *arguments, "--json").stdout)
    assert data["terms"]
    assert data["printed"]
    assert all(not form["explicit"] for form in data["printed"])
    assert data["log10"] > 0
    shown = lengthwise("bound", *arguments).stdout
    assert data["theorem"] in shown
    assert "printed" in shown


def test_sampled_gaps_come_with_intervals_and_repeat_with_their_seed() -> None:
    command = ("bound", "average", "simple-task", "--with", "mod-p.safetensors")
    same = ("bound", "average", "simple-task", "--estimate", "500", "--samples", "50", "--seed", "3", "--json")
    first, second = lengthwise(*same).stdout, lengthwise(*same).stdout
    assert first == second
    assert json.loads(first)["estimate"]["long"]["low"] <= json.loads(first)["estimate"]["long"]["mean"]
    assert lengthwise(*command).returncode == 2


@pytest.mark.parametrize("suffix", ["svg", pytest.param("pdf", marks=pytest.mark.slow), "png"])
def test_a_plot_is_written_and_repeats_byte_for_byte(suffix: str, tmp_path: Path) -> None:
    for name in ("one", "two"):
        done = lengthwise("bound", "certified", "mod-p-task", "--plot", f"{name}.{suffix}", "--over", "period",
                          "--epsilon", "0.3", cwd=tmp_path)  # fmt: skip
        assert done.returncode == 0, done.stderr
    assert (tmp_path / f"one.{suffix}").read_bytes() == (tmp_path / f"two.{suffix}").read_bytes()
    if suffix == "svg":
        drawn = (tmp_path / "one.svg").read_text(encoding="utf-8")
        assert "certified" in drawn
        assert "repaired, explicit" in drawn


def test_a_billion_symbols_have_a_stand_in() -> None:
    done = lengthwise("simulate", "simple-task", "0112020", "--times", "142857143", "--json")
    data = json.loads(done.stdout)
    assert data["source_length"] > 10**9
    assert data["length"] < data["source_length"]
    assert all(found <= promised for found, promised in zip(data["measured"], data["promised"], strict=True))


def test_a_limit_file_is_bounded_like_the_construction(tmp_path: Path) -> None:
    from lengthwise import limit
    from lengthwise.limit.constructions import mod_p_task

    limit.save(mod_p_task(3, 1).model, tmp_path / "task.safetensors")
    from_file = lengthwise("bound", "worst-case", "task.safetensors", "--json", cwd=tmp_path)
    by_name = lengthwise("bound", "worst-case", "mod-p-task", "--period", "3", "--residue", "1", "--json")
    meant = {"meaning": "model task.safetensors"}
    assert json.loads(from_file.stdout) == json.loads(by_name.stdout) | meant


@pytest.mark.parametrize(
    ("command", "theorem"),
    [
        ("worst-case", "Theorem 4.1 of Izzo et al."),
        ("average", "Theorem 4.2 of Izzo et al."),
        ("two-layer", "Theorem 5.2 of Izzo et al."),
        ("certified", "the certified length"),
    ],
)
@pytest.mark.parametrize("program", ["dyck1", "majority"])
def test_programs_are_sent_to_the_commands_that_are_for_them(
    command: str, theorem: str, program: str, tmp_path: Path
) -> None:
    done = lengthwise("bound", command, program)
    assert done.returncode == 2
    (said,) = done.stderr.splitlines()
    assert said.startswith(f"{theorem} does not apply to {program} (library program {program} over")
    assert "it needs an MLP that is Lipschitz, and this model has Heaviside units, which jump" in said
    assert f"`lengthwise decide {program}` and `lengthwise study {program}` are for programs" in said
    assert "simple-task, mod-p-task, k-gram" in said
    assert lengthwise("bound", command, "simple-task", "--with", program).stderr == done.stderr
    assert lengthwise("compile", program, "-o", "p.safetensors", cwd=tmp_path).returncode == 0
    from_file = lengthwise("bound", command, "p.safetensors", cwd=tmp_path)
    assert from_file.returncode == 2
    assert from_file.stderr.startswith(f"{theorem} does not apply to p.safetensors (model p.safetensors)")
    assert "for the program that it comes from" in from_file.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("bound", "certified", "simple-task", "--epsilon", "0"), "positive number"),
        (("bound", "certified", "simple-task", "--epsilon", "-1"), "positive number"),
        (("bound", "certified", "k-gram"), "one layer"),
        (("bound", "worst-case", "k-gram"), "one layer, and f has 2; two layers are what Theorem 5.2 is for"),
        (("bound", "two-layer", "simple-task"), "two layers"),
        (("bound", "certified", "simple-task", "--period", "3"), "no parameter 'period'"),
        (("bound", "certified", "no-such-task"), "there is no program, language or task 'no-such-task'"),
        (("bound", "certified", "missing.safetensors"), "missing.safetensors"),
        (("bound", "average", "mod-p-task", "--alpha", "x"), "numbers"),
        (("bound", "average", "mod-p-task", "--kappa", "0"), "kappa"),
        (("bound", "certified", "simple-task", "--plot", "x.gif"), ".svg"),
        (("bound", "certified", "simple-task", "--plot", "x.svg", "--over", "depth"), "epsilon"),
        (("simulate", "simple-task", "012", "--times", "0"), "at least once"),
        (("simulate", "simple-task", "3"), "alphabet"),
    ],
)
def test_bad_input_says_what_is_required(arguments: tuple[str, ...], message: str, tmp_path: Path) -> None:
    done = lengthwise(*arguments, cwd=tmp_path)
    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr
