"""Which operator binds tighter: stated once, read by the parser and the printer.

From loosest to tightest: `||`, `&&`, `!`, comparisons, `c if b else d`, `+` and `-`, `k * c`, and tightest of all the
counting operators `#` and `exists`. A `!` right after these belongs to the operand: `# !"a" == 0` is `#(!"a") == 0`.
`||`, `&&`, `+` and `-` group to the left, `k * c` and the conditional to the right; comparisons do not chain.
"""

from enum import IntEnum


class Level(IntEnum):
    """How tightly an expression holds together; a looser one inside a tighter one needs brackets."""

    OR = 1
    AND = 2
    NOT = 3
    COMPARE = 4
    CONDITIONAL = 5
    SUM = 6
    PRODUCT = 7
    COUNT = 8
    ATOM = 9


OPERATORS: dict[str, Level] = {
    "||": Level.OR,
    "&&": Level.AND,
    "!": Level.NOT,
    "==": Level.COMPARE,
    "!=": Level.COMPARE,
    "<": Level.COMPARE,
    "<=": Level.COMPARE,
    ">": Level.COMPARE,
    ">=": Level.COMPARE,
    "if": Level.CONDITIONAL,
    "+": Level.SUM,
    "-": Level.SUM,
    "*": Level.PRODUCT,
    "#": Level.COUNT,
    "exists": Level.COUNT,
}
