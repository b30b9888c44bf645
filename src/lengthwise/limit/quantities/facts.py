"""A model's sizes and the quantities of the theory, where they are defined, as plain data and as text."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

from lengthwise.limit.files import ORDINARY, kind_of, load, load_transformer
from lengthwise.limit.model import LimitTransformer, ModelError
from lengthwise.limit.quantities.behaviour import behaviours
from lengthwise.limit.quantities.complexity import limit_complexity, transformer_complexity
from lengthwise.limit.quantities.constants import one_layer_constants, two_layer_constants
from lengthwise.limit.quantities.margins import hardmax_length, logit_margin, positional_margin
from lengthwise.limit.transformers.transformer import Transformer


def facts_of_file(path: Path) -> dict[str, Any]:
    """Everything that can be said about a model file; a quantity that is not defined for it says why."""
    model = load_transformer(path) if kind_of(path) == ORDINARY else load(path)
    facts: dict[str, Any] = {
        "file": str(path),
        "kind": "limit transformer" if isinstance(model, LimitTransformer) else "transformer",
        "title": model.title,
        "layers": len(model.layers),
        "heads": [len(layer.heads) for layer in model.layers],
        "width": model.width,
        "alphabet": list(model.alphabet.symbols),
        "outputs": list(model.outputs),
        "regime": str(model.regime),
        "certified_length": model.certified_length,
        "certificate": None if model.certificate is None else model.certificate.to_json(),
    }
    return facts | (_limit_facts(model) if isinstance(model, LimitTransformer) else _ordinary_facts(model))


def _limit_facts(model: LimitTransformer) -> dict[str, Any]:
    return {
        "parameters": model.parameters,
        "period": model.period,
        "window": model.window,
        "logit_margin": _or_reason(lambda: logit_margin(model)),
        "hardmax_length": _or_reason(lambda: hardmax_length(model)),
        "positional_margin": _or_reason(lambda: positional_margin(model)),
        "behaviour": _or_reason(lambda: [[found.value for found in layer] for layer in behaviours(model)]),
        "one_layer_constants": _or_reason(lambda: _numbers(one_layer_constants(model))),
        "two_layer_constants": _or_reason(lambda: _numbers(two_layer_constants(model))),
        "complexity": _or_reason(lambda: _complexity(limit_complexity(model))),
    }


def _ordinary_facts(model: Transformer) -> dict[str, Any]:
    return {"context": model.context, "complexity": _or_reason(lambda: _complexity(transformer_complexity(model)))}


def _complexity(found: Any) -> dict[str, Any]:
    return {**{name: _plain(value) for name, value in found.terms.items()}, "total": _plain(found.total)}


def _numbers(found: Any) -> dict[str, Any]:
    return {name: _plain(getattr(found, name)) for name in found.__dataclass_fields__}


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _plain(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    if isinstance(value, float) and not math.isfinite(value):
        return "not a number" if math.isnan(value) else "infinite"
    return value


def _or_reason(quantity: Callable[[], Any]) -> Any:
    try:
        return _plain(quantity())
    except ModelError as problem:
        return f"not defined: {problem}"


def lines(facts: dict[str, Any]) -> list[str]:
    """The facts as aligned text; what belongs together is indented below its name."""
    shown: list[str] = []
    for name, value in facts.items():
        label = name.replace("_", " ")
        if isinstance(value, dict):
            shown.append(label)
            shown += [f"  {inner.replace('_', ' '):34} {_text(part)}" for inner, part in value.items()]
        else:
            shown.append(f"{label:20} {_text(value)}")
    return shown


def _text(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, list):
        return " ".join("+".join(map(str, item)) if isinstance(item, list) else str(item) for item in value) or "-"
    return "-" if value is None or value == "" else str(value)
