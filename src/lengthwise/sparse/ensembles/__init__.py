"""k-sparse planted correlations (Golowich et al., Definition 3.2): laws of labelled words, exact and sampled."""

from lengthwise.sparse.ensembles.background import Background, Independent, MarkovChain, independent, markov_chain
from lengthwise.sparse.ensembles.coverage import Coverage, coverage, largest_coverage
from lengthwise.sparse.ensembles.ensemble import Ensemble, Outcome, PlantedSample
from lengthwise.sparse.ensembles.examples import k_gram_retrieval, sparse_parity
from lengthwise.sparse.ensembles.laws import EnsembleError, largest_entry, sum_of_entries
from lengthwise.sparse.ensembles.positions import (
    PositionLaw,
    any_places,
    placed_shapes,
    random_shift,
    uniform_over,
)

__all__ = [
    "Background",
    "Coverage",
    "Ensemble",
    "EnsembleError",
    "Independent",
    "MarkovChain",
    "Outcome",
    "PlantedSample",
    "PositionLaw",
    "any_places",
    "coverage",
    "independent",
    "k_gram_retrieval",
    "largest_coverage",
    "largest_entry",
    "markov_chain",
    "placed_shapes",
    "random_shift",
    "sparse_parity",
    "sum_of_entries",
    "uniform_over",
]
