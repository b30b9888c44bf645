"""ALiBi and FIRE, the schemes that add a function of the distance to logits, pair by pair."""

from __future__ import annotations

from math import exp, log
from typing import Any

import numpy as np
import pytest
import torch

from lengthwise.nn import Decoder, DecoderConfig, FoldedAdam, groups, losses
from lengthwise.nn.positions import PositionError
from lengthwise.nn.positions.alibi import slopes
from tests.nn.oracle import SCHEMES, config, random_tokens, randomised

IDS = [[[1, 2, 4, 9, 3, 11], [7, 7, 1, 12, 2, 5]], [[2, 5, 6, 7, 8, 10], [12, 11, 3, 3, 9, 1]]]
"""Of two words for each of two seeds; they need not grow from left to right."""


def test_slopes_of_a_power_of_2_are_a_geometric_sequence() -> None:
    assert slopes(8) == [1 / 2**number for number in range(1, 9)]
    np.testing.assert_allclose(slopes(16), [2 ** (-number / 2) for number in range(1, 17)], rtol=1e-15)
    assert slopes(1) == [1 / 256]


def test_other_numbers_of_heads_take_every_second_slope_of_the_next_power_of_2() -> None:
    np.testing.assert_allclose(slopes(12), [*slopes(8), *(2 ** -(number - 0.5) for number in range(1, 5))], rtol=1e-15)
    assert slopes(3) == [1 / 16, 1 / 256, 1 / 4]
    assert all(len(set(slopes(heads))) == heads for heads in range(1, 70))


def test_logits_fall_by_the_slope_of_the_head_with_every_step_between_query_and_key() -> None:
    model = randomised(config("narrow heads", "alibi"))
    places = torch.tensor(IDS)
    found = model.positions.phi(1, places[..., -2:], places)
    assert found is not None
    assert found.shape == (2, 2, 3, 2, 6)
    for seed in range(2):
        for word in range(2):
            ids = IDS[seed][word]
            for head, slope in enumerate((1 / 16, 1 / 256, 1 / 4)):
                for query in range(2):
                    for key in range(6):
                        expected = -slope * abs(ids[4 + query] - ids[key])
                        assert float(found[seed, word, head, query, key]) == pytest.approx(expected, abs=1e-15)


def test_slopes_are_exact_in_double_precision_and_not_saved_with_the_weights() -> None:
    sixteen = DecoderConfig(3, 1, width=16, heads=16, position="alibi")
    model = Decoder(sixteen, [0, 1], torch.float64)
    found = model.positions.phi(0, torch.tensor([[[2]]]), torch.tensor([[[1]]]))
    assert found is not None
    assert float(found[1, 0, 0, 0, 0]) == -(2.0**-0.5)
    assert not [name for name in model.state_dict() if name.startswith("positions.")]
    assert torch.equal(model.subset([1])(random_tokens(2, 3)), model(random_tokens(2, 3))[[1]])


def test_fire_is_a_network_of_the_share_of_the_distance() -> None:
    model = randomised(config("two layers, unlike heads", "fire"))
    places = torch.tensor(IDS)
    for layer, heads in enumerate((2, 1)):
        found = model.positions.phi(layer, places, places)
        assert found is not None
        for seed in range(2):
            w = {
                name: model.positions.weight(f"{name}_{layer}")[seed].detach().numpy()
                for name in ("log_c", "log_threshold", "hidden", "hidden_bias", "heads")
            }
            c, threshold = 0.7 * exp(w["log_c"][0]), 2.5 * exp(w["log_threshold"][0])
            for word in range(2):
                for query, i in enumerate(IDS[seed][word]):
                    for key, j in enumerate(IDS[seed][word]):
                        share = log(c * abs(i - j) + 1) / log(c * max(threshold, i) + 1)
                        units = [max(0.0, w["hidden"][u, 0] * share + w["hidden_bias"][u]) for u in range(4)]
                        for head in range(heads):
                            expected = sum(w["heads"][head, u] * units[u] for u in range(4))
                            number = float(found[seed, word, head, query, key].detach())
                            assert number == pytest.approx(expected, abs=1e-12)


