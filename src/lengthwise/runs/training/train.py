"""Training: one config in, one run directory out, with the same numbers every time on the same machine.

Models that another run has already are not trained again (`lengthwise.runs.training.retest`).

All seeds of a run are trained at once, on a fresh batch at every step whose lengths are uniform among those up to the
training length. A seed leaves when a stopping rule says so, with the weights its last loss was measured on; what the
others do does not depend on it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from lengthwise.errors import LengthwiseError
from lengthwise.resources import check_time, require_memory
from lengthwise.runs.config import DECODER, ConfigError, RunConfig
from lengthwise.runs.environment import environment
from lengthwise.runs.store.draft import Draft
from lengthwise.runs.store.run_directory import RunDirectory, SeedSummary
from lengthwise.runs.training.checkpoint import FOLDER, Checkpoints, TrainingState
from lengthwise.runs.training.evaluate import evaluate, training_accuracies
from lengthwise.runs.training.feeds import feed
from lengthwise.runs.training.questions import questions
from lengthwise.runs.training.rehearsal import require_positions
from lengthwise.runs.training.retest import TRAINED_IN, taken_from, trained_alike
from lengthwise.runs.training.stopping import Stop, StoppingRule
from lengthwise.tasks.task import Task, is_counted

if TYPE_CHECKING:
    import torch

    from lengthwise.nn.config import DecoderConfig
    from lengthwise.nn.model import Decoder

BYTES_OF_A_WEIGHT = 16
"""What a weight takes with its gradient and its two averages in the optimizer."""
BYTES_OF_A_NUMBER = 4
"""What a number takes that is computed on the way."""
TABLES = ("learned", "randomized", "coupled")
"""Position schemes with a vector for each position of their context."""
LOGGED = 200
"""Steps between two lines of the metrics, if looks at the accuracy are not more frequent."""


class DeviceError(LengthwiseError):
    """The device that a run asks for is not there."""


@dataclass(frozen=True)
class Trained:
    """A model, and how the training of each of its seeds ended."""

    model: Decoder
    seeds: tuple[SeedSummary, ...]


def train_run(config: RunConfig, runs: Path, checkpoints: Path | None = None) -> RunDirectory:
    """Make the run of a config in a directory of runs.

    A run that takes longer than a minute is kept on its way, and goes on from there if it was interrupted
    (`lengthwise.runs.training.checkpoint`).

    Args:
        config: The config.
        runs: The directory of runs, `Store.runs`.
        checkpoints: The folder for checkpoints; `checkpoints` beside the directory of runs if it is not given.

    Returns:
        The directory of the finished run.

    Example:
        >>> import tempfile
        >>> config = RunConfig(task="simple-task", train_length=4, test_lengths=["N"], stopping={"steps": 1})
        >>> directory = tempfile.TemporaryDirectory()
        >>> train_run(config, Path(directory.name)).run == config.id
        True
        >>> directory.cleanup()

    """
    task = config.get_task()
    device = _device(config)
    folder = runs.parent / FOLDER if checkpoints is None else checkpoints
    with numerics(config), Draft(runs, config) as draft, Checkpoints(folder, config, device.type) as kept:
        source = trained_alike(config, runs)
        trained = train(config, task, device, draft, kept) if source is None else _retaken(config, source, device)
        tested = config.get_test_task()
        asked = questions(config, tested, trained.model, device)
        facts = {**environment(), "device": device.type, "threads": 1, "inputs": asked.name}
        if source is not None:
            draft.log(**{TRAINED_IN: source.run})
            facts[TRAINED_IN] = source.run
        draft.save_environment(facts)
        draft.save_model({name: weight.numpy(force=True) for name, weight in trained.model.state_dict().items()})
        results = evaluate(config, tested, trained.model, asked)
        for result in results:
            draft.log(seed=result.seed, test_length=result.test_length, loss=result.loss, accuracy=result.accuracy)
        directory = draft.finish(trained.seeds, results, kept.seconds)
        kept.remove()
        return directory


def folding_pays(config: RunConfig) -> bool:
    """Whether the seeds of a config are better trained in one run than in one process each.

    That is so for models on counts, which are tiny, and for devices that do many things at once; where a step takes
    long anyway, nothing is gained (measured: 704 against 421 steps per second and seed for counts, none for GPT-2).
    """
    on_counts = is_counted(config.get_task()) and config.optimizer.inputs == "auto"
    model = config.model
    return config.device != "cpu" or (on_counts and model.layers == 1 and model.position in ("none", "periodic"))


def require_trainable(config: RunConfig) -> None:
    """Refuse a config whose model or device cannot be had, before anything is run."""
    from lengthwise.nn import positions

    if config.model.architecture != DECODER:
        _require_other_trainable(config)
        return
    model = config.decoder()
    _require_memory(config, model)
    positions.settings(model.position, model.position_parameters)
    if config.optimizer.lengths == "independent" and not (model.causal and model.log_scaling != "length"):
        raise ConfigError(
            'with optimizer.lengths = "independent" words are padded, which this model would see; it has to be '
            "causal, with logits that do not depend on the length"
        )
    if config.optimizer.position_penalty and positions.build(model, 1).vectors_by_place() is None:
        raise ConfigError(
            f"the position scheme {model.position!r} adds no vectors, which optimizer.position_penalty is about; leave "
            "that out, or take a scheme that adds some, such as learned"
        )
    require_positions(config)
    _device(config)


def _require_other_trainable(config: RunConfig) -> None:
    """Refuse settings that only our decoder has, and a model that does not read the words of its task."""
    import numpy as np
    import torch

    if config.optimizer.lengths == "independent":
        raise ConfigError('optimizer.lengths = "independent" is for our decoder alone, which does not see padding')
    if config.optimizer.position_penalty:
        raise ConfigError("optimizer.position_penalty is about the position vectors of our decoder")
    device = _device(config)
    with numerics(config), torch.no_grad():
        model = config.with_seeds(config.seeds[:1]).make_model().to(device)
        batch = config.get_task().sample(config.training_lengths()[0], 1, np.random.default_rng(0))
        model(torch.from_numpy(batch.tokens).to(device))


def _require_memory(config: RunConfig, model: DecoderConfig) -> None:
    """Refuse a model whose weights, with those of the optimizer, do not fit into memory."""
    hidden, heads = (max(each) if isinstance(each, tuple) else each for each in (model.hidden, model.heads))
    keys = model.head_width or model.width
    by_layer = model.width * ((2 * model.width + 2 * keys) * (1 if model.output_matrix else heads) + 2 * hidden)
    weights = model.layers * by_layer + model.width * (model.vocabulary + model.outputs)
    what = f"a model of {model.layers} layers and width {model.width} with {len(config.seeds)} seeds"
    require_memory(BYTES_OF_A_WEIGHT * weights * len(config.seeds), what, "choose a smaller model or fewer seeds")
    context = model.position_parameters.get("context")
    if model.position in TABLES and isinstance(context, int):
        what = f"a table of {context} positions with {len(config.seeds)} seeds"
        instead = "choose a smaller model.position_parameters.context"
        require_memory(BYTES_OF_A_WEIGHT * context * model.width * len(config.seeds), what, instead)
    # What the backward pass needs of the forward pass: counts are read at one position, words at half of N on average.
    folded = folding_pays(config)
    positions = 1 if folded else config.train_length / 2
    numbers = positions * model.layers * (model.width + hidden) * (len(config.seeds) if folded else 1)
    what = f"a step on {config.optimizer.batch} words of up to {config.train_length} symbols"
    require_memory(BYTES_OF_A_NUMBER * config.optimizer.batch * numbers, what, "choose a smaller optimizer.batch")


def _retaken(config: RunConfig, source: RunDirectory, device: torch.device) -> Trained:
    """What was trained in another run."""
    model, seeds = taken_from(source, config)
    return Trained(model.to(device), seeds)


def train(config: RunConfig, task: Task, device: torch.device, draft: Draft, checkpoints: Checkpoints) -> Trained:
    """Train all seeds of a config to their ends, from their last checkpoint if there is one."""
    import torch

    from lengthwise.nn import Rates, groups
    from lengthwise.nn.optimizer import FoldedAdam
    from lengthwise.nn.position_penalty import position_penalty

    settings, log = config.optimizer, draft.log
    rates = Rates(**settings.learning_rate.model_dump())

    def optimizer_of(model: Decoder) -> FoldedAdam:
        decay, norm = settings.weight_decay, settings.max_grad_norm
        return FoldedAdam(groups(model, rates), settings.betas, weight_decay=decay, max_grad_norm=norm)

    whole = config.make_model().to(device)
    asked = questions(config, task, whole, device)
    rule, batches = StoppingRule(config.stopping, len(config.seeds)), feed(config, asked, whole)
    state = TrainingState(whole, optimizer_of(whole), rule, batches, {})
    draft.restore_metrics(checkpoints.restore(state, optimizer_of))
    while True:
        check_time()
        checkpoints.keep_if_due(state, draft.metrics)
        model, step = state.model, state.step
        losses = batches.losses(model)
        values = losses.tolist()
        at_the_end = config.stopping.accuracy is not None and step >= config.stopping.steps
        looked_at = step % config.stopping.check_every == 0 or at_the_end
        accuracies = None
        if looked_at and config.stopping.accuracy is not None:
            accuracies = training_accuracies(config, model, asked, batches.lengths)
        if looked_at or step % LOGGED == 0:
            checked = {"accuracy": dict(zip(model.seeds, accuracies, strict=True))} if accuracies else {}
            log(step=step, loss=dict(zip(model.seeds, values, strict=True)), **checked)
        stops = rule.stops(step, values, accuracies)
        for stop in stops:
            summary = _summary(model, stop, step)
            state.ended[summary.seed] = (
                summary,
                {name: each[stop.place].clone() for name, each in model.state_dict().items()},
            )
            log(step=step, seed=summary.seed, ending=summary.ending)
        stopped = {stop.place for stop in stops}
        staying = [place for place in range(model.seed_count) if place not in stopped]
        if not staying:
            break
        state.optimizer.zero_grad()
        aim = losses.sum()
        if settings.position_penalty:
            aim = aim + settings.position_penalty * position_penalty(model, settings.penalty_of).sum()
        aim.backward()  # type: ignore[no-untyped-call]
        state.optimizer.step([place in staying for place in range(model.seed_count)], _rate_factor(config, step))
        state.step += 1
        if stops:
            state.model = model.subset(staying)
            state.optimizer = state.optimizer.subset(groups(state.model, rates), staying)
            rule.keep(staying)
            batches.keep(staying)
    ends = [state.ended[seed] for seed in whole.seeds]
    whole.load_state_dict({name: torch.stack([weights[name] for _, weights in ends]) for name in whole.state_dict()})
    return Trained(whole, tuple(summary for summary, _ in ends))


def _rate_factor(config: RunConfig, step: int) -> float:
    """What learning rates are multiplied by in a step, counted from 0."""
    warm_up, end = config.optimizer.warmup, config.optimizer.decay_steps or config.stopping.steps
    if step < warm_up:
        return step / warm_up
    return 1.0 if config.optimizer.schedule == "constant" else max(0.0, (end - step) / (end - warm_up))


def _summary(model: Decoder, stop: Stop, step: int) -> SeedSummary:
    return SeedSummary(model.seeds[stop.place], step, stop.ending, stop.loss)


def _device(config: RunConfig) -> torch.device:
    import torch

    there = torch.cuda.is_available()
    if config.device == "cuda" and not there:
        raise DeviceError("this machine has no CUDA device; leave --device out, or use --device auto")
    return torch.device("cuda" if there and config.device != "cpu" else "cpu")


@contextmanager
def numerics(config: RunConfig) -> Iterator[None]:
    """One thread, as sums depend on how many there are, and the precision of the config."""
    import torch

    threads, dtype = torch.get_num_threads(), torch.get_default_dtype()
    torch.set_num_threads(1)
    torch.set_default_dtype(getattr(torch, config.dtype))
    try:
        yield
    finally:
        torch.set_num_threads(threads)
        torch.set_default_dtype(dtype)
