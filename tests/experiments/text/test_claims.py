"""Verdicts on correlations say what correlations are worth."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from lengthwise.experiments.catalogue import find
from lengthwise.experiments.text.claims import judged
from lengthwise.experiments.text.experiment import Claim
from lengthwise.experiments.text.parts import PairOutcome
from lengthwise.experiments.text.report import TextReport
from lengthwise.runs.text import Corpus, TextPair
from lengthwise.runs.text.cell import TextCell

WINDOWS = 40
RNG = np.random.default_rng(7)
LOSSES = {kind: RNG.exponential(size=WINDOWS) for kind in ("short", "long", "chosen", "random")}
"""Without any relation to each other."""


@pytest.fixture
def outcome() -> PairOutcome:
    """Windows of 20 files."""
    settings: dict[str, Any] = {"longest": 16, "model": {"width": 8, "layers": 1, "heads": 2, "hidden": 8}}
    pair = TextPair(
        short=TextCell(context=8, **settings), long=TextCell(context=16, **settings), tokens=(2,), examples=WINDOWS
    )
    sparse = {
        who: LOSSES[kind][:, None].tolist()
        for who, kind in (("short", "chosen"), ("long", "chosen"), ("random", "random"))
    }
    losses = {"short": LOSSES["short"].tolist(), "long": LOSSES["long"].tolist(), "sparse": sparse}
    part = {
        "files": [number // 2 for number in range(WINDOWS)],
        "losses": {"short": losses, "long": losses},
        "chosen": {who: [[1, 2]] * WINDOWS for who in sparse},
    }
    return PairOutcome(pair, {}, [part], None)


def correlation(kind: str) -> float:
    return float(np.corrcoef(LOSSES["short"] - LOSSES["long"], LOSSES["short"] - LOSSES[kind])[0, 1])


def test_losses_without_a_relation_are_correlated_and_the_detail_says_that_random_bytes_are_too(
    outcome: PairOutcome,
) -> None:
    found = judged(Claim(text="They correlate.", kind="correlated", model="short", chosen="short"), [outcome])
    assert found.verdict == "reproduced"
    assert found.value == pytest.approx(correlation("chosen"))
    assert correlation("random") > 0.2
    *_, last = found.as_json()["detail"].split(". ")
    assert last == (
        "Both coordinates begin with L_short, so that a correlation alone says little: bytes at random have "
        f"{correlation('random'):.2f}."
    )


def test_a_claim_that_compares_with_random_bytes_needs_no_such_sentence(outcome: PairOutcome) -> None:
    claim = Claim(text="They explain more.", kind="closer-than-random", model="short", chosen="short")
    assert "L_short" not in judged(claim, [outcome]).detail


def test_the_sentence_is_shown_behind_the_verdicts(outcome: PairOutcome) -> None:
    nothing = np.empty(0, dtype=np.uint8)
    experiment: Any = find("golowich-fig4")
    *_, last, empty = TextReport(experiment, "smoke", [outcome], Corpus(nothing, nothing, ())).lines()
    assert not empty
    assert last.startswith("Both coordinates of a correlation begin with L_short, so that it alone says little")
