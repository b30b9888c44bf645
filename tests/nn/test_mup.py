"""µP: where weights start, and which learn how fast."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
import torch

from lengthwise.errors import LengthwiseError
from lengthwise.nn import Decoder, DecoderConfig, FoldedAdam, Rates, groups, losses
from lengthwise.runs.settings import RateSettings
from tests.nn.oracle import config

PAPER = DecoderConfig(vocabulary=3, outputs=1, position="periodic", position_parameters={"period": 5})


def test_the_papers_model_learns_at_the_papers_rates() -> None:
    model = Decoder(PAPER, [0])
    names = {id(weight): name for name, weight in model.named_parameters()}
    found = {names[id(weight)]: group.rate for group in groups(model) for weight in group.parameters}
    assert found == {
        "embedding": 1e-2,
        "positions.vectors": 1e-2,
        "unembedding": 1e-2 / 16,
        "layers.0.query": 1e-2 / 16,
        "layers.0.key": 1e-2 / 16,
        "layers.0.value": 1e-2 / 16,
        "layers.0.hidden": 1e-2 / 16,
        "layers.0.hidden_bias": 1e-2,
        "layers.0.output": 1e-2 / 16,
    }


def test_every_weight_of_every_model_is_in_one_group() -> None:
    model = Decoder(config("layer norm and biases", "limit"), [0, 1])
    grouped = [id(weight) for group in groups(model, Rates(phi=0.5)) for weight in group.parameters]
    assert sorted(grouped) == sorted(id(weight) for weight in model.parameters())
    assert {group.name: group.rate for group in groups(model, Rates(phi=0.5, bias=0.3))} == {
        "embedding": 1e-2, "readout": 1e-2 / 6, "hidden": 1e-2 / 6, "bias": 0.3, "gain": 0.3, "phi": 0.5,
    }  # fmt: skip


def test_plain_rates_are_the_same_for_all_weights_and_widths() -> None:
    for width in (6, 12):
        model = Decoder(config("GPT-2", "limit", width=width), [0])
        found = {group.name: (group.rate, group.decays) for group in groups(model, Rates.plain(1e-3, "matrices"))}
        assert found == {
            "embedding": (1e-3, True), "hidden": (1e-3, True),
            "bias": (1e-3, False), "gain": (1e-3, False), "phi": (1e-3, False),
        }  # fmt: skip


def test_a_number_for_the_rates_of_a_run_is_a_plain_rate() -> None:
    assert Rates(**RateSettings.model_validate(1e-3).model_dump()) == Rates.plain(1e-3)


def test_symbols_that_are_embedded_and_unembedded_by_one_matrix_have_one_gradient() -> None:
    """That of the embedding and that of the unembedding, if they were two, together."""
    tied = Decoder(DecoderConfig.gpt2(5, 8, 2, 2, context=7), [0], torch.float64)
    apart = Decoder(DecoderConfig.gpt2(5, 8, 2, 2, context=7, tied=False), [0], torch.float64)
    weights = tied.state_dict()
    apart.load_state_dict({**weights, "unembedding": weights["embedding"], "unembedding_bias": torch.zeros(1, 5)})
    tokens = torch.randint(0, 5, (3, 7), generator=torch.Generator().manual_seed(0))
    for model in (tied, apart):
        torch.autograd.backward(losses("next-token", model(tokens), tokens.flip(1).unsqueeze(0)).sum())
    gradients = [apart.get_parameter(name).grad for name in ("embedding", "unembedding")]
    assert gradients[0] is not None
    assert gradients[1] is not None
    torch.testing.assert_close(tied.get_parameter("embedding").grad, gradients[0] + gradients[1])
    assert not any("unembedding" in name for name in weights)


def test_one_matrix_may_have_more_rows_for_outputs_than_there_are_symbols() -> None:
    model = Decoder(DecoderConfig.gpt2(3, 8, 1, 2, outputs=5), [0])
    assert model(torch.tensor([[0, 2]])).shape == (1, 1, 2, 5)
    assert model.embedding.shape == (1, 5, 8)
    with pytest.raises(LengthwiseError, match="3 is not a symbol id of this model"):
        model(torch.tensor([[3]]))


@pytest.mark.parametrize("width", [16, 64])
def test_matrices_start_with_variance_one_over_fan_in_and_vectors_with_the_scale_asked_for(width: int) -> None:
    model = Decoder(replace(PAPER, width=width, outputs=50, vocabulary=50, embedding_scale=0.3), range(40))
    spread = {name: float(weight.detach().std()) for name, weight in model.named_parameters() if "bias" not in name}
    expected = {
        "embedding": 0.3,
        "positions.vectors": 0.3,
        "unembedding": 1 / width,
        **{f"layers.0.{name}": width**-0.5 for name in ("query", "key", "value", "hidden")},
        "layers.0.output": 256**-0.5,
    }
    assert spread == pytest.approx(expected, rel=0.05)
    assert not model.get_parameter("layers.0.hidden_bias").any()


def test_gpt2_starts_narrow_and_narrower_where_layers_write() -> None:
    model = Decoder(DecoderConfig.gpt2(50, 16, 3, 2, context=50, embedding_scale=5.0), range(40))
    for name, weight in model.named_parameters():
        expected = 0.0 if "bias" in name or "gain" in name else 0.02
        if name.endswith(("mix", "output")):
            expected = 0.02 / 6**0.5
        if name in ("embedding", "positions.vectors"):
            expected = 0.1
        assert float(weight.detach().std()) == pytest.approx(expected, rel=0.05), name
        assert float(weight.detach().mean()) == pytest.approx(1.0 if name.endswith("gain") else 0.0, abs=5e-3), name


def test_gains_start_at_one_and_phi_with_the_scale_asked_for() -> None:
    model = Decoder(config("layer norm and biases", "relative"), range(200))
    assert bool((model.get_parameter("final_norm.gain") == 1).all())
    assert float(model.get_parameter("positions.phi_0").detach().std()) == pytest.approx(1.0, rel=0.1)
    flat = config("one layer", "relative", position_parameters={"window": 3})
    assert not Decoder(flat, [0]).get_parameter("positions.phi_0").any()


def test_the_first_update_moves_outputs_equally_at_every_width() -> None:
    """What µP is for: the change of the outputs by one step neither grows nor vanishes with the width."""
    tokens, targets = torch.randint(0, 3, (64, 9), generator=torch.Generator().manual_seed(0)), torch.ones(8, 64, 1)
    changes = []
    for width in (16, 256):
        model = Decoder(DecoderConfig(vocabulary=3, outputs=1, width=width, hidden=4 * width), range(8))
        before = model(tokens)
        torch.autograd.backward(losses("regression", before, targets).sum())
        FoldedAdam(groups(model)).step()
        changes.append(float((model(tokens) - before).detach().square().mean().sqrt()))
    assert 1 / 3 < changes[1] / changes[0] < 3


@pytest.mark.parametrize("changes", [{"scaling": "sp"}, {"decaying": "none"}])
def test_there_are_two_ways_to_scale_rates_and_to_decay(changes: dict[str, Any]) -> None:
    with pytest.raises(LengthwiseError, match=f"'{next(iter(changes))}' of learning rates is one of (mup|all), "):
        Rates(**changes)


@pytest.mark.parametrize("changes", [{"hidden": -1.0}, {"bias": "fast"}, {"phi": float("nan")}, {"embedding": True}])
def test_rates_are_numbers_from_0_on(changes: dict[str, Any]) -> None:
    with pytest.raises(LengthwiseError, match=f"the learning rate '{next(iter(changes))}' is a number from 0 on"):
        Rates(**changes)
