"""The plan of a study: made once, within its time, a function of the request and of results alone."""

import itertools
import json
import random
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
import torch

from lengthwise.errors import LengthwiseError
from lengthwise.runs.config import RunConfig
from lengthwise.runs.store.store import Store
from lengthwise.runs.training.train import require_trainable
from lengthwise.study import Plan, Request, look_ahead, plan_of
from lengthwise.study.cost import Speed, probe
from lengthwise.study.plan import STEPS, lines, makespan
from lengthwise.study.progression import Trial, progress
from lengthwise.study.protocol import FIRST, LADDER
from tests.study.pretended import timeless


def planned(store: Path, subject: object = "d3", speed: Speed | None = None, **options: Any) -> Plan:
    known = look_ahead(subject, {})
    request = Request.of(known.subject, **options)
    return timeless(lambda: plan_of(known, request, Store(store), 2), speed)


Results = dict[str, list[Trial]]


def add(done: Results, configs: Sequence[RunConfig], score: float, steps: int | None = None) -> None:
    """Results of all seeds of configs."""
    for config in configs:
        there = done.setdefault(config.settings_id, [])
        there += [Trial(seed, steps or config.stopping.steps, score) for seed in config.seeds]


def played(plan: Plan, rng: random.Random, learned: float) -> tuple[list[list[RunConfig]], Results]:
    """All rounds of a plan whose seeds learn with some probability, after random numbers of steps."""
    done: Results = {}
    rounds = []
    while configs := list(progress(plan, done).next):
        rounds.append(configs)
        for config in configs:
            for seed in config.seeds:
                score = 1.0 if rng.random() < learned else 0.5
                limit = config.stopping.steps
                add(done, [config.with_seeds((seed,))], score, limit if score < 1 else rng.randint(1, limit))
    return rounds, done


def shown(configs: Sequence[RunConfig]) -> list[tuple[str, int, tuple[int, ...], float]]:
    """Configs in short: scheme, training length, seeds, learning rate."""
    return [
        (each.model.position, each.train_length, each.seeds, each.optimizer.learning_rate.hidden) for each in configs
    ]


# -------------------------------------------------------------------------------------------------- made once


def test_a_plan_is_kept_and_repeated_whatever_the_machine_does_later(tmp_path: Path) -> None:
    first = planned(tmp_path, minutes=5)
    again = planned(tmp_path, minutes=5, speed=Speed({40: 100.0}, 100.0))
    assert again.as_json() == first.as_json()
    assert [each.id for each in progress(again, {}).next] == [each.id for each in progress(first, {}).next]
    assert planned(tmp_path, minutes=6, speed=Speed({40: 100.0}, 100.0)).speed != first.speed


def test_a_plan_that_cannot_be_read_is_made_again(tmp_path: Path) -> None:
    first = planned(tmp_path, minutes=5)
    (path,) = (tmp_path / "plans").iterdir()
    for content in ("", "[]", "{", json.dumps({"format": 99})):
        path.write_text(content)
        assert planned(tmp_path, minutes=5).as_json() == first.as_json()
        written = json.loads(path.read_text())
        assert len(written.pop("digest")) == 64
        assert written == first.as_json()


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


def test_first_comes_one_seed_of_all_schemes_at_the_longest_length_with_the_first_model(tmp_path: Path) -> None:
    plan = planned(tmp_path, minutes=10_000)
    configs = progress(plan, {}).next
    assert shown(configs) == [("none", 40, (0,), FIRST.rate), ("learned", 40, (0,), FIRST.rate)]
    for each in configs:
        assert (each.model.layers, each.model.heads, each.model.width, each.model.layer_norm) == (2, 2, 64, True)
        assert each.stopping.accuracy == 1.0
        assert each.evaluation.bins
        require_trainable(each)


