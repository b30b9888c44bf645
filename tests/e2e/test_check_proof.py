"""`--proof FILE` saves what was proved, and `lengthwise check-proof FILE` replays it."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.command import Done, lengthwise

PHASES = """alphabet "a" "b" "c"
seen = # "c" >= 1
F = # "a" - #("b" && !seen)
K = #("a" && seen)
"""


def run(command: str, directory: Path) -> Done:
    return lengthwise(*shlex.split(command)[1:], cwd=directory)


def saved(path: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))
    return found


@pytest.mark.parametrize(
    "command",
    [
        "lengthwise verify '(ab)*' '(ab)*' --proof p.json",
        "lengthwise verify d2 '(a(ab)*b)*' --proof p.json",
        "lengthwise verify dyck1 dyck1 --proof p.json",
        "lengthwise decide '(aab|ba)*' --proof p.json",
        "lengthwise decide majority --proof p.json",
        "lengthwise decide task:copy-repeat --proof p.json",
        "lengthwise decide '[ab]*ab[ab]*' --minimise --proof p.json",
        "lengthwise show abcde --minimise --proof p.json",
    ],
)
def test_what_is_saved_is_replayed(command: str, tmp_path: Path) -> None:
    assert run(command, tmp_path).returncode == 0
    done = run("lengthwise check-proof p.json", tmp_path)
    assert done.returncode == 0
    lines = done.stdout.splitlines()
    assert len(lines) == len(saved(tmp_path / "p.json"))
    assert all(line.endswith(": holds") for line in lines)


def test_the_proof_of_verify_stands_in_its_json_and_is_replayed(tmp_path: Path) -> None:
    found = json.loads(run("lengthwise verify d2 '(a(ab)*b)*' --json", tmp_path).stdout)
    assert found["equal"] is True
    (tmp_path / "p.json").write_text(json.dumps(found["proof"]), encoding="utf-8")
    assert run("lengthwise check-proof p.json", tmp_path).returncode == 0
    assert json.loads(run("lengthwise verify 'a*' 'b*' --json", tmp_path).stdout)["proof"] is None


def test_a_proof_through_standard_output_leaves_messages_on_standard_error(tmp_path: Path) -> None:
    done = run("lengthwise verify 'a*' 'a*' --proof -", tmp_path)
    assert json.loads(done.stdout)[0]["claim"]["kind"] == "equal"
    assert "equal at every length" in done.stderr


def test_a_changed_claim_does_not_hold_and_what_fails_is_said(tmp_path: Path) -> None:
    run("lengthwise verify d2 '(a(ab)*b)*' --proof p.json", tmp_path)
    [proof] = saved(tmp_path / "p.json")
    proof["claim"]["right"]["automaton"]["accepting"] = []
    (tmp_path / "p.json").write_text(json.dumps([proof]), encoding="utf-8")
    done = run("lengthwise check-proof p.json", tmp_path)
    assert done.returncode == 1
    assert "does not hold: the sides answer differently" in done.stdout
    entries = json.loads(run("lengthwise check-proof p.json --json", tmp_path).stdout)
    assert [entry["holds"] for entry in entries] == [False]


@pytest.mark.parametrize("text", ["", "no JSON", "{}", "[]", '{"format": "lengthwise proof", "version": 2}', "[1.5]"])
def test_a_file_that_is_no_proof_is_bad_input(text: str, tmp_path: Path) -> None:
    (tmp_path / "p.json").write_text(text, encoding="utf-8")
    done = run("lengthwise check-proof p.json", tmp_path)
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1


def test_a_missing_file_is_bad_input(tmp_path: Path) -> None:
    done = run("lengthwise check-proof missing.json", tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert "missing.json cannot be read" in done.stderr


def test_where_nothing_is_proved_nothing_is_written(tmp_path: Path) -> None:
    done = run("lengthwise verify 'a*' 'b*' --proof p.json", tmp_path)
    assert done.returncode == 1
    assert "nothing was proved" in done.stderr
    assert not (tmp_path / "p.json").exists()


def test_programs_with_phases_that_were_proved_equal_are_different(tmp_path: Path) -> None:
    (tmp_path / "one.crasp").write_text(PHASES + "x = F >= 0\n", encoding="utf-8")
    (tmp_path / "other.crasp").write_text(PHASES + "x = F >= 0 || K >= 60\n", encoding="utf-8")
    done = run("lengthwise verify one.crasp other.crasp --json", tmp_path)
    assert done.returncode == 1
    found = json.loads(done.stdout)
    assert found["difference"] == "b" * 61 + "c" + "a" * 60


def test_minimising_keeps_what_is_reached_only_after_a_long_detour(tmp_path: Path) -> None:
    (tmp_path / "far.crasp").write_text(PHASES + 'x = "a" && seen && K >= 100 && F < 0\n', encoding="utf-8")
    found = json.loads(run("lengthwise show far.crasp --minimise --json", tmp_path).stdout)
    (tmp_path / "small.crasp").write_text(found["text"], encoding="utf-8")
    word = "b" * 150 + "c" + "a" * 100
    for program in ("far.crasp", "small.crasp"):
        assert run(f"lengthwise run {program} {word}", tmp_path).stdout.splitlines()[-1].startswith("accepts")
