"""Small transformers in PyTorch: one page of model, one file for each position scheme, all seeds at once.

>>> import torch
>>> from lengthwise.nn import Decoder, DecoderConfig
>>> model = Decoder(DecoderConfig(vocabulary=3, outputs=1), seeds=range(8))
>>> model(torch.tensor([[0, 1, 2, 2]])).shape
torch.Size([8, 1, 1])
"""

from lengthwise.nn import asked, counts, positions, seedwise
from lengthwise.nn.batches import FoldedBatch, FoldedCounts, WordSupply, fold, fold_counts, joined
from lengthwise.nn.config import ConfigError, DecoderConfig
from lengthwise.nn.initialisation import Rates, groups
from lengthwise.nn.inputs import InputError
from lengthwise.nn.loading.boolean import BooleanDecoder
from lengthwise.nn.loading.compiled import CompiledDecoder, load_compiled
from lengthwise.nn.loading.gpt2 import GPT2Error, from_gpt2, load_gpt2, to_gpt2
from lengthwise.nn.loss import LossError, losses
from lengthwise.nn.model import Decoder
from lengthwise.nn.optimizer import FoldedAdam, ParameterGroup

__all__ = [
    "BooleanDecoder",
    "CompiledDecoder",
    "ConfigError",
    "Decoder",
    "DecoderConfig",
    "FoldedAdam",
    "FoldedBatch",
    "FoldedCounts",
    "GPT2Error",
    "InputError",
    "LossError",
    "ParameterGroup",
    "Rates",
    "WordSupply",
    "asked",
    "counts",
    "fold",
    "fold_counts",
    "from_gpt2",
    "groups",
    "joined",
    "load_compiled",
    "load_gpt2",
    "losses",
    "positions",
    "seedwise",
    "to_gpt2",
]
