"""Small models of text, byte by byte: one trained on short contexts, one on long ones (Golowich et al., section 5.3).

`Corpus` is what they read, `TextCell` a model and its training, `TextPair` two models that are compared. What their
predictions depend on is measured by `lengthwise.diagnose.influence`.
"""

from lengthwise.lab.text.cell import TextCell, TextModelSettings
from lengthwise.lab.text.corpus import Corpus, CorpusSettings, Origin, TextError, collect
from lengthwise.lab.text.kept_corpus import kept_corpus
from lengthwise.lab.text.pair import TextPair, train_cell, trained_pair
from lengthwise.lab.text.perplexity import Entropies, entropies
from lengthwise.lab.text.published import TextFigure, catalogue
from lengthwise.lab.text.training import Trained, load_trained, read_trained, train
from lengthwise.lab.text.windows import Windows, training_windows, validation_windows

__all__ = [
    "Corpus",
    "CorpusSettings",
    "Entropies",
    "Origin",
    "TextCell",
    "TextError",
    "TextFigure",
    "TextModelSettings",
    "TextPair",
    "Trained",
    "Windows",
    "catalogue",
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
