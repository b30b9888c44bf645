"""`Corpus`: bytes to train on and bytes to test on, from files of installed packages, and which files these are.

All files of a package are on one side, as they repeat each other. Packages come in the order of the hashes of their
names, a mixture of all sources that is the same everywhere; the first ones are tested on. Which packages there are
depends on the machine: so a corpus says what it is made of, and a store keeps a copy (`kept_corpus`), by which an
interrupted training goes on even if packages are upgraded meanwhile.

In a directory of a store, a corpus is collected once, and then always the same bytes:

| file | what it holds |
|---|---|
| `training.bin`, `validation.bin` | the bytes |
| `corpus.json` | written last: which files they are from, and the digest of both |

Text comes from files that come with Python and with Debian packages, found wherever they are installed.

| source | what is read |
|---|---|
| `python` | the standard library's own modules, tests aside |
| `debian` | the documents of packages, `share/doc`: prose and examples, without changelogs and copyright files |
| `licenses` | `share/common-licenses` |

No place is taken for granted: `share` is looked for in the data directories of the system (`XDG_DATA_DIRS`, or its
usual places) and beside Python. A file belongs to a package (a module, a Debian package), and its name says nothing
about where it is on this machine.
"""

from __future__ import annotations

import gzip
import hashlib
import os
import sys
import sysconfig
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Literal

import numpy as np
import numpy.typing as npt

from lengthwise.errors import LengthwiseError
from lengthwise.runs.settings import Positive, Settings, Share
from lengthwise.runs.store.disk import write, writing
from lengthwise.runs.store.sealed import read_sealed, write_sealed

LIBRARY_SUFFIXES = (".py", ".rst", ".txt")
DOCUMENT_SUFFIXES = ("", ".htm", ".html", ".md", ".pod", ".rst", ".tex", ".texi", ".txt")
COMPRESSED = ".gz"
LEFT_OUT = ("test", "tests", "idle_test", "__pycache__", "site-packages", "dist-packages", "lib-dynload")
"""Directories of the library that are tests, or not its own."""
REPEATED = ("changelog", "copyright", "news")
"""How the names of documents begin that repeat each other."""
USUAL = ("/usr/local/share", "/usr/share")


@dataclass(frozen=True)
class TextFile:
    """A file of a package."""

    package: str
    """Such as `python/asyncio` or `doc/bash`."""
    name: str
    """Within the package."""
    path: Path


def data_directories() -> list[Path]:
    """The `share` directories there are."""
    listed = [part for part in os.environ.get("XDG_DATA_DIRS", "").split(os.pathsep) if part]
    candidates = [*(listed or USUAL), *USUAL, os.path.join(sys.base_prefix, "share")]
    return [path for path in dict.fromkeys(map(Path, candidates)) if path.is_dir()]


def library_directory() -> Path:
    """Where the standard library is."""
    return Path(sysconfig.get_path("stdlib"))


def python_library() -> Iterator[TextFile]:
    """The modules of the standard library; a directory of modules is one package."""
    root = library_directory()
    for path in _files(root, LEFT_OUT):
        if path.suffix in LIBRARY_SUFFIXES:
            name = path.relative_to(root)
            yield TextFile(f"python/{name.parts[0].removesuffix('.py')}", name.as_posix(), path)


def debian_documents() -> Iterator[TextFile]:
    """The documents of every package."""
    for share in data_directories():
        for path in _files(share / "doc"):
            plain = Path(path.name.removesuffix(COMPRESSED))
            wanted = plain.suffix.lower() in DOCUMENT_SUFFIXES and not plain.name.lower().startswith(REPEATED)
            name = path.relative_to(share / "doc")
            if wanted and len(name.parts) > 1:
                yield TextFile(f"doc/{name.parts[0]}", Path(*name.parts[1:]).as_posix(), path)


def common_licenses() -> Iterator[TextFile]:
    """The licences that packages refer to."""
    for share in data_directories():
        for path in _files(share / "common-licenses"):
            yield TextFile("common-licenses", path.name, path)


SOURCES: Mapping[str, Callable[[], Iterator[TextFile]]] = {
    "python": python_library,
    "debian": debian_documents,
    "licenses": common_licenses,
}
"""All sources by name."""


def _files(root: Path, left_out: tuple[str, ...] = ()) -> Iterator[Path]:
    """The files below a directory in the order of their names, links aside; none if it is not there."""
    for directory, within, files in os.walk(root):
        within[:] = sorted(name for name in within if name not in left_out)
        for name in sorted(files):
            path = Path(directory, name)
            if path.is_file() and not path.is_symlink():
                yield path


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
            "see lengthwise.runs.text.corpus for where it is looked for"
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


FACTS = "corpus.json"
SIDES = ("training", "validation")


def corpus_directory(store: Path, settings: CorpusSettings) -> Path:
    """Where a corpus is, or will be."""
    return store / f"corpus-{settings.id}"


def kept_corpus(store: Path, settings: CorpusSettings) -> Corpus:
    """The corpus of these settings: the copy in the store, or a new one that is kept there."""
    directory = corpus_directory(store, settings)
    if not (directory / FACTS).exists():
        corpus = collect(settings)
        with writing(f"the corpus {directory}"):
            directory.mkdir(parents=True, exist_ok=True)
            for side in SIDES:
                write(directory / f"{side}.bin", getattr(corpus, side).tobytes())
            origins = [asdict(each) for each in corpus.origins]
            write_sealed(directory / FACTS, {"sha256": corpus.digest, "files": origins})
    return load_corpus(directory)


def load_corpus(directory: Path) -> Corpus:
    """The corpus in a directory, after a look at its bytes."""
    try:
        facts = read_sealed(directory / FACTS)
        sides = [np.frombuffer((directory / f"{side}.bin").read_bytes(), dtype=np.uint8) for side in SIDES]
        corpus = Corpus(sides[0], sides[1], tuple(Origin(**each) for each in facts["files"]))
        same = corpus.digest == facts["sha256"]
    except (OSError, ValueError, KeyError, TypeError):
        raise TextError(f"the corpus {directory} cannot be read; delete it, and it is collected again") from None
    if not same:
        raise TextError(f"the corpus {directory} has changed; delete it, and it is collected again")
    return corpus
