"""LaTeX of programs, read back by a small reader that knows mathematical conventions and nothing of our printer."""

from __future__ import annotations

import re
import string
from typing import Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lengthwise.crasp import parse
from lengthwise.crasp.showing.latex import name_latex, program_latex, statement_latex, symbol_latex, text_latex
from lengthwise.crasp.syntax import (
    RELATIONS,
    And,
    Before,
    Compare,
    Conditional,
    Count,
    Definition,
    Everywhere,
    Exists,
    Expression,
    Extremum,
    Guard,
    Name,
    Not,
    Number,
    Or,
    Periodic,
    Relation,
    Scale,
    Symbol,
    Truth,
    Window,
    total,
)

quick = settings(deadline=None, max_examples=40)

# -------------------------------------------------------------------------------------- a reader of formulas

VARIABLES = ["i", "j", "k", r"\ell", "m", "n", "p", "q", "r", "s", "t", "u", "v", "w", "x", "y", "z"]
VARIABLE = r"(?:\\ell|[a-z])"
TOKEN = re.compile(
    rf"""\s*(?:(?P<counting>(?:\\\#|\\exists)\[.*?\]\\;)
    |(?P<periodic>{VARIABLE}\ \\equiv\ \d+\ \\pmod\{{\d+\}}|{VARIABLE}\ \\bmod\ \d+\ \\in\ \\\{{[^}}]*\\\}})
    |(?P<call>(?:Q_\{{[ab]\}}|[A-Z](?:_\{{1\}})?)\({VARIABLE}\))
    |(?P<number>\d+)
    |(?P<sign>\\mathbin\{{\?\}}|\\(?:lor|land|neg|le|ge|ne|cdot|min|max|top|bot)(?![a-z])|[=<>:+\-,()]))""",
    re.VERBOSE,
)
MEANING: dict[str, Relation] = {"=": "==", r"\ne": "!=", "<": "<", r"\le": "<=", ">": ">", r"\ge": ">="}


def members(text: str) -> tuple[int, ...]:
    found: list[int] = []
    parts = text.split(",")
    for place, part in enumerate(parts):
        found += range(found[-1] + 1, int(parts[place + 1])) if part == r"\dots" else [int(part)]
    return tuple(found)


