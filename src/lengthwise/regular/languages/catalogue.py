"""The finite-state languages of Huang et al., Tables 1 and 2, by name, with what the paper says about each.

The benchmark is that of Bhattamishra et al. (2020). Where the print leaves a doubt, this is the choice:

- Tomita 3. The words of Table 1 say: no odd-length block of ones followed by an odd-length block of zeros. The pattern
  after them, no substring 01²ⁿ⁺¹0²ᵐ⁺¹1, says less: it would let 10 and 010 in. The benchmark's automaton follows the
  words, with maximal blocks, those at the ends of the word included: 10 is out and can still be completed by a 0, and
  100 and 0110 are in. That is the classical Tomita 3, and the one here. (In the literature on extracting automata
  there is a third reading, in which the odd block of zeros may come anywhere later.) Table 2 does not tell the three
  apart: each of them is in AC⁰ and not star-free.
- Tomita 7 is 0*1*0*1*; the print lost the last star.
- aa-star and aaaa-star are over {a, b}, as the programs of `crasp.library` are. The authors' code has the symbol a
  only; no verdict and no set of next symbols depends on that.
"""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass
from functools import cache

from lengthwise.errors import LengthwiseError, UnknownNameError
from lengthwise.regular.languages.language import Language

DEEPEST = 100
"""The largest n of D_n that has a language here: its regex nests n groups."""

SOURCE = "Huang et al., A Formal Framework for Understanding Length Generalization in Transformers, Tables 1 and 2"


@dataclass(frozen=True)
class TableRow:
    """One row of Table 2, and how the language is written here."""

    name: str
    number: int | None
    """The paper's number of the language; None for PARITY, which belongs to the algorithmic tasks."""
    written: str
    """How the paper writes the language."""
    regex: str
    alphabet: str
    nope: bool
    """Whether it is in C-RASP[∅]."""
    ape: bool
    """Whether it is in C-RASP[periodic, local]."""
    star_free: bool
    dot_depth: int | None
    """None for a language that is not star-free."""
    ac0: bool

    @property
    def language(self) -> Language:
        """The language itself; its title is the name."""
        return _language(self.name, self.regex, self.alphabet)


def bounded_dyck(n: int) -> str:
    """A regex of D_n = (a D_{n-1} b)*, D_0 = {ε}: a and b as brackets, nested at most n deep."""
    if not 0 <= n <= DEEPEST:
        raise LengthwiseError(f"D_n has a regex here for an n from 0 to {DEEPEST}, not {n}")
    return "(a" * n + "b)*" * n or "()"


TABLE: tuple[TableRow, ...] = (
    TableRow("tomita-1", 1, "1*", "1*", "01", True, True, True, 1, True),
    TableRow("tomita-2", 2, "(10)*", "(10)*", "01", True, True, True, 1, True),
    TableRow(
        "tomita-3", 3, "strings without odd-length strings of ones followed by odd-length strings of zeros",
        "(0|1((00)+1)*1)*(1((00)+1)*(00)*)?", "01", False, False, False, None, True,
    ),
    TableRow(
        "tomita-4", 4, "strings without any 000's substrings", "(1|01|001)*0{0,2}", "01", False, True, True, 1, True
    ),
    TableRow(
        "tomita-5", 5, "strings of even length with an even number of 1's",
        "(00|11|(01|10)(00|11)*(01|10))*", "01", False, False, False, None, False,
    ),
    TableRow(
        "tomita-6", 6, "strings where number of 0's - number of 1's is divisible by 3",
        "(10|(0|11)(01)*(1|00))*", "01", False, False, False, None, False,
    ),
    TableRow("tomita-7", 7, "0*1*0*1*", "0*1*0*1*", "01", True, True, True, 1, True),
    TableRow("d2", 8, "D_2", bounded_dyck(2), "ab", True, True, True, 2, True),
    TableRow("d3", 9, "D_3", bounded_dyck(3), "ab", True, True, True, 3, True),
    TableRow("d4", 10, "D_4", bounded_dyck(4), "ab", True, True, True, 4, True),
    TableRow("d12", 11, "D_12", bounded_dyck(12), "ab", True, True, True, 12, True),
    TableRow("parity", None, "PARITY", "b*(ab*ab*)*", "ab", False, False, False, None, False),
    TableRow("aa-star", 12, "(aa)*", "(aa)*", "ab", False, True, False, None, True),
    TableRow("aaaa-star", 13, "(aaaa)*", "(aaaa)*", "ab", False, True, False, None, True),
    TableRow("abab-star", 14, "(abab)*", "(abab)*", "ab", False, True, False, None, True),
    TableRow("abcde", 15, "aa*bb*cc*dd*ee*", "aa*bb*cc*dd*ee*", "abcde", True, True, True, 1, True),
    TableRow("ab-d-bc", 16, "{a,b}*d{b,c}*", "[ab]*d[bc]*", "abcd", True, True, True, 1, True),
    TableRow("012-02", 17, "{0,1,2}*02*", "[012]*02*", "012", False, False, True, 2, True),
)  # fmt: skip
"""Table 2, in its order."""

_ROWS = {row.name: row for row in TABLE}


def languages() -> tuple[str, ...]:
    """The names of the languages; besides them, dN is D_N for every N from 1 to `DEEPEST`.

    Returns:
        The names.

    Example:
        >>> "tomita-3" in languages()
        True

    """
    return tuple(_ROWS)


def table_row(name: str) -> TableRow:
    """What the paper says about a language."""
    if name not in _ROWS:
        raise UnknownNameError(_unknown(name))
    return _ROWS[name]


def get_language(name: str) -> Language:
    """The language of this name, which is also its title.

    Args:
        name: The name of a language of the catalogue, such as `tomita-3`.

    Returns:
        The language.

    Raises:
        UnknownNameError: There is no language of this name.

    Example:
        >>> len(get_language("tomita-1").automaton)
        2

    """
    if name in _ROWS:
        return _ROWS[name].language
    if depth := re.fullmatch("d:?([1-9][0-9]{0,8})", name):
        return _language(name, bounded_dyck(int(depth[1])), "ab")
    raise UnknownNameError(_unknown(name))


@cache
def _language(name: str, regex: str, alphabet: str) -> Language:
    return Language(Language.from_regex(regex, alphabet).automaton, name)


def _unknown(name: str) -> str:
    near = difflib.get_close_matches(name.lower(), _ROWS)
    if near:
        return f"there is no language {name!r}; did you mean {' or '.join(near)}?"
    return f"there is no language {name!r}; there are {', '.join(_ROWS)}"
