"""Printing: canonical text parses back to the program it came from."""

import pytest
from hypothesis import HealthCheck, given, settings

from lengthwise.crasp import Program, load, parse
from lengthwise.crasp.library import names
from lengthwise.crasp.syntax import Compare, Definition, Number, Sum
from tests.programs import programs


@given(programs(large=True))
@settings(max_examples=80, deadline=None, database=None, suppress_health_check=list(HealthCheck))
def test_text_parses_back_to_the_program_it_came_from(program: Program) -> None:
    text = str(program)
    again = parse(text)
    assert again == program
    assert str(again) == text


def test_a_subtracted_zero_parses_back() -> None:
    zeros = Sum(((-1, Number(0)), (1, Number(0))))
    program = Program((Definition("x", Compare(zeros, "==", Number(0))),))
    assert parse(str(program)) == program


@pytest.mark.parametrize("name", names())
def test_library_programs_parse_back(name: str) -> None:
    program = load(name)
    assert parse(str(program)) == program


@pytest.mark.parametrize(
    ("written", "canonical"),
    [
        ('x = (("a"))', 'x = "a"'),
        ('x := "a"', 'x = "a"'),
        ('x = "a" && ("b" && "c")', 'x = "a" && "b" && "c"'),
        ('x = ("a" || "b") && "c"', 'x = ("a" || "b") && "c"'),
        ('x = "a" || ("b" && "c")', 'x = "a" || "b" && "c"'),
        ('x = !("a" && "b")', 'x = !("a" && "b")'),
        ('x = !# "a" == 0', 'x = !(# "a" == 0)'),
        ('x = !!"a"', 'x = !!"a"'),
        ('x = #(!"a") == 0', 'x = # !"a" == 0'),
        ('x = # !!!"a" == 0', 'x = # !!!"a" == 0'),
        ("x = #('a') > -3", 'x = # "a" > -3'),
        ("x = exists('\"')", "x = exists '\"'"),
        ('x = (# "a" - (# "b" - 1)) > 0', 'x = # "a" - # "b" + 1 > 0'),
        ('x = 2 * (# "a" + 1) > 0', 'x = 2 * (# "a" + 1) > 0'),
        ('x = # "a" * 2 > 0', 'x = 2 * # "a" > 0'),
        ('x = -(2 * # "a") > 0', 'x = -2 * # "a" > 0'),
        ('x = (1 if "a" else 0) > 0', 'x = (1 if "a" else 0) > 0'),
        ('c = 1 if "a" else 2 if "b" else 3', 'c = 1 if "a" else (2 if "b" else 3)'),
        ("x = i % 3 != 1", "x = i % 3 in {0, 2}"),
        ('x = #(i % 2 == 0) > # "a"', 'x = #(i % 2 == 0) > # "a"'),
        ('x = #[j <= i] "a" > 0', 'x = # "a" > 0'),
        ('x = #[j <= i, j == i-1] "a" > 0', 'x = #[j == i-1] "a" > 0'),
        ('x = #[i-j <= 3] "a" > 0', 'x = #[j >= i-3] "a" > 0'),
        ('x = #[j != i] "a" > 0', 'x = #[j < i] "a" > 0'),
        ('x = #[j >= i-5 && j < i && j != i-2] "a" > 0', 'x = #[i-j in {1, 3, 4, 5}] "a" > 0'),
        ('#import pred3\nx = #[pred3] "a" > 0', 'x = #[j == i-3] "a" > 0'),
        ("#import pos_even\nx = pos_even", "x = i % 2 == 1"),
        ('x = #(\n  "a" &&\n  "b"\n) > 0', 'x = #("a" && "b") > 0'),
    ],
)
def test_the_canonical_form_has_the_brackets_that_help(written: str, canonical: str) -> None:
    assert str(parse(written)) == canonical + "\n"
