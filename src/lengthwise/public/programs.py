"""Small programs: the rivals of a subject that short words do not rule out, and the simplest program for examples."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lengthwise.errors import LengthwiseError
from lengthwise.resources import SECONDS, Deadline
from lengthwise.subjects import Subject, as_symbols
from lengthwise.subjects.subject import Symbols

if TYPE_CHECKING:
    from lengthwise.atlas.finding import Found, Settings
    from lengthwise.atlas.learning import Learned
    from lengthwise.atlas.rivals import Rival

VARIABLE = "LENGTHWISE_ATLAS"
"""The environment variable that names a directory in which atlases are kept."""
SUFFIXES = (".tsv", ".txt", ".jsonl", ".csv")
"""Of files that hold words."""
MOST_BYTES = 50_000_000


@dataclass(frozen=True)
class Rivals:
    """The rivals of a subject after words up to a length.

    Attributes:
        subject: The right one.
        train_length: The length of the longest words that were seen.
        words: How many words were seen; None for all.
        found: The atlas, and the subject's own place in it.
        rivals: The simplest rivals, in order.
        complete: Whether these are all rivals in the atlas, and its short words tell all of its functions apart. What
            differs from a simpler program on longer words only is not in it, and may be a rival all the same.

    """

    subject: Subject
    train_length: int
    words: int | None
    found: Found
    rivals: tuple[Rival, ...]
    complete: bool

    @property
    def complexity(self) -> int | None:
        """The complexity of the subject, if it was found."""
        return None if self.found.member is None else self.found.member.complexity

    def as_json(self) -> dict[str, Any]:
        """Plain data with stable keys."""
        member = self.found.member
        return {
            "subject": self.subject.text,
            "meaning": self.subject.meaning,
            "train_length": self.train_length,
            "words": self.words,
            "simplest": None if member is None else str(member.program),
            "complexity": self.complexity,
            "proved": self.found.proved,
            "class": self.found.atlas.completeness,
            "complete": self.complete,
            "rivals": [rival.as_json() for rival in self.rivals],
        }

    def lines(self) -> list[str]:
        """The answer as text."""
        found, atlas = self.found, self.found.atlas
        seen = f"all words up to length {self.train_length}"
        if self.words is not None:
            seen = f"{self.words} words up to length {self.train_length}"
        said = [self.subject.meaning]
        if found.member is None:
            said.append(
                f"No program of complexity up to {atlas.complexity} was found for it, so rivals are any of these."
            )
        else:
            proved = "proved equal at every length" if found.proved else "equal on all words that were compared"
            said.append(f"Its simplest program ({proved}): {found.member.text}, complexity {found.member.complexity}")
        if not self.rivals:
            said.append(
                f"No other program so simple agrees with it on {seen}: none was found that differs on a word of"
            )
            said[-1] += f" at most {atlas.words.trie_length} symbols or on a probe."
        else:
            number = f"{len(self.rivals)}{'' if self.complete else ' or more'}"
            some = "1 other program agrees" if number == "1" else f"{number} other programs agree"
            said.append(f"{some} with it on {seen}:")
        for rival in self.rivals:
            word = rival.as_json()["shortest_difference"]
            kind = "first differs" if rival.shortest else "differs"
            said.append(f"  complexity {rival.member.complexity}: {rival.member.text}")
            said.append(
                f"    {kind} on {word} (length {len(rival.difference)}); a training word shows it: {rival.shown}"
            )
            curve = ", ".join(f"{share} at length {length}" for length, share in rival.accuracy)
            said.append(f"    who learned it is right on {curve}")
        said.append(f"Looked among: {atlas.completeness}.")
        return said


def rivals(
    subject: object,
    train_length: int,
    words: int | None = None,
    alphabet: Symbols | None = None,
    *,
    most: int = 10,
    test_lengths: Sequence[int] | None = None,
    fragment: str | Iterable[str] | None = None,
    complexity: int | None = None,
    encoding: str = "symbols",
    atlas: str | os.PathLike[str] | None = None,
    seconds: float | None = SECONDS,
    seed: int = 0,
    progress: Callable[[int, int], None] | None = None,
) -> Rivals:
    """List the other programs, no more complex, that short words do not tell from a subject.

    Args:
        subject: What `Subject.of` takes.
        train_length: N: all words of at most so many symbols were seen.
        words: If given, not all words were seen but so many drawn ones, as the acceptance task draws them.
        alphabet: The symbols of a regex or a predicate.
        most: The most rivals to list.
        test_lengths: The lengths at which rivals are judged; else 2, 4 and 8 times N.
        fragment: Names of positional relations, such as `periodic, local`; else one fragment after the other is tried.
        complexity: The largest complexity of programs; else some 500,000 functions are looked at.
        encoding: How complexity is counted: `symbols`, `bits` or `heads`.
        atlas: A directory in which atlases are kept; nothing is kept without one.
        seconds: The time limit; what was found by then is given.
        seed: Of the words that are drawn.
        progress: Called with the complexity at work and the number of functions so far.

    Returns:
        The rivals, simplest first, each with a word on which it differs.

    Raises:
        LengthwiseError: The subject accepts no words, or a number is out of its range.

    Example:
        >>> import lengthwise as lw
        >>> [rival.member.text for rival in lw.rivals("(a|b)*b(a|b)*", 1).rivals]
        ['"b"']

    """
    from lengthwise.atlas.finding import find
    from lengthwise.atlas.rivals import LONGEST, RivalSearch

    if not 1 <= train_length <= LONGEST:
        raise LengthwiseError(f"the training length lies between 1 and {LONGEST}, not {train_length}")
    if most < 1:
        raise LengthwiseError(f"--most is at least 1, not {most}")
    meant = Subject.of(subject, alphabet)
    deadline = Deadline(seconds)
    acceptor = meant.as_acceptor()
    symbols = as_symbols(alphabet) or acceptor.alphabet.symbols
    settings = _settings(fragment, complexity, encoding, atlas, progress)
    lengths = tuple(test_lengths or sorted({min(LONGEST, times * train_length) for times in (2, 4, 8)}))
    with deadline.in_force():
        found = find(acceptor, symbols, settings, deadline.share(0.6).left())
    search = RivalSearch(acceptor, found, lengths, seed)
    listed: list[Rival] = []
    complete = True
    for rival in search.rivals(train_length, words, deadline):
        if len(listed) == most:
            complete = False
            break
        listed.append(rival)
    complete = complete and not deadline.passed() and found.atlas.separating_length() is not None
    return Rivals(meant, train_length, words, found, tuple(listed), complete)


@dataclass(frozen=True)
class LearnedProgram:
    """The simplest program that was found, and what is known about it.

    Attributes:
        learned: The program, its complexity and whether none is smaller.
        subject: What it was learned from, in a few words.
        note: What else there is to say.

    """

    learned: Learned
    subject: str
    note: str = ""

    def as_json(self) -> dict[str, Any]:
        """Plain data with stable keys."""
        learned = self.learned
        return {
            "meaning": self.subject,
            "program": str(learned.program),
            "complexity": learned.complexity,
            "smallest": learned.smallest,
            "agrees": learned.agrees,
            "errors": learned.errors,
            "words": learned.words,
            "class": learned.grammar,
            "note": self.note,
        }

    def lines(self) -> list[str]:
        """The answer as text."""
        learned = self.learned
        said = [self.subject, str(learned.program).rstrip()]
        smaller = "no smaller one does as well (proved)" if learned.smallest else "smaller ones may do as well"
        said.append(
            f"complexity {learned.complexity}, depth {learned.program.depth}, size {learned.program.size}: {smaller}"
        )
        if learned.words:
            right = learned.words - learned.errors
            said.append(f"It is right on {right} of {learned.words} answers.")
        if self.note:
            said.append(self.note)
        said.append(f"Among: {learned.grammar}.")
        return said


def learn(
    examples: object,
    alphabet: Symbols | None = None,
    *,
    errors: int = 0,
    fragment: str | Iterable[str] | None = None,
    complexity: int | None = None,
    encoding: str = "symbols",
    atlas: str | os.PathLike[str] | None = None,
    seconds: float | None = SECONDS,
    progress: Callable[[int, int], None] | None = None,
) -> LearnedProgram:
    """Find the smallest program for labelled words, a predicate, an automaton or a language.

    Args:
        examples: A file of words (`word<TAB>0` or `word<TAB>1` on each line, JSONL, or words of a language without
            labels), a mapping from words to labels, or what `Subject.of` takes.
        alphabet: The symbols; else those of the words.
        errors: How many of the words may be labelled otherwise.
        fragment: Names of positional relations; else one fragment after the other is tried.
        complexity: The largest complexity of programs; else some 500,000 functions are looked at.
        encoding: How complexity is counted: `symbols`, `bits` or `heads`.
        atlas: A directory in which atlases are kept; nothing is kept without one.
        seconds: The time limit.
        progress: Called with the complexity at work and the number of functions so far.

    Returns:
        The program, with what is proved about it.

    Raises:
        LengthwiseError: Labels contradict each other, or no program was found.

    Example:
        >>> import lengthwise as lw
        >>> learned = lw.learn({"a": 0, "b": 1, "ab": 1, "ba": 1, "aa": 0}).learned
        >>> learned.complexity, learned.smallest
        (3, True)

    """
    from lengthwise.atlas.learning import learn as learn_from

    settings = _settings(fragment, complexity, encoding, atlas, progress)
    symbols = as_symbols(alphabet)
    given, title = _examples(examples, symbols)
    if given is None:
        return _learned_subject(Subject.of(examples, alphabet), symbols, settings, seconds)
    with Deadline(seconds).in_force():
        note = "The empty word was left out: it has no last symbol to answer at." if given.left_out else ""
        return LearnedProgram(learn_from(given, settings, errors, seconds), title, note)


def _settings(
    fragment: str | Iterable[str] | None,
    complexity: int | None,
    encoding: str,
    atlas: str | os.PathLike[str] | None,
    progress: Callable[[int, int], None] | None,
) -> Settings:
    from lengthwise.atlas.finding import Settings

    kept = os.environ.get(VARIABLE) if atlas is None else atlas
    return Settings(fragment, complexity, encoding, None if not kept else Path(kept), progress)


def _examples(given: object, symbols: tuple[str, ...] | None) -> tuple[Any, str]:
    """The examples that a mapping or a file holds; None if it is something else."""
    from lengthwise.alphabet import split
    from lengthwise.atlas.examples import Example, Examples

    if isinstance(given, dict):
        items = []
        for number, (word, label) in enumerate(given.items(), 1):
            if label not in (0, 1):
                raise LengthwiseError(f"entry {number}: a label is 0 or 1, not {label!r}")
            letters = tuple(split(word) if isinstance(word, str) else word)
            items.append(Example(letters, bool(label), f"entry {number}"))
        return Examples.of(items, symbols), f"{len(items)} labelled words"
    if not isinstance(given, str | os.PathLike):
        return None, ""
    path = Path(given)
    if path.suffix not in SUFFIXES and not _holds_words(path):
        return None, ""
    try:
        if path.stat().st_size > MOST_BYTES:
            raise LengthwiseError(f"{path} has more than {MOST_BYTES} bytes; learn from fewer words")
        # Some editors begin files with a byte order mark, which is no symbol.
        text = path.read_text(encoding="utf-8-sig")
    except OSError as problem:
        raise LengthwiseError(f"{path} cannot be read: {(problem.strerror or str(problem)).lower()}") from None
    except UnicodeDecodeError:
        raise LengthwiseError(f"{path} is not UTF-8 text; write a word, a tab and its label on each line") from None
    found = Examples.read(text, str(path), symbols)
    kind = "labelled words" if found.labelled else "words of a language, all there are"
    return found, f"{path}: {len(found.items)} {kind} over {{{', '.join(found.symbols)}}}"


def _holds_words(path: Path) -> bool:
    """Whether the first line of a file, whatever it is called, is a word with its label."""
    if not path.is_file():
        return False
    try:
        with path.open(encoding="utf-8-sig") as file:
            line = file.readline(4096)
    except (OSError, UnicodeDecodeError, ValueError):
        return False
    return re.fullmatch(r"[^\t]*\t[01]\s*", line) is not None or line.startswith('{"word"')


def _learned_subject(
    subject: Subject, symbols: tuple[str, ...] | None, settings: Settings, seconds: float | None
) -> LearnedProgram:
    from lengthwise.atlas.finding import find
    from lengthwise.atlas.learning import Learned, NotLearnedError
    from lengthwise.crasp.analysis import fragment_name

    deadline = Deadline(seconds)
    acceptor = subject.as_acceptor()
    title = subject.meaning
    with deadline.in_force():
        found = find(acceptor, symbols or acceptor.alphabet.symbols, settings, deadline.share(0.7).left())
    grammar = found.atlas.grammar.sentence
    if found.member is not None:
        checked = subject.checked_to is not None
        equal = "equal at every length (proved)"
        if checked or not found.proved:
            to = subject.checked_to if checked else found.comparison and found.comparison.checked_to
            equal = f"not proved equal: no difference on words up to length {to}"
        smallest = found.proved and not checked
        return LearnedProgram(
            Learned(found.member.program, found.member.complexity, smallest, 0, 0, grammar), title, equal
        )
    from lengthwise import regular

    verdict = regular.decide(acceptor, symbols, "last", regular.Budget(seconds=deadline.left()), subject.text)
    wanted = found.atlas.grammar.fragment if settings.fragment is not None else frozenset({"periodic", "local"})
    answer = verdict.ape if "periodic" in wanted else verdict.local if wanted else verdict.nope
    program = verdict.program if settings.fragment is None else answer.program
    if program is None or not program.fragment <= wanted:
        witness = "" if answer.witness is None else f" ({' '.join(answer.witness.explain().split())})"
        raise NotLearnedError(
            f"no program of complexity up to {found.atlas.complexity} computes {subject.text}; "
            f"among all of {fragment_name(wanted)}, the answer is {answer.kind}: {answer.reason}{witness}"
        )
    note = "This program is that of `decide`; it was found by construction, not among small programs."
    from lengthwise.atlas.complexity import complexity_named

    cost = complexity_named(settings.encoding).of(program)
    return LearnedProgram(Learned(program, cost, False, 0, 0, grammar), title, note)
