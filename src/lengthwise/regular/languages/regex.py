r"""Regular expressions as text, read into a tree.

    a|b  ab      choice, one after the other       a*  a+  a?         any number, at least one, at most one
    (ab)*  ()    a group, the empty word            a{3} a{2,} a{2,4}  so many times
    [abx-z]      one of these symbols               .  Σ  [^ab]        any symbol, any other (of a given alphabet)
    "if"  'if'   one symbol of several characters   \*  "*"            the symbol *
    ~(A)         every other word                   (A)&(B)  (A)-(B)   the words of both, those of A that B lacks

Every other character is a symbol, except ε for the empty word and ∅ for no word at all; white space outside quotes
means nothing. A regex always describes whole words. An operator repeats one thing once: `(a+)?`, not `a+?`, which other
notations read differently. The set notation {a,b} of the papers is refused: braces repeat, brackets choose.

The operands of `~`, `&` and `-` are groups, and what could be read in two ways is refused. `~` belongs to the group
after it alone: `~(A)&(B)` is `(~(A))&(B)`. An intersection or a difference, which may have several operands of one
kind (`(A)-(B)-(C)` takes both away), fills the group or the regex it stands in: `c((A)&(B))*|d`, not `c(A)&(B)`. The
words outside a language are those over the alphabet of the whole regex.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NoReturn

from lengthwise.alphabet import Alphabet
from lengthwise.errors import LengthwiseError
from lengthwise.regular.languages.regex_tree import (
    EMPTY,
    Choice,
    Complement,
    Concatenation,
    Difference,
    Intersection,
    OneOf,
    Repetition,
    Tree,
)

LONGEST = 10_000
"""The most characters a regex may have."""
DEEPEST = 200
"""The most groups inside one another."""
MOST_TIMES = 1000
"""The largest number in braces."""

_REPETITION = re.compile(r"\{\s*0*([0-9]+)\s*(?:(,)\s*(?:0*([0-9]+))?\s*)?\}")
_SHORT = {"*": (0, None), "+": (1, None), "?": (0, 1)}
_ALONE = "()|]}.Σε∅"
_OPERATIONS = {"&": "intersection", "-": "difference"}
_ELSEWHERE = {
    "^": "write a{3} to repeat, or \\^ for the symbol",
    ",": "write a|b or [ab] for a choice, or \\, for the symbol",
    "∩": "write (A)&(B) for the intersection, or '∩' in quotes for the symbol",
    "∪": "write A|B for the union, or '∪' in quotes for the symbol",
    "¬": "write ~(A) for the complement, or '¬' in quotes for the symbol",
    "∖": "write (A)-(B) for the difference, or '∖' in quotes for the symbol",
}
"""Operators of other notations, which would silently become symbols; they are symbols if a given alphabet has them."""


class RegexError(LengthwiseError):
    """A text that is not a regex: the place, the reason and what to write instead, above a line with a caret."""

    def __init__(self, text: str, place: int, reason: str, hint: str) -> None:
        self.column = place + 1
        self.reason, self.hint = reason, hint
        left = max(0, place - 50) if len(text) > 100 else 0
        shown = "".join(c if c.isprintable() else " " for c in text[left : left + 100])
        caret = f"\n  {shown}\n  {' ' * (place - left)}^" if shown.strip() else ""
        super().__init__(f"regex, column {self.column}: {reason}; {hint}{caret}")


@dataclass(frozen=True)
class Regex:
    """A regex with its text and its alphabet: the given one, or the symbols that the text names, sorted."""

    text: str
    tree: Tree
    alphabet: Alphabet


def parse_regex(text: str, alphabet: Alphabet | None = None) -> Regex:
    """Read a regex.

    Args:
        text: The regex, in the notation that this module's text describes.
        alphabet: The symbols it may use; without it, those that the text names.

    Returns:
        The regex with its tree and its alphabet.

    Raises:
        RegexError: If the text is not a regex, with the column and what to write instead.

    Example:
        >>> parse_regex("~(ab*)").alphabet.symbols
        ('a', 'b')

    """
    return _Reader(text, alphabet).read()


class _Level:
    """What was read since a parenthesis, or since the beginning."""

    def __init__(self, opened: int, complemented: bool = False) -> None:
        self.opened, self.complemented = opened, complemented
        self.finished: list[Tree] = []
        self.parts: list[Tree] = []
        self.repeatable = False
        self.operator = ""
        self.operands: list[Tree] = []
        self.is_group = self.is_complement = False
        """Whether the last part is a group or the complement of one, and whether it is such a complement."""

    def add(self, tree: Tree, is_group: bool = False, is_complement: bool = False) -> None:
        self.parts.append(tree)
        self.repeatable, self.is_group, self.is_complement = True, is_group, is_complement

    def finish(self) -> None:
        if self.operator:
            operands = (*self.operands, *self.parts)
            self.finished.append(Intersection(operands) if self.operator == "&" else Difference(operands))
            return
        parts = [part for part in self.parts if part is not EMPTY]
        tree = EMPTY if not parts else parts[0] if len(parts) == 1 else Concatenation(tuple(parts))
        if tree is not EMPTY or EMPTY not in self.finished:
            self.finished.append(tree)
        self.parts, self.repeatable = [], False

    def tree(self) -> Tree:
        return self.finished[0] if len(self.finished) == 1 else Choice(tuple(self.finished))


class _Reader:
    """Reads from left to right; open groups wait on a stack of our own, so depth never meets Python's."""

    def __init__(self, text: str, alphabet: Alphabet | None) -> None:
        self.text, self.alphabet, self.place = text, alphabet, 0
        self.named: set[str] = set()
        self.levels = [_Level(-1)]

    def fail(self, place: int, reason: str, hint: str) -> NoReturn:
        raise RegexError(self.text, place, reason, hint)

    def read(self) -> Regex:
        text = self.text
        if len(text) > LONGEST:
            self.fail(LONGEST, f"the regex has {len(text)} characters", f"at most {LONGEST} are read")
        if not text.strip():
            self.fail(0, "the regex is empty", "write () for the empty word")
        while self.place < len(text):
            self.step(text[self.place])
        if len(self.levels) > 1:
            self.fail(self.levels[-1].opened, "this '(' is not closed", "add the missing ')'")
        self.end_alternative(len(text) - 1)
        if self.alphabet is None and not self.named:
            self.fail(0, "the regex names no symbol", "give the alphabet it is meant for")
        return Regex(text, self.levels[0].tree(), self.alphabet or Alphabet(tuple(sorted(self.named))))

    def step(self, c: str) -> None:
        """Read what begins at this place, and go on after it."""
        place, level = self.place, self.levels[-1]
        if level.operator and level.parts and not c.isspace() and c not in ")&-":
            hint = f"put the {_OPERATIONS[level.operator]} into parentheses, as in ((A){level.operator}(B))c"
            self.fail(place, f"only '{level.operator}' or ')' can follow here", hint)
        if c in _SHORT or c == "{":
            level.parts[-1], level.repeatable, level.is_group = self.repetition(c, level), False, False
        elif c == "[":
            level.add(self.one_of())
        elif c == "~":
            self.complement(place)
        elif c in _OPERATIONS:
            self.operation(c, level)
        elif c not in _ALONE and not c.isspace():
            self.refuse_elsewhere(c)
            level.add(OneOf((self.symbol(),)))
        else:
            self.place += 1
            if c == "(":
                self.begin_group(place)
            elif c == ")":
                self.close(place, level)
            elif c == "|":
                self.end_alternative(place)
            elif c in "]}":
                self.fail(place, f"this '{c}' closes nothing", f"write \\{c} for the symbol, or remove it")
            elif c in ".Σ":
                level.add(OneOf(self.all_symbols(place, f"'{c}' stands for any symbol").symbols))
            elif c in "ε∅":
                level.add(EMPTY if c == "ε" else OneOf(()))

    def begin_group(self, place: int, complemented: bool = False) -> None:
        if len(self.levels) > DEEPEST:
            self.fail(place, f"more than {DEEPEST} groups are open here", "write the regex with fewer")
        self.levels.append(_Level(place, complemented))

    def next_is(self, place: int, characters: str) -> bool:
        """Whether one of these characters is the first after a place, white space apart."""
        following = self.text[place + 1 :].lstrip()[:1]
        return following != "" and following in characters

    def complement(self, place: int) -> None:
        if not self.next_is(place, "("):
            self.fail(
                place, "'~' must stand before a group", "write ~(A) for the complement of A, or \\~ for the symbol"
            )
        opened = self.text.index("(", place)
        self.begin_group(opened, complemented=True)
        self.place = opened + 1

    def operation(self, c: str, level: _Level) -> None:
        place, what = self.place, _OPERATIONS[c]
        if not (level.parts and level.is_group and self.next_is(place, "(~")):
            hint = f"write (A){c}(B) for the {what}, with parentheses around both, or \\{c} for the symbol"
            self.fail(place, f"'{c}' must stand between two groups", hint)
        if len(level.parts) > 1 or level.finished:
            hint = f"put parentheses around all that '{c}' is about, as in (ab|c){c}(d) or ab|((c){c}(d))"
            self.fail(place, f"more than a group stands before this '{c}'", hint)
        if level.operator not in ("", c):
            hint = "put one of them into parentheses, as in ((A)&(B))-(C)"
            self.fail(place, "an intersection and a difference stand side by side", hint)
        level.operator = c
        level.operands.append(level.parts.pop())
        self.place += 1

    def end_alternative(self, place: int) -> None:
        level = self.levels[-1]
        if not level.parts:
            self.fail(place, "an alternative is empty here", "write () for the empty word")
        level.finish()

    def close(self, place: int, level: _Level) -> None:
        if len(self.levels) == 1:
            self.fail(place, "this ')' closes nothing", "remove it, or open a group with '(' before it")
        if not level.parts and not level.finished:
            level.add(EMPTY)
        self.end_alternative(place)
        self.levels.pop()
        tree = Complement(level.tree()) if level.complemented else level.tree()
        self.levels[-1].add(tree, is_group=True, is_complement=level.complemented)

    def repetition(self, c: str, level: _Level) -> Tree:
        place = self.place
        least, most = _SHORT[c] if c != "{" else self.numbers()
        self.place += c != "{"
        if not level.parts:
            self.fail(place, f"there is nothing before this '{c}' to repeat", f"write \\{c} for the symbol")
        if not level.repeatable:
            self.fail(place, "two repetitions stand in a row", "put parentheses around the first, as in (a*)?")
        part = level.parts[-1]
        if level.is_complement:
            hint = "write (~(A))* or ~((A)*)".replace("*", c if c != "{" else "{2}")
            self.fail(place, f"'~' and '{c}' beside one group can be read in two ways", hint)
        if part is EMPTY or most == 0:
            return EMPTY
        return part if (least, most) == (1, 1) else Repetition(part, least, most)

    def numbers(self) -> tuple[int, int | None]:
        place = self.place
        match = _REPETITION.match(self.text, place)
        if match is None:
            hint = "write [ab] for a choice of symbols, {3}, {2,} or {2,4} to repeat, \\{ for the symbol"
            self.fail(place, "braces repeat what stands before them", hint)
        first, comma, last = match.groups()
        if any(len(number) > 4 or int(number) > MOST_TIMES for number in (first, last) if number):
            hint = f"{MOST_TIMES} times is the most; write (a{{1000}}){{2}} for 2000 times"
            self.fail(place, "this repeats too often", hint)
        least, most = int(first), int(last) if last else None if comma else int(first)
        if most is not None and least > most:
            self.fail(place, f"at least {least} and at most {most} times is never", "swap the two numbers")
        self.place = match.end()
        return least, most

    def all_symbols(self, place: int, what: str) -> Alphabet:
        if self.alphabet is None:
            self.fail(place, f"{what}, but no alphabet is given", "give the alphabet, or list the symbols as [ab]")
        return self.alphabet

    def refuse_elsewhere(self, c: str) -> None:
        """The ^ and $ of `^…$` and operators of other notations, unless the alphabet has them."""
        if self.alphabet is not None and c in self.alphabet:
            return
        outside = {"^": self.text[: self.place], "$": self.text[self.place + 1 :]}.get(c, "…")
        if not outside.strip():
            self.fail(self.place, f"'{c}' is not needed", f"a regex describes whole words; write \\{c} for the symbol")
        if c in _ELSEWHERE:
            self.fail(self.place, f"'{c}' has no meaning here", _ELSEWHERE[c])

    def symbol(self) -> str:
        """The symbol that begins here: quoted, escaped or as it is."""
        text, place = self.text, self.place
        c = text[place]
        if c in "\"'":
            end = text.find(c, place + 1)
            if end < 0:
                self.fail(place, "this symbol is not closed", f"close it with {c}, or write \\{c} for the symbol")
            found, self.place = text[place + 1 : end], end + 1
            if not found:
                self.fail(place, "a symbol has at least one character", "write () for the empty word")
        elif c == "\\":
            found, self.place = text[place + 1 : place + 2], place + 2
            if not found or found.isalnum():
                hint = "it makes a symbol of an operator, as in \\*; write \\\\ for the backslash itself"
                self.fail(place, f"the backslash before {found!r} means nothing" if found else "a lone backslash", hint)
        else:
            found, self.place = c, place + 1
        return self.known(found, place)

    def known(self, symbol: str, place: int) -> str:
        if self.alphabet is not None and symbol not in self.alphabet:
            hint = "use only its symbols, or add this one to it"
            self.fail(place, f"{symbol!r} is not in the alphabet {self.alphabet}", hint)
        self.named.add(symbol)
        return symbol

    def one_of(self) -> OneOf:
        """A class, from its '[' to its ']'."""
        opened = self.place
        others = self.text.startswith("^", opened + 1)
        self.place += 1 + others
        listed = dict.fromkeys(self.members(opened))
        if not listed:
            self.fail(opened, "this class is empty", "list symbols in it, as in [ab]; write () for the empty word")
        if not others:
            return OneOf(tuple(listed))
        alphabet = self.all_symbols(opened, "'[^' stands for all other symbols")
        return OneOf(tuple(symbol for symbol in alphabet if symbol not in listed))

    def members(self, opened: int) -> Iterator[str]:
        text = self.text
        while (place := self.place) < len(text) and text[place] != "]":
            if text[place].isspace():
                self.place += 1
                continue
            if text[place] == "," and (self.alphabet is None or "," not in self.alphabet):
                self.fail(place, "a class has no commas", "write [ab] for a or b, \\, for the symbol")
            first = self.symbol()
            if text.startswith("-", self.place) and not text.startswith("-]", self.place):
                self.place += 1
                yield from self.stretch(first, place)
            else:
                yield first
        if self.place >= len(text):
            self.fail(opened, "this '[' is not closed", "add the missing ']'")
        self.place += 1

    def stretch(self, first: str, place: int) -> Iterator[str]:
        if self.place >= len(self.text):
            return
        last = self.symbol()
        if len(first) != 1 or len(last) != 1 or not 0 <= ord(last) - ord(first) <= MOST_TIMES:
            hint = "write it from a lower to a higher character, as in [a-z], or \\- for the symbol '-'"
            self.fail(place, "this is not a range of symbols", hint)
        for code in range(ord(first), ord(last) + 1):
            yield self.known(chr(code), place)
