"""The norms of a trained model, from which capacity bounds are made."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lengthwise.errors import LengthwiseError

if TYPE_CHECKING:
    from lengthwise.bounds.capacity import ResidualNorms


def model_norms(
    path: str | os.PathLike[str],
    *,
    seed: int = 0,
    heads: int | None = None,
    norm_first: bool = False,
    activation: str = "relu",
    input_norm: float = 1.0,
    readout: float = 1.0,
) -> ResidualNorms:
    """Read the norms of a trained model, of which `lw.bounds.capacity.residual` makes a class of functions.

    Args:
        path: The directory of a run, or a state dict of a `torch.nn.TransformerEncoder` (.safetensors).
        seed: Of a run: which of its seeds, counted from 0.
        heads: Of a state dict: the heads of each layer.
        norm_first: Of a state dict: whether layer norm comes first.
        activation: Of a state dict: `relu` or `gelu`.
        input_norm: Of a state dict: the largest norm of a token.
        readout: Of a state dict: the norm of the linear function that makes a number of its output.

    Returns:
        The norms.

    Raises:
        LengthwiseError: There is no such model, `heads` is missing, or the model has a part that bounds do not know.

    Example:
        >>> import lengthwise as lw
        >>> lw.bounds.capacity.residual(lw.model_norms("lengthwise-runs/runs/3c9d"))  # doctest: +SKIP

    """
    from lengthwise.bounds import capacity

    file = Path(path)
    if file.is_dir():
        from lengthwise.runs import RunDirectory

        run = RunDirectory(file.resolve())
        return capacity.from_decoder(run.model(), run.config().decoder().as_json(), seed)
    if not file.exists():
        raise LengthwiseError(f"{path}: there is no such file")
    if heads is None:
        raise LengthwiseError(f"{path} does not say how many heads its layers have; give --heads")
    return capacity.from_encoder(
        _tensors(file), heads, input_norm=input_norm, readout=readout, norm_first=norm_first, activation=activation
    )


def _tensors(path: Path) -> dict[str, Any]:
    from safetensors import SafetensorError
    from safetensors.numpy import load_file

    try:
        return dict(load_file(path))
    except (OSError, SafetensorError) as problem:
        raise LengthwiseError(f"{path} cannot be read as safetensors: {problem}") from None
