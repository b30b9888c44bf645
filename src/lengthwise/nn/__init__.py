"""Small transformers in PyTorch: one page of model, one file for each position scheme, all seeds at once.

>>> import torch
>>> from lengthwise.nn import Decoder, DecoderConfig
>>> model = Decoder(DecoderConfig(vocabulary=3, outputs=1), seeds=range(8))
>>> model(torch.tensor([[0, 1, 2, 2]])).shape
torch.Size([8, 1, 1])
"""

from lengthwise.nn import counts, positions
from lengthwise.nn.batches import FoldedBatch, FoldedCounts, fold, fold_counts
from lengthwise.nn.config import ConfigError, DecoderConfig
from lengthwise.nn.inputs import InputError
from lengthwise.nn.loading import CompiledDecoder, load_compiled
from lengthwise.nn.loss import LossError, losses
from lengthwise.nn.model import Decoder
from lengthwise.nn.mup import Rates, groups
from lengthwise.nn.optimizer import FoldedAdam, ParameterGroup

__all__ = [
    "CompiledDecoder",
    "ConfigError",
    "Decoder",
    "DecoderConfig",
    "FoldedAdam",
    "FoldedBatch",
    "FoldedCounts",
    "InputError",
    "LossError",
    "ParameterGroup",
    "Rates",
    "counts",
    "fold",
    "fold_counts",
    "groups",
    "load_compiled",
    "losses",
    "positions",
]