def test_what_a_seed_learns_is_learned_by_others_and_what_it_does_not_is_tried_otherwise(tmp_path: Path) -> None:
    plan = planned(tmp_path, minutes=10_000)
    done: Results = {}
    nope, ape = progress(plan, done).next
    add(done, [nope], 0.98)
    add(done, [ape], 0.99, 500)
    # The scheme that learned goes on with its other seeds, the one that did not with the shortest words.
    following = progress(plan, done).next
    assert shown(following) == [("none", 10, (0,), FIRST.rate), ("learned", 40, (1, 2), FIRST.rate)]
    add(done, following, 1.0, 500)
    following = progress(plan, done).next
    assert shown(following) == [("none", 10, (1, 2), FIRST.rate), ("learned", 10, (0,), FIRST.rate)]
    add(done, following, 1.0, 500)
    following = progress(plan, done).next
    assert shown(following) == [("none", 20, (0,), FIRST.rate), ("learned", 10, (1, 2), FIRST.rate)]
    add(done, following[:1], 0.5)
    add(done, following[1:], 1.0)
    # The longest words are still not learned: the ladder, beside the last training length of the other scheme.
    models = []
    while following := progress(plan, done).next:
        models += [(each.model.layers, each.model.width) for each in following if each.model.position == "none"]
        add(done, following, 0.5)
    first = (FIRST.layers, FIRST.width)
    climbed = [(rung.layers, rung.width) for rung in LADDER[1:]]
    # In the end the other seeds of all of these, as there is time.
    assert models == [*climbed, first, *climbed]


def test_nothing_is_tried_between_lengths_if_the_shortest_is_not_learned(tmp_path: Path) -> None:
    plan = planned(tmp_path, minutes=10_000, positions="none")
    done: Results = {}
    tried = []
    while configs := progress(plan, done).next:
        tried += [each.train_length for each in configs]
        add(done, configs, 0.5)
    assert set(tried) == {10, 40}
    assert all(len(each) == 3 for each in done.values() if len(each) > 1)


def test_two_of_three_seeds_that_learn_are_enough(tmp_path: Path) -> None:
    plan = planned(tmp_path, minutes=10_000, train_lengths=[40])
    done: Results = {}
    add(done, progress(plan, done).next, 1.0, 500)
    others = progress(plan, done).next
    add(done, [each.with_seeds((1,)) for each in others], 1.0, 500)
    add(done, [each.with_seeds((2,)) for each in others], 0.2)
    assert progress(plan, done).next == ()


def test_on_processes_enough_all_seeds_begin_at_once(tmp_path: Path) -> None:
    known = look_ahead("d3", {})
    request = Request.of(known.subject)
    for processes, seeds in ((5, (0,)), (6, (0, 1, 2))):
        plan = timeless(lambda n=processes: plan_of(known, request, Store(tmp_path / str(n)), n))  # type: ignore[misc]
        assert {each.seeds for each in progress(plan, {}).next} == {seeds}


def test_training_lengths_that_are_asked_for_come_first(tmp_path: Path) -> None:
    plan = planned(tmp_path, minutes=10_000, train_lengths=[10, 30, 20])
    assert sorted({each.train_length for each in progress(plan, {}).next}) == [10, 20, 30]
    assert {each.test_lengths[-1] for each in progress(plan, {}).next if each.model.position == "learned"} == {90}


def test_a_model_that_is_asked_for_is_the_only_one(tmp_path: Path) -> None:
    plan = planned(tmp_path, minutes=10_000, model="1/1/16@1e-2", train_lengths=[20])
    configs = progress(plan, {}).next
    assert {(each.model.layers, each.model.width, each.optimizer.learning_rate.hidden) for each in configs} == {
        (1, 16, 0.01)
    }
    done: Results = {}
    add(done, configs, 0.1)
    (*others,) = progress(plan, done).next
    assert shown(others) == [("none", 20, (1, 2), 0.01), ("learned", 20, (1, 2), 0.01)]
    add(done, others, 0.1)
    assert progress(plan, done).next == ()


@pytest.mark.parametrize("seed", range(20))
def test_what_comes_next_depends_on_results_alone_and_not_on_the_order_in_which_they_came(
    tmp_path: Path, seed: int
) -> None:
    rng = random.Random(seed)
    plan = planned(tmp_path, minutes=rng.choice([2, 5, 20, 200]), speed=Speed({40: rng.uniform(0.5, 4)}, 1.0))
    rounds, done = played(plan, rng, learned=0.5)
    finished = progress(plan, done)
    assert finished.next == ()
    every = [(each.settings_id, seed) for each in itertools.chain(*rounds) for seed in each.seeds]
    assert len(set(every)) == len(every)
    # Whatever is lost, only that is made again, and then all is as before.
    lost = {each for each in every if rng.random() < 0.4}
    kept = {name: [each for each in trials if (name, each.seed) not in lost] for name, trials in done.items()}
    while configs := progress(plan, kept).next:
        missing = [
            (each.settings_id, trial)
            for each in configs
            for trial in done[each.settings_id]
            if trial.seed in each.seeds and trial not in kept[each.settings_id]
        ]
        assert missing
        assert {(name, trial.seed) for name, trial in missing} <= lost
        for name, trial in missing:
            kept[name].append(trial)
    assert progress(plan, kept) == finished


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
        steps = {(name, trial.seed): trial.steps for name, trials in done.items() for trial in trials}
        runs = [
            [plan.speed.seconds(each.with_seeds((seed,)), steps[each.settings_id, seed])[0] for seed in each.seeds]
            for each in itertools.chain(*rounds)
        ]
        # Two processes cannot be quicker than half of all work.
        assert sum(map(sum, runs)) / 2 <= progress(plan, done).seconds <= plan.ceiling
        assert rounds


