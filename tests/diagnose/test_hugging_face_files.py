"""Directories of Hugging Face: what is measured is the model that was saved, or nothing."""

from __future__ import annotations

import json
import logging
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file
from transformers import BertForMaskedLM, BertLMHeadModel, BertModel

from lengthwise.diagnose import DiagnosisError
from lengthwise.diagnose.influence import HuggingFaceModel, load_hugging_face, losses_without_each
from tests.diagnose.text_models import RECENT, bert, hugging_face, saved_hugging_face, windows


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    """A GPT-2, whose unembedding is its embedding."""
    return saved_hugging_face(tmp_path / "model")


def with_settings(directory: Path, **changes: Any) -> Path:
    settings = json.loads((directory / "config.json").read_text(encoding="utf-8"))
    (directory / "config.json").write_text(json.dumps({**settings, **changes}), encoding="utf-8")
    return directory


def without(directory: Path, name: str) -> Path:
    weights = load_file(directory / "model.safetensors")
    assert name in weights
    kept = {each: weight for each, weight in weights.items() if each != name}
    save_file(kept, directory / "model.safetensors", {"format": "pt"})
    return directory


def test_a_directory_is_read_from_safetensors_alone(saved: Path, tmp_path: Path) -> None:
    model, given = load_hugging_face(saved), windows()
    np.testing.assert_allclose(
        losses_without_each(model, given, RECENT),
        losses_without_each(HuggingFaceModel(hugging_face()), given, RECENT),
        atol=1e-6,
    )
    with pytest.raises(DiagnosisError, match="at most 30 tokens"):
        model.outputs(windows(1, 31), np.zeros((1, 31), dtype=np.bool_))
    (saved / "model.safetensors").rename(saved / "pytorch_model.bin")
    with pytest.raises(DiagnosisError, match="can be loaded"):
        load_hugging_face(saved)
    with pytest.raises(DiagnosisError, match=r"config\.json"):
        load_hugging_face(tmp_path)


def test_a_tied_weight_that_is_saved_once_is_not_missing(saved: Path) -> None:
    assert "lm_head.weight" not in load_file(saved / "model.safetensors")
    assert torch.equal(load_hugging_face(saved).model.lm_head.weight, hugging_face().lm_head.weight)
    with pytest.raises(DiagnosisError, match=r"lacks 1 of the tensors of its model, such as lm_head\.weight, "):
        load_hugging_face(with_settings(saved, tie_word_embeddings=False))


def test_a_model_without_one_of_its_tensors_is_refused_by_the_name_of_it(saved: Path) -> None:
    with pytest.raises(DiagnosisError, match=r"lacks 1 of the tensors of its model, such as transformer\.h\.1\.ln_2"):
        load_hugging_face(without(saved, "transformer.h.1.ln_2.bias"))


def test_a_model_with_more_layers_than_it_has_weights_for_is_refused(saved: Path) -> None:
    with pytest.raises(DiagnosisError, match=r"lacks 12 of the tensors .* such as transformer\.h\.2\."):
        load_hugging_face(with_settings(saved, n_layer=3))


def test_an_encoder_without_a_head_for_tokens_is_refused(tmp_path: Path) -> None:
    bert(BertModel, is_decoder=False).save_pretrained(tmp_path)
    with pytest.raises(DiagnosisError, match=r"such as cls\.predictions\."):
        load_hugging_face(tmp_path)


def test_an_encoder_with_all_its_weights_is_refused_as_it_is_not_causal(tmp_path: Path) -> None:
    bert(BertForMaskedLM, is_decoder=False).save_pretrained(tmp_path)
    with pytest.raises(DiagnosisError, match="BertLMHeadModel is not causal"):
        load_hugging_face(tmp_path)


def test_the_same_weights_are_measured_as_a_decoder(tmp_path: Path) -> None:
    bert(BertLMHeadModel, is_decoder=True).save_pretrained(tmp_path)
    assert np.isfinite(losses_without_each(load_hugging_face(tmp_path), windows(), RECENT)).all()


def truncated(directory: Path) -> None:
    content = (directory / "model.safetensors").read_bytes()
    (directory / "model.safetensors").write_bytes(content[: len(content) // 2])


def without_header(directory: Path) -> None:
    (directory / "model.safetensors").write_bytes(b"\xff" * 100)


def with_bad_tokenizer(directory: Path) -> None:
    (directory / "tokenizer.json").write_text("{no", encoding="utf-8")


@pytest.mark.parametrize(
    ("damage", "told"),
    [
        (truncated, "can be loaded: "),
        (without_header, "can be loaded: .*header"),
        (with_bad_tokenizer, "can be loaded: "),
        (lambda directory: with_settings(directory, n_embd=4), r"in the shape \(\d.*wants \(\d"),
        (
            lambda directory: with_settings(directory, n_positions=7),
            r"wpe\.weight in the shape \(30, 8\).*wants \(7, 8",
        ),
        (lambda directory: with_settings(directory, n_embd="x"), "can be loaded: .*n_embd"),
        (lambda directory: with_settings(directory, n_embd=-4), "can be loaded: .*negative"),
        (lambda directory: with_settings(directory, n_head=0), "can be loaded: "),
        (lambda directory: with_settings(directory, model_type="x"), "can be loaded: "),
    ],
)
def test_a_damaged_directory_is_told_in_one_line(damage: Any, told: str, saved: Path) -> None:
    damage(saved)
    with pytest.raises(DiagnosisError, match=told) as refused:
        load_hugging_face(saved)
    assert str(refused.value).startswith(f"{saved} ")
    assert "\n" not in str(refused.value)


def test_weights_that_are_no_numbers_are_refused(tmp_path: Path) -> None:
    model = hugging_face()
    with torch.no_grad():
        model.transformer.ln_f.weight[0] = torch.nan
    model.save_pretrained(tmp_path)
    with pytest.raises(DiagnosisError, match="does not give finite numbers"):
        load_hugging_face(tmp_path)


def test_transformers_says_nothing_beside_the_sentence_and_is_as_loud_as_before(saved: Path) -> None:
    told: list[str] = []

    class Listener(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            told.append(record.getMessage())

    listener, theirs = Listener(), logging.getLogger("transformers")
    before = theirs.level
    theirs.addHandler(listener)
    try:
        with pytest.raises(DiagnosisError, match="lacks"):
            load_hugging_face(with_settings(saved, n_layer=3))
    finally:
        theirs.removeHandler(listener)
    assert told == []
    assert theirs.level == before
