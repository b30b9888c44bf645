"""The experiment of a study: the same for the same request, within its time, and possible."""

import math
import re
import subprocess
import sys

import pytest

from lengthwise.errors import LengthwiseError
from lengthwise.lab.config import RunConfig
from lengthwise.lab.cost import estimated
from lengthwise.lab.plan import CORES, LADDERS, Plan, plan
from lengthwise.lab.recipes import SCHEMES
from lengthwise.lab.train import require_trainable
from lengthwise.subjects import task_of
from lengthwise.tasks import ModPTask
from lengthwise.tasks.request import lengths

TASKS = [
    "majority",
    "dyck1",
    "(aa)*",
    "(a|b)*b(a|b)*",
    "parity",
    "induction-all",
    "simple-task",
    "mod-p-task",
    "k-gram",
]
MINUTES = [0.2, 0.7, 3, 10, 60]


def planned(name: str, minutes: float = 3.0, seeds: int = 3) -> Plan:
    return plan(task_of(name), minutes, seeds)


def ids(found: Plan) -> dict[str, list[str]]:
    return {scheme: [config.id for config in configs] for scheme, configs in found.configs.items()}


# ------------------------------------------------------------------------------------------ what there is


@pytest.mark.parametrize("name", TASKS)
def test_each_scheme_has_three_training_lengths_and_tests_up_to_eight_times_as_long(name: str) -> None:
    found = planned(name)
    assert len(found.configs) >= 2
    assert set(found.configs) <= set(SCHEMES)
    for configs in found.configs.values():
        trained = [config.train_length for config in configs]
        assert len(trained) >= 3
        assert trained == sorted(set(trained))
        for config in configs:
            assert config.seeds == (0, 1, 2)
            assert len(config.test_lengths) == 4
            for test, multiple in zip(config.test_lengths, (1, 2, 4, 8), strict=True):
                assert multiple * config.train_length <= test <= multiple * config.train_length + 1


@pytest.mark.parametrize("name", TASKS)
@pytest.mark.parametrize("minutes", [0.2, 3, 120])
def test_configs_are_distinct_and_can_be_written_down_and_trained(name: str, minutes: float) -> None:
    configs = planned(name, minutes).all()
    assert len({config.id for config in configs}) == len(configs)
    for config in configs:
        assert RunConfig.from_json(config.to_json()) == config
        require_trainable(config)


def test_schemes_are_no_positions_and_learned_or_periodic_ones() -> None:
    positions = {
        name: [configs[0].model.position for configs in planned(name).configs.values()]
        for name in ("majority", "mod-p-task", "simple-task", "k-gram", "(aa)*", "parity")
    }
    assert positions == {
        "majority": ["none", "learned"],
        "mod-p-task": ["none", "periodic"],
        "simple-task": ["none", "learned"],
        "k-gram": ["none", "relative"],
        "(aa)*": ["none", "learned", "periodic"],
        "parity": ["none", "learned"],
    }


@pytest.mark.parametrize(("regex", "period"), [("(aa)*", 2), ("(aaa)*", 3), ("((aa)*b)|((aaa)*c)", 6)])
def test_periodic_positions_have_the_period_of_the_program(regex: str, period: int) -> None:
    for config in planned(regex).configs["periodic"]:
        assert config.model.position_parameters["period"] == period


@pytest.mark.parametrize(
    ("name", "layers"), [("majority", 1), ("(aa)*", 1), ("(a|b)*b(a|b)*", 1), ("dyck1", 2), ("parity", 2), ("(ab)*", 2)]
)
def test_a_model_has_as_many_layers_as_the_program_and_two_where_there_is_none(name: str, layers: int) -> None:
    assert {config.model.layers for config in planned(name).all()} == {layers}


def test_counted_tasks_have_the_settings_of_the_paper() -> None:
    config = planned("simple-task").configs["nope"][0]
    assert (config.model.layers, config.model.width, config.optimizer.batch, config.stopping.loss) == (
        1,
        16,
        1024,
        1e-5,
    )


def test_words_of_languages_and_programs_have_a_start_symbol_and_positions_for_it() -> None:
    for name, more in (("majority", 2), ("(aa)*", 1), ("induction-all", 1)):
        for config in planned(name).all():
            assert config.parameters["start"] is True
        last = planned(name).configs["ape"][-1]
        # Majority is tested at lengths T and T + 1.
        assert last.model.position_parameters["context"] == max(last.test_lengths) + more


# ------------------------------------------------------------------------------------------------- lengths


