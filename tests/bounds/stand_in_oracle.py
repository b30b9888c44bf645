"""Stand-ins by brute force over words: nothing here is shared with `lengthwise.bounds`, and outputs are naive ones.

A word's situation is read off its logits; words in the same situation are compared one by one.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from lengthwise.alphabet import Alphabet
from lengthwise.limit.evaluation import naive
from lengthwise.limit.evaluation.regimes import Floats, Hardmax
from lengthwise.limit.model import Head, Layer, LimitTransformer

Word = tuple[int, ...]
Shares = dict[tuple[int, int], float]


@dataclass(frozen=True)
class View:
    """What counts about a word."""

    situation: tuple[object, ...]
    """The length modulo Δ, the last τ + 1 symbols (all, if there are no more), the largest logit of each head."""
    outputs: tuple[Floats, ...]
    """For each model."""
    shares: tuple[Shares, ...]
    """For each head, the part of its attention that goes to each type."""

    def rounded(self) -> object:
        """The same for words that are alike up to rounding errors."""
        outputs = tuple(tuple(np.round(each, 9).tolist()) for each in self.outputs)
        return outputs, tuple(
            tuple(sorted((kind, round(part, 9)) for kind, part in each.items())) for each in self.shares
        )

    def apart(self, other: View, sensitivity: float | None) -> float:
        """The largest of the distances that have to be at most ε."""
        pairs = zip(self.outputs, other.outputs, strict=True)
        distance = max(float(np.linalg.norm(mine - theirs)) for mine, theirs in pairs)
        if sensitivity is not None:
            # Heads that attend to the same keys count once.
            heads = {
                (tuple(sorted(mine.items())), tuple(sorted(theirs.items()))): _moved(mine, theirs)
                for mine, theirs in zip(self.shares, other.shares, strict=True)
            }
            distance = max(distance, sensitivity * sum(heads.values()))
        return distance


def _moved(first: Shares, second: Shares) -> float:
    return sum(abs(first.get(kind, 0.0) - second.get(kind, 0.0)) for kind in {*first, *second}) / 2


def view(models: Sequence[LimitTransformer], word: Word) -> View:
    """A word as one-layer hardmax models see it from its end."""
    period, window = math.lcm(*(model.period for model in models)), max(model.window for model in models)
    length = len(word)
    logits: list[float] = []
    shares: list[Shares] = []
    for model in models:
        inputs = [model.embedding[symbol] + model.positions[at % model.period] for at, symbol in enumerate(word, 1)]
        for head in model.layers[0].heads:
            found = [float(key @ head.key_query @ inputs[-1]) for key in inputs]
            for distance in range(min(length, len(head.phi))):
                found[length - 1 - distance] += float(head.phi[distance])
            attended = [place for place in range(length) if found[place] >= max(found) - 1e-9]
            logits.append(round(max(found), 7))
            spread: Shares = {}
            for place in attended:
                kind = (word[place], (place + 1) % period)
                spread[kind] = spread.get(kind, 0.0) + 1 / len(attended)
            shares.append(spread)
    outputs = tuple(naive.outputs(model, np.array(word))[-1] for model in models)
    return View((length % period, word[-window - 1 :], length <= window, *logits), outputs, tuple(shares))


def words(symbols: int, length: int) -> Iterator[Word]:
    return itertools.product(range(symbols), repeat=length)


def needed(
    models: Sequence[LimitTransformer], epsilon: float, longest: int, sensitivity: float | None = None
) -> dict[Word, int]:
    """For each word up to a length, how long its shortest stand-in is."""
    symbols = models[0].alphabet.id_count
    seen: dict[tuple[object, ...], dict[object, tuple[int, View]]] = {}
    result: dict[Word, int] = {}
    for length in range(1, longest + 1):
        for word in words(symbols, length):
            found = view(models, word)
            shorter = seen.setdefault(found.situation, {})
            close = (size for size, other in shorter.values() if within(found, other, epsilon, sensitivity))
            result[word] = next(close, length)
            shorter.setdefault(found.rounded(), (length, found))
    return result


def within(first: View, second: View, epsilon: float, sensitivity: float | None) -> bool:
    return first.apart(second, sensitivity) <= epsilon * (1 + 1e-9)


def same_ending(models: Sequence[LimitTransformer], word: Word, length: int) -> Iterator[Word]:
    """All words of fewer symbols with the same last τ + 1 symbols."""
    suffix = word[-max(model.window for model in models) - 1 :]
    for size in range(len(suffix), length):
        for start in words(models[0].alphabet.id_count, size - len(suffix)):
            yield (*start, *suffix)


def has_stand_in_below(
    models: Sequence[LimitTransformer], word: Word, length: int, epsilon: float, sensitivity: float | None = None
) -> bool:
    """Whether some word of fewer symbols, in the same situation, is within ε."""
    own = view(models, word)
    others = (view(models, other) for other in same_ending(models, word, min(length, len(word))))
    return any(other.situation == own.situation and within(own, other, epsilon, sensitivity) for other in others)


# ------------------------------------------------------------------------------------------------- random models


def random_model(
    rng: np.random.Generator,
    *,
    symbols: int,
    period: int,
    window: int,
    heads: int = 1,
    units: int = 2,
    outputs: int = 1,
) -> LimitTransformer:
    """A ReLU model whose logits are whole numbers, many of them equal, so that several types are attended."""
    width = 3

    def small(*shape: int) -> Floats:
        return rng.integers(-1, 2, shape).astype(np.float64)

    def sparse(*shape: int) -> Floats:
        return small(*shape) * (rng.random(shape) < 0.35)

    def head() -> Head:
        phi = rng.integers(-1, 2, window + 1).astype(np.float64) * (rng.random() < 0.6)
        return Head(sparse(width, width) * (rng.random() < 0.7), rng.normal(size=(width, width)) / 2, phi)

    layer = Layer(
        tuple(head() for _ in range(heads)),
        rng.normal(size=(units, width)),
        rng.normal(size=units) / 3,
        rng.normal(size=(width, units)) / 2,
        np.zeros(units, dtype=bool),
    )
    return LimitTransformer(
        Alphabet(tuple("abc"[:symbols])),
        np.eye(symbols, width) if rng.random() < 0.5 else small(symbols, width),
        small(period, width) * (rng.random() < 0.7),
        (layer,),
        rng.normal(size=(outputs, width)),
        tuple(f"output {number}" for number in range(outputs)),
        regime=Hardmax(),
    )


def with_head(model: LimitTransformer, **changed: Floats) -> LimitTransformer:
    """A model whose only head has some matrices replaced: `key_query`, `value` or `phi`."""
    head = replace(model.layers[0].heads[0], **changed)
    return replace(model, layers=(replace(model.layers[0], heads=(head,)),))


def attending_as(model: LimitTransformer, other: LimitTransformer) -> LimitTransformer:
    """A model with values, MLP and outputs of its own that attends as the other does."""
    head = other.layers[0].heads[0]
    changed = with_head(model, key_query=head.key_query, phi=head.phi)
    return replace(changed, embedding=other.embedding, positions=other.positions)
