"""The functions of `import lengthwise`: each reads its subject and calls one package, which takes typed objects."""

from lengthwise.public.deciding import check_proof, decide, program_for, verify
from lengthwise.public.searching import search
from lengthwise.public.studying import plan_study, study
from lengthwise.public.training import train

__all__ = ["check_proof", "decide", "plan_study", "program_for", "search", "study", "train", "verify"]
