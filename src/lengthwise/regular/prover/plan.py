"""Evaluating a mode: what each symbol does to a configuration."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from lengthwise.regular.prover.formulas import Atom, Conjunction, Literal, Past, Residue

if TYPE_CHECKING:
    from lengthwise.regular.prover.modes import Mode

Values: TypeAlias = tuple[int, ...]
Masks: TypeAlias = tuple[int, ...]
"""Memories as bits, the last position in the lowest."""
Move: TypeAlias = tuple[bool, Values, Masks]
"""The output on one symbol, what it adds to the forms, and the memories after it."""


class Plan:
    """How to evaluate everything that one residue needs, for all symbols at once."""

    def __init__(self, mode: Mode, row: int) -> None:
        formulas = mode.formulas
        inputs = range(row * mode.width, (row + 1) * mode.width)
        roots: list[Literal] = []
        for place in inputs:
            roots.append(mode.outputs[place])
            roots.extend(recorded[place] for recorded in mode.recorded)
            roots.extend(literal for form in mode.increments for literal, _ in form[place][1])
        slot_of = {form: slot for slot, form in enumerate(mode.forms)}
        place_of = {memory: place for place, memory in enumerate(mode.memories)}
        self.atoms: list[tuple[int, int]] = []
        self.pasts: list[tuple[int, int]] = []
        self.residues: list[tuple[int, frozenset[int]]] = []
        self.conjunctions: list[tuple[Literal, ...]] = []
        leaves: dict[str, list[int]] = {"atoms": [], "pasts": [], "residues": []}
        inner: list[tuple[int, Conjunction]] = []
        for number in formulas.reachable(roots):
            match formulas.nodes[number]:
                case Atom(form, threshold):
                    self.atoms.append((slot_of[form], threshold))
                    leaves["atoms"].append(number)
                case Past(memory, distance):
                    self.pasts.append((place_of[memory], distance - 1))
                    leaves["pasts"].append(number)
                case Residue(modulus, residues):
                    self.residues.append((modulus, frozenset(residues)))
                    leaves["residues"].append(number)
                case Conjunction() as node:
                    inner.append((number, node))
        order = [0, *leaves["atoms"], *leaves["pasts"], *leaves["residues"], *(number for number, _ in inner)]
        local = {number: place for place, number in enumerate(order)}

        def here(literal: Literal) -> Literal:
            return 2 * local[literal >> 1] + (literal & 1)

        self.conjunctions = [tuple(map(here, node.operands)) for _, node in inner]
        self.depths = mode.depths
        self.rows = [
            (
                here(mode.outputs[place]),
                [
                    (form[place][0], tuple((here(literal), weight) for literal, weight in form[place][1]))
                    for form in mode.increments
                ],
                [here(recorded[place]) for recorded in mode.recorded],
            )
            for place in inputs
        ]

    def truths(self, residue: int, masks: Masks, values: Values) -> list[bool]:
        """The truth of every literal, by local number."""
        truth = [False, True]
        for slot, threshold in self.atoms:
            holds = values[slot] >= threshold
            truth += (holds, not holds)
        for place, shift in self.pasts:
            holds = bool(masks[place] >> shift & 1)
            truth += (holds, not holds)
        for modulus, residues in self.residues:
            holds = residue % modulus in residues
            truth += (holds, not holds)
        for operands in self.conjunctions:
            for literal in operands:
                if not truth[literal]:
                    truth += (False, True)
                    break
            else:
                truth += (True, False)
        return truth

    def moves(self, residue: int, masks: Masks, values: Values) -> list[Move]:
        """What each symbol does."""
        truth = self.truths(residue, masks, values)
        return [
            (
                truth[output],
                tuple(
                    constant + sum(weight for literal, weight in bits if truth[literal])
                    for constant, bits in increments
                ),
                tuple(
                    (mask << 1 | truth[literal]) & ((1 << depth) - 1)
                    for mask, literal, depth in zip(masks, recorded, self.depths, strict=True)
                ),
            )
            for output, increments, recorded in self.rows
        ]
