"""Networks with a residual stream: decoders and encoders that really run never move further than their class may."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import sympy
import torch

from lengthwise.bounds.capacity import (
    BlockNorms,
    Capacity,
    MapNorms,
    ResidualNorms,
    from_decoder,
    residual,
)
from lengthwise.bounds.capacity.residual import GELU_LIPSCHITZ
from lengthwise.nn import DecoderConfig
from tests.bounds.capacity.decoders import CONFIGS, PLAIN, Arrays, arrays, drawn, outputs, spectral


def common(one: Any, other: Any) -> Any:
    """Norms that both networks keep: the larger of every two."""
    if isinstance(one, tuple):
        return tuple(common(a, b) for a, b in zip(one, other, strict=True))
    if isinstance(one, float):
        return max(one, other)
    if hasattr(one, "__dataclass_fields__"):
        return replace(one, **{name: common(getattr(one, name), getattr(other, name)) for name in vars(one)})
    assert one == other
    return one


def reach(found: Capacity, name: str) -> tuple[float, float]:
    """How much an error of a part counts, and its size."""
    part = next(part for part in found.parts if part.name == name)
    return float(part.weight), float(part.size)


@pytest.mark.parametrize("name", CONFIGS)
def test_no_output_is_larger_than_its_class_allows(name: str) -> None:
    words = torch.randint(0, 4, (40, 7), generator=torch.Generator().manual_seed(1))
    for seed in range(4):
        model = drawn(CONFIGS[name], seed)
        found = residual(from_decoder(arrays(model), model.config.as_json()))
        assert 0 < np.abs(outputs(model, words)).max() <= float(found.largest)


def expected_moves(change: Arrays, state: Arrays, config: DecoderConfig) -> dict[str, float]:
    """For each changed weight of a plain decoder the part it belongs to, and ||Δ|| as a map of what enters."""
    moves: dict[str, float] = {}
    scale = 1 / config.key_width(0)
    for weight, moved in change.items():
        if weight == "embedding":
            moves["embedding 1"] = float(np.linalg.norm(moved[0], axis=1).max())
        elif weight == "unembedding":
            moves["readout"] = float(np.linalg.norm(moved[0], axis=1).max())
        else:
            _, layer, kind = weight.split(".")
            label = f"layer {int(layer) + 1}"
            if kind == "query":
                moves[f"{label} score"] = spectral(scale * moved[0].T @ state[f"layers.{layer}.key"][0])
            elif kind == "key":
                moves[f"{label} score"] = spectral(scale * state[f"layers.{layer}.query"][0].T @ moved[0])
            else:
                moves[f"{label} {kind}"] = spectral(moved[0])
    return moves


def test_decoders_that_differ_in_one_weight_differ_by_no_more_than_its_part_counts() -> None:
    """Every weight in turn; what enters a part has a norm of at most size / (2 outputs · largest)."""
    words = torch.randint(0, 4, (60, 6), generator=torch.Generator().manual_seed(2))
    closest: dict[str, float] = {}
    for seed in range(5):
        model = drawn(PLAIN, seed, 0.25)
        state = arrays(model)
        before = outputs(model, words)
        for number, weight in enumerate(state):
            other = drawn(PLAIN, seed, 0.25)
            moved = np.asarray(1e-3 * np.random.default_rng(number).normal(size=state[weight].shape))
            other.load_state_dict({n: torch.from_numpy(v + (moved if n == weight else 0)) for n, v in state.items()})
            norms = common(*(from_decoder(arrays(each), PLAIN.as_json()) for each in (model, other)))
            found = residual(norms)
            (name, change), *rest = expected_moves({weight: moved}, state, PLAIN).items()
            assert not rest
            counts, size = reach(found, name)
            entering = size / parts_of(norms)[name] / (1 if name == "readout" else 2)
            allowed = counts * change * entering
            actual = np.abs(outputs(other, words) - before).max()
            assert actual <= allowed * (1 + 1e-9)
            closest[name] = max(closest.get(name, 0.0), float(actual / allowed))
    # Weights of the first layer go through everything else; that they come close says the gains are not idle.
    assert closest["readout"] > 0.1
    assert closest["layer 2 output"] > 0.05
    assert closest["layer 1 value"] > 1e-3
    assert closest["embedding 1"] > 1e-3


def parts_of(norms: ResidualNorms) -> dict[str, float]:
    """outputs · largest for each part, from the norms themselves."""
    found = {"embedding 1": norms.embeddings[0].outputs * norms.embeddings[0].largest, "readout": norms.readout.largest}
    for number, block in enumerate(norms.blocks, start=1):
        for kind, each in (("score", block.heads[0].query_key), ("value", block.heads[0].value)):
            found[f"layer {number} {kind}"] = each.outputs * each.largest
        assert block.hidden is not None
        assert block.output is not None
        found[f"layer {number} hidden"] = block.hidden.outputs * block.hidden.largest
        found[f"layer {number} output"] = block.output.outputs * block.output.largest
    return found


def followed(norms: ResidualNorms, softmax: float) -> tuple[dict[str, Any], Any]:
    """The weights of all parts and the largest output, from one error forward through the network as a symbolic sum.

    The class has them from products backward. Only networks whose layers have one head and an MLP, without norms after.
    """
    errors: dict[str, sympy.Symbol] = {}

    def error(name: str) -> sympy.Symbol:
        return errors.setdefault(name, sympy.Symbol(name))

    def with_one(size: Any, given: MapNorms) -> Any:
        return sympy.sqrt(size**2 + 1) if given.has_constant else size

    size: Any = sympy.Float(norms.input_norm, 30)
    total: Any = sum(error(f"embedding {n}") for n in range(1, len(norms.embeddings) + 1))
    steep = 1 / sympy.sqrt(sympy.Float(norms.norm_epsilon, 30))
    for number, block in enumerate(norms.blocks, start=1):
        (head,), label = block.heads, f"layer {number}"
        entering, seen = size, total
        if norms.normalisation == "before":
            entering, seen = sympy.sqrt(norms.width), total * steep
        v, a = head.value.spectral, head.query_key.spectral
        asks, sees = with_one(entering, head.query_key), with_one(entering, head.value)
        # Scores are off by an error of the matrix times the query, and by twice an error of the tokens.
        scores = asks * error(f"{label} score") + 2 * a * asks * seen + error(f"{label} bias")
        total = total + v * seen + error(f"{label} value") + softmax * v * sees * scores
        size = size + v * sees
        assert block.hidden is not None
        assert block.output is not None
        entering, seen = size, total
        if norms.normalisation == "before":
            entering, seen = sympy.sqrt(norms.width), total * steep
        inputs = with_one(entering, block.hidden)
        units = with_one(norms.lipschitz * block.hidden.spectral * inputs, block.output)
        hidden = block.hidden.spectral * seen + error(f"{label} hidden")
        total = total + block.output.spectral * norms.lipschitz * hidden + error(f"{label} output")
        size = size + block.output.spectral * units
    last = norms.readout.largest
    if norms.final_norm:
        size, total = sympy.sqrt(norms.width), total * steep
    size = with_one(size, norms.readout)
    total = sympy.expand(last * total + error("readout"))
    return {name: float(total.coeff(symbol)) for name, symbol in errors.items()}, float(last * size)


@pytest.mark.parametrize("name", ["plain", "biases", "positions", "context", "layer norm"])
def test_parts_count_what_an_error_grows_to_on_its_way_forward(name: str) -> None:
    norms = from_decoder(arrays(drawn(CONFIGS[name], 5)), CONFIGS[name].as_json())
    for softmax in (1.0, 2.0):
        found = residual(norms, softmax)
        weights, largest = followed(norms, softmax)
        assert {part.name: float(part.weight) for part in found.parts} == pytest.approx(weights, rel=1e-9)
        assert float(found.largest) == pytest.approx(largest, rel=1e-9)


@pytest.mark.parametrize(
    ("weight", "part"),
    [
        ("embedding", "embedding 1"),
        ("layers.0.value", "layer 1 value"),
        ("layers.0.hidden", "layer 1 hidden"),
        ("layers.1.output", "layer 2 output"),
        ("unembedding", "readout"),
        ("layers.0.query", "layer 1 score"),
        ("layers.1.query", "layer 2 score"),
    ],
)
def test_networks_of_single_numbers_attain_what_their_parts_count(weight: str, part: str) -> None:
    """Positive numbers add up; scores attain it at 0, for tokens R and -R: no softmax constant below 1 holds."""
    config = DecoderConfig(vocabulary=2, outputs=1, width=1, layers=2, hidden=1, biases="none")
    model, step = drawn(config, 0), 1e-7
    state = {name: np.full_like(value, 0.5) for name, value in arrays(model).items()}
    state["embedding"][0] = [[1.5], [-1.5]]
    attends = weight.endswith("query")
    for layer in range(2):
        # Keys are 1 and queries 0, so that all tokens are attended alike until the query matrix is moved.
        state[f"layers.{layer}.query"][:], state[f"layers.{layer}.key"][:] = 0.0, 1.0
    if weight == "layers.0.query":
        state["layers.1.value"][:] = 0.0  # the first token, which only sees itself, does not move
    if weight == "layers.1.query":
        state["layers.0.value"][:], state["layers.0.hidden"][:] = 0.0, 0.0  # R and -R enter layer 2
    found = residual(from_decoder(state, config.as_json()))
    moved = {name: value + (step if name == weight else 0.0) for name, value in state.items()}
    word = torch.tensor([[1, 0]] if attends else [[0]])
    results = []
    for each in (state, moved):
        model.load_state_dict({name: torch.from_numpy(value) for name, value in each.items()})
        results.append(outputs(model, word)[0, 0])
    chosen = next(each for each in found.parts if each.name == part)
    entering = 1.5 if attends else float(chosen.size) / parts_of(from_decoder(state, config.as_json()))[part]
    entering /= 1 if attends or part == "readout" else 2
    assert (results[1] - results[0]) / step == pytest.approx(float(chosen.weight) * entering, rel=1e-5)


@pytest.mark.parametrize("name", [name for name in CONFIGS if name != "plain"])
def test_decoders_of_all_kinds_that_differ_everywhere_differ_by_no_more_than_all_parts_count(name: str) -> None:
    """Each part's error is at most 2 · its largest value, so a relative change t of all weights counts t · that."""
    config, relative = CONFIGS[name], 1e-4
    words = torch.randint(0, 4, (40, 7), generator=torch.Generator().manual_seed(3))
    for seed in range(4):
        model = drawn(config, seed, 0.3)
        other = drawn(config, seed, 0.3)
        other.load_state_dict({n: v * (1 + relative) for n, v in model.state_dict().items()})
        norms = common(*(from_decoder(arrays(each), config.as_json()) for each in (model, other)))
        found = residual(norms)
        # W (1 + t) differs from W by t ||W|| ||x|| <= t √outputs · largest · ||x||, the part's radius; gains that are
        # made part of a map, or products of two or three matrices, count that often.
        allowed = sum(5 * relative * float(part.weight * part.radius) for part in found.parts)
        assert 0 < np.abs(outputs(other, words) - outputs(model, words)).max() <= allowed


