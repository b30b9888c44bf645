"""A corpus in a directory of a store: collected once, and then always the same bytes.

| file | what it holds |
|---|---|
| `training.bin`, `validation.bin` | the bytes |
| `corpus.json` | written last: which files they are from, and the digest of both |
"""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import numpy as np

from lengthwise.runs.store.disk import write, writing
from lengthwise.runs.store.sealed import read_sealed, write_sealed
from lengthwise.runs.text.corpus import Corpus, CorpusSettings, Origin, TextError, collect

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
