"""Which tokens of a context a prediction of text depends on (Golowich et al., section 5.3).

`OurTextModel` and `HuggingFaceModel` are models in which tokens can be hidden. `influential` orders the far tokens of
windows by what their absence costs, `dependence` has the losses L_short, L_long and L_short,sparse, and `scatter` says
how much of what far tokens are worth is owed to a few of them.
"""

from lengthwise.diagnose.influence.dependence import (
    Dependence,
    at_random,
    base_losses,
    by_influence,
    dependence,
    far_tokens,
    influential,
    losses_without_each,
    sparse_losses,
    target_losses,
)
from lengthwise.diagnose.influence.hugging_face import HuggingFaceModel, load_hugging_face
from lengthwise.diagnose.influence.our_model import MaskedDecoder, OurTextModel, load_ours
from lengthwise.diagnose.influence.scatter import Measured, scatter
from lengthwise.diagnose.influence.text_model import TextModel

__all__ = [
    "Dependence",
    "HuggingFaceModel",
    "MaskedDecoder",
    "Measured",
    "OurTextModel",
    "TextModel",
    "at_random",
    "base_losses",
    "by_influence",
    "dependence",
    "far_tokens",
    "influential",
    "load_hugging_face",
    "load_ours",
    "losses_without_each",
    "scatter",
    "sparse_losses",
    "target_losses",
]
