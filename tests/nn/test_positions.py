"""Position schemes one by one, and how they are found by name."""

from __future__ import annotations

from importlib.metadata import EntryPoint, EntryPoints
from typing import Any

import numpy as np
import pytest
import torch

from lengthwise.errors import LengthwiseError, UnknownNameError
from lengthwise.nn import Decoder, DecoderConfig, positions
from lengthwise.nn.positions import PositionError, PositionScheme, register_position, registry
from tests.nn.oracle import SCHEMES, config, random_tokens, randomised, turned


def scheme(name: str, **changes: Any) -> PositionScheme:
    return randomised(config("narrow heads", name, **changes)).positions


def test_no_positions_change_nothing() -> None:
    stream, places = torch.randn(2, 3, 4, 6), torch.arange(1, 5).view(1, 1, 4)
    none = scheme("none")
    assert none.embed(stream, places) is stream
    assert none.rotate(stream, places) is stream
    assert none.phi(0, places, places) is None


def test_learned_positions_add_the_vector_of_the_place() -> None:
    learned = scheme("learned")
    places = torch.tensor([[[1, 12]], [[7, 3]]])
    found = learned.embed(torch.zeros(2, 1, 2, 6, dtype=torch.float64), places)
    for seed in range(2):
        for row in range(2):
            place = int(places[seed, 0, row])
            assert torch.equal(found[seed, 0, row], learned.get_parameter("vectors")[seed, place - 1])


def test_random_offsets_reach_every_place_of_the_context_and_none_beyond() -> None:
    model = Decoder(config("one layer", "learned"), [0, 1])
    drawn = model.positions.training_places(5, 400, np.random.default_rng(0))
    assert drawn is not None
    assert drawn.shape == (400, 5)
    assert bool((np.diff(drawn) == 1).all())
    assert sorted(set(drawn[:, 0].tolist())) == list(range(1, 9))
    assert bool(model(random_tokens(2, 400, 5), torch.from_numpy(drawn)).isfinite().all())


def test_schemes_without_a_context_have_no_offsets() -> None:
    for name in SCHEMES:
        if name != "learned":
            assert Decoder(config("one layer", name), [0]).positions.offsets(5, 3, np.random.default_rng(0)) is None


def test_periodic_positions_add_the_vector_of_the_residue() -> None:
    periodic = scheme("periodic")
    found = periodic.embed(torch.zeros(2, 1, 7, 6, dtype=torch.float64), torch.arange(1, 8).view(1, 1, 7))
    for place in range(1, 8):
        assert torch.equal(found[:, 0, place - 1], periodic.get_parameter("vectors")[:, place % 3])


def test_relative_bias_is_phi_of_the_distance_within_the_window() -> None:
    relative = scheme("relative")
    places = torch.tensor([1, 2, 4, 9]).view(1, 1, 4)
    for layer in range(2):
        found, phi = relative.phi(layer, places, places), relative.get_parameter(f"phi_{layer}")
        assert found is not None
        for query, i in enumerate((1, 2, 4, 9)):
            for key, j in enumerate((1, 2, 4, 9)):
                for head in range(3):
                    expected = phi[:, head, i - j] if 0 <= i - j <= 2 else torch.zeros(2, dtype=torch.float64)
                    assert torch.equal(found[:, 0, head, query, key], expected)


def test_rotary_positions_turn_pairs_of_coordinates() -> None:
    rope = scheme("rope", width=12)
    vectors = torch.randn(2, 1, 3, 3, 4, dtype=torch.float64)
    found = rope.rotate(vectors, torch.tensor([1, 5, 10**6]).view(1, 1, 3))
    for row, place in enumerate((1, 5, 10**6)):
        expected = turned(vectors[1, 0, row, 2].numpy(), place)
        np.testing.assert_allclose(found[1, 0, row, 2].numpy(), expected, rtol=0, atol=1e-9)


def test_products_of_rotary_queries_and_keys_depend_on_the_distance_alone() -> None:
    rope = scheme("rope", width=12)
    query, key = torch.randn(2, 1, 1, 1, 3, 4, dtype=torch.float64)
    near = [rope.rotate(each, torch.tensor([[[place]]])) for each, place in ((query, 7), (key, 3))]
    far = [rope.rotate(each, torch.tensor([[[place]]])) for each, place in ((query, 1007), (key, 1003))]
    torch.testing.assert_close((near[0] * near[1]).sum(-1), (far[0] * far[1]).sum(-1), rtol=0, atol=1e-9)


