"""How a module of anybody is called: with tokens, with tokens and positions, or as those of Hugging Face are."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from torch import Tensor, nn

POSITIONS = ("positions", "places", "position_ids")
"""What the second argument of a module is called, if it has a default and means positions all the same."""


def called(call: Callable[..., Any], module: nn.Module, tokens: Tensor, positions: Tensor) -> Any:
    """Call a module by whichever of the known signatures it has.

    Args:
        call: What calls it, such as the module itself.
        module: The module, whose `forward` has the signature.
        tokens: (words, length) ids.
        positions: The position ids, in the same shape.

    Returns:
        The logits that it returned, or whatever it returned instead.

    """
    wanted = inspect.signature(module.forward).parameters
    if "input_ids" in wanted:
        cache = {"use_cache": False} if "use_cache" in wanted else {}
        given = call(input_ids=tokens, **cache)
    elif wants_positions(module):
        given = call(tokens, positions)
    else:
        given = call(tokens)
    if isinstance(given, Tensor):
        return given
    return given[0] if isinstance(given, tuple) and given else getattr(given, "logits", given)


def wants_positions(module: nn.Module) -> bool:
    """Whether a module's second argument is positions: it must be given, or is called so.

    Args:
        module: The module.

    Returns:
        True if it is called with tokens and positions.

    """
    arguments = [
        each
        for each in inspect.signature(module.forward).parameters.values()
        if each.kind in (each.POSITIONAL_ONLY, each.POSITIONAL_OR_KEYWORD)
    ]
    return len(arguments) > 1 and (arguments[1].default is inspect.Parameter.empty or arguments[1].name in POSITIONS)
