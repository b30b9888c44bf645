"""Programs that come in families: one for every depth, number of tracks, word or alphabet.

The constructions are those of Huang et al., appendices C and E, except where a docstring says otherwise. Programs with
`next` statements predict; unless stated, they define no Boolean by name and so accept nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import count

from lengthwise.alphabet import split
from lengthwise.crasp.library.formula import read_formula
from lengthwise.crasp.program import Program, parse
from lengthwise.crasp.showing.printer import quoted
from lengthwise.crasp.syntax import And, Before, Definition, Everywhere, Exists, Expression, Name, Symbol
from lengthwise.errors import LengthwiseError

DEEPEST = 10**9
"""The largest depth of `bounded_dyck`: far beyond every word, and far from the end of 64 bits."""
MOST_TRACKS = 1000
"""The largest number of tracks of `majority_interleave`, whose program grows with it."""

# ----------------------------------------------------------------------------------------------- acceptors


def bounded_dyck(n: int) -> Program:
    """D_n = (a D_{n-1} b)* with D_0 = {ε}: a as opening and b as closing bracket, nested at most n deep."""
    _require_between("the depth of D_n", n, 1, DEEPEST)
    text = f"""
        alphabet "a" "b"
        C_a = # "a"                             // brackets opened so far
        C_b = # "b"                             // brackets closed so far
        V = C_a < C_b || C_a > C_b + {n}  // violation: none was open, or more than {n} are
        M = # V == 0                            // there was no violation
        B = C_a == C_b                          // nothing is left open
        D = M && B                              // both
    """
    return parse(text, title=f"d{n}")


def majority_interleave(tracks: int = 3) -> Program:
    """Words over {0, 1} in which every track has at least as many 1s as 0s.

    Track r holds the positions i ≡ r modulo the number of tracks, and the Boolean `M{r}` says whether it does, so that
    a trace shows the answers of all tracks; an empty track does.
    """
    _require_between("the number of tracks", tracks, 1, MOST_TRACKS)
    lines = ['alphabet "0" "1"']
    for track in range(1, tracks + 1):
        here = f" && i % {tracks} == {track % tracks}" if tracks > 1 else ""
        lines.append(f'M{track} = #("1"{here}) >= #("0"{here})  // on track {track} the ones are not outnumbered')
    lines.append(f"A = {' && '.join(f'M{track}' for track in range(1, tracks + 1))}  // nor are they on any track")
    return parse("\n".join(lines), title=_title("majority-interleave", tracks, default=3))


def scattered(word: str | Sequence[str], alphabet: str | Iterable[str] | None = None) -> Program:
    """Words that contain the symbols of `word` in this order, whatever stands between them (App. C.1.5).

    Without an alphabet the program declares none and reads words over any symbols. The appendix counts up to and
    including the current position, which is right only if no symbol of the word follows on itself: its program for aa
    accepts a. Where one does, ours looks strictly before the current position.
    """
    wanted = tuple(split(word) if isinstance(word, str) else word)
    if not wanted:
        raise LengthwiseError("a scattered word has at least one symbol; every word contains the empty one")
    _symbols(dict.fromkeys(wanted), "a scattered word")
    subsequences = _Subsequences()
    subsequences.name(wanted)
    return subsequences.program(alphabet, f"scattered:{_joined(wanted)}")


def piecewise(formula: str, alphabet: str | Iterable[str] | None = None) -> Program:
    """Words for which a Boolean combination of scattered words holds: a piecewise testable language (App. C.1.5).

    The formula joins words with `&`, `|`, `!` and brackets: `ab & !ba | c` asks for an a before some b but no b before
    any a, or else for a c. Each character of a word is one symbol. The alphabet is as for `scattered`.
    """
    subsequences = _Subsequences()
    expression = read_formula(formula, lambda word: Name(subsequences.name(tuple(word))))
    subsequences.definitions.append(Definition("A", expression, " ".join(formula.split())))
    return subsequences.program(alphabet, f"piecewise:{formula}")


class _Subsequences:
    """Definitions that say which scattered words were read; words that begin alike share them."""

    def __init__(self) -> None:
        self.definitions: list[Definition] = []
        self.names: dict[tuple[str, ...], str] = {}

    def name(self, word: tuple[str, ...]) -> str:
        """The name of the Boolean that holds once the word, which is not empty, was read."""
        for length in range(1, len(word) + 1):
            if word[:length] not in self.names:
                self.define(word[:length])
        return self.names[word]

    def define(self, word: tuple[str, ...]) -> None:
        last: Expression = Symbol(word[-1])
        if len(word) > 1:
            rest: Expression = Name(self.names[word[:-1]])
            # The rest may become complete only here, at its own last symbol, if that is the same as this one.
            last = And((last, Exists(Before(), rest) if word[-1] == word[-2] else rest))
        self.names[word] = f"L_{len(self.names) + 1}"
        comment = ", then ".join(word if len(word) <= 8 else ("…", *word[-8:])) + " was read"
        self.definitions.append(Definition(self.names[word], Exists(Everywhere(), last), comment))

    def program(self, alphabet: str | Iterable[str] | None, title: str) -> Program:
        used = {symbol for word in self.names for symbol in word}
        declared = None if alphabet is None else _symbols(alphabet, "an alphabet")
        if declared is not None and not used <= set(declared):
            missing = ", ".join(sorted(used - set(declared)))
            raise LengthwiseError(f"the alphabet {' '.join(declared)} lacks {missing}; add what the words are made of")
        return Program(tuple(self.definitions), declared, title)


# --------------------------------------------------------------------------------------------- predictors


def induction_argmax(alphabet: str | Iterable[str]) -> Program:
    """Predicts what followed most often on the symbol at the current position, so far (App. C.2.1).

    All symbols that tie for most often are predicted; so all symbols are where the current one never had a successor,
    and before the first symbol.
    """
    symbols = _symbols(alphabet, "an alphabet")
    labels = _labels(symbols)
    lines = _bigrams(symbols, labels)
    for symbol, label in zip(symbols, labels, strict=True):
        chosen = [
            f"({_bigram(labels, before, label)} if {quoted(current)} else 0)"
            for current, before in zip(symbols, labels, strict=True)
        ]
        lines.append(f"S_{label} = {' + '.join(chosen)}  // how often {symbol} came right after the current symbol")
    for symbol, label in zip(symbols, labels, strict=True):
        most = [f"S_{label} >= S_{other}" for other in labels if other != label]
        lines.append(f"next {quoted(symbol)} = {' && '.join(most) or 'true'}  // no symbol came more often")
    return parse("\n".join(lines), title=_title("induction-argmax", _joined(symbols), default="abc"))


def induction_all(alphabet: str | Iterable[str]) -> Program:
    """Predicts everything that ever followed on the symbol at the current position, so far (App. C.2.2)."""
    symbols = _symbols(alphabet, "an alphabet")
    return _successors(symbols, _title("induction-all", _joined(symbols), default="abc"))


def unique_copy(alphabet: str | Iterable[str], separator: str = "#") -> Program:
    """Generation from #x# copies x and then predicts #, for every x without a repeated letter (App. C.2.2).

    This is `induction_all` over the alphabet and the separator: with no letter repeated, each symbol of #x# has one
    successor. Generation is meant to stop at the separator; past it, it would copy x again.
    """
    symbols = _symbols(alphabet, "an alphabet")
    if separator in symbols:
        raise LengthwiseError(f"the separator {separator} is in the alphabet; choose a symbol that is not")
    title = _title("unique-copy", _joined(symbols), default="abc")
    return _successors((*symbols, *_symbols([separator], "a separator")), title)


def sort(symbols: str | Iterable[str], separator: str = "SEP", end: str = "END") -> Program:
    """After x SEP y with y a prefix of the sorted x: predicts the next symbol of the sorted x, or END if there is none.

    `symbols` lists the symbols in increasing order; x may repeat them. At any position after the first separator,
    whatever was written since, the prediction is the smallest symbol that y has fewer times than x, else END. Nothing
    is predicted before the separator, nor END twice. The number of operations is proportional to that of the symbols.
    The program accepts a word with a separator if y has every symbol at least as often as x: when all is written.
    Huang et al. (App. E.2) look for the smallest symbol above the current one, which is the same if x repeats none.
    """
    ordered = _symbols(symbols, "the list of symbols")
    _symbols([*ordered, separator, end], "the list of symbols with separator and end")
    lines = [
        f"alphabet {' '.join(map(quoted, (*ordered, separator, end)))}",
        f"S = # {quoted(separator)}  // separators so far",
    ]
    for place, symbol in enumerate(ordered, 1):
        lines.append(f"X_{place} = #({quoted(symbol)} && S == 0)  // how many {symbol} are to be sorted")
    lines.append("W_0 = S >= 1  // the output has begun")
    for place, symbol in enumerate(ordered, 1):
        written = f"# {quoted(symbol)} >= 2 * X_{place}"
        lines.append(f"W_{place} = W_{place - 1} && {written}  // and everything up to {symbol} is written")
    for place, symbol in enumerate(ordered, 1):
        lines.append(f"next {quoted(symbol)} = W_{place - 1} && !W_{place}  // the smallest not yet written")
    lines.append(f"next {quoted(end)} = W_{len(ordered)} && # {quoted(end)} == 0  // all is written")
    numbered = ordered == tuple(str(number) for number in range(1, len(ordered) + 1))
    return parse("\n".join(lines), title=_title("sort", len(ordered), default=5) if numbered else "sort")


def _successors(symbols: tuple[str, ...], title: str) -> Program:
    labels = _labels(symbols)
    lines = _bigrams(symbols, labels)
    for symbol, label in zip(symbols, labels, strict=True):
        seen = [
            f"{quoted(current)} && {_bigram(labels, before, label)} >= 1"
            for current, before in zip(symbols, labels, strict=True)
        ]
        lines.append(f"next {quoted(symbol)} = {' || '.join(seen)}  // it came right after the current symbol before")
    return parse("\n".join(lines), title=title)


def _bigrams(symbols: tuple[str, ...], labels: list[str]) -> list[str]:
    """The alphabet line, and a count for every pair of neighbours."""
    lines = [f"alphabet {' '.join(map(quoted, symbols))}"]
    for first, before in zip(symbols, labels, strict=True):
        for second, label in zip(symbols, labels, strict=True):
            pair = f"#({quoted(second)} && exists[j == i-1] {quoted(first)})"
            lines.append(f"{_bigram(labels, before, label)} = {pair}  // how often {second} came right after {first}")
    return lines


def _bigram(labels: list[str], first: str, second: str) -> str:
    joint = "" if all(len(label) == 1 for label in labels) else "_"
    return f"C_{first}{joint}{second}"


def _labels(symbols: tuple[str, ...]) -> list[str]:
    """What stands for each symbol inside a name: itself if it can, else a number that is not itself a symbol."""
    free = (str(number) for number in count() if str(number) not in symbols)
    return [symbol if re.fullmatch("[A-Za-z0-9]+", symbol) else next(free) for symbol in symbols]


# ---------------------------------------------------------------------------------------------- arguments


def _symbols(given: str | Iterable[object], what: str) -> tuple[str, ...]:
    """Distinct symbols that can be written in a program, from text or one by one."""
    symbols: dict[str, None] = {}
    for symbol in split(given) if isinstance(given, str) else given:
        if not isinstance(symbol, str) or not symbol or "\n" in symbol or ('"' in symbol and "'" in symbol):
            raise LengthwiseError(
                f"{symbol!r} cannot be a symbol; use a non-empty string on one line without both kinds of quotes"
            )
        if symbol in symbols:
            raise LengthwiseError(f"{what} has {symbol} twice; list each symbol once")
        symbols[symbol] = None
    if not symbols:
        raise LengthwiseError(f"{what} needs at least one symbol")
    return tuple(symbols)


def _require_between(what: str, number: object, least: int, most: int) -> None:
    if not isinstance(number, int) or isinstance(number, bool) or not least <= number <= most:
        raise LengthwiseError(f"{what} is a whole number from {least} to {most}, not {number!r}")


def _joined(symbols: tuple[str, ...]) -> str:
    """Symbols as text that `split` takes apart again."""
    return "".join(symbols) if all(len(symbol) == 1 for symbol in symbols) else " ".join(symbols)


def _title(family: str, argument: object, default: object) -> str:
    return family if argument == default else f"{family}:{argument}"
