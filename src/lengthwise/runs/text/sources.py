"""Where text comes from: files that come with Python and with Debian packages, found wherever they are installed.

| source | what is read | |---|---| | `python` | the standard library's own modules, tests aside | | `debian` | the
documents of packages, `share/doc`: prose and examples, without the changelogs and copyright files, which repeat each
other | | `licenses` | `share/common-licenses` |

No place is taken for granted: `share` is looked for in the data directories of the system (`XDG_DATA_DIRS`, or its
usual places) and beside Python. A file belongs to a package (a module, a Debian package), and its name says nothing
about where it is on this machine.
"""

from __future__ import annotations

import os
import sys
import sysconfig
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

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