def test_more_minutes_never_make_fewer_steps(tmp_path: Path) -> None:
    found = [planned(tmp_path, minutes=minutes).steps for minutes in (0.01, 0.5, 1, 2, 3, 5, 10, 20, 60)]
    assert found == sorted(found)
    assert found[0] == STEPS[0]
    assert found[-1] == LADDER[0].steps


def test_what_has_no_room_is_named_with_what_it_would_take(tmp_path: Path) -> None:
    plan = planned(tmp_path, minutes=5, speed=Speed({40: 1.0, 20: 99.0, 10: 99.0}, 1.0))
    done: Results = {}
    add(done, progress(plan, done).next, 0.5)
    while configs := progress(plan, done).next:
        assert {(each.train_length, each.seeds, each.model.layers) for each in configs} == {(40, (1, 2), 2)}
        add(done, configs, 0.5)
    steps, *found = progress(plan, done).left_out
    assert steps.startswith(f"The first model was trained for at most {plan.steps:,} of ")
    again = f"symbols; with the next model of the ladder, {LADDER[1].described}, it would take up to about "
    for name in ("NoPE", "APE"):
        assert any(said.startswith(f"{name}, training length 10: it would take up to about ") for said in found)
        assert any(said.startswith(f"{name} did not learn words of up to 40 {again}") for said in found)
    assert all(said.endswith(" more.") for said in found)
    assert [said.split(",")[0].split(" ")[0] for said in found] == ["NoPE", "APE"] * (len(found) // 2)


@pytest.mark.parametrize("score", [1.0, 0.5])
def test_steps_that_there_was_no_time_for_are_named_if_they_were_missed(tmp_path: Path, score: float) -> None:
    plan = planned(tmp_path, minutes=0.05)
    done: Results = {}
    while configs := progress(plan, done).next:
        add(done, configs, score)
    said = f"The first model was trained for at most {plan.steps} of {LADDER[0].steps:,} steps."
    assert (said in progress(plan, done).left_out) == (score < 1)


def test_a_plan_that_cannot_keep_within_the_minutes_says_so(tmp_path: Path) -> None:
    def warned(target: int) -> bool:
        plan = planned(tmp_path, minutes=5, target_length=target)
        return any(line.startswith("this is more than 5 minutes") for line in lines(plan))

    assert [warned(120), warned(100_000)] == [False, True]


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


def test_a_model_of_ones_own_is_refused_where_it_would_not_be_trained(tmp_path: Path) -> None:
    with pytest.raises(LengthwiseError, match="leave --model out"):
        planned(tmp_path, "simple-task", model="4/4/128")


def test_periods_and_windows_are_those_of_a_program_unless_given(tmp_path: Path) -> None:
    def parameters(subject: str, positions: str) -> dict[str, Any]:
        (config,) = progress(planned(tmp_path, subject, positions=positions), {}).next
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
    for config in progress(plan, {}).next:
        assert RunConfig.from_json(config.to_json()) == config
        require_trainable(config)


def test_tests_beyond_three_times_the_training_length_are_for_schemes_without_a_largest_position(
    tmp_path: Path,
) -> None:
    plan = planned(tmp_path, positions="none,learned,rope,alibi,randomized")
    longest = {each.model.position: each.test_lengths[-1] for each in progress(plan, {}).next}
    assert longest == {"none": 240, "learned": 120, "rope": 240, "alibi": 240, "randomized": 120}


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a CUDA device")
def test_a_device_that_is_not_there_is_the_reason_and_not_the_position_schemes(tmp_path: Path) -> None:
    with pytest.raises(LengthwiseError, match=r"^this machine has no CUDA device"):
        planned(tmp_path, device="cuda")


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
