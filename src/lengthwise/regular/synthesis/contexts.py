"""How much of the past a program looks at: contexts of varying length.

A context set is given by its *inner* words, a set that contains with a word all its factors. The context of a history
is its shortest suffix that is not an inner word, or the whole history if all its suffixes are. All words shorter than c
as inner words make a window of c symbols; fewer inner words look far back only where that is needed. Because inner
words are closed under factors, a context and the next symbol determine the next context.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeAlias

Letters: TypeAlias = tuple[int, ...]


@dataclass(frozen=True)
class Contexts:
    """A factor-closed set of inner words."""

    inner: frozenset[Letters] = frozenset()

    def of(self, history: Letters) -> Letters:
        """The context of a history, or of a longer context of it."""
        for length in range(len(history) + 1):
            suffix = history[len(history) - length :]
            if suffix not in self.inner:
                return suffix
        return history

    def is_whole(self, context: Letters) -> bool:
        """Whether a context is all there is, so that positions before it are known to be blank."""
        return context in self.inner

    @property
    def window(self) -> int:
        """How far back the longest context reaches."""
        return max((len(word) + 1 for word in self.inner), default=0)

    def extended(self, contexts: Iterable[Letters]) -> Contexts:
        """Contexts that look one symbol further back after each of these."""
        inner = set(self.inner)
        for word in contexts:
            for begin in range(len(word) + 1):
                for end in range(begin, len(word) + 1):
                    inner.add(word[begin:end])
        return Contexts(frozenset(inner))

    def joined(self, other: Contexts) -> Contexts:
        """Contexts that determine those of both."""
        return Contexts(self.inner | other.inner)
