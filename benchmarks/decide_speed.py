"""How fast membership in C-RASP[∅] and C-RASP[periodic, local] is decided, beside the listing of all simple cycles.

The languages are random regexes over {a, b, c} with 2 to 9 leaves (uniform; leaves are letters, classes or the empty
word, inner nodes choices, sequences and repetitions `* + ? {2}`), from a fixed seed. Their
minimal automata are built before the clock starts; median and largest number of states stand in the table. The last row
is one language, `(([ab]){16})*`, whose one component has 2^16 cycles.

Columns, in milliseconds for one language: `median` and `worst`; `total` for all of them in seconds. `finished` counts
answers, the others are unknown (for the rival: it met its cap on cycles). The lines behind the table compare with the
rival on the languages it finished; each language is run once, the single one as often as fits.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from random import Random
from statistics import median
from time import perf_counter
from typing import Any

from benchmarks.cycle_enumeration import TooManyCyclesError, decide_by_cycles
from benchmarks.timing import seconds
from lengthwise.alphabet import Alphabet
from lengthwise.regular.deciding.ape import decide_ape
from lengthwise.regular.deciding.nope import decide_nope
from lengthwise.regular.languages.automaton import Automaton
from lengthwise.regular.languages.regex import parse_regex
from lengthwise.regular.languages.regex_automaton import regex_automaton

REGEXES = 1000
QUICK = 100
SEED = 0
LEAVES = (2, 9)
MANY_CYCLES = "(([ab]){16})*"
MOST_CYCLES = 20_000
"""Where the rival gives up on a random language; about a second."""
SUFFIXES = ("*", "*", "+", "?", "{2}")

Answer = bool | None
"""Yes, no, or unknown."""


@dataclass(frozen=True)
class Speed:
    """One row of the table: one way to decide on one set of languages; times in seconds."""

    languages: str
    method: str
    states: float
    """The median number of states."""
    most_states: int
    times: tuple[float, ...]
    answers: tuple[Answer, ...]

    @property
    def unknown(self) -> int:
        """How many languages it has no answer for."""
        return self.answers.count(None)


def random_regex(rng: Random, leaves: int, symbols: str = "abc") -> str:
    """A regex with so many leaves."""
    if leaves == 1:
        kind = rng.random()
        if kind < 0.05:
            return "()"
        leaf = f"[{''.join(sorted(rng.sample(symbols, 2)))}]" if kind < 0.2 else rng.choice(symbols)
        return leaf + (rng.choice(SUFFIXES) if rng.random() < 0.35 else "")
    first = rng.randint(1, leaves - 1)
    parts = random_regex(rng, first, symbols), random_regex(rng, leaves - first, symbols)
    whole = "|".join(parts) if rng.random() < 0.4 else "".join(f"({part})" if "|" in part else part for part in parts)
    return f"({whole}){rng.choice(SUFFIXES)}" if rng.random() < 0.45 else whole


def automaton_of(regex: str, symbols: str = "abc") -> Automaton:
    """The minimal automaton of a regex."""
    return regex_automaton(parse_regex(regex, Alphabet(tuple(symbols)))).minimal()


def languages(count: int) -> list[Automaton]:
    """The minimal automata of random regexes."""
    rng = Random(SEED)
    return [automaton_of(random_regex(rng, rng.randint(*LEAVES))) for _ in range(count)]


def nope(automaton: Automaton) -> Answer:
    """Whether the language is in C-RASP[∅]."""
    return decide_nope(automaton, "last").yes


def ape(automaton: Automaton) -> Answer:
    """Whether the language is in C-RASP[periodic, local]."""
    kind = decide_ape(automaton).kind
    return None if kind == "unknown" else kind == "yes"


def by_cycles(automaton: Automaton) -> Answer:
    """Whether the language is in C-RASP[∅], by listing cycles."""
    try:
        return decide_by_cycles(automaton, "last", MOST_CYCLES)
    except TooManyCyclesError:
        return None


METHODS: dict[str, Callable[[Automaton], Answer]] = {"[∅]": nope, "[periodic, local]": ape, "[∅] by cycles": by_cycles}


def measure(quick: bool = False) -> list[Speed]:
    """All rows; `quick` takes fewer regexes."""
    automata = languages(QUICK if quick else REGEXES)
    rows = [_many(f"{len(automata)} regexes", automata, name, decide) for name, decide in METHODS.items()]
    single = automaton_of(MANY_CYCLES, "ab")
    rows += [
        _one(MANY_CYCLES, single, "[∅]", nope),
        _one(MANY_CYCLES, single, "[periodic, local]", ape),
        _one(MANY_CYCLES, single, "[∅] by cycles", lambda automaton: decide_by_cycles(automaton, "last")),
    ]
    return rows


def _many(name: str, automata: list[Automaton], method: str, decide: Callable[[Automaton], Answer]) -> Speed:
    decide(automata[0])  # the first call imports and warms up
    times, answers = [], []
    for automaton in automata:
        start = perf_counter()
        answers.append(decide(automaton))
        times.append(perf_counter() - start)
    states = [len(automaton) for automaton in automata]
    return Speed(name, method, median(states), max(states), tuple(times), tuple(answers))


def _one(name: str, automaton: Automaton, method: str, decide: Callable[[Automaton], Answer]) -> Speed:
    start = perf_counter()
    answer = decide(automaton)
    time = perf_counter() - start
    if time < 1:
        time = seconds(lambda: decide(automaton))
    return Speed(name, method, len(automaton), len(automaton), (time,), (answer,))


def ratios(rows: list[Speed]) -> dict[str, dict[str, float]]:
    """For each set of languages how many times longer the rival takes, where it finished."""
    found: dict[str, dict[str, float]] = {}
    for name in dict.fromkeys(row.languages for row in rows):
        ours, rival = (next(r for r in rows if (r.languages, r.method) == (name, m)) for m in ("[∅]", "[∅] by cycles"))
        places = [place for place, answer in enumerate(rival.answers) if answer is not None]
        assert all(ours.answers[place] == rival.answers[place] for place in places), "both decide the same class"
        slow, fast = [rival.times[place] for place in places], [ours.times[place] for place in places]
        each = [a / b for a, b in zip(slow, fast, strict=True)]
        found[name] = {
            "of medians": median(slow) / median(fast),
            "of totals": sum(slow) / sum(fast),
            "worst to worst": max(slow) / max(fast),
            "median of ratios": median(each),
        }
    return found


def table(rows: list[Speed]) -> str:
    """The rows as aligned text, and the comparison with the rival."""
    head = ("languages", "method", "states", "median", "worst", "total", "yes", "no", "unknown")
    lines: list[tuple[str, ...]] = [head]
    for row in rows:
        spread = f"{row.states:g}" if row.states == row.most_states else f"{row.states:g} to {row.most_states}"
        counts = (row.answers.count(True), row.answers.count(False), row.unknown)
        times = (f"{median(row.times) * 1e3:.3g}", f"{max(row.times) * 1e3:.3g}", f"{sum(row.times):.3g}")
        lines.append((row.languages, row.method, spread, *times, *map(str, counts)))
    widths = [max(len(line[column]) for line in lines) for column in range(len(head))]
    text = "\n".join(
        "  ".join(
            cell.ljust(width) if place < 2 else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(line, widths, strict=True))
        )
        for line in lines
    )
    compared = "\n".join(
        f"{name}: listing cycles takes " + ", ".join(f"×{ratio:,.3g} ({what})" for what, ratio in found.items())
        for name, found in ratios(rows).items()
    )
    return f"{text}\n\n{compared}"


def as_records(rows: list[Speed]) -> list[dict[str, Any]]:
    """The rows as plain data: summaries, and the ratios to the rival in a record of their own."""
    records = []
    for row in rows:
        plain = asdict(row)
        times, answers = plain.pop("times"), plain.pop("answers")
        summary = {"median": median(times), "worst": max(times), "total": sum(times)}
        counts = {"yes": answers.count(True), "no": answers.count(False), "unknown": answers.count(None)}
        records.append({**plain, **summary, **counts})
    return [*records, {"rival": ratios(rows)}]


if __name__ == "__main__":
    print(table(measure()))
