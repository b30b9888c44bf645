"""The logarithmic communication protocol for Limit Transformers (Huang et al., Theorem 12), run for real."""

from lengthwise.limit.protocol.exchange import (
    Alice,
    Bob,
    Cost,
    Exchange,
    Transcript,
    bits_against_length,
    exchange,
    single_party,
)
from lengthwise.limit.protocol.rounded_model import Precision

__all__ = [
    "Alice",
    "Bob",
    "Cost",
    "Exchange",
    "Precision",
    "Transcript",
    "bits_against_length",
    "exchange",
    "single_party",
]
