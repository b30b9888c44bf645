"""The command line, run in this process (quick) or in one of its own (as it really is)."""

import io
import subprocess
import sys
from contextlib import chdir, nullcontext, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from unittest.mock import patch

from lengthwise.cli import main


@dataclass(frozen=True)
class Done:
    """What a command left behind."""

    stdout: str
    stderr: str
    returncode: int


def lengthwise(*arguments: str, stdin: str | bytes = "", cwd: Path | None = None) -> Done:
    """Run a command in this process."""
    given = io.TextIOWrapper(io.BytesIO(stdin.encode() if isinstance(stdin, str) else stdin), encoding="utf-8")
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True) for _ in range(2))
    code = 0
    with (
        patch.object(sys, "argv", ["lengthwise", *arguments]),
        patch.object(sys, "stdin", given),
        redirect_stdout(out),
        redirect_stderr(err),
        chdir(cwd) if cwd is not None else nullcontext(),
    ):
        try:
            main()
        except SystemExit as leaving:
            code = leaving.code if isinstance(leaving.code, int) else 0
    shown = [stream.buffer.getvalue().decode() for stream in (out, err)]
    return Done(shown[0], shown[1], code)


def in_own_process(*arguments: str, stdin: str = "") -> Done:
    """Run a command as a person does."""
    command = [sys.executable, "-m", "lengthwise", *arguments]
    done = subprocess.run(command, input=stdin, capture_output=True, text=True, check=False)
    return Done(done.stdout, done.stderr, done.returncode)
