"""Networks with a residual stream: the class that trained models are in, which the paper's theorem is not about.

    h ← h + Σ_heads V softmax(score) h;     h ← h + B ψ(A h + b);     output u · h

with layer norms before, after or nowhere. The steps are those of Theorem A.17 without projections, so that norms are
followed through the network. Let tokens that enter a step have norms of at most R, and C be the softmax constant.

- A head moves by ||V|| (1 + 2 C ||W_QK|| R²) times its inputs; an error of its scores counts C ||V|| R, an error in
  W_QK x by R times that; values have norms of at most ||V|| R.
- The MLP moves by L_ψ ||A|| ||B|| times its inputs; an error of A x counts L_ψ ||B||.
- The residual stream adds 1 to what a step multiplies differences with, and R to the norms it leaves.
- Layer norm leaves norms of at most √d and multiplies differences by at most 1/√(its epsilon).
- A table of vectors is a linear map of indicators, as is φ, and its columns are what is covered. Trained positions have
  a column as long as there are positions, so that the logarithm of the covering number then grows like T.
- Constants are one more input, always 1, of every map that has them; norms are then √(R² + 1).

Each part counts with the product of what all *later* steps multiply with. Without projections the norms of tokens are
known only if the matrices of the cover keep their norms, too. So covers are taken from within the class, which makes
their sizes twice as large: every matrix within x of a point of any cover is within 2x of every other such matrix. As
this class is ours, the softmax constant is the best one, C = 1.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Decimal, Overflow
from typing import Literal

from lengthwise.bounds.capacity.function_class import Capacity
from lengthwise.bounds.capacity.norms import MapNorms
from lengthwise.bounds.capacity.parts import SHARP_SOFTMAX, Part, linear_map
from lengthwise.bounds.capacity.requirements import CapacityError, norm, positive, whole

NORM_EPSILON = 1e-5
"""What PyTorch adds to the variance in a layer norm."""
GELU_LIPSCHITZ = 1.129
"""The largest slope of GELU is 1.1289…, at √2."""

Normalisation = Literal["none", "before", "after"]


@dataclass(frozen=True)
class AttentionNorms:
    """A head: W_QK, which scores x_τ^T W_QK x with its scale included, and what it adds to the stream, V.

    Attributes:
        query_key: The norms of W_QK.
        value: The norms of V.

    """

    query_key: MapNorms
    value: MapNorms
    bias: float = 0.0
    """The norm of the numbers that are added to scores by distance, φ."""


@dataclass(frozen=True)
class BlockNorms:
    """A layer: heads and an MLP, each of which may be missing, and the gains of layer norms that come after them.

    Attributes:
        heads: The attention heads.
        hidden: The map from the residual stream to the hidden units; None without an MLP.
        output: The map from the hidden units to the residual stream.
        attention_gain: The gains of the layer norm after attention; None without one.
        mlp_gain: The gains of the layer norm after the MLP; None without one.

    """

    heads: tuple[AttentionNorms, ...] = ()
    hidden: MapNorms | None = None
    output: MapNorms | None = None
    attention_gain: MapNorms | None = None
    mlp_gain: MapNorms | None = None


@dataclass(frozen=True)
class ResidualNorms:
    """All norms of a network with a residual stream.

    Attributes:
        width: The dimension of the residual stream.
        blocks: The layers.
        normalisation: Where layer norms stand: before each part, after it, or nowhere.
        final_norm: Whether a layer norm comes before the readout.
        norm_epsilon: What layer norms add to the variance.

    """

    width: int
    blocks: tuple[BlockNorms, ...]
    readout: MapNorms
    """Of the linear functions that are the outputs; the largest of them counts."""
    input_norm: float
    """The largest norm of a token, with its position."""
    embeddings: tuple[MapNorms, ...] = ()
    """Tables of vectors that are trained, each added to every token: those of symbols, those of positions."""
    lipschitz: float = 1.0
    """L_ψ: the largest slope of the activation."""
    normalisation: Normalisation = "none"
    final_norm: bool = False
    norm_epsilon: float = NORM_EPSILON


@dataclass
class _Stream:
    """What is known after the steps so far."""

    radius: Decimal
    parts: list[Part]

    def pass_through(self, parts: list[Part], gain: Decimal, radius: Decimal) -> None:
        """One step further: earlier parts are seen through it, its own come new."""
        self.parts = [part.behind(gain) for part in self.parts] + parts
        self.radius = radius


def residual(norms: ResidualNorms, softmax: float = SHARP_SOFTMAX) -> Capacity:
    """Single outputs of networks with a residual stream and these norms.

    Args:
        norms: The norms of the network.
        softmax: How fast attention weights move with scores.

    Returns:
        The class of functions.

    Raises:
        CapacityError: A norm is out of range or too large.

    Example:
        >>> from lengthwise.bounds.capacity import AttentionNorms, BlockNorms, MapNorms
        >>> one = MapNorms(outputs=4, spectral=1.0, largest=1.0)
        >>> norms = ResidualNorms(4, (BlockNorms((AttentionNorms(one, one),)),), MapNorms(1, 1.0, 1.0), input_norm=1.0)
        >>> residual(norms).scalar
        True

    """
    _check(norms)
    tables = [linear_map(f"embedding {n}", each.outputs, each.largest, 1) for n, each in enumerate(norms.embeddings, 1)]
    stream = _Stream(Decimal(norms.input_norm), tables)
    steepest = Decimal(1) / Decimal(norms.norm_epsilon).sqrt()
    full = Decimal(norms.width).sqrt()
    before = norms.normalisation == "before"
    try:
        for number, block in enumerate(norms.blocks, start=1):
            steps = ((_attention, "attention", block.attention_gain), (_mlp, "mlp", block.mlp_gain))
            for step, kind, gains in steps:
                radius = full if before else stream.radius
                parts, gain, added = step(f"layer {number}", block, norms, radius, Decimal(softmax))
                gain *= steepest if before else 1
                if gain or added:
                    stream.pass_through(parts, 1 + gain, stream.radius + added)
                if norms.normalisation == "after" and gains is not None:
                    _gains(f"layer {number} {kind} norm", stream, gains, full, steepest)
        inputs = _with_constant(full if norms.final_norm else stream.radius, norms.readout)
        last = Decimal(norms.readout.largest)
        # What comes last may have any norm, so its cover need not be from within the class.
        stream.parts = [part.from_within() for part in stream.parts]
        readout = linear_map("readout", 1, last, inputs, per_token=False)
        stream.pass_through([readout], last * (steepest if norms.final_norm else 1), last * inputs)
        found = Capacity(
            "Networks with a residual stream",
            tuple(stream.parts),
            stream.radius,
            scalar=True,
            terms={
                "layers": len(norms.blocks),
                "width": norms.width,
                "input_norm": norms.input_norm,
                "readout": norms.readout.largest,
                "lipschitz": norms.lipschitz,
                "softmax": softmax,
                "largest": float(stream.radius),
            },
            assumptions=(
                "every weight varies within its norms; inputs that are not embedded by the network are fixed",
                "functions are single outputs of the network",
                "tokens, positions included, have norms of at most input_norm",
            ),
        )
        _ = found.gamma
    except Overflow:
        raise CapacityError("the product over the layers has more than 999,999 digits; use fewer layers") from None
    return found


def _attention(
    name: str, block: BlockNorms, norms: ResidualNorms, radius: Decimal, softmax: Decimal
) -> tuple[list[Part], Decimal, Decimal]:
    """The parts of a layer's heads, what they multiply differences with, and what they add to norms."""
    parts: list[Part] = []
    gain = added = Decimal(0)
    for number, head in enumerate(block.heads, start=1):
        label = f"{name} head {number}" if len(block.heads) > 1 else name
        asking = _with_constant(radius, head.query_key)
        seen = _with_constant(radius, head.value)
        size = Decimal(head.value.spectral)
        weight = softmax * size * seen * asking
        parts.append(linear_map(f"{label} score", head.query_key.outputs, head.query_key.largest, asking, weight))
        parts.append(linear_map(f"{label} value", head.value.outputs, head.value.largest, seen))
        parts.append(linear_map(f"{label} bias", 1, norm("bias", head.bias), 1, softmax * size * seen))
        gain += size * (1 + 2 * softmax * Decimal(head.query_key.spectral) * asking * seen)
        added += size * seen
    return parts, gain, added


