"""The figures of Edelman et al. on the command line: trained, kept, drawn."""

import json
from pathlib import Path

import pytest

from tests.e2e.command import lengthwise


@pytest.mark.parametrize("name", ["edelman-fig2", "edelman-fig3"])
def test_a_figure_of_probes_is_trained_once_and_drawn(name: str, tmp_path: Path) -> None:
    request = ("reproduce", name, "--preset", "smoke", "--engine", "serial", "--format", "svg")
    first = lengthwise(*request, cwd=tmp_path)
    assert first.returncode == 0, first.stderr
    directory = tmp_path / "lengthwise-results" / name / "smoke"
    files = {path.name: path.read_bytes() for path in directory.iterdir()}
    assert set(files) == {"summary.json", "results.csv", "claims.json", "provenance.json", "timings.json", "figure.svg"}
    again = lengthwise(*request, "--no-train", cwd=tmp_path)
    assert again.stdout == first.stdout
    assert {path.name: path.read_bytes() for path in directory.iterdir()} == files
    printed = lengthwise(*request, "--json", cwd=tmp_path)
    data, summary = json.loads(printed.stdout), json.loads(files["summary.json"])
    timings = json.loads(files["timings.json"])
    told = {"timings": timings, "files": data["files"], "remarks": [], "failed": []}
    assert data == {"schema": 1, **summary, **told}


def test_figures_of_probes_are_listed_with_their_sizes() -> None:
    listed = {each["name"]: each for each in json.loads(lengthwise("figures", "--json").stdout)}
    assert listed["edelman-fig2"]["presets"]["paper"] == {"configs": 176, "seeds": 50, "models": 8800}
    assert set(listed["edelman-fig3"]["presets"]) == {"smoke", "quick", "paper"}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("edelman-fig2", "--device", "cuda"), "leave --device out"),
        (("edelman-fig2", "--preset", "tiny"), "there is no preset 'tiny'"),
        (("edelman-fig2", "--preset", "smoke", "--no-train"), "has none of the 4 cells"),
        (("edelman-fig4",), "did you mean edelman-fig"),
    ],
)
def test_what_cannot_be_made_is_refused_in_one_sentence(
    arguments: tuple[str, ...], message: str, tmp_path: Path
) -> None:
    done = lengthwise("reproduce", *arguments, cwd=tmp_path)
    assert done.returncode == 2
    assert message in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
