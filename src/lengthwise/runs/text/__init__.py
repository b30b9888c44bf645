"""Small models of text, byte by byte: one trained on short contexts, one on long ones (Golowich et al., section 5.3).

`Corpus` is what they read, `TextCell` a model and its training, `TextPair` two models that are compared. What their
predictions depend on is measured by `lengthwise.diagnose.influence`.
"""

from lengthwise.runs.text.cell import TextCell, TextModelSettings
from lengthwise.runs.text.corpus import Corpus, CorpusSettings, Origin, TextError, collect, kept_corpus
from lengthwise.runs.text.pair import TextPair, train_cell, trained_pair
from lengthwise.runs.text.training import Trained, load_trained, read_trained, train
from lengthwise.runs.text.windows import Entropies, Windows, entropies, training_windows, validation_windows

__all__ = [
    "Corpus",
    "CorpusSettings",
    "Entropies",
    "Origin",
    "TextCell",
    "TextError",
    "TextModelSettings",
    "TextPair",
    "Trained",
    "Windows",
    "collect",
    "entropies",
    "kept_corpus",
    "load_trained",
    "read_trained",
    "train",
    "train_cell",
    "trained_pair",
    "training_windows",
    "validation_windows",
]
