"""What models are trained on: every task behind one interface, one file each.

    >>> import numpy
    >>> from lengthwise import tasks
    >>> tasks.get("simple-task", omega=3).sample(8, 1024, numpy.random.default_rng(0)).tokens.shape
    (1024, 8)

`get` makes a registered task, `registered` lists their names, `register_task` adds one. `QuestionAnswerTask` is the
base of one's own tasks that ask and answer. Languages and programs are tasks, too:
`lengthwise.Subject.of("(aa)*").as_task()`.
"""

from lengthwise.tasks.acceptance_task import AcceptanceTask
from lengthwise.tasks.algorithmic import AnswerTask
from lengthwise.tasks.claim import Claim, Counterexample, check_claim, claim_verdict
from lengthwise.tasks.coupled import PositionedTask
from lengthwise.tasks.field import AlternatingBlocks, AssociativeRecall, BoundedDyck, FlipFlop, StateTracking
from lengthwise.tasks.k_gram import KGramTask
from lengthwise.tasks.language_task import LanguageTask
from lengthwise.tasks.mod_p_task import ModPTask
from lengthwise.tasks.program_task import ProgramTask
from lengthwise.tasks.question_answer import QuestionAnswerTask
from lengthwise.tasks.registry import describe, get, register_task, registered
from lengthwise.tasks.request import lengths
from lengthwise.tasks.settings import read_settings
from lengthwise.tasks.simple_task import SimpleTask
from lengthwise.tasks.started_task import StartedTask
from lengthwise.tasks.task import Batch, CountBatch, CountedTask, Loss, Task
from lengthwise.tasks.validation import TaskError, validate

__all__ = [
    "AcceptanceTask",
    "AlternatingBlocks",
    "AnswerTask",
    "AssociativeRecall",
    "Batch",
    "BoundedDyck",
    "Claim",
    "CountBatch",
    "CountedTask",
    "Counterexample",
    "FlipFlop",
    "KGramTask",
    "LanguageTask",
    "Loss",
    "ModPTask",
    "PositionedTask",
    "ProgramTask",
    "QuestionAnswerTask",
    "SimpleTask",
    "StartedTask",
    "StateTracking",
    "Task",
    "TaskError",
    "check_claim",
    "claim_verdict",
    "describe",
    "get",
    "lengths",
    "read_settings",
    "register_task",
    "registered",
    "validate",
]
