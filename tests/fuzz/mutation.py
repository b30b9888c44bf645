"""Good inputs turned into hostile ones: texts by cutting and nesting, data by putting wrong values into it."""

from __future__ import annotations

import copy
import json
from collections.abc import Sequence
from random import Random
from typing import Any

NASTY = (
    "",
    "0",
    "-1",
    "1",
    "1e309",
    "nan",
    "-0.0",
    "9" * 30,
    "99999999999",
    "true",
    "null",
    "[]",
    "{}",
    '""',
    "\x00",
    "\x1b[2J",
    "\u202e",
    "\ufeff",
    "\ud800",
    "é",
    "∅",
    "🙂",
    "\r\n",
    "\t",
    " " * 50,
    "#",
    "//",
    "\\",
    "'",
    '"',
    "..",
    "../../x",
    "/dev/zero",
    "$\\input{x}$",
    "%s%n",
    "[[",
    "((",
    "{{",
    "))",
    "(" * 60,
    ")" * 60,
    "*" * 40,
    "~(",
    "a" * 300,
)
"""Pieces that are put into texts."""
VALUES: tuple[Any, ...] = (
    None,
    True,
    False,
    0,
    -1,
    1,
    2,
    3.5,
    10**6,
    10**12,
    10**30,
    -(10**30),
    1e308,
    float("nan"),
    float("inf"),
    "",
    "a",
    "\x1b\u202e",
    "nan",
    "none",
    [],
    [[]],
    [None],
    {},
    {"a": 1},
    {"": {"": []}},
    ["a", "a"],
    [1, "a"],
    "$\\input{x}$",
    "x" * 500,
    [0] * 50,
)
"""Values that are put into data, at any place."""
DEEP = 3000
"""How deep what is nested gets: further than Python's own stack."""


def text(random: Random, corpus: Sequence[str]) -> str:
    """A text of the corpus after a few changes, of which it has the more the rarer they are."""
    found = random.choice(corpus)
    for _ in range(1 + int(random.expovariate(0.6))):
        begin = random.randint(0, len(found))
        end = min(len(found), begin + int(random.expovariate(0.15)))
        other = random.choice(corpus)
        match random.randrange(8):
            case 0:
                found = found[:begin] + found[end:]
            case 1:
                found = found[:begin] + found[begin:end] * random.randint(2, 6) + found[end:]
            case 2:
                found = found[:begin] + random.choice(NASTY) + found[begin:]
            case 3:
                found = found[:begin] + random.choice(NASTY) + found[end:]
            case 4:
                found = (
                    found[:begin] + chr(random.choice((random.randrange(128), random.randrange(0x3000)))) + found[end:]
                )
            case 5:
                cut = random.randint(0, len(other))
                found = found[:begin] + other[cut : cut + 40] + found[end:]
            case 6:
                found = found[:begin] + found[begin:end][::-1] + found[end:]
            case 7:
                lines = found.split("\n")
                random.shuffle(lines)
                found = "\n".join(lines)
    if random.random() < 0.003:
        opening = random.choice("([{!~-")
        found = opening * DEEP + found + {"(": ")", "[": "]", "{": "}"}.get(opening, "") * DEEP
    return found[: 2 * DEEP + 2000]


def data(random: Random, corpus: Sequence[Any]) -> Any:
    """Data of the corpus with wrong values, names that are missing, doubled or others, at random places."""
    found = copy.deepcopy(random.choice(corpus))
    for _ in range(1 + int(random.expovariate(0.8))):
        spots = list(places(found))
        if not spots:
            return random.choice(VALUES)
        holder, key = random.choice(spots)
        match random.randrange(5):
            case 0 | 1:
                holder[key] = copy.deepcopy(random.choice(VALUES))
            case 2:
                del holder[key]
            case 3:
                if isinstance(holder, dict):
                    holder[random.choice(("", "x", "a.b", "__class__", str(key) + "s"))] = holder[key]
                else:
                    holder.append(copy.deepcopy(holder[key]))
            case 4:
                other, name = random.choice(spots)
                holder[key] = copy.deepcopy(other[name]) if name in other or isinstance(other, list) else None
    return found


def places(found: Any) -> list[tuple[Any, Any]]:
    """Every place that holds a value, as its container and its key."""
    here: list[tuple[Any, Any]] = []
    waiting = [found]
    while waiting:
        holder = waiting.pop()
        pairs = holder.items() if isinstance(holder, dict) else enumerate(holder) if isinstance(holder, list) else ()
        for key, value in list(pairs):
            here.append((holder, key))
            waiting.append(value)
    return here


def as_json(random: Random, found: Any) -> str:
    """Data as JSON, sometimes damaged or nested beyond reason."""
    written = json.dumps(found, ensure_ascii=random.random() < 0.5)
    if random.random() < 0.1:
        written = text(random, [written])
    if random.random() < 0.002:
        written = "[" * (DEEP * 30) + written
    return written
