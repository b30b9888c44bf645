"""Verdicts draw themselves: the answers of `as_json` are the answers one sees."""

from __future__ import annotations

import pytest

from lengthwise import decide
from lengthwise.crasp import parse
from lengthwise.regular import Answer, Verdict
from tests.markup import Markup

LABELS = ("nope", "local", "ape")


@pytest.mark.parametrize("subject", ["(aa)*", "(a|b)*bb(a|b)*", "(ab|ba)*", "parity", "binary-majority", "[abe]*be*"])
def test_every_answer_is_there_with_its_reason_and_its_program(subject: str) -> None:
    verdict = decide(subject)
    found = Markup(verdict._repr_html_())
    found.assert_harmless()
    data = verdict.as_json()
    badges = [text for text in found.texts["span"] if text.split()[-1] in ("yes", "no", "unknown")]
    assert [text.split()[-1] for text in badges] == [data[label]["answer"] for label in LABELS]
    told = found.text.replace("`", "")
    for label in LABELS:
        assert " ".join(data[label]["reason"].replace("`", "").split()) in told
    programs = {data[label]["program"] for label in LABELS} - {None}
    assert {str(parse(text)) for text in found.texts.get("pre", [])} == programs
    for note in data["notes"]:
        assert " ".join(note.split()) in found.text


def test_a_no_is_argued() -> None:
    found = Markup(decide("(aa)*").nope._repr_html_())
    found.assert_harmless()
    assert "Why: group, re-checked" in found.texts["summary"]
    assert "each further a leads to another state" in found.text


def test_the_same_program_is_shown_once() -> None:
    assert len(Markup(decide("(ab|ba)*")._repr_html_()).texts["pre"]) == 1


def test_a_symbol_of_a_regex_cannot_become_markup() -> None:
    regex = "('<script>alert(1)</script>' | '&amp;')* '</pre><img onerror=x>'"
    verdict = decide(regex)
    found = Markup(verdict._repr_html_())
    found.assert_harmless()
    assert regex in found.text
    assert "<script>alert(1)</script>" in found.texts["pre"][0]
    text = verdict._repr_html_()
    assert "<script" not in text
    assert "<img" not in text


def test_a_hostile_reason_note_and_witness_stay_text() -> None:
    class Hostile:
        kind = "<b>"

        def explain(self) -> str:
            return "because,\n<script>alert(1)</script>\n`</code><i>`"

        def as_json(self) -> dict[str, object]:
            return {}

    answer = Answer("unknown", "<script>`<u>`", witness=Hostile())
    verdict = Verdict("<title>", answer, answer, answer, "eos", ("</div>",))
    found = Markup(verdict._repr_html_())
    found.assert_harmless()
    for text in ("<title>", "<script>", "<u>", "because, <script>alert(1)</script>", "</code><i>", "</div>", "<b>"):
        assert text in found.text
    assert "read at an end marker" in found.text
