"""The plan of a study: made once, within its time, a function of the request and of results alone."""

import itertools
import json
import random
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from lengthwise.errors import LengthwiseError
from lengthwise.lab.config import RunConfig
from lengthwise.lab.store import Store
from lengthwise.lab.train import require_trainable
from lengthwise.study import Plan, Request, look_ahead, plan_of
from lengthwise.study.cost import Speed, probe
from lengthwise.study.plan import STEPS, Trial, lines, makespan
from lengthwise.study.protocol import LADDER
from tests.study.pretended import timeless


def planned(store: Path, subject: object = "d3", speed: Speed | None = None, **options: Any) -> Plan:
    known = look_ahead(subject, {})
    request = Request.of(known.subject, **options)
    return timeless(lambda: plan_of(known, request, Store(store), 2), speed)


def answered(configs: Sequence[RunConfig], score: float, steps: int | None = None) -> dict[str, list[Trial]]:
    return {
        config.settings_id: [Trial(seed, steps or config.stopping.steps, score) for seed in config.seeds]
        for config in configs
    }


def played(plan: Plan, rng: random.Random, learned: float) -> tuple[list[list[RunConfig]], Mapping[str, list[Trial]]]:
    """All rounds of a plan whose models learn with some probability, after random numbers of steps."""
    done: dict[str, list[Trial]] = {}
    rounds = []
    while configs := list(plan.progress(done).next):
        rounds.append(configs)
        for config in configs:
            score = 1.0 if rng.random() < learned else 0.5
            limit = config.stopping.steps
            done |= answered([config], score, limit if score < 1 else rng.randint(1, limit))
    return rounds, done


# -------------------------------------------------------------------------------------------------- made once


def test_a_plan_is_kept_and_repeated_whatever_the_machine_does_later(tmp_path: Path) -> None:
    first = planned(tmp_path, minutes=5)
    again = planned(tmp_path, minutes=5, speed=Speed({40: 100.0}, 100.0))
    assert again.as_json() == first.as_json()
    assert [each.id for each in again.progress({}).next] == [each.id for each in first.progress({}).next]
    assert planned(tmp_path, minutes=6, speed=Speed({40: 100.0}, 100.0)).speed != first.speed


def test_a_plan_that_cannot_be_read_is_made_again(tmp_path: Path) -> None:
    first = planned(tmp_path, minutes=5)
    (path,) = (tmp_path / "plans").iterdir()
    for content in ("", "[]", "{", json.dumps({"format": 99})):
        path.write_text(content)
        assert planned(tmp_path, minutes=5).as_json() == first.as_json()
        assert json.loads(path.read_text()) == first.as_json()


def test_requests_that_differ_have_plans_of_their_own(tmp_path: Path) -> None:
    options: list[dict[str, Any]] = [
        {},
        {"minutes": 7},
        {"seeds": 4},
        {"target_length": 200},
        {"train_lengths": [20]},
        {"positions": "none"},
        {"model": "4/4/128"},
    ]
    for each in options:
        planned(tmp_path, **each)
    planned(tmp_path, "d2")
    assert len(list((tmp_path / "plans").iterdir())) == len(options) + 1


# ---------------------------------------------------------------------------------------------- what comes next


def test_first_come_all_schemes_at_the_longest_length_with_the_first_model(tmp_path: Path) -> None:
    plan = planned(tmp_path, minutes=10_000)
    configs = plan.progress({}).next
    assert [(each.train_length, each.model.position) for each in configs] == [(40, "none"), (40, "learned")]
    for each in configs:
        assert each.seeds == (0, 1, 2)
        assert (each.model.layers, each.model.heads, each.model.width, each.model.layer_norm) == (2, 2, 64, True)
        assert each.stopping.accuracy == 1.0
        assert each.evaluation.bins
        require_trainable(each)


def test_the_ladder_is_climbed_only_while_a_scheme_is_not_learned(tmp_path: Path) -> None:
    plan = planned(tmp_path, minutes=10_000)
    nope, ape = plan.progress({}).next
    done = answered([nope], 0.98) | answered([ape], 0.99, 500)
    # First all shorter words with the first model, whether they are learned or not.
    for length in (10, 20):
        shorter = plan.progress(done).next
        assert [(each.train_length, each.model.layers) for each in shorter] == [(length, 2), (length, 2)]
        done |= answered(shorter, 0.7)
    for rung in LADDER[1:]:
        (climbed,) = plan.progress(done).next
        assert (climbed.train_length, climbed.model.position) == (40, "none")
        assert (climbed.model.layers, climbed.model.width) == (rung.layers, rung.width)
        done |= answered([climbed], 0.5)
    assert plan.progress(done).next == ()