def _mlp(
    name: str, block: BlockNorms, norms: ResidualNorms, radius: Decimal, softmax: Decimal
) -> tuple[list[Part], Decimal, Decimal]:
    """The same of a layer's MLP."""
    if block.hidden is None or block.output is None:
        return [], Decimal(0), Decimal(0)
    slope, size = Decimal(norms.lipschitz), Decimal(block.output.spectral)
    inputs = _with_constant(radius, block.hidden)
    units = _with_constant(slope * Decimal(block.hidden.spectral) * inputs, block.output)
    parts = [
        linear_map(f"{name} hidden", block.hidden.outputs, block.hidden.largest, inputs, slope * size),
        linear_map(f"{name} output", block.output.outputs, block.output.largest, units),
    ]
    return parts, slope * Decimal(block.hidden.spectral) * size, size * units


def _gains(name: str, stream: _Stream, gains: MapNorms, full: Decimal, steepest: Decimal) -> None:
    """A layer norm that the stream itself goes through, and the gains after it."""
    inputs = _with_constant(full, gains)
    part = linear_map(name, gains.outputs, gains.largest, inputs)
    stream.pass_through([part], Decimal(gains.spectral) * steepest, Decimal(gains.spectral) * inputs)


def _with_constant(radius: Decimal, norms: MapNorms) -> Decimal:
    return (radius**2 + 1).sqrt() if norms.has_constant else radius


def _check(norms: ResidualNorms) -> None:
    whole("width", norms.width)
    norm("input_norm", norms.input_norm)
    norm("lipschitz", norms.lipschitz)
    positive("norm_epsilon", norms.norm_epsilon)
    if not math.isfinite(norms.readout.largest):
        raise CapacityError("the readout holds numbers that are not finite")
