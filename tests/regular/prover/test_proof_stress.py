"""The run that puts proofs of equality to the test: a small part of it, and that it can be stopped at any time."""

from __future__ import annotations

from pathlib import Path

import pytest
from benchmarks.proof_stress import KINDS, Tally, chunk_of, examine, finished, pair_of, run, summary

from lengthwise.crasp import parse
from lengthwise.regular.proofs import Equal, Proof
from lengthwise.regular.prover import Comparison
from tests.regular.phases import Pair

LEAST = {"phases": {"abstraction": 20, "search": 50}, "random": {"search": 100}}
"""How many proofs there are at least, by method."""


@pytest.mark.parametrize("kind", KINDS)
def test_every_proof_of_hundreds_is_replayed_and_no_word_refutes_one(kind: str) -> None:
    tally = chunk_of(kind, 0, 0, 300)
    assert tally.false == []
    assert tally.replayed == sum(tally.equal.values())
    assert all(tally.equal[method] >= number for method, number in LEAST[kind].items())
    assert tally.different >= 50
    assert tally.different_found >= 0.9 * tally.different  # the words find nearly all differences that the prover finds


def test_a_run_that_was_stopped_goes_on_where_it_was(tmp_path: Path) -> None:
    assert run(tmp_path / "whole", 30, 0, size=10)
    assert run(tmp_path / "stopped", 20, 0, size=10)
    file = tmp_path / "stopped" / "phases.jsonl"
    lines = file.read_text().splitlines(keepends=True)
    file.write_text(lines[0] + lines[1][:40])  # as if it had been stopped while writing
    assert run(tmp_path / "stopped", 30, 0, size=10)
    for kind in KINDS:
        whole, stopped = (finished(tmp_path / name / f"{kind}.jsonl") for name in ("whole", "stopped"))
        timeless = [[{**record, "seconds": 0} for record in records] for records in (whole, stopped)]
        assert timeless[0] == timeless[1]
        assert [record["chunk"] for record in stopped] == [0, 1, 2]
    found = summary(tmp_path / "stopped")
    assert all(record["pairs"] == 30 and not record["false"] for record in found.values())
    with pytest.raises(ValueError, match="another seed"):
        run(tmp_path / "stopped", 30, 1, size=10)


def test_a_false_equality_would_be_reported_with_its_word(monkeypatch: pytest.MonkeyPatch) -> None:
    left = parse('alphabet "a" "b"\nK = # "a"\nA = K >= 60 || "a"')
    right = parse('alphabet "a" "b"\nK = # "a"\nA = "a"')
    unfounded = Proof(Equal(left, right, ("a", "b")), {"kind": "invariant", "configurations": []})
    believed = Comparison(True, None, None, 1, "abstraction", symbols=("a", "b"), proof=unfounded)
    monkeypatch.setattr("benchmarks.proof_stress.compare", lambda *sides, states: believed)
    tally = Tally("phases", 0, 0)
    examine(Pair(left, right, "more", False, ("a", "b")), 10, pair_of("phases", 0, 0)[2], tally)
    refuted, unreplayed = tally.false
    assert refuted["what"] == "proved equal by abstraction, but different"
    word = refuted["word"].split()
    assert left.accepts(word) != right.accepts(word)
    assert unreplayed["what"].startswith("the proof is not replayed")
    assert tally.replayed == 0
