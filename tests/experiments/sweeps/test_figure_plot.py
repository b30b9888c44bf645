import copy
import math
import re
import statistics
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from lengthwise.drawing.axes import quantile
from lengthwise.drawing.labels import label, power
from lengthwise.drawing.measured import Measured, telling
from lengthwise.drawing.style import COLOURS, colours, pyplot, save
from lengthwise.errors import LengthwiseError
from lengthwise.experiments.sweeps.figure import Figure
from lengthwise.experiments.sweeps.figure_plot import draw
from lengthwise.experiments.sweeps.panel_settings import AttentionPanel, LengthPanel, NeededPanel, PlateauPanel
from lengthwise.experiments.sweeps.panels import (
    certified_length,
    draw_attention,
    draw_needed,
    draw_plateau,
    draw_test_length,
)
from lengthwise.runs.config import RunConfig
from lengthwise.runs.engines.engine import get_engine
from lengthwise.runs.grid import expand
from lengthwise.runs.store.draft import Draft
from lengthwise.runs.store.run_directory import Ending, Result, SeedSummary
from lengthwise.runs.store.store import Store
from lengthwise.runs.sweep import run_sweep

TINY = {"stopping": {"steps": 5}, "optimizer": {"batch": 16}, "evaluation": {"words": 16}}
SIMPLE: dict[str, Any] = {
    "title": "A figure of SimpleTask",
    "settings": {"task": "simple-task", "test_lengths": ["N", "2N", "4N"], "seeds": 2, **TINY},
    "axes": [{"parameters.omega": [2, 4]}, {"train_length": [4, 8]}],
    "presets": {"smoke": {}},
    "plot": {
        "panels": [
            {"kind": "test-length", "title": "ω is 2", "lines": "train_length", "where": {"parameters.omega": 2}},
            {"kind": "plateau", "over": "train_length", "lines": "parameters.omega", "certified": 0.1},
            {"kind": "needed", "over": "parameters.omega", "loss": 1e-9, "certified": 0.1},
        ]
    },
}
MOD_P: dict[str, Any] = {
    "title": "A figure of ModPTask",
    "settings": {
        "task": "mod-p-task",
        "parameters": {"period": 5},
        "model": {"position": "periodic"},
        "test_lengths": ["N"],
        "seeds": 2,
        **TINY,
    },
    "axes": [{"train_length": [5, 8]}],
    "presets": {"smoke": {}},
    "plot": {"panels": [{"kind": "attention", "length": 80}]},
}
Loss = Callable[[RunConfig, int, int], float]


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Store:
    """Really trained, for five steps."""
    store = Store(tmp_path_factory.mktemp("trained"))
    configs = [config for figure in (SIMPLE, MOD_P) for config in Figure(**figure).configs("smoke")[""]]
    assert not run_sweep(configs, store, get_engine("serial")).failed
    return store


@pytest.fixture
def axes() -> Iterator[Any]:
    plt = pyplot()
    canvas, axes = plt.subplots()
    yield axes
    plt.close(canvas)


def changed(figure: dict[str, Any], change: Callable[[dict[str, Any]], object]) -> Figure:
    """A figure whose content was changed."""
    content = copy.deepcopy(figure)
    change(content)
    return Figure(**content)


def pretend(store: Store, config: RunConfig, loss: Loss, endings: dict[int, Ending] | None = None) -> None:
    """A run with losses that are known beforehand; those of seeds that diverged are NaN."""
    well: Ending = "loss"
    ends = {**dict.fromkeys(config.seeds, well), **(endings or {})}
    with Draft(store.runs, config) as draft:
        draft.save_environment({})
        draft.save_model({})
        results = tuple(
            Result(seed, length, math.nan if ends[seed] == "diverged" else loss(config, seed, length), None, 8)
            for seed in config.seeds
            for length in config.test_lengths
        )
        draft.finish(tuple(SeedSummary(seed, 5, ends[seed], 0.0) for seed in config.seeds), results, 0.0)


def grid(omegas: list[float], lengths: list[int], seeds: int = 5) -> list[RunConfig]:
    settings = {"task": "simple-task", "test_lengths": ["N", "8N"], "seeds": seeds}
    return [
        RunConfig(**settings, parameters={"omega": omega}, train_length=length)
        for omega in omegas
        for length in lengths
    ]


def shown(axes: Any) -> dict[str, tuple[list[float], list[float]]]:
    """The lines that have a name, with their data."""
    lines = axes.get_lines()
    return {
        line.get_label(): (list(line.get_xdata()), list(line.get_ydata()))
        for line in lines
        if not line.get_label().startswith("_")
    }


