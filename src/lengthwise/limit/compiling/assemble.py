"""The weights of a compiled model, from its blueprint.

All counts of a layer come from one uniform head, since a value matrix can fill many dimensions at once, and all local
means with the same offset from one local head.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction

import numpy as np

from lengthwise.limit.certificate import Certificate
from lengthwise.limit.compiling.linear_forms import ONE, START, Form
from lengthwise.limit.compiling.schedule import (
    Attended,
    Averaged,
    Blueprint,
    Compared,
    Constant,
    Dimension,
    Gathered,
    Rectified,
    Repeating,
    Token,
    Unit,
)
from lengthwise.limit.evaluation.regimes import Floats
from lengthwise.limit.model import Head, Layer, LimitTransformer, ModelError

MOST_PARAMETERS = 10**8
"""The most numbers a compiled model may consist of, all of them float64."""
NEAR, SINK = 3.0, 2.0
"""Logits of a local head, at its offset and at the start symbol. With weights N³, N² and 1 for a length N all means are
at least 2/3 or at most 1/5."""


def assemble(blueprint: Blueprint, certificate: Certificate, title: str = "") -> LimitTransformer:
    """The model that a blueprint describes, with the certificate that was derived from the blueprint."""
    width, start, period = len(blueprint.dimensions), blueprint.alphabet.id_count, _period(blueprint)
    embedding, positions = np.zeros((start + 1, width)), np.zeros((period, width))
    for number, dimension in enumerate(blueprint.dimensions):
        match dimension.source:
            case Constant("start"):
                embedding[start, number] = 1.0
            case Constant():
                embedding[:, number] = 1.0
            case Token(symbol):
                embedding[symbol, number] = 1.0
            case Repeating() as source:
                # The word's position i is the model's position i + 1, after the start symbol.
                positions[:, number] = [source.at(row - 1) for row in range(period)]
                embedding[start, number] = -float(source.at(0))
    outputs = [_output(each.form, each.on_empty).row(width) for each in blueprint.outputs]
    model = LimitTransformer(
        blueprint.alphabet,
        embedding,
        positions,
        tuple(_layer(blueprint, layer) for layer in range(1, blueprint.depth + 1)),
        np.array(outputs),
        tuple(each.name for each in blueprint.outputs),
        has_start=True,
        title=title,
    )
    return certificate.attached_to(model)


def _output(boolean: Form, on_empty: bool) -> Form:
    """±1/2 in the word; at the start symbol, where the Boolean is 0, the sign its value on the empty word asks for."""
    return boolean - Fraction(1, 2) * ONE + (START if on_empty else -START)


def _written(blueprint: Blueprint, layer: int) -> Iterator[tuple[int, Dimension]]:
    return ((number, each) for number, each in enumerate(blueprint.dimensions) if each.layer == layer)


def _layer(blueprint: Blueprint, layer: int) -> Layer:
    width = len(blueprint.dimensions)
    uniform: Floats = np.zeros((width, width))
    local: dict[int, Floats] = {}
    units: list[tuple[int, Unit]] = []
    for number, dimension in _written(blueprint, layer):
        match dimension.source:
            case Averaged(averaged):
                uniform[number, averaged] = 1.0
            case Attended(form, offset):
                local.setdefault(offset, np.zeros((width, width)))[number] = form.row(width)
            case Gathered() | Compared() | Rectified() as source:
                units.extend((number, unit) for unit in source.units())
    heads = [Head(np.zeros((width, width)), uniform)] if uniform.any() else []
    heads.extend(_local_head(offset, value) for offset, value in sorted(local.items()))
    output = np.zeros((width, len(units)))
    for place, (number, unit) in enumerate(units):
        output[number, place] = unit.sign
    hidden = np.array([unit.form.row(width) for _, unit in units]).reshape(len(units), width)
    flags = np.array([unit.heaviside for _, unit in units], dtype=bool)
    return Layer(tuple(heads), hidden, np.zeros(len(units)), output, flags)


def _local_head(offset: int, value: Floats) -> Head:
    key_query, phi = np.zeros_like(value), np.zeros(offset + 1)
    key_query[START.dimensions[0], ONE.dimensions[0]] = SINK
    phi[offset] = NEAR
    return Head(key_query, value, phi)


def _period(blueprint: Blueprint) -> int:
    return math.lcm(*(each.source.modulus for each in blueprint.dimensions if isinstance(each.source, Repeating)))


def require_reasonable(blueprint: Blueprint) -> None:
    """Refuse a model with more parameters than fit into memory, before anything is made of it."""
    width, parameters = len(blueprint.dimensions), _period(blueprint) * len(blueprint.dimensions)
    for layer in range(1, blueprint.depth + 1):
        sources = [dimension.source for _, dimension in _written(blueprint, layer)]
        offsets = {source.offset for source in sources if isinstance(source, Attended)}
        parameters += 2 * width * width * (len(offsets) + any(isinstance(source, Averaged) for source in sources))
        units = sum(
            len(list(source.units())) for source in sources if isinstance(source, Gathered | Compared | Rectified)
        )
        parameters += 2 * width * units
    if parameters > MOST_PARAMETERS:
        raise ModelError(
            f"the model would have {parameters} parameters, more than {MOST_PARAMETERS}; "
            "use smaller windows (each distance is a head), shorter periods or fewer operations"
        )