class Reader:
    """Recursive descent: ∨, ∧, then one comparison of sums; ¬, # and ∃ take the next closed formula only."""

    def __init__(self, text: str) -> None:
        self.tokens: list[tuple[str, str]] = []
        place = 0
        while place < len(text):
            match = TOKEN.match(text, place)
            assert match, f"unreadable: {text[place:]}"
            self.tokens.append((str(match.lastgroup), match.group().strip()))
            place = match.end()
        self.tokens.append(("end", ""))
        self.depth = 0

    def formula(self) -> Expression:
        result = self.disjunction()
        assert self.tokens == [("end", "")]
        return result

    def take(self, *texts: str) -> str | None:
        return self.tokens.pop(0)[1] if self.tokens[0][1] in texts else None

    def need(self, text: str) -> None:
        assert self.take(text), f"expected {text}, found {self.tokens[0]}"

    def disjunction(self) -> Expression:
        parts = [self.conjunction()]
        while self.take(r"\lor"):
            parts.append(self.conjunction())
        return Or(tuple(parts)) if len(parts) > 1 else parts[0]

    def conjunction(self) -> Expression:
        parts = [self.comparison()]
        while self.take(r"\land"):
            parts.append(self.comparison())
        return And(tuple(parts)) if len(parts) > 1 else parts[0]

    def comparison(self) -> Expression:
        left = self.choice()
        sign = self.take(*MEANING)
        return Compare(left, MEANING[sign], self.choice()) if sign else left

    def choice(self) -> Expression:
        first = self.sum()
        if not self.take(r"\mathbin{?}"):
            return first
        then = self.sum()
        self.need(":")
        return Conditional(then, first, self.sum())

    def sum(self) -> Expression:
        sign: Literal[1, -1] = -1 if self.take("-") else 1
        terms: list[tuple[Literal[1, -1], Expression]] = [(sign, self.product())]
        while (operator := self.take("+", "-")) is not None:
            terms.append((1 if operator == "+" else -1, self.product()))
        return total(terms)

    def product(self) -> Expression:
        if self.tokens[0][0] == "number" and self.tokens[1][1] == r"\cdot":
            factor = int(self.tokens.pop(0)[1])
            self.need(r"\cdot")
            return Scale(factor, self.product())
        return self.closed()

    def closed(self) -> Expression:
        kind, text = self.tokens.pop(0)
        match kind, text:
            case "counting", _:
                return self.counting(text)
            case "periodic", _:
                variable, *numbers = re.split(r" \\equiv | \\pmod\{| \\bmod | \\in \\\{", text.rstrip("}\\"))
                assert variable == VARIABLES[self.depth]
                if "equiv" in text:
                    return Periodic(int(numbers[1]), (int(numbers[0]),))
                return Periodic(int(numbers[0]), members(numbers[1]))
            case "call", _:
                head, variable = text.removesuffix(")").split("(")
                assert variable == VARIABLES[self.depth], "an operation is applied to the position bound last"
                return Symbol(head[3]) if head.startswith("Q_") else Name(head.replace("_{1}", "_1"))
            case "number", _:
                return Number(int(text))
            case _, r"\neg":
                return Not(self.closed())
            case _, r"\top" | r"\bot":
                return Truth(text == r"\top")
            case _, r"\min" | r"\max":
                self.need("(")
                left = self.disjunction()
                self.need(",")
                right = self.disjunction()
                self.need(")")
                return Extremum("min" if text == r"\min" else "max", left, right)
            case _, "(":
                inner = self.disjunction()
                self.need(")")
                return inner
        raise AssertionError(f"unexpected {text}")

    def counting(self, text: str) -> Expression:
        guard = self.guard(text[text.index("[") + 1 : text.rindex("]")])
        self.depth += 1
        operand = self.closed()
        self.depth -= 1
        if text.startswith(r"\#"):
            return Count(guard, operand)
        assert self.tokens[0][1] not in (r"\land", r"\lor"), "a reader might take these into the scope of the ∃"
        return Exists(guard, operand)

    def guard(self, text: str) -> Guard:
        outer, inner = VARIABLES[self.depth], VARIABLES[self.depth + 1]
        if text == f"{inner} < {outer}":
            return Before()
        everywhere, _, local = text.partition(r",\, ")
        assert everywhere == rf"{inner} \le {outer}"
        if not local:
            return Everywhere()
        if local.startswith(f"{inner} = {outer}"):
            return Window((int(local.removeprefix(f"{inner} = {outer}").removeprefix("-") or 0),))
        if local.startswith(rf"{inner} \ge {outer}-"):
            return Window(tuple(range(int(local.rpartition("-")[2]) + 1)))
        assert local.startswith(rf"{outer}-{inner} \in \{{")
        return Window(members(local[local.index("{") + 1 : -2]))


# ------------------------------------------------------------------------------------ expressions to be read

offsets = st.sets(st.integers(0, 12), min_size=1, max_size=9).map(lambda found: Window(tuple(sorted(found))))
guards = st.one_of(st.just(Everywhere()), st.just(Before()), offsets)
periodics = st.integers(1, 9).flatmap(
    lambda modulus: st.sets(st.integers(0, modulus - 1), min_size=1).map(
        lambda residues: Periodic(modulus, tuple(sorted(residues)))
    )
)
signs: st.SearchStrategy[Literal[1, -1]] = st.sampled_from((1, -1))


def booleans(depth: int) -> st.SearchStrategy[Expression]:
    atoms: list[Expression] = [Name("P"), Symbol("a"), Symbol("b"), Truth(True), Truth(False)]
    leaves = st.one_of(st.sampled_from(atoms), periodics)
    if depth == 0:
        return leaves
    part, count = booleans(depth - 1), counts(depth - 1)
    several = st.lists(part, min_size=2, max_size=3).map(tuple)
    return st.one_of(
        leaves,
        part.map(Not),
        several.map(And),
        several.map(Or),
        st.builds(Compare, count, st.sampled_from(RELATIONS), count),
        st.builds(Exists, guards, part),
    )


