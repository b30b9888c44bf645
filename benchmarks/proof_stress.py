"""Are proofs of equality ever false? Very many pairs of programs are compared, and every proof is put to the test.

`python -m benchmarks.proof_stress --pairs 100000 --out results/proof-stress` compares so many pairs with phases
(`tests/regular/phases.py`) and so many random ones. Each "equal" is saved, read back and replayed by the checker of
`lengthwise.regular.proofs`, and both programs are evaluated on all prefixes of words of 400 symbols that go far beyond
their thresholds, by an evaluator of its own (`tests/regular/far_words.py`). Each "different" is checked on its word.
Nothing that is counted depends on time: comparisons have caps on configurations only, and the pair with a
given number is the same in every run.

A line of JSON is written for each 1,000 pairs; a run that was stopped goes on with the next one. `--summary` adds up
what is there. The exit code is 1 if anything was false.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from functools import cache
from hashlib import sha256
from pathlib import Path
from random import Random
from statistics import median
from time import perf_counter
from typing import Any

import numpy as np
from tests.regular.counting_programs import random_pair
from tests.regular.far_words import difference, far_words, prefix_verdicts
from tests.regular.phases import Pair, phase_pair

from lengthwise.crasp import Program
from lengthwise.regular import proofs, prover
from lengthwise.regular.proofs import Equal, Proof, ProofError, ProofFileError, proofs_as_json, proofs_from_json
from lengthwise.regular.prover import Comparison, compare

KINDS: dict[str, Callable[[Random], Pair]] = {"phases": phase_pair, "random": random_pair}
CHUNK = 1_000
"""Pairs between two lines of output."""
CAPS = (250,) * 12 + (800,) * 3 + (2_500,)
"""How many configurations a comparison may look at, one of these by chance: most proofs that exist are small."""
WORDS = {"abstraction": 96, "search": 32}
"""Words on which programs that were found equal are compared, by method."""
FEW_WORDS = 12
"""Words for pairs about which nothing is claimed: how many of those that differ do such words find?"""

Record = dict[str, Any]


@cache
def code_digest() -> str:
    """The beginning of a digest of the prover's, the checker's and the generators' sources."""
    packages = Path(prover.__file__).parent, Path(proofs.__file__).parent
    files = [file for package in packages for file in sorted(package.glob("*.py"))]
    here = Path(__file__).parent.parent / "tests" / "regular"
    files += [here / f"{name}.py" for name in ("phases", "counting_programs", "rewriting", "far_words")]
    return sha256(b"".join(file.read_bytes() for file in files)).hexdigest()[:12]


@dataclass
class Tally:
    """What became of some pairs."""

    kind: str
    seed: int
    chunk: int
    pairs: int = 0
    equal: Counter[str] = field(default_factory=Counter)
    """Pairs proved equal, by method."""
    made_equal: int = 0
    """Pairs that are equal by construction."""
    made_equal_proved: int = 0
    different: int = 0
    unknown: int = 0
    replayed: int = 0
    """Proofs that were saved, read back and accepted by the checker."""
    different_found: int = 0
    """Pairs told apart by the prover that the words tell apart, too."""
    unknown_found: int = 0
    """Pairs that the prover leaves open and the words tell apart."""
    words: int = 0
    """Words on which pairs that were proved equal were compared, at every prefix."""
    sizes: list[int] = field(default_factory=list)
    """Configurations of the invariants."""
    false: list[Record] = field(default_factory=list)
    """Everything that is wrong: equalities refuted, proofs not replayed, differences that are none."""
    seconds: float = 0.0
    code: str = field(default_factory=code_digest)
    """Which prover and checker this is about."""

    def as_record(self) -> Record:
        """The tally as plain data."""
        plain = asdict(self)
        sizes = plain.pop("sizes")
        summary = {"median": median(sizes), "largest": max(sizes), "total": sum(sizes)} if sizes else None
        return {
            **plain,
            "equal": dict(sorted(self.equal.items())),
            "invariants": summary,
            "seconds": round(self.seconds, 1),
        }


def pair_of(kind: str, seed: int, number: int) -> tuple[Pair, int, Random]:
    """A pair by its number, the cap on configurations for it, and the source of chance for its words."""
    rng = Random(f"{kind}:{seed}:{number}")
    pair = KINDS[kind](rng)
    return pair, rng.choice(CAPS), rng


def examine(pair: Pair, cap: int, rng: Random, tally: Tally) -> None:
    """Compare a pair and put the answer to the test."""
    found = compare(pair.left, pair.right, states=cap)
    rows = WORDS[found.method] if found.equal else FEW_WORDS
    word = difference(pair.left, pair.right, far_words(pair, rng, rows))
    tally.pairs += 1
    tally.made_equal += pair.equal
    if pair.equal and word is not None:
        _report(tally, pair, "programs that are equal by construction differ", word)
    if found.equal:
        tally.equal[found.method] += 1
        tally.made_equal_proved += pair.equal
        tally.words += rows
        if word is not None:
            _report(tally, pair, f"proved equal by {found.method}, but different", word)
        problem = replay_problem(pair, found)
        if problem is None:
            tally.replayed += 1
        else:
            _report(tally, pair, problem, None)
        tally.sizes.append(_size(found.proof))
    elif found.difference is not None:
        tally.different += 1
        tally.different_found += word is not None
        if not _differ(pair.left, pair.right, found.difference):
            _report(tally, pair, "told apart by a word on which they agree", found.difference)
    else:
        tally.unknown += 1
        tally.unknown_found += word is not None