# ------------------------------------------------------------------------------------------------ whole figures


def test_all_panels_are_drawn_with_labels_in_words(trained: Store, tmp_path: Path) -> None:
    draw(Figure(**SIMPLE), "smoke", trained, tmp_path / "figure.svg")
    texts = re.findall(r"<text[^>]*>([^<]*)</text>", (tmp_path / "figure.svg").read_text(encoding="utf-8"))
    for text in (
        "A figure of SimpleTask (preset smoke)",
        "ω is 2",
        "test length T",
        "training length N",
        "frequency ω",
        "test loss at T = 4 N",
        "certified length for",
        "errors ≤ 0.1 at every T",
        "not enough yet",
    ):
        assert text in texts, text


@pytest.mark.parametrize("suffix", ["svg", "pdf", "png"])
def test_a_figure_drawn_again_has_the_same_bytes(trained: Store, tmp_path: Path, suffix: str) -> None:
    for name in ("one", "two"):
        draw(Figure(**MOD_P), "smoke", trained, tmp_path / f"{name}.{suffix}")
    one = (tmp_path / f"one.{suffix}").read_bytes()
    assert len(one) > 1000
    assert one == (tmp_path / f"two.{suffix}").read_bytes()


def test_the_caption_counts_seeds_that_did_not_reach_their_training_loss(trained: Store, tmp_path: Path) -> None:
    caption = draw(Figure(**MOD_P), "smoke", trained, tmp_path / "figure.svg", remarks=["Made by us."])
    assert "Hollow markers: 4 of 4 seeds did not reach the training loss 10⁻⁵" in " ".join(caption)
    assert caption[-1] == "Made by us."
    text = (tmp_path / "figure.svg").read_text(encoding="utf-8")
    assert "Made by us." in text
    assert "did not reach the training loss" in text


def test_what_has_not_been_run_is_said_and_the_rest_is_drawn(trained: Store, tmp_path: Path) -> None:
    more = changed(SIMPLE, lambda content: content["axes"][1]["train_length"].append(16))
    caption = " ".join(draw(more, "smoke", trained, tmp_path / "some.svg"))
    assert "4 of 12 seeds have not been run yet" in caption
    assert "ω\u00a0=\u00a04, N\u00a0=\u00a016: 2 of 2" in caption
    none = changed(SIMPLE, lambda content: content["settings"].update(task="simple-task", seeds=[7]))
    caption = " ".join(draw(none, "smoke", trained, tmp_path / "none.svg"))
    assert "4 of 4 seeds have not been run yet" in caption
    assert (tmp_path / "none.svg").read_text(encoding="utf-8").count(">no runs yet<") == 3


def test_a_panel_for_each_value_shows_what_a_panel_with_that_value_shows(trained: Store, tmp_path: Path) -> None:
    def drawn(name: str, *panels: dict[str, Any]) -> str:
        figure = changed(SIMPLE, lambda content: content.update(plot={"panels": list(panels)}))
        draw(figure, "smoke", trained, tmp_path / f"{name}.svg")
        return (tmp_path / f"{name}.svg").read_text(encoding="utf-8")

    common = {"kind": "test-length", "lines": "train_length"}
    each = drawn("each", {**common, "title": "Loss", "each": "parameters.omega"})
    apart = [
        {**common, "title": f"Loss, ω\u00a0=\u00a0{omega}", "where": {"parameters.omega": omega}} for omega in (2, 4)
    ]
    assert each == drawn("apart", *apart)
    one = drawn("one", {**common, "each": "parameters.omega", "where": {"parameters.omega": 4}})
    assert one == drawn("only", {**common, "title": "ω\u00a0=\u00a04", "where": {"parameters.omega": 4}})


