"""Bounds, certified lengths and classes of functions as HTML, for notebooks.

The number of a bound, what it is made of and what it promises; the norms of a class, and the parts of its cover.
"""

from __future__ import annotations

from lengthwise.bounds.bound import Bound
from lengthwise.bounds.capacity.function_class import Capacity
from lengthwise.bounds.capacity.parts import gamma
from lengthwise.bounds.certified.certificate import Certified, Example
from lengthwise.crasp.showing import display

_SHOWN = 60
"""Symbols of a word that are written out."""


def bound_fragment(bound: Bound) -> str:
    """The card of a bound."""
    constants = [] if bound.explicit else [display.soft("up to its constant")]
    return display.card(
        display.head(bound.theorem),
        display.line(display.value(bound.shown), *constants),
        terms(bound),
        _printed(bound),
        _assumptions("Assumes", bound),
    )


def certified_fragment(found: Certified) -> str:
    """The card of a certified length."""
    exact = display.badge("exact", "yes") if found.exact else display.badge("not exact", "unknown")
    rows = [("needed for", found.worst_input)]
    if found.stand_in is not None:
        rows.append(("its stand-in", found.stand_in))
    facts = {"ε": f"{found.epsilon:g}"}
    if found.sensitivity is not None:
        facts["sensitivity"] = f"{found.sensitivity:.6g}"
    if found.distance is not None:
        facts["apart by"] = f"{found.distance:.4g}"
    return display.card(
        display.head("Certified length"),
        display.line(display.value(found.shown), exact),
        display.facts(facts),
        display.table(
            "The word that needs the certified length, and the one that stands in for it",
            ["word", "length", "symbols", "attended"],
            [[name, f"{each.length:,}", _word(each), _attended(each)] for name, each in rows],
            left=(2, 3),
        ),
        _assumptions("Promises", found.bound),
    )


def terms(bound: Bound) -> str:
    """The quantities that a bound is made of."""
    return display.facts({name.replace("_", " "): f"{term:.6g}" for name, term in bound.terms.items()})


def _printed(bound: Bound) -> str:
    if not bound.printed:
        return ""
    rows = [
        [
            display.shown(each.theorem) + ("" if each.explicit else f" {display.soft('(up to its constant)')}"),
            display.shown(each.shown),
        ]
        for each in bound.printed
    ]
    return display.table("The formulas as printed", ["as printed", "value"], rows, left=(0,))


def _assumptions(title: str, bound: Bound) -> str:
    return "".join(display.paragraph(display.soft(f"{title}:"), display.sentence(each)) for each in bound.assumptions)


def _word(example: Example) -> str:
    """A word as far as it can be read."""
    if example.word is None:
        return display.soft("too long to be shown")
    return display.code(example.word if len(example.word) <= _SHOWN else f"{example.word[:_SHOWN]}…")


def _attended(example: Example) -> str:
    shares = (", ".join(f"{name}: {share:.3f}" for name, share in each.items()) for each in example.shares)
    return display.shown("; ".join(shares))


def capacity_fragment(capacity: Capacity) -> str:
    """The card of a class: size and weight of each part, and which share of ε it gets."""
    rows = [
        [display.shown(part.name), f"{part.size:.4g}", f"{part.weight:.4g}", f"{share:.4g}"]
        for part, share in capacity.split
    ]
    return display.card(
        display.head(capacity.theorem),
        display.line(
            display.value(f"log N ≈ 36 · {gamma(capacity.parts) ** 3:.4g} / ε²"), display.soft("times logarithms")
        ),
        display.facts({name.replace("_", " "): f"{value:.6g}" for name, value in capacity.terms.items()}),
        display.table("The parts of the cover", ["part", "size", "weight", "scale / ε"], rows, left=(0,)),
        *(display.paragraph(display.soft("Assumes:"), display.sentence(each)) for each in capacity.assumptions),
    )
