"""`Corpus`: bytes to train on and bytes to test on, from files of installed packages, and which files these are.

All files of a package are on one side, as they repeat each other. Packages come in the order of the hashes of their
names, a mixture of all sources that is the same everywhere; the first ones are tested on. Which packages there are
depends on the machine: so a corpus says what it is made of, and a store keeps a copy (`kept_corpus`), by which an
interrupted training goes on even if packages are upgraded meanwhile.
"""

from __future__ import annotations

import gzip
import hashlib
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
import numpy.typing as npt

from lengthwise.errors import LengthwiseError
from lengthwise.runs.settings import Positive, Settings, Share
from lengthwise.runs.text.sources import COMPRESSED, SOURCES, TextFile

Bytes = npt.NDArray[np.uint8]
Ints = npt.NDArray[np.int64]
Side = Literal["training", "validation"]
Source = Literal["python", "debian", "licenses"]

SEPARATOR = b"\0"
"""Stands between two files; a file that has it is no text."""
LEAST = 1024
"""Bytes that a file has at the least."""


class TextError(LengthwiseError):
    """Text that is not there, or a model of text that cannot be had."""


class CorpusSettings(Settings):
    """What is read, and how much of it."""

    sources: tuple[Source, ...] = ("python", "debian", "licenses")
    most: Positive = 10_000_000
    """Bytes in all."""
    most_per_package: Positive = 300_000
    """Bytes of one package, so that none decides alone."""
    validation: Share = 0.1
    """The part of all bytes that is tested on, at the least."""

    @property
    def id(self) -> str:
        """The hash of all this."""
        return hashlib.sha256(self.model_dump_json().encode()).hexdigest()[:16]


@dataclass(frozen=True)
class Origin:
    """A file that is part of a corpus."""

    side: Side
    package: str
    name: str
    size: int
    """Bytes that are used of it."""
    sha256: str
    """Of these bytes."""


@dataclass(frozen=True, eq=False)
class Corpus:
    """The bytes of both sides, with separators between files, and where they come from."""

    training: Bytes
    validation: Bytes
    origins: tuple[Origin, ...]
    """In the order of their bytes, those of validation first."""

    @cached_property
    def digest(self) -> str:
        """The SHA-256 of all bytes."""
        found = hashlib.sha256(str(len(self.training)).encode())
        for side in (self.training, self.validation):
            found.update(side.tobytes())
        return found.hexdigest()

    @cached_property
    def files(self) -> Ints:
        """Where the files of the validation side begin and end, (files, 2)."""
        sizes = np.array([each.size for each in self.origins if each.side == "validation"], dtype=np.int64)
        begins = np.concatenate([[0], (sizes + len(SEPARATOR)).cumsum()[:-1]])
        return np.stack([begins, begins + sizes], axis=1)

    def as_json(self) -> dict[str, object]:
        """What it is made of, in short: bytes and packages of both sides."""
        sides: dict[str, object] = {}
        for side in ("training", "validation"):
            chosen = [each for each in self.origins if each.side == side]
            packages = sorted({each.package for each in chosen})
            size = sum(each.size for each in chosen)
            sides[side] = {"bytes": size, "files": len(chosen), "packages": packages}
        return {"sha256": self.digest, **sides}


def collect(settings: CorpusSettings) -> Corpus:
    """The corpus that the files of this machine make."""
    packages: dict[str, list[TextFile]] = {}
    for source in dict.fromkeys(settings.sources):
        for file in SOURCES[source]():
            packages.setdefault(file.package, []).append(file)
    taken = list(_taken(packages, settings))
    total = sum(len(content) for _, files in taken for _, content in files)
    sides: dict[Side, list[tuple[TextFile, bytes]]] = {"validation": [], "training": []}
    tested = 0
    for _, files in taken:
        side: Side = "validation" if tested < settings.validation * total else "training"
        sides[side] += files
        tested += sum(len(content) for _, content in files)
    if not all(sides.values()):
        raise TextError(
            f"text from two packages or more is needed, and {', '.join(settings.sources)} has {len(taken)} here; "
            "see lengthwise.runs.text.sources for where it is looked for"
        )
    return Corpus(
        _joined(content for _, content in sides["training"]),
        _joined(content for _, content in sides["validation"]),
        tuple(
            Origin(side, file.package, file.name, len(content), hashlib.sha256(content).hexdigest())
            for side, files in sides.items()
            for file, content in files
        ),
    )


def _taken(
    packages: dict[str, list[TextFile]], settings: CorpusSettings
) -> Iterator[tuple[str, list[tuple[TextFile, bytes]]]]:
    """Packages with what is used of their files, until there is enough; equal files once."""
    left, seen = settings.most, set[str]()
    for package in sorted(packages, key=lambda name: hashlib.sha256(name.encode()).digest()):
        room, used = min(left, settings.most_per_package), []
        for file in sorted(packages[package], key=lambda each: each.name):
            if room < LEAST:
                break
            content = readable(file)
            if content is None or (digest := hashlib.sha256(content).hexdigest()) in seen:
                continue
            seen.add(digest)
            used.append((file, content[:room]))
            room -= len(used[-1][1])
        if used:
            left -= sum(len(content) for _, content in used)
            yield package, used
        if left < LEAST:
            return


def readable(file: TextFile) -> bytes | None:
    """The content of a file, decompressed; None if it is short, cannot be read or is no text."""
    try:
        content = file.path.read_bytes()
        if file.path.name.endswith(COMPRESSED):
            content = gzip.decompress(content)
        content.decode("utf-8")
    except (OSError, EOFError, UnicodeDecodeError, zlib.error):
        return None
    return None if len(content) < LEAST or SEPARATOR in content else content


def _joined(contents: Iterable[bytes]) -> Bytes:
    return np.frombuffer(SEPARATOR.join(contents), dtype=np.uint8)
