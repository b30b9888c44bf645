"""The simplest program for labelled words.

All words with labels are among the words of the atlas. So whatever a program answers on them, a function of the atlas
answers as well, at the least complexity that any expression with these answers has: the first function that agrees
with the labels is a simplest one of the grammar, and that is proved. Beyond the atlas, conjunctions and disjunctions of
functions are tried by set cover; nothing is said about what is simplest then.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from lengthwise.atlas.atlas import Atlas
from lengthwise.atlas.examples import Examples
from lengthwise.atlas.finding import HIGHEST, MOST_MEMORY, Settings
from lengthwise.atlas.words import Words
from lengthwise.crasp import Program
from lengthwise.crasp.syntax import And, Definition, Expression, Next, Or, Statement, Truth
from lengthwise.errors import LengthwiseError
from lengthwise.resources import Deadline, memory_limit

MOST_PARTS = 12
"""The most functions that set cover puts together."""
AT_ONCE = 20_000_000
"""Answers that are looked at together."""
Bits = npt.NDArray[np.bool_]


class NotLearnedError(LengthwiseError):
    """No program was found for the words."""


@dataclass(frozen=True)
class Learned:
    """A program for labelled words.

    Attributes:
        program: The program.
        complexity: Its complexity; of several outputs together, the sum.
        smallest: Whether no program of the grammar with a smaller complexity does as well: proved.
        errors: How many of the words it labels otherwise.
        words: How many words there were.
        grammar: What `smallest` speaks of, in a sentence.

    """

    program: Program
    complexity: int
    smallest: bool
    errors: int
    words: int
    grammar: str

    @property
    def agrees(self) -> bool:
        """Whether it labels all words as they are."""
        return self.errors == 0


Labels = Sequence[tuple[tuple[str, ...], bool]]


@dataclass(frozen=True)
class _Part:
    expression: Expression
    complexity: int
    smallest: bool
    errors: int


def learn(examples: Examples, settings: Settings, errors: int = 0, seconds: float | None = None) -> Learned:
    r"""The simplest program for examples.

    Args:
        examples: Words with labels; words without labels are all that there is: a symbol may follow where one of them
            goes on with it, and a word may end where one of them does.
        settings: Which expressions to try; None as the fragment tries one after the other.
        errors: How many answers may be otherwise; of words without labels, those at all prefixes for all outputs.
        seconds: How long to look.

    Returns:
        The program; words without labels give one with `next` statements.

    Raises:
        NotLearnedError: No program was found.
        LengthwiseError: Labels contradict each other and no errors are allowed.

    Example:
        >>> words = Examples.read("a\t0\nb\t1\nab\t1\nba\t1\naa\t0\n", "given")
        >>> learn(words, Settings()).complexity
        3

    """
    if errors < 0:
        raise LengthwiseError(f"the number of errors is at least 0, not {errors}")
    examples.require_consistent(errors)
    deadline = Deadline(seconds)
    targets = _targets(examples)
    many = sum(map(len, targets.values()))
    searches: list[_Search] = []
    for fragment in settings.fragments():
        searches.append(_Search(examples.symbols, fragment, targets, settings, errors, deadline))
        if len(searches[-1].found) == len(targets):
            return _assembled(examples, searches[-1].found, searches[-1].atlas.grammar.sentence, many)
        if deadline.passed():
            break
    covered = [
        _assembled(examples, parts, search.atlas.grammar.sentence, many)
        for search in searches
        if (parts := search.covered()) is not None
    ]
    if not covered:
        raise NotLearnedError(searches[-1].failure())
    return min(covered, key=lambda learned: learned.complexity)


def _targets(examples: Examples) -> dict[str | None, Labels]:
    """What is learned: acceptance, under None, and where no labels are given also what may follow, by symbol."""
    if examples.labelled:
        return {None: [(example.word, bool(example.label)) for example in examples.items]}
    words = {example.word for example in examples.items}
    prefixes = sorted({word[:end] for word in words for end in range(1, len(word) + 1)}, key=lambda w: (len(w), w))
    longer = set(prefixes)
    targets: dict[str | None, Labels] = {
        symbol: [(prefix, (*prefix, symbol) in longer) for prefix in prefixes] for symbol in examples.symbols
    }
    targets[None] = [(prefix, prefix in words) for prefix in prefixes]
    return targets


def _assembled(examples: Examples, parts: dict[str | None, _Part], grammar: str, words: int) -> Learned:
    statements: list[Statement] = [
        Next(symbol, part.expression) for symbol, part in parts.items() if symbol is not None
    ]
    statements.append(Definition("Y", parts[None].expression))
    every = parts.values()
    return Learned(
        Program(tuple(statements), examples.symbols),
        sum(part.complexity for part in every),
        all(part.smallest for part in every),
        sum(part.errors for part in every),
        words,
        grammar,
    )


class _Search:
    """The search for the functions of one fragment that agree with labels."""

    def __init__(
        self,
        symbols: tuple[str, ...],
        fragment: str | Iterable[str],
        targets: dict[str | None, Labels],
        settings: Settings,
        errors: int,
        deadline: Deadline,
    ) -> None:
        self.targets, self.errors, self.settings = targets, errors, settings
        self.listed = sorted({word for labels in targets.values() for word, _ in labels}, key=lambda w: (len(w), w))
        place = {word: at for at, word in enumerate(self.listed)}
        self.columns = {name: np.array([place[word] for word, _ in labels]) for name, labels in targets.items()}
        self.wanted = {name: np.array([label for _, label in labels]) for name, labels in targets.items()}
        self.fronts: dict[str | None, list[_Part]] = {name: [] for name in targets}
        """The simplest function for each target with so few errors, fewer ones later."""
        self.found: dict[str | None, _Part] = {}
        """A function for each target, with no more errors together than are allowed; empty if there are none."""
        self.checked, self.finished = 0, False
        self.atlas = Atlas.build(
            fragment,
            symbols,
            settings.complexity or HIGHEST,
            encoding=settings.encoding,
            # What a program answers on other words is not asked, so nothing else need be told apart.
            words=Words.of(symbols, trie_length=1, probes=0, extra=self.listed),
            directory=settings.directory,
            progress=settings.progress,
            until=self._is_enough,
            seconds=deadline.left(),
            memory=min(MOST_MEMORY, memory_limit()),
            **dict(settings.options),
        )
        self._is_enough(self.atlas)

    def _is_enough(self, atlas: Atlas) -> bool:
        while self.checked < atlas.complexity and not self.finished:
            self.checked += 1
            self._check(atlas, atlas.ids(self.checked))
            self._choose()
        return self.finished or self.settings.enough(atlas)

    def _choose(self) -> None:
        """Find the simplest functions with so few errors together, and whether later levels can hold simpler ones."""
        # What a later level may hold has at least the next complexity, and no errors at best.
        later = _Part(Truth(True), self.checked + 1, False, 0)
        real = _cheapest(self.fronts, self.errors)
        hoped = _cheapest({name: [*front, later] for name, front in self.fronts.items()}, self.errors)
        if real is None or hoped is None:
            return
        self.finished = real[0] <= hoped[0]
        self.found = {name: replace(part, smallest=self.finished) for name, part in real[1].items()}

    def _answers(self, atlas: Atlas, ids: range) -> Iterator[tuple[range, Bits]]:
        size = max(1, AT_ONCE // max(1, len(self.listed)))
        for start in range(ids.start, ids.stop, size):
            part = range(start, min(start + size, ids.stop))
            yield part, atlas.words.answers_at(atlas.rows(part), self.listed)

    def _check(self, atlas: Atlas, ids: range) -> None:
        best: dict[str | None, tuple[int, int]] = {}
        for part, answers in self._answers(atlas, ids):
            for name, columns in self.columns.items():
                most = self.fronts[name][-1].errors - 1 if self.fronts[name] else self.errors
                if most < 0:
                    continue
                wrong = (answers[:, columns] != self.wanted[name]).sum(axis=1)
                least = int(wrong.argmin())
                if wrong[least] <= most:
                    best[name] = min(best.get(name, (len(columns) + 1, 0)), (int(wrong[least]), part[least]))
        for name, (wrong_words, number) in best.items():
            member = atlas.member(number)
            self.fronts[name].append(_Part(member.expression, member.complexity, True, wrong_words))

    def covered(self) -> dict[str | None, _Part] | None:
        """A function for each target, put together by set cover where the atlas has none; None if one is missing."""
        right = {name: front[-1] for name, front in self.fronts.items() if front and front[-1].errors == 0}
        parts = {name: right.get(name) or self._covered(name) for name in self.targets}
        found = {name: part for name, part in parts.items() if part is not None}
        return found if len(found) == len(parts) else None

    def _covered(self, name: str | None) -> _Part | None:
        """A disjunction of functions that accept no wrong word, or a conjunction of those that accept all good ones."""
        columns, wanted = self.columns[name], self.wanted[name]
        made = []
        for negated in (False, True):
            goal = ~wanted if negated else wanted
            useful: list[int] = []
            rows: list[Bits] = []
            for part, answers in self._answers(self.atlas, range(len(self.atlas))):
                chosen = answers[:, columns] ^ negated
                pure = np.flatnonzero(~chosen[:, ~goal].any(axis=1) & chosen[:, goal].any(axis=1))
                useful += (pure + part.start).tolist()
                rows.append(chosen[pure][:, goal])
            numbers = greedy_cover(np.concatenate(rows)) if useful else None
            if numbers is not None:
                made.append(self._joined([useful[number] for number in numbers], negated))
        return min(made, key=lambda part: part.complexity, default=None)

    def _joined(self, numbers: Sequence[int], negated: bool) -> _Part:
        members = [self.atlas.member(number) for number in numbers]
        parts = tuple(member.expression for member in members)
        cost = self.atlas.grammar.complexity.boolean * (len(parts) - 1) + sum(each.complexity for each in members)
        expression: Expression = parts[0] if len(parts) == 1 else And(parts) if negated else Or(parts)
        return _Part(expression, cost, False, 0)

    def failure(self) -> str:
        """Why there is no program, in a sentence."""
        atlas = self.atlas
        why = f" ({atlas.unfinished})" if atlas.unfinished else ""
        return (
            f"no program of complexity up to {atlas.complexity} explains these words{why}, nor do {MOST_PARTS} of them "
            f"together; tried were {atlas.grammar.sentence}; allow --errors, or another --fragment"
        )


def _cheapest(fronts: Mapping[str | None, Sequence[_Part]], errors: int) -> tuple[int, dict[str | None, _Part]] | None:
    """The complexity and the parts of the simplest choice of a part for each name with so few errors together."""
    best: dict[int, tuple[int, dict[str | None, _Part]]] = {0: (0, {})}
    for name, front in fronts.items():
        longer: dict[int, tuple[int, dict[str | None, _Part]]] = {}
        for wrong, (cost, parts) in best.items():
            for part in front:
                many, total = wrong + part.errors, cost + part.complexity
                if many <= errors and (many not in longer or total < longer[many][0]):
                    longer[many] = total, {**parts, name: part}
        best = longer
    return min(best.items(), key=lambda each: (each[1][0], each[0]))[1] if best else None


def greedy_cover(rows: Bits) -> list[int] | None:
    """Rows that have a one in every column between them, chosen by how many columns they add; None if too many."""
    left = np.ones(rows.shape[1], bool)
    chosen: list[int] = []
    while left.any():
        gains = rows[:, left].sum(axis=1)
        best = int(gains.argmax())
        if gains[best] == 0 or len(chosen) == MOST_PARTS:
            return None
        chosen.append(best)
        left &= ~rows[best]
    return chosen
