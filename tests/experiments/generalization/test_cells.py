"""Which seeds of a cell are trained and counted, and what is said about them."""

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import networkx
import pytest

from lengthwise.errors import LengthwiseError
from lengthwise.experiments.generalization import training
from lengthwise.experiments.generalization.cell import Cell
from lengthwise.experiments.generalization.experiment import Entry, Experiment, catalogue
from lengthwise.experiments.generalization.measured import measure
from lengthwise.experiments.generalization.size import Size
from lengthwise.regular.languages.catalogue import get_language
from lengthwise.regular.languages.language import Language
from lengthwise.runs.engines.engine import Serial
from lengthwise.runs.store.store import Store
from lengthwise.runs.sweep import run_sweep
from tests.experiments.generalization.made_up import by_seed, trainer

SIZE = Size(layers=1, heads=1, width=16, rate=1e-3, steps=100)
GOOD, BAD = (1.0, 0.9, 0.8), (0.7, 0.2, 0.1)


def experiment() -> Experiment:
    return Experiment.from_file(catalogue()["huang-fig1"])


def cell(**changes: Any) -> Cell:
    found = experiment().cell(Entry(task="tomita-1", kind="regular"), "nope", SIZE, wanted=2, most=5)
    return replace(found, **changes)


def train(monkeypatch: pytest.MonkeyPatch, store: Store, made_up: Any, *cells: Cell) -> None:
    monkeypatch.setattr(training, "run_sweep", partial(run_sweep, train=made_up))
    training.train_cells(cells, store, Serial())


