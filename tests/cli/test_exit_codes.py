"""What commands return, measured from outside: each is a process of its own, with the streams it is given."""

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from lengthwise.cli import exit as exits
from lengthwise.cli.exit import ExitCode, ended
from lengthwise.errors import LengthwiseError
from tests.e2e.command import lengthwise

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "exit-codes.md"
FULL = pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")


def shell(command: str, **environment: str) -> tuple[int, str, str]:
    """The code, standard output and standard error of a line of bash in which $L is the command line."""
    surroundings = {**os.environ, "L": f"{sys.executable} -m lengthwise", **environment}
    done = subprocess.run(
        ["bash", "-c", f"set -o pipefail; {command}"], capture_output=True, env=surroundings, check=False, timeout=120
    )
    return done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace")


@FULL
@pytest.mark.parametrize("command", ["verify 'a*' 'a*'", "run dyck1 '()' --json", "run dyck1 '()' --trace html"])
def test_a_full_standard_output_is_no_answer(command: str) -> None:
    code, _, said = shell(f"$L {command} > /dev/full")
    sentence = "cannot write to standard output: no space left on device\n"
    assert (code, said.count(sentence)) == (2, 1)
    assert said.endswith(sentence)


@FULL
def test_help_on_a_full_standard_output_is_no_answer_either() -> None:
    code, _, said = shell("$L verify --help > /dev/full")
    assert (code, said) == (2, "cannot write: no space left on device\n")


@pytest.mark.parametrize("command", ["verify 'a*' 'a*'", "--help", "library --json", "run dyck1 '()' --trace html"])
def test_a_pipe_that_nobody_reads_ends_quietly(command: str) -> None:
    assert shell(f"{{ $L {command}; }} 2> >(grep -v '^library' >&2) | exec 0<&-")[::2] == (141, "")


@pytest.mark.parametrize(
    ("streams", "said"),
    [
        ("<&-", "standard input is closed, and there is nothing else to read; name what is to be read\n"),
        ("'()' >&-", "cannot write to standard output: it is closed\n"),
        ("'()' >&- 2>&-", ""),
    ],
)
def test_closed_streams_get_one_sentence(streams: str, said: str) -> None:
    assert shell(f"$L run dyck1 {streams}") == (2, "", said)


def test_a_closed_standard_error_does_not_get_into_files(tmp_path: Path) -> None:
    code, _, _ = shell(f"cd {tmp_path}; $L compile contains-ab -o m.safetensors --context 10 2>&-")
    assert code == 0
    assert shell(f"cd {tmp_path}; $L eval m.safetensors ab")[0] == 0


@pytest.mark.parametrize(
    ("encoding", "shown"), [("cp1252", b"C-RASP[empty]"), ("latin-1", b"C-RASP[empty]"), ("ascii", b"C-RASP[empty]"),
                            ("utf-8", "C-RASP[∅]".encode())],
)  # fmt: skip
def test_encodings_without_our_signs_spell_them(encoding: str, shown: bytes) -> None:
    command = [sys.executable, "-m", "lengthwise", "decide", "a*"]
    done = subprocess.run(
        command, capture_output=True, env={**os.environ, "PYTHONIOENCODING": encoding, "PYTHONUTF8": "0"}, check=False
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert shown in done.stdout


def test_json_means_the_same_in_every_encoding() -> None:
    shown = [shell("$L show '[äλ∅]*' --json", PYTHONIOENCODING=each)[1] for each in ("utf-8", "ascii")]
    assert json.loads(shown[0]) == json.loads(shown[1])
    assert shown[1].isascii()
    assert not shown[0].isascii()


def test_a_terminal_is_told_nothing_by_symbols() -> None:
    attack = "a\x1b[2J\u202eb\x9b\u2066"
    for arguments in (["show", f"({attack})*"], ["run", f"[{attack}]*", attack], ["decide", attack], [attack]):
        done = lengthwise(*arguments)
        assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", done.stdout + done.stderr)
    assert "\\u001b" in lengthwise("show", "regex:(a\x1b)*").stdout


def test_the_json_of_such_symbols_has_them_unchanged() -> None:
    done = lengthwise("show", "regex:(\x1b\u202e)*", "--json")
    assert "\u202e" not in done.stdout
    assert json.loads(done.stdout)["alphabet"] == ["\x1b", "\u202e"]


def test_interruption_has_its_code() -> None:
    command = [sys.executable, "-m", "lengthwise", "run", "dyck1"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()  # says how the subject was read, and waits for words
        process.send_signal(signal.SIGINT)
        assert (process.wait(60), process.stderr.read() if process.stderr else b"") == (130, b"")


def failing(problem: BaseException) -> int:
    def act() -> int:
        raise problem

    return ended(act)


def test_what_nobody_expected_is_one_sentence(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("LENGTHWISE_DEBUG", raising=False)
    assert failing(KeyError("x\x1b\ny")) == 70
    said = capsys.readouterr().err
    assert (said.count("\n"), "KeyError" in said, "Traceback" in said, "\x1b" in said) == (1, True, False, False)
    monkeypatch.setenv("LENGTHWISE_DEBUG", "1")
    assert failing(RecursionError("deep")) == 70
    assert "Traceback" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("problem", "code"),
    [
        (LengthwiseError("no"), ExitCode.BAD_INPUT),
        (BrokenPipeError(), ExitCode.CLOSED_PIPE),
        (KeyboardInterrupt(), ExitCode.INTERRUPTED),
        (PermissionError(13, "Permission denied", "x"), ExitCode.BAD_INPUT),
        (ModuleNotFoundError("no", name="torch"), ExitCode.BAD_INPUT),
        (ModuleNotFoundError("no", name="lengthwise.nothing"), ExitCode.UNEXPECTED),
        (MemoryError(), ExitCode.UNEXPECTED),
        (AssertionError(), ExitCode.UNEXPECTED),
    ],
)
def test_every_end_has_its_code(problem: BaseException, code: ExitCode) -> None:
    assert failing(problem) == code


def test_the_page_lists_every_code_and_help_names_it() -> None:
    rows = {int(found) for found in re.findall(r"^\| (\d+) \|", PAGE.read_text(encoding="utf-8"), re.MULTILINE)}
    assert rows == {code.value for code in ExitCode}
    shown = " ".join(lengthwise("--help").stdout.split())
    assert all(re.search(rf"\b{code.value} ", shown.partition("Exit codes:")[2]) for code in ExitCode)


def test_no_verb_has_codes_of_its_own() -> None:
    folder = Path(exits.__file__).parent
    for path in folder.glob("*.py"):
        text = path.read_text(encoding="utf-8")
        assert not re.findall(r"Exit\((?!ExitCode\.|code\b)[^)]", text.replace("typer.Exit(ExitCode", "")), path.name
        assert path.name in ("__init__.py", "exit.py") or "sys.exit" not in text
        assert path.name == "printing.py" or not re.findall(r"(?m)typer\.echo|^ *print\(", text), path.name
