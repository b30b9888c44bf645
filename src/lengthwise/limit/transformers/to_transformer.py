"""From a Limit Transformer to ordinary transformers, one for each context (Huang et al., Lemma 47, corrected).

The residual stream of the transformer with context N has six regions:

    I  (d)      what the Limit Transformer computes
    II (N)      which place of the context: distances, for φ and for attending to oneself
    III, IV (Δ) the residue of that place; IV is a copy that came through a value matrix
    V  (1)      whether this is the start symbol
    VI (Δ + 1)  how much attention the start symbol gets from each head of layer 2

The residue that matters is not that of the place but that of the distance to the start symbol, and it must not show in
any product of parameters. So it is told through attention weights: head h of layer 2 prefers keys at a distance ≡ h,
and the head that gives the start symbol more than the uniform head does names the residue. Layers 3.. are those of the
Limit Transformer. With period 1 there is nothing to find out: p_1 joins E and layers 1 and 2 are left out.
Corrections: ERR-G2 (Δ + 1 heads), G3 (how strongly layer 1 attends), G4 (query minus key), G5 (ties).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lengthwise.limit.certificate import Certificate, RegimeFamily
from lengthwise.limit.evaluation.regimes import Floats, Huang
from lengthwise.limit.model import Head, Layer, LimitTransformer, ModelError
from lengthwise.limit.transformers.transformer import Transformer
from lengthwise.resources import require_memory


@dataclass(frozen=True)
class Regions:
    """Where the six regions lie in the residual stream; those that are not needed have no coordinates."""

    main: slice
    places: slice
    residues: slice
    copied: slice
    start: slice
    attention: slice

    @classmethod
    def of_sizes(cls, *sizes: int) -> Regions:
        """Consecutive regions of these sizes."""
        ends = np.cumsum(sizes).tolist()
        return cls(*(slice(end - size, end) for size, end in zip(sizes, ends, strict=True)))

    @property
    def width(self) -> int:
        """The dimension of the whole residual stream."""
        return int(self.attention.stop)


def regions(model: LimitTransformer, context: int) -> Regions:
    """Width d + N + 3Δ + 2; of a model of period 1 only regions I and II, and only I if it has no φ either."""
    if model.period > 1:
        return Regions.of_sizes(model.width, context, model.period, model.period, 1, model.period + 1)
    has_phi = any(head.phi.any() for layer in model.layers for head in layer.heads)
    return Regions.of_sizes(model.width, context if has_phi else 0, 0, 0, 0, 0)


def to_transformer(model: LimitTransformer, context: int, bits: int | None = None) -> Transformer:
    """The ordinary transformer with `context` positions whose outputs are those of the model, at every offset.

    `bits` reads the model in the regime huang(bits) instead of its own. The outputs agree up to floating point, unless
    a logit that is not computed exactly lies halfway between two multiples of 2^-bits.

    A certificate shrinks to the words that fit into the context and to this one regime; it is dropped if it did not
    cover the regime, or if the weights that find residues are rounded after a shift.
    """
    regime = _huang(model, bits)
    if context < 1:
        raise ModelError(f"a context has at least one position, got {context}")
    if model.period > 1 and not model.has_start:
        raise ModelError(
            f"a model with period {model.period} needs a start symbol: at any offset residues are counted from it"
        )
    where = regions(model, context)
    heads = sum(len(layer.heads) for layer in model.layers)
    needed = 16 * where.width * (context + (heads + 4) * where.width)
    require_memory(needed, f"a transformer with {context} positions", "lower --context")
    transformer = Transformer(
        alphabet=model.alphabet,
        embedding=_embedding(model, where),
        positions=_positions(model, context, where),
        layers=(*_residue_layers(model, regime, where), *(_emulated(layer, context, where) for layer in model.layers)),
        unembedding=_widened(model.unembedding, (slice(None), where.main), (len(model.unembedding), where.width)),
        outputs=model.outputs,
        has_start=model.has_start,
        regime=regime,
        title=model.title,
    )
    certificate = _certificate(model, context, regime)
    return transformer if certificate is None else certificate.attached_to(transformer)


def _certificate(model: LimitTransformer, context: int, regime: Huang) -> Certificate | None:
    """What remains of the model's certificate.

    Region I goes through the same numbers as the model's own stream, so the error analysis carries over if layers 1
    and 2 find every residue without error. They do without shift: logits of layer 2 are rounded to exactly 0 or 1, its
    weights are integers, and a winning head gives the start symbol at least 9/7 of what the uniform head does, while a
    head without any key to prefer adds up the very same numbers as the uniform one. Layer 1 attends as strongly as the
    bits of this regime need, so no other regime is covered.
    """
    certificate = model.certificate
    if certificate is None or not certificate.covers(regime) or (regime.shift and model.period > 1):
        return None
    return Certificate(
        min(certificate.length, context - model.has_start),
        (RegimeFamily.of(regime),),
        f"{certificate.argument.removesuffix('.')}; and within its context the transformer goes through the same "
        "numbers at every offset (Huang et al., Lemma 47, corrected).",
        certificate.precision,
        context,
    )


def _huang(model: LimitTransformer, bits: int | None) -> Huang:
    if bits is not None:
        return Huang(bits, isinstance(model.regime, Huang) and model.regime.shift)
    if not isinstance(model.regime, Huang):
        raise ModelError(
            f"this model computes in the regime {model.regime}, and ordinary transformers round logits to bits; "
            "give `bits` to read it in the regime huang(bits), where its outputs may differ"
        )
    return model.regime


def _widened(block: Floats, place: tuple[slice, slice], shape: tuple[int, int]) -> Floats:
    """Zeros with one block filled in."""
    whole = np.zeros(shape)
    whole[place] = block
    return whole


def _embedding(model: LimitTransformer, where: Regions) -> Floats:
    embedding = np.zeros((len(model.embedding), where.width))
    embedding[:, where.main] = model.embedding
    if model.period == 1:
        embedding[:, where.main] += model.positions[0]
    else:
        # The start symbol is always at distance 0 from itself, so its own embedding can carry p_1.
        embedding[-1, where.main] += model.positions[1]
        embedding[-1, where.start] = 1.0
    return embedding


def _positions(model: LimitTransformer, context: int, where: Regions) -> Floats:
    positions = np.zeros((context, where.width))
    if where.places.stop > where.places.start:
        positions[:, where.places] = np.eye(context)
    if model.period > 1:
        positions[:, where.residues] = np.eye(model.period)[np.arange(1, context + 1) % model.period]
    return positions


def _residue_layers(model: LimitTransformer, regime: Huang, where: Regions) -> tuple[Layer, ...]:
    """Layers 1 and 2, after which region I holds E[x_i] + p_i; none if the period is 1."""
    if model.period == 1:
        return ()
    return (_copy_residues(regime, where), _find_residue(model, where))


def _copy_residues(regime: Huang, where: Regions) -> Layer:
    """Everyone attends to itself and copies III to IV.

    With Ω = bits + 4 other keys share less than 2^-(bits + 3) of the weight, so that products of two copies round to
    0 or 1 (ERR-G3).
    """
    square = (where.width, where.width)
    places, size = where.places, where.places.stop - where.places.start
    key_query = _widened((regime.bits + 4.0) * np.eye(size), (places, places), square)
    residues = where.residues.stop - where.residues.start
    value = _widened(np.eye(residues), (where.copied, where.residues), square)
    return Layer.attention_only([Head(key_query, value)], where.width)


def _find_residue(model: LimitTransformer, where: Regions) -> Layer:
    """Head h = 1..Δ: logit 1 iff query - key ≡ h; head Δ + 1: uniform. The MLP adds the p of the winning head.

    A head without any key to prefer is a tie with the uniform head, so only strictly more attention counts (ERR-G5):
    the sum of all p, minus those whose head does not win. At the start symbol itself all heads tie.
    """
    period, square = model.period, (where.width, where.width)
    heads = []
    for number in range(1, period + 2):
        key_query = np.zeros(square)
        if number <= period:
            # Rows are keys: the query's residue a prefers the key residue a - h (ERR-G4).
            key_query[where.copied, where.copied] = np.roll(np.eye(period), -number, axis=0)
        value = np.zeros(square)
        value[where.attention.start + number - 1, where.start] = 1.0
        heads.append(Head(key_query, value))
    hidden = np.zeros((period + 1, where.width))
    hidden[1:, where.attention] = np.hstack([-np.eye(period), np.ones((period, 1))])
    encodings = model.positions[np.arange(2, period + 2) % period]  # head h means position h + 1
    output = np.zeros((where.width, period + 1))
    output[where.main] = np.vstack([encodings.sum(axis=0), -encodings]).T
    return Layer(tuple(heads), hidden, np.zeros(period + 1), output, np.ones(period + 1, dtype=bool))


def _emulated(layer: Layer, context: int, where: Regions) -> Layer:
    """A layer of the Limit Transformer in region I, its φ as a band in region II."""
    square, main = (where.width, where.width), (where.main, where.main)
    heads = []
    for head in layer.heads:
        key_query = _widened(head.key_query, main, square)
        if head.phi.any():
            band = sum(value * np.eye(context, k=distance) for distance, value in enumerate(head.phi[:context]))
            key_query[where.places, where.places] = band
        heads.append(Head(key_query, _widened(head.value, main, square)))
    units = len(layer.bias)
    hidden = _widened(layer.hidden, (slice(None), where.main), (units, where.width))
    output = _widened(layer.output, (where.main, slice(None)), (where.width, units))
    return Layer(tuple(heads), hidden, layer.bias, output, layer.heaviside)
