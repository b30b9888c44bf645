from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest
import torch

from lengthwise import tasks
from lengthwise.errors import LengthwiseError
from lengthwise.nn import Decoder
from lengthwise.runs.config import RunConfig
from lengthwise.runs.engines.engine import Serial
from lengthwise.runs.grid import merged
from lengthwise.runs.store.run_directory import RunDirectory
from lengthwise.runs.store.store import Store
from lengthwise.runs.sweep import run_sweep
from lengthwise.runs.training.evaluate import evaluate
from lengthwise.runs.training.feeds import CountFeed, Supply, TokenFeed, feed
from lengthwise.runs.training.questions import CountQuestions, TokenQuestions, questions
from lengthwise.runs.training.streams import TESTING, stream
from lengthwise.runs.training.train import _rate_factor, train_run
from lengthwise.tasks import Batch, CountBatch, CountedTask, Task

SMALL: dict[str, Any] = {
    "task": "simple-task",
    "train_length": 6,
    "test_lengths": ["N", "3N"],
    "seeds": 3,
    "model": {"width": 4, "hidden": 8},
    "optimizer": {"batch": 32},
    "stopping": {"steps": 12, "check_every": 4},
    "evaluation": {"words": 40, "batch": 16},
}


def small(**changes: Any) -> RunConfig:
    return RunConfig(**merged(SMALL, changes))


TOKENS = {"optimizer": {"inputs": "tokens"}}
PERIODIC = {"task": "mod-p-task", "parameters": {"period": 3}, "model": {"position": "periodic"}}
KINDS: dict[str, dict[str, Any]] = {
    "counts": {},
    "counts, one length a batch": {"optimizer": {"lengths": "per-batch"}},
    "counts, period": PERIODIC,
    "counts, scaled logits": {"model": {"log_scaling": "length"}},
    "tokens": TOKENS,
    "tokens, one length a batch": merged(TOKENS, {"optimizer": {"lengths": "per-batch"}}),
    "two layers": {"task": "k-gram", "model": {"layers": 2, "heads": [2, 1]}},
    "learned positions": merged(TOKENS, {"model": {"position": "learned"}}),
    "penalty, decay, schedule": merged(
        TOKENS,
        {
            "model": {"position": "learned", "heads": 2},
            "optimizer": {"position_penalty": 0.5, "weight_decay": 0.1, "schedule": "linear"},
        },
    ),
    "language": {"task": "(ab)*", "test_lengths": [6, 12]},
    "language, words padded": {
        "task": "a*b*",
        "test_lengths": [6, 12],
        "model": {"position": "learned", "layers": 2},
        "optimizer": {"lengths": "independent", "max_grad_norm": 0.1, "warmup": 5},
        "evaluation": {"bins": True},
    },
    "answers, words padded": {
        "task": "task:copy-repeat",
        "test_lengths": [6, 12],
        "model": {"layer_norm": True, "tied": True},
        "optimizer": {"lengths": "independent"},
    },
    "double precision": {"dtype": "float64"},
}


def contents(run: RunDirectory) -> dict[int, Any]:
    """By seed all that a run found out: how it ended, its results, its weights."""
    _, done = run.verified()
    weights = run.model()
    return {
        summary.seed: (
            summary,
            [result for result in done.results if result.seed == summary.seed],
            {name: weight[place].tobytes() for name, weight in weights.items()},
        )
        for place, summary in enumerate(done.seeds)
    }


@pytest.mark.parametrize(
    "kind", [pytest.param(kind, marks=[] if kind == "counts" else pytest.mark.slow) for kind in KINDS]
)
def test_seeds_have_the_same_bits_however_they_are_folded_and_whenever_others_stop(kind: str, tmp_path: Path) -> None:
    config = small(**KINDS[kind])
    losses_at_some_step = [line["loss"] for line in train_run(config, tmp_path).metrics() if line.get("step") == 8]
    middle = sorted(losses_at_some_step[0].values())[1]
    # With this threshold some seeds stop early and some do not.
    config = small(**merged(KINDS[kind], {"stopping": {"loss": middle}}))
    together = contents(train_run(config, tmp_path))
    assert len({summary.steps for summary, *_ in together.values()}) > 1
    for seed in config.seeds:
        assert contents(train_run(config.with_seeds((seed,)), tmp_path)) == {seed: together[seed]}


def test_the_same_run_has_the_same_bits_again(tmp_path: Path) -> None:
    runs = [train_run(small(), tmp_path / name) for name in ("one", "two")]
    assert contents(runs[0]) == contents(runs[1])
    assert list(runs[0].metrics()) == list(runs[1].metrics())