def test_seeds_are_trained_until_enough_are_successful(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[tuple[str, int]] = []
    table = {0: BAD, 1: GOOD, 2: BAD, 3: GOOD, 4: GOOD}
    train(monkeypatch, Store(tmp_path), trainer(by_seed(table), seen), cell())
    assert [seed for _, seed in seen] == [0, 1, 2, 3]
    (found,) = measure(Store(tmp_path), [cell()])
    assert [seed.number for seed in found.counted] == [1, 3]
    assert [seed.number for seed in found.seeds if not seed.learned] == [0, 2]


def test_no_more_seeds_are_tried_than_allowed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[tuple[str, int]] = []
    train(monkeypatch, Store(tmp_path), trainer(by_seed(dict.fromkeys(range(9), BAD)), seen), cell(most=3))
    assert [seed for _, seed in seen] == [0, 1, 2]
    (found,) = measure(Store(tmp_path), [cell(most=3)])
    assert found.counted == ()
    assert found.outcome == "not learned"
    assert found.mean(-1) == pytest.approx(0.1)


def test_all_seeds_count_for_the_largest_model_of_the_paper(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    size = SIZE.model_copy(update={"every_seed": True})
    every = cell(size=size)
    table = {0: (0.99, 0.95, 0.9), 1: (0.97, 0.95, 0.94)}
    train(monkeypatch, Store(tmp_path), trainer(by_seed(table)), every)
    (found,) = measure(Store(tmp_path), [every])
    assert len(found.counted) == 2
    assert found.outcome == "generalizes"
    assert found.outcome_at(0.93) == "fails"


def test_what_is_measured_does_not_depend_on_how_seeds_came_to_be(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = {0: GOOD, 1: BAD, 2: GOOD, 3: GOOD, 4: BAD}
    for name, steps in (("once", [2]), ("resumed", [1, 2]), ("more than wanted", [3, 2])):
        for wanted in steps:
            train(monkeypatch, Store(tmp_path / name), trainer(by_seed(table)), cell(wanted=wanted))
    found = [measure(Store(tmp_path / name), [cell()])[0] for name in ("once", "resumed", "more than wanted")]
    assert [[seed.number for seed in each.counted] for each in found] == [[0, 2]] * 3
    assert found[0].as_json() == found[1].as_json() == found[2].as_json()


def test_seeds_that_nearly_learned_a_task_count_only_where_that_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = {0: (0.985, 1.0, 1.0), 1: (0.99, 0.9, 0.8), 2: GOOD, 3: (0.9995, 0.9, 0.4), 4: BAD}
    train(monkeypatch, Store(tmp_path), trainer(by_seed(table)), cell())
    (found,) = measure(Store(tmp_path), [cell()])
    assert [seed.number for seed in found.counted] == [2]
    assert [seed.number for seed in found.nearly.counted] == [1, 2]
    assert [seed.number for seed in replace(found, cell=cell(wanted=9)).nearly.counted] == [1, 2, 3]


def test_a_run_that_fails_is_told_and_not_tried_for_ever(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(config: Any, runs: Path) -> Any:
        raise LengthwiseError("no memory left")

    monkeypatch.setattr(training, "run_sweep", partial(run_sweep, train=broken))
    (failure,) = training.train_cells([cell()], Store(tmp_path), Serial())
    assert "no memory left" in failure.reason


def test_outcomes_are_those_of_the_last_bin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = {}
    for name, accuracies in {"a": (1.0, 0.5, 0.9), "b": (1.0, 1.0, 0.89), "c": (0.9, 1.0, 1.0)}.items():
        made_up = trainer(by_seed(dict.fromkeys(range(5), accuracies)))
        train(monkeypatch, Store(tmp_path / name), made_up, cell())
        found[name] = measure(Store(tmp_path / name), [cell()])[0].outcome
    assert found == {"a": "generalizes", "b": "fails", "c": "not learned"}
    assert measure(Store(tmp_path / "nothing"), [cell()])[0].outcome == "not run"


# Layers, heads, width, learning rate and steps (in thousands) as printed in Tables 4 to 7.
PRINTED: dict[tuple[str, str], tuple[int, int, int, float, int]] = {
    ("task:binary-majority", "ape"): (1, 1, 16, 1e-3, 30),
    ("task:binary-majority-interleave", "ape"): (2, 4, 256, 1e-4, 30),
    ("task:majority", "ape"): (1, 2, 256, 1e-3, 30),
    ("task:sort", "ape"): (1, 2, 256, 1e-4, 30),
    ("task:copy-unique", "ape"): (2, 1, 64, 1e-3, 30),
    ("task:copy-repeat", "ape"): (4, 4, 256, 1e-3, 30),
    ("task:parity", "ape"): (4, 2, 256, 1e-4, 30),
    ("task:addition", "ape"): (12, 12, 768, 1e-4, 60),
    ("task:binary-majority", "nope"): (1, 1, 16, 1e-3, 30),
    ("task:binary-majority-interleave", "nope"): (12, 12, 768, 1e-4, 60),
    ("task:majority", "nope"): (1, 1, 64, 1e-3, 30),
    ("task:sort", "nope"): (1, 1, 256, 1e-3, 30),
    ("task:copy-unique", "nope"): (4, 4, 256, 1e-3, 30),
    ("task:copy-repeat", "nope"): (4, 4, 256, 1e-3, 30),
    ("task:parity", "nope"): (12, 12, 768, 3e-5, 60),
    ("task:addition", "nope"): (12, 12, 768, 1e-4, 60),
    **{(f"tomita-{n}", s): (1, 1, 16, 1e-3, 30) for n in (1, 2) for s in ("ape", "nope")},
    **{(f"d{n}", s): (1, 4, 128, 1e-4, 30) for n in (2, 3, 4, 12) for s in ("ape", "nope")},
    **{(f"tomita-{n}", "nope"): (4, 2, 64, 1e-3, 30) for n in (4, 7)},
    **{(f"tomita-{n}", "ape"): (4, 2, 128, 1e-3, 30) for n in (4, 7)},
    **{(name, "nope"): (6, 4, 64, 1e-4, 30) for name in ("ab-d-bc", "abcde")},
    **{(name, "ape"): (4, 4, 64, 1e-4, 30) for name in ("ab-d-bc", "abcde")},
    **{
        (name, "nope"): (6, 4, 256, 1e-4, 60)
        for name in ("aa-star", "aaaa-star", "abab-star", "tomita-3", "tomita-5", "tomita-6", "012-02", "parity")
    },
    **{(name, "ape"): (4, 4, 128, 1e-4, 40) for name in ("aa-star", "aaaa-star", "abab-star", "parity")},
    **{(name, "ape"): (6, 4, 128, 1e-3, 30) for name in ("012-02", "tomita-3", "tomita-5", "tomita-6")},
}


def test_the_paper_preset_has_the_models_of_tables_4_to_7() -> None:
    cells: dict[tuple[str, str], Cell] = {
        (each.task, each.scheme): each for each in experiment().cells("paper") if each.scheme != "baseline"
    }
    assert set(cells) == set(PRINTED)
    for key, (layers, heads, width, rate, thousands) in PRINTED.items():
        config = cells[key].settings
        model, optimizer = config.model, config.optimizer
        assert (model.layers, model.heads, model.width, model.hidden) == (layers, heads, width, 4 * width), key
        assert (optimizer.learning_rate.hidden, config.stopping.steps) == (rate, 1000 * thousands), key
        assert model.position == ("learned" if key[1] == "ape" else "none")
        assert optimizer.warmup == (3000 if layers == 12 else 0)
        assert cells[key].size.every_seed is (layers == 12)
        assert (optimizer.batch, optimizer.weight_decay) == (64, 0.01)
        assert (config.train_length, config.test_lengths) == (50, (50, 100, 150))
        assert (config.evaluation.words, config.stopping.accuracy) == (2000, 1.0)
        assert (cells[key].wanted, cells[key].changed) == (5, False)


def test_every_preset_makes_cells_and_mistakes_are_named() -> None:
    found = {name: len(experiment().cells(name)) for name in experiment().presets}
    assert found == {
        "smoke": 10, "short": 58, "penalty": 10, "term8": 5, "term8-strong": 9, "patient": 5, "quick": 34, "paper": 60,
    }  # fmt: skip
    with pytest.raises(LengthwiseError, match="did you mean quick"):
        experiment().cells("quik")


def test_cells_that_are_not_the_papers_are_marked() -> None:
    marked = {name: [each.changed for each in experiment().cells(name)] for name in experiment().presets}
    assert all(marked["smoke"])
    assert all(marked["short"])
    assert not any(marked["paper"])
    quick = {(each.task, each.scheme) for each in experiment().cells("quick") if each.changed}
    assert ("task:sort", "ape") in quick
    assert ("d2", "ape") not in quick


def test_a_preset_like_another_differs_in_what_it_says_alone() -> None:
    short = {(each.task, each.scheme): each for each in experiment().cells("short")}
    for each in experiment().cells("penalty"):
        assert each.settings.optimizer.position_penalty == 1e-3
        without = each.settings.optimizer.model_copy(update={"position_penalty": 0.0})
        assert each.settings.model_copy(update={"optimizer": without}) == short[each.task, "ape"].settings
    for each in experiment().cells("patient"):
        stopping = short[each.task, "ape"].settings.stopping
        assert each.settings.stopping == stopping.model_copy(update={"steps": 12_000, "check_every": 12_000})
        assert each.settings.model_copy(update={"stopping": stopping}) == short[each.task, "ape"].settings


def test_mistakes_in_a_file_are_told_with_its_name(tmp_path: Path) -> None:
    text = catalogue()["huang-fig1"].read_text(encoding="utf-8")
    for old, new, message in (
        ("[presets.paper]", '[presets.paper]\ntasks = ["sorting"]', "has a task 'sorting'"),
        ("heads = 1, width", "head = 1, width", "head"),
        ("title =", "title", "is not TOML"),
        ("[presets.paper]", '[presets.paper]\nlike = "nothing"', "is like 'nothing'"),
        ("[presets.paper]", '[presets.paper]\nlike = "paper"', "stands for itself"),
    ):
        file = tmp_path / "wrong.toml"
        file.write_text(text.replace(old, new, 1), encoding="utf-8")
        with pytest.raises(LengthwiseError, match=message):
            Experiment.from_file(file).cells("paper")
    with pytest.raises(LengthwiseError, match="cannot be read"):
        Experiment.from_file(tmp_path / "missing.toml")


def test_the_baseline_sees_the_current_symbol_alone() -> None:
    import torch

    from lengthwise.nn import Decoder

    (baseline,) = [
        each for each in experiment().cells("paper") if (each.task, each.scheme) == ("task:binary-majority", "baseline")
    ]
    model = Decoder(baseline.settings.decoder(), [0])
    first, second = torch.tensor([[2, 0, 1, 3, 1]]), torch.tensor([[2, 1, 1, 3, 1]])
    outputs = [model(tokens)[0, 0] for tokens in (first, second)]
    assert torch.equal(outputs[0][[0, 2, 3, 4]], outputs[1][[0, 2, 3, 4]])
    assert not torch.equal(outputs[0][1], outputs[1][1])


def test_a_seed_has_learned_its_task_if_all_words_of_the_first_bin_are_right_though_training_did_not_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = {0: (1.0, 0.5, 0.5), 1: (0.9995, 0.9, 0.9)}
    never = trainer(by_seed(table), ending="steps")
    train(monkeypatch, Store(tmp_path), never, cell(most=2))
    (found,) = measure(Store(tmp_path), [cell(most=2)])
    assert [seed.learned for seed in found.seeds] == [True, False]


def test_reported_accuracies_stand_with_cells_of_the_same_lengths_only() -> None:
    cells = {(each.task, each.scheme): each for each in experiment().cells("quick")}
    assert cells["tomita-4", "ape"].reported == (1.0, 0.854, 0.844)
    assert cells["task:sort", "nope"].reported == (1.0, 0.998, 0.806)
    assert cells["task:sort", "baseline"].reported is None
    assert {each.reported for each in experiment().cells("short")} == {None}
    missing = {each.task for each in experiment().cells("paper") if each.reported is None and each.scheme != "baseline"}
    assert missing == {"parity"}


def test_as_many_accuracies_are_reported_as_there_are_bins() -> None:
    entry = Entry(task="tomita-1", kind="regular", nope=SIZE, reported={"nope": (100, 100)})
    with pytest.raises(LengthwiseError, match="tomita-1, nope: 2 reported accuracies for 3 bins"):
        experiment().cell(entry, "nope", SIZE)


@pytest.mark.parametrize("preset", [name for name in experiment().presets if name != "smoke"])
def test_words_of_training_lengths_reach_every_state_of_their_language(preset: str) -> None:
    for each in experiment().cells(preset):
        if each.kind == "regular":
            assert shortest_that_reaches_all(get_language(each.task)) <= each.settings.train_length, each.task


def test_words_of_up_to_20_symbols_cannot_tell_d12_from_unbounded_depth() -> None:
    assert shortest_that_reaches_all(get_language("d12")) == 24


def shortest_that_reaches_all(language: Language) -> int:
    """The length from which on there are words of the language through each of its states, the sink aside."""
    automaton = language.automaton
    graph = networkx.DiGraph((state, after) for state, row in enumerate(automaton.table) for after in row)
    to: dict[int, int] = networkx.single_source_shortest_path_length(graph, automaton.start)
    back: dict[int, int] = networkx.multi_source_dijkstra_path_length(graph.reverse(), set(automaton.accepting))
    return max(to[state] + back[state] for state in back)
