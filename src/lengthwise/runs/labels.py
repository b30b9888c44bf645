"""Names for people: how a position scheme, a model size and a run are called in displays, tables and legends."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lengthwise.runs.config import RunConfig
    from lengthwise.runs.settings import ModelSettings

SCHEME_LABELS = {
    "none": "NoPE",
    "learned": "APE",
    "rope": "RoPE",
    "alibi": "ALiBi",
    "fire": "FIRE",
    "pose": "PoSE",
    "randomized": "randomized APE",
    "periodic": "periodic",
    "relative": "RPE",
}
"""The names that papers use for position schemes, by the value of `model.position`."""


def scheme_label(position: str, parameters: Mapping[str, Any] | None = None) -> str:
    """Return the name of a position scheme as papers write it.

    Args:
        position: The scheme, as `model.position` names it.
        parameters: Its parameters. `inner` changes the name of randomized positions.

    Returns:
        The usual name, or `position` itself for a scheme that has no other.

    Example:
        >>> scheme_label("none"), scheme_label("randomized", {"inner": "rope"}), scheme_label("sinusoidal")
        ('NoPE', 'randomized RoPE', 'sinusoidal')

    """
    inner = (parameters or {}).get("inner")
    if position == "randomized" and isinstance(inner, str):
        return f"randomized {scheme_label(inner)}"
    return SCHEME_LABELS.get(position, position)


def size_label(layers: int, heads: int | Sequence[int], width: int) -> str:
    """Return the size of a model as layers/heads/width.

    Args:
        layers: The number of layers.
        heads: The number of heads, of all layers or of each.
        width: The dimension of the residual stream.

    Returns:
        The three numbers with slashes; heads that differ by layer are joined by `+`.

    Example:
        >>> size_label(1, 1, 16), size_label(2, (2, 1), 64)
        ('1/1/16', '2/2+1/64')

    """
    return f"{layers}/{heads if isinstance(heads, int) else '+'.join(map(str, heads))}/{width}"


def seeds_label(seeds: Sequence[int]) -> str:
    """Return seeds in short: single ones with commas, consecutive ones as a range.

    Args:
        seeds: The seeds, in increasing order.

    Returns:
        Such as `0-7` or `3,5`.

    Example:
        >>> seeds_label([3]), seeds_label(range(8)), seeds_label([0, 2, 4])
        ('3', '0-7', '0,2,4')

    """
    ordered = list(seeds)
    if len(ordered) > 2 and ordered == list(range(ordered[0], ordered[-1] + 1)):
        return f"{ordered[0]}-{ordered[-1]}"
    return ",".join(map(str, ordered))


def run_label(run: RunConfig) -> str:
    """Return a run in words: its task, training length, position scheme, model size and seeds.

    Args:
        run: The settings of the run.

    Returns:
        The words, without a full stop.

    Example:
        >>> from lengthwise.runs.config import RunConfig
        >>> run_label(RunConfig(task="simple-task", train_length=8, test_lengths=["N"]))
        'simple-task omega=2.0 N=8, NoPE, 1/1/16, seed 0'

    """
    seeds = f"{'seed' if len(run.seeds) == 1 else 'seeds'} {seeds_label(run.seeds)}"
    return f"{run}, {scheme_of(run)}, {size_of(run.model)}, {seeds}"


def scheme_of(run: RunConfig) -> str:
    """The label of a run's position scheme; of a model other than our decoder, its name."""
    if run.model.architecture != "decoder":
        return run.model.architecture
    return scheme_label(run.model.position, run.model.position_parameters)


def size_of(model: ModelSettings) -> str:
    """The label of a model's size; of a model other than our decoder, its parameters."""
    if model.architecture != "decoder":
        values = (f"{name}={value}" for name, value in model.architecture_parameters.items() if name != "source")
        return " ".join(values) or "no parameters"
    return size_label(model.layers, model.heads, model.width)
