"""The functions of `import lengthwise`: each reads its subject and calls one package, which takes typed objects."""

from lengthwise.public.deciding import check_proof, decide, verify
from lengthwise.public.evaluating import evaluate
from lengthwise.public.identifying import identification
from lengthwise.public.lines import lines_of
from lengthwise.public.models import bound, compile, load, protocol, simulate  # noqa: A004 - the verbs' names
from lengthwise.public.norms import model_norms
from lengthwise.public.programs import learn, rivals
from lengthwise.public.running import check, run
from lengthwise.public.searching import search
from lengthwise.public.showing import show
from lengthwise.public.studying import plan_study, study
from lengthwise.public.task_facts import describe_task
from lengthwise.public.training import train

__all__ = [
    "bound",
    "check",
    "check_proof",
    "compile",
    "decide",
    "describe_task",
    "evaluate",
    "identification",
    "learn",
    "lines_of",
    "load",
    "model_norms",
    "plan_study",
    "protocol",
    "rivals",
    "run",
    "search",
    "show",
    "simulate",
    "study",
    "train",
    "verify",
]
