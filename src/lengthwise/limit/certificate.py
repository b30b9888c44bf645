"""`Certificate`: to which length a model is proved exact, in which regimes and precision, in which context, and why.

A certificate belongs to the weights it was derived for and says nothing about any others. Its seal is a digest of the
claim together with those weights; a model keeps a certificate only if the seal fits and its regime is covered. So
whatever makes another model out of a certified one (`dataclasses.replace`, `with_regime`, an edited file) either
leaves the claim true or loses it, and nobody has to remember to drop it. The seal is no signature: it notices edits
and damage, not somebody who writes a new one.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from lengthwise.errors import LengthwiseError
from lengthwise.limit.evaluation.regimes import MOST_BITS, Hardmax, Huang, IzzoFinite, IzzoInfinite, Regime

if TYPE_CHECKING:
    from lengthwise.limit.model import LimitTransformer
    from lengthwise.limit.transformers.transformer import Transformer

Model = TypeVar("Model", "LimitTransformer", "Transformer")

LONGEST = 2**53 - 1
"""No certificate reaches further: float64 does not hold every longer count."""
KINDS: Mapping[str, type[Regime]] = {
    "huang": Huang,
    "izzo_finite": IzzoFinite,
    "izzo_infinite": IzzoInfinite,
    "hardmax": Hardmax,
}


class CertificateError(LengthwiseError):
    """A certificate that claims nothing that could hold, or that is attached to no model."""


@dataclass(frozen=True)
class RegimeFamily:
    """Precision regimes of one kind, from `least` to `most` bits where the kind has bits.

    Args:
        kind: "huang", "izzo_finite", "izzo_infinite" or "hardmax".
        least: The smallest number of bits in the family.
        most: The largest one.
        shift: Whether it is the variant of huang that subtracts the largest logit first.

    Example:
        >>> from lengthwise.limit.certificate import RegimeFamily
        >>> str(RegimeFamily("huang", most=8)), RegimeFamily.parse("izzo_finite(1..1000)").least
        ('huang(0..8)', 1)

    """

    kind: str
    least: int = 0
    most: int = MOST_BITS
    shift: bool = False

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise CertificateError(f"unknown kind of regimes {self.kind!r}: it is one of {', '.join(KINDS)}")
        if not 0 <= self.least <= self.most <= MOST_BITS:
            raise CertificateError(f"bits go from 0 to {MOST_BITS}, got {self.least} to {self.most}")
        if self.shift and self.kind != "huang":
            raise CertificateError(f"only huang regimes have a variant with shift, not {self.kind}")

    @classmethod
    def of(cls, regime: Regime) -> RegimeFamily:
        """The family of one regime alone."""
        kind = next(name for name, kept in KINDS.items() if isinstance(regime, kept))
        if isinstance(regime, Huang | IzzoFinite):
            return cls(kind, regime.bits, regime.bits, isinstance(regime, Huang) and regime.shift)
        return cls(kind)

    @classmethod
    def parse(cls, text: str) -> RegimeFamily:
        """The family that a text such as `huang(0..1000)`, `huang(8, shift)` or `hardmax` stands for.

        Raises:
            CertificateError: The text names no family.

        """
        found = re.fullmatch(r"(\w+)(?:\((\d{1,4})(?:\.\.(\d{1,4}))?(, shift)?\))?", text)
        if found is None or (found[2] is None) != (found[1] in ("izzo_infinite", "hardmax")):
            raise CertificateError(
                f"unknown family of regimes {text!r}: write huang(0..1000), izzo_finite(8), izzo_infinite or hardmax"
            )
        if found[2] is None:
            return cls(found[1])
        return cls(found[1], int(found[2]), int(found[3] or found[2]), found[4] is not None)

    def covers(self, regime: Regime) -> bool:
        """Whether the family contains a regime."""
        if not isinstance(regime, KINDS[self.kind]):
            return False
        if isinstance(regime, Huang) and regime.shift != self.shift:
            return False
        return not isinstance(regime, Huang | IzzoFinite) or self.least <= regime.bits <= self.most

    def __str__(self) -> str:
        if self.kind in ("izzo_infinite", "hardmax"):
            return self.kind
        bits = str(self.least) if self.least == self.most else f"{self.least}..{self.most}"
        return f"{self.kind}({bits}{', shift' if self.shift else ''})"


EVERY_REGIME = (
    RegimeFamily("huang"),
    RegimeFamily("huang", shift=True),
    RegimeFamily("izzo_finite"),
    RegimeFamily("izzo_infinite"),
    RegimeFamily("hardmax"),
)


@dataclass(frozen=True)
class Certificate:
    """A proved claim about a model: on words of at most `length` symbols it does exactly what its program does.

    Args:
        length: Words of at most so many symbols are evaluated exactly, at every position (and every offset, if the
            model has a context).
        regimes: The families of precision regimes in which that holds.
        argument: By which argument, in one sentence.
        precision: The arithmetic the argument assumes.
        context: None for a Limit Transformer; for an ordinary transformer the number of its positions.
        seal: The digest of claim and model, which `attached_to` fills in.

    Raises:
        CertificateError: The claim cannot hold, for example because the context is shorter than the words.

    Example:
        >>> import lengthwise as lw
        >>> certificate = lw.limit.from_crasp(lw.crasp.load("contains-ab")).certificate
        >>> certificate.length > 10**13, certificate.covers(lw.limit.Huang(8))
        (True, True)
        >>> certificate.covers(lw.limit.IzzoInfinite())
        False

    """

    length: int
    regimes: tuple[RegimeFamily, ...]
    argument: str
    precision: str = "float64"
    context: int | None = None
    seal: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "regimes", tuple(self.regimes))
        if not 0 <= self.length <= LONGEST:
            raise CertificateError(f"a certificate holds for words of 0 to {LONGEST} symbols, got {self.length}")
        if self.context is not None and self.length > self.context:
            raise CertificateError(f"words of {self.length} symbols do not fit into {self.context} positions")
        if not self.regimes:
            raise CertificateError("a certificate holds in at least one regime; without any, leave it out")

    def covers(self, regime: Regime) -> bool:
        """Whether the claim holds in a precision regime."""
        return any(family.covers(regime) for family in self.regimes)

    def attached_to(self, model: Model) -> Model:
        """The model with this certificate, sealed for its weights; without one if its regime is not covered."""
        return replace(model, certificate=replace(self, seal=self._seal_of(model)))

    def holds_for(self, model: LimitTransformer | Transformer) -> bool:
        """Whether this is the model that was certified, unchanged and in a covered regime.

        Raises:
            CertificateError: The certificate has no seal.

        """
        if not self.seal:
            raise CertificateError("this certificate has no seal: use certificate.attached_to(model)")
        return self.covers(model.regime) and self.seal == self._seal_of(model)

    def to_json(self) -> dict[str, Any]:
        """The certificate as a dictionary for JSON; `from_json` reads it back."""
        return {
            "length": self.length,
            "regimes": [str(family) for family in self.regimes],
            "precision": self.precision,
            "context": self.context,
            "argument": self.argument,
            "seal": self.seal,
        }

    @classmethod
    def from_json(cls, entry: object) -> Certificate:
        """The certificate that a dictionary describes.

        Raises:
            CertificateError: A part is missing or of the wrong type.

        """
        kinds = {"length": int, "regimes": list, "precision": str, "argument": str, "seal": str}
        if not isinstance(entry, dict):
            raise CertificateError(f"a certificate is an object with {', '.join(kinds)}, got {entry!r:.40}")
        for name, kind in kinds.items():
            if type(entry.get(name)) is not kind:
                raise CertificateError(f"the certificate's {name} is {_NAMED[kind]}, got {entry.get(name)!r:.40}")
        context = entry.get("context")
        if context is not None and type(context) is not int:
            raise CertificateError(f"the certificate's context is a whole number or null, got {context!r:.40}")
        if not all(isinstance(text, str) for text in entry["regimes"]):
            raise CertificateError("the certificate's regimes are texts such as huang(0..1000)")
        regimes = tuple(RegimeFamily.parse(text) for text in entry["regimes"])
        return cls(entry["length"], regimes, entry["argument"], entry["precision"], context, entry["seal"])

    def _seal_of(self, model: LimitTransformer | Transformer) -> str:
        """A digest of the claim and of everything about the model that it is about; title and regime are not."""
        claim = self.to_json() | {
            "seal": "",
            "model": type(model).__name__,
            "alphabet": [list(model.alphabet.symbols), model.alphabet.is_open],
            "outputs": list(model.outputs),
            "has_start": model.has_start,
        }
        digest = hashlib.sha256(json.dumps(claim, sort_keys=True).encode())
        weights: list[Any] = [model.embedding, model.positions, model.unembedding]
        for layer in model.layers:
            weights += [layer.hidden, layer.bias, layer.output, layer.heaviside.astype(np.uint8)]
            weights += [part for head in layer.heads for part in (head.key_query, head.value, head.phi)]
            weights.append(np.zeros(len(layer.heads)))  # so that layers of other sizes cannot give the same bytes
        for weight in weights:
            digest.update(repr(weight.shape).encode())
            digest.update(np.ascontiguousarray(weight, dtype=weight.dtype.newbyteorder("<")).data)
        return digest.hexdigest()


_NAMED = {int: "a whole number", str: "a text", list: "a list of texts"}