@pytest.mark.parametrize(
    ("panel", "message"),
    [
        ({"kind": "test-length", "each": "parameters.omga"}, "panel 1: simple-task omega=2.0 N=4 has no setting"),
        ({"kind": "platau", "over": "train_length"}, "panel 1 is of no known kind: 'platau'; did you mean plateau?"),
        ({"over": "train_length"}, "panel 1 is of no known kind: None; there are test-length, plateau"),
        ({"kind": "plateau"}, "panel 1: the setting 'over' is missing"),
        ({"kind": "plateau", "ovr": "train_length"}, "there is no setting 'ovr'; did you mean over?"),
        ({"kind": "needed", "over": "train_length", "loss": 0}, "panel 1: 'loss' should be greater than 0, got 0"),
        ({"kind": "test-length", "sweep": "wide"}, "panel 1: there is no sweep 'wide'; there are ''"),
        ({"kind": "test-length", "where": {"train_length": 5}}, "panel 1: no run of this preset has train_length = 5"),
        ({"kind": "test-length", "where": {"omega": 5}}, "has no setting 'omega'"),
        (
            {"kind": "test-length", "lines": "train_length"},
            "panel 1: a panel has 2 runs with train_length = 4, which differ in parameters.omega; say which with where",
        ),
        ({"kind": "plateau", "over": "task", "lines": "train_length"}, "which differ in parameters.omega"),
        (
            {"kind": "plateau", "over": "task", "where": {"train_length": 4, "parameters.omega": 2}},
            "an axis shows positive numbers, but task is 'simple-task'",
        ),
        ({"kind": "attention", "length": 8, "where": {"parameters.omega": 2}}, "which mod-p-task has"),
    ],
)
def test_a_panel_that_cannot_be_drawn_is_refused_with_its_number(
    trained: Store, tmp_path: Path, panel: dict[str, Any], message: str
) -> None:
    figure = changed(SIMPLE, lambda content: content.update(plot={"panels": [panel]}))
    open_before = pyplot().get_fignums()
    with pytest.raises(LengthwiseError) as problem:
        draw(figure, "smoke", trained, tmp_path / "figure.svg")
    assert message in str(problem.value)
    assert not list(tmp_path.iterdir())
    assert pyplot().get_fignums() == open_before


def test_a_figure_that_cannot_be_written_is_closed(tmp_path: Path) -> None:
    figure, _ = pyplot().subplots()
    with pytest.raises(LengthwiseError, match=r"a figure is written as \.svg, \.pdf, \.png, not as figure\.gif"):
        save(figure, "figure.gif", "nothing")
    assert figure.number not in pyplot().get_fignums()


@pytest.mark.parametrize(
    ("plot", "message"),
    [
        ({}, "has tables [[plot.panels]]"),
        ({"panels": {"kind": "plateau"}}, "has tables [[plot.panels]]"),
        ({"panel": []}, "[plot] has panels and nothing else, but there is 'panel'"),
    ],
)
def test_a_figure_without_panels_is_refused(trained: Store, tmp_path: Path, plot: Any, message: str) -> None:
    with pytest.raises(LengthwiseError) as problem:
        draw(changed(SIMPLE, lambda content: content.update(plot=plot)), "smoke", trained, tmp_path / "figure.svg")
    assert message in str(problem.value)


# ------------------------------------------------------------------------------------------------ kinds of panels


def test_lines_over_the_test_length_are_medians_over_seeds(trained: Store, axes: Any) -> None:
    configs = [config for config in Figure(**SIMPLE).configs("smoke")[""] if config.parameters["omega"] == 2]
    draw_test_length(axes, LengthPanel(lines="train_length"), configs, Measured(trained))
    for config in configs:
        rows = trained.rows([config])
        losses = [[row.loss for row in rows if row.test_length == length] for length in config.test_lengths]
        places, heights = shown(axes)[str(config.train_length)]
        assert places == list(config.test_lengths)
        assert heights == pytest.approx([statistics.median(each) for each in losses])


def test_the_plateau_is_the_median_at_the_longest_test_length(tmp_path: Path, axes: Any) -> None:
    store, configs = Store(tmp_path), grid([2, 4], [8, 16])
    for config in configs:
        pretend(store, config, lambda config, seed, length: length * config.train_length + seed**2)
    draw_plateau(axes, PlateauPanel(over="train_length", lines="parameters.omega"), configs, Measured(store))
    for name in ("2", "4"):
        places, heights = shown(axes)[name]
        assert heights == [64 * 8 + 4, 128 * 16 + 4]
        # Lines stand a little beside each other.
        assert places == pytest.approx([8, 16], rel=0.05)
    assert shown(axes)["2"][0] != shown(axes)["4"][0]
    assert axes.get_ylabel() == "test loss at T = 8 N"


def test_whiskers_go_to_the_quartiles_and_to_the_extremes(tmp_path: Path, axes: Any) -> None:
    store, (config,) = Store(tmp_path), grid([2], [8], seeds=6)
    losses = [5.0, 1.0, 7.0, 2.0, 30.0, 3.0]
    pretend(store, config, lambda config, seed, length: losses[seed])
    draw_plateau(axes, PlateauPanel(over="train_length"), [config], Measured(store))
    whiskers = [list(line.get_ydata()) for line in axes.get_lines() if len(line.get_xdata()) == 2]
    low, _, high = statistics.quantiles(losses, method="inclusive")
    assert whiskers == [[1, 30], [low, high]]


