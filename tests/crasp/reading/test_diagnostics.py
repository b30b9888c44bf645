"""Messages as people see them: place, sentence, caret and hint, for every code there is."""

import re

import pytest

from lengthwise.crasp import ProgramError, parse
from lengthwise.crasp.reading.diagnostics import CODES, SHOWN

MESSAGES = [
    (
        'x = "a" & "b"',
        """p.crasp:1:9: LW101: '&' starts nothing in this language
  1 | x = "a" & "b"
              ^ write && for 'and'""",
    ),
    (
        'x = "a',
        """p.crasp:1:5: LW102: this symbol is not closed on its line
  1 | x = "a
          ^ close it with \"""",
    ),
    (
        'x = ""',
        """p.crasp:1:5: LW103: a symbol has at least one character
  1 | x = ""
          ^^ write it between the quotes: "a\"""",
    ),
    (
        'x = # "a" >=',
        """p.crasp:1:13: LW104: expected an expression, found the end of the line
  1 | x = # "a" >=
                  ^ an expression is "a", # b, a name, a number, …""",
    ),
    (
        'x = (# "a" > 1',
        """p.crasp:1:5: LW105: '(' is never closed
  1 | x = (# "a" > 1
          ^ add the missing )""",
    ),
    (
        'x = # "a" > 1)',
        """p.crasp:1:14: LW105: ')' closes nothing
  1 | x = # "a" > 1)
                   ^ remove it, or open the bracket it belongs to""",
    ),
    (
        '# "a" > 1',
        """p.crasp:1:1: LW106: this is not a statement
  1 | # "a" > 1
      ^ write NAME = expression""",
    ),
    (
        'x = 1 < # "a" < 3',
        """p.crasp:1:15: LW107: comparisons do not chain
  1 | x = 1 < # "a" < 3
                    ^ join two of them: a < b && b < c""",
    ),
    (
        'x = # "a" < 99999999999999999999',
        """p.crasp:1:13: LW109: this integer does not fit into 64 bits
  1 | x = # "a" < 99999999999999999999
                  ^^^^^^^^^^^^^^^^^^^^ at most 9223372036854775807""",
    ),
    (
        'max = # "a"',
        """p.crasp:1:1: LW110: 'max' is reserved and cannot be a name
  1 | max = # "a"
      ^^^ choose another name""",
    ),
    (
        "// nothing\n",
        """p.crasp:1:1: LW111: this program has no statements
  1 | // nothing
      ^ write one, such as accept = # "a" >= 1""",
    ),
    (
        "x = # y > 0",
        """p.crasp:1:7: LW201: y is not defined above this line
  1 | x = # y > 0
            ^ define it on a line above, or write "y" for the symbol""",
    ),
    (
        'c = # "a"\nx = !c',
        """p.crasp:2:6: LW202: '!' negates a Boolean, but c is a count
  2 | x = !c
           ^ compare it: c >= 1""",
    ),
    (
        'CV = # "a"\nV = "b"\nD = CV + V < 2',
        """p.crasp:3:10: LW203: '+' adds counts, but V is a Boolean
  3 | D = CV + V < 2
               ^ write #V to count the positions where it holds""",
    ),
    (
        'x = #[pred2] "a" > 0',
        """p.crasp:1:7: LW204: pred2 is not imported
  1 | x = #[pred2] "a" > 0
            ^^^^^ add the line #import pred2""",
    ),
    (
        'next "a" = true\nnext "a" = false',
        """p.crasp:2:1: LW205: "a" is predicted by a second statement
  2 | next "a" = false
      ^^^^^^^^ join both conditions with || in one statement""",
    ),
    (
        'alphabet "a" "b" "a"\nx = "a"',
        """p.crasp:1:18: LW206: the alphabet lists "a" twice
  1 | alphabet "a" "b" "a"
                       ^^^ list each symbol once""",
    ),
    (
        'alphabet "a"\nx = "b"',
        """p.crasp:2:5: LW207: "b" is not in the declared alphabet
  2 | x = "b"
          ^^^ add it to the alphabet line or remove it here""",
    ),
    (
        'x = #[j <= i-2] "a" > 0',
        """p.crasp:1:6: LW301: this guard is not a finite window: it admits arbitrarily distant positions, which would \
leave C-RASP[periodic, local]
  1 | x = #[j <= i-2] "a" > 0
           ^^^^^^^^^^ subtract a window instead: # b - #[j >= i-1] b counts b at the positions j <= i-2""",
    ),
    (
        "x = i == 3",
        """p.crasp:1:5: LW302: 'i' is a position, and a position predicate must be periodic: anything else would leave \
C-RASP[periodic, local]
  1 | x = i == 3
          ^ write i % 2 == 0, or #true for the number of positions so far""",
    ),
    (
        'x = # "a" * # "b" > 4',
        """p.crasp:1:11: LW303: a count can be multiplied by an integer only; a product of counts would leave \
C-RASP[periodic, local]
  1 | x = # "a" * # "b" > 4
                ^ write the integer first: 2 * c""",
    ),
    (
        "x = i % 3 == 7",
        """p.crasp:1:5: LW304: residues modulo 3 lie between 0 and 2
  1 | x = i % 3 == 7
          ^^^^^^^^^^""",
    ),
]


