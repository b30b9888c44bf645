"""What published runs of such tasks did: of the same language, and of languages with the same verdicts.

>>> from lengthwise.study.published import published_runs
>>> [(runs.published_as, runs.asks, runs.scheme) for runs in published_runs("tomita-4")]
[('tomita-4', 'next', 'nope'), ('tomita-4', 'next', 'ape')]
"""

from lengthwise.study.published.practice import (
    Held,
    class_of_verdicts,
    in_practice,
    languages_that_held,
    languages_told_apart,
    means_that_held,
)
from lengthwise.study.published.runs import AtLengths, PublishedRuns, published_runs

__all__ = [
    "AtLengths",
    "Held",
    "PublishedRuns",
    "class_of_verdicts",
    "in_practice",
    "languages_that_held",
    "languages_told_apart",
    "means_that_held",
    "published_runs",
]
