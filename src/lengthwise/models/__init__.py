"""Any model as something that answers the words of a task: ours, those of Hugging Face, torch modules, functions."""

from lengthwise.models.answering import Answer, Answerer, ModelError
from lengthwise.models.reading import read_model
from lengthwise.models.scoring import LengthScore, score, wilson
from lengthwise.models.tokens import Format, read_table

__all__ = ["Answer", "Answerer", "Format", "LengthScore", "ModelError", "read_model", "read_table", "score", "wilson"]
