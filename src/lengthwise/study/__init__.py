"""A study: the verdict on a task, its bounds and what was measured, joined in one report.

    schemes, lengths, protocol   what is compared, at which lengths, by which rule
    request, cost, plan          what is asked, what runs cost, which models may be trained
    progression                  what is trained next, given results
    conduct                      the study itself, from outlook to report
    measurement, outcome, answer what was measured, how it is judged, what it says
    page/                        the report as a page

>>> import lengthwise
>>> lengthwise.study("majority").write("majority")  # doctest: +SKIP
"""

from lengthwise.study.conduct import Outlook, look_ahead, plan_of, report, train
from lengthwise.study.outcome import seeds_needed
from lengthwise.study.plan import Plan, make_plan
from lengthwise.study.published import in_practice, published_runs
from lengthwise.study.request import Request
from lengthwise.study.result import Study

__all__ = [
    "Outlook",
    "Plan",
    "Request",
    "Study",
    "in_practice",
    "look_ahead",
    "make_plan",
    "plan_of",
    "published_runs",
    "report",
    "seeds_needed",
    "train",
]
