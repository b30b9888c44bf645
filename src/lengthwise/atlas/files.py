"""An atlas on disk: columns as raw arrays that are memory-mapped, with a manifest and digests."""

from __future__ import annotations

import hashlib
import json
import mmap
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from lengthwise.errors import LengthwiseError
from lengthwise.output import require_writable, write_bytes

if TYPE_CHECKING:
    from lengthwise.atlas.building import Functions

VERSION = 1
MOST_ROW_BYTES = 256 << 20
"""Answers beyond these are not written: they are made again from their parts."""


class AtlasFileError(LengthwiseError):
    """A directory holds no atlas, or a damaged one."""


def identity(functions: Functions) -> dict[str, Any]:
    """What an atlas is about: grammar, words and hash keys."""
    return {
        "version": VERSION,
        "grammar": functions.grammar.as_json(),
        "words": functions.words.digest,
        "seed": functions.seed,
    }


def name_of(functions: Functions) -> str:
    """The directory that an atlas is kept under; different for each grammar and set of words."""
    text = json.dumps(identity(functions), sort_keys=True)
    return f"atlas-{hashlib.sha256(text.encode()).hexdigest()[:16]}"


def digest_of(functions: Functions) -> str:
    """The SHA-256 of what an atlas is about and of every function in it."""
    found = hashlib.sha256(json.dumps(identity(functions), sort_keys=True).encode())
    for name in ("codes", "numbers", "lefts", "rights"):
        found.update(np.ascontiguousarray(functions.columns[name][: functions.count]).tobytes())
    return found.hexdigest()


def save(functions: Functions, directory: Path) -> None:
    """Write an atlas; a manifest at the end makes it complete."""
    from lengthwise.atlas.building import COLUMNS

    place = directory / name_of(functions)
    require_writable(place / "manifest.json", parents=True)
    place.mkdir(parents=True, exist_ok=True)
    kept = min(functions.stored, MOST_ROW_BYTES // (8 * functions.words.width))
    arrays = {name: functions.columns[name][: functions.count] for name in COLUMNS}
    arrays["rows"] = functions.rows[:kept]
    digests = {}
    for name, array in arrays.items():
        data = np.ascontiguousarray(array).tobytes()
        digests[name] = hashlib.sha256(data).hexdigest()
        # A name of its own: what an older manifest tells of is never overwritten.
        write_bytes(place / f"{name}-{digests[name][:16]}.bin", data)
    manifest = {**identity(functions), "starts": functions.starts, "stored": kept, "digests": digests}
    write_bytes(place / "manifest.json", (json.dumps(manifest, indent=2) + "\n").encode())
    current = {f"{name}-{digest[:16]}.bin" for name, digest in digests.items()}
    for old in place.glob("*-*.bin"):
        if old.name not in current:
            old.unlink(missing_ok=True)


def load(functions: Functions, directory: Path) -> bool:
    """Take over what a directory holds of this atlas; whether there was anything.

    Raises:
        AtlasFileError: A file is damaged or missing.

    """
    from lengthwise.atlas.building import COLUMNS

    place = directory / name_of(functions)
    path = place / "manifest.json"
    if not path.exists():
        return False
    try:
        manifest = json.loads(path.read_bytes())
        starts, stored, digests = list(manifest["starts"]), int(manifest["stored"]), dict(manifest["digests"])
        if any(manifest[name] != value for name, value in identity(functions).items()):
            raise ValueError("it is about another grammar or other words")
        arrays = {
            name: mapped(place / f"{name}-{digests[name][:16]}.bin", digests[name], kind)
            for name, kind in [*COLUMNS.items(), ("rows", np.uint64)]
        }
        rows = arrays.pop("rows").reshape(stored, functions.words.width)
        if any(len(array) != starts[-1] for array in arrays.values()):
            raise ValueError("its files have different lengths")
    except (OSError, ValueError, KeyError, TypeError) as problem:
        raise AtlasFileError(
            f"the atlas in {place} is damaged ({problem}); delete this directory to build it again"
        ) from None
    functions.take_over(arrays, rows, starts)
    return True


def mapped(path: Path, digest: str, kind: Any) -> npt.NDArray[Any]:
    """A file as an array that is read when it is needed."""
    with path.open("rb") as file:
        if path.stat().st_size == 0:
            return np.zeros(0, kind)
        content = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    if hashlib.sha256(content).hexdigest() != digest:
        raise ValueError(f"{path.name} is not what was written")
    return np.frombuffer(content, kind)
