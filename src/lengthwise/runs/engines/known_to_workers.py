"""Whether worker processes know the tasks and position schemes of a sweep.

A worker is an interpreter of its own, which imports this package and nothing of the script or notebook that started the
sweep: what only a script has registered, every worker would fail on. What comes with this package or through an entry
point is known everywhere. For anything else a worker is asked, since it may know more than can be told from here (a
module that is imported at the start of every interpreter, say), and nobody should be refused by a guess.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass
from typing import Literal

from lengthwise.runs.config import RunConfig
from lengthwise.runs.engines.engine import Engine, EngineError, Local, completed
from lengthwise.tasks import registry as tasks

GUIDES = {
    "task": "docs/howto/own-task.md",
    "position scheme": "docs/howto/own-position-scheme.md",
    "model": "docs/howto/own-model.md",
}
SECTION = "#make-it-known-everywhere"


@dataclass(frozen=True, order=True)
class Registered:
    """Something that a config asks for by its name."""

    kind: Literal["task", "position scheme", "model"]
    name: str
    module: str
    """The module that registered it here."""


def require_known(configs: Iterable[RunConfig], engine: Engine) -> None:
    """Refuse configs whose tasks or position schemes the workers of an engine would not know."""
    # An engine of this machine that is not ours may well be one that works in this process.
    has_workers = isinstance(engine, Local) or not engine.shares_disk
    doubtful = sorted(set(doubts(configs))) if has_workers else []
    if not doubtful:
        return
    with closing(completed(engine, unknown_here, [doubtful])) as outcomes:
        # If not even this works, training says so, and better.
        unknown = next(outcomes).value
    if unknown:
        raise EngineError(_refusal(unknown))


def doubts(configs: Iterable[RunConfig]) -> Iterator[Registered]:
    """What is neither of this package nor an entry point, and therefore perhaps known in this process alone."""
    for config in configs:
        # Here, so that no configs need no PyTorch.
        from lengthwise.nn.architectures import registry as architectures
        from lengthwise.nn.positions import registry as positions

        if (module := tasks.registered_by(config.task)) is not None:
            yield Registered("task", config.task, module)
        if (module := architectures.registered_by(config.model.architecture)) is not None:
            yield Registered("model", config.model.architecture, module)
        # A scheme may have another one inside.
        for name in (config.model.position, config.model.position_parameters.get("inner")):
            if isinstance(name, str) and (module := positions.registered_by(name)) is not None:
                yield Registered("position scheme", name, module)


def unknown_here(wanted: list[Registered]) -> list[Registered]:
    """Those that are not known in the process that this is called in."""
    return [each for each in wanted if each.name not in _names(each.kind)]


def _names(kind: str) -> tuple[str, ...]:
    if kind == "task":
        return tasks.registered()
    from lengthwise.nn import architectures, positions

    return architectures.names() if kind == "model" else positions.names()


def _refusal(unknown: list[Registered]) -> str:
    first, *others = unknown
    also = "".join(f", nor the {each.kind} {each.name!r}" for each in others)
    it = "them" if others else "it"
    where = "this script or notebook" if first.module == "__main__" else f"the module {first.module}"
    return (
        f"worker processes would not know the {first.kind} {first.name!r}{also}, as only {where} registers {it}; use "
        f"--engine serial, or make {it} known by the entry point of a package ({GUIDES[first.kind]}{SECTION})"
    )
