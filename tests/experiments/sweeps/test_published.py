import tomllib
from pathlib import Path
from typing import Any

import pytest

from lengthwise.errors import LengthwiseError
from lengthwise.experiments import catalogue as module
from lengthwise.experiments.catalogue import catalogue, find
from lengthwise.experiments.figure_file import digest

PAPERS = Path(__file__).parents[3] / "papers"
FIGURE = """
title = "Two sweeps that share runs"
[settings]
task = "simple-task"
test_lengths = ["N"]
seeds = 3
[[axes]]
train_length = [4, 8]
[sweeps.one]
[sweeps.other]
[presets.small]
[presets.large.sweeps.other]
settings.seeds = 5
axes = [{train_length = [4, 16]}]
"""


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A catalogue of its own with two papers."""
    for place in ("smith/fig1", "smith/workshop-fig2", "jones-doe/table"):
        path = tmp_path / "papers" / f"{place}.toml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(FIGURE)
    monkeypatch.setattr(module, "papers", lambda: [tmp_path / "papers"])
    return tmp_path / "papers"


def test_the_name_of_a_figure_is_its_paper_and_its_file(own: Path) -> None:
    assert list(catalogue()) == ["jones-doe-table", "smith-fig1", "smith-workshop-fig2"]
    assert find("smith-workshop-fig2").path == own / "smith" / "workshop-fig2.toml"


def test_every_file_of_the_source_tree_is_in_the_catalogue_with_its_title() -> None:
    files = {f"{path.relative_to(PAPERS).parts[0]}-{path.stem}": path for path in PAPERS.rglob("*.toml")}
    found = catalogue()
    assert set(found) == set(files)
    titles = {name: tomllib.loads(path.read_text(encoding="utf-8"))["title"] for name, path in files.items()}
    assert {name: each.figure.title for name, each in found.items()} == titles


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("smith-fg1", "there is no figure 'smith-fg1'; did you mean smith-fig1"),
        ("Smith-Fig1", "did you mean smith-fig1"),
        ("huang-tabel2", "did you mean huang-table2"),
        ("xyz", "there is no figure 'xyz'; there are jones-doe-table, smith-fig1, smith-workshop-fig2, huang-table2"),
    ],
)
@pytest.mark.usefixtures("own")
def test_an_unknown_name_gets_the_nearest_ones(name: str, message: str) -> None:
    with pytest.raises(LengthwiseError) as problem:
        find(name)
    assert message in str(problem.value)


def test_a_file_of_ones_own_is_a_figure_with_the_name_of_the_file(own: Path, tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text(FIGURE.replace("Two sweeps", "My sweeps"))
    mine = find(str(tmp_path / "mine.toml"))
    assert (mine.name, mine.figure.title) == ("mine", "My sweeps that share runs")
    assert find(str(own / "smith" / "fig1.toml")).name == "smith-fig1"


def test_a_file_that_is_not_there_is_refused_with_its_path(tmp_path: Path) -> None:
    with pytest.raises(LengthwiseError, match=r"mine\.toml cannot be read: No such file or directory"):
        _ = find(str(tmp_path / "mine.toml")).figure


def test_what_two_sweeps_share_is_counted_once(own: Path) -> None:
    figure = find(str(own / "smith" / "fig1.toml"))
    small, large = figure.size("small"), figure.size("large")
    assert (small.configs, small.seeds, small.models) == (2, 3, 6)
    # N = 4 has 5 seeds with the 3 of the other sweep among them, N = 8 has 3, N = 16 has 5.
    assert (large.configs, large.seeds, large.models) == (3, 5, 13)


def test_a_preset_that_makes_no_runs_is_refused_with_the_file_and_the_preset(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text(FIGURE.replace("[4, 16]", "[4, 0]"))
    mine: Any = find(str(tmp_path / "mine.toml"))
    assert mine.size("small").configs == 2
    with pytest.raises(LengthwiseError) as problem:
        mine.configs("large")
    assert str(problem.value).startswith(f"{mine.path}: preset 'large': 'train_length' should be greater than")
    with pytest.raises(LengthwiseError, match="mine: there is no preset 'smll'; did you mean small"):
        mine.configs("smll")


def test_the_digest_of_a_file_is_that_of_its_text_whatever_ends_its_lines(tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_bytes(b"title = 'x'\n")
    (tmp_path / "b.toml").write_bytes(b"title = 'x'\r\n")
    digests = [digest(tmp_path / name) for name in ("a.toml", "b.toml")]
    assert digests == ["afcdae3409cd013742998d1461a92b095d70cbf2e535d815893e070ab31b300b"] * 2
