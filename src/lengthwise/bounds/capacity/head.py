"""Attention heads: one in general, one of a transformer, with positions, and several side by side.

A head scores its inputs, normalises the scores, and averages values with them. Errors of scores count with
C L_out B_in B_X, errors of values with L_out (Lemma 4.3), so a cover is made of a cover of the scores and one of the
values; how ε is split between them is open and chosen best (Theorem 4.2). T enters through the mT points alone.

For σ(W_V^T X^T softmax(X W_QK^T x_τ)) that gives 36 (d L_σ B_X)² [(B_V^∞)^(2/3) + (2 B_QK^∞ B_V B_X B_q)^(2/3)]³ / ε²
times logarithms (Corollary 4.4, repaired). Heads that are added up have their brackets added up (Lemma A.12); positions
p_t that are added to inputs and not trained make B_X and B_q larger by B_P (Lemma A.11).

The three printed versions of the inner factor, B_QK B_V, B_QK B_V B_X and 2 B_QK B_V, differ from each other and from
what the proof gives (ERR-H3): `tests/errata` has classes that are too large for them. The (2,∞)
norms are those of what is applied to x: columns of W_V and rows of W_QK (ERR-H4).
Edelman et al., sections 4.1 and 4.2, appendices A.3 to A.5.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from decimal import Decimal

from lengthwise.bounds.bound import Bound
from lengthwise.bounds.capacity.function_class import Capacity, bound_of, printed_bound
from lengthwise.bounds.capacity.parts import SOFTMAX, THIRD, Part, linear_map
from lengthwise.bounds.capacity.requirements import CapacityError, norm, positive, whole

Covering = Callable[[float], float]
"""From a scale to the logarithm of a covering number, on mT points."""


@dataclass(frozen=True)
class HeadNorms:
    """The norms of a head's matrices: W_V (d × k), and W_QK (d × d), which scores x_τ^T W_QK x."""

    value: float
    """B_V: the spectral norm of W_V."""
    value_columns: float
    """B_V^∞: the largest norm of a column of W_V."""
    query_key_rows: float
    """B_QK^∞: the largest norm of a row of W_QK."""
    query_key: float | None = None
    """B_QK: the spectral norm of W_QK. Only deeper networks need it."""

    def __post_init__(self) -> None:
        for name, value in asdict(self).items():
            if value is not None:
                norm(name, value)
        require_consistent("value_columns", self.value_columns, "value", self.value)
        if self.query_key is not None:
            require_consistent("query_key_rows", self.query_key_rows, "query_key", self.query_key)


def require_consistent(name: str, part: float, whole_name: str, spectral: float) -> None:
    """Refuse norms that no matrix has."""
    # Norms that come from weights are rounded, each for itself.
    if part > spectral * (1 + 1e-9):
        raise CapacityError(
            f"no row or column is longer than the spectral norm: {name} is {part:g}, but {whole_name} is {spectral:g}"
        )


def attention_head(
    score: Covering,
    value: Covering,
    epsilon: float,
    *,
    output_lipschitz: float = 1.0,
    value_bound: float = 1.0,
    input_norm: float = 1.0,
    normaliser: float = SOFTMAX,
) -> Bound:
    """Theorem 4.2 for any classes of scores and values, at the best split that a search finds.

    inf over α of log N_score(αε / (C L_out B_in B_X)) + log N_value((1 - α)ε / L_out). Every split gives a bound: the
    search can cost tightness but not truth. `normaliser` is C, how fast weights move with scores.

    Args:
        score: The logarithm of the covering number of the scores, as a function of the scale.
        value: The same for the values.
        epsilon: The scale of the cover.
        output_lipschitz: L_out: the largest slope of what is applied to the output.
        value_bound: B_in: how much values grow inputs at most.
        input_norm: B_X: the largest norm of an input.
        normaliser: C: how fast attention weights move with scores.

    Returns:
        The logarithm of the covering number of the head.

    Example:
        >>> attention_head(lambda scale: 1 / scale**2, lambda scale: 1 / scale**2, epsilon=0.1).shown
        '1732'

    """
    epsilon, outer = positive("epsilon", epsilon), positive("output_lipschitz", output_lipschitz)
    inner = positive("value_bound", value_bound) * positive("input_norm", input_norm)
    for_score = epsilon / (positive("normaliser", normaliser) * outer * inner)
    for_value = epsilon / outer

    def at(share: float) -> float:
        return score(share * for_score) + value((1 - share) * for_value)

    share = _best_share(at)
    return bound_of(
        "Theorem 4.2: log N",
        Decimal(at(share)),
        terms={
            "epsilon": epsilon,
            "score_share": share,
            "score_scale": share * for_score,
            "value_scale": (1 - share) * for_value,
        },
        assumptions=(
            "score and value are logarithms of covering numbers on all mT points",
            "||values|| <= value_bound · ||x||, ||x|| <= input_norm, and the output is output_lipschitz-Lipschitz",
            "weights move in ℓ1 at most normaliser times as fast as scores in ℓ∞",
        ),
    )


def _best_share(cost: Callable[[float], float]) -> float:
    """A share of ε between 0 and 1 at which the cost is small: a grid over the log odds, made finer around the best."""
    low, high = -14.0, 14.0
    best = 0.0
    for _ in range(8):
        step = (high - low) / 28
        grid = [low + step * number for number in range(29)]
        best = min(grid, key=lambda odds: cost(1 / (1 + math.exp(-odds))))
        low, high = best - step, best + step
    return 1 / (1 + math.exp(-best))


