"""Configurations as plain data, and what they refuse."""

from __future__ import annotations

import json
from itertools import product
from typing import Any

import pytest

from lengthwise.nn import ConfigError, DecoderConfig
from tests.nn.oracle import SCHEMES, SHAPES, config


def test_a_config_survives_being_written_as_json() -> None:
    for shape, scheme in product(SHAPES, SCHEMES):
        original = config(shape, scheme)
        restored = DecoderConfig.from_json(json.loads(json.dumps(original.as_json())))
        assert restored == original
        assert hash(restored) == hash(original)


def test_keys_that_are_left_out_have_the_papers_values() -> None:
    default = DecoderConfig.from_json({"vocabulary": 3, "outputs": 1})
    assert (default.width, default.layers, default.heads_by_layer, default.hidden_by_layer) == (16, 1, (1,), (256,))


def test_numbers_for_each_layer_may_be_given_at_once_or_one_by_one() -> None:
    assert DecoderConfig(3, 1, layers=2, heads=2).heads_by_layer == (2, 2)
    assert DecoderConfig.from_json({"vocabulary": 3, "outputs": 1, "layers": 2, "hidden": [0, 8]}).hidden_by_layer == (
        0,
        8,
    )


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"widht": 3}, "a model has no key 'widht'; did you mean width?"),
        ({"width": 0}, "width is a whole number from 1 on, not 0"),
        ({"layers": 1.0}, "layers is a whole number from 0 on, not 1.0"),
        ({"outputs": True}, "outputs is a whole number from 1 on, not True"),
        ({"hidden": -1}, "hidden is a whole number from 0 on, not -1"),
        ({"heads": [1, 2]}, "heads lists 2 numbers for 1 layers; give one for each layer"),
        ({"activation": "tanh"}, "activation is one of relu, gelu, gelu-tanh, not 'tanh'"),
        ({"read": "first"}, "read is one of last, all, not 'first'"),
        ({"initialisation": "zero"}, "initialisation is one of mup, gpt2, not 'zero'"),
        ({"tied": "yes"}, "tied is true or false, not 'yes'"),
        ({"layer_norm": 1}, "layer_norm is true or false, not 1"),
        ({"embedding_scale": 0}, "embedding_scale is a positive number, not 0"),
        ({"embedding_scale": "small"}, "embedding_scale is a number, not 'small'"),
        ({"heads": 3, "output_matrix": True}, "3 heads do not divide the width 16 evenly"),
        ({"position_parameters": 3}, "position_parameters are parameters by name, not 3"),
    ],
)
def test_what_no_model_can_be_built_from_gets_a_sentence(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message.replace("?", r"\?")):
        DecoderConfig.from_json({"vocabulary": 3, "outputs": 1, **changes})


def test_what_only_the_task_knows_must_be_given() -> None:
    with pytest.raises(ConfigError, match="a model needs the key 'outputs'"):
        DecoderConfig.from_json({"vocabulary": 3})
