"""Studies: one subject decided, bounded and measured."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lengthwise.models import Format
    from lengthwise.runs.engines.engine import Engine
    from lengthwise.study import Plan, Study


def study(
    subject: object,
    minutes: float = 5.0,
    seeds: int = 3,
    *,
    target_length: int | None = None,
    train_lengths: Sequence[int] | None = None,
    positions: str | Sequence[str] | None = None,
    model: str | None = None,
    device: str = "cpu",
    store: str | os.PathLike[str] = "lengthwise-runs",
    engine: str | Engine = "local",
    announce: Callable[[str], None] | None = None,
    models: Sequence[object] = (),
    form: Format | None = None,
    **parameters: Any,
) -> Study:
    """Decide, bound and measure one subject: which training length, which position scheme, how far?

    Trains small GPT-2s unless the store has these runs already.

    Args:
        subject: What `Subject.of` takes: a text, a program, a language, an automaton, a task, a predicate.
        minutes: The most time that training may take, by estimate.
        seeds: Models for each setting, at least 3.
        target_length: L, the length at which models should work; else three times the longest training length.
        train_lengths: The training lengths to compare; else 40, and 20 and 10 as far as there is time.
        positions: Position schemes, as a list or with commas between: `none`, `learned`, `rope`, `alibi`, `fire`,
            `randomized`, `periodic`, `relative`, or registered ones; else `none` and `learned`.
        model: The only model to train, such as `4/4/128`; else 2/2/64, and larger ones while that does not learn.
        device: `cpu`, `cuda` or `auto`.
        store: Where plans and runs are kept.
        engine: `local`, `serial` or `ray`, or an engine.
        announce: Is told the verdict, the bounds and the plan, line by line, before training.
        models: Models that are not trained but scored beside the others, as `evaluate` takes them.
        form: How words reach models from elsewhere, a `lengthwise.models.Format`.
        **parameters: Those of the task, such as `omega=3`, and the `alphabet` of a regex or a predicate.

    Returns:
        The study: it draws itself in a notebook, prints itself, and `write` makes the files of `lengthwise study`.

    Raises:
        LengthwiseError: The subject or an argument is none, or no model could be trained.

    Example:
        >>> import lengthwise as lw
        >>> lw.study("majority", positions="none,rope", target_length=100).write("majority")  # doctest: +SKIP

    """
    from lengthwise.study import conduct

    options = _study_options(minutes, seeds, target_length, train_lengths, positions, model, device)
    places: dict[str, Any] = {"store": store, "engine": engine, "announce": announce}
    return conduct.study(subject, options, parameters, **places, models=models, form=form)


def plan_study(
    subject: object,
    minutes: float = 5.0,
    seeds: int = 3,
    *,
    target_length: int | None = None,
    train_lengths: Sequence[int] | None = None,
    positions: str | Sequence[str] | None = None,
    model: str | None = None,
    device: str = "cpu",
    store: str | os.PathLike[str] = "lengthwise-runs",
    engine: str | Engine = "local",
    announce: Callable[[str], None] | None = None,
    **parameters: Any,
) -> Plan:
    """Show what `study` would train and about how long it would take, and train nothing.

    Args:
        subject: What `Subject.of` takes.
        minutes: The most time that training may take, by estimate.
        seeds: Models for each setting, at least 3.
        target_length: L, the length at which models should work.
        train_lengths: The training lengths to compare.
        positions: Position schemes, as a list or with commas between.
        model: The only model to train, such as `4/4/128`.
        device: `cpu`, `cuda` or `auto`.
        store: Where a plan of this request may be kept already.
        engine: Where models would be trained; its processes are what the estimate is for.
        announce: Is told the verdict, the bounds and the plan, line by line.
        **parameters: Those of the task, and the `alphabet` of a regex or a predicate.

    Returns:
        The plan. A store that has none for this request keeps none.

    Raises:
        LengthwiseError: As for `study`.

    Example:
        >>> import lengthwise as lw
        >>> lw.plan_study("majority", announce=print)  # doctest: +SKIP

    """
    from lengthwise.study import conduct

    options = _study_options(minutes, seeds, target_length, train_lengths, positions, model, device)
    return conduct.plan(subject, options, parameters, store=store, engine=engine, announce=announce)


def _study_options(
    minutes: float,
    seeds: int,
    target_length: int | None,
    train_lengths: Sequence[int] | None,
    positions: str | Sequence[str] | None,
    model: str | None,
    device: str,
) -> dict[str, Any]:
    return {
        "minutes": minutes,
        "seeds": seeds,
        "target_length": target_length,
        "train_lengths": train_lengths,
        "positions": positions,
        "model": model,
        "device": device,
    }
