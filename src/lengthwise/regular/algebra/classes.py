"""The classical classes of regular languages, for comparison with what C-RASP expresses.

All are laws of the syntactic monoid M, its non-empty words S₊ or its stable semigroup S, and none depends on whether
the empty word is in the language:

- star-free: no word permutes states in a cycle longer than 1 (Schützenberger);
- AC⁰: the same for the words of one length, the stability index (Barrington, Compton, Straubing, Thérien);
- R-trivial, L-trivial: no way back after a step to the right, or to the left;
- piecewise testable: J-trivial, which is both of them (Simon);
- DA: whatever can be undone, x · y · x = x, is idempotent (two-variable logic; Thérien, Wilke);
- dot-depth 0 and 1: see `dot_depth`.

J-trivial ⊆ R-trivial, L-trivial ⊆ DA ⊆ star-free ⊆ AC⁰. Where a language is outside, `failures` has words that show it.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal

from lengthwise.regular.algebra.dot_depth import is_nilpotent, knast_failure
from lengthwise.regular.algebra.green import Green, shortest_path
from lengthwise.regular.algebra.monoid import MonoidLimitError, StableSemigroup, TransitionMonoid
from lengthwise.regular.languages.automaton import Automaton
from lengthwise.regular.witnesses.kinds import written
from lengthwise.resources import within_time

LARGEST_MONOID = 20_000
"""The most elements of a syntactic monoid that is classified."""

DotDepth = Literal["0", "1", ">=1", ">=2"]
"""What is known; `>=1` if the monoid is too large for Knast's law, and `>=2` without saying how much: whether it is 2
can be decided, too, but by no law that is quick to check (Place, Zeitoun 2014), and of high levels nothing general is
known."""


@dataclass(frozen=True)
class Failure:
    """Words that break the law of a class. How they act on the minimal automaton is all that is claimed."""

    law: str
    """What the words do, with letters for them."""
    words: tuple[tuple[str, tuple[str, ...]], ...]
    """The word for each letter of the law, as symbols."""

    def explain(self) -> str:
        """The words and what they do, on one line."""
        return f"{', '.join(f'{letter} = {written(word)}' for letter, word in self.words)}: {self.law}"

    def as_json(self) -> dict[str, Any]:
        """Plain data with stable keys."""
        return {"law": self.law, "words": {letter: list(word) for letter, word in self.words}}


@dataclass(frozen=True)
class Sizes:
    """How large a language's algebra is."""

    states: int
    """Of the minimal automaton."""
    monoid: int
    """Elements of M."""
    semigroup: int
    """Elements of S₊."""
    idempotents: int
    """Idempotents of S₊."""
    stability_index: int
    stable_semigroup: int
    """Elements of S."""


@dataclass(frozen=True)
class Classes:
    """Which classes a regular language belongs to.

    Attributes:
        star_free: Whether a regex with complements and without stars describes it.
        ac0: Whether it is in AC⁰.
        r_trivial: Whether its syntactic monoid is R-trivial.
        l_trivial: Whether its syntactic monoid is L-trivial.
        da: Whether its syntactic monoid is in DA.
        sizes: The number of states and the size of the syntactic monoid.

    """

    star_free: bool
    ac0: bool
    r_trivial: bool
    l_trivial: bool
    j_trivial: bool
    """Piecewise testable."""
    da: bool
    dot_depth: DotDepth | None
    """None if the language is not star-free."""
    sizes: Sizes
    failures: dict[str, Failure]
    """For each class the language is not in, by field name, words that show it; for `dot_depth`, why it is >= 2."""

    def as_json(self) -> dict[str, Any]:
        """Plain data with stable keys."""
        plain = {name: value for name, value in asdict(self).items() if name != "failures"}
        return {**plain, "failures": {name: failure.as_json() for name, failure in self.failures.items()}}


def classify(automaton: Automaton, limit: int = LARGEST_MONOID) -> Classes:
    """The classes of an automaton's language; a `MonoidLimitError` if its syntactic monoid exceeds `limit`.

    Args:
        automaton: The automaton of the language.
        limit: The largest syntactic monoid to work with.

    Returns:
        The classes, with words that show why it is not in one.

    Example:
        >>> from lengthwise.regular import Language
        >>> classify(Language.from_regex("(ab)*").automaton).star_free
        True

    """
    return _Classifier(automaton.minimal(), limit).classes()


