"""Draw the tasks on which studies are compared with verdicts, and write them to results/study-agreement/tasks.toml.

The rule, written before anything was trained. Random regexes: two thirds over {a, b}, one third over {a, b, c}, of
three to seven leaves, from the seed below. A regex is kept if

- its minimal automaton has at most 8 states, all three fragments are decided, and none kept before is equal to it;
- it has words in every test bin up to 120, and at least 1,000 words of some length up to 40;
- the set of next symbols is no function of the current symbol alone: some model has to look back.

The first five of each class are taken: yes without positions (and so with them); no without and yes with absolute
positions; no with both. To them come twelve languages of Table 2 of Huang et al., a program whose language is not
regular, and four of their algorithmic tasks.
"""

from __future__ import annotations

import random
from pathlib import Path

import lengthwise as lw

SEED = 20261118
EACH = 5
STATES = 8
BINS = ((1, 40), (41, 60), (61, 80), (81, 100), (101, 120))
CLASSES = {("yes", "yes"): "yes-yes", ("no", "yes"): "no-yes", ("no", "no"): "no-no"}
CATALOGUE = (
    "tomita-2", "tomita-3", "tomita-4", "tomita-7", "d2", "d3", "d4", "aa-star", "abab-star", "abcde", "ab-d-bc",
    "012-02",
)  # fmt: skip
PROGRAMS = ("program:majority",)
SEQUENCES = ("task:binary-majority", "task:sort", "task:copy-unique", "task:parity")
OUT = Path(__file__).parent.parent / "results" / "study-agreement" / "tasks.toml"


def regex(rng: random.Random, symbols: str, leaves: int) -> str:
    """A random regex with so many leaves."""
    if leaves == 1:
        kind = rng.random()
        leaf = rng.choice(symbols) if kind < 0.75 else f"({'|'.join(sorted(rng.sample(symbols, 2)))})"
        return leaf + rng.choice(("", "", "", "*", "*", "+", "?"))
    first = rng.randint(1, leaves - 1)
    left, right = regex(rng, symbols, first), regex(rng, symbols, leaves - first)
    if rng.random() < 0.25:
        return f"({left}|{right})" + rng.choice(("", "*", "*"))
    return f"{left}{right}" if rng.random() < 0.6 else f"({left}{right})" + rng.choice(("*", "*", "+"))


def looks_back(language: lw.regular.Language) -> bool:
    """Whether what may come next, after a prefix of a word, depends on more than the current symbol."""
    automaton = language.automaton
    table, accepting = automaton.table, set(automaton.accepting)
    alive = {state for state in range(len(table)) if _reaches(table, state, accepting)}
    said: dict[int, set[tuple[bool, ...]]] = {}
    for state in alive & _reached(table, automaton.start):
        for symbol, target in enumerate(table[state]):
            if target in alive:
                sets = (*(each in alive for each in table[target]), target in accepting)
                said.setdefault(symbol, set()).add(sets)
    return any(len(each) > 1 for each in said.values())


def _reached(table: tuple[tuple[int, ...], ...], start: int) -> set[int]:
    found, waiting = {start}, [start]
    while waiting:
        for target in table[waiting.pop()]:
            if target not in found:
                found.add(target)
                waiting.append(target)
    return found


def _reaches(table: tuple[tuple[int, ...], ...], start: int, accepting: set[int]) -> bool:
    return bool(_reached(table, start) & accepting)


def many_words(language: lw.regular.Language, longest: int, least: int) -> bool:
    """Whether there are so many words of some length."""
    table, accepting = language.automaton.table, set(language.automaton.accepting)
    counts = {language.automaton.start: 1}
    for _ in range(longest):
        after: dict[int, int] = {}
        for state, count in counts.items():
            for target in table[state]:
                after[target] = after.get(target, 0) + count
        counts = after
        if sum(count for state, count in counts.items() if state in accepting) >= least:
            return True
    return False


def main() -> None:
    """Draw and write."""
    rng = random.Random(SEED)  # noqa: S311 - nothing is secret
    found: dict[str, list[str]] = {name: [] for name in CLASSES.values()}
    kept: list[lw.regular.Language] = []
    drawn = 0
    while any(len(each) < EACH for each in found.values()):
        drawn += 1
        text = regex(rng, "ab" if rng.random() < 2 / 3 else "abc", rng.randint(3, 7))
        try:
            subject = lw.Subject.of(f"regex:{text}")
            language = subject.language
        except lw.LengthwiseError:
            continue
        if language is None or len(language.automaton) > STATES:
            continue
        lengths = set(language.lengths(120))
        if not all(lengths & set(range(low, high + 1)) for low, high in BINS):
            continue
        if not (looks_back(language) and many_words(language, 40, 1000)):
            continue
        verdict = lw.decide(language)
        name = CLASSES.get((verdict.nope.kind, verdict.ape.kind))
        if name is None or verdict.local.kind == "unknown" or len(found[name]) == EACH:
            continue
        same = [each for each in kept if each.alphabet.symbols == language.alphabet.symbols]
        if any(lw.verify(each, language).equal is not False for each in same):
            continue
        kept.append(language)
        found[name].append(text)
    lines = [f"# Made by scripts/draw_study_tasks.py from the seed {SEED}; {drawn} regexes were drawn.", ""]
    for name, texts in found.items():
        lines += [f"[random.{name}]", "subjects = [", *(f"  '{text}'," for text in texts), "]", ""]
    named = {"catalogue": CATALOGUE, "programs": PROGRAMS, "sequences": SEQUENCES}
    for name, texts in named.items():
        lines += [f"[{name}]", "subjects = [", *(f"  '{text}'," for text in texts), "]", ""]
    OUT.parent.mkdir(parents=True, exist_ok=True)
    OUT.write_text("\n".join(lines).rstrip() + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