def test_the_accuracy_is_logged_where_it_is_checked_and_a_seed_stops_at_the_first_that_is_enough(
    tmp_path: Path,
) -> None:
    stopping = {"steps": 200, "accuracy": 0.5, "loss": None, "check_every": 20}
    run = train_run(small(task="(ab)*", parameters={}, test_lengths=["N"], stopping=stopping), tmp_path)
    lines = [line for line in run.metrics() if "loss" in line and "step" in line]
    assert all(("accuracy" in line) == (line["step"] % 20 == 0) for line in lines)
    ends = {seed.seed: seed for seed in run.done().seeds}
    assert "accuracy" in {seed.ending for seed in ends.values()}
    for seed, end in ends.items():
        checked = [line["accuracy"][str(seed)] for line in lines if str(seed) in line["accuracy"]]
        # The first look is before training, and never ends it.
        assert all(accuracy < 0.5 for accuracy in checked[1:-1])
        assert (checked[-1] >= 0.5) == (end.ending == "accuracy")
    free = train_run(small(task="(ab)*", parameters={}, test_lengths=["N"]), tmp_path)
    assert not any("accuracy" in line for line in free.metrics() if "step" in line)


def test_without_steps_the_weights_are_those_a_model_starts_with(tmp_path: Path) -> None:
    config = small(stopping={"steps": 0})
    weights = train_run(config, tmp_path).model()
    for name, weight in Decoder(config.decoder(), config.seeds).state_dict().items():
        np.testing.assert_array_equal(weights[name], weight.numpy())


def test_a_seed_keeps_the_weights_that_its_last_loss_was_measured_on(tmp_path: Path) -> None:
    """After the steps at which a threshold stopped it, a seed without a threshold has the same weights."""
    free = train_run(small(seeds=1), tmp_path)
    reached = {line["step"]: line["loss"]["0"] for line in free.metrics() if "loss" in line and "step" in line}
    stopped = contents(train_run(small(seeds=1, stopping={"loss": reached[4] * 1.0001}), tmp_path))[0]
    assert stopped[0].ending == "loss"
    counted = contents(train_run(small(seeds=1, stopping={"steps": stopped[0].steps}), tmp_path))[0]
    assert stopped[2] == counted[2]
    assert stopped[1] == counted[1]


@pytest.mark.slow
def test_with_a_linear_schedule_the_last_step_is_a_small_one(tmp_path: Path) -> None:
    config = small(optimizer={"schedule": "linear"}, stopping={"steps": 4})
    assert [_rate_factor(config, step) for step in range(4)] == [1.0, 0.75, 0.5, 0.25]
    assert [_rate_factor(small(), step) for step in (0, 11)] == [1.0, 1.0]
    weights = {
        (schedule, steps): train_run(
            small(optimizer={"schedule": schedule}, stopping={"steps": steps}), tmp_path
        ).model()
        for schedule in ("constant", "linear")
        for steps in (1, 2)
    }
    for name, start in weights["constant", 1].items():
        # The first steps are alike; Adam's second has the size of its rate, of which half is left.
        assert np.array_equal(start, weights["linear", 1][name])
        whole, half = (
            weights[schedule, 2][name].astype(np.float64) - start.astype(np.float64)
            for schedule in ("constant", "linear")
        )
        np.testing.assert_allclose(half, whole / 2, rtol=0, atol=1e-7)


def test_training_makes_the_loss_small(tmp_path: Path) -> None:
    config = small(stopping={"steps": 300}, optimizer={"batch": 256}, model={"hidden": 64}, seeds=2)
    first = next(train_run(config, tmp_path).metrics())["loss"]
    _, done = RunDirectory(tmp_path / config.id).verified()
    assert all(summary.loss < 0.05 * first[str(summary.seed)] for summary in done.seeds)


def test_counts_and_words_are_the_same_question() -> None:
    config = small(**PERIODIC)
    task = tasks.get("mod-p-task", period=3)
    assert isinstance(task, CountedTask)
    model = Decoder(config.decoder(), config.seeds)
    batch = task.sample(11, 50, np.random.default_rng(0))
    residues = np.arange(1, 12) % 3
    counts = np.stack(
        [[((row == s)[:, None] & (residues[:, None] == range(3))).sum(0) for s in (0, 1)] for row in batch.tokens]
    )
    counted = CountBatch(counts, batch.tokens[:, -1], np.full(50, 11), batch.targets)
    by_counts = CountQuestions(task, torch.device("cpu")).losses(model, [counted] * 3)
    by_words = TokenQuestions(task, torch.device("cpu")).losses(model, [batch] * 3)
    torch.testing.assert_close(by_counts, by_words, rtol=1e-5, atol=1e-6)


