r"""A program as LaTeX, in the style of the program boxes of Huang et al. (appendix C): one framed, numbered display.

Every operation is applied to its position, and every count or `exists` binds a new one: i, then j, k, ℓ, …, so nothing
depends on the reader knowing our precedences. Brackets follow `precedence.py`, with one more pair where a reader of
mathematics would expect another scope: around an ∃ that is an operand of ∧ or ∨.
"""

from __future__ import annotations

import re
import textwrap
import unicodedata
from collections.abc import Mapping
from itertools import zip_longest
from typing import ClassVar

from lengthwise.crasp.reading.precedence import Level
from lengthwise.crasp.running.operations import runs
from lengthwise.crasp.showing.printer import Notation
from lengthwise.crasp.syntax import (
    And,
    Before,
    Definition,
    Everywhere,
    Exists,
    Expression,
    Guard,
    Not,
    Or,
    Statement,
    Sum,
)

_REQUIREMENT = r"% requires \usepackage{amsmath}"
_VARIABLES = ("i", "j", "k", r"\ell", "m", "n", "p", "q", "r", "s", "t", "u", "v", "w", "x", "y", "z")
_SIGNS = {
    "==": "=", "!=": r"\ne", "<=": r"\le", ">=": r"\ge", "!": r"\neg ", "&&": r"\land", "||": r"\lor", "*": r"\cdot",
    "true": r"\top", "false": r"\bot", "exists": r"\exists", "#": r"\#", "min": r"\min", "max": r"\max",
}  # fmt: skip
_ALONE, _BESIDE_COMMENTS, _COMMENTS = 56, 36, 32
"""After how many characters a formula (without and with a column of comments) and a comment go on in the next line."""
_UNPRINTED = re.compile(r"(?<=\\)[A-Za-z]+|[{}_^ ]")

# ------------------------------------------------------------------------------------- characters of the user

_PLAIN_ESCAPES = "_#$%&{}"
_CHARACTERS = {c: "\\" + c for c in _PLAIN_ESCAPES} | {
    "\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}",
    ">": r"\textgreater{}", "|": r"\textbar{}", '"': r"\symbol{34}", "–": r"\textendash{}", "—": r"\textemdash{}",
    "‘": r"\textquoteleft{}", "’": r"\textquoteright{}", "“": r"\textquotedblleft{}", "”": r"\textquotedblright{}",
    "ß": r"\ss{}", "æ": r"\ae{}", "Æ": r"\AE{}", "œ": r"\oe{}", "ø": r"\o{}", "Ø": r"\O{}", "ł": r"\l{}", "Ł": r"\L{}",
}  # fmt: skip
_MATHEMATICS = {
    "≤": "le", "≥": "ge", "≠": "ne", "∧": "land", "∨": "lor", "¬": "neg", "⊤": "top", "⊥": "bot", "∃": "exists",
    "∀": "forall", "∈": "in", "∅": "emptyset", "→": "to", "←": "gets", "⇒": "Rightarrow", "⇔": "Leftrightarrow",
    "·": "cdot", "×": "times", "…": "dots", "∞": "infty", "α": "alpha", "β": "beta", "γ": "gamma", "δ": "delta",
    "ε": "varepsilon", "ζ": "zeta", "η": "eta", "θ": "theta", "ι": "iota", "κ": "kappa", "λ": "lambda", "μ": "mu",
    "ν": "nu", "ξ": "xi", "π": "pi", "ρ": "rho", "σ": "sigma", "τ": "tau", "υ": "upsilon", "φ": "varphi", "χ": "chi",
    "ψ": "psi", "ω": "omega", "Γ": "Gamma", "Δ": "Delta", "Θ": "Theta", "Λ": "Lambda", "Ξ": "Xi", "Π": "Pi",
    "Σ": "Sigma", "Υ": "Upsilon", "Φ": "Phi", "Ψ": "Psi", "Ω": "Omega",
}  # fmt: skip
_ACCENTS = dict(zip("\u0300\u0301\u0302\u0303\u0304\u0306\u0307\u0308\u030a\u030c", "`'^~=u.\"rv", strict=True))
_DOTLESS = {"i": r"\i", "j": r"\j"}
_LIGATURE = re.compile(r"(?<=[-'`,?!])(?=[-'`,])")
"""Between characters that would melt into a dash, a quotation mark or the like."""


