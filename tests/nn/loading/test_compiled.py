"""Compiled weights in a decoder: the same outputs as their source."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from lengthwise.crasp import load as load_program
from lengthwise.limit import ModelError, from_crasp, save, to_transformer
from lengthwise.limit.evaluation.regimes import Hardmax, Huang, IzzoFinite, IzzoInfinite, Regime
from lengthwise.nn import CompiledDecoder, load_compiled
from tests.cases.oracles import words
from tests.limit.models import random_model
from tests.limit.random_models import certificate, random_limit, random_transformer

REGIMES: list[Regime] = [Huang(12), Huang(12, shift=True), IzzoFinite(6), IzzoInfinite(), Hardmax()]


@pytest.mark.parametrize("regime", REGIMES, ids=str)
@pytest.mark.parametrize("start", [True, False])
@pytest.mark.parametrize("seed", range(2))
def test_a_limit_transformer_gives_the_same_outputs_in_every_regime(seed: int, start: bool, regime: Regime) -> None:
    source = random_model(seed, regime=regime, symbols=2, has_start=start, period=3 - seed, layers=1 + seed)
    decoder = CompiledDecoder(source)
    for word in words("ab", 3):
        if word or start:
            np.testing.assert_allclose(decoder.read_word(word), source(word), rtol=0, atol=1e-9)


@pytest.mark.parametrize("seed", range(2))
def test_an_ordinary_transformer_gives_the_same_outputs_at_every_offset(seed: int) -> None:
    source = random_transformer(seed, context=5, start=bool(seed % 2))
    decoder = CompiledDecoder(source)
    for word in words("ab", 3):
        for offset in range(min(5 - len(word) - source.has_start, 4) + 1):
            expected = source(word, offset)
            np.testing.assert_allclose(decoder.read_word(word, offset), expected, rtol=0, atol=1e-9)


@pytest.mark.parametrize("kind", ["limit", "ordinary"])
@pytest.mark.parametrize("name", ["dyck1", "contains-ab", "majority", "aa-star"])
def test_a_program_compiled_to_a_file_decides_as_the_program_does(name: str, kind: str, tmp_path: Path) -> None:
    program = load_program(name)
    limit = from_crasp(program)
    save(limit if kind == "limit" else to_transformer(limit, context=6), tmp_path / "model.safetensors")
    decoder = load_compiled(tmp_path / "model.safetensors")
    accept = limit.outputs.index("accept")
    for word in words(program.alphabet.symbols, 4):
        if word:
            assert bool(decoder.read_word(word)[-1, accept] > 0) == program.accepts(word), word


def test_outputs_are_given_for_whole_batches_with_the_start_symbol() -> None:
    source = random_limit(0, period=2, window=1, layers=2)
    decoder, pair = CompiledDecoder(source), ["abba", "bbab"]
    outputs = decoder(torch.from_numpy(np.stack([source.tokens(word) for word in pair])))
    assert outputs.shape == (1, 2, 5, 2)
    for row, word in enumerate(pair):
        np.testing.assert_allclose(outputs[0, row, 1:].numpy(), source(word), rtol=0, atol=1e-9)


def test_a_model_without_layers_reads_its_embedding() -> None:
    source = replace(random_limit(1), layers=())
    np.testing.assert_allclose(CompiledDecoder(source).read_word("ab"), source("ab"), rtol=0, atol=1e-12)


def test_words_the_source_would_not_read_are_refused_in_the_same_words(tmp_path: Path) -> None:
    limit = random_limit(0)
    with pytest.raises(ModelError, match="context too short: 7 symbols with the start symbol at offset 0 do not fit"):
        CompiledDecoder(to_transformer(limit, context=6)).read_word("ababab")
    with pytest.raises(ModelError, match="a Limit Transformer has no context into which inputs could be shifted"):
        CompiledDecoder(limit).read_word("ab", offset=1)
    with pytest.raises(ModelError, match="certified for words of at most 3 symbols, got 4"):
        CompiledDecoder(certificate(3).attached_to(limit)).read_word("abab")
    with pytest.raises(ModelError, match="a model without start symbol has no output on the empty word"):
        CompiledDecoder(random_limit(0, start=False)).read_word("")
    with pytest.raises(ModelError, match="does not exist"):
        load_compiled(tmp_path / "nothing.safetensors")


def test_a_decoder_has_its_sources_certificate_until_it_is_changed() -> None:
    for source in (compiled := from_crasp(load_program("contains-ab")), to_transformer(compiled, context=6)):
        assert source.certificate is not None
        decoder = CompiledDecoder(source)
        assert decoder.certificate == source.certificate
        assert CompiledDecoder(source).to(torch.float32).certificate is None
        decoder.state_dict()["layers.0.output"].add_(1e-12)
        assert decoder.certificate is None
    assert CompiledDecoder(compiled.with_regime(IzzoInfinite())).certificate is None


def test_a_decoder_refuses_weights_that_overflow_and_outputs_that_are_no_numbers() -> None:
    limit = random_limit(0)
    with pytest.raises(ModelError, match="float64 may overflow"):
        CompiledDecoder(replace(limit, embedding=limit.embedding * 1e200)).read_word("ab")
    decoder = CompiledDecoder(limit)
    decoder.state_dict()["unembedding"].fill_(torch.nan)
    with pytest.raises(ModelError, match="an output of this model is not a finite number"):
        decoder.read_word("ab")