def test_the_largest_slope_of_gelu_is_at_the_root_of_two() -> None:
    import mpmath

    def slope(x: Any) -> Any:
        return mpmath.ncdf(x) + x * mpmath.npdf(x)

    assert mpmath.diff(slope, mpmath.sqrt(2)) == pytest.approx(0, abs=1e-12)
    assert GELU_LIPSCHITZ - 2e-4 < slope(mpmath.sqrt(2)) <= GELU_LIPSCHITZ
    grid = np.linspace(-6, 6, 500)
    assert max(float(slope(x)) for x in grid) <= GELU_LIPSCHITZ


def test_a_network_without_layers_is_its_readout() -> None:
    found = residual(ResidualNorms(4, (), MapNorms(1, 2.0, 2.0), 3.0))
    assert [part.name for part in found.parts] == ["readout"]
    assert float(found.largest) == 6.0
    idle = residual(ResidualNorms(4, (BlockNorms(),), MapNorms(1, 2.0, 2.0), 3.0))
    assert idle.covering(0.1, 10).value == found.covering(0.1, 10).value


def test_a_layer_norm_that_comes_after_multiplies_everything_before_it() -> None:
    gain = MapNorms(4, 3.0, 2.0)
    block = BlockNorms((), MapNorms(5, 0.5, 0.25), MapNorms(4, 0.75, 0.5), mlp_gain=gain)
    norms = ResidualNorms(4, (block,), MapNorms(1, 2.0, 2.0), 1.5, normalisation="after", norm_epsilon=0.01)
    found = residual(norms)
    weights = {part.name: float(part.weight) for part in found.parts}
    # Behind the MLP there are the norm, 1/√0.01, its gains, 3, and the readout, 2.
    assert weights == pytest.approx(
        {"layer 1 hidden": 0.75 * 60, "layer 1 output": 60, "layer 1 mlp norm": 2, "readout": 1}
    )
    assert float(found.largest) == pytest.approx(2 * 3 * 2)
