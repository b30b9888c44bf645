"""What a run is computed with: versions, processor and, in a checkout of lengthwise, the commit. No paths."""

from __future__ import annotations

import json
import os
import platform
import subprocess
from collections.abc import Iterable, Mapping
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


def different_environments(found: Iterable[Mapping[str, Any] | None]) -> list[dict[str, Any]]:
    """Lists the different environments that results were computed in, each with the number of its results.

    This is what a file drawn from kept results says of its origin: the environments of the runs, never that of the
    process that draws.

    Args:
        found: The environment of each result, or None where it was not kept.

    Returns:
        One record for each environment, with the number of its results as `cells`, the same whatever their order; of
        results whose environment was not kept there is the number only.

    Example:
        >>> different_environments([{"machine": "x86_64"}, None, {"machine": "x86_64"}])
        [{'cells': 1}, {'cells': 2, 'machine': 'x86_64'}]

    """
    number: dict[str, int] = {}
    for each in found:
        text = json.dumps(each, sort_keys=True)
        number[text] = number.get(text, 0) + 1
    return [{"cells": count, **(json.loads(text) or {})} for text, count in sorted(number.items())]


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
