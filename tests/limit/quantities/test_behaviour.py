"""What the largest φ says about long inputs."""

import numpy as np
import pytest

from lengthwise.alphabet import Alphabet
from lengthwise.limit import Head, Huang, IzzoInfinite, Layer, LimitTransformer, ModelError
from lengthwise.limit.evaluation import naive
from lengthwise.limit.quantities.facts import (
    Behaviour,
    behaviours,
    head_behaviour,
)


def share_of_the_window(phi: list[float], length: int) -> float:
    """How much of the attention goes to the last symbol, the only b, if all content logits are 1."""
    value = np.zeros((3, 3))
    value[2, 1] = 1.0
    head = Head(np.pad(np.ones((2, 2)), (0, 1)), value, np.array(phi))
    model = LimitTransformer(
        Alphabet(("a", "b")),
        np.eye(2, 3),
        np.zeros((1, 3)),
        (Layer.attention_only([head], 3),),
        np.eye(3)[2:],
        ("share",),
        regime=IzzoInfinite(),
    )
    return float(naive.outputs(model, np.array([0] * (length - 1) + [1]))[-1, 0])


@pytest.mark.parametrize(
    ("phi", "behaviour"),
    [
        ([0.5], Behaviour.TOKEN_DOMINANT),
        ([-3.0], Behaviour.TOKEN_DOMINANT),
        ([1.0, 0.5], Behaviour.BALANCED),
        ([1.5, 0.2], Behaviour.POSITION_DOMINANT),
    ],
)
def test_the_largest_phi_decides_what_becomes_of_the_window(phi: list[float], behaviour: Behaviour) -> None:
    head = Head(np.zeros((1, 1)), np.zeros((1, 1)), np.array(phi))
    assert head_behaviour(head) is behaviour
    shares = [share_of_the_window(phi, length) for length in (10, 100, 1000)]
    match behaviour:
        case Behaviour.TOKEN_DOMINANT:
            assert shares[0] > 1.7 * shares[1] > 3 * shares[2]
        case Behaviour.BALANCED:
            assert shares[2] == pytest.approx(0.5, abs=0.02)
        case Behaviour.POSITION_DOMINANT:
            assert shares[0] < shares[1] < shares[2]
            assert shares[2] > 0.95


def test_behaviours_are_told_head_by_head_and_only_where_phi_alone_is_scaled() -> None:
    zero = np.zeros((1, 1))
    layers = [
        Layer.attention_only([Head(zero, zero, np.array(phi)) for phi in phis], 1)
        for phis in ([[0.0, 2.0], [0.0]], [[0.1 + 0.2 + 0.7]])
    ]
    model = LimitTransformer(Alphabet(("a",)), zero, zero, tuple(layers), zero, ("x",), regime=IzzoInfinite())
    expected = ((Behaviour.POSITION_DOMINANT, Behaviour.TOKEN_DOMINANT), (Behaviour.BALANCED,))
    assert behaviours(model) == expected
    with pytest.raises(ModelError, match="this model's is huang"):
        behaviours(model.with_regime(Huang(8)))
