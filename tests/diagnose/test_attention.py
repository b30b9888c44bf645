from dataclasses import replace
from typing import Any

import pytest
import torch

from lengthwise.diagnose import DiagnosisError
from lengthwise.diagnose.attention import WatchedDecoder, attention_of_last
from lengthwise.nn import Decoder
from tests.nn.oracle import SCHEMES, config, random_tokens

SHAPES: dict[str, dict[str, Any]] = {
    "one head": {},
    "narrow heads": {"heads": 3, "output_matrix": True, "attention_scale": "root"},
    "layer norm": {"heads": 2, "layer_norm": True, "biases": "all"},
    "log N": {"log_scaling": "length"},
    "log i": {"heads": 2, "log_scaling": "suffix", "head_width": 4},
}


def watched(scheme: str, **changes: Any) -> WatchedDecoder:
    return WatchedDecoder(replace(config("one layer", scheme, read="last"), **changes), range(2), torch.float64)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("scheme", SCHEMES)
def test_values_weighted_by_the_attention_give_the_output_of_the_model(scheme: str, shape: str) -> None:
    model = watched(scheme, **SHAPES[shape])
    tokens = random_tokens(5, 9)
    attention = attention_of_last(model, tokens)
    places = torch.arange(1, 10).view(1, 1, -1)
    with torch.no_grad():
        embedded = torch.stack([table[tokens] for table in model.embedding])
        stream = model.positions.embed(embedded, places)
        layer = model.layers[0]
        values = layer.split("value", layer.attention_norm(stream))
        heads = torch.einsum("swht,swthv->swhv", attention, values)
        after = stream[:, :, -1] + layer.mixed(heads)
        rebuilt = model.unembed(layer.after_mlp(after))
        torch.testing.assert_close(rebuilt, model(tokens), rtol=1e-12, atol=1e-12)
    assert attention.shape == (2, 5, layer.heads, 9)
    assert float((attention.sum(-1) - 1).abs().max()) < 1e-12


def test_watching_changes_no_bit_of_the_output() -> None:
    model = watched("periodic")
    plain = Decoder(model.config, model.seeds, torch.float64)
    tokens = random_tokens(4, 7)
    assert torch.equal(model(tokens), plain(tokens))


@pytest.mark.parametrize("changes", [{"layers": 2}, {"heads": 0}, {"read": "all"}])
def test_models_that_are_not_of_one_layer_read_at_the_end_are_refused(changes: dict[str, Any]) -> None:
    with pytest.raises(DiagnosisError, match="models of one layer that are read at the last position"):
        attention_of_last(watched("none", **changes), random_tokens(2, 3))


def test_looking_leaves_the_number_of_threads_as_it_was() -> None:
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    try:
        attention_of_last(watched("none"), random_tokens(2, 3))
        assert torch.get_num_threads() == 2
    finally:
        torch.set_num_threads(before)
