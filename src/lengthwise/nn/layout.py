"""`Layout`: how the vectors of words of several lengths, one behind the other, are arranged for attention.

What is done to every vector by itself, such as a linear map, needs no more than these rows. Attention needs words, so
rows are laid out as (words, longest, …), with zeros behind shorter words. That is done for some words at a time: if
words come in the order of their lengths, few zeros are needed.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

AT_ONCE = 16
"""Words that are padded to the longest of them. Fewer would save work, but not the work of the many calls."""


@dataclass(frozen=True, eq=False)
class Layout:
    """Where rows go."""

    slot: Tensor
    """(rows,): the place of each row among all that there are."""
    groups: tuple[tuple[int, int], ...]
    """How many words are together, and how long the longest is."""

    @classmethod
    def of(cls, lengths: Tensor, at_once: int | None = None) -> Layout:
        """The layout of words (batch,) of these lengths, padded so many at a time."""
        parts = torch.split(lengths, at_once or AT_ONCE)
        groups = tuple((len(part), int(part.max())) for part in parts)
        room = torch.cat(
            [part.new_full((words,), longest) for part, (words, longest) in zip(parts, groups, strict=True)]
        )
        # A row is as far behind its place in the rows as there are zeros behind the words before.
        behind = (room - lengths).cumsum(0) - (room - lengths)
        slot = torch.arange(int(lengths.sum()), device=lengths.device) + behind.repeat_interleave(lengths)
        return cls(slot, groups)

    @property
    def places(self) -> int:
        """How many there are."""
        return sum(words * longest for words, longest in self.groups)

    def spread(self, rows: Tensor, chosen: Tensor | None = None) -> list[Tensor]:
        """The words (words, longest, …) of each group, of all rows or of the chosen ones with zeros for the others."""
        if len(rows) != self.places:
            slot = self.slot if chosen is None else self.slot.index_select(0, chosen)
            rows = rows.new_zeros(self.places, *rows.shape[1:]).index_add_(0, slot, rows)
        parts = torch.split(rows, [words * longest for words, longest in self.groups])
        return [part.view(*group, *rows.shape[1:]) for part, group in zip(parts, self.groups, strict=True)]

    def together(self, groups: list[Tensor], chosen: Tensor | None = None) -> Tensor:
        """All rows, or the chosen ones, of words that `spread` gave."""
        flat = torch.cat([group.flatten(0, 1) for group in groups]) if len(groups) > 1 else groups[0].flatten(0, 1)
        slot = self.slot if chosen is None else self.slot.index_select(0, chosen)
        return flat if len(slot) == self.places else flat.index_select(0, slot)
