"""`LimitTransformer`: the object all the theory is about (Huang et al., Definition 2; Izzo et al., section 3).

A decoder without layer norm whose access to positions is limited to two things: encodings p that repeat with period Δ
(PERIODIC), and for each head a function φ of the distance i - j that vanishes beyond τ (LOCAL). It has weights but no
context length. Positions count from 1; if the model has a start symbol, that stands at position 1 and the symbols of
the word follow, and users never write it.

    y_i = E[x_i] + p[i mod Δ];  logit = y_j^T KQ y_i and φ[i - j], for keys j <= i;  head = Σ w V y_j / Σ w
    Y_i = y_i + Σ heads;  y_i <- Y_i + B ψ(A Y_i + b);  output = U y_i
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from lengthwise.alphabet import Alphabet, Word
from lengthwise.errors import LengthwiseError
from lengthwise.limit.certificate import Certificate
from lengthwise.limit.evaluation.regimes import Floats, Huang, Regime


class ModelError(LengthwiseError):
    """Weights that do not make a Limit Transformer, or a question the model cannot answer."""


def require_certified(certificate: Certificate | None, length: int) -> None:
    """Refuse a word longer than a certified model is proved exact on."""
    if certificate is not None and length > certificate.length:
        raise ModelError(
            f"this model is certified for words of at most {certificate.length} symbols, got {length}; "
            "beyond that floating point might decide wrongly"
        )


def require_finite(outputs: Floats) -> Floats:
    """The outputs, or an error if one of them is infinite or not a number."""
    if not np.isfinite(outputs).all():
        raise ModelError("an output of this model is not a finite number; its weights are too large for float64")
    return outputs


def _frozen(name: str, values: npt.ArrayLike, shape: tuple[int | None, ...]) -> Floats:
    """A read-only float64 copy of the expected shape (None: any size); the error names the weight."""
    array = np.array(values, dtype=np.float64)
    if array.ndim != len(shape) or any(want not in (None, got) for want, got in zip(shape, array.shape, strict=True)):
        wanted = " × ".join("any" if size is None else str(size) for size in shape)
        raise ModelError(f"{name} has shape {array.shape}, expected {wanted}")
    if not np.isfinite(array).all():
        raise ModelError(f"{name} has an entry that is not a finite number")
    array.setflags(write=False)
    return array


@dataclass(frozen=True, eq=False)
class Head:
    """An attention head: KQ = K^T Q, V, and φ at the distances 0..τ (zero beyond).

    Attributes:
        key_query: K^T Q (d, d): the logit of key y for query x is y·(K^T Q)x.
        value: V (d, d): what an attended vector adds to the residual stream.
        phi: The logits that are added by distance or residue.

    """

    key_query: Floats
    value: Floats
    phi: Floats = field(default_factory=lambda: np.zeros(1))

    def __post_init__(self) -> None:
        width = np.asarray(self.key_query).shape[-1] if np.asarray(self.key_query).ndim else 0
        object.__setattr__(self, "key_query", _frozen("key_query", self.key_query, (width, width)))
        object.__setattr__(self, "value", _frozen("value", self.value, (width, width)))
        object.__setattr__(self, "phi", _frozen("phi", self.phi, (None,)))
        if not len(self.phi):
            raise ModelError("phi lists the values at distances 0..τ, so it has at least one")

    @property
    def window(self) -> int:
        """τ: the largest distance at which φ is not zero (0 if it vanishes everywhere)."""
        nonzero = np.flatnonzero(self.phi)
        return int(nonzero[-1]) if len(nonzero) else 0


@dataclass(frozen=True, eq=False)
class Layer:
    """Attention heads and an MLP B ψ(A Y + b); `heaviside` marks the units with ψ(z) = 1[z >= 0], others are ReLU.

    Attributes:
        heads: The attention heads, whose outputs are added to the residual stream.
        hidden: A (units, d): the input weights of the MLP.
        bias: b (units,): the thresholds of its units.
        output: B (d, units): what units add to the residual stream.
        heaviside: (units,): which units are Heaviside functions; the others are ReLUs.

    """

    heads: tuple[Head, ...]
    hidden: Floats
    bias: Floats
    output: Floats
    heaviside: npt.NDArray[np.bool_]

    def __post_init__(self) -> None:
        units = len(np.asarray(self.bias))
        object.__setattr__(self, "heads", tuple(self.heads))
        object.__setattr__(self, "hidden", _frozen("hidden (A)", self.hidden, (units, None)))
        object.__setattr__(self, "bias", _frozen("bias (b)", self.bias, (units,)))
        object.__setattr__(self, "output", _frozen("output (B)", self.output, (None, units)))
        flags = np.array(self.heaviside, dtype=bool)
        if flags.shape != (units,):
            raise ModelError(f"heaviside has shape {flags.shape}, expected one flag for each of {units} hidden units")
        flags.setflags(write=False)
        object.__setattr__(self, "heaviside", flags)

    @classmethod
    def attention_only(cls, heads: Sequence[Head], width: int) -> Layer:
        """A layer without hidden units."""
        return cls(tuple(heads), np.zeros((0, width)), np.zeros(0), np.zeros((width, 0)), np.zeros(0, dtype=bool))

    def activate(self, before: Floats) -> Floats:
        """ψ, unit by unit."""
        return np.where(self.heaviside, (before >= 0).astype(np.float64), np.maximum(before, 0.0))


@dataclass(frozen=True, eq=False)
class LimitTransformer:
    """Immutable weights, valid at every length. Calling it on a word gives the outputs at the word's positions.

    Attributes:
        alphabet: The symbols that it reads.
        layers: The layers, from the first to the last.
        has_start: Whether it reads a start symbol before the word.
        regime: How attention is rounded.
        title: What it is called.

    """

    alphabet: Alphabet
    embedding: Floats
    """E: one row for each symbol id of the alphabet, then one for the start symbol if there is one."""
    positions: Floats
    """p: Δ rows; position i (from 1) gets row i mod Δ."""
    layers: tuple[Layer, ...]
    unembedding: Floats
    """U: one row for each output."""
    outputs: tuple[str, ...]
    """What the rows of U stand for: "accept", or the symbols that are predicted, or any names."""
    has_start: bool = False
    regime: Regime = field(default_factory=lambda: Huang(8))
    certificate: Certificate | None = None
    """What is proved about a compiled model, whose words beyond it are refused; None: nothing is claimed or refused.
    It is lost with the first change of the weights, or of the regime to one that it does not cover."""
    title: str = ""

    def __post_init__(self) -> None:
        symbols = self.alphabet.id_count + self.has_start
        width = np.asarray(self.embedding).shape[-1] if np.asarray(self.embedding).ndim else 0
        object.__setattr__(self, "embedding", _frozen("embedding (E)", self.embedding, (symbols, width)))
        object.__setattr__(self, "positions", _frozen("positions (p)", self.positions, (None, width)))
        object.__setattr__(self, "unembedding", _frozen("unembedding (U)", self.unembedding, (None, width)))
        object.__setattr__(self, "layers", tuple(self.layers))
        object.__setattr__(self, "outputs", tuple(self.outputs))
        if not len(self.positions):
            raise ModelError(
                "positions (p) has at least one row; a model without positional encodings has one of zeros"
            )
        if len(self.outputs) != len(self.unembedding):
            raise ModelError(
                f"{len(self.outputs)} output names for {len(self.unembedding)} rows of the unembedding (U)"
            )
        for number, layer in enumerate(self.layers, start=1):
            widths = [head.key_query.shape[0] for head in layer.heads] + [layer.hidden.shape[1], layer.output.shape[0]]
            if any(found != width for found in widths):
                raise ModelError(f"layer {number} is not of width {width}, the width of the embedding")
        if self.certificate is not None and not self.certificate.holds_for(self):
            object.__setattr__(self, "certificate", None)

    # ---------------------------------------------------------------------------------------------- sizes

    @property
    def width(self) -> int:
        """d: the dimension of the residual stream."""
        return int(self.embedding.shape[1])

    @property
    def period(self) -> int:
        """Δ: how many positional encodings there are."""
        return len(self.positions)

    @property
    def window(self) -> int:
        """τ: the largest distance at which some φ is not zero."""
        return max((head.window for layer in self.layers for head in layer.heads), default=0)

    @property
    def parameters(self) -> int:
        """How many numbers the weights consist of."""
        counted = self.embedding.size + self.positions.size + self.unembedding.size
        for layer in self.layers:
            counted += layer.hidden.size + layer.bias.size + layer.output.size
            counted += sum(head.key_query.size + head.value.size + head.phi.size for head in layer.heads)
        return counted

    @property
    def uses_heaviside(self) -> bool:
        """Whether some hidden unit is a Heaviside step, which no Lipschitz bound covers."""
        return any(layer.heaviside.any() for layer in self.layers)

    @property
    def certified_length(self) -> int | None:
        """The longest word on which the model is proved exact; None without certificate."""
        return None if self.certificate is None else self.certificate.length

    def __repr__(self) -> str:
        heads = "+".join(str(len(layer.heads)) for layer in self.layers) or "0"
        name = f"{self.title}: " if self.title else ""
        return (
            f"<LimitTransformer {name}{len(self.layers)} layers, {heads} heads, width {self.width}, Δ={self.period}, "
            f"τ={self.window}, {self.parameters} parameters, {self.regime}>"
        )

    def with_regime(self, regime: Regime) -> LimitTransformer:
        """The same weights in another precision regime, without certificate if that does not cover the regime.

        Args:
            regime: How logits become attention weights.

        Returns:
            The model in that regime.

        Example:
            >>> import lengthwise as lw
            >>> model = lw.limit.from_crasp(lw.crasp.load("contains-ab"))
            >>> model.with_regime(lw.limit.Hardmax()).certificate == model.certificate
            True
            >>> model.with_regime(lw.limit.IzzoInfinite()).certificate is None
            True

        """
        return replace(self, regime=regime)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model to a safetensors file, which `lengthwise.limit.load` reads."""
        from lengthwise.limit.files import save

        save(self, path)

    # -------------------------------------------------------------------------------------------- running

    def tokens(self, word: Word) -> npt.NDArray[np.int64]:
        """Symbol ids of a word as the model reads it: after the start symbol, if it has one."""
        ids = self.alphabet.encode(word).astype(np.int64)
        return np.concatenate([[self.alphabet.id_count], ids]) if self.has_start else ids

    def __call__(self, word: Word) -> Floats:
        """The outputs at the positions of a word, one row each; the start symbol's position is left out."""
        from lengthwise.limit.evaluation.evaluate import outputs

        return require_finite(outputs(self, self._certified_tokens(word))[int(self.has_start) :])

    def last(self, word: Word) -> Floats:
        """The output at the last position of a word (at the start symbol for the empty one)."""
        from lengthwise.limit.evaluation.evaluate import last_output

        return require_finite(last_output(self, self._certified_tokens(word)))

    def accepts(self, word: Word) -> bool:
        """Whether the output "accept" is positive at the last position."""
        return bool(self.last(word)[self._accept] > 0)

    def accepts_batch(
        self, ids: npt.NDArray[np.integer[Any]], lengths: npt.NDArray[np.integer[Any]] | None = None
    ) -> npt.NDArray[np.bool_]:
        """Acceptance of every row of a (batch, length) array of symbol ids, cut to `lengths` if given."""
        from lengthwise.limit.evaluation.evaluate import last_outputs_batch

        self.require_certified(np.asarray(ids).shape[-1] if np.asarray(ids).ndim else 0)
        return np.asarray(require_finite(last_outputs_batch(self, ids, lengths))[:, self._accept] > 0)

    def _certified_tokens(self, word: Word) -> npt.NDArray[np.int64]:
        tokens = self.tokens(word)
        self.require_certified(len(tokens) - self.has_start)
        return tokens

    def require_certified(self, length: int) -> None:
        """Refuse a word longer than the model is proved exact on."""
        require_certified(self.certificate, length)

    @property
    def _accept(self) -> int:
        if "accept" not in self.outputs:
            raise ModelError(f'this model has no output "accept"; its outputs are {", ".join(self.outputs)}')
        return self.outputs.index("accept")
