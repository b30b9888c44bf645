"""Claims that compare sweeps, and claims about errors in the place of losses; from summaries that are made up."""

from collections.abc import Sequence
from typing import Any

import pytest

from lengthwise.experiments.sweeps.claims import evaluate, evaluate_all
from lengthwise.runs.config import ConfigError, RunConfig
from lengthwise.runs.resampling import Resampling
from lengthwise.runs.store.run_directory import SeedSummary
from lengthwise.runs.store.summary import AtLength, Summary

FEW = Resampling(times=300)
BETTER = {"kind": "better", "of": "errors", "sweep": "ours", "than": "theirs", "by": "parameters.jumps"}


def measured(accuracies: Sequence[float], jumps: int, position: str = "predictive") -> Summary:
    """A config whose seeds have these accuracies at the longest length; losses say the opposite."""
    config = RunConfig(
        task="task:scratchpad-parity",
        parameters={"jumps": jumps, "positions": "coupled" if position == "predictive" else "plain"},
        train_length=8,
        test_lengths=[8, 16],
        seeds=len(accuracies),
        model={"position": position},
    )
    seeds = tuple(SeedSummary(seed, 10, "steps", 0.1) for seed in range(len(accuracies)))
    lengths = tuple(AtLength(at, tuple(accuracies), tuple(accuracies), 64) for at in (8, 16))
    return Summary(config, ("0123456789abcdef",), seeds, lengths)


GOOD, BAD = [0.9, 0.95, 0.92, 0.97, 0.93], [0.3, 0.2, 0.35, 0.25, 0.28]


def verdict(ours: list[Summary], theirs: list[Summary], **changes: Any) -> str:
    (finding,) = evaluate_all([{**BETTER, **changes}], {"ours": ours, "theirs": theirs}, resampling=FEW)
    return finding.verdict


def test_a_sweep_with_fewer_errors_is_better_and_the_other_is_not() -> None:
    ours = [measured(GOOD, jumps) for jumps in (1, 2)]
    theirs = [measured(BAD, jumps, "learned") for jumps in (1, 2)]
    assert verdict(ours, theirs) == "reproduced"
    assert verdict(theirs, ours) == "not reproduced"
    # The losses were made up the other way round.
    assert verdict(ours, theirs, of="losses") == "not reproduced"


def test_only_cells_with_the_same_value_are_compared() -> None:
    # Ours are worse at 2 than theirs at 1, which does not matter.
    ours = [measured([0.6] * 5, 1), measured([0.2, 0.21, 0.22, 0.23, 0.24], 2)]
    theirs = [measured([0.5] * 5, 1, "learned"), measured([0.1] * 5, 2, "learned")]
    assert verdict(ours, theirs) == "reproduced"
    alone = evaluate_all([BETTER], {"ours": ours[:1], "theirs": theirs[1:]}, resampling=FEW)[0]
    assert alone.verdict == "undecided"


def test_sweeps_that_overlap_are_undecided() -> None:
    ours, theirs = measured([0.2, 0.9, 0.5, 0.6], 1), measured([0.3, 0.8, 0.5, 0.7], 1, "learned")
    assert verdict([ours], [theirs]) == "undecided"


def test_errors_rise_where_accuracies_fall() -> None:
    summaries = [measured([0.9 - 0.2 * jumps - 0.01 * seed for seed in range(5)], jumps) for jumps in (1, 2, 3)]
    claim = {"kind": "rises", "with": "parameters.jumps", "of": "errors"}
    assert evaluate(claim, summaries, resampling=FEW).verdict == "reproduced"
    assert evaluate({**claim, "kind": "falls"}, summaries, resampling=FEW).verdict == "not reproduced"


@pytest.mark.parametrize(
    ("claim", "message"),
    [
        ({**BETTER, "than": "others"}, "there is no other sweep 'others'"),
        ({**BETTER, "than": "ours"}, "there is no other sweep 'ours'"),
        ({**BETTER, "by": "parameters.omega"}, "has no setting 'parameters.omega'"),
        ({**BETTER, "with": "parameters.jumps"}, "has no 'with'"),
        ({key: value for key, value in BETTER.items() if key != "by"}, "needs 'by'"),
        ({**BETTER, "of": "mistakes"}, "'of' losses or errors, not 'mistakes'"),
    ],
)
def test_claims_that_make_no_sense_are_refused(claim: dict[str, Any], message: str) -> None:
    sweeps = {"ours": [measured(GOOD, 1)], "theirs": [measured(BAD, 1, "learned")]}
    with pytest.raises(ConfigError, match=message):
        evaluate_all([claim], sweeps, resampling=FEW)


def test_a_regression_has_no_errors() -> None:
    config = RunConfig(task="simple-task", train_length=8, test_lengths=[8])
    summary = Summary(config, ("0",), (SeedSummary(0, 1, "loss", 0.1),), (AtLength(8, (0.5,), None, 4),))
    with pytest.raises(ConfigError, match="has no errors"):
        evaluate({"kind": "rises", "with": "train_length", "of": "errors"}, [summary], resampling=FEW)
