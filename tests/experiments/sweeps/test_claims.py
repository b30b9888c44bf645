"""Verdicts on claims of all kinds, and how claims are written down."""

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest

from lengthwise.experiments.sweeps.claims import Finding, evaluate, evaluate_all, table
from lengthwise.runs.config import ConfigError
from lengthwise.runs.settings import Values
from lengthwise.runs.store.summary import Summary
from tests.experiments.sweeps.made_up import (
    COLLAPSE,
    FALLS,
    FEW,
    LINEAR,
    PLATEAU,
    RISES,
    TRAIN_LENGTHS,
    measured,
    sweep,
)


def test_one_stuck_seed_moves_means_and_not_medians() -> None:
    losses = {n: [(1 + seed / 100) / n**2 for seed in range(8)] for n in TRAIN_LENGTHS}
    losses[64][3] = 0.5
    summaries = [measured(each, n) for n, each in losses.items()]
    falls, rises = evaluate(FALLS, summaries), evaluate(RISES, summaries)
    assert (falls.value, falls.verdict, rises.verdict) == (-1, "reproduced", "not reproduced")
    # The cell with the stuck seed has the highest mean: three pairs of six are the wrong way round.
    for found in (falls, rises):
        assert [(each.statistic, each.low, each.value, each.high) for each in found.others] == [("τ, means", -1, 0, 0)]
    assert (falls.others[0].verdict, rises.others[0].verdict) == ("undecided", "not reproduced")


@pytest.mark.parametrize("bad", [math.nan, math.inf])
def test_seeds_that_diverged_are_infinitely_bad_and_named(bad: float) -> None:
    losses: dict[int, list[float]] = {n: [1.0 / n + seed / 1000 for seed in range(8)] for n in (8, 16, 32)}
    losses[8][:2] = [bad, bad]
    found = evaluate(FALLS, [measured(each, n) for n, each in losses.items()])
    assert (found.value, found.verdict) == (-1, "reproduced")
    assert found.others[0].value == -1
    assert "Of 24 seeds, 2 diverged and count as infinitely bad." in found.detail
    losses[32] = [bad] * 8
    assert evaluate(FALLS, [measured(each, n) for n, each in losses.items()]).value == pytest.approx(1 / 3)


@pytest.mark.parametrize("claim", [PLATEAU, FALLS, LINEAR, COLLAPSE])
def test_no_claim_is_reproduced_by_seeds_that_all_diverged(claim: Mapping[str, Any]) -> None:
    summaries = [measured([[math.nan] * 8] * 3, n, omega) for n in TRAIN_LENGTHS for omega in (2, 4)]
    found = evaluate(claim, summaries, resampling=FEW)
    assert found.verdict == ("undecided" if claim["kind"] in ("linear", "collapse") else "not reproduced")
    assert "64 diverged" in found.detail


@pytest.mark.parametrize("claim", [PLATEAU, FALLS, LINEAR, COLLAPSE])
def test_one_seed_that_diverged_in_one_cell_leaves_verdicts_by_medians_as_they_are(claim: Mapping[str, Any]) -> None:
    rng = np.random.default_rng(5)
    summaries = []
    for n in TRAIN_LENGTHS:
        for omega in (2, 4):
            losses = np.outer(np.ones(3), (omega / n) ** 2 / 4 * np.exp(0.05 * rng.standard_normal(8)))
            losses[:, 0] = math.nan if (n, omega) == (16, 2) else losses[:, 0]
            summaries.append(measured(losses.tolist(), n, omega))
    found = evaluate(claim, summaries)
    assert found.verdict == "reproduced"
    assert "1 diverged" in found.detail


