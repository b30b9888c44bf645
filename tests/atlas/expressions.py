"""An oracle that shares nothing with the atlas: all expressions by complexity, none merged, run word by word."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import product

Tree = tuple[object, ...]


@cache
def trees(complexity: int, fragment: frozenset[str] = frozenset(), symbols: str = "ab") -> tuple[Tree, ...]:
    """Every expression of a complexity, as nested tuples."""
    found: list[Tree] = []
    if complexity == 1:
        found += [("symbol", symbol) for symbol in symbols] + [("true",)]
    if "periodic" in fragment and complexity in (2, 3):
        found += [("period", complexity, residue) for residue in range(complexity)]

    def of(part: int) -> tuple[Tree, ...]:
        return trees(part, fragment, symbols) if part > 0 else ()

    found += [("not", inner) for inner in of(complexity - 1)]
    if "local" in fragment:
        found += [("previous", inner) for inner in of(complexity - 1)]
    for least in (1, 2, 3):
        found += [("least", inner, least) for inner in of(complexity - 1 - least)]
    for left in range(1, complexity - 1):
        pairs = list(product(of(left), of(complexity - 1 - left)))
        found += [(kind, *pair) for kind in ("and", "or") for pair in pairs]
    for left in range(1, complexity - 3):
        found += [("compare", *pair) for pair in product(of(left), of(complexity - 3 - left))]
    return tuple(found)


def holds(tree: Tree, word: str) -> bool:
    """Whether an expression holds at the end of a word, by what the definitions say."""
    kind, *parts = tree
    match kind:
        case "symbol":
            return word[-1] == parts[0]
        case "true":
            return True
        case "period":
            return len(word) % parts[0] == parts[1]  # type: ignore[operator]
        case "not":
            return not holds(parts[0], word)  # type: ignore[arg-type]
        case "previous":
            return len(word) > 1 and holds(parts[0], word[:-1])  # type: ignore[arg-type]
        case "and":
            return all(holds(part, word) for part in parts)  # type: ignore[arg-type]
        case "or":
            return any(holds(part, word) for part in parts)  # type: ignore[arg-type]
        case "least":
            return counted(parts[0], word) >= parts[1]  # type: ignore[arg-type, operator]
        case _:
            return counted(parts[0], word) >= counted(parts[1], word)  # type: ignore[arg-type]


def counted(tree: Tree, word: str) -> int:
    """How many non-empty prefixes an expression holds at the end of."""
    return sum(holds(tree, word[:end]) for end in range(1, len(word) + 1))


def words(length: int, symbols: str = "ab") -> Iterator[str]:
    """All non-empty words up to a length."""
    for size in range(1, length + 1):
        yield from map("".join, product(symbols, repeat=size))


def functions(
    complexity: int, length: int, fragment: frozenset[str] = frozenset(), symbols: str = "ab"
) -> dict[tuple[bool, ...], int]:
    """The answers of all expressions up to a complexity on all words up to a length, with the least complexity."""
    found: dict[tuple[bool, ...], int] = {}
    listed = list(words(length, symbols))
    for level in range(1, complexity + 1):
        for tree in trees(level, fragment, symbols):
            found.setdefault(tuple(holds(tree, word) for word in listed), level)
    return found
