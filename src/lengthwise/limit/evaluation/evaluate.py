"""The forward pass of a Limit Transformer, in time linear in the length for models whose heads have few key classes.

Words are read in pieces that go through all layers, each head remembering its key classes and the last few keys, so
memory does not grow with the length either. Agrees with `naive` up to rounding, because a head sees a key only through
KQ^T y_j.

`tokens` are symbol ids as the model reads them, after the start symbol if it has one.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from lengthwise.errors import WordError
from lengthwise.limit.evaluation.attention import HeadStream
from lengthwise.limit.evaluation.plan import LayerPlan, apply
from lengthwise.limit.evaluation.regimes import Floats
from lengthwise.limit.model import LimitTransformer, ModelError
from lengthwise.limit.quantities.overflow import require_no_overflow

Tokens = npt.NDArray[np.integer[Any]]

PIECE = 1 << 12
"""Positions that go through all layers at a time."""
TYPES = 64
"""Up to so many types, pairs of a symbol and a residue, the first layer works on types."""

_plans: WeakKeyDictionary[LimitTransformer, list[LayerPlan]] = WeakKeyDictionary()


# ------------------------------------------------------------------------------------------------- one word


def outputs(model: LimitTransformer, tokens: Tokens) -> Floats:
    """The outputs at every position, the start symbol's included, one row each."""
    tokens = _checked(model, tokens, at_least=1)
    run, results = _Run(model, len(tokens), everywhere=True), np.empty((len(tokens), len(model.unembedding)))
    for start in range(0, len(tokens), PIECE):
        *_, stream = run.streams(tokens[None, start : start + PIECE], start + 1)
        results[start : start + PIECE] = apply(model.unembedding, stream)[:, 0].T
    return results


def last_output(model: LimitTransformer, tokens: Tokens) -> Floats:
    """The output at the last position: the last layer that has heads, and those after it, are run there only."""
    tokens = _checked(model, tokens, at_least=1)
    run = _Run(model, len(tokens), everywhere=False)
    near = len(tokens) - 1 - run.span  # the positions before this one are far from the last for every head
    if not run.everywhere and near > 0 and len(tokens) > PIECE:
        run.absorb_types(tokens[:near])
        return run.last(tokens[None, near:], near + 1).reshape(-1)
    start = 0
    while len(tokens) - start > PIECE:
        run.absorb(tokens[None, start : start + PIECE], start + 1)
        start += PIECE
    return run.last(tokens[None, start:], start + 1).reshape(-1)


def residual_streams(model: LimitTransformer, tokens: Tokens) -> list[Floats]:
    """The residual stream before the first layer and after each layer, one row per position."""
    parts = list(pieces(model, tokens))
    if not parts:
        return [np.zeros((0, model.width)) for _ in range(len(model.layers) + 1)]
    return [np.concatenate(level) for level in zip(*parts, strict=True)]


def pieces(model: LimitTransformer, tokens: Tokens) -> Iterator[list[Floats]]:
    """The residual streams on successive parts of a word, each as `residual_streams` gives them, in bounded memory."""
    tokens = _checked(model, tokens, at_least=0)
    run = _Run(model, len(tokens), everywhere=True)
    for start in range(0, len(tokens), PIECE):
        streams = run.streams(tokens[None, start : start + PIECE], start + 1)
        yield [stream[:, 0].T.copy() for stream in streams]


def _checked(model: LimitTransformer, tokens: Tokens, at_least: int) -> Tokens:
    tokens = np.asarray(tokens)
    if tokens.ndim != 1 or (tokens.dtype.kind not in "iu" and len(tokens)):
        raise WordError("tokens are an integer array of shape (length,) holding symbol ids")
    if len(tokens) < at_least:
        raise _without_output(model)
    symbols = len(model.embedding)
    if len(tokens) and (int(tokens.min()) < 0 or int(tokens.max()) >= symbols):
        bad = int(tokens.max()) if int(tokens.max()) >= symbols else int(tokens.min())
        raise WordError(f"id {bad} is not a symbol id; this model reads ids 0 to {symbols - 1}")
    return tokens


def _without_output(model: LimitTransformer) -> ModelError:
    if model.has_start:
        return ModelError("no tokens: this model reads at least its start symbol")
    return ModelError("a model without start symbol has no output on the empty word")


# -------------------------------------------------------------------------------------------------- batches


