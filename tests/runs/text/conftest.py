"""A made-up place with packages, and one thread: bits are promised for one thread."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from lengthwise.runs.text import CorpusSettings, TextCell
from lengthwise.runs.text import corpus as corpus_module

torch.set_num_threads(1)

WORDS = ("the", "a", "tree", "of", "length", "reads", "its", "words", "and", "counts", "them", "again", "because")


def prose(seed: int, size: int) -> bytes:
    drawn = np.random.default_rng(seed).choice(WORDS, size=size // 3)
    return " ".join(drawn.tolist()).encode()[:size]


@pytest.fixture
def packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Twelve Debian packages and two modules."""
    share, library = tmp_path / "share", tmp_path / "library"
    for number in range(12):
        directory = share / "doc" / f"package-{number}"
        directory.mkdir(parents=True)
        (directory / "README").write_bytes(prose(number, 2500))
        (directory / "guide.txt.gz").write_bytes(gzip.compress(prose(100 + number, 2000), mtime=0))
        (directory / "copyright").write_bytes(prose(7, 3000))
        (directory / "changelog.gz").write_bytes(gzip.compress(prose(8, 3000), mtime=0))
    (library / "module" / "tests").mkdir(parents=True)
    (library / "module" / "inside.py").write_bytes(prose(50, 2200))
    (library / "module" / "tests" / "checks.py").write_bytes(prose(51, 2200))
    (library / "single.py").write_bytes(prose(52, 2200))
    monkeypatch.setattr(corpus_module, "data_directories", lambda: [share])
    monkeypatch.setattr(corpus_module, "library_directory", lambda: library)
    return tmp_path


def small_cell(**changes: Any) -> TextCell:
    settings: dict[str, Any] = {
        "context": 8, "longest": 16, "pose_steps": 3, "steps": 8, "warm_up": 2, "batch": 4, "rate": 1e-2,
        "model": {"width": 8, "layers": 2, "heads": 2, "hidden": 12},
        "corpus": CorpusSettings(most=60_000, validation=0.3), **changes,
    }  # fmt: skip
    return TextCell(**settings)
