"""Directories of Hugging Face made to do harm: none of them reaches transformers."""

from __future__ import annotations

import json
import os
import pickle
import struct
from pathlib import Path
from typing import Any

import pytest
from safetensors.torch import load_file, save_file

from lengthwise.diagnose import DiagnosisError
from lengthwise.diagnose.influence import load_hugging_face
from lengthwise.diagnose.influence.plain_directory import require_plain
from tests.diagnose.text_models import saved_hugging_face

WEIGHTS, INDEX = "model.safetensors", "model.safetensors.index.json"


class Attack:
    """What a pickle would run: it makes a file."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self) -> Any:
        return os.mkdir, (str(self.mark),)


@pytest.fixture
def saved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A GPT-2; loading it would fail this test if transformers were asked."""
    directory = saved_hugging_face(tmp_path / "model")
    import transformers

    def called(*_: object, **__: object) -> None:
        pytest.fail("transformers was called")

    monkeypatch.setattr(transformers.AutoModelForCausalLM, "from_pretrained", called)
    monkeypatch.setattr(transformers.AutoTokenizer, "from_pretrained", called)
    return directory


def changed(directory: Path, name: str, **changes: Any) -> Path:
    path = directory / name
    found = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    path.write_text(json.dumps({**found, **changes}), encoding="utf-8")
    return directory


def in_shards(directory: Path, shard: str) -> Path:
    """The same weights, listed as if they were in a file of this name."""
    names = list(load_file(directory / WEIGHTS))
    (directory / WEIGHTS).rename(directory / "shard.safetensors")
    return changed(directory, INDEX, metadata={}, weight_map=dict.fromkeys(names, shard))


@pytest.mark.parametrize(
    "shard",
    ["../outside.bin", "../outside.safetensors", "/etc/outside.safetensors", "a/b.safetensors", "pytorch_model.bin",
     "..\\outside.safetensors", ".hidden.safetensors", "", "shard.safetensors\n", "shard.safetensors/", None, 3, ["a"]],
)  # fmt: skip
def test_weights_are_plain_safetensors_of_the_directory(saved: Path, shard: Any) -> None:
    mark = saved.parent / "mark"
    for name in ("outside.bin", "outside.safetensors"):
        (saved.parent / name).write_bytes(pickle.dumps(Attack(mark)))
    with pytest.raises(DiagnosisError, match=r"no \*\.safetensors file of the directory"):
        load_hugging_face(in_shards(saved, shard))
    assert not mark.exists()


def test_a_pickle_with_the_name_of_safetensors_is_none(saved: Path) -> None:
    mark = saved.parent / "mark"
    (saved / WEIGHTS).write_bytes(pickle.dumps(Attack(mark)))
    with pytest.raises(DiagnosisError, match="is no safetensors file"):
        load_hugging_face(saved)
    assert not mark.exists()


def test_a_list_of_weights_beside_whole_ones_is_checked_as_well(saved: Path) -> None:
    with pytest.raises(DiagnosisError, match=r"names '\.\./x\.bin'"):
        load_hugging_face(changed(saved, INDEX, weight_map={"a": "../x.bin"}))
    with pytest.raises(DiagnosisError, match=r"has no file gone\.safetensors"):
        load_hugging_face(changed(saved, INDEX, weight_map={"a": "gone.safetensors"}))
    (saved / INDEX).write_text("[]", encoding="utf-8")
    with pytest.raises(DiagnosisError, match="does not say which file has which tensor"):
        load_hugging_face(saved)


@pytest.mark.parametrize("name", [WEIGHTS, "config.json", "vocab.json"])
def test_links_that_lead_outside_are_refused(saved: Path, name: str) -> None:
    outside = saved.parent / "elsewhere"
    outside.write_bytes((saved / name).read_bytes() if (saved / name).exists() else b"{}")
    (saved / name).unlink(missing_ok=True)
    (saved / name).symlink_to(outside)
    with pytest.raises(DiagnosisError, match="is a link to"):
        load_hugging_face(saved)


