"""Predicates of the user: loaded from files, and blamed with their own file and line."""

from __future__ import annotations

import functools
import sys
from pathlib import Path

import numpy as np
import pytest

from lengthwise.regular.languages.learning import PredicateError, learned_automaton, load_predicate, predicate_parts
from lengthwise.user_code import module_title


@pytest.fixture(autouse=True)
def _in_a_directory_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def written(text: str, name: str = "mine.py") -> str:
    Path(name).write_text(text, encoding="utf-8")
    return name


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("mine.py:f", ("mine.py", "f")),
        ("a b/mine.PY:f_1", ("a b/mine.PY", "f_1")),
        ("c:/mine.py:f", ("c:/mine.py", "f")),
        ("mine.py", None),
        ("mine.py:", None),
        ("mine.py:f()", None),
        ("mine:f", None),
        ("regex:a", None),
        ("(ab)*", None),
    ],
)
def test_a_file_and_a_function_are_told_from_other_texts(text: str, parts: tuple[str, str] | None) -> None:
    assert predicate_parts(text) == parts


def test_a_function_is_loaded_from_a_file_and_leaves_nothing_behind() -> None:
    written("def half(word): return len(word) // 2\n", "beside.py")
    written(
        "from dataclasses import dataclass\nfrom beside import half\n"
        "@dataclass\nclass D:\n    x: int = 0\n"
        "def even(word):\n    return 2 * half(word) == len(word)\n"
    )
    before, paths = set(Path().iterdir()), list(sys.path)
    even = load_predicate("mine.py:even")
    assert even("ab") is True
    assert even("a") is False
    assert set(Path().iterdir()) == before
    assert sys.path == paths


def test_a_file_that_has_changed_is_loaded_again() -> None:
    written("def f(word): return True\n")
    assert load_predicate("mine.py:f")("") is True
    written("def f(word): return False\n")
    assert load_predicate("mine.py:f")("") is False


@pytest.mark.parametrize(
    ("content", "text", "message"),
    [
        (None, "none.py:f", "the file none.py does not exist; give a Python file and a function in it"),
        (None, "mine.py", "'mine.py' names no function of a Python file; write FILE.py:NAME"),
        ("def g(w): pass\nx = 3\n", "mine.py:f", "mine.py has no function 'f'; it has g"),
        ("x = 3\n", "mine.py:f", "mine.py has no function 'f'; it has no function"),
        ("f = 3\n", "mine.py:f", "f in mine.py is of type int and cannot be called; name a function"),
        ("\n\nf = 1 / 0\n", "mine.py:f", "mine.py:3: loading this file raised ZeroDivisionError: division by zero"),
        ("def f(:\n", "mine.py:f", "mine.py:1: loading this file raised SyntaxError: invalid syntax"),
        ("import no_such\n", "mine.py:f", "mine.py:1: loading this file raised ModuleNotFoundError: No module named"),
        ("import sys\nsys.exit(3)\n", "mine.py:f", "mine.py:2: loading this file raised SystemExit: 3"),
        ("def g(): raise KeyError('x')\n\ng()\n", "mine.py:f", "mine.py:1: loading this file raised KeyError: 'x'"),
        ("x = '\0'\n", "mine.py:f", "mine.py"),
    ],
)  # fmt: skip
def test_what_cannot_be_loaded_is_refused_in_a_sentence(content: str | None, text: str, message: str) -> None:
    if content is not None:
        written(content)
    with pytest.raises(PredicateError) as caught:
        load_predicate(text)
    assert str(caught.value).startswith(message)
    assert "\n" not in str(caught.value)
    assert module_title("mine.py") not in sys.modules or "function" in message


def test_a_directory_is_no_python_file() -> None:
    Path("mine.py").mkdir()
    with pytest.raises(PredicateError, match=r"the file mine\.py is a directory"):
        load_predicate("mine.py:f")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("def f(word):\n    x = 1\n    return word[0] == 'a'\n", "mine.py:3: f('') raised IndexError: string index"),
        ("def f(word):\n    g()\n\ndef g():\n    raise ValueError('a\\nb')\n", "mine.py:5: f('') raised ValueError: a"),
        ("def f():\n    return True\n", "mine.py:1: f('') raised TypeError: f() takes 0 positional arguments"),
        ("import sys\ndef f(word):\n    sys.exit()\n", "mine.py:3: f('') raised SystemExit"),
        ("def f(word):\n    return f(word)\n", "mine.py:2: f('') raised RecursionError: maximum recursion depth"),
        ("def f(word):\n    return 1\n", "mine.py:1: f('') returned 1 of type int; it must return True or False"),
        ("def f(word):\n    if word: return True\n", "mine.py:1: f('') returned None of type NoneType; it must return"),
        ("def f(word):\n    return 'b' if word == 'ab' else True\n", "mine.py:1: f('ab') returned 'b' of type str; it"),
        ("class F:\n    def __call__(self, word):\n        return 1 / 0\nf = F()\n", "mine.py:3: F('') raised Zero"),
    ],
)  # fmt: skip
def test_a_fault_of_the_predicate_is_told_with_its_file_line_and_word(content: str, message: str) -> None:
    written(content)
    with pytest.raises(PredicateError) as caught:
        learned_automaton(load_predicate("mine.py:f"), "ab")
    assert str(caught.value).startswith(message)
    assert "\n" not in str(caught.value)


def test_any_callable_that_returns_truth_values_is_a_predicate() -> None:
    assert len(learned_automaton(functools.partial(str.startswith, "aab"), "ab", up_to=6).automaton) == 5
    assert len(learned_automaton(lambda word: np.array([len(word)]).any(), "ab", up_to=4).automaton) == 2
    with pytest.raises(PredicateError, match=r"^endswith\(''\) returned"):
        learned_automaton(functools.wraps(str.endswith)(functools.partial(str.find, "b")), "ab")  # type: ignore[arg-type]
    with pytest.raises(PredicateError, match=r"^partial\(''\) raised TypeError"):
        learned_automaton(functools.partial(max, 3), "ab")


def test_an_interruption_is_passed_on() -> None:
    def predicate(word: str) -> bool:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        learned_automaton(predicate, "ab")
