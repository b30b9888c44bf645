"""From Python expressions to a program: every shared or deep expression becomes a named operation."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from lengthwise.crasp.frontend import BoolValue, CountValue, Value, needed
from lengthwise.crasp.program import Program
from lengthwise.crasp.syntax import Definition, Expression, Name, Next, Statement

INLINE_DEPTH = 12
"""An expression that nests deeper than this gets a name."""


def build(
    accept: BoolValue | None = None,
    *,
    predict: Mapping[str, BoolValue] | None = None,
    alphabet: Iterable[str] | None = None,
    title: str = "",
    **named: BoolValue | CountValue,
) -> Program:
    """The program that accepts where `accept` holds and predicts each symbol of `predict` where its Boolean holds.

    Keyword arguments give operations names; others used more than once are named b1, c1, ….

    Args:
        accept: The Boolean that decides acceptance at the last position.
        predict: For each symbol the Boolean that says where it may come next.
        alphabet: The symbols; else those that are mentioned, open to others.
        title: What the program is called.
        **named: Statements to be named in the text; others get names.

    Returns:
        The program.

    Raises:
        ProgramError: What was given is no program of C-RASP[periodic, local].

    Example:
        >>> from lengthwise.crasp import Q, count
        >>> build(count(Q("a")) >= 2).accepts("aba")
        True

    """
    predictions = dict(predict or {})
    builder = _Builder({id(value): name for name, value in named.items()}, [*named.values(), *predictions.values()])
    for value in named.values():
        if value is not accept:
            builder.define(value)
    if accept is not None:
        builder.decide(needed(accept, BoolValue, "build"))
    for symbol, value in predictions.items():
        expression = builder.expression(needed(value, BoolValue, "predict"))
        builder.statements.append(Next(symbol, expression))
    return Program(tuple(builder.statements), None if alphabet is None else tuple(alphabet), title)


class _Builder:
    """Turns values into statements, each shared or deep one into a definition of its own."""

    def __init__(self, names: dict[int, str], roots: list[BoolValue | CountValue]) -> None:
        self.names, self.taken = names, set(names.values()) | {"accept"}
        self.statements: list[Statement] = []
        self.made: dict[int, tuple[Expression, int]] = {}
        self.uses: dict[int, int] = {}
        self.last_number: dict[str, int] = {}
        self.kept: list[Value] = list(roots)
        """Keeps every value alive, so that its id stays its own."""

    def define(self, value: Value) -> None:
        self.expression(value)

    def decide(self, value: BoolValue) -> None:
        """Make a Boolean the last one that is defined."""
        before = len(self.statements)
        expression = self.expression(value)
        last = self.statements[-1] if len(self.statements) > before else None
        if not (isinstance(last, Definition) and expression == Name(last.name)):
            self.statements.append(Definition(self.names.get(id(value), "accept"), expression))

    def expression(self, root: Value) -> Expression:
        """The expression for a value, after defining everything it needs a name for."""
        order = self._order(root)
        for value in order:
            if id(value) not in self.made:
                self._make(value, id(value) in self.names or self.uses[id(value)] > 1)
        return self.made[id(root)][0]

    def _order(self, root: Value) -> list[Value]:
        """All values below one, operands first; counts how often each is used."""
        order: list[Value] = []
        stack: list[tuple[Value, bool]] = [(root, False)]
        seen: set[int] = set()
        while stack:
            value, ready = stack.pop()
            if ready:
                order.append(value)
            elif id(value) not in seen and id(value) not in self.made:
                seen.add(id(value))
                self.uses.setdefault(id(value), 0)
                self.kept.append(value)
                stack.append((value, True))
                for part in reversed(value.parts):
                    self.uses[id(part)] = self.uses.get(id(part), 0) + 1
                    stack.append((part, False))
        return order

    def _make(self, value: Value, name_it: bool) -> None:
        parts = [self.made[id(part)] for part in value.parts]
        expression = value.make([part for part, _ in parts])
        depth = 1 + max((depth for _, depth in parts), default=0)
        atom = not value.parts and id(value) not in self.names
        if not atom and (name_it or depth > INLINE_DEPTH):
            name = self.names.get(id(value)) or self._fresh(value.prefix)
            self.statements.append(Definition(name, expression))
            expression, depth = Name(name), 1
        self.made[id(value)] = (expression, depth)

    def _fresh(self, prefix: str) -> str:
        while True:
            self.last_number[prefix] = self.last_number.get(prefix, 0) + 1
            name = f"{prefix}{self.last_number[prefix]}"
            if name not in self.taken:
                return name
