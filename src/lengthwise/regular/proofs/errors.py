"""What is raised when a proof does not show what it claims, or cannot be read."""

from lengthwise.errors import LengthwiseError


class ProofError(LengthwiseError):
    """A proof does not hold; the message says which of its steps."""


class ProofFileError(LengthwiseError):
    """A file is not a proof."""