def test_constant_losses_neither_rise_nor_fall_but_are_flat() -> None:
    summaries = [measured([[0.5] * 8] * 3, n, omega) for n in TRAIN_LENGTHS for omega in (2, 4)]
    found = {claim["kind"]: evaluate(claim, summaries, resampling=FEW) for claim in (RISES, FALLS, PLATEAU)}
    assert {kind: (each.value, each.low, each.high, each.verdict) for kind, each in found.items()} == {
        "rises": (0, 0, 0, "not reproduced"),
        "falls": (0, 0, 0, "not reproduced"),
        "plateau": (0, 0, 0, "reproduced"),
    }
    assert evaluate(COLLAPSE, summaries, resampling=FEW).verdict == "undecided"
    linear = evaluate(LINEAR, summaries, resampling=FEW)
    assert linear.verdict == "undecided"
    assert math.isnan(linear.value)
    assert "none is bracketed; not bracketed and left out: 2: > 64, 4: > 64" in linear.detail


@pytest.mark.parametrize("claim", [PLATEAU, LINEAR, COLLAPSE])
@pytest.mark.parametrize("seeds", [1, 2])
def test_other_claims_stay_undecided_with_fewer_than_three_seeds(claim: Mapping[str, Any], seeds: int) -> None:
    summaries = [measured([[(omega / n) ** 2] * seeds] * 3, n, omega) for n in TRAIN_LENGTHS for omega in (2, 4)]
    found = evaluate(claim, summaries, resampling=FEW)
    assert math.isfinite(found.value) or found.value == -math.inf
    assert found.verdict == "undecided"
    assert ("one seed only" if seeds == 1 else "too few seeds") in found.detail
    assert math.isnan(found.low) == math.isnan(found.high) == (seeds == 1)


def test_of_configs_that_differ_in_seeds_alone_the_one_with_the_most_seeds_counts() -> None:
    summaries = [measured([0.5] * 2, 8), measured([0.2 + seed / 100 for seed in range(8)], 8), measured([0.1] * 8, 16)]
    for given in (summaries, summaries[::-1]):
        found = evaluate(FALLS, given)
        assert (found.cells, found.seeds) == (2, 8)


def test_a_claim_may_be_about_a_part_of_the_configs() -> None:
    summaries = sweep(lambda n, omega: omega / n if omega == 2 else n / 100)
    nested = Values({**FALLS, "where": Values({"parameters": {"omega": 2}})})
    dotted = {**RISES, "where": {"parameters.omega": 3.0}}
    assert [evaluate(claim, summaries).verdict for claim in (nested, dotted)] == ["reproduced", "reproduced"]
    nowhere = evaluate({**FALLS, "where": {"parameters.omega": 7}}, summaries)
    assert (nowhere.verdict, nowhere.detail) == ("undecided", "No config has parameters.omega = 7.")


def test_configs_without_results_are_counted_and_passed_over() -> None:
    summaries = [*sweep(lambda n, omega: omega / n), measured([], 128)]
    found = evaluate(FALLS, summaries)
    assert (found.cells, found.verdict) == (12, "reproduced")
    assert found.detail.endswith("Of 13 configs, 1 have no results yet.")
    nothing = evaluate(FALLS, [measured([], 8), measured([], 16)])
    assert (nothing.verdict, nothing.detail) == ("undecided", "None of 2 configs has results yet.")
    assert evaluate(PLATEAU, []).verdict == "undecided"


def test_claims_of_a_figure_are_about_the_first_sweep_or_the_one_they_name() -> None:
    sweeps = {"falling": sweep(lambda n, omega: omega / n), "rising": sweep(lambda n, omega: omega * n)}
    found = evaluate_all([FALLS, {**FALLS, "sweep": "rising"}], sweeps)
    assert [each.verdict for each in found] == ["reproduced", "not reproduced"]


def test_a_kind_that_is_judged_elsewhere_gets_its_claim_and_its_configs() -> None:
    def judge(claim: Mapping[str, Any], summaries: Sequence[Summary]) -> Finding:
        return Finding("", claim["kind"], "share", 1.0, 1.0, 1.0, "reproduced", "", len(summaries), claim["length"])

    summaries = sweep(lambda n, omega: 1.0)
    claim = {"kind": "uniform-attention", "length": 80, "where": {"train_length": 8}}
    found = evaluate(claim, summaries, {"uniform-attention": judge})
    assert (found.cells, found.seeds) == (3, 80)


