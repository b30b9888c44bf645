import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lengthwise.errors import LengthwiseError
from lengthwise.experiments.sweeps.claims import Finding, evaluate, evaluate_all
from lengthwise.experiments.sweeps.uniform_attention import uniform_attention, verdict_below
from lengthwise.runs.config import RunConfig
from lengthwise.runs.store.store import Store
from lengthwise.runs.store.summary import summarise
from tests.diagnose.made_runs import attending, config, save

CLAIM = {"kind": "uniform-attention", "length": 20}


def logit_for(mass: float) -> float:
    """The logit with which the 16 of 20 positions that are not ≡ k get this attention."""
    return math.log(4 / mass - 4)


def stored(path: Path, models: Sequence[tuple[RunConfig, list[float], float]]) -> Store:
    store = Store(path)
    for wanted, masses, symbol in models:
        save(wanted, store.runs, attending(wanted, [logit_for(mass) for mass in masses], symbol))
    return store


def found(store: Store, configs: Sequence[RunConfig], **changes: Any) -> Finding:
    summaries = [summarise(store, each) for each in configs]
    return evaluate({**CLAIM, **changes}, summaries, {"uniform-attention": uniform_attention(store)})


def test_models_of_the_longest_training_length_decide(tmp_path: Path) -> None:
    short, long = config(), config(train_length=16)
    store = stored(tmp_path, [(short, [0.5] * 8, 0.0), (long, [0.01 + 0.001 * seed for seed in range(8)], 0.0)])
    finding = found(store, [short, long])
    assert (finding.verdict, finding.kind, finding.cells, finding.seeds) == ("reproduced", "uniform-attention", 1, 8)
    assert finding.value == pytest.approx(0.0135)
    assert 0.01 <= finding.low <= finding.value <= finding.high <= 0.017
    assert "N=8: 50 % and" in finding.detail
    assert "N=16: 1.4 % and" in finding.detail
    assert found(store, [short]).verdict == "not reproduced"


def test_attention_that_depends_on_the_symbol_is_not_uniform(tmp_path: Path) -> None:
    wanted = config()
    # A symbol 1 gets e² times as much; hardly any attention is left for other positions.
    finding = found(stored(tmp_path, [(wanted, [1e-4] * 8, 2.0)]), [wanted])
    assert (finding.verdict, finding.statistic) == ("not reproduced", "deviation at ≡ k, medians")
    assert finding.low > 0.25
    on_others = finding.others[0]
    assert (on_others.verdict, on_others.statistic) == ("reproduced", "attention on others, medians")
    assert on_others.value < 0.01


def test_seeds_on_both_sides_of_the_limit_leave_it_undecided(tmp_path: Path) -> None:
    wanted = config()
    finding = found(stored(tmp_path, [(wanted, [0.01, 0.02, 0.03, 0.04, 0.06, 0.07, 0.08, 0.09], 0.0)]), [wanted])
    assert finding.low < 0.05 < finding.high
    assert finding.verdict == "undecided"


def test_a_seed_that_diverged_is_infinitely_far_from_a_hardmax(tmp_path: Path) -> None:
    wanted = config(seeds=8)
    store = Store(tmp_path)
    weights = attending(wanted, [logit_for(0.01)] * 8)
    weights["layers.0.query"][3] = np.nan
    save(wanted, store.runs, weights)
    finding = found(store, [wanted])
    found_by = {each.statistic: each.value for each in finding.estimates}
    assert found_by["attention on others, medians"] == pytest.approx(0.01)
    assert found_by["attention on others, means"] == math.inf


def test_several_models_at_their_longest_are_judged_together(tmp_path: Path) -> None:
    wide = {"position": "periodic", "width": 6, "hidden": 3}
    configs = [config(), config(train_length=16), config(model=wide), config(model=wide, train_length=32)]
    masses = [0.5, 0.01, 0.5, 0.03]
    store = stored(tmp_path, [(each, [mass] * 8, 0.0) for each, mass in zip(configs, masses, strict=True)])
    finding = found(store, configs)
    assert finding.cells == 2
    assert finding.value == pytest.approx(0.02)


def test_without_runs_or_with_few_seeds_a_claim_is_undecided(tmp_path: Path) -> None:
    few = config(seeds=4)
    store = stored(tmp_path, [(few, [0.001] * 4, 0.0)])
    assert found(store, [config(train_length=16)]).detail == "None of 1 configs has results yet."
    assert found(store, [few]).verdict == "undecided"
    assert found(store, [few], where={"train_length": 5}).verdict == "undecided"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"length": 0}, "claim 1: a claim of the kind 'uniform-attention' needs 'length'"),
        ({"length": "80"}, "a positive number of symbols, got '80'"),
        ({"lenght": 80}, "has no 'lenght'; did you mean length"),
    ],
)
def test_a_claim_with_a_mistake_is_refused(tmp_path: Path, change: dict[str, Any], message: str) -> None:
    wanted = config(seeds=1)
    store = stored(tmp_path, [(wanted, [0.1], 0.0)])
    judges = {"uniform-attention": uniform_attention(store)}
    with pytest.raises(LengthwiseError) as problem:
        evaluate_all([{**CLAIM, **change}], {"": [summarise(store, wanted)]}, judges)
    assert message in str(problem.value)


def test_the_verdict_on_a_number_that_should_be_small_is_that_of_its_interval() -> None:
    ends = [(0.1, 0.2), (0.1, 0.4), (0.4, math.inf)]
    assert [verdict_below(0.3)(*each) for each in ends] == ["reproduced", "undecided", "not reproduced"]
