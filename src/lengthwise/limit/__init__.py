"""Limit Transformers: the models of the theory of length generalization, as data one can evaluate and transform."""

from lengthwise.limit.model import Head, Layer, LimitTransformer, ModelError
from lengthwise.limit.regimes import Hardmax, Huang, IzzoFinite, IzzoInfinite, Regime

__all__ = [
    "Hardmax",
    "Head",
    "Huang",
    "IzzoFinite",
    "IzzoInfinite",
    "Layer",
    "LimitTransformer",
    "ModelError",
    "Regime",
]
