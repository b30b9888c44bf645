"""Proofs as data: what is claimed, and an argument that a checker can replay without the search that found it.

A proof holds three kinds of claims. *Equality*: two sides, programs or automata, accept the same words. *Membership*: a
language or program has a program in a fragment of C-RASP. *Non-membership*: it has none. Saved as JSON, a proof is all
that is needed to check it: programs as text, automata as tables.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from lengthwise.crasp import Program
from lengthwise.regular.languages.automaton import Acceptance, Automaton
from lengthwise.regular.proofs.sides import FRAGMENTS, ProofFileError, Side, side_as_json, side_from_json

FORMAT = "lengthwise proof"
VERSION = 1

Argument: TypeAlias = Mapping[str, Any]


@dataclass(frozen=True)
class Equal:
    """Two sides accept the same words over an alphabet: all non-empty ones, and the empty one if both are automata."""

    left: Side
    right: Side
    symbols: tuple[str, ...]

    kind = "equal"

    def as_json(self) -> dict[str, Any]:
        """The claim as plain data."""
        sides = {"left": side_as_json(self.left), "right": side_as_json(self.right)}
        return {"kind": self.kind, **sides, "alphabet": list(self.symbols)}

    def __str__(self) -> str:
        words = "" if self._is_whole else f" on words over {{{', '.join(self.symbols)}}}"
        return f"{_shown(self.left)} and {_shown(self.right)} are equal at every length{words}"

    @property
    def _is_whole(self) -> bool:
        """Whether the symbols are all that the sides read; one more than they mention stands for all others."""
        alphabets = [side.alphabet for side in (self.left, self.right)]
        if all(alphabet.is_open for alphabet in alphabets):
            mentioned = {symbol for alphabet in alphabets for symbol in alphabet}
            return mentioned < set(self.symbols)
        return all(alphabet.is_open or set(alphabet) <= set(self.symbols) for alphabet in alphabets)


@dataclass(frozen=True)
class Member:
    """A language or program has a program of a fragment, read at the last symbol or at an end marker."""

    side: Side
    fragment: str
    acceptance: Acceptance

    kind = "member"

    def as_json(self) -> dict[str, Any]:
        """The claim as plain data."""
        about = {"side": side_as_json(self.side), "fragment": self.fragment, "acceptance": self.acceptance}
        return {"kind": self.kind, **about}

    def __str__(self) -> str:
        return f"{_shown(self.side)} has a program in C-RASP[{self.fragment}]"


@dataclass(frozen=True)
class NotMember:
    """A language or program has no program of a fragment."""

    side: Side
    fragment: str
    acceptance: Acceptance

    kind = "not member"

    def as_json(self) -> dict[str, Any]:
        """The claim as plain data."""
        about = {"side": side_as_json(self.side), "fragment": self.fragment, "acceptance": self.acceptance}
        return {"kind": self.kind, **about}

    def __str__(self) -> str:
        return f"{_shown(self.side)} has no program in C-RASP[{self.fragment}]"


@dataclass(frozen=True)
class TaskAnswer:
    """A task of Table 3 of Huang et al. has no program of a fragment."""

    task: str
    fragment: str

    kind = "task"

    def as_json(self) -> dict[str, Any]:
        """The claim as plain data."""
        return {"kind": self.kind, "task": self.task, "fragment": self.fragment}

    def __str__(self) -> str:
        return f"the task {self.task} has no program in C-RASP[{self.fragment}]"


Claim: TypeAlias = Equal | Member | NotMember | TaskAnswer


@dataclass(frozen=True)
class Proof:
    """A claim and its argument.

    Attributes:
        claim: What is proved, such as that a program is equal to an automaton.
        argument: The steps that the checker replays.

    Example:
        >>> import lengthwise as lw
        >>> proof = lw.verify("regex:(ab)*", "regex:(ab)*").proof
        >>> print(proof.claim)
        an automaton with 3 states and an automaton with 3 states are equal at every length
        >>> proof.check()

    """

    claim: Claim
    argument: Argument

    def check(self) -> None:
        """Replay the argument.

        Raises:
            ProofError: If it does not show the claim; the message says which step fails.

        """
        from lengthwise.regular.proofs.check import check

        check(self)

    def as_json(self) -> dict[str, Any]:
        """The proof as plain data, complete in itself."""
        return {
            "format": FORMAT, "version": VERSION, "claim": self.claim.as_json(), "argument": _plain(self.argument),
        }  # fmt: skip

    def __repr__(self) -> str:
        return f"<Proof: {self.claim}, by {self.argument.get('kind', '?')}>"


def proofs_as_json(proofs: Sequence[Proof]) -> str:
    """Proofs as the text of one file: a list of them, each complete in itself.

    Args:
        proofs: The proofs.

    Returns:
        The text, which `proofs_from_json` reads.

    Example:
        >>> import lengthwise as lw
        >>> proofs_from_json(proofs_as_json(lw.decide("(ab)*").proofs[:1]))[0].check()

    """
    return json.dumps([proof.as_json() for proof in proofs], ensure_ascii=False, separators=(",", ":")) + "\n"


def proofs_from_json(text: str) -> list[Proof]:
    """The proofs in the text of a file, one or a list of them.

    Args:
        text: JSON, as written by `proofs_as_json` or as the `proof` entry of a command's `--json`.

    Returns:
        The proofs, not checked.

    Raises:
        ProofFileError: If the text is no proof.

    Example:
        >>> import lengthwise as lw
        >>> [proof] = proofs_from_json(proofs_as_json(lw.decide("(ab)*").proofs[:1]))
        >>> proof.check()

    """
    try:
        data = json.loads(text, parse_float=_refused, parse_constant=_refused)
    except (ValueError, RecursionError):
        raise ProofFileError("this is no proof: it is not JSON with whole numbers only") from None
    entries = data if isinstance(data, list) else [data]
    if not entries:
        raise ProofFileError("this file has no proofs in it")
    return [_proof(entry) for entry in entries]


def _refused(text: str) -> Any:
    raise ValueError(text)


def _proof(entry: Any) -> Proof:
    if not isinstance(entry, dict) or entry.get("format") != FORMAT:
        raise ProofFileError(f'this is no proof: it does not say "format": "{FORMAT}"')
    if entry.get("version") != VERSION:
        raise ProofFileError(f"this proof has version {entry.get('version')}; this lengthwise checks version {VERSION}")
    claim, argument = entry.get("claim"), entry.get("argument")
    if not isinstance(claim, dict) or not isinstance(argument, dict):
        raise ProofFileError("this proof lacks a claim or an argument")
    return Proof(_claim(claim), argument)


def _claim(data: dict[str, Any]) -> Claim:
    kind = data.get("kind")
    if kind == "equal":
        symbols = data.get("alphabet")
        if not isinstance(symbols, list) or not symbols or not all(isinstance(symbol, str) for symbol in symbols):
            raise ProofFileError("the claim does not list the alphabet of the words that are compared")
        return Equal(side_from_json(data.get("left")), side_from_json(data.get("right")), tuple(symbols))
    fragment = data.get("fragment")
    if not isinstance(fragment, str) or fragment not in FRAGMENTS:
        raise ProofFileError(f"there is no fragment {fragment!r}; there are {', '.join(FRAGMENTS)}")
    if kind == "task":
        return TaskAnswer(str(data.get("task")), fragment)
    acceptance: Literal["last", "eos"] = data.get("acceptance")  # type: ignore[assignment]
    if acceptance not in ("last", "eos"):
        raise ProofFileError("the claim does not say whether words are read at their last symbol or at an end marker")
    if kind in ("member", "not member"):
        return (Member if kind == "member" else NotMember)(side_from_json(data.get("side")), fragment, acceptance)
    raise ProofFileError(f"there is no kind of claim called {kind!r}")


def _plain(value: Any) -> Any:
    """An argument as plain data: programs as text, automata as tables, witnesses as they are printed."""
    if isinstance(value, Program):
        return str(value)
    if isinstance(value, Automaton):
        return side_as_json(value)["automaton"]
    if hasattr(value, "as_json"):
        return _plain(value.as_json())
    if isinstance(value, Mapping):
        return {key: _plain(part) for key, part in value.items()}
    return [_plain(part) for part in value] if isinstance(value, list | tuple) else value


def _shown(side: Side) -> str:
    if isinstance(side, Program):
        return f"the program {side.title}" if side.title else f"a program of {side.size} operations"
    return f"an automaton with {len(side)} state{'' if len(side) == 1 else 's'}"
