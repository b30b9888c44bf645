"""The error of diagnoses."""

from lengthwise.errors import LengthwiseError


class DiagnosisError(LengthwiseError):
    """A model or a task that a diagnosis is not about."""
