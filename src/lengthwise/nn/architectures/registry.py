"""Models other than our decoder by name: ours, registered ones, those of packages, and classes of anybody's files.

Such a model is a PyTorch module, one for each seed: `Class(vocabulary, outputs, …)`, whose `forward(tokens, positions)`
gives logits (words, length, outputs). Further arguments are its parameters; `context` is the longest input, if it asks.
It is named by `@register_model("name")`, by an entry point of the group `lengthwise.models`, as `mine.py:Class` or as
`package.module:Class`. A digest of its file is among its parameters, so that no run is taken for one of other code.
"""

from __future__ import annotations

import hashlib
import inspect
from collections.abc import Callable, Mapping
from difflib import get_close_matches
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any, TypeVar

from torch import nn

from lengthwise.errors import LengthwiseError, UnknownNameError
from lengthwise.tasks.own_task import DIGITS, SOURCE, user_object
from lengthwise.tasks.registry import arguments_of
from lengthwise.tasks.settings import converted
from lengthwise.tasks.typed import require_known
from lengthwise.tasks.validation import PLAIN
from lengthwise.user_code import blaming, file_and_name, imported_object, is_dotted, is_ours, source_file

GROUP = "lengthwise.models"
"""The group of entry points that other packages register models under."""
DECODER = "decoder"
"""The name of our decoder (`nn.model`), whose settings are those of `ModelSettings`."""
SIZES = ("vocabulary", "outputs")
"""Arguments that the task decides."""
CONTEXT = "context"
"""The argument that is the length of the longest input, if it is not given."""

Maker = TypeVar("Maker", bound=Callable[..., nn.Module])

_MAKERS: dict[str, Callable[..., nn.Module]] = {}


class ArchitectureError(LengthwiseError):
    """A model that does not exist, cannot be made, or returns what is no logits."""


def register_model(name: str) -> Callable[[Maker], Maker]:
    """Make a class or function known as the maker of the model of this name.

    A name can be taken once. To define the same thing again, as a notebook does, replaces it.

    Args:
        name: The name.

    Returns:
        A decorator for a class or function that makes a module from `vocabulary` and `outputs`.

    Raises:
        ArchitectureError: Something else is registered under this name.

    Example:
        >>> register_model("never-used")  # doctest: +SKIP

    """

    def register(maker: Maker) -> Maker:
        _add(name, maker)
        return maker

    return register


def _add(name: str, maker: Callable[..., nn.Module]) -> None:
    if name == DECODER or (name in _MAKERS and _place(_MAKERS[name]) != _place(maker)):
        first = "the decoder of lengthwise" if name == DECODER else _place(_MAKERS[name])
        raise ArchitectureError(f"two models are called {name!r}: {first} and {_place(maker)}; rename one of them")
    _MAKERS[name] = maker


def _place(maker: Any) -> str:
    return f"{maker.__module__}.{getattr(maker, '__qualname__', repr(maker))}"


def names() -> tuple[str, ...]:
    """The names of all models, our decoder among them.

    Returns:
        The names, sorted.

    Example:
        >>> "decoder" in names()
        True

    """
    return tuple(sorted({DECODER, *_installed()}))


def _installed() -> Mapping[str, Callable[..., nn.Module]]:
    """All makers, those of installed packages included."""
    from lengthwise.nn.architectures import hybrid, lstm, state_space  # noqa: F401 - they register themselves

    for entry in entry_points(group=GROUP):
        try:
            maker = entry.load()
        except Exception as problem:  # whatever a foreign module does when it is imported
            raise ArchitectureError(
                f"the model {entry.name!r} of {entry.value} cannot be loaded: {problem}"
            ) from problem
        _add(entry.name, maker)
    return _MAKERS


def registered_by(name: str) -> str | None:
    """The module of a model that may be registered in this process alone.

    None for those of this package and of entry points, which every process knows, and for names that nobody took.
    """
    if name not in _MAKERS or is_ours(_MAKERS[name]) or name in {entry.name for entry in entry_points(group=GROUP)}:
        return None
    return _MAKERS[name].__module__


