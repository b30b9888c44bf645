"""The command line: what it prints, what it refuses, and that it does so in a process of its own, too."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from lengthwise import __version__
from tests.e2e.command import in_own_process, lengthwise

DYCK = '// balanced\no = # "("\nc = # ")"\nd = #(o < c) == 0 && o == c\n'


def test_words_on_the_command_line_are_decided() -> None:
    for run in (lengthwise, in_own_process):
        done = run("run", "dyck1", "(())", ")(", "")
        assert done.stdout.splitlines() == [
            "library program dyck1 over {(, )}", "accepts  (())", "rejects  )(", "accepts  (the empty word)"
        ]  # fmt: skip
        assert (done.returncode, done.stderr) == (0, "")


def test_a_mistake_ends_a_process_with_code_two_and_one_message() -> None:
    done = in_own_process("run", "dyck1", "(a)")
    assert (done.returncode, done.stdout) == (2, "library program dyck1 over {(, )}\n")
    assert done.stderr == "'a' at position 2 is not in the alphabet {(, )}; use only its symbols\n"


def test_json_is_a_list_of_input_and_accepts() -> None:
    done = lengthwise("run", "dyck1", "(())", ")(", "", "--json")
    assert json.loads(done.stdout) == [
        {"input": "(())", "accepts": True},
        {"input": ")(", "accepts": False},
        {"input": "", "accepts": True},
    ]


def test_lines_of_standard_input_are_words_and_an_empty_line_is_the_empty_word() -> None:
    done = lengthwise("run", "dyck1", "--json", stdin="()\r\n\n( )\n)(")
    assert [entry["input"] for entry in json.loads(done.stdout)] == ["()", "", "( )", ")("]
    assert [entry["accepts"] for entry in json.loads(done.stdout)] == [True, True, True, False]


def test_no_input_at_all_is_an_empty_list() -> None:
    assert json.loads(lengthwise("run", "dyck1", "--json").stdout) == []


def test_example_files_of_the_public_interpreter_are_read_with_examples() -> None:
    done = lengthwise("run", "dyck1", "--examples", stdin="// good\n( )\n\n// bad\n) (\n")
    assert done.stdout.splitlines()[1:] == ["accepts  ( )", "rejects  ) ("]


@pytest.mark.parametrize("spaced", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_a_line_of_millions_of_symbols_streams_in_bounded_memory(spaced: bool, tmp_path: Path) -> None:
    pairs = 3_000_000
    path = tmp_path / "long.txt"
    path.write_text(("( ) " if spaced else "()") * pairs + "\n)(\n")
    measure = (
        "import resource, subprocess, sys\n"
        "done = subprocess.run(sys.argv[2:], stdin=open(sys.argv[1]), capture_output=True, check=True)\n"
        "print(done.stdout.decode())\n"
        "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)\n"
    )
    command = [sys.executable, "-c", measure, str(path), sys.executable, "-m", "lengthwise", "run", "dyck1", "--json"]
    shown = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    entries, peak = json.loads(shown[: shown.rindex("]") + 1]), int(shown.split()[-1])
    assert [entry["accepts"] for entry in entries] == [True, False]
    assert entries[0]["length"] == 2 * pairs
    assert entries[0]["input"].endswith("…")
    assert len(entries[0]["input"]) < 100
    small = subprocess.run([*command[:3], "/dev/null", *command[4:]], capture_output=True, text=True, check=True).stdout
    # The evaluators take their share; the input of up to 12 MB, and lists of its symbols, do not.
    assert peak - int(small.split()[-1]) < 150_000


def test_a_late_space_in_a_long_line_is_refused() -> None:
    done = lengthwise("run", "dyck1", stdin="()" * 600_000 + " ()\n")
    assert done.returncode == 2
    assert "line 1 has a space only at character 1200001" in done.stderr


def test_the_trace_is_shown_as_text() -> None:
    shown = lengthwise("run", "dyck1", "())", "--trace", "text").stdout
    assert "C_open" in shown
    assert "rejects" in shown
    assert "\x1b" not in shown, "no colours unless on a terminal"


def test_the_trace_page_goes_where_it_is_sent(tmp_path: Path) -> None:
    done = lengthwise("run", "dyck1", "())", "()", "--trace", "html", "-o", str(tmp_path / "t.html"))
    assert (done.returncode, done.stdout) == (0, "")
    page = (tmp_path / "t.html").read_text()
    assert page.startswith("<!DOCTYPE html>")
    assert lengthwise("run", "dyck1", "())", "()", "--trace", "html").stdout.strip() == page.strip()


def test_traces_and_predictions_come_as_json_too() -> None:
    (entry,) = json.loads(lengthwise("run", "dyck1", "()", "--trace", "text", "--json").stdout)
    assert entry["trace"]["C_open"] == [1, 1]
    (entry,) = json.loads(lengthwise("run", "induction-all", "aba", "--next", "--json").stdout)
    assert entry["next"] == [[], [], ["b"]]


def test_predictions_are_listed_position_by_position() -> None:
    shown = lengthwise("run", "induction-all:ab", "aba", "--next").stdout.splitlines()
    assert shown[1:] == [
        "aba",
        "  0  start  → (none)",
        "  1  a      → (none)",
        "  2  b      → (none)",
        "  3  a      → b",
    ]


def test_show_prints_the_canonical_form_and_the_facts(tmp_path: Path) -> None:
    (tmp_path / "p.cr").write_text(DYCK)
    shown = lengthwise("show", "p.cr", cwd=tmp_path).stdout
    first, _, text = shown.partition("\n")
    assert first == "C-RASP program p.cr over {(, ), …}"
    assert text.startswith('o = # "("\nc = # ")"\nd = #(o < c) == 0 && o == c\n')
    assert "fragment  C-RASP[∅]" in shown
    facts = json.loads(lengthwise("show", "p.cr", "--json", cwd=tmp_path).stdout)
    assert (facts["fragment"], facts["depth"], facts["window"], facts["period"]) == ([], 2, 0, 1)
    assert facts["alphabet"] == ["(", ")"]


def test_show_latex_and_simplify() -> None:
    assert "\\#" in lengthwise("show", "dyck1", "--latex").stdout
    assert lengthwise("show", "dyck1", "--simplify").returncode == 0


def test_the_library_lists_every_program_with_a_line() -> None:
    entries = json.loads(lengthwise("library", "--json").stdout)
    names = {entry["name"] for entry in entries}
    assert {"dyck1", "majority", "anbncn", "tomita-7", "d12", "sort", "unique-copy", "scattered:WORD"} <= names
    assert all(entry["description"] for entry in entries)
    assert len(lengthwise("library").stdout.splitlines()) == len(entries)


def test_check_reports_all_problems_and_exits_with_two(tmp_path: Path) -> None:
    (tmp_path / "bad.crasp").write_text('x = # "a"\ny = x && x\nz = w\n')
    done = lengthwise("check", "bad.crasp", "dyck1", cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr.count("LW202") == 2
    assert "bad.crasp:3:5: LW201" in done.stderr
    assert "library program dyck1 over {(, )}: no problems" in done.stdout
    (bad, good) = json.loads(lengthwise("check", "bad.crasp", "dyck1", "--json", cwd=tmp_path).stdout)
    assert [problem["code"] for problem in bad["problems"]] == ["LW202", "LW202", "LW201"]
    assert good["problems"] == []


BAD: list[tuple[list[str], str]] = [
    (["run", "dyk1", "()"], "dyck1"),
    (["run", "nothing/there.crasp", "()"], "nothing/there.crasp"),
    (["run", ".", "()"], "."),
    (["run", "dyck1", "(a)"], "'a' at position 2 is not in the alphabet"),
    (["run", "majority", "01", "--next"], "predicts nothing"),
    (["run", "induction-all", "ab"], "defines no Boolean"),
    (["run", "dyck1", "()", "-o", "x.html"], "--output is for the page"),
    (["run", "dyck1", "()", "--trace", "html", "-o", "/nonexistent/x.html"], "cannot write"),
    (["run", "dyck1", "()" * 20_000, "--trace", "text"], "more than 20000 symbols"),
    (["show"], "SUBJECT"),
    (["show", "d:0"], "d"),
    (["nonsense"], "nonsense"),
]


@pytest.mark.parametrize(("arguments", "message"), BAD, ids=lambda value: str(value)[:40])
def test_bad_input_gets_one_message_and_exit_code_two(arguments: list[str], message: str, tmp_path: Path) -> None:
    done = lengthwise(*arguments, cwd=tmp_path)
    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert not list(tmp_path.iterdir()), "nothing half-written stays behind"


def test_standard_input_that_is_not_text_is_refused() -> None:
    done = lengthwise("run", "dyck1", stdin=b"()\n\xff\xfe\n")
    assert done.returncode == 2
    assert "line 2 of the input is not UTF-8" in done.stderr


def test_a_reader_that_goes_away_is_no_accident() -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "lengthwise", "run", "dyck1"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout is not None
    process.stdout.close()
    _, errors = process.communicate(b"()\n" * 10_000)
    assert b"Traceback" not in errors


def test_version_and_help() -> None:
    assert lengthwise("--version").stdout == f"lengthwise {__version__}\n"
    for verb in ("run", "show", "check", "library"):
        assert lengthwise(verb, "--help").returncode == 0
    assert "run" in lengthwise("--help").stdout