def last_outputs_batch(model: LimitTransformer, ids: Tokens, lengths: Tokens | None = None) -> Floats:
    """The output at the end of every row of a (batch, length) array of symbol ids, cut to `lengths` if given.

    Rows are without the start symbol; a model that has one reads it before each.
    """
    ids, ends = _checked_batch(model, ids, lengths)
    results = np.empty((len(ids), len(model.unembedding)))
    # The length of the input scales the logits, so only words of equal length go side by side.
    for length in np.unique(ends).tolist():
        read = length + model.has_start
        if not read:
            raise _without_output(model)
        rows = np.flatnonzero(ends == length)
        for some in np.split(rows, range(max(1, PIECE // read), len(rows), max(1, PIECE // read))):
            tokens = np.full((len(some), read), model.alphabet.id_count, dtype=np.int64)
            tokens[:, int(model.has_start) :] = ids[some, :length]
            if read > PIECE:
                results[some[0]] = last_output(model, tokens[0])
            else:
                results[some] = _Run(model, read, everywhere=False).last(tokens, 1)
    return results


def _checked_batch(model: LimitTransformer, ids: Tokens, lengths: Tokens | None) -> tuple[Tokens, Tokens]:
    ids = np.asarray(ids)
    if ids.ndim != 2 or ids.dtype.kind not in "iu":
        raise WordError("a batch is an integer array of shape (batch, length) holding symbol ids")
    if lengths is None:
        return model.alphabet.checked(ids), np.full(len(ids), ids.shape[1])
    ends = np.asarray(lengths)
    if ends.shape != ids.shape[:1] or ends.dtype.kind not in "iu":
        raise WordError(f"lengths must be {len(ids)} integers, one for every word of the batch")
    if ends.size and (int(ends.min()) < 0 or int(ends.max()) > ids.shape[1]):
        raise WordError(f"lengths must lie between 0 and {ids.shape[1]}, the length of the batch's rows")
    inside = np.arange(ids.shape[1]) < ends[:, None]
    return model.alphabet.checked(np.where(inside, ids, 0)), ends.astype(np.int64)


# --------------------------------------------------------------------------------------------- through layers


class _Run:
    """A model reading words of one length; pieces of tokens of shape (words, positions) are given in order."""

    def __init__(self, model: LimitTransformer, length: int, *, everywhere: bool) -> None:
        if model not in _plans:
            if model.certificate is None:
                require_no_overflow(model)
            _plans[model] = [LayerPlan(layer) for layer in model.layers]
        self.model, self.layers = model, _plans[model]
        self.span = max((plan.span for layer in self.layers for plan in layer.heads), default=0)
        with_heads = [number for number, layer in enumerate(self.layers) if layer.heads]
        self.everywhere = len(self.layers) if everywhere else max(with_heads, default=0)
        """How many layers are run at every position."""
        types = np.arange(len(model.embedding) * model.period)
        table = None
        if self.everywhere and len(types) <= TYPES:
            table = self._embedded(types[None] // model.period, types % model.period)
        self.heads = [
            [HeadStream(plan, model.regime, length, None if number else table) for plan in layer.heads]
            for number, layer in enumerate(self.layers)
        ]

    def streams(self, tokens: Tokens, first: int) -> Iterator[Floats]:
        """The stream before the first layer and after each that is run everywhere; the next one overwrites it."""
        tokens = tokens.astype(np.int64, copy=False)
        residues = np.arange(first, first + tokens.shape[1]) % self.model.period
        stream = self._embedded(tokens, residues)
        types: npt.NDArray[np.int64] | None = tokens * self.model.period + residues
        yield stream
        for layer, heads in zip(self.layers[: self.everywhere], self.heads, strict=False):
            added = [head.everywhere(stream, first, types) for head in heads]
            types = None
            for head, rows in zip(heads, added, strict=True):
                stream[head.plan.written] += rows
            layer.add_mlp(stream)
            yield stream

    def absorb(self, tokens: Tokens, first: int) -> None:
        """Read on, with nothing asked about these positions."""
        *_, stream = self.streams(tokens, first)
        for head in self.heads[self.everywhere]:
            head.absorb(stream)

    def absorb_types(self, tokens: Tokens) -> None:
        """Read all but the end of the input when no layer is run everywhere: then only counts of types matter."""
        symbols, period = len(self.model.embedding), self.model.period
        counts = np.zeros(symbols * period, dtype=np.int64)
        size = max(PIECE, len(counts))
        for start in range(0, len(tokens), size):
            part = tokens[start : start + size].astype(np.int64)
            residues = np.arange(start + 1, start + 1 + len(part)) % period
            counts += np.bincount(part * period + residues, minlength=len(counts))
        types = np.flatnonzero(counts)
        stream = self._embedded(types[None] // period, types % period)
        for head in self.heads[0] if self.heads else ():
            head.absorb_distant(stream, counts[types].astype(np.float64))

    def last(self, tokens: Tokens, first: int) -> Floats:
        """The output at the end of the last piece, one row a word."""
        *_, stream = self.streams(tokens, first)
        end = stream[:, :, -1:].copy()
        for layer, heads in zip(self.layers[self.everywhere :], self.heads[self.everywhere :], strict=True):
            for head in heads:
                end[head.plan.written] += head.at_last(stream, first)
            layer.add_mlp(end)
        return apply(self.model.unembedding, end)[:, :, 0].T

    def _embedded(self, tokens: Tokens, residues: npt.NDArray[np.int64]) -> Floats:
        stream = self.model.embedding.T.take(tokens, axis=1)
        if self.model.positions.any():
            stream += self.model.positions.T.take(residues, axis=1)[:, None]
        return stream
