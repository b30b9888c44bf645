"""Diagnostics of trained models: what they do inside, and whether that is what the theorems assume."""

from lengthwise.errors import LengthwiseError


class DiagnosisError(LengthwiseError):
    """A model or a task that a diagnosis is not about."""