def test_links_inside_are_fine(saved: Path) -> None:
    (saved / WEIGHTS).rename(saved / "weights.safetensors")
    (saved / WEIGHTS).symlink_to("weights.safetensors")
    assert require_plain(saved)


@pytest.mark.parametrize("file", ["config.json", "tokenizer_config.json", "generation_config.json"])
@pytest.mark.parametrize("key", ["auto_map", "custom_pipelines", "transformers_weights"])
def test_settings_that_name_code_or_other_files_are_refused(saved: Path, file: str, key: str) -> None:
    with pytest.raises(DiagnosisError, match=f"has '{key}'"):
        load_hugging_face(changed(saved, file, **{key: {"AutoModelForCausalLM": "evil.Model"}}))
    with pytest.raises(DiagnosisError, match=f"has '{key}'"):
        load_hugging_face(changed(saved, file, **{key: None, "text_config": [{"deep": {key: "x"}}]}))


def test_an_adapter_which_names_another_model_is_refused(saved: Path) -> None:
    with pytest.raises(DiagnosisError, match="names another model"):
        load_hugging_face(changed(saved, "adapter_config.json", base_model_name_or_path="/elsewhere"))


@pytest.mark.parametrize(
    "key", ["n_layer", "num_hidden_layers", "n_embd", "n_head", "vocab_size", "n_inner", "hidden_size", "num_experts"]
)
@pytest.mark.parametrize("value", [10**9, -(10**9), 10**30])
def test_sizes_that_no_tensor_bears_out_are_refused(saved: Path, key: str, value: int) -> None:
    with pytest.raises(DiagnosisError, match=rf"says {key} = -?1"):
        load_hugging_face(changed(saved, "config.json", **{key: value}))
    with pytest.raises(DiagnosisError, match=rf"says {key} = -?1"):
        load_hugging_face(changed(saved, "config.json", text_config={key: [value]}, **{key: 4}))


@pytest.mark.parametrize("key", ["n_positions", "max_position_embeddings", "n_ctx"])
def test_tables_of_positions_are_counted(saved: Path, key: str) -> None:
    # A table of so many positions squared would be made beside the weights.
    directory = changed(saved, "config.json", **{key: 1 << 24})
    if key == "n_ctx":  # which means nothing
        require_plain(directory)
        return
    with pytest.raises(DiagnosisError, match="speaks of a model of"):
        load_hugging_face(directory)


def test_headers_that_lie_are_refused(saved: Path) -> None:
    header = json.dumps({"a": {"dtype": "F32", "shape": [1 << 40], "data_offsets": [0, 4]}}).encode()
    for content in (
        struct.pack("<Q", len(header)) + header + b"1234",
        struct.pack("<Q", 1 << 62),
        b"",
        struct.pack("<Q", 100_000) + b"[" * 100_000,
    ):
        (saved / WEIGHTS).write_bytes(content)
        with pytest.raises(DiagnosisError, match="is no safetensors file"):
            load_hugging_face(saved)


@pytest.mark.parametrize("text", ["", "[]", "nul", "[" * 100_000, '{"a": 1', "\ufeff{}", '{"n_layer": NaN}', "3"])
def test_settings_that_are_none_are_refused(saved: Path, text: str) -> None:
    (saved / "config.json").write_text(text, encoding="utf-8")
    if text == '{"n_layer": NaN}':
        require_plain(saved)
        return
    with pytest.raises(DiagnosisError, match=r"config\.json (cannot be read|has no settings)"):
        load_hugging_face(saved)


def test_a_model_that_was_saved_in_shards_is_read(tmp_path: Path) -> None:
    directory = saved_hugging_face(tmp_path / "model")
    weights = load_file(directory / WEIGHTS)
    (directory / WEIGHTS).unlink()
    names = sorted(weights)
    halves = {"model-1.safetensors": names[::2], "model-2.safetensors": names[1::2]}
    for file, part in halves.items():
        save_file({name: weights[name] for name in part}, directory / file, {"format": "pt"})
    changed(directory, INDEX, metadata={}, weight_map={name: file for file, part in halves.items() for name in part})
    assert load_hugging_face(directory).vocabulary == load_hugging_face(saved_hugging_face(tmp_path / "b")).vocabulary
