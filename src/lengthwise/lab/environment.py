"""What a run is computed with: versions, processor and, in a checkout of lengthwise, the commit. No paths."""

from __future__ import annotations

import os
import platform
import subprocess
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

PACKAGES = ("numpy", "torch", "pydantic", "safetensors", "loky", "ray")


@cache
def environment() -> dict[str, Any]:
    """The facts of this process's surroundings, as plain data."""
    import lengthwise

    return {
        "lengthwise": lengthwise.__version__,
        "commit": _commit(Path(lengthwise.__file__)),
        "python": platform.python_version(),
        "packages": {name: found for name in PACKAGES if (found := _version(name)) is not None},
        "system": platform.system(),
        "machine": platform.machine(),
        "processor": _processor(),
        "cores": os.cpu_count(),
    }


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _commit(file: Path) -> str | None:
    """The commit that a file of lengthwise is from, with `-dirty` if its checkout was changed since."""
    # An installed lengthwise may lie in a virtual environment inside somebody else's checkout, untracked.
    if (
        _git(file, "ls-files", "--error-unmatch", file.name) is None
        or (head := _git(file, "rev-parse", "HEAD")) is None
    ):
        return None
    changed = _git(file, "status", "--porcelain", "--untracked-files=no", ".")
    return f"{head}-dirty" if changed else head


def _git(file: Path, *arguments: str) -> str | None:
    """What git says in the directory of a file; None where it has nothing to say."""
    try:
        done = subprocess.run(  # noqa: S603 - fixed arguments
            ["git", *arguments],  # noqa: S607 - wherever the user's git is
            cwd=file.parent,
            capture_output=True,
            text=True,
            check=True,
            timeout=10,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip()


def _processor() -> str:
    """The name of the processor."""
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()