def counts(depth: int) -> st.SearchStrategy[Expression]:
    leaves: st.SearchStrategy[Expression] = st.one_of(
        st.sampled_from([Name("C_1"), Name("D")]), st.integers(-9, 9).map(Number)
    )
    if depth == 0:
        return leaves
    part, truth = counts(depth - 1), booleans(depth - 1)
    return st.one_of(
        leaves,
        st.builds(Count, guards, truth),
        st.lists(st.tuples(signs, part), min_size=1, max_size=3).map(total),
        st.builds(Scale, st.integers(0, 9), part),
        st.builds(Extremum, st.sampled_from(["min", "max"]), part, part),
        st.builds(Conditional, part, truth, part),
    )


@settings(deadline=None, max_examples=150)
@given(st.one_of(booleans(4), counts(4)))
def test_a_formula_read_by_the_conventions_of_mathematics_is_the_expression_it_came_from(source: Expression) -> None:
    label, _, formula = statement_latex(Definition("L", source)).partition(" := ")
    assert label == "L(i)"
    assert Reader(formula).formula() == source


@quick
@given(st.lists(booleans(2), min_size=2, max_size=8).map(tuple), st.booleans())
def test_breaking_a_long_formula_into_lines_changes_nothing_in_it(parts: tuple[Expression, ...], both: bool) -> None:
    source = And(parts) if both else Or(parts)
    rows = [line for line in program_latex((Definition("L", source),)).splitlines() if line.endswith(r"\\")]
    formula = " ".join(row.split(" & ")[2].removeprefix(r"\quad {} ") for row in rows)
    assert Reader(formula).formula() == source


@pytest.mark.parametrize(
    ("line", "formula"),
    [
        ('C_open = # "("', r"C_{\mathrm{open}}(i) := \#[j \le i]\; Q_{(}(j)"),
        ('P = #[j == i-1] "a" >= 1', r"P(i) := \#[j \le i,\, j = i-1]\; Q_{a}(j) \ge 1"),
        ('C = #[j >= i-3] "a"', r"C(i) := \#[j \le i,\, j \ge i-3]\; Q_{a}(j)"),
        ('C = #[i-j in {1,4}] "a"', r"C(i) := \#[j \le i,\, i-j \in \{1,4\}]\; Q_{a}(j)"),
        ('C = #[j >= i-9, j < i] "a"', r"C(i) := \#[j \le i,\, i-j \in \{1,\dots,9\}]\; Q_{a}(j)"),
        ('C = #[j < i] "a"', r"C(i) := \#[j < i]\; Q_{a}(j)"),
        ("P = i % 2 == 0", r"P(i) := i \equiv 0 \pmod{2}"),
        ("P = i % 3 in {0, 2}", r"P(i) := i \bmod 3 \in \{0,2\}"),
        # A position predicate below a count speaks about the counted position.
        ("C = # (i % 2 == 0)", r"C(i) := \#[j \le i]\; (j \equiv 0 \pmod{2})"),
        (
            'C = # (#[j == i-1] "a" == 1)',
            r"C(i) := \#[j \le i]\; (\#[k \le j,\, k = j-1]\; Q_{a}(k) = 1)",
        ),
        ('C = 1 if "a" else 2', r"C(i) := Q_{a}(i) \mathbin{?} 1 : 2"),
        ('C = 1 if # "a" < 2 else 2', r"C(i) := (\#[j \le i]\; Q_{a}(j) < 2) \mathbin{?} 1 : 2"),
        ('C = #[i-j in {1,2,4}] "a"', r"C(i) := \#[j \le i,\, i-j \in \{1,2,4\}]\; Q_{a}(j)"),
        ('P = exists "a" && "b"', r"P(i) := (\exists[j \le i]\; Q_{a}(j)) \land Q_{b}(i)"),
        ('P = exists ("a" && "b")', r"P(i) := \exists[j \le i]\; (Q_{a}(j) \land Q_{b}(j))"),
        ('P = !(# "a" == 0)', r"P(i) := \neg (\#[j \le i]\; Q_{a}(j) = 0)"),
        ('P = # !"a" == 0', r"P(i) := \#[j \le i]\; \neg Q_{a}(j) = 0"),
        ('next "a" = 3 > 2 * # "a"', r"\mathrm{NEXT}_{a}(i) := 3 > 2 \cdot \#[j \le i]\; Q_{a}(j)"),
    ],
)
def test_a_line_of_a_program_as_the_papers_write_it(line: str, formula: str) -> None:
    assert statement_latex(parse(line).statements[0]) == formula