def test_two_of_three_seeds_that_learn_are_enough(tmp_path: Path) -> None:
    plan = planned(tmp_path, minutes=10_000, train_lengths=[40])
    configs = plan.progress({}).next
    done = {each.settings_id: [Trial(seed, 500, 1.0 if seed else 0.2) for seed in (0, 1, 2)] for each in configs}
    assert plan.progress(done).next == ()


def test_training_lengths_that_are_asked_for_come_first(tmp_path: Path) -> None:
    plan = planned(tmp_path, minutes=10_000, train_lengths=[10, 30, 20])
    assert sorted({each.train_length for each in plan.progress({}).next}) == [10, 20, 30]
    assert {each.test_lengths[-1] for each in plan.progress({}).next if each.model.position == "learned"} == {90}


def test_a_model_that_is_asked_for_is_the_only_one(tmp_path: Path) -> None:
    plan = planned(tmp_path, minutes=10_000, model="1/1/16@1e-2", train_lengths=[20])
    configs = plan.progress({}).next
    assert {(each.model.layers, each.model.width, each.optimizer.rates.hidden) for each in configs} == {(1, 16, 0.01)}
    assert plan.progress(answered(configs, 0.1)).next == ()


@pytest.mark.parametrize("seed", range(20))
def test_what_comes_next_depends_on_results_alone_and_not_on_the_order_in_which_they_came(
    tmp_path: Path, seed: int
) -> None:
    rng = random.Random(seed)
    plan = planned(tmp_path, minutes=rng.choice([2, 5, 20, 200]), speed=Speed({40: rng.uniform(0.5, 4)}, 1.0))
    rounds, done = played(plan, rng, learned=0.5)
    finished = plan.progress(done)
    assert finished.next == ()
    every = list(itertools.chain(*rounds))
    assert len({each.settings_id for each in every}) == len(every)
    # Whatever is lost, only that is made again, and then all is as before.
    lost = {each.settings_id for each in every if rng.random() < 0.4}
    kept = {name: each for name, each in done.items() if name not in lost}
    while configs := plan.progress(kept).next:
        assert {each.settings_id for each in configs} <= lost
        kept |= {each.settings_id: done[each.settings_id] for each in configs}
    assert plan.progress(kept) == finished


# ----------------------------------------------------------------------------------------------------- within time


@pytest.mark.parametrize("seed", range(20))
def test_a_plan_keeps_within_its_minutes_by_its_own_estimates(tmp_path: Path, seed: int) -> None:
    rng = random.Random(seed)
    minutes = rng.choice([1, 2, 5, 10, 60])
    plan = planned(
        tmp_path, rng.choice(["d3", "task:binary-majority", "majority"]), minutes=minutes,
        speed=Speed({40: rng.uniform(0.2, 3)}, rng.uniform(0.2, 3)),
    )  # fmt: skip
    rounds, done = played(plan, rng, learned=0.4)
    if plan.steps > STEPS[0]:
        assert sum(plan.taken(configs, done) for configs in rounds) <= 60 * minutes
        assert plan.progress(done).seconds <= plan.ceiling


def test_more_minutes_never_make_fewer_steps(tmp_path: Path) -> None:
    found = [planned(tmp_path, minutes=minutes).steps for minutes in (0.01, 0.5, 1, 2, 3, 5, 10, 20, 60)]
    assert found == sorted(found)
    assert found[0] == STEPS[0]
    assert found[-1] == LADDER[0].steps


