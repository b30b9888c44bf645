"""Position schemes as a study compares them: how they are called, and which class of programs a verdict is about.

The theorems of Huang et al. are about models without positions and with absolute ones, learned with random offsets. A
bias on distances within a window is what C-RASP[local] has, periodic absolute positions are what C-RASP[periodic] has.
About rotary positions, ALiBi, FIRE and randomized positions no theorem of the papers speaks: they are measured, and
their verdict is *unknown*.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from lengthwise.errors import LengthwiseError
from lengthwise.runs.labels import scheme_label


@dataclass(frozen=True)
class Scheme:
    """A position scheme in a study.

    Attributes:
        key: What reports call it, such as `ape`.
        position: The name of the position scheme that is trained, such as `learned`.
        words: A phrase for sentences: `with learned absolute positions`.
        programs: The class of programs that its verdict is about; None if no theorem speaks of the scheme.
        parameters: Parameters that were given for it, such as a period.

    """

    key: str
    position: str
    words: str
    programs: str | None = None
    parameters: Mapping[str, int] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """Its usual name, such as `APE`."""
        return scheme_label(self.position)

    @property
    def given(self) -> str:
        """As it is written in `--positions`."""
        return ":".join([self.position, *map(str, self.parameters.values())])

    def as_json(self) -> dict[str, Any]:
        """Plain data with stable keys."""
        return {"scheme": self.key, "position": self.position, "name": self.name, "programs": self.programs}


KNOWN = {
    scheme.position: scheme
    for scheme in (
        Scheme("nope", "none", "without positional encodings", "C-RASP[∅]"),
        Scheme("ape", "learned", "with learned absolute positions", "C-RASP[periodic, local]"),
        Scheme("rope", "rope", "with rotary positions"),
        Scheme("alibi", "alibi", "with ALiBi"),
        Scheme("fire", "fire", "with FIRE"),
        Scheme("randomized", "randomized", "with randomized absolute positions"),
        Scheme("periodic", "periodic", "with periodic absolute positions", "C-RASP[periodic]"),
        Scheme("relative", "relative", "with a bias on short distances", "C-RASP[local]"),
    )
}
"""The schemes that have names in reports, by the position scheme that is trained."""
ALIASES = {"nope": "none", "ape": "learned", "rpe": "relative"}
USUAL = ("none", "learned")
"""The schemes that are compared unless others are asked for."""
NUMBERS = {"periodic": "period", "relative": "window"}
"""The parameter that may be written after a colon: periodic:2."""


def scheme_of(text: str) -> Scheme:
    """Read a position scheme as `--positions` has it.

    Args:
        text: The name of a position scheme, also as papers write it: `NoPE`, `APE`, `RoPE`. `periodic:2` and
            `relative:4` have a period and a window.

    Returns:
        The scheme; one that somebody registered is called by its own name.

    Raises:
        LengthwiseError: There is no such scheme, or the number after the colon is none.

    Example:
        >>> scheme_of("nope").name, scheme_of("periodic:2").parameters
        ('NoPE', {'period': 2})

    """
    name, colon, number = text.strip().partition(":")
    lower = name.lower()
    position = ALIASES.get(lower, lower if lower in KNOWN else name)
    parameters: dict[str, int] = {}
    if colon:
        if position not in NUMBERS or not number.isdigit() or int(number) < 1:
            raise LengthwiseError(
                f"{text!r} is no position scheme; only {' and '.join(f'{each}:NUMBER' for each in NUMBERS)} have a "
                "number after the colon, from 1 on"
            )
        parameters[NUMBERS[position]] = int(number)
    if position in KNOWN:
        known = KNOWN[position]
        return replace(known, parameters=parameters)
    from lengthwise.nn import positions

    positions.get(position)  # names the nearest ones if there is none
    return Scheme(position, position, f"with {position} positions")


def read_positions(given: str | Sequence[str]) -> tuple[Scheme, ...]:
    """The schemes of a list, each once; a text has commas between."""
    texts = given.split(",") if isinstance(given, str) else list(given)
    found: dict[str, Scheme] = {}
    for scheme in (scheme_of(text) for text in texts if text.strip()):
        if found.setdefault(scheme.key, scheme) != scheme:
            raise LengthwiseError(
                f"a study compares one scheme of a kind, not {found[scheme.key].given} and {scheme.given}; make two "
                "studies"
            )
    if not found:
        raise LengthwiseError("give at least one position scheme, such as none,learned")
    return tuple(found.values())
