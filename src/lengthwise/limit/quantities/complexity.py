"""How complex a model is: the regularizer R(T) of an ordinary transformer, and R_∞ of a Limit Transformer.

The inference procedure of Huang et al. (Definition 6) picks the transformer that fits short inputs with the least R(T)
(Definition 5); a Limit Transformer's own measure is R_∞ (Definition 50). Both are sums of unlike things, so they are
given summand by summand. The print leaves open whether the Frobenius norms of A and B are maximised together or apart;
here it is the largest ||A_l||_F + ||B_l||_F of one layer.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from lengthwise.limit.evaluation.regimes import Floats, Regime
from lengthwise.limit.model import LimitTransformer, ModelError
from lengthwise.resources import within_time

# ------------------------------------------------------------------------------------------ binary fractions


def fractional_bits(*arrays: Floats) -> int:
    """The least p for which every entry is a multiple of 2^-p; a float64 always is one for some p."""
    values = np.unique(np.concatenate([np.abs(array).ravel() for array in arrays] or [np.zeros(0)]))
    return max((float(value).as_integer_ratio()[1].bit_length() - 1 for value in values), default=0)


def as_integers(array: Floats, bits: int) -> npt.NDArray[Any]:
    """The entries times 2^bits as exact Python integers; `bits` is at least `fractional_bits(array)`."""
    scaled = np.empty(array.shape, dtype=object)
    for index, value in within_time(np.ndenumerate(array)):
        numerator, denominator = float(value).as_integer_ratio()
        scaled[index] = numerator * (1 << bits) // denominator
    return scaled


# ------------------------------------------------------------------------------------- ordinary transformers


class OrdinaryHead(Protocol):
    """What R(T) reads of a head."""

    @property
    def key_query(self) -> Floats:
        """K^T Q."""

    @property
    def value(self) -> Floats:
        """The matrix V."""


class OrdinaryLayer(Protocol):
    """What R(T) reads of a layer."""

    @property
    def heads(self) -> Sequence[OrdinaryHead]:
        """Its heads."""

    @property
    def hidden(self) -> Floats:
        """The matrix A."""

    @property
    def bias(self) -> Floats:
        """The vector b."""

    @property
    def output(self) -> Floats:
        """The matrix B."""


class OrdinaryTransformer(Protocol):
    """What R(T) reads of a transformer with a context length; row i - 1 of `positions` belongs to position i."""

    @property
    def context(self) -> int:
        """N, the number of positions."""

    @property
    def positions(self) -> Floats:
        """p_1..p_N."""

    @property
    def embedding(self) -> Floats:
        """E, one row for each symbol."""

    @property
    def layers(self) -> Sequence[OrdinaryLayer]:
        """The layers in order."""

    @property
    def unembedding(self) -> Floats:
        """The matrix U."""

    @property
    def regime(self) -> Regime:
        """How logits are rounded."""


@dataclass(frozen=True)
class _Sum:
    """Named summands, in the order of their definition."""

    @property
    def terms(self) -> dict[str, float]:
        """The summands by name."""
        return {field.name: float(getattr(self, field.name)) for field in fields(self) if field.init}

    @property
    def total(self) -> float:
        """Their sum."""
        return sum(self.terms.values())


@dataclass(frozen=True)
class TransformerComplexity(_Sum):
    """R(T), Huang et al., Definition 5."""

    layers: int
    """L."""
    heads: int
    """H: those of the layer that has most."""
    parameter_bits: int
    """The precision p of the parameters."""
    logit_bits: int
    """The precision p to which logits and exponentials are rounded."""
    value_rank: int
    """max rank V."""
    key_query_norm: float
    """max ||K^T Q||, spectral."""
    value_norm: float
    """max ||V||, spectral."""
    mlp_norm: float
    """max over layers of ||A||_F + ||B||_F."""
    unembedding_norm: float
    """||U||, spectral."""
    position_norm: float
    """max ||p_i||."""
    embedding_norm: float
    """max ||E_σ||."""
    bias_norm: float
    """max ||b_l||."""
    positional_attention: float
    """Σ over layers, heads and positions j of |p_1^T K^T Q p_j|² (eq. 8)."""


def transformer_complexity(model: OrdinaryTransformer) -> TransformerComplexity:
    """R(T) of an ordinary transformer: it grows if positions far apart attend to each other by their encodings."""
    heads = [head for layer in model.layers for head in layer.heads]
    positions = np.asarray(model.positions)[: model.context]
    parameters = [positions, model.embedding, model.unembedding, *_weights(model.layers)]
    return TransformerComplexity(
        layers=len(model.layers),
        heads=_most_heads(model.layers),
        parameter_bits=fractional_bits(*parameters),
        logit_bits=_logit_bits(model.regime, "R(T)"),
        value_rank=max((int(np.linalg.matrix_rank(head.value)) for head in heads), default=0),
        key_query_norm=_largest(spectral_norm(head.key_query) for head in heads),
        value_norm=_largest(spectral_norm(head.value) for head in heads),
        mlp_norm=_largest(float(np.linalg.norm(layer.hidden) + np.linalg.norm(layer.output)) for layer in model.layers),
        unembedding_norm=spectral_norm(model.unembedding),
        position_norm=row_norm(positions),
        embedding_norm=row_norm(model.embedding),
        bias_norm=_largest(float(np.linalg.norm(layer.bias)) for layer in model.layers),
        positional_attention=sum(float(np.sum((positions[0] @ head.key_query @ positions.T) ** 2)) for head in heads),
    )


# ---------------------------------------------------------------------------------------- Limit Transformers


@dataclass(frozen=True)
class LimitComplexity(_Sum):
    """R_∞(T), Huang et al., Definition 50, where the sum over φ starts at distance 1."""

    layers: int
    """L."""
    heads: int
    """H: those of the layer that has most."""
    width: int
    """d."""
    parameter_bits: int
    """The precision p of the parameters, φ included."""
    logit_bits: int
    """The precision p to which logits and exponentials are rounded."""
    largest_parameter: float
    """The largest entry of a parameter, positional encodings included, in absolute value."""
    period: int
    """Δ: the least period of the positional encodings."""
    local_attention: float
    """max over heads of Σ φ[o]² over the distances o >= 1."""


def limit_complexity(model: LimitTransformer) -> LimitComplexity:
    """R_∞ of a Limit Transformer."""
    heads = [head for layer in model.layers for head in layer.heads]
    parameters = [model.positions, model.embedding, model.unembedding, *_weights(model.layers)]
    return LimitComplexity(
        layers=len(model.layers),
        heads=_most_heads(model.layers),
        width=model.width,
        parameter_bits=fractional_bits(*parameters, *(head.phi for head in heads)),
        logit_bits=_logit_bits(model.regime, "R_∞"),
        largest_parameter=_largest(float(np.max(np.abs(array), initial=0.0)) for array in parameters),
        period=least_period(model.positions),
        local_attention=_largest(float(np.sum(head.phi[1:] ** 2)) for head in heads),
    )


def least_period(positions: Floats) -> int:
    """The least Δ with which a cyclic table of encodings repeats; it divides the number of rows."""
    rows = len(positions)
    return next(
        period
        for period in range(1, rows + 1)
        if rows % period == 0 and np.array_equal(positions, np.roll(positions, period, axis=0))
    )


# ---------------------------------------------------------------------------------------------------- norms


def spectral_norm(matrix: Floats) -> float:
    """The largest singular value; 0 for a matrix without entries."""
    return float(np.linalg.norm(matrix, 2)) if matrix.size else 0.0


def row_norm(rows: Floats) -> float:
    """The largest Euclidean norm of a row."""
    return float(np.max(np.linalg.norm(rows, axis=1), initial=0.0))


def _largest(values: Iterable[float]) -> float:
    return max(values, default=0.0)


def _most_heads(layers: Sequence[OrdinaryLayer]) -> int:
    return max((len(layer.heads) for layer in layers), default=0)


def _weights(layers: Sequence[OrdinaryLayer]) -> list[Floats]:
    found = []
    for layer in layers:
        found += [layer.hidden, layer.bias, layer.output]
        found += [matrix for head in layer.heads for matrix in (head.key_query, head.value)]
    return found


def _logit_bits(regime: Regime, measure: str) -> int:
    bits = getattr(regime, "bits", None)
    if bits is None:
        raise ModelError(
            f"{measure} counts the bits to which logits are rounded, and {regime} rounds none; "
            "ask for it in the regime huang(p)"
        )
    return int(bits)
