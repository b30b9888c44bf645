"""Recurrent models equal naive recurrences in float64, symbol by symbol, written without torch's modules."""

import math

import numpy as np
import pytest
import torch
from torch import nn

from lengthwise.errors import LengthwiseError
from lengthwise.nn.architectures.hybrid import Hybrid
from lengthwise.nn.architectures.lstm import LSTM
from lengthwise.nn.architectures.scan import scan
from lengthwise.nn.architectures.state_space import StateSpace

Weights = dict[str, np.ndarray[tuple[int, ...], np.dtype[np.float64]]]
Array = np.ndarray[tuple[int, ...], np.dtype[np.float64]]


def weights(model: nn.Module) -> Weights:
    return {name: weight.detach().numpy() for name, weight in model.named_parameters()}


def random(kind: type[nn.Module], **sizes: int) -> nn.Module:
    torch.manual_seed(0)
    model = kind(3, 4, **sizes).double()
    with torch.no_grad():
        for weight in model.parameters():
            weight.add_(torch.randn(weight.shape, dtype=torch.float64) * 0.5)
    return model


def sigmoid(x: Array) -> Array:
    return 1 / (1 + np.exp(-x))


def normed(x: Array, w: Weights, name: str) -> Array:
    centred = x - x.mean()
    found: Array = centred / np.sqrt((centred**2).mean() + 1e-5) * w[f"{name}.weight"] + w[f"{name}.bias"]
    return found


WORD = [0, 2, 1, 1, 0, 2, 2, 0, 1, 1, 2, 0, 1]


@pytest.mark.parametrize("length", [1, 2, 3, 7, 8, 9, 33])
def test_a_scan_is_the_recurrence_one_symbol_after_the_other(length: int) -> None:
    rng = np.random.default_rng(length)
    decay, added = rng.uniform(-1.2, 1.2, (2, length, 3)), rng.normal(size=(2, length, 3))
    state, expected = np.zeros((2, 3)), []
    for place in range(length):
        state = decay[:, place] * state + added[:, place]
        expected.append(state)
    found = scan(torch.from_numpy(decay), torch.from_numpy(added)).numpy()
    np.testing.assert_allclose(found, np.stack(expected, axis=1), rtol=1e-12, atol=1e-13)


def test_the_gradient_of_a_scan_is_that_of_its_differences() -> None:
    torch.manual_seed(1)
    inputs = [torch.rand(1, 5, 2, dtype=torch.float64, requires_grad=True) for _ in range(2)]
    assert torch.autograd.gradcheck(scan, inputs)


def test_an_lstm_is_its_recurrence() -> None:
    model = random(LSTM, width=4, layers=2)
    w = weights(model)
    states = [(np.zeros(4), np.zeros(4)) for _ in range(2)]
    expected = []
    for symbol in WORD:
        x = w["embedding.weight"][symbol]
        for layer, (hidden, cell) in enumerate(states):
            z = w[f"cells.weight_ih_l{layer}"] @ x + w[f"cells.weight_hh_l{layer}"] @ hidden
            i, f, g, o = np.split(z + w[f"cells.bias_ih_l{layer}"] + w[f"cells.bias_hh_l{layer}"], 4)
            cell = sigmoid(f) * cell + sigmoid(i) * np.tanh(g)
            x = sigmoid(o) * np.tanh(cell)
            states[layer] = x, cell
        expected.append(w["readout.weight"] @ x + w["readout.bias"])
    np.testing.assert_allclose(model(torch.tensor([WORD]))[0].detach().numpy(), expected, rtol=1e-11, atol=1e-12)


def scan_step(w: Weights, name: str, x: Array, state: Array) -> tuple[Array, Array]:
    """One layer at one symbol: what it adds, and its state after."""
    seen = normed(x, w, f"{name}.norm")
    step = np.log1p(np.exp(w[f"{name}.step.weight"] @ seen + w[f"{name}.step.bias"]))
    write, read = w[f"{name}.write.weight"] @ seen, w[f"{name}.read.weight"] @ seen
    after = np.empty_like(state)
    out = np.empty_like(x)
    for channel in range(len(x)):
        for number in range(state.shape[1]):
            kept = math.exp(-step[channel] * math.exp(w[f"{name}.rates"][channel, number]))
            assert 0 <= kept <= 1
            after[channel, number] = kept * state[channel, number] + step[channel] * write[number] * seen[channel]
        out[channel] = after[channel] @ read + w[f"{name}.skip"][channel] * seen[channel]
    gate = w[f"{name}.gate.weight"] @ seen
    return w[f"{name}.out.weight"] @ (out * gate * sigmoid(gate)), after


def read_off(w: Weights, x: Array) -> Array:
    return w["readout.weight"] @ normed(x, w, "norm") + w["readout.bias"]


def test_a_state_space_model_is_its_recurrence() -> None:
    model = random(StateSpace, width=3, layers=2, states=2)
    w = weights(model)
    states: list[Array] = [np.zeros((3, 2)) for _ in range(2)]
    expected = []
    for symbol in WORD:
        x = w["embedding.weight"][symbol]
        for layer in range(2):
            more, states[layer] = scan_step(w, f"layers.{layer}", x, states[layer])
            x = x + more
        expected.append(read_off(w, x))
    np.testing.assert_allclose(model(torch.tensor([WORD]))[0].detach().numpy(), expected, rtol=1e-10, atol=1e-11)


def test_a_hybrid_is_a_recurrence_and_an_average_over_what_came_before() -> None:
    model = random(Hybrid, width=4, layers=1, states=2, heads=2)
    w = weights(model)
    state: Array = np.zeros((4, 2))
    expected = []
    keys: list[Array] = []
    values: list[Array] = []
    for symbol in WORD:
        x = w["embedding.weight"][symbol]
        more, state = scan_step(w, "layers.0", x, state)
        x = x + more
        seen = normed(x, w, "layers.1.norm")
        query, key, value = np.split(w["layers.1.asked.weight"] @ seen + w["layers.1.asked.bias"], 3)
        keys.append(key)
        values.append(value)
        heads = []
        for head in (slice(0, 2), slice(2, 4)):
            logits = np.array([query[head] @ each[head] for each in keys]) / math.sqrt(2)
            shares = np.exp(logits) / np.exp(logits).sum()
            heads.append(sum(share * each[head] for share, each in zip(shares, values, strict=True)))
        x = x + w["layers.1.out.weight"] @ np.concatenate(heads) + w["layers.1.out.bias"]
        expected.append(read_off(w, x))
    np.testing.assert_allclose(model(torch.tensor([WORD]))[0].detach().numpy(), expected, rtol=1e-10, atol=1e-11)


def test_what_a_model_says_does_not_depend_on_what_comes_later() -> None:
    for kind in (LSTM, StateSpace, Hybrid):
        model = random(kind)
        short, long = (model(torch.tensor([word])) for word in (WORD[:6], WORD))
        torch.testing.assert_close(short, long[:, :6], rtol=1e-9, atol=1e-10)


def test_heads_that_do_not_divide_the_width_are_refused() -> None:
    with pytest.raises(LengthwiseError, match="3 heads do not divide the width 32"):
        Hybrid(2, 2, heads=3)