def test_a_run_says_whether_it_was_trained_on_counts(tmp_path: Path) -> None:
    wanted = {"counts": "counts", "counts, period": "counts", "tokens": "tokens", "two layers": "tokens"}
    for kind, inputs in wanted.items():
        config = small(**merged(KINDS[kind], {"stopping": {"steps": 1}}))
        assert train_run(config, tmp_path).environment()["inputs"] == inputs


def test_positions_whose_period_the_counts_do_not_know_are_trained_on_words() -> None:
    config = small(model={"position": "periodic", "position_parameters": {"period": 2}})
    model = Decoder(config.decoder(), config.seeds)
    assert isinstance(questions(config, config.get_task(), model, torch.device("cpu")), TokenQuestions)


def test_lengths_of_counted_words_are_uniform_and_independent() -> None:
    task = tasks.get("simple-task")
    assert isinstance(task, CountedTask)
    supply = Supply(task, range(1, 9), 64, True, np.random.default_rng(1))
    found = np.array([supply.batch().counts.sum((1, 2)) for _ in range(200)])
    expected = found.size / 8
    chi = sum((np.count_nonzero(found == length) - expected) ** 2 / expected for length in range(1, 9))
    assert chi < 24.3  # 7 degrees of freedom: one in a thousand is above
    means = found.mean(1)
    assert means.std() == pytest.approx(np.sqrt(63 / 12 / 64), rel=0.25)


def test_counted_words_come_with_their_lengths() -> None:
    task = tasks.get("mod-p-task", period=3)
    assert isinstance(task, CountedTask)
    for per_word in (True, False):
        batch = Supply(task, range(3, 11), 80, per_word, np.random.default_rng(1)).batch()
        np.testing.assert_array_equal(batch.counts.sum((1, 2)), batch.lengths)
        assert (len(set(batch.lengths)) > 1) is per_word


