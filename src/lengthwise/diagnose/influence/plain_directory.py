"""Whether a directory of Hugging Face is only data: settings and safetensors, of sizes that its own files bear out.

Asked before transformers sees the directory, which follows what its files say: a list of weights may name a pickle
elsewhere, settings may name code to be run, another model to start from, or sizes that fill the memory.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from lengthwise.diagnose import DiagnosisError

WEIGHTS, INDEX, ADAPTER = "model.safetensors", "model.safetensors.index.json", "adapter_config.json"
PLAIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*\.safetensors")
"""The names that files of weights may have: no directories, nothing hidden."""
LARGEST_JSON = 1 << 26
"""Bytes of settings or lists that are read; lists of the largest models that are published have some millions."""
CODE = ("auto_map", "custom_pipelines", "transformers_weights")
"""Settings that name code of others to be run, or other files to be read."""
ALWAYS_FINE = 4096
"""Numbers in settings that can do no harm."""
NO_SIZES = re.compile(r"token|theta|version|seed|max_length|window|position|ctx|original|timestep|vocab_size_per")
"""Parts of the names of settings that are no sizes of weights; tables of positions are counted with the model."""
SPARE = 1 << 26
"""Numbers that a model may have beside its weights, as in tables of positions."""


def require_plain(directory: Path) -> dict[str, tuple[int, ...]]:
    """Refuse a directory that is more than data, or whose settings speak of sizes that its weights do not have.

    Args:
        directory: One that `save_pretrained` wrote, supposedly.

    Returns:
        The shapes of all tensors, by their names.

    Raises:
        DiagnosisError: A file leads outside, is no safetensors, or has settings that are more than settings.

    """
    _require_files_inside(directory)
    if (directory / ADAPTER).exists():
        raise DiagnosisError(f"{directory} has an {ADAPTER}, which names another model; save the two merged")
    settings = {path.name: _json(path) for path in sorted(directory.glob("*config*.json"))}
    for name, found in settings.items():
        for key, value in _entries(found):
            if key in CODE and value:
                raise DiagnosisError(f"{directory / name} has {key!r}, which leads to files that are not read")
    shapes = _shapes(directory)
    _require_sizes(directory, settings.get("config.json"), shapes)
    return shapes


def require_size(directory: Path, numbers: int, shapes: dict[str, tuple[int, ...]]) -> None:
    """Refuse a model of so many numbers, tables included, if the files have not nearly as many."""
    there = sum(map(math.prod, shapes.values()))
    if numbers > 4 * there + SPARE:
        raise DiagnosisError(
            f"{directory}: the config.json speaks of a model of {numbers:,} numbers, and its files hold {there:,}"
        )


def _require_files_inside(directory: Path) -> None:
    inside = directory.resolve()
    for path in directory.iterdir():
        if path.is_symlink() and inside not in path.resolve().parents:
            raise DiagnosisError(
                f"{path} is a link to {path.resolve()}, outside of the directory; copy the files, as cp -rL does"
            )


def _shapes(directory: Path) -> dict[str, tuple[int, ...]]:
    """The shapes of all tensors of the files that would be read."""
    from safetensors import SafetensorError, safe_open

    names = {WEIGHTS} if (directory / WEIGHTS).exists() else set()
    if (directory / INDEX).exists():
        listed = _json(directory / INDEX)
        named = listed.get("weight_map") if isinstance(listed, dict) else None
        if not isinstance(named, dict) or not named:
            raise DiagnosisError(f"{directory / INDEX} does not say which file has which tensor")
        for name in named.values():
            if not isinstance(name, str) or not PLAIN.fullmatch(name):
                raise DiagnosisError(
                    f"{directory / INDEX} names {name!r:.80}, which is no *.safetensors file of the directory"
                )
        names |= set(named.values())
    if not names:
        raise DiagnosisError(
            f"{directory} has no causal language model that can be loaded: it has neither {WEIGHTS} nor {INDEX}"
        )
    shapes: dict[str, tuple[int, ...]] = {}
    for name in sorted(names):
        path = directory / name
        if not path.is_file():
            raise DiagnosisError(f"{directory} has no file {name}, which would hold weights")
        try:
            with safe_open(path, framework="np") as file:
                shapes |= {each: tuple(file.get_slice(each).get_shape()) for each in file.keys()}  # noqa: SIM118
        except (SafetensorError, OSError) as problem:
            reason = " ".join(str(problem).split())
            raise DiagnosisError(
                f"{directory} has no causal language model that can be loaded: {name} is no safetensors file: {reason}"
            ) from None
    return shapes


def _require_sizes(directory: Path, settings: object, shapes: dict[str, tuple[int, ...]]) -> None:
    """Refuse whole numbers in settings that are larger than anything in the files."""
    if not isinstance(settings, dict):
        raise DiagnosisError(f"{directory / 'config.json'} has no settings by name")
    most = max([ALWAYS_FINE, len(shapes), *(side for shape in shapes.values() for side in shape)])
    for key, value in _entries(settings):
        if type(value) is int and abs(value) > most and not NO_SIZES.search(key):
            largest = max((side for shape in shapes.values() for side in shape), default=0)
            raise DiagnosisError(
                f"{directory / 'config.json'} says {key} = {value}, and the largest side of its tensors is {largest}"
            )


def _entries(found: object) -> Iterator[tuple[str, Any]]:
    """All names with their values, of all depths; the numbers of a list under the name of the list."""
    waiting: list[tuple[str, object]] = [("", found)]
    while waiting:
        key, value = waiting.pop()
        if isinstance(value, dict):
            waiting += [(str(each), inner) for each, inner in value.items()]
            yield from ((str(each), inner) for each, inner in value.items())
        elif isinstance(value, list):
            waiting += [(key, inner) for inner in value]
            yield from ((key, inner) for inner in value)


def _json(path: Path) -> object:
    try:
        if path.stat().st_size > LARGEST_JSON:
            raise DiagnosisError(f"{path} has more than {LARGEST_JSON:,} bytes, which settings never have")
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as problem:
        reason = "it is nested too deeply" if isinstance(problem, RecursionError) else problem
        raise DiagnosisError(f"{path} cannot be read as JSON: {reason}") from None
