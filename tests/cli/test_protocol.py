"""`lengthwise protocol` and `lengthwise show --products` as a user meets them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lengthwise as lw
from lengthwise.limit.transformers.products import Term, alpha, beta
from tests.e2e.command import lengthwise


def data_of(*arguments: str, cwd: Path | None = None) -> Any:
    done = lengthwise(*arguments, "--json", cwd=cwd)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_the_messages_add_up_and_bob_gives_the_models_answer() -> None:
    for word in ("(())" * 20, "(()(" * 20):
        data = data_of("protocol", "dyck1", word)
        assert set(data) == {
            "schema", "meaning", "half", "length", "activation_bits", "key_bits", "bits", "cells", "input_bits",
            "messages", "outputs", "exact", "agree",
        }  # fmt: skip
        assert sum(message["bits"] for message in data["messages"]) == data["bits"]
        assert data["agree"]
        assert (data["outputs"]["accept"] > 0) == lw.crasp.load("dyck1").accepts(word)
        assert (data["length"], data["half"], data["input_bits"]) == (81, 40, 39)


def test_the_bits_grow_like_a_logarithm_and_the_input_like_the_length() -> None:
    sizes = [data_of("protocol", "majority", "01", "--times", str(times)) for times in (50, 500, 5000)]
    assert [each["input_bits"] for each in sizes] == [49, 499, 4999]
    steps = np.diff([each["bits"] for each in sizes])
    assert max(steps) < 40


def test_the_induction_head_has_a_name() -> None:
    data = data_of("protocol", "induction-head", "abcab", "--symbols", "abc")
    assert data["meaning"] == "Limit Transformer of induction-head"
    assert data["outputs"].keys() == {"a", "b", "c"}


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("majority", ""), "two halves"),
        (("majority", "01", "--times", "0"), "--times takes a whole number from 1 on"),
        (("majority", "ab"), "not in the alphabet"),
        (("majority", "01", "--factor", "-1"), "the factor is a positive number"),
        (("majority", "01", "--key-bits", "-1"), "keys have 0 to"),
        (("majority", "01", "--omega", "2"), "--omega belongs to a construction"),
        (("(ab)*", "ab"), "Theorem 12 of Huang et al. is about a Limit Transformer"),
    ],
)
def test_bad_input_ends_with_one_sentence(arguments: tuple[str, ...], said: str) -> None:
    done = lengthwise("protocol", *arguments)
    assert done.returncode == 2
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_products_are_those_of_the_definition_and_a_file_has_the_programs(tmp_path: Path) -> None:
    data = data_of("show", "aa-star", "--products", "--context", "6")
    written = lw.limit.to_transformer(lw.limit.from_crasp(lw.crasp.load("aa-star")), 6)
    lw.limit.save(written, tmp_path / "model.safetensors")
    saved = data_of("show", "model.safetensors", "--products", cwd=tmp_path)
    assert {**saved, "meaning": ""} == {**data, "meaning": ""}
    assert data["in_theta"]
    assert data["period"] == data["limit_transformer"]["period"] == 2
    transformer = lw.limit.load_transformer(tmp_path / "model.safetensors")
    by_name = {(each["where"], *each["terms"]): np.array(each["values"]) for each in data["products"]}
    moved = Term("position", ((1, 1),))
    assert np.array_equal(by_name["layer 2, head 1", str(moved), str(moved)], alpha(transformer, 2, 1, moved, moved))
    assert np.array_equal(by_name["outputs", "E"], beta(transformer, "outputs", Term("symbol")))
    assert all(np.array(each["values"]).any() for each in data["products"])


def test_a_transformer_that_depends_on_the_offset_is_in_no_theta_and_goes_nowhere() -> None:
    transformer = lw.limit.to_transformer(lw.limit.from_crasp(lw.crasp.load("majority")), 4)
    positions = transformer.positions.copy()
    positions[1] += 1.0
    found = lw.limit.product_functions(
        lw.limit.Transformer(
            transformer.alphabet,
            transformer.embedding,
            positions,
            transformer.layers,
            transformer.unembedding,
            transformer.outputs,
            transformer.has_start,
            transformer.regime,
        )
    )
    assert not found.membership
    assert found.period is None
    assert found.back is None
    assert "not in Θ_4" in str(found)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("dyck1", "--products", "--latex"), "--products is about weights"),
        (("dyck1", "--context", "4"), "give --products, too"),
        (("dyck1", "--products", "--context", "0"), "a context has at least one position"),
        (("(ab)*", "--products"), "Definition 43 of Huang et al. is about a Limit Transformer"),
        (("missing.safetensors", "--products"), "does not exist"),
    ],
)
def test_bad_input_of_products_ends_with_one_sentence(arguments: tuple[str, ...], said: str) -> None:
    done = lengthwise("show", *arguments)
    assert done.returncode == 2
    assert said in done.stderr