@pytest.mark.parametrize(
    ("claim", "message"),
    [
        ({"text": "?"}, "claim 1: a claim has a 'kind', one of plateau, rises, falls, linear, collapse"),
        ({"kind": "drops"}, "better; got 'drops'"),
        ({"kind": ["rises"]}, "got ['rises']"),
        ({"kind": "rises"}, "a claim of the kind 'rises' needs 'with'"),
        ({**FALLS, "wiht": "x"}, "a claim of the kind 'falls' has no 'wiht'; did you mean with?"),
        ({"kind": "linear", "with": "parameters.omega"}, "a claim of the kind 'linear' needs 'loss'"),
        ({**LINEAR, "loss": 0}, "'loss' of a claim is a positive number, got 0"),
        ({**LINEAR, "loss": "low"}, "'loss' of a claim is a positive number, got 'low'"),
        ({**LINEAR, "with": "train_length"}, "sets the training length against another setting"),
        ({"kind": "rises", "with": 3}, "'with' of a claim is the name of a setting, got 3"),
        ({"kind": "rises", "with": "parameters.omga"}, "no setting 'parameters.omga'; did you mean parameters.omega?"),
        ({"kind": "rises", "with": "seeds"}, "has no setting 'seeds'"),
        ({"kind": "rises", "with": "model.activation"}, "compares numbers, but the setting 'model.activation'"),
        ({"kind": "collapse", "with": "model.layer_norm"}, "N=8 is False"),
        ({**LINEAR, "with": "model.head_width"}, "an exponent needs positive settings, but model.head_width has 0"),
        ({**COLLAPSE, "with": "model.head_width"}, "in units of positive settings, but model.head_width has 0"),
        ({**FALLS, "where": {"parameters.period": 2}}, "N=8 has no setting 'parameters.period'"),
        ({**FALLS, "where": "omega"}, "'where' of a claim gives settings their values, got 'omega'"),
        ({**FALLS, "sweep": "wied"}, "there is no sweep 'wied'; did you mean wide?"),
    ],
)
def test_a_claim_with_a_mistake_is_refused_in_one_sentence(claim: Mapping[str, Any], message: str) -> None:
    summaries = sweep(lambda n, omega: 0.1, omegas=(2,))
    with pytest.raises(ConfigError) as problem:
        evaluate_all([claim], {"wide": summaries}, resampling=FEW)
    assert message in str(problem.value)
    assert str(problem.value).startswith("claim 1: ")
    assert "\n" not in str(problem.value)


def test_findings_are_plain_data_and_a_table_with_straight_columns() -> None:
    summaries = sweep(lambda n, omega: omega / n)
    claims: list[Mapping[str, Any]] = [
        {**FALLS, "text": "It falls."},
        {"kind": "rises", "with": "parameters.omega"},
        LINEAR,
    ]
    findings = evaluate_all(claims, {"": summaries})
    data = json.loads(json.dumps([finding.as_json() for finding in findings], allow_nan=False))
    assert [each["verdict"] for each in data] == [finding.verdict for finding in findings]
    assert data[0]["others"][0]["statistic"] == "τ, means"
    lines = table(findings).splitlines()
    assert [line for line in lines if not line.startswith("  ")] == [
        "It falls.",
        "The plateau rises with parameters.omega.",
        "The training length needed for a loss of 0.01 is proportional to parameters.omega.",
    ]
    rows = [line for line in lines if line.startswith("  ")]
    assert len(rows) == 1 + 2 * len(findings)
    assert "reproduced" in rows[1]
    assert "-1.00  [-1.00, -1.00]" in rows[1]
    assert {row.index("τ") for row in rows if "τ" in row} == {rows[0].index("statistic")}
    assert all(len(row) == len(rows[0]) for row in rows)


def test_an_empty_table_is_its_header() -> None:
    assert table([]) == "  verdict  statistic  value  95 % interval  cells  seeds"
