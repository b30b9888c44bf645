"""The identification length: from which length on short words leave a learner of simplest programs no choice.

κ(f) is the least complexity of a program for f. N_id is the largest shortest difference between f and any other
function with a program of at most that complexity; N_id^< the same for less. Who takes a simplest program that is right
on all words of at most N_id symbols has one for f, however ties are broken; below N_id^< every such learner errs. It is
the length complexity of Chen, Ma and Li (2025) for one function and a learner of simplest programs.

The functions are those of an atlas. Two that differ on a short word differ there, exactly; what agrees on all short
words is compared by proof. The atlas takes one of several programs that answered alike, so the result is exact only if
each of those was proved to be the same: then, by induction over its parts, every program up to the complexity is one of
the atlas.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from lengthwise.atlas.atlas import Atlas, Member
from lengthwise.atlas.differences import Asks, hidden_length, shown
from lengthwise.atlas.words import Words
from lengthwise.crasp import Program
from lengthwise.crasp.syntax import Expression
from lengthwise.errors import LengthwiseError
from lengthwise.regular import Automaton, verify
from lengthwise.regular.prover.normal_form import system_of
from lengthwise.resources import Deadline

Acceptor: TypeAlias = Program | Automaton
STEPS = (6, 9, 11, 13, 14, 15, 16, 17)
"""The complexities up to which atlases are built, one after the other."""
PROOF_SECONDS = 5.0
"""For one comparison with the right program."""
MERGE_SECONDS = 0.3
"""For one comparison of two programs that the atlas took for the same; there may be many."""
MOST_RIVALS = 40
"""How many of the rivals that agree longest are looked at for hidden differences."""
MOST_TEACHING = 30_000_000
"""The most answers that a search for a teaching set looks at."""


@dataclass(frozen=True)
class Witness:
    """A rival with the largest shortest difference.

    Attributes:
        member: Its simplest program.
        difference: A shortest word on which it differs, or with a prefix at which it does.
        output: Of next symbols: which output it is, the empty text for the end; None where words are accepted.

    """

    member: Member
    difference: tuple[str, ...]
    output: str | None = None

    def as_json(self) -> dict[str, Any]:
        """Plain data with stable keys."""
        return {
            "program": str(self.member.program), "expression": self.member.text,
            "complexity": self.member.complexity, "shortest_difference": _text(self.difference),
            "difference_length": len(self.difference), "output": self.output,
        }  # fmt: skip


@dataclass(frozen=True)
class Identification:
    """From which length on all words identify a function, among all programs that are no more complex.

    Attributes:
        length: N_id, or what it is at least.
        exact: Whether every rival and every merge of the atlas was proved, so that the length is no more and no less.
        strict_length: N_id^<, the same for programs that are simpler.
        asks: What is asked: `accept`, whether a word is accepted, or `next`, what may follow each prefix of a word.
        class_name: The programs that were compared, in a sentence.
        complexity: κ(f), or None if the class has no program for it up to `searched`.
        searched: The complexity up to which the class was enumerated.
        program: The simplest program for it.
        functions: How many functions there are up to κ(f).
        merges: How many programs were taken for others that answer alike.
        unproved: How many of these, and of the rivals, could not be settled.
        witness: The rival that needs `length`.
        strict_witness: The simpler one that needs `strict_length`.
        teaching: The smallest set of words found that rules out all rivals.
        data: N_data: from which training length on `words` drawn words are unlikely to leave a rival hidden.
        words: How many words are drawn for `data`.
        target_length: Up to which length rivals matter for `data`.
        meaning: How the subject was read.

    """

    length: int
    exact: bool
    strict_length: int
    asks: Asks
    class_name: str
    complexity: int | None
    searched: int
    program: str | None
    functions: int
    merges: int
    unproved: int
    witness: Witness | None
    strict_witness: Witness | None
    teaching: tuple[tuple[str, ...], ...] | None
    data: int | None = None
    words: int | None = None
    target_length: int | None = None
    meaning: str = field(default="", compare=False)

    def as_json(self) -> dict[str, Any]:
        """Plain data with stable keys."""
        return {
            "meaning": self.meaning, "asks": self.asks, "length": self.length, "exact": self.exact,
            "strict_length": self.strict_length, "class": self.class_name, "complexity": self.complexity,
            "searched": self.searched, "program": self.program, "functions": self.functions,
            "merges": self.merges, "unproved": self.unproved,
            "witness": None if self.witness is None else self.witness.as_json(),
            "strict_witness": None if self.strict_witness is None else self.strict_witness.as_json(),
            "teaching": None if self.teaching is None else [_text(word) for word in self.teaching],
            "data": self.data, "words": self.words, "target_length": self.target_length,
        }  # fmt: skip

    def __str__(self) -> str:
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        if self.meaning:
            yield self.meaning
        sure = "exact" if self.exact else "at least"
        yield f"identification length: {self.length} ({sure})"
        yield f"  simpler programs alone: {self.strict_length}"
        yield f"  class: {self.class_name}"
        if self.asks == "next":
            yield f"  {self.functions:,} functions for each output"
        elif self.complexity is None:
            yield f"  no program up to complexity {self.searched}: all {self.functions:,} functions are simpler rivals"
        else:
            yield f"  simplest program: {self.program} (complexity {self.complexity}, {self.functions:,} functions)"
        for name, witness in (("last rival", self.witness), ("last simpler rival", self.strict_witness)):
            if witness is not None:
                word = _text(witness.difference)
                output = {None: "", "": " for the end"}.get(witness.output, f" for {witness.output}")
                yield f"  {name}: {witness.member.text}{output} (complexity {witness.member.complexity}), until {word}"
        if self.teaching is not None:
            yield f"  smallest teaching set found: {', '.join(map(_text, self.teaching))}"
        if self.words is not None:
            told = "none" if self.data is None else f"{self.data}"
            yield f"  from {self.words:,} drawn words, harmless up to {self.target_length}: {told}"
        if self.unproved and self.asks == "accept":
            yield f"  {self.unproved:,} of {self.merges + self.functions:,} comparisons could not be settled"


def identification(
    subject: Acceptor,
    symbols: tuple[str, ...],
    fragment: frozenset[str] = frozenset(),
    *,
    complexity: int = 15,
    depth: int | None = None,
    encoding: str = "symbols",
    words: int | None = None,
    target_length: int = 64,
    deadline: Deadline | None = None,
    prove: bool = True,
) -> Identification:
    """Find the identification length of a function that accepts words, among small programs.

    Args:
        subject: The program or automaton that is right.
        symbols: The alphabet.
        fragment: A subset of {"periodic", "local"}.
        complexity: Up to which complexity a program for it is looked for.
        depth: The largest depth of the programs; None for any.
        encoding: The complexity: `symbols`, `bits` or `heads`.
        words: Also compute N_data for so many drawn words.
        target_length: For N_data: up to which length rivals matter.
        deadline: When to stop; what was not settled makes the result a lower bound.
        prove: Whether to prove what the atlas merged.

    Returns:
        The length with its witnesses.

    Raises:
        LengthwiseError: The alphabet or the class is too large.

    Example:
        >>> from lengthwise import crasp
        >>> found = identification(crasp.load("majority"), ("0", "1"))
        >>> found.length, found.exact, found.complexity
        (3, True, 5)

    """
    deadline = deadline or Deadline(None)
    given = Words.of(symbols)
    while True:
        atlas, member, wrong = _found(subject, symbols, fragment, complexity, depth, encoding, given, deadline)
        search = _Search(subject, atlas, member, deadline)
        wrong = wrong or (search.prove_merges() if prove and member is not None else None)
        if wrong is None:
            return search.result(words, target_length, prove)
        given = given.with_probes([wrong])


def _found(
    subject: Acceptor,
    symbols: tuple[str, ...],
    fragment: frozenset[str],
    complexity: int,
    depth: int | None,
    encoding: str,
    words: Words,
    deadline: Deadline,
) -> tuple[Atlas, Member | None, tuple[str, ...] | None]:
    """The smallest atlas that has the subject, with its function; a word instead if that function is another one."""
    vector = words.vector(subject)
    atlas = None
    for step in sorted({*(each for each in STEPS if each < complexity), complexity}):
        left = deadline.left()
        built = Atlas.build(fragment, symbols, step, encoding=encoding, words=words, seconds=left, depth=depth)
        if atlas is not None and built.complexity < atlas.complexity:
            break
        atlas = built
        member = atlas.find(vector)
        if member is not None:
            compared = verify(member.program, subject, symbols, PROOF_SECONDS)
            return atlas, member, compared.difference
        if atlas.unfinished is not None:
            break
    if atlas is None:
        raise LengthwiseError("there was no time to enumerate any program; give more seconds")
    return atlas, None, None


class _Search:
    def __init__(self, subject: Acceptor, atlas: Atlas, member: Member | None, deadline: Deadline) -> None:
        self.subject, self.atlas, self.member, self.deadline = subject, atlas, member, deadline
        self.symbols = atlas.words.symbols
        self.limit = atlas.complexity if member is None else member.complexity
        self.merges = self.unproved = 0
        if member is not None and verify(member.program, subject, self.symbols, PROOF_SECONDS).equal is not True:
            self.unproved += 1

    def prove_merges(self) -> tuple[str, ...] | None:
        """Prove what the atlas took for a function that stood there; a word on which one differs, if one does."""
        for expression, number in self.atlas.merges(self.limit):
            self.merges += 1
            if self.deadline.passed():
                self.unproved += 1
                continue
            equal, difference = self.compared(expression, self.atlas.expression(number))
            if difference is not None:
                return difference
            self.unproved += equal is not True
        return None

    def compared(self, expression: Expression, other: Expression) -> tuple[bool | None, tuple[str, ...] | None]:
        """Whether two expressions are equal on all words, and a word on which they differ."""
        pair = self.atlas.grammar.program(expression), self.atlas.grammar.program(other)
        if not any(system_of(pair, self.symbols).outputs):
            return True, None
        found = verify(*pair, self.symbols, MERGE_SECONDS)
        return found.equal, found.difference

    def differences(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """All rivals, with the length of a shortest difference as far as the atlas knows it."""
        row = self.atlas.vector(self.subject)
        parts = [self.atlas.words.first_difference(rows, row) for _, rows in self.atlas.blocks(self.limit)]
        lengths = np.concatenate(parts)
        ids = np.flatnonzero(lengths > 0)
        return ids, lengths[ids]

    def result(self, words: int | None, target_length: int, prove: bool) -> Identification:
        ids, lengths = self.differences()
        reach = self.atlas.words.trie_length
        late = [self._late(int(number)) for number in ids[lengths > reach]]
        settled = [each for each in late if each is not None]
        self.unproved += len(late) - len(settled)
        strict = self.atlas.complexities[ids] < (self.limit + 1 if self.member is None else self.limit)
        witness = self._last(ids, lengths, reach, settled)
        strict_witness = self._last(
            ids[strict], lengths[strict], reach,
            [each for each in settled if self.member is None or each.member.complexity < self.limit],
        )  # fmt: skip
        length = 0 if witness is None else len(witness.difference)
        data = None
        if words is not None:
            data = self._data(ids, lengths, words, target_length)
        return Identification(
            length,
            prove and self.unproved == 0 and self.member is not None,
            0 if strict_witness is None else len(strict_witness.difference),
            "accept",
            f"{self.atlas.grammar.sentence}; complexity at most {self.limit}",
            None if self.member is None else self.member.complexity,
            self.atlas.complexity,
            None if self.member is None else self.member.text,
            len(ids) + (self.member is not None),
            self.merges,
            self.unproved,
            witness,
            strict_witness,
            self._teaching(ids, min(length, reach)) if length <= reach else None,
            data,
            words,
            None if words is None else target_length,
        )

    def _late(self, number: int) -> Witness | None:
        """A rival that differs on no short word, with a shortest difference that a proof found."""
        if self.deadline.passed():
            return None
        member = self.atlas.member(number)
        compared = verify(member.program, self.subject, self.symbols, PROOF_SECONDS)
        return None if compared.difference is None else Witness(member, compared.difference)

    def _last(
        self,
        ids: npt.NDArray[np.int64],
        lengths: npt.NDArray[np.int64],
        reach: int,
        late: Sequence[Witness],
    ) -> Witness | None:
        """The simplest of the rivals with the largest shortest difference."""
        if late:
            return max(late, key=lambda each: (len(each.difference), -each.member.id))
        early = lengths <= reach
        if not early.any():
            return None
        number = int(ids[early][np.argmax(lengths[early])])
        row = self.atlas.vector(self.subject)
        difference = self.atlas.words.difference(row, self.atlas.rows(np.array([number]))[0])
        if difference is None or self._accepts(difference) == self.atlas.member(number).program.accepts(difference):
            raise AssertionError(f"{self.atlas.member(number).text} does not differ on {difference}")
        return Witness(self.atlas.member(number), difference)

    def _accepts(self, word: tuple[str, ...]) -> bool:
        return self.subject.accepts(word)

    def _teaching(self, ids: npt.NDArray[np.int64], length: int) -> tuple[tuple[str, ...], ...] | None:
        """Words, one after the other those that rule out most rivals, less those that turn out not to be needed."""
        words = self.atlas.words.short(length) if length else []
        if not words or len(ids) * len(words) > MOST_TEACHING:
            return None
        row = self.atlas.vector(self.subject)
        right = self.atlas.words.answers(row[None], length)[0]
        told = np.concatenate(
            [self.atlas.words.answers(rows, length) != right for _, rows in self.atlas.blocks(self.limit)]
        )[ids]
        chosen: list[int] = []
        open_rivals = np.ones(len(ids), dtype=bool)
        while open_rivals.any():
            best = int(told[open_rivals].sum(axis=0).argmax())
            chosen.append(best)
            open_rivals &= ~told[:, best]
        for word in list(chosen):
            rest = [each for each in chosen if each != word]
            if rest and told[:, rest].any(axis=1).all():
                chosen = rest
        return tuple(words[each] for each in sorted(chosen))

    def _data(self, ids: npt.NDArray[np.int64], lengths: npt.NDArray[np.int64], words: int, target: int) -> int | None:
        """N_data over those rivals that agree longest, for uniform words that are asked at every prefix."""
        order = np.lexsort((ids, -lengths))[:MOST_RIVALS]
        shares = []
        for number in ids[order].tolist():
            rival = self.atlas.member(number).program
            shares.append(shown(self.subject, rival, range(1, target + 1), "accept"))
        return hidden_length(shares, words, target)


def _text(word: Sequence[str]) -> str:
    return ("" if all(len(symbol) == 1 for symbol in word) else " ").join(word)
