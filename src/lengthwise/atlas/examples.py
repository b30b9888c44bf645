"""Words with labels, as files and as lists: what a program is learned from."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from lengthwise.alphabet import split
from lengthwise.errors import LengthwiseError

LABELS = {"0": False, "1": True}
MOST_WORDS = 20_000
LONGEST = 1000


@dataclass(frozen=True)
class Example:
    """A word and whether it belongs to the language; None if that is not said, which means that it does."""

    word: tuple[str, ...]
    label: bool | None
    place: str
    """Where it was given, for messages."""


@dataclass(frozen=True)
class Examples:
    r"""Labelled words, or words of a language without labels.

    Attributes:
        items: The words.
        symbols: The alphabet.
        left_out: How many times the empty word was given, on which programs answer by convention.

    Example:
        >>> Examples.read("ab\t1\nba\t0\n", "given").symbols
        ('a', 'b')

    """

    items: tuple[Example, ...]
    symbols: tuple[str, ...]
    left_out: int = 0

    @classmethod
    def of(cls, items: Iterable[Example], symbols: Sequence[str] | None = None) -> Examples:
        """Check words and labels, and find the alphabet.

        Raises:
            LengthwiseError: There is no word but the empty one, or a word is too long or holds an unlisted symbol.

        """
        given = tuple(items)
        found = tuple(example for example in given if example.word)
        if not found:
            raise LengthwiseError("there are no words to learn from; give a word, a tab and 0 or 1 on each line")
        if len(found) > MOST_WORDS:
            raise LengthwiseError(f"{len(found)} words are too many to learn from; give at most {MOST_WORDS}")
        mentioned = sorted({symbol for example in found for symbol in example.word})
        for example in found:
            if "" in example.word:
                raise LengthwiseError(
                    f"{example.place}: a symbol has at least one character; write each symbol of a word"
                )
            if len(example.word) > LONGEST:
                raise LengthwiseError(f"{example.place}: a word has at most {LONGEST} symbols, not {len(example.word)}")
            if symbols is not None and (unknown := set(example.word) - set(symbols)):
                raise LengthwiseError(
                    f"{example.place}: the symbol {sorted(unknown)[0]!r} is not in the alphabet "
                    f"{', '.join(symbols)}; add it to --alphabet"
                )
        labels = {example.label is None for example in found}
        if len(labels) > 1:
            bare = next(example for example in found if example.label is None)
            raise LengthwiseError(f"{bare.place}: this word has no label and others have one; label all words or none")
        return cls(found, tuple(mentioned if symbols is None else symbols), len(given) - len(found))

    @classmethod
    def read(cls, text: str, title: str, symbols: Sequence[str] | None = None) -> Examples:
        """Words from text: `word<TAB>0` or `word<TAB>1` on each line, JSONL, or words alone."""
        lines = [(number, line) for number, line in enumerate(text.splitlines(), 1) if line.strip()]
        return cls.of((_line(line, f"{title}:{number}") for number, line in lines), symbols)

    @property
    def labelled(self) -> bool:
        """Whether the words have labels."""
        return self.items[0].label is not None

    @cached_property
    def contradiction(self) -> tuple[Example, Example] | None:
        """Two examples of one word with different labels."""
        first: dict[tuple[str, ...], Example] = {}
        for example in self.items:
            before = first.setdefault(example.word, example)
            if before.label != example.label:
                return before, example
        return None

    def require_consistent(self, errors: int = 0) -> None:
        """Refuse words with both labels, unless so many errors undo all contradictions.

        Raises:
            LengthwiseError: Examples contradict each other in more places.

        """
        labels: dict[tuple[str, ...], list[bool | None]] = {}
        for example in self.items:
            labels.setdefault(example.word, []).append(example.label)
        needed = sum(len(each) - max(each.count(True), each.count(False), each.count(None)) for each in labels.values())
        if self.contradiction is None or needed <= errors:
            return
        one, other = self.contradiction
        first, second = int(one.label or 0), int(other.label or 0)
        raise LengthwiseError(
            f"no program explains these words: {one.place} says that {written(one.word)} has label {first} and "
            f"{other.place} that it has {second}; correct one, or allow errors with --errors {needed}"
        )


def written(word: Sequence[str]) -> str:
    """A word as text."""
    return ("" if all(len(symbol) == 1 for symbol in word) else " ").join(word)


def _line(line: str, place: str) -> Example:
    if line.lstrip().startswith("{"):
        try:
            entry = json.loads(line)
        except ValueError:
            raise LengthwiseError(f'{place}: this is no JSON object; write {{"word": "ab", "label": 1}}') from None
        word, label = entry.get("word"), entry.get("label")
        if not isinstance(word, str | list) or not all(isinstance(symbol, str) for symbol in word):
            raise LengthwiseError(f'{place}: "word" is a text or a list of symbols; write {{"word": "ab", "label": 1}}')
        if label is not None and label not in (0, 1):
            raise LengthwiseError(f"{place}: a label is 0 or 1, not {label!r}")
        return Example(
            tuple(split(word) if isinstance(word, str) else word), None if label is None else label == 1, place
        )
    word, tab, label = line.partition("\t")
    if not tab:
        return Example(tuple(split(word.strip())), None, place)
    if label.strip() not in LABELS:
        raise LengthwiseError(f"{place}: a label is 0 or 1, not {label.strip()!r}; write a word, a tab and its label")
    return Example(tuple(split(word.strip())), LABELS[label.strip()], place)
