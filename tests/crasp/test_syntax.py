"""What the syntax says of every node, once for all who walk expressions, and who has to know the nodes one by one."""

import ast
from pathlib import Path
from typing import get_args

from hypothesis import HealthCheck, given, settings

import lengthwise
from lengthwise.crasp import Program
from lengthwise.crasp.reading.check import sorts
from lengthwise.crasp.syntax import (
    Definition,
    Expression,
    Name,
    Number,
    Sort,
    children,
    rebuilt,
    shape,
    sort_of,
    walk,
)
from tests.programs import programs

SOURCE = Path(lengthwise.__file__).parent
NODES = {node.__name__ for node in get_args(Expression)}
MOST_NODES = 5
"""How many kinds of nodes a module may name for reasons of its own, such as counts because of their guards."""
KNOW_THE_NODES = {
    "atlas/complexity.py": "says what each costs",
    "atlas/grammar.py": "makes them, the smallest first",
    "crasp/frontend.py": "makes them from Python",
    "crasp/reading/check.py": "says what is wrong with each",
    "crasp/reading/expression_reader.py": "makes them from text",
    "crasp/running/operations.py": "lowers them: every evaluator reads its operations, and so does simplify",
    "crasp/showing/printer.py": "writes them, as text and for LaTeX",
    "crasp/simplify/text.py": "makes them from operations",
    "regular/prover/edits.py": "leaves something out of each; of a node that it does not know, nothing",
}
"""The modules besides `syntax` in which a new node must or may be entered."""


def test_a_new_node_touches_readers_writers_and_evaluators_only() -> None:
    knowing = set()
    for path in SOURCE.rglob("*.py"):
        imports = [each for each in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(each, ast.ImportFrom)]
        named = {each.name for found in imports if found.module == "lengthwise.crasp.syntax" for each in found.names}
        if len(named & NODES) > MOST_NODES:
            knowing.add(path.relative_to(SOURCE).as_posix())
    assert knowing == set(KNOW_THE_NODES)


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(programs())
def test_an_expression_is_its_shape_with_its_subexpressions(program: Program) -> None:
    for statement in program.statements:
        for node in walk(statement.expression):
            assert rebuilt(node, children(node)) == node
            assert rebuilt(shape(node), children(node)) == node
            assert (shape(node) == node) == all(part == Name("") for part in children(node))


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(programs())
def test_the_sort_of_an_expression_is_that_which_the_checker_finds(program: Program) -> None:
    names: dict[str, Sort] = {}
    for statement, sort in zip(program.statements, sorts(program.statements), strict=True):
        assert sort_of(statement.expression, names) is sort
        for node in walk(statement.expression):
            alone = Program((Definition("p", node),)) if not any(isinstance(e, Name) for e in walk(node)) else None
            assert alone is None or alone.sorts == (sort_of(node, {}),)
        if isinstance(statement, Definition):
            names[statement.name] = sort


def test_a_sum_keeps_its_signs_when_its_terms_are_exchanged() -> None:
    program = lengthwise.crasp.parse('p = #"a" - 3 - #"b"')
    sum_of = program.statements[0].expression
    first, second, third = children(sum_of)
    assert second == Number(3)
    assert (
        rebuilt(sum_of, (third, second, first))
        == lengthwise.crasp.parse('p = #"b" - 3 - #"a"').statements[0].expression
    )
