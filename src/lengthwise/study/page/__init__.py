"""The report as a page."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lengthwise.study.result import Study


def page(study: Study) -> str:
    """The whole page."""
    return study.subject.title


def fragment(study: Study) -> str:
    """The same for a notebook."""
    return study.subject.title
