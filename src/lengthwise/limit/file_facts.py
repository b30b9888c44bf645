"""What the header of a model file says about the model, checked before any of it is believed.

A file is only data: anybody may have edited it. Every fact has one type, and a fact of another type is refused in one
sentence. A certificate is kept only if its seal fits the file's own weights and facts; that is checked when the model
is made. Files from before there were certificates say `certified_length` alone, which nothing supports: they are read,
but the model has no certificate.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from lengthwise.errors import LengthwiseError
from lengthwise.limit.certificate import Certificate
from lengthwise.limit.evaluation import regimes
from lengthwise.limit.evaluation.regimes import Regime
from lengthwise.limit.model import LimitTransformer, ModelError
from lengthwise.limit.transformers.transformer import Transformer


@dataclass(frozen=True)
class Facts:
    """The facts of a model file beside its tensors."""

    alphabet: tuple[str, ...]
    alphabet_is_open: bool
    outputs: tuple[str, ...]
    has_start: bool
    regime: Regime
    title: str
    heads: tuple[int, ...]
    """How many heads each layer has."""
    certificate: Certificate | None
    claimed_length: int | None
    """What the file says under `certified_length`; a claim without a certificate that fits is not believed."""

    @classmethod
    def checked(cls, facts: dict[str, Any]) -> Facts:
        """The facts in a header's dictionary.

        Args:
            facts: The parsed JSON of the header.

        Returns:
            The same facts with their types.

        Raises:
            ModelError: A fact is missing or of the wrong type.

        """
        for name, (is_right, wanted) in _EXPECTED.items():
            if name not in facts:
                raise ModelError(f"the file is damaged: {name!r} is missing")
            if not is_right(facts[name]):
                raise ModelError(f"the file is damaged: {name!r} is {wanted}, got {facts[name]!r:.60}")
        try:
            regime = regimes.parse(facts["regime"])
            given = facts.get("certificate")
            certificate = None if given is None else Certificate.from_json(given)
        except LengthwiseError as problem:
            raise ModelError(f"the file is damaged: {problem}") from None
        claimed = facts["certified_length"]
        if certificate is not None and (not certificate.seal or certificate.length != claimed):
            certificate = None
        return cls(
            tuple(facts["alphabet"]),
            facts["alphabet_is_open"],
            tuple(facts["outputs"]),
            facts["has_start"],
            regime,
            facts["title"],
            tuple(facts["heads"]),
            certificate,
            claimed,
        )


def facts_of(model: LimitTransformer | Transformer) -> dict[str, Any]:
    """The facts about a model as its file tells them."""
    return {
        "alphabet": list(model.alphabet.symbols),
        "alphabet_is_open": model.alphabet.is_open,
        "outputs": list(model.outputs),
        "has_start": model.has_start,
        "regime": str(model.regime),
        "certified_length": model.certified_length,
        "certificate": None if model.certificate is None else model.certificate.to_json(),
        "title": model.title,
        "heads": [len(layer.heads) for layer in model.layers],
    }


def parsed(text: str) -> dict[str, Any]:
    """The dictionary in a header's text; an error if it holds none."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise ModelError("the file is damaged: its facts cannot be read")
    return found


def _is_texts(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(part, str) for part in value)


def _is_count(value: object) -> bool:
    return type(value) is int and value >= 0


_TEXTS, _FLAG, _TEXT = (
    (_is_texts, "a list of texts"),
    (lambda value: isinstance(value, bool), "true or false"),
    (lambda value: isinstance(value, str), "a text"),
)
_EXPECTED = {
    "alphabet": _TEXTS,
    "alphabet_is_open": _FLAG,
    "outputs": _TEXTS,
    "has_start": _FLAG,
    "regime": _TEXT,
    "certified_length": (lambda value: value is None or _is_count(value), "a whole number of symbols or null"),
    "title": _TEXT,
    "heads": (lambda value: isinstance(value, list) and all(map(_is_count, value)), "a list of numbers of heads"),
}
