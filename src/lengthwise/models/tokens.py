"""Which tokens of a model are the symbols of a task: by the task's own ids, a table, or a tokenizer.

A model trained elsewhere may number symbols in its own way, read a start symbol that the task does not have, and call
the end of a word by another name. `Format` says all of it.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from lengthwise.models.answering import ModelError
from lengthwise.regular.algorithmic.task_programs import END, SEPARATOR
from lengthwise.tasks.answer_format import START
from lengthwise.tasks.task import Task

Tokenize = Callable[[str], "int | None"]
"""The one token of a symbol; None if it has none, or several."""


@dataclass(frozen=True)
class Format:
    """How words reach a model, and how its outputs are read.

    Args:
        tokens: The token of each symbol by a table; None for a tokenizer if the model has one, else the task's ids.
        start: The token in front of a word, or the one for the SOS of a task that has it: its name or its number.
        separator: The token for the SEP of a task that has it.
        end: The token for the EOS of a task that has it, or for "the word may end here".
        threshold: A symbol belongs to the next-symbol set if its softmax probability is at least this; None: if its
            logit is positive, as for models that are trained with a binary cross entropy.

    Example:
        >>> Format(tokens={"a": 0, "b": 1, "<bos>": 2, "<eos>": 3}, start="<bos>", end="<eos>").start
        '<bos>'

    """

    tokens: Mapping[str, int] | None = None
    start: str | int | None = None
    separator: str | int | None = None
    end: str | int | None = None
    threshold: float | None = None

    def __post_init__(self) -> None:
        if self.threshold is not None and not 0 < self.threshold < 1:
            raise ModelError(f"the threshold is a probability between 0 and 1, not {self.threshold}")
        if self.tokens is not None:
            for symbol, token in self.tokens.items():
                if type(token) is not int or token < 0:
                    raise ModelError(
                        f"the table of tokens gives {symbol!r} the token {token!r}; a token is a whole number from 0 on"
                    )


def read_table(path: str | os.PathLike[str]) -> dict[str, int]:
    """Read a table of tokens.

    Args:
        path: A JSON file with an object such as `{"a": 0, "b": 1, "<bos>": 2}`.

    Returns:
        The token of each symbol.

    Raises:
        ModelError: The file cannot be read or holds something else.

    """
    try:
        table = json.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError) as problem:
        reason = problem.strerror if isinstance(problem, OSError) else " ".join(str(problem).split())
        raise ModelError(f"the table of tokens {path} cannot be read: {reason}") from None
    if not isinstance(table, dict):
        raise ModelError(f'{path} is no table of tokens; write an object such as {{"a": 0, "b": 1}}')
    return table


@dataclass(frozen=True, eq=False)
class TokenIds:
    """The tokens of a task for a model."""

    symbols: npt.NDArray[np.int64]
    """The token of each symbol of the task."""
    outputs: npt.NDArray[np.int64]
    """The column of the model's outputs for each output of the task."""
    start: int | None
    """The token in front of a word, where the task has none."""

    @property
    def count(self) -> int:
        """How many tokens the model must have at least."""
        read = [*self.symbols.tolist(), *([] if self.start is None else [self.start])]
        return 1 + max(read, default=-1)


def token_ids(task: Task, wanted: Format, tokenize: Tokenize | None, title: str) -> TokenIds:
    """Find the tokens of a task's symbols.

    Args:
        task: The task.
        wanted: The table, and the names of start, separator and end.
        tokenize: The model's tokenizer, for want of a table; None for the ids of the task.
        title: What messages call the model.

    Returns:
        The tokens.

    Raises:
        ModelError: A symbol has no token, or two have the same.

    """
    names = {START: wanted.start, SEPARATOR: wanted.separator, END: wanted.end}
    known = task.alphabet.symbols
    by_task = {symbol: number for number, symbol in enumerate(known)}
    own_ids = wanted.tokens is None and tokenize is None

    def token(symbol: str, called: str | int | None) -> int:
        if isinstance(called, int):
            return called
        name = symbol if called is None else called
        if own_ids:
            found: int | None = by_task[symbol] if called is None else int(name) if name.isdecimal() else None
        elif wanted.tokens is not None:
            found = wanted.tokens.get(name)
        else:
            found = tokenize(name) if tokenize is not None else None
        if found is None and called is not None and name.isdecimal():
            found = int(name)
        if found is None:
            raise ModelError(_missing(title, symbol, name, wanted, own_ids))
        return found

    symbols = [token(symbol, names.get(symbol)) for symbol in known]
    for number, symbol in zip(symbols, known, strict=True):
        first = known[symbols.index(number)]
        if first != symbol:
            raise ModelError(f"{first!r} and {symbol!r} have the same token {number} of {title}; give each its own")
    outputs = symbols
    if task.loss == "next-set":
        if own_ids and wanted.end is None:
            end = task.outputs - 1
        else:
            end = token(END, wanted.end)
        outputs = [*symbols[: task.outputs - 1], end]  # a start symbol is never what comes next
    elif task.loss == "regression":
        outputs = list(range(task.outputs))
    start = None if wanted.start is None or START in known else token(START, wanted.start)
    return TokenIds(np.array(symbols, dtype=np.int64), np.array(outputs, dtype=np.int64), start)


def _missing(title: str, symbol: str, name: str, wanted: Format, own_ids: bool) -> str:
    if own_ids:
        return f"{title} has no table of tokens, in which {name!r} could be looked up; give one, or a number"
    where = "the table of tokens" if wanted.tokens is not None else f"the tokenizer of {title}"
    what = f"the end of a word ({name!r})" if symbol == END else repr(name)
    option = {START: "start", SEPARATOR: "separator", END: "end"}.get(symbol)
    hint = f", or say with {option!r} how it is called" if option else ""
    return f"{where} has no single token for {what}; give a table with one{hint}"