def replay_problem(pair: Pair, found: Comparison) -> str | None:
    """Why the saved form of a proof does not prove that a pair is equal; None if it does."""
    if found.proof is None:
        return "equal without a proof"
    try:
        (proof,) = proofs_from_json(proofs_as_json([found.proof]))
        proof.check()
    except (ProofError, ProofFileError) as problem:
        return f"the proof is not replayed: {problem}"
    claim = proof.claim
    if not isinstance(claim, Equal) or (claim.left, claim.right) != (pair.left, pair.right):
        return "the proof is about other programs"
    return None if claim.symbols == pair.left.alphabet.symbols else "the proof is about another alphabet"


def _size(proof: Proof | None) -> int:
    return len(proof.argument.get("configurations", ())) if proof is not None else 0


def _differ(left: Program, right: Program, word: Sequence[str]) -> bool:
    row = np.array([[left.alphabet.symbols.index(symbol) for symbol in word]], dtype=np.int8)
    ours, others = prefix_verdicts((left, right), row)
    return bool(ours[0, -1] != others[0, -1])


def _report(tally: Tally, pair: Pair, what: str, word: Sequence[str] | None) -> None:
    shown = None if word is None else " ".join(word)
    tally.false.append({"what": what, "left": str(pair.left), "right": str(pair.right), "word": shown})


# -------------------------------------------------------------------------------------------------- the run


def chunk_of(kind: str, seed: int, chunk: int, size: int = CHUNK) -> Tally:
    """The pairs of one chunk, examined."""
    start = perf_counter()
    tally = Tally(kind, seed, chunk)
    for number in range(chunk * size, (chunk + 1) * size):
        examine(*pair_of(kind, seed, number), tally)
    tally.seconds = perf_counter() - start
    return tally


def finished(file: Path) -> list[Record]:
    """The chunks in a file; half a line at the end, of a run that goes on or was stopped, does not count."""
    return [json.loads(line) for line in _whole_lines(file).splitlines()]


def _whole_lines(file: Path) -> str:
    text = file.read_text(encoding="utf-8") if file.exists() else ""
    return text[: text.rfind("\n") + 1]


def run(out: Path, pairs: int, seed: int, size: int = CHUNK) -> bool:
    """Examine what is missing, kinds in turn; whether nothing was false.

    A `ValueError` says that the files are of another seed or chunk size.
    """
    out.mkdir(parents=True, exist_ok=True)
    chunks = -(-pairs // size)
    done: dict[str, set[int]] = {}
    right = True
    for kind in KINDS:
        file = out / f"{kind}.jsonl"
        file.write_text(_whole_lines(file), encoding="utf-8")  # without half a line that a stopped run may have left
        records = finished(file)
        if any((record["seed"], record["pairs"]) != (seed, size) for record in records):
            raise ValueError(f"{file} has pairs of another seed or chunk size; give another --out")
        done[kind] = {record["chunk"] for record in records}
        right = right and not any(record["false"] for record in records)
    for chunk in range(chunks):
        for kind in KINDS:
            if chunk not in done[kind]:
                tally = chunk_of(kind, seed, chunk, size)
                with (out / f"{kind}.jsonl").open("a", encoding="utf-8") as lines:
                    lines.write(json.dumps(tally.as_record()) + "\n")
                right = right and not tally.false
    return right


SUMS = ("pairs", "made_equal", "made_equal_proved", "different", "different_found", "unknown", "unknown_found")


def summary(out: Path) -> dict[str, Record]:
    """For each kind what all chunks together say."""
    found: dict[str, Record] = {}
    for kind in KINDS:
        records = finished(out / f"{kind}.jsonl")
        equal: Counter[str] = Counter()
        for record in records:
            equal.update(record["equal"])
        sizes = [record["invariants"] for record in records if record["invariants"]]
        found[kind] = {
            **{name: sum(record[name] for record in records) for name in SUMS},
            "equal": dict(sorted(equal.items())),
            "replayed": sum(record["replayed"] for record in records),
            "words": sum(record["words"] for record in records),
            "false": [entry for record in records for entry in record["false"]],
            "code": sorted({record["code"] for record in records}),
            "largest invariant": max((size["largest"] for size in sizes), default=0),
            "minutes": round(sum(record["seconds"] for record in records) / 60, 1),
        }
    return found


def main(arguments: Sequence[str] | None = None) -> int:
    """Run, or sum up."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.proof_stress", description=__doc__.split("\n")[0])
    parser.add_argument(
        "--pairs", type=int, default=CHUNK, help="pairs of each kind, rounded up to whole chunks of 1,000"
    )
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=Path("results/proof-stress"), help="the directory of the results")
    parser.add_argument("--summary", action="store_true", help="only add up what is there")
    given = parser.parse_args(arguments)
    if not given.summary:
        run(given.out, given.pairs, given.seed)
    found = summary(given.out)
    print(json.dumps(found, indent=2, ensure_ascii=False))
    return int(any(record["false"] for record in found.values()))


if __name__ == "__main__":
    sys.exit(main())
