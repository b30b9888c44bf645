"""PC[X, S]: a word with renumbered positions, as a word of coupled tokens (Golowich et al., equation 19).

The ID of planted positions carries the list of their (rank, token). The ID of any other position carries its token
with a random rank I, and an ID that nobody has a random rank with a fresh background token. I is uniform on the ranks
1 to k; the printed Unif([ℓ]) would make the background depend on the length (ERR-I6).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from lengthwise.sparse.coupling.coupling import Coupling, Renumbering
from lengthwise.sparse.coupling.tokens import CoupledToken, CoupledVocabulary, CouplingError
from lengthwise.sparse.ensembles.background import Independent
from lengthwise.sparse.ensembles.ensemble import Ensemble, PlantedSample
from lengthwise.sparse.ensembles.laws import Places, draw, require_count


def couple(
    word: Sequence[int],
    places: Places,
    renumbering: Renumbering,
    fresh: Sequence[int],
    ranks: Sequence[int],
) -> list[CoupledToken]:
    """The coupled word; `fresh` and `ranks` are the random tokens and ranks, one for each ID, used where needed."""
    rank = {place: number for number, place in enumerate(places, start=1)}
    coupled: list[CoupledToken] = []
    for number in range(1, len(word) + 1):
        holders = [place for place in range(1, len(word) + 1) if renumbering[place - 1] == number]
        planted = [place for place in holders if place in rank]
        if planted and len(planted) < len(holders):
            raise CouplingError(f"item 2 fails: ID {number} is shared by planted and other positions")
        if planted:
            coupled.append(tuple((rank[place], int(word[place - 1])) for place in planted))
        else:
            token = int(word[holders[0] - 1]) if holders else int(fresh[number - 1])
            coupled.append(((int(ranks[number - 1]), token),))
    return coupled


def coupled_sample(
    ensemble: Ensemble, coupling: Coupling, length: int, count: int, rng: np.random.Generator
) -> PlantedSample:
    """Independent coupled words with their labels, as ids of the coupled vocabulary; `places` are the IDs ψ(S*).

    The planted set and its renumbering are drawn together, so the coupling decides where tokens are planted.
    """
    require_count(count)
    if not isinstance(ensemble.background, Independent):
        raise CouplingError("position coupling is defined for independent background only")
    vocabulary = CoupledVocabulary(ensemble.alphabet, ensemble.sparsity)
    words = ensemble.background.sample(length, count, rng)
    fresh = ensemble.background.sample(length, count, rng)
    ranks = rng.integers(1, ensemble.sparsity + 1, size=(count, length))
    chosen = draw(ensemble.planted, count, rng)
    pairs = list(coupling.masses(length))
    drawn = draw(coupling.masses(length), count, rng)
    tuples = list(ensemble.planted)
    coupled = np.empty((count, length), dtype=np.int64)
    labels: list[list[float]] = []
    images: list[list[int]] = []
    for row in range(count):
        (places, renumbering), planted = pairs[drawn[row]], tuples[chosen[row]]
        words[row, np.array(places) - 1] = planted
        lists = couple(words[row].tolist(), places, renumbering, fresh[row].tolist(), ranks[row].tolist())
        coupled[row] = [vocabulary.id(listed) for listed in lists]
        labels.append([float(entry) for entry in ensemble.labels[planted]])
        images.append(sorted({renumbering[place - 1] for place in places}))
    found: npt.NDArray[np.float64] = np.array(labels)
    return PlantedSample(coupled, found, np.array(images, dtype=np.int64))