def test_a_scaled_plateau_has_quotients_as_places(tmp_path: Path, axes: Any) -> None:
    store, configs = Store(tmp_path), grid([2, 4], [8, 16])
    for config in configs:
        pretend(store, config, lambda config, seed, length: 1.0)
    panel = PlateauPanel(over="train_length", lines="parameters.omega", scaled_by="parameters.omega", certified=0.1)
    draw_plateau(axes, panel, configs, Measured(store))
    assert [shown(axes)[name][0] for name in ("2", "4")] == [[4, 8], [2, 4]]
    assert axes.get_xlabel() == "training length / frequency, N / ω"
    stars = [line for line in axes.get_lines() if line.get_marker() == "*"]
    # The certified length is proportional to ω, so the stars coincide.
    assert [(list(star.get_xdata()), list(star.get_ydata())) for star in stars] == [([40], [pytest.approx(0.01)])] * 2


def test_stars_have_the_colours_of_their_lines(tmp_path: Path, axes: Any) -> None:
    store, configs = Store(tmp_path), grid([2, 4, 5], [8, 16])
    for config in configs[:4]:
        pretend(store, config, lambda config, seed, length: 1.0)
    panel = PlateauPanel(over="train_length", lines="parameters.omega", certified=0.1)
    caption = draw_plateau(axes, panel, configs, Measured(store))
    stars = {line.get_xdata()[0]: line.get_color() for line in axes.get_lines() if line.get_marker() == "*"}
    assert stars == {80: COLOURS[0], 160: COLOURS[1]}
    assert sum("certified length" in text.get_text() for text in axes.get_legend().get_texts()) == 1
    assert any("off by at most 0.1 on every word" in sentence for sentence in caption)


def test_seeds_that_diverged_are_infinitely_bad_and_marked(tmp_path: Path, axes: Any) -> None:
    store, configs = Store(tmp_path), grid([2], [8, 16, 32], seeds=3)
    ends: list[dict[int, Ending]] = [{}, {1: "diverged"}, {1: "diverged", 2: "diverged"}]
    for config, endings in zip(configs, ends, strict=True):
        pretend(store, config, lambda config, seed, length: seed + 1.0, endings)
    measured = Measured(store)
    draw_plateau(axes, PlateauPanel(over="train_length"), configs, measured)
    heights = shown(axes)["median"][1]
    assert heights[:2] == [2, 3]
    assert math.isnan(heights[2])
    hollow = [line for line in axes.get_lines() if line.get_markerfacecolor() == "white"]
    assert [list(line.get_xdata()) for line in hollow] == [[16, 32]]
    (remark,) = measured.remarks()
    assert (
        "3 of 9 seeds diverged and count as infinitely bad (N\u00a0=\u00a032: 2 of 3; N\u00a0=\u00a016: 1 of 3)"
        in remark
    )


def test_markers_are_full_where_all_seeds_are_well(tmp_path: Path, axes: Any) -> None:
    store, configs = Store(tmp_path), grid([2], [8, 16])
    for config in configs:
        pretend(store, config, lambda config, seed, length: 1.0)
    measured = Measured(store)
    draw_plateau(axes, PlateauPanel(over="train_length"), configs, measured)
    assert not [line for line in axes.get_lines() if line.get_markerfacecolor() == "white"]
    assert not list(measured.remarks())


def test_the_needed_length_of_a_power_law_is_where_it_meets_the_loss(tmp_path: Path, axes: Any) -> None:
    store, configs = Store(tmp_path), grid([2, 3, 8, 0.5], [4, 8, 16], seeds=3)
    for config in configs:
        pretend(
            store, config, lambda of, seed, length: 4.0 ** (seed - 1) * (of.parameters["omega"] / of.train_length) ** 2
        )
    draw_needed(axes, NeededPanel(over="parameters.omega", loss=0.04, certified=0.1), configs, Measured(store))
    wanted = {
        "needed for loss ≤ 0.04": ([2, 3], [10, 15]),
        "proportional": ([2, 3], [10, 15]),
        "enough already": ([0.5], [4]),
        "not enough yet": ([8], [16]),
        "certified length for\nerrors ≤ 0.1 at every T": ([0.5, 2, 3, 8], [20, 80, 120, 320]),
    }
    lines = shown(axes)
    assert set(lines) == set(wanted)
    for name, (places, heights) in wanted.items():
        assert lines[name][0] == places
        assert lines[name][1] == pytest.approx(heights, rel=0.01)
    # The best seed has a quarter of the median, the worst four times as much: half the length, and twice.
    whiskers = [list(line.get_ydata()) for line in axes.get_lines() if list(line.get_xdata()) == [2, 2]]
    assert whiskers == [pytest.approx([5, 16]), pytest.approx([10 / math.sqrt(1.6), 10 * math.sqrt(2.5)])]


