"""The figures of Golowich et al.: their presets, and the numbers of the paper's appendix E and Tables 2 to 4."""

from __future__ import annotations

import numpy as np
import pytest

from lengthwise.experiments.sweeps.published import catalogue, find
from lengthwise.runs.config import RunConfig

FIGURES = ["golowich-fig1", "golowich-fig2", "golowich-fig3", "golowich-fig8"]
SWEEPS = ["predictive", "learned", "pose", "answer-only"]


def configs(figure: str, preset: str) -> dict[str, list[RunConfig]]:
    return dict(find(figure, []).configs(preset))


def test_these_are_all_figures_of_the_paper_that_train_on_tasks() -> None:
    assert [name for name in catalogue() if name.startswith("golowich")] == FIGURES


@pytest.mark.parametrize("preset", ["smoke", "quick", "paper"])
@pytest.mark.parametrize("figure", FIGURES)
def test_every_preset_can_be_trained(figure: str, preset: str) -> None:
    for sweep in configs(figure, preset).values():
        for config in sweep:
            assert config.training_lengths()
            assert config.train_length < max(config.test_lengths)
            tested = config.get_test_task().sample(max(config.test_lengths), 1, np.random.default_rng(0))
            context = config.decoder().position_parameters["context"]
            longest = tested.tokens.shape[1] if tested.positions is None else int(tested.positions.max())
            assert longest <= context


@pytest.mark.parametrize("figure", FIGURES)
def test_models_and_training_are_those_of_appendix_e(figure: str) -> None:
    for sweep in configs(figure, "paper").values():
        for config in sweep:
            model, optimizer = config.model, config.optimizer
            assert (model.layers, model.heads, model.width) == (12, 16, 1024)
            assert (optimizer.learning_rate.hidden, optimizer.weight_decay) == (5e-5, 0.1)
            assert (optimizer.schedule, optimizer.warmup, config.stopping.steps) == ("linear", 300, 50_000)


@pytest.mark.parametrize(
    ("figure", "shortest", "longest", "tested", "batch", "words", "seeds", "places"),
    [
        ("golowich-fig1", 20, 50, 500, 64, 512, 1, 510),  # Table 2
        ("golowich-fig2", 5, 20, 100, 64, 192, 10, 210),  # Table 3, which counts bits and scratchpad together
        ("golowich-fig8", 5, 20, 100, 64, 192, 3, 210),  # the same; footnote 20
        ("golowich-fig3", 20, 60, 200, 32, 192, 3, 230),  # Table 4
    ],
)
def test_lengths_batches_seeds_and_position_ids_are_those_of_the_tables(
    figure: str, shortest: int, longest: int, tested: int, batch: int, words: int, seeds: int, places: int
) -> None:
    for sweep in configs(figure, "paper").values():
        for config in sweep:
            assert (config.train_from, config.train_length, max(config.test_lengths)) == (shortest, longest, tested)
            assert (config.optimizer.batch, config.evaluation.words, len(config.seeds)) == (batch, words, seeds)
            assert config.model.position_parameters["context"] == places


def test_what_varies_is_what_the_figures_draw() -> None:
    (sparse,) = configs("golowich-fig1", "paper").values()
    assert {config.parameters["most"] for config in sparse} == {4, 6, 8, 10, 12}
    assert {config.parameters["indices"] for config in sparse} == {20}
    tested = {(config.evaluation.parameters["fewest"], config.evaluation.parameters["most"]) for config in sparse}
    assert tested == {(bits, bits) for bits in (4, 6, 8, 10, 12, 14, 16)}
    (parity,) = configs("golowich-fig2", "paper").values()
    assert [(config.parameters["jumps"], config.model.position) for config in parity] == [
        (jumps, "predictive") for jumps in (1, 2, 3, 4)
    ]
    assignment = configs("golowich-fig3", "paper")
    assert list(assignment) == SWEEPS
    for sweep in assignment.values():
        assert [config.parameters["depth"] for config in sweep] == [2, 3, 4, 5]
        assert {config.parameters["variables"] for config in sweep} == {200}


@pytest.mark.parametrize("figure", ["golowich-fig3", "golowich-fig8"])
@pytest.mark.parametrize("preset", ["quick", "paper"])
def test_sweeps_differ_in_positions_and_scratchpad_as_their_names_say(figure: str, preset: str) -> None:
    expected = {
        "predictive": ("predictive", "coupled", True),
        "learned": ("learned", "plain", True),
        "pose": ("pose", "plain", True),
        "answer-only": ("pose", "plain", False),
    }
    for name, sweep in configs(figure, preset).items():
        found = {(each.model.position, each.parameters["positions"], each.parameters["scratchpad"]) for each in sweep}
        assert found == {expected[name]}


@pytest.mark.parametrize("preset", ["quick", "paper"])
def test_jumps_differ_in_nothing_but_the_jump(preset: str) -> None:
    (jumps,) = configs("golowich-fig2", preset).values()
    settings = [{**config.settings(), "parameters": {**config.parameters, "jumps": None}} for config in jumps]
    assert all(each == settings[0] for each in settings)


def test_predictive_coupling_of_figure_8_is_that_of_figure_2_so_that_seeds_are_trained_once() -> None:
    (jumps,) = configs("golowich-fig2", "quick").values()
    (same,) = configs("golowich-fig8", "quick")["predictive"]
    assert same.model_copy(update={"seeds": jumps[0].seeds}) == jumps[0]
