"""Deep networks: L blocks of attention, each after a projection to the unit ball, and a linear function at the end.

    Z ← Π(σ(Π(softmax(Z W_Q W_K^T Z^T) Z W_V)) W_C),     output w · Z_[CLS]

Perturbing layer i moves what layer i puts out, and every *later* layer j > i can make that larger by
a_j = L_σ B_C B_V (1 + 4 B_QK) (Lemma A.15). So (Theorem A.17, repaired) log N <= 36 γ³ / ε² times logarithms with

    γ = B_w^⅔ + Σ_i (B_w α_i)^⅔ [(d L_σ B_C^∞)^⅔ + (2 L_σ B_C B_V d B_QK^∞)^⅔ + (L_σ B_C k B_V^∞)^⅔],
    α_i = Π_{j>i} a_j.

As printed, α_i is the product over the layers *before* i, whose gains have nothing to do with the perturbation
(ERR-H5). B_w is missing inside the sum (ERR-H6), which makes the printed theorem false whatever its constant.
`tests/errata` has both. L_σ is missing in the term of W_C, and the norm of the inputs in layer 1.
Inputs of norm B_X are allowed here: in layer 1 the term of W_QK has a factor B_X³ and that of W_V a factor B_X.
Edelman et al., section 4.3 and appendix A.6.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from decimal import Decimal, Overflow

from lengthwise.bounds.bound import Bound
from lengthwise.bounds.capacity.function_class import Capacity, printed_bound
from lengthwise.bounds.capacity.head import require_consistent
from lengthwise.bounds.capacity.parts import SOFTMAX, THIRD, Part, linear_map
from lengthwise.bounds.capacity.requirements import CapacityError, norm, positive, whole


@dataclass(frozen=True)
class LayerNorms:
    """The norms of a layer's matrices; W_QK = W_Q W_K^T, so that the score of x is x_τ^T W_QK x."""

    query_key: float
    """B_QK: the spectral norm of W_QK."""
    query_key_rows: float
    """B_QK^∞: the largest norm of a row of W_QK."""
    value: float
    """B_V: the spectral norm of W_V (d × k)."""
    value_columns: float
    """B_V^∞: the largest norm of a column of W_V."""
    mix: float
    """B_C: the spectral norm of W_C (k × d)."""
    mix_columns: float
    """B_C^∞: the largest norm of a column of W_C."""

    def __post_init__(self) -> None:
        for name, value in asdict(self).items():
            norm(name, value)
        require_consistent("query_key_rows", self.query_key_rows, "query_key", self.query_key)
        require_consistent("value_columns", self.value_columns, "value", self.value)
        require_consistent("mix_columns", self.mix_columns, "mix", self.mix)

    def gain(self, lipschitz: float, softmax: float = SOFTMAX) -> Decimal:
        """L_σ B_C B_V (1 + 2 C B_QK), C = 2: how much larger the layer makes a difference of its inputs."""
        inner = 1 + 2 * Decimal(softmax) * Decimal(self.query_key)
        return Decimal(lipschitz) * Decimal(self.mix) * Decimal(self.value) * inner


def later_gains(layers: Sequence[LayerNorms], lipschitz: float, softmax: float = SOFTMAX) -> tuple[Decimal, ...]:
    """α_i = Π_{j>i} a_j."""
    products = [Decimal(1)]
    for layer in reversed(layers[1:]):
        products.append(products[-1] * layer.gain(lipschitz, softmax))
    return tuple(reversed(products))


def printed_gains(layers: Sequence[LayerNorms], lipschitz: float) -> tuple[Decimal, ...]:
    """α_i = Π_{j<i} a_j, as printed (ERR-H5)."""
    products = [Decimal(1)]
    for layer in layers[:-1]:
        products.append(products[-1] * layer.gain(lipschitz))
    return tuple(products)


