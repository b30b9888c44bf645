"""What `verify` answers: a comparison with the two subjects that it is about, as a sentence and as plain data."""

from __future__ import annotations

from dataclasses import dataclass, field

from lengthwise.crasp import Program
from lengthwise.regular import Automaton, Comparison
from lengthwise.subjects import Subject

_COMPARED = {"search": "configuration", "product": "pair{} of states", "abstraction": "abstract configuration"}


@dataclass(frozen=True, kw_only=True)
class Verified(Comparison):
    """A comparison and the two subjects that were compared."""

    left: Subject
    right: Subject
    seconds: float | None = field(default=None, compare=False)
    """How long was tried at most."""

    @property
    def acceptors(self) -> tuple[Program | Automaton, Program | Automaton]:
        """What accepts words on both sides."""
        return self.left.as_acceptor(), self.right.as_acceptor()

    def accepting(self, word: tuple[str, ...]) -> Subject:
        """The side that accepts a word on which they differ."""
        return self.left if self.acceptors[0].accepts(word) else self.right

    def as_json(self) -> dict[str, object]:
        """Plain data with stable keys, without the proof."""
        word = self.difference
        return {
            "equal": "unknown" if self.equal is None else self.equal,
            "difference": None if word is None else written(word),
            "checked_to": self.checked_to,
            "accepted_by": None if word is None else ("left" if self.accepting(word) is self.left else "right"),
            "empty_differs": self.empty_differs,
            "method": self.method,
            "states": self.states,
            "alphabet": list(self.symbols),
            "left": self.left.text,
            "right": self.right.text,
            "meanings": [self.left.meaning, self.right.meaning],
        }

    def sentence(self) -> str:
        """The answer in one sentence."""
        if self.equal:
            return f"equal at every length (proved, {self._how()})"
        word = self.difference
        if word is not None:
            accepting = self.accepting(word)
            rejecting = self.right if accepting is self.left else self.left
            shown = f"`{written(word)}`" if word else "the empty word"
            return f"different: first on {shown}, which {accepting.text} accepts and {rejecting.text} rejects"
        for side in (self.left, self.right):
            if side.checked_to is not None:
                return (
                    f"equal on every word up to length {self.checked_to}; not proved: the automaton of {side.name} "
                    f"was compared with it up to length {side.checked_to} only"
                )
        within = "" if self.seconds is None else f"{self.seconds:g} seconds and "
        return (
            f"equal on every word up to length {self.checked_to}; neither a proof nor a difference was found within "
            f"{within}{self.states} configurations"
        )

    def _how(self) -> str:
        if self.method not in _COMPARED:
            return "by induction over the length"
        what = _COMPARED[self.method] if "{}" in _COMPARED[self.method] else _COMPARED[self.method] + "{}"
        return f"1 {what.format('')} compared" if self.states == 1 else f"all {self.states} {what.format('s')} compared"

    def __str__(self) -> str:
        lines = [f"{self.left.meaning}; {self.right.meaning}", self.sentence()]
        if self.empty_differs and self.difference != ():
            lines.append(
                f"On the empty word, which has no last symbol, {self.accepting(()).text} accepts by convention and the "
                "other does not."
            )
        return "\n".join(lines)


def written(word: tuple[str, ...]) -> str:
    """A word as text: without spaces if all of its symbols are single characters."""
    return ("" if all(len(symbol) == 1 for symbol in word) else " ").join(word)