def test_shares_of_fire_stay_between_0_and_1_at_any_length() -> None:
    fire = randomised(config("one layer", "fire")).positions
    places = torch.arange(1, 2001).view(1, 1, -1)
    last = torch.tensor([[[2000]]])
    shares = fire._shares(0, last, places)  # type: ignore[operator]
    assert float(shares.detach().min()) == 0.0
    assert float(shares.detach().max()) < 1.0
    assert bool((shares.diff(dim=-1) < 0).all())


def test_fire_starts_with_its_parameters_and_keeps_them_positive() -> None:
    model = Decoder(config("one layer", "fire"), [0], torch.float64)
    places = torch.arange(1, 5).view(1, 1, -1)
    share = model.positions._shares(0, places, places)[0, 0, 3, 1]  # type: ignore[operator]
    assert float(share.detach()) == pytest.approx(log(0.7 * 2 + 1) / log(0.7 * 4 + 1))
    for name in ("log_c_0", "log_threshold_0"):
        model.positions.get_parameter(name).data.fill_(-30.0)
    assert bool(model(random_tokens(2, 6)).isfinite().all())


@pytest.mark.parametrize("read", ["last", "all"])
def test_gradients_of_fire_are_those_of_finite_differences(read: str) -> None:
    model = randomised(config("narrow heads", "fire", read=read), seeds=1)
    tokens, generator = random_tokens(2, 6), torch.Generator().manual_seed(0)
    places = torch.tensor(IDS[0])
    wanted = torch.randn(model(tokens).shape, generator=generator, dtype=torch.float64)
    parameters = dict(model.positions.named_parameters(prefix="positions"))
    slopes_by_name = torch.autograd.grad((model(tokens, places) * wanted).sum(), list(parameters.values()))
    for (name, parameter), slope in zip(parameters.items(), slopes_by_name, strict=True):
        direction = torch.randn(parameter.shape, generator=generator, dtype=torch.float64)
        values = []
        for step in (1e-6, -1e-6):
            moved: Any = {name: parameter.detach() + step * direction}
            outputs: torch.Tensor = torch.func.functional_call(model, moved, (tokens, places))
            values.append(float((outputs.detach() * wanted).sum()))
        expected = (values[0] - values[1]) / 2e-6
        assert float((slope * direction).sum()) == pytest.approx(expected, rel=1e-4, abs=1e-7), name


@pytest.mark.parametrize("scheme", ["alibi", "fire"])
@pytest.mark.parametrize("length", [1, 5, 9])
def test_a_seed_with_ids_of_its_own_has_the_same_bits_alone_and_folded(scheme: str, length: int) -> None:
    setting = config("narrow heads", scheme)
    tokens, targets = random_tokens(3, 7, length), random_tokens(3, 7, length, symbols=2, seed=1)
    places = torch.from_numpy(np.random.default_rng(2).integers(1, 13, (3, 7, length)))

    def run(chosen: list[int]) -> dict[str, torch.Tensor]:
        model = Decoder(setting, chosen)
        optimizer = FoldedAdam(groups(model))
        for _ in range(3):
            optimizer.zero_grad()
            found = losses("next-token", model(tokens[chosen], places[chosen]), targets[chosen])
            torch.autograd.backward(found.sum())
            optimizer.step()
        return {"loss": found.detach(), **model.state_dict()}

    folded = run([0, 1, 2])
    for seed in range(3):
        for name, numbers in run([seed]).items():
            assert torch.equal(folded[name][seed], numbers[0]), name


@pytest.mark.parametrize("name", ["c", "threshold"])
def test_parameters_of_fire_are_positive(name: str) -> None:
    with pytest.raises(PositionError, match=f"'{name}' of the position scheme 'fire' is a positive number, not 0"):
        Decoder(config("one layer", "fire", position_parameters={**SCHEMES["fire"], name: 0.0}), [0])
