"""What a certificate claims is true, and what a transformation drops was not: against the definition of C-RASP."""

from __future__ import annotations

from dataclasses import replace

import pytest

from lengthwise.limit import from_crasp, from_transformer, to_transformer
from lengthwise.limit.evaluation.regimes import Hardmax, Huang, IzzoFinite, IzzoInfinite, Regime
from lengthwise.limit.model import LimitTransformer
from lengthwise.limit.protocol import Precision
from lengthwise.limit.protocol.rounded_model import RoundedModel
from lengthwise.limit.transformers.transformer import Transformer
from tests.limit.certified_programs import AROUND, DISTANT, PERIOD, PROGRAMS, SHORT, long_words, program, truth

REGIMES: list[Regime] = [
    *(Huang(bits) for bits in (0, 1, 8, 53, 1000)),
    *(Huang(bits, shift=True) for bits in (0, 8)),
    *(IzzoFinite(bits) for bits in (0, 1, 2, 8, 1000)),
    Hardmax(),
    IzzoInfinite(),
]


def wrong_words(model: LimitTransformer, text: str, tried: list[str]) -> list[str]:
    """The words on which some output of a model, or its verdict, is not the program's."""
    return [
        word
        for word in tried
        if model.accepts(word) != truth(text, word)[-1]
        or (word and (model(word)[:, 0] > 0).tolist() != truth(text, word))
    ]


def wrong_places(model: Transformer, text: str, tried: list[str]) -> list[tuple[str, int]]:
    """The words and offsets at which an ordinary transformer is wrong; words that do not fit are left out."""
    start = int(model.has_start)
    return [
        (word, offset)
        for word in tried
        for offset in range(model.context - len(word) - start + 1)
        if model.accepts(word, offset) != truth(text, word)[-1]
        or (word and (model(word, offset)[:, 0] > 0).tolist() != truth(text, word))
    ]


# ------------------------------------------------------------------------------------------------ they are true


@pytest.mark.parametrize("relu_only_up_to", [None, 100])
@pytest.mark.parametrize("text", PROGRAMS.values(), ids=PROGRAMS)
def test_a_compiled_model_is_right_in_every_regime_that_its_certificate_covers(
    text: str, relu_only_up_to: int | None
) -> None:
    model = from_crasp(program(text), relu_only_up_to=relu_only_up_to)
    assert model.certificate is not None
    covered = [regime for regime in REGIMES if model.certificate.covers(regime)]
    assert {Huang(0), Huang(8), Huang(1000), IzzoFinite(1), IzzoFinite(1000), Hardmax()} <= set(covered)
    for regime in covered:
        assert wrong_words(model.with_regime(regime), text, SHORT + AROUND) == [], regime


@pytest.mark.parametrize("text", PROGRAMS.values(), ids=PROGRAMS)
def test_an_ordinary_transformer_is_right_on_every_word_up_to_its_certificate_at_every_offset(text: str) -> None:
    model = from_crasp(program(text))
    for context in (1, 2, 4, 6, 7, 8, 11):
        tried = [word for word in SHORT + long_words(range(5, context)) if len(word) < context]
        for bits in (0, 8, 1000):
            transformer = to_transformer(model, context, bits=bits)
            assert transformer.certificate is not None
            assert transformer.certificate.length == context - 1
            assert wrong_places(transformer, text, tried[:: 1 if bits == 8 else 5]) == [], (context, bits)


def test_a_relu_only_model_is_certified_no_further_than_its_ramps_reach() -> None:
    text = 'Y = # "a" == # "b"'
    model = from_crasp(program(text), relu_only_up_to=8)
    assert model.certified_length == 8
    transformer = to_transformer(model, 30)
    assert transformer.certified_length == 8
    assert wrong_places(transformer, text, SHORT + long_words((5, 6, 7, 8))) == []


# ------------------------------------------------------------------- what is dropped would not have been true


@pytest.mark.parametrize(("text", "context"), [(PERIOD, 4), (DISTANT, 4), (DISTANT, 6)])
def test_back_from_a_short_context_a_program_is_forgotten_and_nothing_is_claimed(text: str, context: int) -> None:
    back = from_transformer(to_transformer(from_crasp(program(text)), context))
    assert back.certificate is None
    assert back.certified_length is None
    assert wrong_words(back, text, long_words(range(context, 16))) != []


def test_the_way_back_from_context_4_is_wrong_about_aaaa() -> None:
    back = from_transformer(to_transformer(from_crasp(program(PERIOD)), 4))
    assert back.certificate is None
    assert back.accepts("aaaa") is True
    assert truth(PERIOD, "aaaa")[-1] is False


@pytest.mark.parametrize("name", ["distant", "more-distant", "distant-residues", "constant"])
def test_without_finite_precision_windows_fail_and_the_certificate_is_gone(name: str) -> None:
    text, relu = PROGRAMS[name], 100 if name == "constant" else None
    model = from_crasp(program(text), relu_only_up_to=relu).with_regime(IzzoInfinite())
    assert model.certificate is None
    assert wrong_words(model, text, SHORT + AROUND) != []


def test_fifteen_a_are_accepted_only_without_a_certificate() -> None:
    text = PROGRAMS["more-distant"]
    model = from_crasp(program(text))
    assert not model.accepts("a" * 15)
    infinite = model.with_regime(IzzoInfinite())
    assert infinite.accepts("a" * 15)
    assert infinite.certificate is None


def test_a_certificate_does_not_come_back_with_the_regime() -> None:
    model = from_crasp(program(DISTANT))
    assert model.with_regime(IzzoInfinite()).with_regime(Huang(8)).certificate is None


def test_finer_logits_than_a_transformer_was_made_for_are_not_certified() -> None:
    """Layer 1 attends as strongly as 0 bits need; read at 8 bits, logits of layer 2 are no whole numbers."""
    text = PROGRAMS["periods"]
    made = to_transformer(from_crasp(program(text)), 11, bits=0)
    finer = replace(made, regime=Huang(8))
    assert made.certificate is not None
    assert finer.certificate is None


def test_a_model_read_outside_its_regimes_makes_no_certified_transformer() -> None:
    local = from_crasp(program(DISTANT))
    assert to_transformer(local.with_regime(IzzoInfinite()), 9, bits=8).certificate is None
    assert to_transformer(local.with_regime(Hardmax()), 9, bits=8).certificate is not None
    assert to_transformer(local.with_regime(Huang(8, shift=True)), 9).certificate is None
    periodic = from_crasp(program(PERIOD)).with_regime(Huang(8, shift=True))
    assert periodic.certificate is not None
    assert to_transformer(periodic, 9).certificate is None


def test_activations_of_few_bits_decide_otherwise_and_are_not_certified() -> None:
    text, word = 'Y = # "a" <= # "b"', "a" + "ab" * 20
    model = from_crasp(program(text))
    rounded = RoundedModel(model, Precision(len(word) + 1, activation_bits=2, key_bits=2))
    streams = rounded.run(model.tokens(word), rounded.fresh_ledgers())
    verdicts = [sum(w * v for w, v in zip(model.unembedding[0], row, strict=True)) > 0 for row in streams[-1][1:]]
    assert verdicts != truth(text, word)
    assert rounded.certificate is None
