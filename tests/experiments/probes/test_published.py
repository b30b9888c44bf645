import math
from pathlib import Path

import pytest

from lengthwise.errors import LengthwiseError
from lengthwise.experiments.catalogue import catalogue, find
from lengthwise.experiments.probes import Curve, Curves, Online, ProbeFigure, summarise, summarise_online
from lengthwise.runs.resampling import Resampling
from tests.experiments.probes.pretended import shares, synthetic


def test_the_papers_figure_has_the_papers_grid() -> None:
    cells = find("edelman-fig2").figure.cells("paper")
    contexts = [*range(100, 401, 50), 500, 600, 700, 800]
    assert sorted({cell.context for cell in cells}) == contexts
    assert sorted({cell.samples for cell in cells}) == list(range(50, 201, 10))
    assert len({cell.id for cell in cells}) == len(contexts) * 16
    (kind,) = {(cell.function, cell.trials, cell.steps, cell.holdout, cell.accuracy) for cell in cells}
    assert kind == ("and-3", 50, 1000, 10_000, 0.99)
    model = cells[0].model
    assert (model.width, model.heads, model.rate, model.betas) == (64, 16, 1e-3, (0.9, 0.999))


def test_the_papers_parities_have_the_papers_settings() -> None:
    cells = find("edelman-fig3").figure.online("paper")
    assert [cell.context for cell in cells] == [10, 15, 20]
    assert {(cell.function, cell.trials, cell.batch, cell.steps) for cell in cells} == {("parity-3", 10, 2048, 10_000)}


@pytest.mark.parametrize("name", ["edelman-fig2", "edelman-fig3"])
def test_every_preset_has_cells_of_its_own(name: str) -> None:
    figure = find(name).figure
    assert list(figure.presets) == ["smoke", "quick", "paper"]
    for preset in figure.presets:
        assert figure.cells(preset) if figure.kind == "samples" else figure.online(preset)


def test_figures_of_probes_are_no_figures_of_runs() -> None:
    assert not set(catalogue("probes")) & set(catalogue("sweep"))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("title = 3", "title"),
        ("title =", "not TOML"),
        ('title = "x"\nkind = "samples"\nwhat = 1\n[presets.a]', "what"),
        ('title = "x"\nkind = "samples"\n[presets.a]\nsamples = {9 = [1]}\nsettings = {wide = 1}', "wide"),
        ('title = "x"\nkind = "online"\n[presets.a]\ncontexts = [9]', "kind"),
    ],
)
def test_a_mistake_in_a_file_is_one_sentence_that_names_it(tmp_path: Path, text: str, told: str) -> None:
    path = tmp_path / "figure.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(LengthwiseError, match=told):
        ProbeFigure.from_file(path).cells("a")


def test_a_preset_that_is_not_there_gets_the_nearest() -> None:
    with pytest.raises(LengthwiseError, match="quick"):
        find("edelman-fig2").figure.cells("quik")


def test_a_summary_has_the_verdict_and_the_line_of_each_context() -> None:
    results = synthetic(lambda t: 30 * math.log(t), [50, 100, 200, 400], 0)
    found = summarise(results, Resampling(times=300))
    data = found.as_json()
    assert data["verdict"] == "reproduced"
    assert [row["context"] for row in data["information"]] == [50, 100, 200, 400]
    assert all(
        row["fewest_samples"] < size["size"]
        for row, size in zip(data["information"], data["critical"]["smallest"], strict=True)
    )
    assert any("reproduced" in line for line in found.lines())


def test_sizes_that_are_not_known_are_null_and_told() -> None:
    data = summarise(shares(50, {10: 0.0, 20: 0.1}), Resampling(times=50)).as_json()
    assert data["critical"]["smallest"][0]["size"] is None
    assert data["critical"]["smallest"][0]["text"] == "> 20"
    assert data["verdict"] == "undecided"


def test_nothing_that_is_not_known_is_printed_as_nan() -> None:
    """A figure that found nothing out: no critical size, and no trial that learned."""
    samples = summarise(shares(50, {10: 0.0, 20: 0.1}), Resampling(times=50))
    curves = Curves(Online(context=5, trials=1), (Curve(0, (1, 2, 3), 10, (0.7, 0.69, 0.69)),))
    for found in (samples, summarise_online([curves])):
        assert not [line for line in found.lines() if "nan" in line]


def test_a_table_of_critical_sizes_has_its_columns_below_their_names() -> None:
    found = summarise(synthetic(lambda t: 30 * math.log(t), [50, 100, 200, 400], 0), Resampling(times=50))
    lines = list(found.lines())
    start = next(number for number, line in enumerate(lines) if "crossing of 1/2" in line and "critical" in line)
    for name in ("critical m", "crossing of", "no learner"):
        column = lines[start].index(name)
        for line in lines[start + 1 : start + 5]:
            assert line[column - 1] == " " != line[column]


def test_a_summary_of_curves_guesses_by_the_entropy_of_the_label() -> None:
    """An AND of three is 1 in an eighth of the cases: its constant guess has a loss of 0.377, not log 2."""
    cell = Online(context=5, function="and-3", trials=1)
    curves = Curves(cell, (Curve(0, (1, 2, 3), 10, (0.7, 0.377, 0.376, 0.2, 0.01)),))
    found = summarise_online([curves])
    assert found.transitions[0].each[0].last_guess == 20
    assert found.as_json()["transitions"][0]["median"] == 40
    assert "never" not in "".join(found.lines())
