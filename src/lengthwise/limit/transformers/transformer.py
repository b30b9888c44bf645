"""`Transformer`: an ordinary decoder with a context and learned absolute positions (Huang et al., section 2).

It differs from a Limit Transformer in where positions come from: N encodings p_1..p_N, one for each place of the
context, and no φ. An input may stand anywhere in the context: at offset o its i-th symbol (the start symbol is the
first) gets p_{i+o}. At any one offset such a model is a Limit Transformer whose period is the context, and that is how
it is evaluated.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from lengthwise.alphabet import Alphabet, Word
from lengthwise.limit.certificate import Certificate
from lengthwise.limit.evaluation import naive
from lengthwise.limit.evaluation.regimes import Floats, Huang
from lengthwise.limit.model import Layer, LimitTransformer, ModelError, require_certified, require_finite
from lengthwise.limit.quantities.overflow import require_no_overflow


@dataclass(frozen=True, eq=False)
class Transformer:
    """Immutable weights with a context length. Calling it on a word gives the outputs at the word's positions."""

    alphabet: Alphabet
    embedding: Floats
    """E: one row for each symbol id of the alphabet, then one for the start symbol if there is one."""
    positions: Floats
    """p: N rows; the first row is p_1."""
    layers: tuple[Layer, ...]
    """Heads and MLPs; every φ is zero."""
    unembedding: Floats
    """U: one row for each output."""
    outputs: tuple[str, ...]
    """What the rows of U stand for."""
    has_start: bool
    regime: Huang
    """Attention logits and their exponentials are rounded to this many fractional bits."""
    certificate: Certificate | None = None
    """What is proved about a compiled model; None: nothing is claimed, nothing is refused. It is lost with the first
    change of the weights or of the regime."""
    title: str = ""

    def __post_init__(self) -> None:
        if not isinstance(self.regime, Huang):
            raise ModelError(f"an ordinary transformer rounds its logits as huang(bits) does, got {self.regime}")
        checked = self._as_limit(np.asarray(self.positions, dtype=np.float64))
        for name in ("embedding", "positions", "layers", "unembedding", "outputs"):
            object.__setattr__(self, name, getattr(checked, name))
        for number, layer in enumerate(self.layers, start=1):
            for place, head in enumerate(layer.heads, start=1):
                if head.phi.any():
                    raise ModelError(f"layer {number}, head {place} has a φ; an ordinary transformer has none")
        if self.certificate is not None and not self.certificate.holds_for(self):
            object.__setattr__(self, "certificate", None)

    def _as_limit(self, positions: Floats) -> LimitTransformer:
        return LimitTransformer(
            self.alphabet,
            self.embedding,
            positions,
            self.layers,
            self.unembedding,
            self.outputs,
            self.has_start,
            self.regime,
            title=self.title,
        )

    @property
    def context(self) -> int:
        """N: how many positions there are, the start symbol's included."""
        return len(self.positions)

    @property
    def width(self) -> int:
        """d: the dimension of the residual stream."""
        return int(self.embedding.shape[1])

    @property
    def certified_length(self) -> int | None:
        """The longest word on which the model is proved exact; None without certificate."""
        return None if self.certificate is None else self.certificate.length

    def require_certified(self, length: int) -> None:
        """Refuse a word longer than the model is proved exact on."""
        require_certified(self.certificate, length)

    def __repr__(self) -> str:
        heads = "+".join(str(len(layer.heads)) for layer in self.layers) or "0"
        name = f"{self.title}: " if self.title else ""
        return (
            f"<Transformer {name}{len(self.layers)} layers, {heads} heads, width {self.width}, "
            f"context {self.context}, {self.regime}>"
        )

    def at(self, offset: int) -> LimitTransformer:
        """The Limit Transformer with period N that does the same with inputs that stand at this offset.

        Only inputs that fit after the offset mean anything to it: beyond, its positions start again. So it has no
        certificate; the transformer's own is about words in its context.
        """
        if not 0 <= offset < self.context:
            raise ModelError(f"an offset into a context of {self.context} is 0 to {self.context - 1}, got {offset}")
        # Row i mod N belongs to position i, so p_{1 + offset} comes to stand in row 1.
        return self._as_limit(np.roll(self.positions, 1 - offset, axis=0))

    def tokens(self, word: Word, offset: int = 0) -> npt.NDArray[np.int64]:
        """Symbol ids of a word as the model reads it, if that fits into the context at this offset."""
        ids = self.alphabet.encode(word).astype(np.int64)
        if self.has_start:
            ids = np.concatenate([[self.alphabet.id_count], ids])
        if offset + len(ids) > self.context:
            start = " with the start symbol" if self.has_start else ""
            raise ModelError(
                f"context too short: {len(ids)} symbols{start} at offset {offset} "
                f"do not fit into {self.context} positions"
            )
        return ids

    def __call__(self, word: Word, offset: int = 0) -> Floats:
        """The outputs at the positions of a word, one row each; the start symbol's position is left out."""
        return self._run(word, offset)[int(self.has_start) :]

    def last(self, word: Word, offset: int = 0) -> Floats:
        """The output at the last position of a word (at the start symbol for the empty one)."""
        rows = self._run(word, offset)
        if not len(rows):
            raise ModelError("the empty word has no last position in a model without start symbol")
        return np.asarray(rows[-1])

    def accepts(self, word: Word, offset: int = 0) -> bool:
        """Whether the output "accept" is positive at the last position."""
        if "accept" not in self.outputs:
            raise ModelError(f'this model has no output "accept"; its outputs are {", ".join(self.outputs)}')
        return bool(self.last(word, offset)[self.outputs.index("accept")] > 0)

    def _run(self, word: Word, offset: int) -> Floats:
        tokens = self.tokens(word, offset)
        placed = self.at(offset)
        self.require_certified(len(tokens) - self.has_start)
        if self.certificate is None:
            require_no_overflow(placed)
        return require_finite(naive.outputs(placed, tokens))
