import math

import numpy as np
import numpy.typing as npt
import pytest
import torch

from lengthwise.nn import Decoder, DecoderConfig, InputError, bits
from lengthwise.nn.positions import names

Floats = npt.NDArray[np.float64]

MINGPT = DecoderConfig(
    vocabulary=3,
    outputs=2,
    width=8,
    heads=4,
    output_matrix=True,
    hidden=12,
    activation="gelu",
    layer_norm=True,
    biases="all",
    position="learned",
    position_parameters={"context": 7},
    attention_scale="root",
    initialisation="gpt2",
    embedding_scale=50.0,
)
PLAIN = DecoderConfig(
    vocabulary=3, outputs=1, width=6, heads=2, hidden=5, position="learned", position_parameters={"context": 7}
)


def random_model(config: DecoderConfig, seeds: int) -> Decoder:
    """Large weights, so that attention is far from uniform, and biases that are not 0."""
    model = Decoder(config, range(seeds), torch.float64)
    generator = torch.Generator().manual_seed(1)
    with torch.no_grad():
        for weight in model.parameters():
            weight.add_(torch.randn(weight.shape, generator=generator, dtype=weight.dtype))
    return model


def by_hand(model: Decoder, seed: int, string: npt.NDArray[np.int64]) -> Floats:
    """minGPT's layer for one string, in NumPy and without any sharing between strings or positions."""
    weight = {name: each[seed].detach().numpy() for name, each in model.named_parameters()}
    tokens = [*string.tolist(), 2]
    stream = weight["embedding"][tokens] + weight["positions.vectors"][: len(tokens)]

    def normed(name: str, rows: Floats) -> Floats:
        centred = rows - rows.mean(-1, keepdims=True)
        deviation = np.sqrt((centred**2).mean(-1, keepdims=True) + 1e-5)
        return np.asarray(centred / deviation * weight[f"{name}.gain"] + weight[f"{name}.gain_bias"])

    def mapped(name: str, rows: Floats) -> Floats:
        return np.asarray(rows @ weight[f"layers.0.{name}"].T + weight[f"layers.0.{name}_bias"])

    seen = normed("layers.0.attention_norm", stream)
    query, key, value = (mapped(name, seen) for name in ("query", "key", "value"))
    heads = []
    for head in range(4):
        part = slice(2 * head, 2 * head + 2)
        logits = key[:, part] @ query[-1, part] / math.sqrt(2)
        weights = np.exp(logits - logits.max())
        heads.append(weights @ value[:, part] / weights.sum())
    last = stream[-1] + mapped("mix", np.concatenate(heads))
    hidden = mapped("hidden", normed("layers.0.mlp_norm", last))
    gelu = np.array([z * (1 + math.erf(z / math.sqrt(2))) / 2 for z in hidden])
    last = last + mapped("output", gelu)
    return np.asarray(weight["unembedding"] @ normed("final_norm", last) + weight["unembedding_bias"])


def all_strings(length: int) -> npt.NDArray[np.int64]:
    return np.array([[int(each) for each in f"{code:0{length}b}"] for code in range(2**length)])


def test_a_model_on_bits_is_the_layer_written_out_for_every_string() -> None:
    model, strings = random_model(MINGPT, 2), all_strings(6)
    chosen = bits.choices(torch.from_numpy(strings), torch.float64).expand(2, -1, -1)
    found = bits.outputs(model, chosen).detach().numpy()
    expected = np.array([[by_hand(model, seed, string) for string in strings] for seed in range(2)])
    np.testing.assert_allclose(found, expected, atol=1e-10)
    assert np.ptp(expected[0], axis=0).min() > 0.1


