import copy
import pickle
import subprocess
import sys
from typing import Any

import pytest

from lengthwise.errors import LengthwiseError
from lengthwise.runs.config import ConfigError, RunConfig
from tests.runs.stand_in import config

CHANGES: list[dict[str, Any]] = [
    {},
    {"task": "mod-p-task", "parameters": {"period": 3}},
    {"task": "(ab)*", "test_lengths": [4, 8]},
    {
        "parameters": {"omega": 2.5},
        "model": {"heads": [2, 1], "layers": 2, "position": "periodic", "position_parameters": {"period": 3}},
    },
    {"stopping": {"loss": None, "rule": "moving-average"}, "dtype": "float64", "seeds": [3, 1]},
]

IDS = ["42d8f4251aa54fde", "66f3567a4be85436", "740b917585daf36b", "1ab59374fdfe0118", "821bca72f830eac7"]


@pytest.mark.parametrize("changes", CHANGES)
def test_a_config_survives_every_way_of_writing_it(changes: dict[str, Any]) -> None:
    made = config(**changes)
    for again in (
        RunConfig.from_toml(made.to_toml()),
        RunConfig.from_json(made.to_json()),
        RunConfig.from_store(made.settings()),
        pickle.loads(pickle.dumps(made)),  # noqa: S301 - our own
        copy.deepcopy(made),
    ):
        assert again == made
        assert again.id == made.id
        assert hash(again) == hash(made)


def test_ids_stay_what_they_are() -> None:
    """Finished runs are found by their ids: if this fails, a default has changed, and with it what old runs mean."""
    assert [config(**changes).id for changes in CHANGES] == IDS


def test_settings_that_had_another_name_are_still_read_under_it_and_make_the_same_run() -> None:
    before = config(optimizer={"rates": {"hidden": 0.5}, "warm_up": 3, "longest_gradient": 2.0})
    assert before == config(optimizer={"learning_rate": {"hidden": 0.5}, "warmup": 3, "max_grad_norm": 2.0})
    assert before.id == "8829d2bd69f20051"
    assert before.value("optimizer.max_grad_norm") == 2.0
    with pytest.raises(ConfigError, match=r"there is no setting 'optimizer\.warm_up'; did you mean optimizer\.warmup"):
        config(optimizer={"warm_up": 3, "warmup": 3})


def test_the_same_settings_written_differently_have_the_same_id() -> None:
    plain = config(parameters={"omega": 2}, test_lengths=[4, 8], seeds=[0, 1])
    written: list[dict[str, Any]] = [
        {"parameters": {}},
        {"parameters": {"omega": 2.0}},
        {"parameters": {"omega": "2"}},
        {"test_lengths": ["2N", 4, "N"]},
        {"seeds": 2},
        {"seeds": (1, 0)},
        {"model": {"width": 16, "heads": 1}},
        {"model": {"heads": [1], "hidden": (256,)}},
        {"stopping": {"loss": 1e-5}},
    ]
    assert {config(**changes).id for changes in written} == {plain.id}


def test_every_setting_is_part_of_the_id() -> None:
    changes: list[dict[str, Any]] = [
        {"parameters": {"omega": 3}},
        {"train_length": 5, "test_lengths": [5, 8]},
        {"test_lengths": [4, 9]},
        {"seeds": 3},
        {"model": {"width": 8}},
        {"model": {"activation": "gelu"}},
        {"optimizer": {"batch": 512}},
        {"stopping": {"steps": 1}},
        {"stopping": {"loss": "none"}},
        {"evaluation": {"words": 5}},
        {"dtype": "float64"},
    ]
    assert len({config(**change).id for change in (*changes, {})}) == len(changes) + 1


def test_other_seeds_are_another_run_of_the_same_settings() -> None:
    one, more = config(seeds=1), config(seeds=8)
    assert one.id != more.id
    assert one.settings_id == more.settings_id
    assert one.with_seeds(more.seeds) == more