def self_attention(
    norms: HeadNorms | Sequence[HeadNorms],
    width: int,
    *,
    input_norm: float = 1.0,
    query_norm: float | None = None,
    position_norm: float = 0.0,
    lipschitz: float = 1.0,
    readout: float | None = None,
    softmax: float = SOFTMAX,
) -> Capacity:
    """A self-attention head, or the sum of several, over tokens of `width` numbers, of norm at most `input_norm`.

    `query_norm` bounds the token that asks, `input_norm` if it is left out; `position_norm` the positions that are
    added to all of them. `lipschitz` is L_σ. With `readout`, B_w, functions are numbers w·f with ||w|| <= B_w, and w is
    covered as well.

    Args:
        norms: The norms of a head, or of each of several.
        width: Numbers of a token.
        input_norm: The largest norm of a token.
        query_norm: The largest norm of the token that attends; else `input_norm`.
        position_norm: The largest norm of the positions that are added to tokens.
        lipschitz: The largest slope of the activation.
        readout: The norm of the linear function that is the output; None if outputs are vectors.
        softmax: How fast attention weights move with scores.

    Returns:
        The class of functions.

    Raises:
        CapacityError: There is no head, or a number is out of range.

    Example:
        >>> from lengthwise.bounds.capacity import HeadNorms
        >>> self_attention(HeadNorms(value=1.0, value_columns=1.0, query_key_rows=1.0), width=16).scalar
        False

    """
    norms = (norms,) if isinstance(norms, HeadNorms) else tuple(norms)
    if not norms:
        raise CapacityError("a sum of heads has at least one head")
    whole("width", width)
    inputs = Decimal(norm("input_norm", input_norm)) + Decimal(norm("position_norm", position_norm))
    asking = Decimal(norm("query_norm", input_norm if query_norm is None else query_norm)) + Decimal(position_norm)
    outer, constant = Decimal(norm("lipschitz", lipschitz)), Decimal(positive("softmax", softmax))
    parts: list[Part] = []
    for number, each in enumerate(norms, start=1):
        name = f" {number}" if len(norms) > 1 else ""
        score_weight = constant * outer * Decimal(each.value) * inputs
        parts.append(linear_map(f"score{name}", width, each.query_key_rows, inputs * asking, score_weight))
        parts.append(linear_map(f"value{name}", width, each.value_columns, inputs, outer))
    largest = outer * inputs * sum(Decimal(each.value) for each in norms)
    if readout is not None:
        gain = Decimal(norm("readout", readout))
        parts = [part.behind(gain) for part in parts]
        largest *= gain
        parts.append(Part("readout", largest, largest, per_token=False))
    terms = {"heads": len(norms), "width": width, "input_norm": float(inputs), "query_norm": float(asking)}
    if len(norms) == 1:
        terms |= {name: value for name, value in asdict(norms[0]).items() if value is not None}
    terms |= {"lipschitz": lipschitz, "softmax": softmax} | ({} if readout is None else {"readout": readout})

    def printed(epsilon: float, samples: int, length: int) -> tuple[Bound, ...]:
        per_output = Decimal(epsilon) / Decimal(1 if readout is None else max(readout, 1e-300))
        return _printed(norms, width, outer, Decimal(input_norm), Decimal(position_norm), per_output, samples * length)

    return Capacity(
        "Corollary 4.4, repaired" if len(norms) == 1 else "Lemma A.12, repaired",
        tuple(parts),
        largest,
        scalar=readout is not None,
        terms=terms,
        assumptions=(
            "tokens, positions included, have norms of at most input_norm, the one that asks of at most query_norm",
            "positions are fixed; trained ones can make the covering number's logarithm grow like T",
            "σ(0) = 0, and σ is lipschitz-Lipschitz",
        ),
        printed=printed,
    )


def _printed(
    norms: Sequence[HeadNorms],
    width: int,
    outer: Decimal,
    inputs: Decimal,
    positions: Decimal,
    epsilon: Decimal,
    points: int,
) -> tuple[Bound, ...]:
    """Corollary 4.4, in the main text and in its proof; Lemma A.11 with positions, Lemma A.12 for several heads."""

    def form(theorem: str, tokens: Decimal, factor: Decimal) -> Bound:
        bracket = sum(
            Decimal(each.value_columns) ** (2 * THIRD)
            + (factor * Decimal(each.query_key_rows) * Decimal(each.value)) ** (2 * THIRD)
            for each in norms
        )
        value = (width * outer * tokens / epsilon) ** 2 * bracket**3 * Decimal(math.log(points))
        return printed_bound(theorem, value)

    shape = "(d L_σ B_X)² [(B_V^∞)^⅔ + ({})^⅔]³/ε² log(mT)"
    with_positions = shape.replace("B_X)", "(B_X + B_P))")
    two = Decimal(2)
    if len(norms) > 1:
        summed = shape.replace("[", "[Σ_h ")
        forms = [form("Lemma A.12: " + summed.format("2 B_QK^∞ B_V"), inputs + positions, two)]
    elif positions > 0:
        inner = "2 B_QK^∞ B_V (B_X + B_P)"
        forms = [form("Lemma A.11: " + with_positions.format(inner), inputs + positions, two * (inputs + positions))]
    else:
        forms = [
            form("Corollary 4.4: " + shape.format("B_QK^∞ B_V"), inputs, Decimal(1)),
            form("Corollary 4.4, its proof: " + shape.format("B_QK^∞ B_V B_X"), inputs, inputs),
        ]
    return tuple(forms)
