"""Simplification never changes a value and never costs anything; the oracle is the naive evaluator."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lengthwise.crasp import Program, parse
from lengthwise.crasp.running.magnitude import longest_exact
from lengthwise.crasp.simplify import simplify
from lengthwise.crasp.syntax import (
    MAX_INTEGER,
    MAX_NESTING,
    And,
    Before,
    Compare,
    Count,
    Definition,
    Everywhere,
    Exists,
    Expression,
    Extremum,
    Name,
    Not,
    Number,
    Or,
    Scale,
    Sort,
    Sum,
    Symbol,
    children,
)
from tests.crasp import naive
from tests.crasp.naive import Values
from tests.programs import acceptors, programs, words
from tests.work import lines_executed

ANY = st.one_of(
    programs(), acceptors(depth=2, most=10), acceptors(depth=4), acceptors(depth=5, most=2), programs(large=True)
)


class Outputs:
    """What a program says about a word: verdict and predictions at every position, and its names in the end."""

    def __init__(self, program: Program, word: list[str]) -> None:
        self.verdict: Values | None = None
        self.predictions: dict[str, Values] = {}
        self.names: dict[str, Values] = {}
        found = naive.values(program.statements, word)
        for statement, sort, values in zip(program.statements, program.sorts, found, strict=True):
            if not isinstance(statement, Definition):
                self.predictions[statement.symbol] = values
                continue
            self.names[statement.name] = values
            if sort is Sort.BOOL:
                self.verdict = values


def assert_same_values(program: Program, simpler: Program, word: list[str]) -> None:
    before, after = Outputs(program, word), Outputs(simpler, word)
    assert after.verdict == before.verdict, word
    assert after.predictions == before.predictions, word
    for name, values in after.names.items():
        assert values == before.names.get(name, values), (name, word)


def assert_nothing_grows(program: Program, simpler: Program) -> None:
    assert simpler.size <= program.size
    assert simpler.fragment <= program.fragment
    assert simpler.depth <= program.depth
    assert simpler.window <= program.window
    assert program.period % simpler.period == 0
    assert simpler.predicts == program.predicts


# ------------------------------------------------------------------------------------------------- laws


@settings(max_examples=60, database=None, deadline=None)
@given(st.data())
def test_no_verdict_prediction_or_surviving_name_changes_its_value_at_any_position(data: st.DataObject) -> None:
    program = data.draw(ANY)
    simpler = program.simplify()
    assert_same_values(program, simpler, [])
    for _ in range(3):
        assert_same_values(program, simpler, data.draw(words(program, 16)))


@pytest.mark.slow
@settings(max_examples=400, database=None, deadline=None)
@given(st.data())
def test_every_law_holds_in_many_more_programs(data: st.DataObject) -> None:
    program = data.draw(ANY)
    simpler = program.simplify()
    assert simpler.simplify() == simpler
    assert parse(str(simpler)) == simpler
    assert_nothing_grows(program, simpler)
    assert_same_values(program, simpler, [])
    for _ in range(3):
        assert_same_values(program, simpler, data.draw(words(program, 16)))


@settings(max_examples=40, database=None, deadline=None)
@given(ANY)
def test_simplifying_twice_changes_nothing_more(program: Program) -> None:
    simpler = simplify(program.statements)
    assert simplify(simpler) == simpler


@settings(max_examples=40, database=None, deadline=None)
@given(ANY)
def test_nothing_that_is_read_off_a_program_grows(program: Program) -> None:
    assert_nothing_grows(program, program.simplify())
    assert set(program.simplify().alphabet.symbols) <= set(program.alphabet.symbols)


@pytest.mark.slow
@settings(max_examples=100, database=None, deadline=None)
@given(programs(large=True))
def test_counts_stay_exact_on_words_as_long_as_before(program: Program) -> None:
    # Beyond 2^48 symbols it does not matter: no word is that long.
    before = longest_exact(program.listing, 64)
    assert longest_exact(program.simplify().listing, 64) >= min(before, 2**48)


@settings(max_examples=40, database=None, deadline=None)
@given(ANY)
def test_a_simplified_program_can_be_written_down_and_read_back(program: Program) -> None:
    simpler = program.simplify()
    assert parse(str(simpler)) == simpler


@pytest.mark.slow
@settings(max_examples=100, database=None, deadline=None)
@given(ANY)
def test_surviving_statements_keep_their_order_comments_and_places(program: Program) -> None:
    # Statements read from text have places; equality does not look at places or comments.
    texts = [f"{line} // {number}" for number, line in enumerate(str(program).splitlines())]
    written = parse("\n".join(texts))
    simpler = written.simplify()
    places = [statement.span for statement in written.statements]
    found = [places.index(statement.span) for statement in simpler.statements]
    assert found == sorted(set(found))
    for statement, place in zip(simpler.statements, found, strict=True):
        assert statement.comment == written.statements[place].comment != ""


@settings(max_examples=60, database=None, deadline=None)
@given(st.data())
def test_a_kept_name_stays_with_the_value_of_its_last_definition(data: st.DataObject) -> None:
    program = data.draw(programs())
    names = sorted(set(program.names))
    keep = data.draw(st.sets(st.sampled_from(names))) if names else set()
    simpler = Program(simplify(program.statements, keep), program.declared_alphabet)
    assert keep <= set(simpler.names)
    assert simpler.size <= program.size
    word = data.draw(words(program, 12))
    before, after = Outputs(program, word), Outputs(simpler, word)
    assert {name: after.names[name] for name in keep} == {name: before.names[name] for name in keep}
    assert after.verdict == before.verdict


# --------------------------------------------------------------------------------------------- examples

EXAMPLES = [
    # constants, negation
    ('x = true && "a" || false', 'x = "a"'),
    ('x = !!!"a"', 'x = !"a"'),
    ('x = !(# "a" >= # "b")', 'x = # "a" < # "b"'),
    ('x = !(# "a" != 3)', 'x = # "a" == 3'),
    ("x = 2 + 3 * 4 == 14", "x = true"),
    ("x = min(3, 5) > max(1, 4)", "x = false"),
    # De Morgan, where it shrinks and where it does not
    ('x = !(!"a" && !"b")', 'x = "a" || "b"'),
    ('x = !(!"a" && # "b" > 2)', 'x = "a" || # "b" <= 2'),
    ('x = !"a" && !"b"', 'x = !("a" || "b")'),
    ('x = !("a" && exists "b")', 'x = !("a" && exists "b")'),
    # idempotence, absorption, complements
    ('x = "a" && "a" || "a"', 'x = "a"'),
    ('x = "a" || "a" && # "b" > 2', 'x = "a"'),
    ('x = "a" && ("a" || # "b" > 2)', 'x = "a"'),
    ('x = "a" && (!"a" || # "b" > 3)', 'x = "a" && # "b" > 3'),
    ('x = "a" || !"a" && # "b" > 3', 'x = "a" || # "b" > 3'),
    ('x = # "b" > 3 && !(# "b" > 3)', "x = false"),
    ('x = # "b" > 3 || # "b" <= 3', "x = true"),
    # one symbol a position
    ('x = "a" && "b"', "x = false"),
    ('x = !"a" || !"b"', "x = true"),
    ('x = "a" && !"b"', 'x = "a"'),
    ('x = "a" && ("b" || exists "c")', 'x = "a" && exists "c"'),
    ('A = "a"\nB = "b"\nx = # (A && B) > 3', "x = false"),
    # sums
    ('x = # "a" + # "a" >= 2 * # "b" + # "a"', 'x = # "a" >= 2 * # "b"'),
    ('x = # "a" + # "b" - # "a" > 3', 'x = # "b" > 3'),
    ('x = # "a" - # "b" >= 0', 'x = # "a" >= # "b"'),
    ('x = # "a" - # "b" >= 1', 'x = # "a" > # "b"'),
    ('x = 4 + # "a" - # "b" < 4', 'x = # "a" < # "b"'),
    ('x = -# "a" >= -3', 'x = # "a" <= 3'),
    ('d = # "a" - # "b"\nx = d == 0', 'x = # "a" == # "b"'),
    ('d = # "a" - # "b"\nx = d + # "b" - # "a" >= 1', "x = false"),
    # ranges
    ('x = # "a" >= 0', "x = true"),
    ('x = # "a" < 0', "x = false"),
    ('x = # "a" <= # true', "x = true"),
    ('x = #[j >= i-3] "a" <= 4', "x = true"),
    ('x = #[j >= i-3] "a" >= 5', "x = false"),
    ("x = # true >= 1", "x = exists true"),  # false on the empty word
    ('x = min(# "a", # "a" + 1) > 3', 'x = # "a" > 3'),
    ('x = max(# "a", 0) > 3', 'x = # "a" > 3'),
    # divisors
    ('x = 2 * # "a" >= 5', 'x = # "a" >= 3'),
    ('x = 2 * # "a" <= 5', 'x = # "a" <= 2'),
    ('x = 2 * # "a" == 5', "x = false"),
    ('x = 4 * # "a" + 6 * # "b" == 2', 'x = 2 * # "a" + 3 * # "b" == 1'),
    ('x = 6 * # "a" <= 4 * # "b" + 8', 'x = 3 * # "a" <= 2 * # "b" + 4'),
    # comparisons that imply each other
    ('x = # "a" > 2 && # "a" >= 2', 'x = # "a" > 2'),
    ('x = # "a" > 2 || # "a" >= 2', 'x = # "a" >= 2'),
    ('x = # "a" == 2 && # "a" < 4', 'x = # "a" == 2'),
    ('x = # "a" > 2 && # "a" < 2', "x = false"),
    ('x = # "a" >= 3 && ("b" || exists "a")', 'x = # "a" >= 3'),
    # the window that is no window
    ('x = exists[j == i] "a"', 'x = "a"'),
    ('x = #[j == i] "a" == 0', 'x = !"a"'),
    ('c = #[j == i] "a"\nx = c + # "b" == 1 && # "c" == 0', 'c = 1 if "a" else 0\nx = c + # "b" == 1 && # "c" == 0'),
    ('x = exists[j == i] !"a"', 'x = exists[j == i] !"a"'),  # on the empty word !"a" holds, but nothing is counted
    # counts of what never holds
    ('x = # ("a" && "b") + # "a" > 4', 'x = # "a" > 4'),
    ("x = exists[j < i] false", "x = false"),
    # conditionals
    ('x = (# "a" if true else # "b") > 2', 'x = # "a" > 2'),
    ('x = (# "a" if "b" else # "a") > 2', 'x = # "a" > 2'),
    ('x = (# "a" if !"b" else # "c") > 2', 'x = (# "c" if "b" else # "a") > 2'),
    ('x = ((# "a" if "b" else # "c") if "b" else # "d") > 2', 'x = (# "a" if "b" else # "d") > 2'),
    ('x = (1 if "a" else 0) >= 1', 'x = "a"'),
    ('x = (1 if "a" else 0) == 0', 'x = !"a"'),
    ('x = (5 if # "b" > 3 else 7) < 9', "x = true"),
    # exists
    ('x = # "a" >= 1', 'x = exists "a"'),
    ('x = # "a" > 0', 'x = exists "a"'),
    ('x = #[j < i] "a" != 0', 'x = exists[j < i] "a"'),
    ('x = #[j == i-2] "a" == 1', 'x = exists[j == i-2] "a"'),
    ('x = # "a" > 0\nnext "a" = # "b" > 0', 'x = exists "a"\nnext "a" = exists "b"'),
    ('x = # "a" == 0', 'x = # "a" == 0'),  # with ! it would be one operation more
    ('x = exists "a"\ny = # "b" >= 2 && x', 'x = exists "a"\ny = # "b" > 1 && x'),  # 1 is there, 2 is not needed
    ('y = exists "a"\nnext "a" = # "a" == 0', 'y = exists "a"\nnext "a" = !y'),
    ('x = exists exists "a"', 'x = exists "a"'),
    ('x = exists exists[j < i] "a"', 'x = exists[j < i] "a"'),
    ('x = exists[j < i] exists "a"', 'x = exists[j < i] "a"'),
    ('x = exists exists[j == i-1] "a"', 'x = exists[j < i] "a"'),
    ('x = exists[j >= i-2] exists "a"', 'x = exists "a"'),
    ('x = exists[j < i] exists[j < i] "a"', 'x = exists[j < i] exists[j < i] "a"'),
    ('x = exists[j == i-1] exists[j == i-1] "a"', 'x = exists[j == i-1] exists[j == i-1] "a"'),
    ('x = exists "a" || exists "b"', 'x = exists ("a" || "b")'),
    # periodic predicates
    ("x = i % 3 in {0, 1, 2}", "x = true"),
    ("x = i % 1 == 0", "x = true"),
    ("x = i % 4 in {0, 2}", "x = i % 2 == 0"),
    ("x = i % 12 in {1, 4, 7, 10}", "x = i % 3 == 1"),
    ("x = i % 3 == 0 && i % 3 in {0, 1}", "x = i % 3 == 0"),
    ("x = i % 3 == 0 && i % 3 == 1", "x = false"),
    ("x = i % 3 == 0 || i % 3 == 1", "x = i % 3 in {0, 1}"),
    ("x = i % 2 == 0 || i % 2 == 1", "x = true"),
    ("x = !(i % 3 == 0)", "x = i % 3 in {1, 2}"),
    ("x = i % 2 == 0 && i % 4 in {0, 1}", "x = i % 4 == 0"),
    ("x = !(i % 65535 == 0)", "x = !(i % 65535 == 0)"),  # the other residues would fill pages
    # names
    ('x = # "a"\ny = # "a"\nz = x + y > 3', 'x = # "a"\nz = x >= 2'),
    ('x = # "a"\ny = x\nz = y\nw = z > 3', 'x = # "a"\nw = x > 3'),
    ('x = # "a" > 2\ny = x', 'y = # "a" > 2'),
    ('x = # "a" > 2 && "b"\ny = "b" && # "a" > 2\nz = # x > # y', "z = false"),
    ('x = # "a"\ny = x > 2\ndead = # "b"', 'x = # "a"\ny = x > 2'),
    ('A = "a"\nk = 3\nx = # A >= k', 'x = # "a" >= 3'),
    ('x = # "a"\ny = x > 1\nx = # "b"\nz = y && x > 1', 'x = # "a"\ny = x > 1\nx = # "b"\nz = y && x > 1'),
    ('x = # "a"\ny = x > 1\nx = # "b"\nz = y', 'x_2 = # "a"\nz = x_2 > 1'),  # x ends as # "b", so it cannot be # "a"
    ('x = "a"\nx = # "b"', 'x_2 = "a"'),
    ('x = # "a"\ny = 2 * x', 'x = # "a"\ny = 2 * x'),  # without a Boolean the last statement is what it is about
    ('y = # "a" > # "b"\nc = # y\nnext "a" = c > 3', 'y = # "a" > # "b"\nc = # y\nnext "a" = c > 3'),
    ('next "a" = "a" || true', 'next "a" = true'),
]


@pytest.mark.parametrize(("text", "expected"), EXAMPLES)
def test_each_rewriting_gives_the_shorter_program(text: str, expected: str) -> None:
    assert str(parse(text).simplify()) == expected + "\n"


@pytest.mark.parametrize(("text", "expected"), EXAMPLES)
def test_each_rewriting_agrees_with_the_oracle_on_all_short_words(text: str, expected: str) -> None:
    before, after = parse(text), parse(expected)
    assert_same_values(before, after, [])
    # Shorter words are prefixes of these; one letter that is not mentioned stands for all.
    letters = [letter for letter in "abcd" if f'"{letter}"' in text] + ["?"]
    for word in product(letters, repeat={1: 24, 2: 7, 3: 5}.get(len(letters), 4)):
        assert_same_values(before, after, list(word))


def test_a_disjunction_of_all_symbols_is_left_alone_because_of_the_empty_word() -> None:
    program = parse('alphabet "a" "b"\nx = "a" || "b"')
    assert program.simplify() == program
    assert not program.accepts("")
    assert program.accepts("a")


def test_a_simple_program_is_returned_as_it_is() -> None:
    text = 'o = # "("\nc = # ")"\nv = # (c > o)\naccept = v == 0 && o == c\nnext "(" = true\nnext ")" = o > c\n'
    program = parse(text)
    assert program.simplify().statements == program.statements


def test_the_deciding_boolean_keeps_its_name_and_stays_the_last_one() -> None:
    simpler = parse('x = # "a" > 2\ny = !x\nz = # y\naccept = !y\nnext "a" = z > 2 && x').simplify()
    booleans = [name for name, sort in zip(simpler.names, simpler.sorts, strict=False) if sort is Sort.BOOL]
    assert booleans[-1] == "accept"


# ------------------------------------------------------------------------------------ limits of the text


def depth(expression: Expression) -> int:
    return 1 + max(map(depth, children(expression)), default=0)


def deepest(program: Program) -> int:
    return max(depth(statement.expression) for statement in program.statements)


def test_collecting_terms_never_nests_an_expression_deeper_than_allowed() -> None:
    # Every `c + c + d` becomes `2 * c + d`, one level deeper; fifty levels cannot become fifty-five.
    inner: Expression = Symbol("a")
    while depth(inner) + 3 < MAX_NESTING:
        count, other = Count(Everywhere(), inner), Count(Everywhere(), Symbol("b"))
        doubled = Sum(((1, count), (1, count), (1, other)))
        inner = Compare(doubled if depth(inner) < 15 else Extremum("max", count, other), ">", Number(1))
    program = Program((Definition("x", Not(inner)),))
    simpler = program.simplify()
    assert deepest(simpler) <= MAX_NESTING
    assert len(simpler.statements) > 1, "something was taken out of the expression"
    assert simpler.size <= program.size
    assert simpler.simplify() == simpler
    assert simpler.names[-1] == "x"
    assert parse(str(simpler)) == simpler
    for word in ("", "a", "ab", "abaab", "aabbabaaab"):
        assert_same_values(program, simpler, list(word))


@pytest.mark.parametrize("levels", range(MAX_NESTING - 12, MAX_NESTING + 1))
def test_writing_a_name_out_where_it_is_negated_never_nests_too_deeply(levels: int) -> None:
    inner: Expression = Not(Name("n"))
    while depth(inner) < levels:
        inner = Exists(Before(), inner) if depth(inner) % 2 else And((inner, Symbol("c")))
    program = Program(
        (
            Definition("n", Or((Symbol("a"), Not(Symbol("b"))))),
            Definition("x", inner),
        )
    )
    simpler = program.simplify()
    assert deepest(simpler) <= MAX_NESTING
    assert simpler.size <= program.size
    for word in ("", "a", "b", "bcbcc", "ccbcacbccc"):
        assert_same_values(program, simpler, list(word))


@pytest.mark.parametrize("power", [1, 2, 3, 20])
def test_coefficients_beyond_64_bits_are_written_as_products(power: int) -> None:
    multiple: Expression = Count(Everywhere(), Symbol("a"))
    for _ in range(power):
        multiple = Scale(MAX_INTEGER, multiple)
    doubled = Sum(((1, multiple), (1, multiple), (1, Number(MAX_INTEGER)), (1, Number(MAX_INTEGER))))
    program = Program((Definition("x", Compare(doubled, ">=", Count(Everywhere(), Symbol("b")))),))
    simpler = program.simplify()
    assert parse(str(simpler)) == simpler
    for word in ("", "a", "b", "abb"):
        assert_same_values(program, simpler, list(word))


# ------------------------------------------------------------------------------------------------- time

BODIES = {
    "conjunctions": 'x{next} = x{last} && # "b" >= {small}',
    "sums": "x{next} = x{last} && # (i % {large} == 1) + # x{last} > # x{last}",
    "negations": 'x{next} = !x{last} || "b"',
    "aliases": "x{next} = x{last}",
    "counts": 'x{next} = # x{last} - # "b" > {small}',
    "repetitions": "x{next} = !(!x{last} && !x{half})",
}


@pytest.mark.slow
@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
def test_the_work_grows_about_as_fast_as_the_program(body: str) -> None:
    def work(statements: int) -> int:
        lines = ['x0 = "a"'] + [
            body.format(last=k, next=k + 1, half=k // 2, small=k % 7, large=k % 50 + 2) for k in range(statements)
        ]
        program = parse("\n".join(lines))
        return lines_executed(lambda: simplify(program.statements))

    assert work(1_000) < 20 * work(100), "ten times the statements must not be a hundred times the work"
