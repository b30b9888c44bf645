"""Models other than our decoder: each a PyTorch module on one page, trained by the same loop; or anybody's, by name."""

from lengthwise.nn.architectures.registry import DECODER, ArchitectureError, complete, names, register_model
from lengthwise.nn.architectures.seeded import SeededModel

__all__ = ["DECODER", "ArchitectureError", "SeededModel", "complete", "names", "register_model"]
