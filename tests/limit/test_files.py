"""Model files that somebody has edited: refused in a sentence, or read without the certificate they no longer earn."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lengthwise.crasp import load as load_program
from lengthwise.limit import LimitTransformer, ModelError, from_crasp, load, load_transformer, save, to_transformer
from lengthwise.limit.files import claimed_length

TENSORS = [
    "embedding",
    "positions",
    "unembedding",
    "layers.0.hidden",
    "layers.0.bias",
    "layers.0.output",
    "layers.0.heads.0.key_query",
    "layers.0.heads.0.value",
    "layers.0.heads.0.phi",
]


@pytest.fixture(scope="module")
def model() -> LimitTransformer:
    return from_crasp(load_program("contains-ab"))


@pytest.fixture
def path(model: LimitTransformer, tmp_path: Path) -> Path:
    model.save(tmp_path / "model.safetensors")
    return tmp_path / "model.safetensors"


def header(path: Path) -> tuple[dict[str, Any], bytes]:
    """The header of a safetensors file as JSON, and the bytes behind it."""
    content = path.read_bytes()
    (size,) = struct.unpack("<Q", content[:8])
    return json.loads(content[8 : 8 + size]), content[8 + size :]


def write(path: Path, found: dict[str, Any], data: bytes) -> None:
    text = json.dumps(found).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)


def edit_facts(path: Path, **changes: object) -> None:
    """Change facts; a value of ... takes the fact out."""
    facts = json.loads(header(path)[0]["__metadata__"]["facts"]) | changes
    write_facts(path, json.dumps({name: value for name, value in facts.items() if value is not ...}))


def write_facts(path: Path, text: str) -> None:
    found, data = header(path)
    found["__metadata__"]["facts"] = text
    write(path, found, data)


def edit_number(path: Path, tensor: str, number: float) -> None:
    """Overwrite the last entry of a tensor."""
    found, data = header(path)
    end = found[tensor]["data_offsets"][1]
    write(path, found, data[: end - 8] + struct.pack("<d", number) + data[end:])


def certificate_facts(path: Path) -> dict[str, Any]:
    facts: dict[str, Any] = json.loads(header(path)[0]["__metadata__"]["facts"])["certificate"]
    return facts


# -------------------------------------------------------------------------------------------------- numbers


@pytest.mark.parametrize("dtype", ["I64", "U64"])
@pytest.mark.parametrize("tensor", TENSORS)
def test_a_tensor_under_another_type_is_refused(path: Path, tensor: str, dtype: str) -> None:
    found, data = header(path)
    found[tensor]["dtype"] = dtype
    write(path, found, data)
    with pytest.raises(ModelError, match=rf"the tensor {tensor} is of type {dtype}, and models are read in F64 only"):
        load(path)


@pytest.mark.parametrize("dtype", ["I8", "BOOL", "F8_E4M3"])
def test_flags_under_another_type_are_refused(path: Path, dtype: str) -> None:
    found, data = header(path)
    found["layers.0.heaviside"]["dtype"] = dtype
    write(path, found, data)
    with pytest.raises(ModelError, match=r"layers\.0\.heaviside is of type|not a safetensors file"):
        load(path)


@pytest.mark.parametrize("number", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("tensor", TENSORS)
def test_weights_that_are_no_finite_numbers_are_refused(path: Path, tensor: str, number: float) -> None:
    edit_number(path, tensor, number)
    with pytest.raises(ModelError, match=r"model\.safetensors: .* has an entry that is not a finite number"):
        load(path)


@pytest.mark.parametrize("tensor", TENSORS)
def test_weights_of_1e308_lose_the_certificate_and_never_answer_beyond_float64(path: Path, tensor: str) -> None:
    edit_number(path, tensor, 1e308)
    edited = load(path)
    assert edited.certificate is None
    for attempt in (edited.accepts, edited.last, edited):
        with pytest.raises(ModelError, match="float64 may overflow inside it"):
            attempt("abab")


def test_flags_are_zero_or_one(path: Path) -> None:
    found, data = header(path)
    name = next(name for name, entry in found.items() if name.endswith("heaviside") and entry["shape"][0])
    end = found[name]["data_offsets"][1]
    write(path, found, data[: end - 1] + bytes([7]) + data[end:])
    with pytest.raises(ModelError, match="marks units with 0 or 1, got 7"):
        load(path)


# ---------------------------------------------------------------------------------------------------- facts


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("certified_length", "12"),
        ("certified_length", 12.5),
        ("certified_length", True),
        ("certified_length", -4),
        ("certified_length", [12]),
        ("certified_length", ...),
        ("outputs", [["accept"]]),
        ("outputs", "accept"),
        ("outputs", [None]),
        ("outputs", {"accept": 0}),
        ("alphabet", "ab"),
        ("alphabet", [1, 2]),
        ("alphabet", ["a", "a"]),
        ("alphabet_is_open", "no"),
        ("has_start", 1),
        ("has_start", None),
        ("regime", 8),
        ("regime", "softmax"),
        ("title", ["contains-ab"]),
        ("heads", 2),
        ("heads", [True]),
        ("heads", ["1"]),
        ("heads", [-1]),
        ("heads", [9]),
        ("certificate", 12),
        ("certificate", {"length": 12}),
        ("certificate", [1]),
    ],
)
def test_a_fact_of_the_wrong_type_is_refused(path: Path, name: str, value: object) -> None:
    edit_facts(path, **{name: value})
    with pytest.raises(ModelError, match=r"model\.safetensors: "):
        load(path)


@pytest.mark.parametrize("text", ["", "{", "[]", "null", '{"alphabet": ' + "9" * 5000 + "}", "[" * 100_000])
def test_facts_that_are_no_dictionary_are_refused(path: Path, text: str) -> None:
    write_facts(path, text)
    with pytest.raises(ModelError, match="the file is damaged: its facts cannot be read"):
        load(path)


def test_a_file_without_one_of_its_tensors_is_refused(path: Path) -> None:
    edit_facts(path, heads=[1, 1, 1, 1, 1, 1, 1, 1])
    with pytest.raises(ModelError, match=r"the tensor 'layers\.\d+\..*' is missing"):
        load(path)


# --------------------------------------------------------------------------------------------- certificates


def test_what_is_saved_keeps_its_certificate(model: LimitTransformer, path: Path, tmp_path: Path) -> None:
    assert load(path).certificate == model.certificate is not None
    ordinary = to_transformer(model, 12)
    save(ordinary, tmp_path / "ordinary.safetensors")
    again = load_transformer(tmp_path / "ordinary.safetensors")
    assert again.certificate == ordinary.certificate is not None
    assert again.accepts("bbab", 3)


def test_edited_weights_have_no_certificate(path: Path) -> None:
    edit_number(path, "unembedding", 0.25)
    assert load(path).certificate is None
    assert claimed_length(path) is not None


@pytest.mark.parametrize("length", [10, 2**52, 10**30])
def test_an_edited_certified_length_is_not_believed(path: Path, length: int) -> None:
    edit_facts(path, certified_length=length)
    assert load(path).certificate is None
    assert load(path).certified_length is None


@pytest.mark.parametrize(
    "changes", [{"length": 5000}, {"regimes": ["izzo_infinite", "huang(8)"]}, {"seal": "0" * 64}, {"seal": ""}]
)
def test_an_edited_certificate_is_not_believed(path: Path, changes: dict[str, Any]) -> None:
    edited = certificate_facts(path) | changes
    edit_facts(path, certificate=edited, certified_length=edited["length"])
    assert load(path).certificate is None


def test_a_certificate_beyond_what_float64_can_hold_is_refused(path: Path) -> None:
    edit_facts(path, certificate=certificate_facts(path) | {"length": 10**30}, certified_length=10**30)
    with pytest.raises(ModelError, match="a certificate holds for words of 0 to"):
        load(path)


def test_the_certificate_of_another_file_is_not_believed(path: Path, tmp_path: Path) -> None:
    from_crasp(load_program("majority")).save(tmp_path / "other.safetensors")
    stolen = certificate_facts(tmp_path / "other.safetensors")
    edit_facts(path, certificate=stolen, certified_length=stolen["length"])
    assert load(path).certificate is None


@pytest.mark.parametrize("regime", ["izzo_infinite", "huang(8, shift)"])
def test_a_regime_that_was_edited_in_loses_the_certificate(path: Path, regime: str) -> None:
    edit_facts(path, regime=regime)
    assert load(path).certificate is None


def test_a_file_from_before_certificates_is_read_and_certified_for_nothing(model: LimitTransformer, path: Path) -> None:
    edit_facts(path, certificate=...)
    old = load(path)
    assert old.certificate is None
    assert claimed_length(path) == model.certified_length
    assert [old.accepts(word) for word in ("bbab", "bbba")] == [True, False]
