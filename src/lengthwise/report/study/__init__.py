"""A study: the verdict on a task, its bounds and what was measured, joined in one report.

>>> import lengthwise
>>> lengthwise.study("majority").write("majority")  # doctest: +SKIP
"""

from lengthwise.report.study.conduct import Outlook, Plan, measured, outlook, planned, study
from lengthwise.report.study.result import Study

__all__ = ["Outlook", "Plan", "Study", "measured", "outlook", "planned", "study"]
