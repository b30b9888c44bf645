"""What texts mean: precedence, sugar, words that are names in one place and syntax in another, and what is refused."""

import pytest

from lengthwise.crasp import ProgramError, parse
from lengthwise.crasp.syntax import Before, Compare, Count, Everywhere, Guard, Number, Symbol, Window


def value(expression: str, word: str) -> int:
    return int(parse(f"x = {expression}").run(word)["x"][-1])


@pytest.mark.parametrize(
    ("expression", "word", "expected"),
    [
        ("10 - 3 + 2", "a", 9),
        ("10 - (3 + 2)", "a", 5),
        ('2 * # "a" - 1', "aaa", 5),
        ('2 * (# "a" - 1)', "aaa", 4),
        ("2 * 3 * 4", "", 24),
        ('-# "a" + 1', "aa", -1),
        ('# "a" - -2', "a", 3),
        ('!"a" || "a"', "a", 1),
        ('!"a" && "b"', "b", 1),
        ('!("a" || "b")', "c", 1),
        ('"a" || "b" && "c"', "a", 1),
        ('("a" || "b") && "c"', "a", 0),
        ('!# "a" == 0', "a", 1),
        ('# !"a" == 0', "aab", 0),
        ('# "a" == 1 && # "b" == 2', "abb", 1),
        ('1 + 1 if "a" else 5 - 1', "a", 2),
        ('1 if "a" else 2 if "b" else 3', "b", 2),
        ('1 if "a" else 2 if "b" else 3', "c", 3),
        ('1 if "a" else 2 > 1', "a", 0),
        ('min(# "a", 2) + max(# "b", 2)', "aaabbb", 5),
        ('exists "a" && "b"', "ab", 1),
        ('exists ("a" && "b")', "ab", 0),
        ('exists exists "a"', "ab", 1),
        ('#[j == i-1] "a"', "ab", 1),
        ('#[j >= i-2] "a"', "aaab", 2),
        ('#[j < i] "a"', "aa", 1),
        ('#[i-j in {1, 3}] "a"', "abbb", 1),
        ('#[j-i in {-1, -3}] "a"', "abab", 2),
        ('#[i == j+1] "a"', "ab", 1),
        ('#[3 >= i-j] "a"', "aaaab", 3),
        ("i % 3 == 2", "ab", 1),
        ("i % 3 in {0, 1}", "ab", 0),
        ("# true", "abc", 3),
        ("# false", "abc", 0),
    ],
)
def test_an_expression_has_this_value_at_the_last_position(expression: str, word: str, expected: int) -> None:
    assert value(expression, word) == expected


def test_words_with_a_meaning_in_one_place_are_names_elsewhere() -> None:
    program = parse(
        'next = # "a"\nexists = next > 0\nalphabet = exists && true\nin = # alphabet\ni = in + 1\nj = i - 1\n'
        'pred = j == in\nok = exists && pred && exists exists && i % 2 == 0\nnext "a" = ok'
    )
    assert program.accepts("aa")
    assert not program.accepts("aaa")
    assert program.next_tokens("aa") == [set(), {"a"}]


def test_a_statement_goes_on_inside_brackets() -> None:
    assert parse('x = #(\n "a"  // why\n || "b"\n) > 2').accepts("abc" * 2)


def test_line_ends_of_any_system_comments_and_blank_lines_are_fine() -> None:
    assert parse('\ufeff\r\n// c\r\nx = "a" // b\r\n\r\n\ty  :=  x').accepts("a")


def test_a_later_definition_hides_an_earlier_one() -> None:
    assert value('# "a"\nx = x + x', "aa") == 4


def test_pos_even_can_be_redefined_and_imports_may_stand_below() -> None:
    assert parse("x = pos_even\n#import pos_even").accepts("a")
    assert parse('#import pos_even\npos_even = "a"\nx = pos_even').accepts("ba")