def test_what_has_no_room_is_named_with_what_it_would_take(tmp_path: Path) -> None:
    plan = planned(tmp_path, minutes=5, speed=Speed({40: 1.0, 20: 99.0, 10: 99.0}, 1.0))
    configs = plan.progress({}).next
    found = plan.progress(answered(configs, 0.5))
    assert found.next == ()
    expected = [
        "Training length 10: it would take about ",
        "Training length 20: it would take about ",
        "NoPE did not learn words of up to 40 symbols; the next model of the ladder, 4/4/64, would take about ",
        "APE did not learn words of up to 40 symbols; the next model of the ladder, 4/4/64, would take about ",
    ]
    assert len(found.left_out) == len(expected)
    for said, beginning in zip(found.left_out, expected, strict=True):
        assert said.startswith(beginning)
        assert said.endswith(" more.")


def test_runs_take_as_long_as_the_busiest_process() -> None:
    assert makespan([3, 1, 1, 1], 2) == 3
    assert makespan([1, 1, 1], 2) == 2
    assert makespan([], 2) == 0


def test_a_probe_measures_every_training_length_and_trains_nothing(tmp_path: Path) -> None:
    plan = planned(tmp_path, "(a|b)*b(a|b)*", train_lengths=[4, 8])
    speed = probe([plan.config(plan.schemes[0], length) for length in (4, 8)])
    assert set(speed.step) == {4, 8}
    assert all(factor > 0 for factor in speed.step.values())
    assert speed.word > 0
    assert Speed.from_json(json.loads(json.dumps(speed.as_json()))) == speed
    assert not (tmp_path / "runs").exists()


# ------------------------------------------------------------------------------------------------ schemes that fit


def test_a_scheme_that_does_not_fit_is_left_out_and_named(tmp_path: Path) -> None:
    plan = planned(tmp_path, "d3", positions="none,periodic,coupled")
    assert [scheme.key for scheme in plan.schemes] == ["nope"]
    assert plan.skipped["periodic"] == "no program for the task has a period; give one, as in periodic:2"
    assert "coupled" in plan.skipped
    assert any(line.startswith("periodic: left out, ") for line in lines(plan))
    with pytest.raises(LengthwiseError, match="no position scheme fits d3"):
        planned(tmp_path, "d3", positions="periodic")


def test_periods_and_windows_are_those_of_a_program_unless_given(tmp_path: Path) -> None:
    def parameters(subject: str, positions: str) -> dict[str, Any]:
        (config,) = planned(tmp_path, subject, positions=positions).progress({}).next
        return dict(config.model.position_parameters)

    assert parameters("(aaa)*", "periodic") == {"period": 3}
    assert parameters("(aaa)*", "periodic:6") == {"period": 6}
    assert parameters("(0|1)*00(0|1)*", "relative:4") == {"window": 4}
    assert parameters("(0|1)*00(0|1)*", "relative")["window"] >= 1
    assert parameters("mod-p-task", "periodic") == {"period": 3}


@pytest.mark.parametrize("subject", ["majority", "dyck1", "(aa)*", "induction-all", "task:sort", "task:copy-unique",
                                     "task:variable-assignment", "simple-task", "mod-p-task", "k-gram"])  # fmt: skip
def test_every_kind_of_task_has_a_plan_whose_models_can_be_trained(tmp_path: Path, subject: str) -> None:
    plan = planned(tmp_path, subject, minutes=5)
    for config in plan.progress({}).next:
        assert RunConfig.from_json(config.to_json()) == config
        require_trainable(config)


def test_tests_beyond_three_times_the_training_length_are_for_schemes_without_a_largest_position(
    tmp_path: Path,
) -> None:
    plan = planned(tmp_path, positions="none,learned,rope,alibi,randomized")
    longest = {each.model.position: each.test_lengths[-1] for each in plan.progress({}).next}
    assert longest == {"none": 240, "learned": 120, "rope": 240, "alibi": 240, "randomized": 120}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"minutes": 0}, "minutes of a study are a positive number"),
        ({"seeds": 2}, "at least 3 seeds; 2 are too few"),
        ({"model": "2/2"}, "layers/heads/width"),
        ({"model": "2/3/64"}, "heads divide the width"),
        ({"target_length": 1}, "a target length is a whole number from 2 on"),
        ({"device": "tpu"}, "a device is cpu, cuda or auto"),
        ({"train_lengths": []}, "give at least one training length"),
    ],
)
def test_options_that_make_no_study_are_refused_in_a_sentence(
    tmp_path: Path, options: Mapping[str, Any], message: str
) -> None:
    with pytest.raises(LengthwiseError, match=message):
        planned(tmp_path, **options)