def test_only_schemes_that_know_residues_at_most_have_a_period() -> None:
    periods = {name: scheme(name).period for name in SCHEMES}
    assert periods == {**dict.fromkeys(SCHEMES), "none": 1, "periodic": 3}


@pytest.mark.parametrize(
    ("name", "parameters", "message"),
    [
        ("periodic", {}, "the position scheme 'periodic' needs the parameter 'period'"),
        ("periodic", {"period": 0}, "'period' of the position scheme 'periodic' is a whole number from 1 on, not 0"),
        ("periodic", {"period": True}, "is a whole number from 1 on, not True"),
        ("relative", {"window": 2, "scale": -1.0}, "'scale' of the position scheme 'relative' is a number from 0 on"),
        ("none", {"period": 2}, "the position scheme 'none' has no parameter 'period'; it has none"),
        ("relative", {"window": 2, "scale": float("nan")}, "is a number from 0 on, not nan"),
        ("relative", {"window": 2.5}, "'window' of the position scheme 'relative' is a whole number from 1 on"),
        ("rope", {"bass": 2}, "the position scheme 'rope' has no parameter 'bass'; its parameters are base"),
        ("rope", {"base": 0.5}, "the base of rotary positions is at least 1, not 0.5"),
    ],
)
def test_parameters_that_do_not_fit_a_scheme_get_a_sentence(
    name: str, parameters: dict[str, Any], message: str
) -> None:
    with pytest.raises(PositionError, match=message):
        Decoder(DecoderConfig(3, 1, position=name, position_parameters=parameters), [0])


def test_rotary_heads_of_odd_width_are_refused() -> None:
    with pytest.raises(PositionError, match="heads of width 5 cannot be"):
        Decoder(DecoderConfig(3, 1, width=5, position="rope"), [0])


def test_inputs_beyond_the_context_are_refused() -> None:
    model = Decoder(config("one layer", "learned"), [0])
    with pytest.raises(PositionError, match="position 13 is outside the context of 1 to 12 learned positions"):
        model(random_tokens(1, 13))
    with pytest.raises(PositionError, match="inputs of length 13 do not fit into a context of 12 positions"):
        model.positions.training_places(13, 2, np.random.default_rng(0))


def test_an_unknown_scheme_gets_the_nearest_names() -> None:
    with pytest.raises(UnknownNameError, match="there is no position scheme 'perodic'; nearest: periodic"):
        positions.get("perodic")
    ours = {name for name in positions.names() if positions.get(name).__module__.startswith("lengthwise.")}
    assert set(SCHEMES) == ours


def test_a_scheme_can_be_registered_once_and_is_then_used_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "_SCHEMES", dict(registry._SCHEMES))

    @register_position("doubled")
    class Doubled(PositionScheme):
        def embed(self, stream: torch.Tensor, positions: torch.Tensor) -> torch.Tensor:
            return 2 * stream

    tokens = random_tokens(2, 5)
    model, plain = (Decoder(DecoderConfig(3, 1, position=name), [0]) for name in ("doubled", "none"))
    plain.embedding.data *= 2
    assert torch.equal(model(tokens), plain(tokens))
    with pytest.raises(PositionError, match=r"two position schemes are called 'doubled': .*Doubled and .*NoPositions"):
        register_position("doubled")(positions.get("none"))
    again = type(Doubled.__name__, (Doubled,), {"__module__": Doubled.__module__, "__qualname__": Doubled.__qualname__})
    register_position("doubled")(again)
    assert positions.get("doubled") is again


def test_schemes_of_installed_packages_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def installed(value: str) -> None:
        entry = EntryPoint("foreign", value, "lengthwise.positions")
        monkeypatch.setattr(registry, "entry_points", lambda group: EntryPoints([entry]).select(group=group))

    monkeypatch.setattr(registry, "_SCHEMES", dict(registry._SCHEMES))
    installed("lengthwise.nn.positions.none:NoPositions")
    assert positions.get("foreign") is positions.get("none")
    assert "foreign" in positions.names()
    installed("lengthwise.nn.positions.rope:RotaryPositions")
    with pytest.raises(PositionError, match=r"two position schemes are called 'foreign'"):
        positions.names()
    installed("no_such_module:Scheme")
    with pytest.raises(PositionError, match="cannot be loaded: No module named 'no_such_module'"):
        positions.names()
    installed("lengthwise.errors:LengthwiseError")
    with pytest.raises(LengthwiseError, match="must be a class derived from PositionScheme"):
        positions.names()
