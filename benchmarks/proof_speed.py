"""What proofs cost: finding them, writing them down, and checking them with code that shares nothing with the search.

For random regexes (those of `decide_speed`) the program that `decide` finds is proved equal to the automaton. Columns,
in milliseconds for one proof: `median`, `worst`; `total` for all in seconds. `search` finds that the two agree, `write`
puts the invariant down, `check` replays it. `decide` is the whole decision, all of this included.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from statistics import median
from time import process_time
from typing import Any

from benchmarks.decide_speed import languages
from lengthwise.crasp import Program
from lengthwise.regular.deciding.decider import decide_automaton
from lengthwise.regular.languages.automaton import Automaton
from lengthwise.regular.proofs.invariant import check_invariant
from lengthwise.regular.prover.invariants import searched_invariant
from lengthwise.regular.prover.normal_form import system_of
from lengthwise.regular.prover.relevance import Thrift
from lengthwise.regular.prover.search import Explorer, search
from lengthwise.resources import Deadline

REGEXES = 300
QUICK = 40
MOST_STATES = 30
"""Larger automata are left out, so that one of them does not make up the whole time."""
MOST_CONFIGURATIONS = 20_000


@dataclass(frozen=True)
class Cost:
    """The seconds that one step took, for each proof."""

    step: str
    times: tuple[float, ...]


def measure(quick: bool = False) -> list[Cost]:
    """All rows; `quick` takes fewer regexes."""
    automata = [one for one in languages(QUICK if quick else REGEXES) if len(one) <= MOST_STATES]
    times: dict[str, list[float]] = {"decide": [], "search": [], "write": [], "check": []}

    def timed(step: str, work: Callable[[], Any]) -> Any:
        start = process_time()
        found = work()
        times[step].append(process_time() - start)
        return found

    decide_automaton(automata[0])  # the first call imports and warms up
    for automaton in automata:
        verdict = timed("decide", partial(decide_automaton, automaton))
        program = next((answer.program for answer in (verdict.nope, verdict.ape) if answer.program is not None), None)
        if program is not None:
            _one(program, automaton.minimal(), timed)
    return [Cost(step, tuple(found)) for step, found in times.items()]


def _one(program: Program, automaton: Automaton, timed: Callable[[str, Callable[[], Any]], Any]) -> None:
    def explored() -> Explorer | None:
        explorer = Explorer(system_of([program], automaton.symbols))
        finished = search(explorer, automaton, MOST_CONFIGURATIONS, Deadline(None)).finished
        return explorer if finished else None

    explorer = timed("search", explored)
    if explorer is not None:
        room = 2 * MOST_CONFIGURATIONS
        argument = timed("write", lambda: searched_invariant(explorer, automaton, Thrift.CLAUSES, room, Deadline(None)))
        timed("check", lambda: check_invariant([program], automaton, automaton.symbols, argument))


def table(rows: list[Cost]) -> str:
    """The rows as aligned text."""
    lines = [f"{'step':8}{'proofs':>8}{'median':>9}{'worst':>9}{'total':>8}"]
    for row in rows:
        middle, worst = median(row.times) * 1e3, max(row.times) * 1e3
        lines.append(f"{row.step:8}{len(row.times):>8}{middle:>9.3g}{worst:>9.3g}{sum(row.times):>8.3g}")
    checked = ratios(rows)
    lines.append(f"\nchecking takes ×{checked['median']:.2g} of searching (medians), ×{checked['total']:.2g} (totals)")
    return "\n".join(lines)


def ratios(rows: list[Cost]) -> dict[str, float]:
    """How many times as long as searching checking takes."""
    search_times, check_times = (next(row.times for row in rows if row.step == step) for step in ("search", "check"))
    return {"median": median(check_times) / median(search_times), "total": sum(check_times) / sum(search_times)}


def as_records(rows: list[Cost]) -> list[dict[str, Any]]:
    """The rows as plain data, and the ratio of checking to searching."""
    records: list[dict[str, Any]] = [
        {"step": row.step, "median": median(row.times), "worst": max(row.times), "total": sum(row.times)}
        for row in rows
    ]
    return [*records, {"check to search": ratios(rows)}]


if __name__ == "__main__":
    print(table(measure()))
