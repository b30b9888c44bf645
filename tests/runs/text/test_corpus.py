from __future__ import annotations

import hashlib
import os
from pathlib import Path

import numpy as np
import pytest

from lengthwise.runs.text import CorpusSettings, TextError, collect, kept_corpus, validation_windows
from lengthwise.runs.text import corpus as corpus_module
from lengthwise.runs.text.corpus import Corpus, TextFile, data_directories, python_library, readable


def content(root: Path, package: str, name: str) -> bytes:
    source, _, rest = package.partition("/")
    path = root / "share" / "doc" / rest / name if source == "doc" else root / "library" / name
    found = readable(TextFile(package, name, path))
    assert found is not None
    return found


def test_a_corpus_is_its_files_one_after_the_other_and_says_which(packages: Path) -> None:
    corpus = collect(CorpusSettings(validation=0.3))
    assert {each.package for each in corpus.origins} == {
        *(f"doc/package-{number}" for number in range(12)),
        "python/module",
        "python/single",
    }
    for side in ("training", "validation"):
        chosen = [each for each in corpus.origins if each.side == side]
        texts = [content(packages, each.package, each.name) for each in chosen]
        assert getattr(corpus, side).tobytes() == b"\0".join(texts)
        assert [each.sha256 for each in chosen] == [hashlib.sha256(text).hexdigest() for text in texts]
        assert [each.size for each in chosen] == list(map(len, texts))
    names = {each.name for each in corpus.origins}
    assert names == {"README", "guide.txt.gz", "module/inside.py", "single.py"}


def test_all_files_of_a_package_are_on_one_side(packages: Path) -> None:
    corpus = collect(CorpusSettings(validation=0.3))
    sides = {
        each.package: {other.side for other in corpus.origins if other.package == each.package}
        for each in corpus.origins
    }
    assert all(len(found) == 1 for found in sides.values())
    tested = sum(each.size for each in corpus.origins if each.side == "validation")
    total = sum(each.size for each in corpus.origins)
    assert 0.3 * total <= tested <= 0.3 * total + 5000


def test_it_ends_at_its_size_and_no_package_has_more_than_its_share(packages: Path) -> None:
    corpus = collect(CorpusSettings(most=14_000, most_per_package=3000))
    sizes: dict[str, int] = {}
    for each in corpus.origins:
        sizes[each.package] = sizes.get(each.package, 0) + each.size
    assert max(sizes.values()) <= 3000
    assert 14_000 - 1024 < sum(sizes.values()) <= 14_000


def test_equal_files_are_read_once(packages: Path) -> None:
    same = packages / "share" / "doc" / "package-3" / "README"
    (packages / "share" / "doc" / "package-4" / "README").write_bytes(same.read_bytes())
    digests = [each.sha256 for each in collect(CorpusSettings()).origins]
    assert len(digests) == len(set(digests)) == 25


@pytest.mark.parametrize("bad", [b"short", b"x" * 2000 + b"\0", b"\xff" * 2000])
def test_what_is_short_or_no_text_is_not_read(bad: bytes, tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(bad)
    assert readable(TextFile("p", "file", tmp_path / "file")) is None
    (tmp_path / "damaged.gz").write_bytes(b"\x1f\x8b" + bad)
    assert readable(TextFile("p", "damaged.gz", tmp_path / "damaged.gz")) is None


def test_the_copy_in_a_store_stays_when_packages_change(packages: Path, tmp_path: Path) -> None:
    settings = CorpusSettings(validation=0.3)
    before = kept_corpus(tmp_path / "store", settings)
    for path in (packages / "share" / "doc").glob("*/README"):
        path.write_bytes(b"upgraded " * 300)
    after = kept_corpus(tmp_path / "store", settings)
    assert after.digest == before.digest
    assert after.origins == before.origins
    assert collect(settings).digest != before.digest
    next((tmp_path / "store").glob("*/training.bin")).write_bytes(b"something else")
    with pytest.raises(TextError, match="has changed"):
        kept_corpus(tmp_path / "store", settings)


def test_a_machine_without_text_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(corpus_module, "data_directories", list)
    with pytest.raises(TextError, match="two packages or more"):
        collect(CorpusSettings(sources=("debian", "licenses")))


def test_data_directories_are_those_that_the_system_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "there").mkdir()
    monkeypatch.setenv("XDG_DATA_DIRS", os.pathsep.join([str(tmp_path / "there"), str(tmp_path / "not there")]))
    assert data_directories()[0] == tmp_path / "there"
    assert tmp_path / "not there" not in data_directories()


def test_the_library_of_this_python_is_found_without_its_tests() -> None:
    found = {file.name: file.package for file in python_library()}
    assert found["asyncio/tasks.py"] == "python/asyncio"
    assert found["textwrap.py"] == "python/textwrap"
    assert not any(name.startswith(("test/", "site-packages/")) for name in found)


def test_validation_windows_lie_within_one_file_and_reach_both_its_ends(packages: Path) -> None:
    corpus = collect(CorpusSettings(validation=0.3))
    shorter = Corpus(corpus.training, corpus.validation, corpus.origins)
    drawn = validation_windows(shorter, 2400, 3000, np.random.default_rng(0))
    assert not (drawn.tokens == 0).any()
    texts = [content(packages, each.package, each.name) for each in corpus.origins if each.side == "validation"]
    seen: dict[int, set[int]] = {}
    for tokens, file in zip(drawn.tokens, drawn.files.tolist(), strict=True):
        seen.setdefault(file, set()).add(texts[file].find(bytes(tokens.tolist())))
    assert {file for file, text in enumerate(texts) if len(text) >= 2400} == set(seen)
    assert all(min(places) == 0 and max(places) == len(texts[file]) - 2400 for file, places in seen.items())
    with pytest.raises(TextError, match="larger corpus"):
        validation_windows(corpus, 5000, 1, np.random.default_rng(0))