class _Classifier:
    def __init__(self, minimal: Automaton, limit: int) -> None:
        self.minimal = minimal
        self.monoid = TransitionMonoid(minimal, limit)
        self.stable = StableSemigroup(self.monoid)
        self.green = Green(self.monoid)
        self.failures: dict[str, Failure] = {}

    def classes(self) -> Classes:
        if failure := self.cycle():
            self.failures["star_free"] = failure
            if failure := self.cycle_of_one_length():
                self.failures["ac0"] = failure
        for name, classes, graph in (
            ("r_trivial", self.green.r_classes, self.monoid.right),
            ("l_trivial", self.green.l_classes, self.green.left),
        ):
            if failure := self.way_back(classes, graph, mirrored=name == "l_trivial"):
                self.failures[name] = failure
                self.failures.setdefault("j_trivial", failure)
        if failure := self.regular_element():
            self.failures["da"] = failure
        dot_depth = self.dot_depth()
        return Classes(
            star_free="star_free" not in self.failures,
            ac0="ac0" not in self.failures,
            r_trivial="r_trivial" not in self.failures,
            l_trivial="l_trivial" not in self.failures,
            j_trivial="j_trivial" not in self.failures,
            da="da" not in self.failures,
            dot_depth=dot_depth,
            sizes=Sizes(
                states=len(self.minimal),
                monoid=len(self.monoid),
                semigroup=len(self.monoid.semigroup),
                idempotents=len(self.monoid.idempotents),
                stability_index=self.stable.index,
                stable_semigroup=len(self.stable.elements),
            ),
            failures=self.failures,
        )

    def failure(self, law: str, **words: tuple[int, ...]) -> Failure:
        symbols = self.minimal.symbols
        return Failure(law, tuple((letter, tuple(symbols[i] for i in ids)) for letter, ids in words.items()))

    def cycle(self) -> Failure | None:
        """A word whose powers run into a cycle; it is a shortest one."""
        for x in within_time(self.monoid.semigroup):
            if (period := self.monoid.period(x)) > 1:
                law = f"the powers of x run into a cycle of {period} different actions"
                return self.failure(law, x=self.monoid.nonempty_word(x))
        return None

    def cycle_of_one_length(self) -> Failure | None:
        for x in within_time(self.stable.elements):
            if (period := self.monoid.period(x)) > 1:
                law = f"x and e are equally long, e fixes what x moves in a cycle of {period}"
                unit = self.monoid.idempotent_power(x)
                return self.failure(law, x=self.stable.word(x), e=self.stable.word(unit))
        return None

    def way_back(self, classes: list[list[int]], graph: list[list[int]], mirrored: bool) -> Failure | None:
        """A step from an element to another of its class, and the way back; x has a shortest word."""
        large = [members for members in classes if len(members) > 1]
        if not large:
            return None
        members = set(min(large))
        x = min(members)
        symbol = next(symbol for symbol, y in enumerate(graph[x]) if y != x and y in members)
        path = shortest_path(graph, graph[x][symbol], x)
        word = self.monoid.word(x)
        if mirrored:
            return self.failure("u·x acts unlike x, but v·u·x acts like x", x=word, u=(symbol,), v=path[::-1])
        return self.failure("x·u acts unlike x, but x·u·v acts like x", x=word, u=(symbol,), v=path)

    def regular_element(self) -> Failure | None:
        """An element that is regular, x·y·x = x, but not idempotent; it has a shortest word."""
        multiply = self.monoid.multiply
        for x in within_time(self.monoid.semigroup):
            if self.green.regular[self.green.d_class[x]] and multiply(x, x) != x:
                # In a regular D-class every R-class has an idempotent e, and from e = x·y and e R x follows e·x = x.
                e = next(y for y in self.green.r_classes[self.green.r_class[x]] if multiply(y, y) == y)
                path = shortest_path(self.monoid.right, x, e)
                return self.failure("x·y·x acts like x, but x·x does not", x=self.monoid.nonempty_word(x), y=path)
        return None

    def dot_depth(self) -> DotDepth | None:
        if "star_free" in self.failures:
            return None
        if is_nilpotent(self.green):
            return "0"
        if "j_trivial" not in self.failures:
            return "1"
        try:
            found = knast_failure(self.green)
        except MonoidLimitError:
            return ">=1"
        if found is None:
            return "1"
        law = (
            "e and f act idempotently, x and z like e·x·f and e·z·f, y and t like f·y·e and f·t·e, "
            "but for all large n (xy)ⁿ·x·t·(zt)ⁿ acts unlike (xy)ⁿ·(zt)ⁿ"
        )
        words = {letter: self.monoid.nonempty_word(element) for letter, element in asdict(found).items()}
        self.failures["dot_depth"] = self.failure(law, **words)
        return ">=2"
