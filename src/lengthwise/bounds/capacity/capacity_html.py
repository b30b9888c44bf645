"""A class of functions as HTML, for notebooks: its norms, and the parts that its cover is made of."""

from __future__ import annotations

from lengthwise.bounds.capacity.function_class import Capacity
from lengthwise.bounds.capacity.parts import gamma
from lengthwise.crasp.showing import display


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
