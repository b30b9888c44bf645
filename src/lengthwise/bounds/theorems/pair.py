"""`Pair`: what two one-layer models have in common, so that one short word can stand in for a long one in both.

Theorem 4.1 compares two models f and g on the same words. Seen together they have one window τ, the larger of the two,
one period Δ, the least common multiple, and one length from which on attention is a hardmax in both. Everything that
the theorem does not cover is refused here.
Izzo et al., section 4; corrections ERR-0a, ERR-B1, ERR-B4.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from lengthwise.errors import LengthwiseError
from lengthwise.limit.evaluation.regimes import Hardmax, IzzoFinite
from lengthwise.limit.model import LimitTransformer, ModelError
from lengthwise.limit.quantities.constants import one_layer_constants
from lengthwise.limit.quantities.margins import LARGEST_EXPONENT, hardmax_exponent, hardmax_length


@dataclass(frozen=True, eq=False)
class Pair:
    """Two models with one layer, one head and ReLU units over one alphabet, at a common precision."""

    first: LimitTransformer
    """f."""
    second: LimitTransformer
    """g."""
    bits: int | None
    """p, or None if both models are in the regime hardmax, which is what every precision tends to."""
    window: int
    """τ: the larger of the two. The last τ + 1 symbols are those that φ can tell apart (ERR-0a)."""
    period: int
    """Δ: the least common multiple of the two."""
    hardmax_exponent: float
    """p / min γ, the binary logarithm of the hardmax length; 0 if no query meets two different logits (γ = ∞)."""
    hardmax_length: int | None
    """N_hard: the length from which on both attend uniformly to their maximal keys; None if too long to write out."""
    sensitivities: tuple[float, float]
    """Λ_f and Λ_g: outputs move at most this fast with the attention weights in ℓ1."""

    @classmethod
    def of(cls, first: LimitTransformer, second: LimitTransformer, bits: int | None = None) -> Pair:
        """Two models seen together; `bits` may be left out if their regimes agree on a precision or are hardmax.

        Logits that are all equal make no finite margin. That is no obstacle: attention then is uniform at every length.
        """
        for name, model in (("f", first), ("g", second)):
            require_covered(name, model)
        if first.alphabet != second.alphabet:
            raise ModelError(
                f"f reads {first.alphabet} and g reads {second.alphabet}: models are compared on the same words"
            )
        if len(first.outputs) != len(second.outputs):
            raise ModelError(
                f"f has {len(first.outputs)} outputs and g has {len(second.outputs)}: their difference is not defined"
            )
        precision = _common_bits(first, second, bits)
        models = (first,) if first is second else (first, second)
        exponent = 0.0 if precision is None else max(hardmax_exponent(model, precision) for model in models)
        length: int | None = 1
        if exponent > LARGEST_EXPONENT:
            length = None
        elif precision is not None:
            length = max(hardmax_length(model, precision) for model in models)
        return cls(
            first,
            second,
            precision,
            max(first.window, second.window),
            math.lcm(first.period, second.period),
            exponent,
            length,
            (attention_sensitivity("f", first), attention_sensitivity("g", second)),
        )

    @property
    def symbols(self) -> int:
        """|Σ|."""
        return self.first.alphabet.id_count

    @property
    def types(self) -> int:
        """D = |Σ| Δ: how many pairs of a symbol and a residue of its position there are."""
        return self.symbols * self.period

    @property
    def sensitivity(self) -> float:
        """Λ = Λ_f + Λ_g: how fast f - g moves at most."""
        return sum(self.sensitivities)

    def is_hard_at(self, length: int) -> bool:
        """Whether attention is a hardmax in both models on words of this length."""
        return self.hardmax_length is not None and length >= self.hardmax_length


def checked_epsilon(epsilon: float) -> float:
    """The accepted error, refused unless it is a positive number."""
    if not (math.isfinite(epsilon) and epsilon > 0):
        raise LengthwiseError(f"epsilon is the error that is accepted on long inputs, a positive number; got {epsilon}")
    return float(epsilon)


def require_covered(name: str, model: LimitTransformer) -> None:
    """Refuse a model that Theorem 4.1 is not about."""
    if len(model.layers) != 1:
        hint = "; two layers are what Theorem 5.2 is for" if len(model.layers) == 2 else ""
        raise ModelError(f"Theorem 4.1 is about models with one layer, and {name} has {len(model.layers)}{hint}")
    heads = len(model.layers[0].heads)
    if heads != 1:
        raise ModelError(
            f"Theorem 4.1 is proved for one head, and {name} has {heads}: several attended sets would have to be kept"
        )
    if model.uses_heaviside:
        raise ModelError(
            f"{name} has Heaviside units, which jump: no bound follows from small changes of attention (ERR-B4); "
            "use ReLU units"
        )
    if model.has_start:
        raise ModelError(f"Theorem 4.1 is about words without a start symbol, and {name} reads one")


def _common_bits(first: LimitTransformer, second: LimitTransformer, bits: int | None) -> int | None:
    if bits is not None:
        return IzzoFinite(bits).bits
    regimes = (first.regime, second.regime)
    if all(isinstance(regime, Hardmax) for regime in regimes):
        return None
    found = {regime.bits for regime in regimes if isinstance(regime, IzzoFinite)}
    if len(found) == 1 and all(isinstance(regime, IzzoFinite | Hardmax) for regime in regimes):
        return found.pop()
    raise ModelError(
        f"say for how many bits: the precision is common to f and g, and their regimes are {first.regime} and "
        f"{second.regime}"
    )


def attention_sensitivity(name: str, model: LimitTransformer) -> float:
    """Λ: outputs move at most this fast with the attention weights in ℓ1."""
    sensitivity = one_layer_constants(model).attention_sensitivity
    if not math.isfinite(sensitivity):
        raise ModelError(f"the weights of {name} are too large: its constant Λ is not a finite number")
    return sensitivity
