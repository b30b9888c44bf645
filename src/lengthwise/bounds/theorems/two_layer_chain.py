"""From sampled averages to outputs: the chain of inequalities behind Theorem 5.2.

If a subsample z hardly moves the averages that layer 2 of a model takes over a word x, it hardly moves the output. How
little is said here step by step, for any error of the averages; Lemma 5.3 bounds that error. Weights of layer 2 can be
as large as exp(G² k2), so all is done with natural logarithms.
Izzo et al., appendix B.2; corrections ERR-B5, ERR-B8, ERR-E4.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from lengthwise.bounds.theorems.subsample import log_sum
from lengthwise.limit.model import LimitTransformer, ModelError
from lengthwise.limit.quantities.complexity import spectral_norm
from lengthwise.limit.quantities.constants import two_layer_constants


@dataclass(frozen=True)
class Sizes:
    """What the chain of inequalities needs to know of a model; the large ones by their natural logarithms."""

    activation: float
    """G: no output of layer 1 is larger."""
    log_slope: float
    """log L: how fast layer 1 moves with the histogram."""
    log_drift: float
    """log H: layer 1 moves by at most H min(i, j)^-γ between the positions i and j."""
    margin: float
    """γ_pos."""
    logits: float
    """k2 = ||KQ|| of layer 2."""
    value: float
    """v2 = ||V|| of layer 2."""
    outside: float
    """||U|| (1 + ||B|| ||A||) of layer 2."""

    @property
    def log_weight(self) -> float:
        """The logarithm of e0: G² k2. No weight of layer 2 is larger than e0, none is smaller than 1/e0."""
        return self.activation**2 * self.logits

    @classmethod
    def of(cls, model: LimitTransformer) -> Sizes:
        """The sizes of a model of Definition 5.1, refused if the theorem does not cover it."""
        constants = two_layer_constants(model)
        if model.has_start:
            raise ModelError("Theorem 5.2 is about words without a start symbol, which a subsample would lose")
        first, second = model.layers
        stretch = 1 + spectral_norm(first.output) * spectral_norm(first.hidden)
        softmax = log_softmax_sum(model)
        return cls(
            constants.largest_activation,
            math.log(2 * math.sqrt(len(model.embedding)) * stretch) + softmax,
            math.log(stretch * (2 * model.window + 3) ** 2) + softmax,
            constants.positional_margin,
            spectral_norm(second.heads[0].key_query),
            spectral_norm(second.heads[0].value),
            spectral_norm(model.unembedding) * (1 + spectral_norm(second.output) * spectral_norm(second.hidden)),
        )


@dataclass(frozen=True)
class Errors:
    """Natural logarithms of how far a subsample may move the parts of the output of layer 2."""

    query: float
    """e_Q: the output of layer 1 at the last position."""
    denominator: float
    """e1: the mean weight."""
    numerator: float
    """e2: the mean weighted value."""
    output: float
    """||f(x) - f(z)||."""


def log_softmax_sum(model: LimitTransformer) -> float:
    """The logarithm of Σ v_h exp(4 k_h) over the heads of layer 1."""
    return log_sum(
        *(logarithm(spectral_norm(head.value)) + 4 * spectral_norm(head.key_query) for head in model.layers[0].heads)
    )


def subsample_errors(sizes: Sizes, log_sample: float, log_short: float, log_long: float, window: int) -> Errors:
    """The chain from the error of the sampled averages to that of the output.

    `log_sample` is the logarithm of E: how far the averages of e_x, p1/s1 and p2/s2 differ between x and z, where p1 is
    a weight of layer 2, p2 weight times value and s1, s2 make them at most 1 and 1-Lipschitz (ERR-E4). `log_short` and
    `log_long` belong to the lengths of z and x. The first τ positions of each settle at no rate (ERR-B8); there two
    weighted values of size e0 G may point in opposite directions, so they are charged with 2(τ+1) e0 G (1/|x| + 1/|z|).
    """
    rate = min(sizes.margin, 1 / 3)
    log_g, log_k = math.log(sizes.activation), logarithm(sizes.logits)
    settle = math.log(1.5) + log_sum(-rate * log_short, -rate * log_long)
    query = log_sum(sizes.log_slope + log_sample, sizes.log_drift - sizes.margin * log_short)
    moved = log_sum(sizes.log_drift + settle, query)
    start = math.log(2 * (window + 1)) + sizes.log_weight + log_g + log_sum(-log_short, -log_long)
    both = math.log1p(sizes.logits * sizes.activation**2)
    one_scale = sizes.log_weight + max(0.0, log_k + log_g + sizes.log_slope)
    two_scale = sizes.log_weight + max(log_g, sizes.log_slope + both)
    denominator = log_sum(sizes.log_weight + log_k + log_g + moved, one_scale + log_sample, start)
    numerator = log_sum(sizes.log_weight + both + moved, two_scale + log_sample, start)
    quotient = logarithm(sizes.value) + sizes.log_weight + log_sum(numerator, log_g + denominator)
    return Errors(query, denominator, numerator, logarithm(sizes.outside) + log_sum(query, quotient))


def logarithm(value: float) -> float:
    """The natural logarithm, -inf for 0."""
    return math.log(value) if value > 0 else -math.inf