def test_forty_nested_counts_bind_forty_variables() -> None:
    nested: Expression = Symbol("a")
    for _ in range(40):
        nested = Exists(Everywhere(), nested)
    formula = statement_latex(Definition("L", nested))
    assert len(set(re.findall(r"exists\[(\S+) ", formula))) == 40


# ------------------------------------------------------------------------------------------------- programs


def test_the_box_of_dyck_1_has_comments_and_numbers() -> None:
    program = parse(
        'C_open = # "("  // number of ( so far\n'
        'C_close = # ")"\n'
        "V = C_open < C_close // violation: more ) than (\n"
        "D = # V == 0 && C_open == C_close"
    )
    assert program_latex(program.statements, "Dyck-1") == (
        "% requires \\usepackage{amsmath}\n"
        "\\[\n"
        "\\renewcommand{\\arraystretch}{1.2}\n"
        "\\boxed{\n"
        "\\begin{array}{@{}r@{\\;}c@{\\;}l@{\\quad}l@{\\quad}r@{}}\n"
        "\\multicolumn{5}{@{}l@{}}{\\text{\\bfseries Dyck-1}} \\\\ \\hline\n"
        "C_{\\mathrm{open}}(i) & := & \\#[j \\le i]\\; Q_{(}(j) & \\text{number of ( so far} & (1) \\\\\n"
        "C_{\\mathrm{close}}(i) & := & \\#[j \\le i]\\; Q_{)}(j) &  & (2) \\\\\n"
        "V(i) & := & C_{\\mathrm{open}}(i) < C_{\\mathrm{close}}(i) & \\text{violation: more ) than (} & (3) \\\\\n"
        "D(i) & := & \\#[j \\le i]\\; V(j) = 0 \\land C_{\\mathrm{open}}(i) = C_{\\mathrm{close}}(i) &  & (4) \\\\\n"
        "\\end{array}\n"
        "}\n"
        "\\]\n"
    )


def test_without_comments_and_title_there_is_neither_their_column_nor_their_line() -> None:
    text = program_latex(parse('C_a = # "a"\nL = C_a >= 1').statements)
    assert r"\begin{array}{@{}r@{\;}c@{\;}l@{\quad}r@{}}" in text
    assert [line for line in text.splitlines() if "&" in line] == [
        r"C_{a}(i) & := & \#[j \le i]\; Q_{a}(j) & (1) \\",
        r"L(i) & := & C_{a}(i) \ge 1 & (2) \\",
    ]
    assert "multicolumn" not in text


def test_a_name_defined_again_is_told_from_its_older_self() -> None:
    text = program_latex(parse('P = "a"\nP = P || "b"\nQ = P\nP = !P').statements)
    assert r"P^{(2)}(i) & := & P(i) \lor Q_{b}(i) & (2)" in text
    assert r"Q(i) & := & P^{(2)}(i) & (3)" in text
    assert r"P^{(3)}(i) & := & \neg P^{(2)}(i) & (4)" in text


def test_long_comments_and_formulas_go_on_in_the_next_line_under_one_number() -> None:
    long = " || ".join(f'"token{number}"' for number in range(20))
    text = program_latex(parse(f"P = {long} // {'word ' * 30}\nL = P").statements)
    rows = [line.split(" & ") for line in text.splitlines() if line.endswith(r"\\")]
    assert len(rows) > 5
    assert {len(row) for row in rows} == {5}
    assert [row[4] for row in rows if "(" in row[4]] == [r"(1) \\", r"(2) \\"]
    assert sum(row[3].count("word") for row in rows) == 30
    assert sum(row[2].count("Q_") for row in rows) == 20
    assert max(len(row[2]) for row in rows) < 250