GUARDS: list[tuple[Guard, list[str]]] = [
    (Everywhere(), ["j <= i", "i >= j", "0 <= i-j", "j-i <= 0", "j < i+1", "j <= i, i >= j"]),
    (Before(), ["j < i", "i > j", "j+1 <= i", "i-j >= 1", "j != i", "j <= i && j != i", "j <= i-1"]),
    (Window((0,)), ["j == i", "i == j", "i-j == 0", "j >= i", "i-j in {0}", "j <= i, j >= i", "i-j < 1"]),
    (Window((1,)), ["j == i-1", "i == j+1", "i-1 == j", "i-j == 1", "j-i == -1", "1 == i-j", "-1 == j-i"]),
    (Window((1,)), ["i-j in {1}", "j-i in {-1}", "i-j in {1, 1}", "i-j in {-4, 1}", "i-j+1 in {2}"]),
    (
        Window((1,)),
        ["j <= i, j == i-1", "j < i && j >= i-1", "j >= i-1, j != i", "0 < i-j, i-j < 2", "i-j in {1, 5}, j > i-5"],
    ),
    (Window((0, 1, 2, 3)), ["j >= i-3", "i-j <= 3", "j > i-4", "3 >= i-j", "i <= j+3", "i-j in {0, 1, 2, 3}"]),
    (Window((1, 3, 4)), ["j >= i-4 && j < i && j != i-2", "i-j in {4, 3, 1}", "i-j in {1, 2, 3, 4}, j != i-2"]),
]


@pytest.mark.parametrize(("guard", "spelling"), [(guard, text) for guard, texts in GUARDS for text in texts])
def test_a_guard_may_be_spelled_in_many_ways(guard: Guard, spelling: str) -> None:
    (statement,) = parse(f'x = #[{spelling}] "a" > 0').statements
    assert statement.expression == Compare(Count(guard, Symbol("a")), ">", Number(0))


@pytest.mark.parametrize("distance", [1, 2, 7, 65_535])
def test_an_imported_predicate_is_the_window_of_one_distance(distance: int) -> None:
    name = "pred" if distance == 1 else f"pred{distance}"
    assert parse(f'#import {name}\nx = exists[{name}] "a"') == parse(f'x = exists[j == i-{distance}] "a"')


def test_the_empty_string_is_an_input() -> None:
    assert parse('x = # "a" == 0').accepts("")
    assert not parse('x = "a" || # "a" > 0').accepts("")


REFUSED = [
    ('x = # "a"\ny = !x', "LW202"),
    ('x = "a" + 1', "LW203"),
    ('x = #(# "a")', "LW202"),
    ('x = 1 if # "a" else 2', "LW202"),
    ('x = #[j == 3] "a"', "LW301"),
    ('x = #[j <= i-2] "a"', "LW301"),
    ('x = #[i-j in {-1}] "a"', "LW301"),
    ('x = #[j % 2 == 0] "a"', "LW301"),
    ('x = #[i == 2] "a"', "LW301"),
    ('x = #[j + j == i] "a"', "LW301"),
    ('x = #[j > i] "a"', "LW301"),
    ('x = #[y] "a"', "LW204"),
    ('x = #[j >= i-70000] "a"', "LW304"),
    ('x = #[j >= i-99999999999] "a"', "LW304"),
    ("x = i == 3", "LW302"),
    ("x = i < 10", "LW302"),
    ("x = j == 1", "LW302"),
    ('x = # "a" % 2 == 0', "LW302"),
    ('x = # "a" * # "b"', "LW303"),
    ("x = i % 0 == 0", "LW304"),
    ("x = i % 99999 == 0", "LW304"),
    ("x = i % 1 != 0", "LW304"),
]


@pytest.mark.parametrize(("text", "code"), REFUSED)
def test_what_would_leave_the_language_is_refused_with_its_code(text: str, code: str) -> None:
    with pytest.raises(ProgramError) as caught:
        parse(text)
    assert code in {diagnostic.code for diagnostic in caught.value.diagnostics}


@pytest.mark.parametrize("text", [text for text, code in REFUSED if code in ("LW301", "LW302", "LW303")][:14])
def test_the_reason_for_leaving_is_given(text: str) -> None:
    with pytest.raises(ProgramError) as caught:
        parse(text)
    message = str(caught.value)
    assert "C-RASP[periodic, local]" in message or "admits no position" in message
    assert all(diagnostic.hint for diagnostic in caught.value.diagnostics)