def network(
    layers: Sequence[LayerNorms],
    width: int,
    *,
    head_width: int | None = None,
    readout: float = 1.0,
    lipschitz: float = 1.0,
    input_norm: float = 1.0,
    softmax: float = SOFTMAX,
) -> Capacity:
    """Numbers w·Z_[CLS] after blocks with these norms; `width` is d, `head_width` k (d if left out), `readout` B_w.

    Args:
        layers: The norms of each layer.
        width: Numbers of a token.
        head_width: Columns of W_V; else the width.
        readout: The norm of the linear function that is the output.
        lipschitz: The largest slope of the activation.
        input_norm: The largest norm of a token.
        softmax: How fast attention weights move with scores.

    Returns:
        The class of functions.

    Raises:
        CapacityError: There is no layer, or a number is out of range.

    Example:
        >>> from lengthwise.bounds.capacity import LayerNorms
        >>> norms = {"value": 1.0, "value_columns": 1.0, "mix": 1.0, "mix_columns": 1.0}
        >>> layer = LayerNorms(query_key=0.5, query_key_rows=0.5, **norms)
        >>> network([layer] * 3, width=8).covering(epsilon=0.1, samples=1000, length=100).shown
        '10^10.7'

    """
    layers, keys = tuple(layers), whole("head_width", width if head_width is None else head_width)
    if not layers:
        raise CapacityError("a network has at least one layer")
    whole("width", width)
    outer, constant = Decimal(norm("lipschitz", lipschitz)), Decimal(positive("softmax", softmax))
    last, tokens = Decimal(norm("readout", readout)), Decimal(norm("input_norm", input_norm))
    parts: list[Part] = []
    try:
        for number, (layer, later) in enumerate(zip(layers, later_gains(layers, lipschitz, softmax), strict=True)):
            name, gain, mixed = f"layer {number + 1}", last * later, outer * Decimal(layer.mix)
            # Only the first layer sees the inputs; the others see what was projected to the unit ball.
            inputs = tokens if number == 0 else Decimal(1)
            score_weight = constant * mixed * Decimal(layer.value) * inputs
            parts += [
                linear_map(f"{name} score", width, layer.query_key_rows, inputs * inputs, gain * score_weight),
                linear_map(f"{name} value", keys, layer.value_columns, inputs, gain * mixed),
                linear_map(f"{name} mix", width, layer.mix_columns, outer, gain),
            ]
        parts.append(linear_map("readout", 1, last, Decimal(1), per_token=False))
        found = Capacity(
            "Theorem A.17, repaired",
            tuple(parts),
            last,
            scalar=True,
            terms={
                "layers": len(layers),
                "width": width,
                "head_width": keys,
                "readout": readout,
                "lipschitz": lipschitz,
                "input_norm": input_norm,
                "softmax": softmax,
                "largest_gain": float(max(layer.gain(lipschitz, softmax) for layer in layers)),
                "gain_behind_layer_1": float(later_gains(layers, lipschitz, softmax)[0]),
                "simplified_gamma": float(
                    simplified_gamma(layers, width, keys, readout, lipschitz, input_norm, softmax)
                ),
            },
            assumptions=(
                "attention and what W_C makes of it are projected to the unit ball, token by token; no residual stream",
                "tokens, [CLS] among the length tokens, have norms of at most input_norm",
                "σ(0) = 0, and σ is lipschitz-Lipschitz",
            ),
            printed=lambda epsilon, samples, length: (
                _printed_full(layers, width, keys, last, outer, epsilon, samples * length),
                _printed_simple(layers, width, last, outer, tokens, epsilon, samples * length),
            ),
        )
        _ = found.gamma
    except Overflow:
        raise CapacityError("the product over the layers has more than 999,999 digits; use fewer layers") from None
    return found


def simplified_gamma(
    layers: Sequence[LayerNorms],
    width: int,
    head_width: int,
    readout: float = 1.0,
    lipschitz: float = 1.0,
    input_norm: float = 1.0,
    softmax: float = SOFTMAX,
) -> Decimal:
    """Theorem 4.6, repaired: no smaller than γ, from the largest spectral norm C_2 and (2,∞) norm C_∞ of all layers.

    B_w^⅔ [1 + 3 (d L_σ C_∞ max(1, 2 C_2², C_2))^⅔ Σ_i c_0^(2(L-i)/3)], c_0 = L_σ C_2² (1 + 4 C_2).
    """
    spectral, columns = _largest_norms(layers)
    constant, scale = Decimal(softmax), Decimal(max(1.0, input_norm))
    common = max(width, head_width) * Decimal(lipschitz) * columns
    common *= max(Decimal(1), constant * spectral**2 * scale**3, spectral * scale)
    one = Decimal(lipschitz) * spectral**2 * (1 + 2 * constant * spectral)
    powers, power = Decimal(0), Decimal(1)
    for _ in layers:
        powers, power = powers + power ** (2 * THIRD), power * one
    return Decimal(readout) ** (2 * THIRD) * (1 + 3 * common ** (2 * THIRD) * powers)


def _largest_norms(layers: Sequence[LayerNorms]) -> tuple[Decimal, Decimal]:
    norms = [asdict(layer) for layer in layers]
    spectral = max(each[name] for each in norms for name in ("query_key", "value", "mix"))
    columns = max(each[name] for each in norms for name in ("query_key_rows", "value_columns", "mix_columns"))
    return Decimal(spectral), Decimal(columns)


def _printed_full(
    layers: Sequence[LayerNorms],
    width: int,
    head_width: int,
    last: Decimal,
    outer: Decimal,
    epsilon: float,
    points: int,
) -> Bound:
    """Theorem A.17: the product over j < i, no B_w inside the sum, no L_σ with W_C."""
    total = last ** (2 * THIRD)
    for layer, gain in zip(layers, printed_gains(layers, float(outer)), strict=True):
        mixed = outer * Decimal(layer.mix)
        sizes = (
            width * Decimal(layer.mix_columns),
            2 * mixed * Decimal(layer.value) * width * Decimal(layer.query_key_rows),
            mixed * head_width * Decimal(layer.value_columns),
        )
        total += sum(((gain * size) ** (2 * THIRD) for size in sizes), Decimal(0))
    value = total**3 / Decimal(epsilon) ** 2 * Decimal(math.log(points))
    return printed_bound("Theorem A.17: (B_w^⅔ + Σ_i α_i^⅔ […])³/ε² log(mT), α_i = Π_{j<i}", value, gamma=float(total))


def _printed_simple(
    layers: Sequence[LayerNorms],
    width: int,
    last: Decimal,
    outer: Decimal,
    tokens: Decimal,
    epsilon: float,
    points: int,
) -> Bound:
    """Theorem 4.6, with L for the exponent O(L)."""
    spectral, columns = _largest_norms(layers)
    value = (spectral * outer) ** len(layers) * (width * tokens * last * columns / Decimal(epsilon)) ** 2
    theorem = "Theorem 4.6, exponent L for O(L): (C_2 L_σ)^L d²B_X²B_w²C_∞²/ε² log(mT)"
    return printed_bound(theorem, value * Decimal(math.log(points)))