def _character(c: str) -> str:
    if c in _CHARACTERS or (c.isascii() and c.isprintable()):
        return _CHARACTERS.get(c, c)
    if c in _MATHEMATICS:
        return rf"\ensuremath{{\{_MATHEMATICS[c]}}}"
    parts = unicodedata.normalize("NFD", c)
    letter, mark = parts[0], parts[1:]
    if letter.isascii() and mark in _ACCENTS and unicodedata.normalize("NFC", c) == c:
        return rf"\{_ACCENTS[mark]}{{{_DOTLESS.get(letter, letter)}}}"
    return rf"\textrm{{U+{ord(c):04X}}}"


def text_latex(text: str) -> str:
    """Any text, for LaTeX's text mode: compiles with every engine, characters it might lack as their code points."""
    return _LIGATURE.sub("{}", "".join(map(_character, text)))


def symbol_latex(symbol: str) -> str:
    """An input symbol, for math mode; different symbols look different."""
    if len(symbol) == 1 and symbol.isascii() and (symbol.isalnum() or symbol in "()[]+-*/=<>!?.,:;|@"):
        return symbol
    if len(symbol) == 1 and symbol in _PLAIN_ESCAPES:
        return "\\" + symbol
    if symbol.isascii() and symbol.isalnum():
        return rf"\mathtt{{{symbol}}}"
    shown = text_latex(symbol).replace(" ", r"\textvisiblespace{}")
    return rf"\text{{\ttfamily {shown}}}"


def name_latex(name: str) -> str:
    r"""The name of an operation, for math mode: `C_open` is C with a subscript, `num_ones` one italic word.

    Different names look different, and none looks like the Q_σ of a symbol or like a position.
    """
    head, _, index = name.partition("_")
    if len(head) == 1 and index and not (head == "Q" and len(index) == 1):  # Q_a could be mistaken for the symbol's
        plain = index.isdigit() or (len(index) == 1 and index.isalpha())
        return rf"{head}_{{{index}}}" if plain else rf"{head}_{{\mathrm{{{text_latex(index)}}}}}"
    if len(name) == 1 and name.isalpha():
        return rf"\mathrm{{{name}}}" if name.islower() else name
    return rf"\mathit{{{text_latex(name)}}}"


# ------------------------------------------------------------------------------------------------ expressions


def _variable(depth: int) -> str:
    return _VARIABLES[depth] if depth < len(_VARIABLES) else f"i_{{{depth}}}"


def _set(members: tuple[int, ...]) -> str:
    parts: list[str] = []
    for first, last in runs(members):
        if last - first >= 4:
            parts += [str(first), r"\dots", str(last)]
        else:
            parts += map(str, range(first, last + 1))
    return rf"\{{{','.join(parts)}\}}"


def _guard(guard: Guard, outer: str, inner: str) -> str:
    if isinstance(guard, Everywhere):
        return rf"[{inner} \le {outer}]"
    if isinstance(guard, Before):
        return f"[{inner} < {outer}]"
    offsets = guard.offsets
    if len(offsets) == 1:
        local = f"{inner} = {outer}-{offsets[0]}" if offsets[0] else f"{inner} = {outer}"
    elif offsets == tuple(range(len(offsets))):
        local = rf"{inner} \ge {outer}-{offsets[-1]}"
    else:
        local = rf"{outer}-{inner} \in {_set(offsets)}"
    return rf"[{inner} \le {outer},\, {local}]"


def _width(latex: str) -> int:
    """About how many characters wide a formula is printed, a command being one."""
    return len(_UNPRINTED.sub("", latex))


