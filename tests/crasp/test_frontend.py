"""Programs written in Python are the programs one would have written as text."""

import pytest

from lengthwise.crasp import (
    Q,
    all_of,
    any_of,
    build,
    count,
    exists,
    i,
    j,
    maximum,
    minimum,
    number,
    parse,
    truth,
    where,
)
from lengthwise.crasp.syntax import MAX_NESTING
from lengthwise.errors import LengthwiseError


def test_dyck1_in_python_is_dyck1_in_text() -> None:
    opened, closed = count(Q("(")), count(Q(")"))
    program = build((count(opened < closed) == 0) & (opened == closed), opened=opened, closed=closed, alphabet="()")
    assert program == parse(
        'alphabet "(" ")"\nopened = # "("\nclosed = # ")"\naccept = #(opened < closed) == 0 && opened == closed'
    )


A, B = Q("a"), Q("b")
ONE = count(A)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (A & B & ~A, '"a" && "b" && !"a"'),
        (A | B & A, '"a" || "b" && "a"'),
        (truth() | truth(False), "true || false"),
        (10 - count(B) + 2 == 2 * count(A) - 1, '10 - # "b" + 2 == 2 * # "a" - 1'),
        (-count(A) < -3 * count(B), '-# "a" < -(3 * # "b")'),
        (count(A) * 2 != number(7), '2 * # "a" != 7'),
        (minimum(count(A), 3) >= maximum(1, count(B)), 'min(# "a", 3) >= max(1, # "b")'),
        (where(A, 1, count(B)) > 0, '(1 if "a" else # "b") > 0'),
        (count(A, j == i - 1) <= 1, '#[j == i-1] "a" <= 1'),
        (count(A, j >= i - 3) <= 1, '#[j >= i-3] "a" <= 1'),
        (count(A, i - 2 < j) <= 1, '#[j >= i-1] "a" <= 1'),
        (count(A, (i - j).among(4, 1)) <= 1, '#[i-j in {1, 4}] "a" <= 1'),
        (count(A, (j - i).among(-4, -1)) <= 1, '#[i-j in {1, 4}] "a" <= 1'),
        (exists(A, j < i), 'exists[j < i] "a"'),
        (exists(A & B), 'exists ("a" && "b")'),
        ((i % 3).among(2, 0), "i % 3 in {0, 2}"),
        (i % 2 == 0, "i % 2 == 0"),
        (i % 3 != 0, "i % 3 in {1, 2}"),
        (all_of([]), "true"),
        (any_of([]), "false"),
        (any_of([A]), '"a"'),
        (all_of([A, B, A]), '"a" && "b" && "a"'),
    ],
)
def test_every_operator_means_what_its_text_means(value: object, text: str) -> None:
    assert build(value) == parse(f"accept = {text}")  # type: ignore[arg-type]


def test_an_operation_used_twice_is_defined_once() -> None:
    program = build((ONE == 1) & (ONE != 2))
    assert str(program) == 'c1 = # "a"\naccept = c1 == 1 && c1 != 2\n'


def test_doubling_a_count_fifty_times_takes_fifty_operations() -> None:
    total = count(A)
    for _ in range(50):
        total = total + total
    program = build(total >= 2**50)
    assert len(program.statements) == 52 - 1
    assert program.accepts("ba")
    assert not program.accepts("b")


def test_a_deep_expression_is_cut_into_named_parts() -> None:
    value = A
    for _ in range(10 * MAX_NESTING):
        value = exists(B & value)
    program = build(value)
    assert program.depth == 10 * MAX_NESTING
    assert parse(str(program)) == program
    # Each exists looks at positions up to its own, so one b at a position holding an a would be needed at the start.
    assert not program.accepts("ab" * 5)


def test_predictions_and_helper_names_are_kept() -> None:
    previous = count(A, j == i - 1) >= 1
    program = build(predict={"a": previous, "b": ~previous}, previous=previous)
    assert str(program) == 'previous = #[j == i-1] "a" >= 1\nnext "a" = previous\nnext "b" = !previous\n'
    assert program.next_tokens("aab") == [{"b"}, {"a"}, {"a"}]


def test_the_accepting_boolean_stays_last_even_if_others_depend_on_it() -> None:
    once = count(A) == 1
    program = build(once, once=once, other=~once)
    assert program.accepts("ab")
    assert not program.accepts("bb")


@pytest.mark.parametrize(
    "mistake",
    [
        lambda: bool(A),
        lambda: 0 < ONE < 3,
        lambda: A & ONE,  # type: ignore[operator]
        lambda: ONE + A,  # type: ignore[operator]
        lambda: ONE * ONE,  # type: ignore[operator]
        lambda: ONE == "a",
        lambda: count(ONE),  # type: ignore[arg-type]
        lambda: count(A, j <= i - 2),
        lambda: count(A, j == 3),
        lambda: count(A, A),  # type: ignore[arg-type]
        lambda: j % 2,
        lambda: i % 0 == 0,
        lambda: i % 3 == 5,
        lambda: build(ONE),  # type: ignore[arg-type]
        lambda: build(A, alphabet="bc"),
        lambda: build(A, **{"not a name": B}),  # type: ignore[arg-type]
        lambda: build(Q("\"'")),
    ],
)
def test_a_mistake_is_answered_by_one_of_our_errors(mistake: object) -> None:
    with pytest.raises(LengthwiseError):
        mistake()  # type: ignore[operator]
