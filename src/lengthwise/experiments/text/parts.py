"""What is measured on a pair of models, in parts: each is a file of its own, and a kill costs no more than one.

    windows.json          the perplexities
    examples-00030.json   the losses of some examples, by the number of the first

`PairOutcome` puts the parts together, with the numbers that follow from them. A part says which weights and which text
it is from; one that is of others is made again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from lengthwise.diagnose import DiagnosisError
from lengthwise.diagnose.influence.dependence import Dependence, at_random, base_losses, influential, sparse_losses
from lengthwise.diagnose.influence.our_model import OurTextModel
from lengthwise.diagnose.influence.scatter import Measured, by_file, measured, resampled, scatter
from lengthwise.diagnose.influence.text_model import Floats, Ints
from lengthwise.runs.settings import Natural, Settings
from lengthwise.runs.store.disk import writing
from lengthwise.runs.store.sealed import read_sealed, write_sealed
from lengthwise.runs.text.cell import Name
from lengthwise.runs.text.pair import EXAMPLES, LOOKS, NAMES, WINDOWS, TextPair, corpus_of, trained_pair
from lengthwise.runs.text.training import Trained, load_trained
from lengthwise.runs.text.windows import entropies, validation_windows

AT_ONCE = 10
"""Examples in a part."""
CONTEXTS = ("short", "long", "recent")
"""How the bytes of a window are predicted (`lengthwise.runs.text.windows`)."""
CHOOSERS = (*NAMES, "random")
"""Who chooses the tokens that are not hidden."""


class Part(Settings):
    """Some of the measurements of a pair: examples from number `first` on, or the perplexities."""

    pair: TextPair
    first: Natural | None = None

    @property
    def told(self) -> str:
        """Which part it is, in a few words."""
        if self.first is None:
            return "perplexities"
        return f"examples {self.first + 1} to {self.first + self.size}"

    @property
    def size(self) -> int:
        """How many windows it has."""
        if self.first is None:
            return self.pair.windows
        return min(AT_ONCE, self.pair.examples - self.first)

    def path(self, store: Path) -> Path:
        """Where it is, or will be."""
        name = "windows" if self.first is None else f"examples-{self.first:05}"
        return store / self.pair.id / f"{name}.json"


def parts_of(pair: TextPair) -> list[Part]:
    """All that is measured on a pair."""
    return [Part(pair=pair), *(Part(pair=pair, first=first) for first in range(0, pair.examples, AT_ONCE))]


def read_part(store: Path, part: Part, trained: Mapping[Name, Trained]) -> dict[str, Any] | None:
    """What a part says; None if it is not there, damaged, or of other weights."""
    try:
        data = read_sealed(part.path(store))
        return data if data["from"] == _origin(trained) and len(data["files"]) == part.size else None
    except (OSError, ValueError, KeyError, TypeError):
        return None


def missing_parts(store: Path, pairs: Iterable[TextPair]) -> list[Part]:
    """Those that are not measured yet; all of a pair whose models are not trained."""
    found = []
    for pair in pairs:
        trained = trained_pair(store, pair)
        found += [each for each in parts_of(pair) if trained is None or read_part(store, each, trained) is None]
    return found


def measure_part(store: Path, part: Part) -> Part:
    """Measure a part and keep it."""
    pair = part.pair
    trained = trained_pair(store, pair)
    if trained is None:
        raise DiagnosisError(f"the models of {pair.id} are not trained yet")
    corpus = corpus_of(store, pair, trained)
    if part.first is None:
        drawn = validation_windows(corpus, pair.window + 1, pair.windows, pair.stream(WINDOWS))
        looks = pair.stream(LOOKS).integers(pair.recent + 1, pair.window + 1, size=(pair.windows, pair.looks))
        content: dict[str, Any] = {name: _perplexities(store, pair, name, drawn.tokens, looks) for name in NAMES}
    else:
        drawn = validation_windows(corpus, pair.window, pair.examples, pair.stream(EXAMPLES))
        chosen = slice(part.first, part.first + part.size)
        drawn = type(drawn)(drawn.tokens[chosen], drawn.files[chosen])
        content = _examples(store, pair, drawn.tokens, part.first)
    with writing(part.told):
        part.path(store).parent.mkdir(parents=True, exist_ok=True)
        write_sealed(part.path(store), {"from": _origin(trained), "files": drawn.files.tolist(), **content})
    return part


def _perplexities(store: Path, pair: TextPair, name: Name, windows: Ints, looks: Ints) -> dict[str, Any]:
    _, model = load_trained(store / pair.cells[name].id)
    found = entropies(model, windows, pair.recent, looks)
    return {"short": found.short.tolist(), "long": found.long.tolist(), "recent": found.recent.tolist()}


def _examples(store: Path, pair: TextPair, windows: Ints, first: int) -> dict[str, Any]:
    """For each model its losses; and the influential tokens by each chooser, as many as the largest k has."""
    models = {name: OurTextModel(load_trained(store / pair.cells[name].id)[1]) for name in NAMES}
    recent, most = pair.recent, max(pair.tokens)
    orders = {name: influential(model, windows, recent) for name, model in models.items()}
    kept: dict[str, Ints] = {name: orders[name] for name in NAMES}
    kept["random"] = at_random(len(windows), pair.window - recent - 1, pair.seed, first)
    losses = {}
    for name, model in models.items():
        short, long = base_losses(model, windows, recent)
        sparse = {
            chooser: np.stack(
                [sparse_losses(model, windows, recent, order[:, :count]) for count in pair.tokens], axis=1
            ).tolist()
            for chooser, order in kept.items()
        }
        losses[name] = {"short": short.tolist(), "long": long.tolist(), "sparse": sparse}
    return {"losses": losses, "chosen": {chooser: order[:, :most].tolist() for chooser, order in kept.items()}}


def _origin(trained: Mapping[Name, Trained]) -> dict[str, str]:
    """What a part depends on."""
    return {"corpus": trained["short"].corpus, **{name: trained[name].weights for name in NAMES}}


@dataclass(frozen=True, eq=False)
class PairOutcome:
    """Both models with all windows they were tested on, as far as parts are there."""

    pair: TextPair
    trained: dict[Name, Trained]
    examples: list[dict[str, Any]]
    """The parts of examples there are, in order."""
    windows: dict[str, Any] | None
    """That of the perplexities."""

    @property
    def complete(self) -> bool:
        """Whether no part is missing."""
        return self.windows is not None and len(self.files) == self.pair.examples

    @cached_property
    def files(self) -> Ints:
        """The file of each example."""
        return np.array([file for part in self.examples for file in part["files"]], dtype=np.int64)

    def dependence(self, model: Name, chooser: str, place: int = 0) -> Dependence:
        """The losses of a model, with k tokens by a chooser; k is given by its place among those of the pair."""
        short, long = (self._losses(model, kind) for kind in ("short", "long"))
        sparse = [row[place] for part in self.examples for row in part["losses"][model]["sparse"][chooser]]
        return Dependence(short, long, np.array(sparse, dtype=np.float64))

    def chosen(self, chooser: str) -> Ints:
        """The chosen positions of each example, the most influential first."""
        return np.array([row for part in self.examples for row in part["chosen"][chooser]], dtype=np.int64)

    def scatter(self, model: Name, chooser: str, place: int = 0) -> dict[str, Measured]:
        """The statistics of a panel; those of one model share their resamples, whoever chooses."""
        found = self.dependence(model, chooser, place)
        return scatter(found.sparse_gain, found.gain, self.files)

    def entropy(self, model: Name, context: str) -> Measured:
        """The mean loss of all bytes, of which the perplexity is the exponential."""
        if self.windows is None:
            return Measured(np.nan, np.nan, np.nan, 0, np.empty(0))
        values: Floats = np.array(self.windows[model][context], dtype=np.float64)
        sums = by_file(np.stack([np.ones_like(values), values], axis=1), np.array(self.windows["files"]))
        whole, drawn = sums.sum(axis=0), resampled(sums)
        return measured(float(whole[1] / whole[0]), drawn[:, 1] / drawn[:, 0], len(sums))

    def _losses(self, model: Name, kind: str) -> Floats:
        return np.array([loss for part in self.examples for loss in part["losses"][model][kind]], dtype=np.float64)


def outcome_of(store: Path, pair: TextPair) -> PairOutcome | None:
    """What a store has of a pair; None if its models are not both trained or nothing is measured."""
    trained = trained_pair(store, pair)
    if trained is None:
        return None
    found = [(part, read_part(store, part, trained)) for part in parts_of(pair)]
    examples = [data for part, data in found if part.first is not None and data is not None]
    windows = next((data for part, data in found if part.first is None), None)
    return PairOutcome(pair, trained, examples, windows) if examples else None