@pytest.mark.parametrize("regex", ["(aa)*", "(aaa)*", "a(bbbbb)*", "(a|b){9}(a|b)*", "(a{7})*"])
def test_gaps_in_the_lengths_of_words_are_stepped_over(regex: str) -> None:
    possible = {length for length in range(1, 3000) if re.fullmatch(regex, "a" + "b" * (length - 1))} or {
        length for length in range(1, 3000) if re.fullmatch(regex, "a" * length)
    }
    for config in planned(regex).all():
        assert config.train_length in possible
        assert len(lengths(config.get_task(), config.train_length)) >= 2
        for test, multiple in zip(config.test_lengths, (1, 2, 4, 8), strict=True):
            assert test == min(length for length in possible if length >= multiple * config.train_length)


def test_long_shortest_words_move_the_training_lengths() -> None:
    task = ModPTask(period=50)
    trained = [config.train_length for config in plan(task, 3, 3).configs["nope"]]
    assert trained[0] > task.min_length
    assert len(trained) >= 3


@pytest.mark.parametrize(("regex", "longest"), [("regex:aab", 3), ("(a|b)(a|b)?", 2), ("a{1,20}", 20)])
def test_a_finite_language_is_refused_in_one_sentence(regex: str, longest: int) -> None:
    with pytest.raises(LengthwiseError) as caught:
        plan(task_of(regex, alphabet="ab"), 3, 3)
    message = str(caught.value)
    assert message.startswith(f"{regex} has no words of ")
    assert int(message.split()[5]) > longest
    assert "\n" not in message


# ---------------------------------------------------------------------------------------------------- size


@pytest.mark.parametrize("name", TASKS)
def test_the_time_is_used_and_not_exceeded(name: str) -> None:
    smallest = planned(name, 1e-3).seconds
    for minutes in MINUTES:
        found = planned(name, minutes)
        asked = 60 * CORES * minutes
        assert found.seconds <= max(asked, smallest)
        most = max(config.stopping.steps for config in found.all())
        assert found.seconds >= 0.9 * asked or most == 20_000 or minutes <= 0.2
        assert found.seconds >= sum(estimated(config) for config in found.all())


@pytest.mark.parametrize("name", ["majority", "simple-task"])
def test_more_time_never_makes_a_smaller_experiment(name: str) -> None:
    plans = [planned(name, minutes) for minutes in MINUTES]
    longest = [max(config.train_length for config in found.all()) for found in plans]
    assert longest == sorted(longest)
    assert longest[0] < longest[-1] == LADDERS[-1][-1]
    assert [found.seconds for found in plans] == sorted(found.seconds for found in plans)


def test_more_seeds_cost_steps() -> None:
    few, many = planned("majority", 1, 3), planned("majority", 1, 6)
    assert many.all()[0].stopping.steps < few.all()[0].stopping.steps
    assert many.seconds <= 60 * CORES


@pytest.mark.parametrize("minutes", [0.01, 0.2])
def test_however_little_time_there_is_something_is_trained(minutes: float) -> None:
    for name in TASKS:
        found = planned(name, minutes)
        assert min(config.stopping.steps for config in found.all()) >= 1
        assert min(config.evaluation.words for config in found.all()) >= 32


# --------------------------------------------------------------------------------------------- determinism


def test_the_same_request_is_the_same_plan_in_another_process() -> None:
    program = (
        "from lengthwise.lab.plan import plan; from lengthwise.subjects import task_of; "
        "print([config.id for name in ('majority', '(aa)*', 'k-gram') for config in plan(task_of(name), 2, 4).all()])"
    )
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    here = [config.id for name in ("majority", "(aa)*", "k-gram") for config in planned(name, 2, 4).all()]
    assert found.stdout.strip() == str(here)


def test_minutes_and_seeds_make_another_plan() -> None:
    assert len({str(ids(planned("(aa)*", *request))) for request in ((2, 3), (3, 3), (3, 4))}) == 3


@pytest.mark.parametrize(
    ("minutes", "seeds", "message"),
    [
        (0, 3, "the minutes of an experiment are a positive number, not 0"),
        (math.inf, 3, "a positive number, not inf"),
        (math.nan, 3, "a positive number, not nan"),
        (3, 2, "at least 3 seeds; 2 are too few"),
    ],
)
def test_impossible_requests_are_refused(minutes: float, seeds: int, message: str) -> None:
    with pytest.raises(LengthwiseError, match=message):
        planned("(aa)*", minutes, seeds)