def test_attention_is_shown_for_both_groups_of_positions(trained: Store, axes: Any) -> None:
    configs = Figure(**MOD_P).configs("smoke")[""]
    draw_attention(axes, AttentionPanel(length=80), configs, Measured(trained))
    names = [text.get_text() for text in axes.get_legend().get_texts()]
    assert set(names) == {"positions ≡ k (mod p)", "other positions", "1/16, shared evenly"}
    attended, others = ([*container.lines[0].get_ydata()] for container in axes.containers)
    # Each word's attention adds up to 1: 16 positions are ≡ k, 64 are not.
    assert [16 * one + 64 * other for one, other in zip(attended, others, strict=True)] == pytest.approx([1, 1])


# ------------------------------------------------------------------------------------------------ parts


@pytest.mark.parametrize(("task", "name", "factor"), [("simple-task", "omega", 4), ("mod-p-task", "period", 2)])
@pytest.mark.parametrize("value", [3, 5])
def test_certified_lengths_are_those_whose_promise_is_the_error(task: str, name: str, factor: int, value: int) -> None:
    # With stand-ins within ε they are 2ω/ε and Δ/ε and promise 2ε: the documentation's table, "How it grows".
    config = RunConfig(task=task, parameters={name: value}, train_length=8, test_lengths=[8])
    for error in (0.1, 0.2):
        assert certified_length(config, error) == pytest.approx(factor * value / error, abs=1)


def test_certified_lengths_of_other_tasks_are_refused() -> None:
    config = RunConfig(task="k-gram", train_length=8, test_lengths=[8])
    with pytest.raises(LengthwiseError, match="certified lengths are known of simple-task, mod-p-task, not of k-gram"):
        certified_length(config, 0.1)


def test_a_quantile_among_infinite_losses_is_infinite() -> None:
    losses = [3.0, math.nan, 1.0, math.inf, 2.0]
    assert [quantile(losses, share) for share in (0, 0.25, 0.5, 0.75, 1)] == [1, 2, 3, math.inf, math.inf]
    assert quantile([1.0, 2.0], 0.5) == 1.5
    assert quantile([1.0, math.nan], 0.5) == math.inf


def test_many_numbers_get_a_ramp_and_few_get_colours_that_differ_most() -> None:
    assert colours([1, 2, 4, 8]) == list(COLOURS[:4])
    assert colours(["a", "b", "c", "d", "e"]) == list(COLOURS[:5])
    ramp = colours([2, 2.5, 3, 3.5, 4, 4.5, 5, 5.5])
    lightness = [0.2126 * red + 0.7152 * green + 0.0722 * blue for red, green, blue, _ in ramp]
    assert len(set(ramp)) == 8
    assert lightness == sorted(lightness)
    assert lightness[-1] < 0.85


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0.01, "0.01"),
        (1e-5, "10⁻⁵"),
        (3e-7, "3·10⁻⁷"),
        (1000, "1000"),
        (1e5, "10⁵"),
        (2.5e4, "2.5·10⁴"),
        (0.125, "0.125"),
    ],
)
def test_numbers_are_written_as_people_do(number: float, text: str) -> None:
    assert power(number) == text


def test_remarks_name_no_setting_that_follows_from_another() -> None:
    figure = {"task": "k-gram", "test_lengths": ["N"], "model": {"layers": 2, "position": "relative"}}
    axes: list[dict[str, Any]] = [
        {"parameters.context": [1, 2], "model.heads": [[1, 1], [2, 1]], "model.position_parameters.window": [1, 2]},
        {"train_length": [4, 8]},
        {"stopping.rule": ["first-batch", "moving-average"]},
    ]
    assert telling(expand(figure, axes)) == ["parameters.context", "train_length", "stopping.rule"]


def test_settings_without_a_symbol_are_called_by_their_name() -> None:
    assert label("parameters.omega") == "frequency ω"
    assert label("optimizer.batch") == "batch"
    assert label("parameters.alphabet_size") == "alphabet size S"
