"""The examples in docstrings are true."""

from __future__ import annotations

import doctest
from importlib import import_module
from pathlib import Path

import pytest

MODULES = [
    "alphabet",
    "regular.languages.regex",
    "regular.languages.regex_automaton",
    "regular.languages.language",
    "regular.languages.dfa_files",
    "regular.languages.att_files",
    "regular.languages.learning.predicates",
    "regular.languages.learning.learned",
]


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_of_a_module_are_true(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    failed, tried = doctest.testmod(import_module(f"lengthwise.{name}"))
    assert tried > 0
    assert failed == 0
