"""Diagnostics of trained models: what they do inside, and whether that is what the theorems assume."""

from lengthwise.diagnose.attention import DiagnosisError

# isort: split
from lengthwise.diagnose import influence
from lengthwise.diagnose.attention import WatchedDecoder, attention_of_last
from lengthwise.diagnose.hardmax import Group, HardmaxCheck, SeedAttention, check, check_run

__all__ = [
    "DiagnosisError",
    "Group",
    "HardmaxCheck",
    "SeedAttention",
    "WatchedDecoder",
    "attention_of_last",
    "check",
    "check_run",
    "influence",
]