def get(name: str) -> Callable[..., nn.Module]:
    """The maker of a model.

    Args:
        name: A registered name, `mine.py:Class` or `package.module:Class`.

    Returns:
        The class or function.

    Raises:
        UnknownNameError: There is no such model.
        LengthwiseError: The file or module cannot be loaded, or has no such name.

    """
    if file_and_name(name) is not None:
        maker = user_object(name)[1]
    elif name in (makers := _MAKERS if name in _MAKERS else _installed()):
        maker = makers[name]
    elif is_dotted(name):
        maker = imported_object(name)
    else:
        near = get_close_matches(name.lower(), names()) or names()
        raise UnknownNameError(
            f"there is no model {name!r}; nearest: {', '.join(near)}; one of your own is named as in mine.py:Class or "
            "package.module:Class"
        )
    if not callable(maker) or isinstance(maker, nn.Module):
        raise ArchitectureError(
            f"{name} is of type {type(maker).__name__}; what is trained is a class of torch modules, or a function "
            "that makes one, so that each seed has a model of its own"
        )
    return maker  # type: ignore[no-any-return]


def complete(name: str, parameters: Mapping[str, Any], context: int) -> dict[str, Any]:
    """Fill in the parameters of a model that are not given.

    Args:
        name: The name of the model.
        parameters: Those that are given; text is converted to what they are annotated as.
        context: The length of the longest input.

    Returns:
        All parameters by name, with the digest of the source if the model is not one of this package.

    Raises:
        LengthwiseError: A parameter does not exist, is missing, is no plain value, or the source has changed.

    """
    maker = get(name)
    arguments = {key: each for key, each in arguments_of(maker).items() if key not in SIZES}
    given = dict(parameters)
    wanted = given.pop(SOURCE, None)
    require_known(name, given, arguments)
    found: dict[str, Any] = {}
    for key, argument in arguments.items():
        if argument.kind in (argument.VAR_POSITIONAL, argument.VAR_KEYWORD):
            continue
        if key == SOURCE:
            raise ArchitectureError(f"{name} has an argument {SOURCE!r}, which means something else here; rename it")
        if key in given:
            found[key] = converted(key, given[key], argument.annotation)
        elif key == CONTEXT:
            found[key] = context
        elif argument.default is not argument.empty:
            found[key] = argument.default
        else:
            raise ArchitectureError(
                f"{name} needs the parameter {key!r}; set model.architecture_parameters.{key}, or give it a default"
            )
        if not isinstance(found[key], PLAIN):
            raise ArchitectureError(
                f"the parameter {key!r} of {name} is of type {type(found[key]).__name__}; a parameter is a number, a "
                "truth value or text"
            )
    digest = digest_of(maker)
    if wanted is not None and wanted != digest:
        raise ArchitectureError(
            f"the file of {name} has changed: this run is about {wanted}, and the file is {digest} now; restore the "
            "file, or train anew"
        )
    return found if digest is None else {**found, SOURCE: digest}


def digest_of(maker: Any) -> str | None:
    """The digest of the file that defines a model; None for those of this package and without a file."""
    file = None if is_ours(maker) else source_file(maker)
    return None if file is None else f"sha256:{hashlib.sha256(Path(file).read_bytes()).hexdigest()[:DIGITS]}"


def made(name: str, parameters: Mapping[str, Any], vocabulary: int, outputs: int) -> nn.Module:
    """Make the module of a model; its weights come from the random numbers of torch as they are.

    Args:
        name: The name of the model.
        parameters: All its parameters, as `complete` gives them.
        vocabulary: How many symbol ids there are.
        outputs: How many numbers come out at a position.

    Returns:
        The module.

    Raises:
        LengthwiseError: There is no such model, it cannot be made, or its source has changed.

    """
    maker = get(name)
    own = complete(name, parameters, 0)
    own.pop(SOURCE, None)
    wanted = inspect.signature(maker).parameters
    sizes = {key: size for key, size in zip(SIZES, (vocabulary, outputs), strict=True) if key in wanted}
    with blaming(source_file(maker), f"{name}({', '.join(f'{key}={value!r}' for key, value in own.items())})"):
        module = maker(**sizes, **own)
    if not isinstance(module, nn.Module):
        raise ArchitectureError(f"{name} made a {type(module).__name__}; it must make a torch.nn.Module")
    return module