@pytest.mark.parametrize("config", [MINGPT, PLAIN], ids=["minGPT", "plain"])
def test_outputs_and_gradients_are_those_of_the_model_on_tokens(config: DecoderConfig) -> None:
    strings = torch.from_numpy(np.random.default_rng(0).integers(0, 2, (3, 9, 6)))
    tokens = torch.cat([strings, torch.full((3, 9, 1), bits.CLS)], dim=2)
    gradients = []
    outputs = []
    for ask in (
        lambda model: model(tokens),
        lambda model: bits.outputs(model, bits.choices(strings, torch.float64)),
    ):
        model = random_model(config, 3)
        found = ask(model)
        found.square().sum().backward()
        outputs.append(found.detach())
        gradients.append({name: weight.grad for name, weight in model.named_parameters()})
    torch.testing.assert_close(outputs[0], outputs[1])
    for name, expected in gradients[0].items():
        got = gradients[1][name]
        # The bias of keys is added to all logits alike, so that nothing depends on it.
        assert (got is None) == (expected is None) == (name == "layers.0.key_bias")
        if got is not None:
            torch.testing.assert_close(got, expected)


def test_a_seed_has_the_same_bits_alone_and_beside_others() -> None:
    config = DecoderConfig(**{**MINGPT.as_json(), "width": 64, "heads": 16, "hidden": 256})
    strings = torch.from_numpy(np.random.default_rng(0).integers(0, 2, (5, 33, 6)))
    together, found = Decoder(config, range(5)), []
    torch.autograd.backward(bits.outputs(together, bits.choices(strings)).square().sum())
    for seed in range(5):
        alone = Decoder(config, [seed])
        torch.autograd.backward(bits.outputs(alone, bits.choices(strings[seed : seed + 1])).square().sum())
        found.append(alone)
    for name, weight in together.named_parameters():
        for seed, alone in enumerate(found):
            other = alone.get_parameter(name).grad
            assert (weight.grad is None) == (other is None)
            if weight.grad is not None and other is not None:
                assert torch.equal(weight.grad[seed], other[0]), name


def test_models_that_see_more_than_bits_are_refused() -> None:
    chosen = bits.choices(torch.zeros(1, 2, 6))
    for changes in ({"layers": 2}, {"read": "all"}, {"vocabulary": 4}, {"heads": 0}):
        config = DecoderConfig(**{**PLAIN.as_json(), **changes})
        with pytest.raises(InputError, match="bits"):
            bits.outputs(Decoder(config, [0]), chosen)


def test_positions_that_change_logits_are_refused() -> None:
    refused = []
    for name in names():
        parameters = {"learned": {"context": 7}, "periodic": {"period": 2}}.get(name, {})
        config = DecoderConfig(**{**PLAIN.as_json(), "position": name, "position_parameters": parameters})
        try:
            model = Decoder(config, [0])
        except Exception:  # noqa: S112 - schemes that need parameters of their own
            continue
        if bits.why_not(model):
            refused.append(name)
        else:
            strings = torch.tensor([[0, 1, 1, 0, 0, 1]])
            expected = model(torch.cat([strings, torch.tensor([[2]])], dim=1))
            torch.testing.assert_close(bits.outputs(model, bits.choices(strings).unsqueeze(0)), expected)
    assert "rope" in refused
    assert "learned" not in refused


def test_choices_of_another_shape_are_refused() -> None:
    model = Decoder(PLAIN, [0])
    with pytest.raises(InputError, match="2T"):
        bits.outputs(model, torch.zeros(1, 2, 12))
    with pytest.raises(InputError, match="2T"):
        bits.outputs(model, torch.zeros(2, 2, 13))


def test_logits_too_far_apart_give_no_number_rather_than_a_wrong_one() -> None:
    """In single precision e^-110 is 0: a string none of whose vectors is near the largest logit has no average."""
    strings = torch.from_numpy(all_strings(6))
    tokens = torch.cat([strings, torch.full((len(strings), 1), bits.CLS)], dim=1)
    lost = []
    for size in (1.0, *range(40, 400, 20)):
        model = random_model(PLAIN, 1).to(torch.float32)
        with torch.no_grad():
            model.layers[0].weight("key").mul_(size)
            found = bits.outputs(model, bits.choices(strings).unsqueeze(0))
            expected = model(tokens)
        usable = found.isfinite()
        lost.append(int((~usable).sum()))
        torch.testing.assert_close(found[usable], expected[usable], rtol=1e-3, atol=1e-3)
    assert lost[0] == 0
    assert any(0 < count < len(strings) for count in lost)
