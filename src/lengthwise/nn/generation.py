"""Greedy generation: the likeliest symbol is read next, and so is the likeliest position id, if the model predicts ids.

So Golowich et al., section 5.2, test predictive position coupling. A model without a second head is told all ids in
advance, or has those that its scheme tests words with which are as long as everything that is read. Words that are
right at every step given what should stand before are generated, and no others are; so one pass over a whole word tells
whether it would be (`position_head.right`).

All seeds generate at once; `model.subset([place])` is one of them, and generates the same. Nothing is kept from one
symbol to the next: n more symbols cost n passes.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from lengthwise.nn.inputs import InputError, checked_places, checked_tokens
from lengthwise.nn.model import Decoder
from lengthwise.nn.position_head import final_stream


@dataclass(frozen=True, eq=False)
class Generated:
    """Prompts with what was written behind them."""

    tokens: Tensor
    """(seeds, batch, length): symbol ids."""
    places: Tensor | None
    """(seeds, batch, length): position ids, if the model predicts them; those of the prompts were given."""


@torch.no_grad()
def generate(model: Decoder, tokens: Tensor, steps: int, places: Tensor | None = None) -> Generated:
    """Prompts (seeds, batch, length), or (batch, length) for all seeds alike, with this many more symbols.

    `places` are the position ids of the prompt if the model predicts the others. If it does not, they are those of all
    symbols that are read, `length + steps - 1`, and are read as they are; without them `places_in_tests`. Where these
    depend on the length, as in interpolation, so does what is written on `steps`.
    """
    tokens = checked_tokens(tokens, model.seed_count, model.config.vocabulary)
    length, predicts = tokens.shape[2], model.positions.predicts
    if steps < 0:
        raise InputError(f"{steps} more symbols cannot be written; give 0 or more")
    if predicts and places is None:
        raise InputError("a model that predicts position ids needs those of the prompt")
    if places is not None:
        given = length if predicts else length + steps - 1
        if places.shape[-1] != given:
            raise InputError(
                f"for prompts of {length} symbols and {steps} more, {given} position ids are needed, not "
                f"{places.shape[-1]}"
            )
        places = checked_places(places[..., :length], tokens).expand(tokens.shape) if predicts else places
    elif steps:
        places = places_in_tests(model, length + steps - 1, tokens.shape[1])
    for _ in range(steps):
        read = None if places is None else places[..., : tokens.shape[2]]
        last = final_stream(model, tokens, read)[:, :, -1]
        if predicts and places is not None:
            said = model.positions.next_ids(model.final_norm(last)).argmax(-1, keepdim=True)
            places = torch.cat([places, said], dim=2)
        tokens = torch.cat([tokens, model.unembed(last).argmax(-1, keepdim=True)], dim=2)
    return Generated(tokens, places if predicts else None)


def places_in_tests(model: Decoder, length: int, batch: int) -> Tensor | None:
    """The position ids (batch, length) that a model is tested with where no task gives any; None for 1, 2, 3, ….

    Ids that are drawn anew for every test are refused: nobody would know which they were.
    """
    chance = np.random.default_rng(0)
    untouched = chance.bit_generator.state
    ids = model.positions.test_places(length, batch, chance)
    if chance.bit_generator.state != untouched:
        raise InputError(
            f"the position scheme {model.config.position!r} draws position ids at random when a model is tested; give "
            "ids, or take a scheme that does without chance"
        )
    return None if ids is None else torch.from_numpy(ids).to(model.embedding.device)
