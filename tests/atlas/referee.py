"""A second oracle of least complexity: the answers of expressions on all prefixes of given words, as tuples.

Nothing of the atlas is used. On a list of words that is closed under prefixes the answers of an expression follow from
those of its parts, so the least complexity of every combination of answers is found by going through complexities once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import accumulate, product

Values = tuple[bool, ...]


def closed(words: Iterable[str]) -> list[str]:
    """All non-empty prefixes, shorter ones first."""
    return sorted({word[:end] for word in words for end in range(1, len(word) + 1)}, key=lambda word: (len(word), word))


def levels(
    words: list[str], symbols: str, fragment: tuple[str, ...] = (), encoding: str = "symbols"
) -> Iterator[tuple[int, set[Values]]]:
    """For each complexity, the answers that no simpler expression has."""
    at = {word: place for place, word in enumerate(words)}
    chains = [[at[word[:end]] for end in range(1, len(word) + 1)] for word in words]
    far = 3 if encoding == "heads" else 1
    known: set[Values] = set()
    by_level: dict[int, set[Values]] = {}
    counted: dict[Values, list[int]] = {}

    def number(value: int) -> int:
        return len(bin(value)) - 2 if encoding == "bits" else value

    def counts(values: Values) -> list[int]:
        if values not in counted:
            counted[values] = [list(accumulate(values[place] for place in chain))[-1] for chain in chains]
        return counted[values]

    def of(level: int) -> set[Values]:
        return by_level.get(level, set())

    def made(level: int) -> Iterator[Values]:
        if level == 1:
            yield from (tuple(word[-1] == symbol for word in words) for symbol in symbols)
            yield (True,) * len(words)
        for modulus in (2, 3) if "periodic" in fragment else ():
            if level == (1 + number(modulus) if encoding == "bits" else modulus):
                yield from (tuple(len(word) % modulus == rest for word in words) for rest in range(modulus))
        yield from (tuple(not value for value in values) for values in of(level - 1))
        for values in of(level - far) if "local" in fragment else ():
            yield tuple(len(chain) > 1 and values[chain[-2]] for chain in chains)
        for least in (1, 2, 3):
            yield from (tuple(count >= least for count in counts(each)) for each in of(level - far - number(least)))
        for one in range(1, level):
            for left, right in product(of(one), of(level - 1 - one)):
                yield tuple(a and b for a, b in zip(left, right, strict=True))
                yield tuple(a or b for a, b in zip(left, right, strict=True))
            for left, right in product(of(one), of(level - 2 * far - 1 - one)):
                yield tuple(a >= b for a, b in zip(counts(left), counts(right), strict=True))

    level = 0
    while True:
        level += 1
        by_level[level] = set(made(level)) - known
        known |= by_level[level]
        yield level, by_level[level]


def least(
    labels: list[tuple[str, bool]],
    symbols: str,
    fragment: tuple[str, ...] = (),
    errors: int = 0,
    most: int = 9,
    encoding: str = "symbols",
) -> tuple[int, int] | None:
    """The least complexity that labels at most so many words otherwise, and the fewest of them at it."""
    words = closed(word for word, _ in labels)
    place = {word: at for at, word in enumerate(words)}
    for level, new in levels(words, symbols, fragment, encoding):
        wrong = [sum(values[place[word]] != label for word, label in labels) for values in new]
        if min(wrong, default=errors + 1) <= errors:
            return level, min(wrong)
        if level == most:
            return None
    return None
