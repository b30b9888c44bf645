"""A comparison: the same settings with several position schemes and training lengths.

A scheme may not fit a task: it may need parameters that are not given, or ids that the task does not have. Then it is
left out with the reason, and the others are compared.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lengthwise.errors import LengthwiseError
from lengthwise.runs.config import RunConfig
from lengthwise.runs.grid import merged
from lengthwise.runs.labels import scheme_label
from lengthwise.runs.training.train import require_trainable


@dataclass(frozen=True)
class LeftOut:
    """A position scheme that does not fit, and why.

    Attributes:
        position: The position scheme.
        train_length: The training length at which it was left out.
        reason: Why it does not fit.

    """

    position: str
    train_length: int
    reason: str

    @property
    def sentence(self) -> str:
        """What is left out, and why."""
        return f"left out: {scheme_label(self.position)} ({self.position}) at N = {self.train_length}: {self.reason}"


@dataclass(frozen=True)
class Comparison:
    """The configs to compare, ordered by scheme and then by training length.

    Attributes:
        configs: The configs.
        left_out: The schemes that do not fit, each with the reason.

    """

    configs: tuple[RunConfig, ...]
    left_out: tuple[LeftOut, ...]


def comparison(
    settings: Mapping[str, Any],
    positions: Sequence[str],
    train_lengths: Sequence[int],
    check: Callable[[RunConfig], None] = require_trainable,
) -> Comparison:
    """Make a config for each position scheme and training length.

    Args:
        settings: All other settings of the runs, nested. A parameter of positions goes to the schemes that have it.
        positions: The schemes, as `model.position` names them.
        train_lengths: The training lengths.
        check: Raises an error if a config cannot be trained.

    Returns:
        The configs, and the schemes that were left out because they do not fit.

    Raises:
        LengthwiseError: There is no such scheme, or no scheme fits at one of the training lengths.

    Example:
        >>> found = comparison({"task": "(ab)*", "test_lengths": ["2N"]}, ["none", "rope", "relative"], [4, 8])
        >>> [(config.model.position, config.train_length) for config in found.configs]
        [('none', 4), ('none', 8), ('rope', 4), ('rope', 8)]
        >>> found.left_out[0].reason
        "the position scheme 'relative' needs the parameter 'window'"

    """
    from lengthwise.nn.positions import get

    for position in positions:
        get(position)
    configs: list[RunConfig] = []
    left_out: list[LeftOut] = []
    for position in dict.fromkeys(positions):
        for train_length in dict.fromkeys(train_lengths):
            try:
                config = RunConfig(**_with_scheme(settings, position, positions, train_length))
                check(config)
            except LengthwiseError as problem:
                left_out.append(LeftOut(position, train_length, str(problem)))
            else:
                configs.append(config)
    there = {config.train_length for config in configs}
    for each in left_out:
        if each.train_length not in there:
            raise LengthwiseError(f"{each.reason} (at N = {each.train_length}, position scheme {each.position})")
    return Comparison(tuple(configs), tuple(left_out))


def _with_scheme(
    settings: Mapping[str, Any], position: str, positions: Sequence[str], train_length: int
) -> dict[str, Any]:
    """The settings for a scheme, without parameters that others of the schemes have and this one has not."""
    from lengthwise.nn.positions import get

    chosen = merged(settings, {"train_length": train_length, "model": {"position": position}})
    given = chosen["model"].get("position_parameters", {})
    wanted = {each: get(each).wanted(given) for each in positions}
    foreign = [
        name
        for name in given
        if name not in wanted[position] and any(name in parameters for parameters in wanted.values())
    ]
    chosen["model"]["position_parameters"] = {name: value for name, value in given.items() if name not in foreign}
    return chosen
