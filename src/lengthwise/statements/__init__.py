"""What the five papers state, statement by statement: what became of each, and where it can be used and checked."""

from lengthwise.statements.statement import PAPERS, STATUSES, Statement, papers

__all__ = ["PAPERS", "STATUSES", "Statement", "papers"]