class _Writer(Notation):
    """Writes statements in order, since a name means its latest definition above."""

    signs: ClassVar[Mapping[str, str]] = _SIGNS

    def __init__(self) -> None:
        self.definitions: dict[str, int] = {}

    def label(self, statement: Statement) -> str:
        """The left-hand side; call it after writing the right-hand side, where an older definition may be meant."""
        if not isinstance(statement, Definition):
            return rf"\mathrm{{NEXT}}_{{{symbol_latex(statement.symbol)}}}(i)"
        self.definitions[statement.name] = self.definitions.get(statement.name, 0) + 1
        return self.reference(statement.name, "i")

    def reference(self, name: str, variable: str) -> str:
        version = self.definitions.get(name, 1)
        return f"{name_latex(name)}{f'^{{({version})}}' if version > 1 else ''}({variable})"

    def lines(self, expression: Expression, limit: int) -> list[str]:
        """An expression, broken in front of operators where it is too long for one line."""
        match expression:
            case And(operands) | Or(operands):
                sign = self.sign("&&" if isinstance(expression, And) else "||")
                first, *others = (self.operand(operand, expression, 0) for operand in operands)
                pieces = [first, *(f"{sign} {other}" for other in others)]
            case Sum(terms):
                pieces = self.terms(terms)
            case _:
                return [self.write(expression)]
        lines, room = [pieces[0]], limit - _width(pieces[0])
        for piece in pieces[1:]:
            if _width(piece) > room:
                lines.append(rf"\quad {{}} {piece}")
                room = limit
            else:
                lines[-1] += f" {piece}"
            room -= _width(piece)
        return lines

    def name(self, name: str, depth: int) -> str:
        return self.reference(name, _variable(depth))

    def symbol(self, symbol: str, depth: int) -> str:
        return f"Q_{{{symbol_latex(symbol)}}}({_variable(depth)})"

    def periodic(self, modulus: int, residues: tuple[int, ...], depth: int) -> str:
        if len(residues) == 1:
            return rf"{_variable(depth)} \equiv {residues[0]} \pmod{{{modulus}}}"
        return rf"{_variable(depth)} \bmod {modulus} \in {_set(residues)}"

    def operand(self, operand: Expression, inside: And | Or, depth: int) -> str:
        core = operand
        while isinstance(core, Not):
            core = core.operand
        return (
            f"({self.write(operand, depth=depth)})"
            if isinstance(core, Exists)
            else super().operand(operand, inside, depth)
        )

    def counting(self, operator: str, guard: Guard, operand: Expression, depth: int) -> str:
        level = Level.NOT if isinstance(operand, Not) else Level.COUNT
        bounds = _guard(guard, _variable(depth), _variable(depth + 1))
        return rf"{self.sign(operator)}{bounds}\; {self.write(operand, level, depth + 1)}"

    def conditional(self, then: Expression, condition: Expression, otherwise: Expression, depth: int) -> str:
        test = self.write(condition, Level.COUNT, depth)
        branches = self.write(then, Level.SUM, depth), self.write(otherwise, Level.SUM, depth)
        return rf"{test} \mathbin{{?}} {branches[0]} : {branches[1]}"


# --------------------------------------------------------------------------------------------------- programs


def statement_latex(statement: Statement) -> str:
    r"""One statement as a formula for math mode: `C(i) := \#[j \le i]\; Q_{a}(j)`."""
    writer = _Writer()
    right = writer.write(statement.expression)
    return f"{writer.label(statement)} := {right}"


def program_latex(statements: tuple[Statement, ...], title: str = "") -> str:
    """The statements as one framed display with comments and numbers; needs the package amsmath and nothing else.

    A name defined more than once carries the number of its definition from the second on, as in P^(2)(i).
    """
    writer = _Writer()
    commented = any(statement.comment for statement in statements)
    rows: list[str] = []
    for number, statement in enumerate(statements, 1):
        lines = writer.lines(statement.expression, _BESIDE_COMMENTS if commented else _ALONE)
        columns = [[writer.label(statement)], [":="], lines, [f"({number})"]]
        if commented:
            wrapped = textwrap.wrap(statement.comment, _COMMENTS)
            columns.insert(3, [rf"\text{{{text_latex(line)}}}" for line in wrapped])
        rows += (" & ".join(cells) + r" \\" for cells in zip_longest(*columns, fillvalue=""))
    layout = r"@{}r@{\;}c@{\;}l@{\quad}" + (r"l@{\quad}" if commented else "") + "r@{}"
    if title:
        span = 5 if commented else 4
        rows.insert(0, rf"\multicolumn{{{span}}}{{@{{}}l@{{}}}}{{\text{{\bfseries {text_latex(title)}}}}} \\ \hline")
    head = [_REQUIREMENT, r"\[", r"\renewcommand{\arraystretch}{1.2}", r"\boxed{", rf"\begin{{array}}{{{layout}}}"]
    return "\n".join([*head, *rows, r"\end{array}", "}", r"\]", ""])