def test_parts_of_a_batch_of_words_cover_all_lengths_evenly() -> None:
    config = small(**merged(TOKENS, {"train_length": 16, "test_lengths": [16]}))
    model = Decoder(config.decoder(), config.seeds)
    asked = questions(config, config.get_task(), model, torch.device("cpu"))
    batches = feed(config, asked, model)
    assert isinstance(batches, TokenFeed)
    drawn: list[int] = []
    sample = asked.task.sample

    class Watched:
        """A task that takes down the lengths that are asked of it."""

        loss = asked.task.loss

        def sample(self, length: int, batch: int, rng: np.random.Generator) -> Batch:
            drawn.append(length)
            return sample(length, batch, rng)

    batches._asked.task = cast(Task, Watched())
    for _ in range(3):
        drawn.clear()
        batches.losses(model)
        assert [(length - 1) // 2 for length in drawn[::3]] == list(range(8))
        assert drawn[::3] == drawn[1::3] == drawn[2::3]


def test_a_seed_draws_other_words_than_its_neighbour() -> None:
    config = small()
    model = Decoder(config.decoder(), config.seeds)
    asked = questions(config, config.get_task(), model, torch.device("cpu"))
    batches = feed(config, asked, model)
    assert isinstance(batches, CountFeed)
    first, second, _ = (supply.batch().counts for supply in batches._supplies)
    assert (first != second).any()


def test_periodic_tasks_are_tested_over_all_residues(tmp_path: Path) -> None:
    config = small(**merged(PERIODIC, {"stopping": {"steps": 1}, "evaluation": {"words": 90, "batch": 90}}))
    run = train_run(config, tmp_path)
    model = Decoder(config.decoder(), config.seeds)
    model.load_state_dict({name: torch.from_numpy(weight) for name, weight in run.model().items()})
    task = config.get_task()
    expected = np.zeros(3)
    with torch.no_grad():
        for length in (6, 7, 8):
            assert isinstance(task, CountedTask)
            batch = task.sample_counts(length, 30, stream(0, TESTING, length))
            asked = CountQuestions(task, torch.device("cpu"))
            expected += asked.losses(model, [batch] * 3).numpy() / 3
    _, done = run.verified()
    np.testing.assert_allclose([result.loss for result in done.results if result.test_length == 6], expected, rtol=1e-6)
    assert {result.words for result in done.results} == {90}


def test_accuracy_is_the_share_of_words_that_are_right_everywhere() -> None:
    config = small(task="(ab)*", test_lengths=[6])
    task = config.get_task()

    class Oracle(Decoder):
        """Knows the language, but takes each word whose number is a multiple of four to end at its third symbol."""

        def forward(self, tokens: torch.Tensor, places: torch.Tensor | None = None) -> torch.Tensor:
            language = task.language
            assert language is not None
            right = torch.from_numpy(language.next_symbols_batch(tokens.numpy())[:, 1:])
            right[::4, 2, -1] = ~right[::4, 2, -1]
            return (right.float() * 20 - 10).expand(self.seed_count, *right.shape)

    model = Oracle(config.decoder(), config.seeds)
    scores = TokenQuestions(task, torch.device("cpu")).scores(model, 6, 40, np.random.default_rng(0))
    assert scores.accuracies == [0.75] * 3
    assert scores.losses[0] == pytest.approx(10 / 4 / 6 / 3, rel=1e-3)


@pytest.mark.slow
def test_accepting_programs_are_tested_at_even_and_odd_lengths(tmp_path: Path) -> None:
    """A model that says yes throughout is right on ties, which odd lengths do not have."""
    config = small(
        task="majority",
        parameters={"start": True},
        seeds=1,
        train_length=2,
        test_lengths=[2],
        stopping={"steps": 0},
        evaluation={"words": 4000, "batch": 1000},
    )
    task, model = config.get_task(), Decoder(config.decoder(), config.seeds)
    with torch.no_grad():
        for weight in model.parameters():
            weight.zero_()
        model.embedding.fill_(1.0)
        model.get_parameter("unembedding").fill_(1.0)
    (result,) = evaluate(config, task, model, TokenQuestions(task, torch.device("cpu")))
    accepted = [
        float(task.sample(length, 2000, stream(0, TESTING, length)).targets[:, -1, 0].mean()) for length in (2, 3)
    ]
    assert result.accuracy == pytest.approx(sum(accepted) / 2, abs=0.02)
    assert accepted[0] > accepted[1] + 0.1
    assert result.words == 4000


def test_a_word_of_an_accepting_program_is_right_if_its_last_answer_is() -> None:
    config = small(task="majority", parameters={"start": True}, optimizer={"inputs": "tokens"}, seeds=2)
    task, model = config.get_task(), Decoder(config.decoder(), config.seeds)
    asked = TokenQuestions(task, torch.device("cpu"))
    with torch.no_grad():
        found = asked.scores(model, 9, 200, stream(0, TESTING, 9))
        batch = task.sample(9, 200, stream(0, TESTING, 9))
        outputs = model(torch.from_numpy(batch.tokens))
    ones = batch.tokens == task.alphabet.symbols.index("1")
    zeros = batch.tokens == task.alphabet.symbols.index("0")
    accepted = ones.sum(axis=1) >= zeros.sum(axis=1)
    shares = [float(((outputs[seed, :, -1, 0] > 0).numpy() == accepted).mean()) for seed in range(2)]
    assert found.accuracies == pytest.approx(shares)
    assert batch.mask[:, 1:].all()
    assert not batch.mask[:, 0].any()


def test_a_language_is_learned_until_its_accuracy_is_reached(tmp_path: Path) -> None:
    config = small(
        task="(ab)*",
        test_lengths=[6],
        seeds=1,
        stopping={"steps": 400, "loss": "none", "accuracy": 1.0, "check_every": 20},
    )
    _, done = train_run(config, tmp_path).verified()
    assert done.seeds[0].ending == "accuracy"
    assert done.seeds[0].steps % 20 == 0
    assert done.results[0].accuracy == 1.0


def test_a_seed_that_diverges_is_kept_in_the_record(tmp_path: Path) -> None:
    config = small(optimizer={"learning_rate": {"embedding": 1e30, "hidden": 1e30}})
    _, done = train_run(config, tmp_path).verified()
    assert {summary.ending for summary in done.seeds} == {"diverged"}
    assert len(done.results) == 6


def test_training_leaves_the_settings_of_torch_as_they_were(tmp_path: Path) -> None:
    before = torch.get_num_threads(), torch.get_default_dtype()
    train_run(small(dtype="float64", stopping={"steps": 1}), tmp_path)
    assert (torch.get_num_threads(), torch.get_default_dtype()) == before


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"model": {"position": "perodic"}}, "there is no position scheme 'perodic'; nearest: periodic"),
        ({"model": {"layers": 2, "heads": [1]}}, "heads lists 1 numbers for 2 layers"),
        ({"model": {"position": "rope", "position_parameters": {"x": 1}}}, "has no parameter 'x'"),
        pytest.param(
            {"device": "cuda"},
            "this machine has no CUDA device; leave --device out, or use --device auto",
            marks=pytest.mark.skipif(torch.cuda.is_available(), reason="there is a CUDA device here"),
        ),
    ],
)
def test_what_cannot_be_trained_is_refused_before_anything_is_run(
    changes: dict[str, Any], message: str, tmp_path: Path
) -> None:
    with pytest.raises(LengthwiseError) as problem:
        run_sweep([small(**changes)], Store(tmp_path), Serial())
    assert message in str(problem.value)
    assert not (tmp_path / "runs").exists()