# ----------------------------------------------------------------------------------------- names and symbols


@pytest.mark.parametrize(
    ("name", "latex"),
    [
        ("C_open", r"C_{\mathrm{open}}"),
        ("C_1", "C_{1}"),
        ("C_V", "C_{V}"),
        ("C_a_b", r"C_{\mathrm{a\_b}}"),
        ("num_ones", r"\mathit{num\_ones}"),
        ("accept", r"\mathit{accept}"),
        ("D", "D"),
        ("j", r"\mathrm{j}"),  # not to be taken for a position
        ("Q_a", r"\mathit{Q\_a}"),  # not to be taken for the symbol a
        ("C_", r"\mathit{C\_}"),
    ],
)
def test_names_are_a_letter_with_a_subscript_or_a_word(name: str, latex: str) -> None:
    assert name_latex(name) == latex


@pytest.mark.parametrize(
    ("symbol", "latex"),
    [
        ("a", "a"),
        ("(", "("),
        ("_", r"\_"),
        ("#", r"\#"),
        ("$", r"\$"),
        ("%", r"\%"),
        ("&", r"\&"),
        ("{", r"\{"),
        ("}", r"\}"),
        ("ab", r"\mathtt{ab}"),
        ("\\", r"\text{\ttfamily \textbackslash{}}"),
        ("~", r"\text{\ttfamily \textasciitilde{}}"),
        ("^", r"\text{\ttfamily \textasciicircum{}}"),
        (" ", r"\text{\ttfamily \textvisiblespace{}}"),
        ("<s>", r"\text{\ttfamily \textless{}s\textgreater{}}"),
        ("--", r"\text{\ttfamily -{}-}"),
        ("é", r"\text{\ttfamily \'{e}}"),
        ("→", r"\text{\ttfamily \ensuremath{\to}}"),
        ("中", r"\text{\ttfamily \textrm{U+4E2D}}"),
    ],
)
def test_symbols_are_escaped_for_math_mode(symbol: str, latex: str) -> None:
    assert symbol_latex(symbol) == latex


identifiers = st.text(alphabet="CQi_1a", min_size=1, max_size=4).filter(lambda name: not name[0].isdigit())
any_text = st.text(st.one_of(st.characters(), st.sampled_from("\\{}_^~$%&#<>|\"'`-, Q" + string.ascii_letters)))


@quick
@given(identifiers, identifiers)
def test_different_names_look_different(one: str, other: str) -> None:
    assert (name_latex(one) == name_latex(other)) == (one == other)


@quick
@given(any_text.filter(bool), any_text.filter(bool))
def test_different_symbols_look_different(one: str, other: str) -> None:
    assert (symbol_latex(one) == symbol_latex(other)) == (one == other)


@quick
@given(any_text)
def test_no_text_of_a_user_is_obeyed_by_latex(text: str) -> None:
    latex = text_latex(text)
    assert latex.isascii()
    assert latex.isprintable()
    bare = re.sub(r"\\([A-Za-z]+|.)", "", latex)
    assert not set(bare) & set("_#$%&~^\\")
    depth = 0
    for brace in re.findall(r"[{}]", bare):
        depth += 1 if brace == "{" else -1
        assert depth >= 0
    assert depth == 0


@quick
@given(any_text, st.lists(any_text.filter(bool), min_size=1, max_size=5))
def test_braces_and_columns_balance_whatever_symbols_comments_and_titles_contain(
    title: str, symbols: list[str]
) -> None:
    statements = tuple(Definition(f"P_{n}", Symbol(symbol), symbol + title) for n, symbol in enumerate(symbols))
    latex = program_latex(statements, title)
    bare = re.sub(r"\\[^A-Za-z\\\s]", "", latex)
    assert bare.count("{") == bare.count("}")
    assert latex.count(r"\begin") == latex.count(r"\end") == 1
    rows = [line for line in bare.splitlines() if line.endswith(r"\\")]
    assert len({row.count("&") for row in rows}) == 1
    assert len(rows) >= len(symbols)
