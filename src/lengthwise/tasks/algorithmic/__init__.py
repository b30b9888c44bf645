"""The algorithmic tasks of Huang et al. (App. E.2.1): a question, and behind it the answer, symbol by symbol.

    >>> import numpy
    >>> from lengthwise import tasks
    >>> task = tasks.get("task:copy-repeat")
    >>> batch = task.sample(3, 1, numpy.random.default_rng(0))
    >>> " ".join(task.alphabet.decode(batch.tokens[0]))
    'SOS b b b SEP b b b'
    >>> " ".join(task.alphabet.decode(batch.targets[0][batch.mask[0]]))
    'b b b EOS'

A task is called `task:` and its name in Table 3, because `sort` and `majority` alone are programs of the library, and
`parity` a language; `task.verdict()` is what `decide` says of that name.

The text of the paper that this follows lacks the paragraphs on Binary Majority, Copy (unique) and Parity. What they say
was taken from those that refer to them and from the authors' published program; each file says what from where.
"""

from lengthwise.regular.algorithmic.task_programs import END, SEPARATOR
from lengthwise.tasks.algorithmic.addition import Addition
from lengthwise.tasks.algorithmic.answer_task import PREFIX, START, AnswerTask
from lengthwise.tasks.algorithmic.copying import CopyRepeat, CopyUnique
from lengthwise.tasks.algorithmic.majorities import BinaryMajority, BinaryMajorityInterleave, Majority
from lengthwise.tasks.algorithmic.parity import Parity
from lengthwise.tasks.algorithmic.sort import Sort

__all__ = [
    "END",
    "PREFIX",
    "SEPARATOR",
    "START",
    "Addition",
    "AnswerTask",
    "BinaryMajority",
    "BinaryMajorityInterleave",
    "CopyRepeat",
    "CopyUnique",
    "Majority",
    "Parity",
    "Sort",
]