def test_a_config_cannot_be_changed() -> None:
    made = config()
    with pytest.raises(ValueError, match="frozen"):
        made.train_length = 8
    with pytest.raises(TypeError, match="item assignment"):
        made.parameters["omega"] = 3  # type: ignore[index]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"model": {"widht": 3}}, "there is no setting 'model.widht'; did you mean model.width"),
        ({"width": 3}, "there is no setting 'width'; did you mean model.width?"),
        ({"test_lengths": [2]}, "has 2, which is shorter than the training length 4; test at 4 or more"),
        ({"test_lengths": ["3M"]}, "'test_lengths.0' should be a valid integer"),
        ({"test_lengths": []}, "should be at least one length"),
        ({"seeds": 0}, "should be at least one number"),
        ({"seeds": [1, 1]}, "should be different numbers"),
        ({"task": None, "model": {"width": 3}}, "'task' should be a valid string, got None"),
        ({"task": "simpel-task"}, "there is no program, language or task 'simpel-task'; did you mean simple-task"),
        ({"parameters": {"omga": 2}}, "simple-task has no parameter 'omga'; it has omega"),
        ({"train_length": 0}, "'train_length' should be greater than or equal to 1, got 0"),
        ({"model": {"activation": "tanh"}}, "'model.activation' should be 'relu', 'gelu' or 'gelu-tanh', got 'tanh'"),
        ({"optimizer": {"batch": 10, "parts": 3}}, "the 10 words of a batch do not make 3 equal parts"),
        ({"stopping": {"accuracy": 0.9}}, "simple-task is a regression, which has no accuracy to stop at"),
        ({"task": "(aa)*", "test_lengths": [7]}, "no words of the test length 7; the nearest lengths with words: 6, 8"),
        ({"task": "mod-p-task", "parameters": {"period": 20}}, "no words of up to 4 symbols; its shortest have 20"),
    ],
)
def test_settings_that_make_no_run_are_refused_in_one_sentence(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(LengthwiseError) as problem:
        config(**changes)
    assert message in str(problem.value)
    assert "\n" not in str(problem.value)


def test_text_that_is_no_config_is_refused(tmp_path: Any) -> None:
    for read, text in ((RunConfig.from_toml, "task = "), (RunConfig.from_json, "{"), (RunConfig.from_json, "[1]")):
        with pytest.raises(ConfigError, match="the settings are"):
            read(text)
    with pytest.raises(ConfigError, match=r"neither a \.toml nor a \.json"):
        RunConfig.from_file(tmp_path / "run.yaml")
    with pytest.raises(ConfigError, match=r"run\.toml cannot be read: No such file"):
        RunConfig.from_file(tmp_path / "run.toml")
    (tmp_path / "run.toml").write_text('task = "simple-task"')
    with pytest.raises(ConfigError, match=r"run\.toml: the setting 'train_length' is missing"):
        RunConfig.from_file(tmp_path / "run.toml")


def test_periods_and_contexts_come_from_the_task_and_the_lengths() -> None:
    periodic = config(task="mod-p-task", parameters={"period": 4}, model={"position": "periodic"})
    assert periodic.settings()["model"]["position_parameters"] == {"period": 4}
    learned = config(model={"position": "learned"}, test_lengths=[4, 32])
    assert learned.settings()["model"]["position_parameters"] == {"context": 32}


def test_models_and_learning_rates_have_the_defaults_of_nn() -> None:
    from dataclasses import asdict

    from lengthwise.nn import DecoderConfig, Rates

    assert config().decoder() == DecoderConfig(vocabulary=3, outputs=1)
    other = {"architecture", "architecture_parameters"}
    of_the_task = {"vocabulary", "outputs", "read"}
    assert set(config().settings()["model"]) - other == set(asdict(config().decoder())) - of_the_task
    assert config().settings()["optimizer"]["learning_rate"] == asdict(Rates())
    assert config(task="(ab)*").decoder().read == "all"


def test_configs_and_stores_do_not_wait_for_torch() -> None:
    code = "import sys, lengthwise.runs.sweep, tests.runs.stand_in as s; s.config(); print('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "False\n"


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"evaluation": {"words": 10**9}}, "evaluation.words is 1000000000, and the limit is 10,000,000 at each"),
        ({"evaluation": {"batch": 10**20}}, "evaluation.batch is at most 9223372036854775807, not 1"),
        ({"stopping": {"window": 10**20}}, "stopping.window is at most"),
        ({"model": {"heads": [10**20]}}, "model.heads is at most"),
        (
            {"model": {"position": "pose", "position_parameters": {"context": 10**20}}},
            "model.position_parameters.context is at most",
        ),
    ],
)
def test_numbers_beyond_all_use_are_refused_with_the_limit_and_the_setting(
    changes: dict[str, Any], message: str
) -> None:
    with pytest.raises(ConfigError, match=message):
        config(**changes)


def test_a_seed_of_test_words_may_be_any_number() -> None:
    assert config(evaluation={"seed": 10**30, "words": 10**7}).evaluation.seed == 10**30