def message(text: str) -> str:
    with pytest.raises(ProgramError) as caught:
        parse(text, title="p.crasp")
    return str(caught.value)


@pytest.mark.parametrize(("text", "expected"), MESSAGES, ids=[re.findall(r"LW\d+", m)[0] for _, m in MESSAGES])
def test_a_message_shows_place_sentence_caret_and_hint(text: str, expected: str) -> None:
    assert message(text) == expected


def test_deep_nesting_is_explained() -> None:
    assert "LW108: this expression is nested too deeply" in message(f"x = {'!(' * 80}true{')' * 80}")
    assert "LW108: this expression nests more than 50 deep" in message(f"x = {'!' * 60}true")


def test_every_code_can_occur() -> None:
    shown = {code for _, expected in MESSAGES for code in re.findall(r"LW\d+", expected)}
    assert shown | {"LW108"} == set(CODES)


def test_all_problems_of_a_file_are_reported_at_once_and_in_order() -> None:
    text = 'a = # "x" &\nb = (c\nd = # "y" + "z"\n#import nothing\ne == 3\nf = true\ng = h'
    places = re.findall(r"^p\.crasp:(\d+):\d+: (LW\d+)", message(text), flags=re.MULTILINE)
    assert places == [
        ("1", "LW101"),
        ("2", "LW105"),
        ("3", "LW203"),
        ("4", "LW204"),
        ("5", "LW106"),
        ("7", "LW201"),
    ]


def test_one_mistake_is_reported_once() -> None:
    with pytest.raises(ProgramError) as caught:
        parse("x = # y > 0\nz = # y > 1\nw = x && z && y")
    assert [diagnostic.code for diagnostic in caught.value.diagnostics] == ["LW201"]


def test_what_follows_from_an_unreadable_line_is_not_reported() -> None:
    with pytest.raises(ProgramError) as caught:
        parse('x = (# "a"\ny = x > 0 & true\nz = # x > 1\nw = y && z')
    assert [diagnostic.code for diagnostic in caught.value.diagnostics] == ["LW105", "LW101"]


def test_an_undefined_name_gets_its_nearest_neighbour_as_a_hint() -> None:
    assert "did you mean opened?" in message('opened = # "("\nx = openned > 0')


def test_long_lines_are_shown_around_the_problem() -> None:
    lines = message("x = " + " && ".join(['"a"'] * 200) + " && y && " + " && ".join(['"a"'] * 200)).splitlines()
    assert len(lines[1]) < 130
    assert lines[1][lines[2].index("^")] == "y"


def test_many_problems_are_counted_rather_than_all_shown() -> None:
    text = "\n".join(f"x{number} = y{number}" for number in range(SHOWN + 10))
    assert message(text).endswith("… and 10 more problems")


def test_a_program_built_in_python_reports_without_a_place() -> None:
    from lengthwise.crasp import Program
    from lengthwise.crasp.syntax import Definition, Name, Number

    with pytest.raises(ProgramError, match="program: LW201: y is not defined above this line; define it"):
        Program((Definition("x", Name("y")),))
    with pytest.raises(ProgramError, match="LW110: '1x' cannot be a name"):
        Program((Definition("1x", Number(1)),))
