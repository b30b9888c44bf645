"""Limit Transformers: the models of the theory of length generalization, as data one can evaluate and transform.

>>> import lengthwise as lw
>>> lw.limit.from_crasp(lw.crasp.load("dyck1")).accepts("(())")
True
"""

from lengthwise.limit import constructions, protocol
from lengthwise.limit.certificate import Certificate, RegimeFamily
from lengthwise.limit.compiling.certify import certified_length
from lengthwise.limit.compiling.from_crasp import Compilation, compile_program, from_crasp, values
from lengthwise.limit.evaluation.regimes import Hardmax, Huang, IzzoFinite, IzzoInfinite, Regime
from lengthwise.limit.files import load, load_transformer, save
from lengthwise.limit.model import Head, Layer, LimitTransformer, ModelError
from lengthwise.limit.protocol.exchange import Exchange, exchange
from lengthwise.limit.quantities.margins import hardmax_length, logit_margin, positional_margin
from lengthwise.limit.transformers.from_transformer import from_transformer
from lengthwise.limit.transformers.hypothesis_class import Membership, membership
from lengthwise.limit.transformers.product_functions import ProductFunctions, product_functions
from lengthwise.limit.transformers.to_transformer import to_transformer
from lengthwise.limit.transformers.transformer import Transformer

__all__ = [
    "Certificate",
    "Compilation",
    "Exchange",
    "Hardmax",
    "Head",
    "Huang",
    "IzzoFinite",
    "IzzoInfinite",
    "Layer",
    "LimitTransformer",
    "Membership",
    "ModelError",
    "ProductFunctions",
    "Regime",
    "RegimeFamily",
    "Transformer",
    "certified_length",
    "compile_program",
    "constructions",
    "exchange",
    "from_crasp",
    "from_transformer",
    "hardmax_length",
    "load",
    "load_transformer",
    "logit_margin",
    "membership",
    "positional_margin",
    "product_functions",
    "protocol",
    "save",
    "to_transformer",
    "values",
]
