"""The list of all situations of a one-layer hardmax model, or of two models seen together.

For each query and each suffix the logits of the last symbols are known, and the prefix can only add larger ones or
equal ones. So a head's largest logit is either the largest one in the suffix or a larger one of some type; a choice for
each head says which types may occur (none with a larger logit) and which are attended (those with an equal one).
Suffixes that lead to the same choice count once.

`ExactTables`: what each head of a one-layer model adds for a key of each type, as whole numbers. Everything that a
situation needs of a model is a sum of columns of these tables, so they are multiplied out once.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from lengthwise.bounds.certified.share_map import ExactMap, ShareMap, Whole, whole_numbers
from lengthwise.bounds.certified.situations import Attended, Integers, Situation, Type
from lengthwise.limit.evaluation.regimes import TIE
from lengthwise.limit.model import LimitTransformer, ModelError
from lengthwise.resources import require_memory, within_time


class ExactTables:
    """The tables of one model for types (symbol, residue), in their order."""

    def __init__(self, model: LimitTransformer, types: Sequence[tuple[int, int]]) -> None:
        layer = model.layers[0]
        embedding, positions = whole_numbers(model.embedding), whole_numbers(model.positions)
        below = max(embedding[1], positions[1])
        self.inputs: Whole = np.array(
            [
                embedding[0][symbol] * (below // embedding[1])
                + positions[0][at % model.period] * (below // positions[1])
                for symbol, at in types
            ],
            dtype=object,
        ).reshape(len(types), model.width)
        values = [whole_numbers(head.value) for head in layer.heads]
        value_scale = max((scale for _, scale in values), default=1)
        added = [_times(self.inputs, (value * (value_scale // scale)).T) for value, scale in values]
        self.added: list[Whole] = added
        """For each head and type, what is added to the query; the inputs times a matrix, in units of their own."""
        unembedding, unembedding_scale = whole_numbers(model.unembedding)
        hidden, hidden_scale = whole_numbers(layer.hidden)
        bias, bias_scale = whole_numbers(layer.bias)
        outer, outer_scale = whole_numbers(layer.output)
        common = math.lcm(unembedding_scale, hidden_scale)
        self.scale = math.lcm(common * below * value_scale, bias_scale)
        spare = self.scale // (below * value_scale)
        read = unembedding * (spare // unembedding_scale)
        before = hidden * (spare // hidden_scale)
        self.read_query, self.before_query = (_times(each, self.inputs.T) * value_scale for each in (read, before))
        self.before_query = self.before_query + (bias * (self.scale // bias_scale))[:, None]
        self.read_added = [_times(read, each.T) for each in added]
        self.before_added = [_times(before, each.T) for each in added]
        self.outer, self.outer_scale = _times(unembedding, outer), unembedding_scale * outer_scale

    def map(
        self, query: int, hits_only: Mapping[int, Mapping[int, int]], columns: Sequence[Mapping[int, int]]
    ) -> ExactMap:
        """The output at a query as a function of shares.

        Args:
            query: The type of the last symbol.
            hits_only: For each head that attends to some of the last symbols only, how many it attends to by type.
            columns: For each place of the shares, the heads that attend to it, with the type of key it stands for.

        Returns:
            The map, before units that are always on or always off are taken out.

        """
        share = math.lcm(*(sum(hits.values()) for hits in hits_only.values())) if hits_only else 1
        offset, bends = self.read_query[:, query] * share, self.before_query[:, query] * share
        for head, hits in hits_only.items():
            for kind, count in hits.items():
                part = share // sum(hits.values()) * count
                offset = offset + self.read_added[head][:, kind] * part
                bends = bends + self.before_added[head][:, kind] * part
        linear = np.zeros((len(self.read_query), len(columns)), dtype=object)
        hidden = np.zeros((len(self.before_query), len(columns)), dtype=object)
        for place, heads in enumerate(columns):
            for head, kind in heads.items():
                linear[:, place] = linear[:, place] + self.read_added[head][:, kind] * share
                hidden[:, place] = hidden[:, place] + self.before_added[head][:, kind] * share
        return ExactMap(offset, linear, bends, hidden, self.outer, self.scale * share, self.outer_scale)


MOST_SUFFIXES = 50_000
"""So many suffixes, with the residues of their ends, are looked at one by one."""


def enumerate_situations(
    models: Sequence[LimitTransformer], sensitivity: float | Fraction | None = None, hardmax_length: int = 1
) -> list[Situation]:
    """The situations that words of every length can be in, for models over one alphabet.

    With a sensitivity, stand-ins have to keep the shares of attention themselves, and every type counts; without, types
    that no output tells apart count as one. `hardmax_length` is the length from which on attention is a hardmax.
    """
    exact = None if sensitivity is None else Fraction(sensitivity)
    return list(_Lister(models, exact, hardmax_length).situations())


@dataclass(frozen=True)
class _Choice:
    """What one head attends to: types of the prefix, and hits of types in the suffix."""

    attended: tuple[int, ...]
    hits: tuple[tuple[int, int], ...]


class _Lister:
    def __init__(self, models: Sequence[LimitTransformer], sensitivity: Fraction | None, hardmax_length: int) -> None:
        self.models, self.sensitivity, self.hardmax_length = models, sensitivity, hardmax_length
        self.symbols = models[0].alphabet.id_count
        self.period = math.lcm(*(model.period for model in models))
        self.window = max(model.window for model in models)
        self.types: list[Type] = [(symbol, at) for symbol in range(self.symbols) for at in range(self.period)]
        self.residues = np.array([at for _, at in self.types])
        number = self.period * self.symbols ** (self.window + 1)
        if number > MOST_SUFFIXES:
            raise ModelError(
                f"a window of {self.window} over {self.symbols} symbols makes {number} situations, too many to go "
                f"through; at most {MOST_SUFFIXES} are"
            )
        held = 8 * len(self.types) * sum(model.width for model in models)
        require_memory(held, f"{len(self.types)} types of keys", "choose a smaller period or a smaller model")
        self.inputs = [
            np.array([model.embedding[symbol] + model.positions[at % model.period] for symbol, at in self.types])
            for model in models
        ]
        self.tables = [ExactTables(model, self.types) for model in models]
        self.places = [
            (owner, place) for owner, model in enumerate(models) for place in range(len(model.layers[0].heads))
        ]
        self.heads = [(owner, head) for owner, model in enumerate(models) for head in model.layers[0].heads]

    def situations(self) -> Iterator[Situation]:
        for residue, last in itertools.product(range(self.period), range(self.symbols)):
            query = self.types.index((last, residue))
            seen: set[object] = set()
            for start in itertools.product(range(self.symbols), repeat=self.window):
                suffix = (*start, last)
                for allowed, choices in within_time(self._choices(suffix, residue, query)):
                    key = (allowed.tobytes(), choices)
                    if key not in seen:
                        seen.add(key)
                        yield self._situation(suffix, residue, query, allowed, choices)

    # ------------------------------------------------------------------------------------------ what is attended

    def _choices(
        self, suffix: tuple[int, ...], residue: int, query: int
    ) -> Iterator[tuple[npt.NDArray[np.bool_], tuple[_Choice, ...]]]:
        """Every choice of largest logits that infinitely many words make: allowed types, and what heads attend to."""
        near = [
            self.types.index((symbol, (residue - distance) % self.period))
            for distance, symbol in enumerate(reversed(suffix))
        ]
        ranked = [self._ranks(owner, place, query, near) for place, (owner, _) in enumerate(self.heads)]
        options = [
            sorted({int(fixed.max()), *(rank for rank in far.tolist() if rank > fixed.max())}) for far, fixed in ranked
        ]
        # Heads with the same logits make the same choice.
        first_alike = [
            next(
                place
                for place in range(len(ranked))
                if all(np.array_equal(mine, theirs) for mine, theirs in zip(ranked[place], own, strict=True))
            )
            for own in ranked
        ]
        leaders = sorted(set(first_alike))
        for levels in itertools.product(*(options[place] for place in leaders)):
            level = dict(zip(leaders, levels, strict=True))
            chosen = [level[leader] for leader in first_alike]
            allowed = np.ones(len(self.types), dtype=bool)
            for (far, _), largest in zip(ranked, chosen, strict=True):
                allowed &= far <= largest
            if set(self.residues[allowed].tolist()) != set(range(self.period)):
                continue  # some residue is left without a symbol, so words of this kind have no row
            choices = []
            for (far, fixed), largest in zip(ranked, chosen, strict=True):
                attended = tuple(np.flatnonzero(allowed & (far == largest)).tolist())
                hit = [kind for kind, rank in zip(near, fixed.tolist(), strict=True) if rank == largest]
                hits = tuple(sorted((kind, hit.count(kind)) for kind in set(hit)))
                choices.append(_Choice(attended, hits))
            if all(choice.attended or choice.hits for choice in choices):
                yield allowed, tuple(choices)

    def _ranks(self, owner: int, place: int, query: int, near: list[int]) -> tuple[Integers, Integers]:
        """The logits of all types and of the suffix, by their rank among the different values."""
        head, inputs = self.heads[place][1], self.inputs[owner]
        content = inputs @ (head.key_query @ inputs[query])
        phi = np.zeros(len(near))
        phi[: len(head.phi)] = head.phi[: len(near)]
        logits = np.concatenate([content, content[near] + phi])
        order = np.argsort(logits, kind="stable")
        steps = np.diff(logits[order], prepend=logits[order[:1]]) > TIE
        ranks = np.empty(len(logits), dtype=np.int64)
        ranks[order] = np.cumsum(steps)
        for rank in within_time(range(int(ranks.max()) + 1)):
            if np.ptp(logits[ranks == rank]) > TIE:
                raise ModelError(
                    f"logits of a head differ by little more than {TIE:g}, up to which they are equal, so which keys "
                    "are attended depends on what else there is; make them equal or set them further apart"
                )
        return ranks[: len(content)], ranks[len(content) :]

    # --------------------------------------------------------------------------------------------- the situation

    def _situation(
        self,
        suffix: tuple[int, ...],
        residue: int,
        query: int,
        allowed: npt.NDArray[np.bool_],
        choices: tuple[_Choice, ...],
    ) -> Situation:
        attending = list(dict.fromkeys(choice for choice in choices if choice.attended))
        attended_types = sorted({kind for choice in attending for kind in choice.attended})
        values = [self._values(choices, choice) for choice in attending]
        standing = self._representatives(attended_types, attending, values)
        kinds = sorted(set(standing.values()))
        sets: list[Attended] = []
        columns: list[tuple[int, int]] = []  # for each place of the shares: its set and its type
        for number, choice in enumerate(attending):
            members = [kind for kind in kinds if kind in choice.attended]
            hits: dict[int, int] = dict.fromkeys(members, 0)
            for kind, count in choice.hits:
                keeper = self._keeper(kind, members, standing, values[number])
                hits[keeper] = hits.get(keeper, 0) + count
            places = tuple(range(len(columns), len(columns) + len(hits)))
            columns += [(number, kind) for kind in hits]
            sets.append(
                Attended(
                    tuple(kinds.index(kind) for kind in members),
                    places,
                    tuple(self.types[kind] for kind in hits),
                    np.array(list(hits.values()), np.int64),
                )
            )
        unattended = [place for place in np.flatnonzero(allowed).tolist() if place not in attended_types]
        fillers = {self.types[place][1]: self.types[place][0] for place in reversed(unattended)}
        groups = [list(each.places) for each in sets]
        maps = [
            self._map(owner, query, choices, attending, columns).settled(groups) for owner in range(len(self.models))
        ]
        if self.sensitivity is not None:
            # A model that is not steeper than the sensitivity asks nothing more of a stand-in.
            maps = [each for each in maps if each.steepness(groups) > self.sensitivity]
            maps.append(ExactMap.moving(len(columns), self.sensitivity))
        rest = (residue - len(suffix)) % self.period
        least = max(0, -(-(self.hardmax_length - rest - len(suffix)) // self.period))
        return Situation(
            suffix,
            residue,
            self.symbols,
            self.period,
            tuple(self.types[kind] for kind in kinds),
            tuple(sets),
            tuple(fillers.get(at) for at in range(self.period)),
            tuple(ShareMap.rounded(each) for each in maps if not each.is_constant(groups)),
            least,
        )

    def _values(self, choices: tuple[_Choice, ...], choice: _Choice) -> Whole:
        """What the heads of a choice add for keys of each type, all models beside each other, in some unit."""
        added = [np.zeros_like(tables.inputs) for tables in self.tables]
        for (owner, place), made in zip(self.places, choices, strict=True):
            if made == choice:
                added[owner] = added[owner] + self.tables[owner].added[place]
        return np.concatenate(added, axis=1)

    def _representatives(
        self, attended_types: list[int], attending: list[_Choice], values: list[Whole]
    ) -> dict[int, int]:
        """For each attended type, one of the same residue that no output tells from it."""
        standing: dict[int, int] = {}
        for kind in within_time(attended_types):
            alike = (
                other
                for other in set(standing.values())
                if self.sensitivity is None
                and self.residues[kind] == self.residues[other]
                and all((kind in choice.attended) == (other in choice.attended) for choice in attending)
                and all(_same(each[kind], each[other]) for each in values)
            )
            standing[kind] = min(alike, default=kind)
        return standing

    def _keeper(self, kind: int, members: list[int], standing: dict[int, int], values: Whole) -> int:
        """Which member of a set a hit counts for; itself if it is like none."""
        own = standing.get(kind, kind)
        if own in members or self.sensitivity is not None:
            return own
        return next((member for member in members if _same(values[member], values[kind])), kind)

    def _map(
        self,
        owner: int,
        query: int,
        choices: tuple[_Choice, ...],
        attending: list[_Choice],
        columns: list[tuple[int, int]],
    ) -> ExactMap:
        """The output of one model as a function of the shares."""
        own = [(place, choice) for (who, place), choice in zip(self.places, choices, strict=True) if who == owner]
        hits_only = {place: dict(choice.hits) for place, choice in own if not choice.attended}
        attended = [
            {place: kind for place, choice in own if choice.attended and attending.index(choice) == of_set}
            for of_set, kind in columns
        ]
        return self.tables[owner].map(query, hits_only, attended)


def _same(first: Whole, second: Whole) -> bool:
    return bool((first == second).all())


def _times(left: Whole, right: Whole) -> Whole:
    """The product, row by row, so that a time limit is kept."""
    found = np.zeros((len(left), right.shape[1]), dtype=object)
    for place, row in enumerate(within_time(left)):
        found[place] = row.dot(right)
    return found
