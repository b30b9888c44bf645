"""Mutated texts: nothing but our own error comes out of the parser, whatever goes in, and soon."""

import random
import re
from contextlib import suppress
from functools import partial
from importlib.resources import files

import pytest

from lengthwise.crasp import ProgramError, parse
from tests.work import lines_executed

SEEDS = [
    'o = # "("\nc = # ")"\nd = #(o < c) == 0 && o == c\n',
    '#import pred4\nx = "a" && ((#[pred4] "a") == 1)\ny = 2*# x == # true\n',
    'alphabet "a" "b"\nz = min(# "a", 3) - max(# "b", 1) if i % 3 in {0, 2} else -7\nok = z > 0\n',
    'x = #[i-j in {1, 4}] "a" > #[j < i] "b" || !exists[j >= i-3] "c"\nnext "a" = x\n',
    "#import pos_even\nC = # !'a'\nD = !pos_even && (C == 0) // why\n",
]
PIECES = [
    *"\"'()[]{}#!&|=<>+-*%,:/ij019 abx\n\t\r\0é\U0001f600",
    "&&", "||", "==", ":=", "//", "#import", "exists", "next", "alphabet", "if", "else", "true", "min(", "max",
    "i % 65535", "#[j >= i-60000] ", "9" * 30, "pred99", "pos_even", "in {", '"a"',
]  # fmt: skip


TOKENS = re.compile(r"\w+|\s+|&&|\|\||[=<>!:]=|[^\w\s]")


def mutated(generator: random.Random) -> str:
    text = generator.choice(SEEDS)
    for _ in range(generator.randint(1, 3)):
        start = generator.randrange(len(text) + 1)
        end = min(len(text), start + generator.randint(0, 6))
        match generator.randrange(7):
            case 0:
                text = text[:start] + generator.choice(PIECES) + text[start:]
            case 1:
                text = text[:start] + text[end:]
            case 2:
                text = text[:end] + text[start:end] * generator.randint(1, 3) + text[end:]
            case 3:
                other = generator.choice(SEEDS)
                place = generator.randrange(len(other))
                text = text[:start] + other[place : place + 20] + text[end:]
            case 4 if text:
                flipped = bytearray(text.encode())
                flipped[generator.randrange(len(flipped))] ^= 1 << generator.randrange(8)
                text = flipped.decode(errors="replace")
            case 5 if text:
                tokens = TOKENS.findall(text)
                one, other_one = generator.randrange(len(tokens)), generator.randrange(len(tokens))
                tokens[one], tokens[other_one] = tokens[other_one], tokens[one]
                text = "".join(tokens)
            case _:
                text = text[:start] + generator.choice(PIECES) + text[end:]
    return text


def attempt(text: str) -> None:
    with suppress(ProgramError):
        parse(text)


def survive(seed: int, how_many: int) -> int:
    """How many of the mutated texts are programs; anything but ProgramError escapes."""
    generator = random.Random(seed)
    programs = 0
    for _ in range(how_many):
        with suppress(ProgramError):
            parse(mutated(generator))
            programs += 1
    return programs


def test_four_thousand_mutated_texts_raise_only_our_error() -> None:
    assert 100 < survive(seed=0, how_many=4_000) < 3_900, "mutations must both break and keep programs"


def test_no_mutated_text_takes_out_of_all_proportion() -> None:
    generator = random.Random(11)
    work = [lines_executed(partial(attempt, mutated(generator))) for _ in range(500)]
    assert max(work) < 100 * sum(work) / len(work)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1, 11))
def test_a_hundred_thousand_mutated_texts_raise_only_our_error(seed: int) -> None:
    assert survive(seed, how_many=10_000) > 250


def test_a_mutated_program_still_prints_and_parses_back() -> None:
    generator = random.Random(99)
    kept = 0
    for _ in range(3_000):
        try:
            program = parse(mutated(generator))
        except ProgramError:
            continue
        kept += 1
        assert parse(str(program)) == program
    assert kept > 100


@pytest.mark.parametrize("text", ['x = # "a" * -3 > 0', 'x = 1 if "a" else # "b" *- 1\ny = x > 0'])
def test_texts_that_once_crashed_the_parser_raise_only_our_error(text: str) -> None:
    with suppress(ProgramError):
        program = parse(text)
        assert parse(str(program)) == program


NESTINGS = [
    ("(", ")"),
    ("!", ""),
    ("!(", ")"),
    ("# ", ""),
    ("exists ", ""),
    ("-", ""),
    ("2 * ", ""),
    ("min(", ", 1)"),
    ("max(1, ", ")"),
    ("#[j < i] ", ""),
    ('1 if "a" else ', ""),
    ("1 if (", ") else 2"),
    ('"a" && (', ")"),
    ("[", "]"),
    ("{", "}"),
    ("#[", "]"),
]


@pytest.mark.parametrize(("opening", "closing"), NESTINGS)
def test_ten_thousand_fold_nesting_gets_an_error_and_no_crash(opening: str, closing: str) -> None:
    text = f'x = {opening * 10_000}"a"{closing * 10_000}'
    with pytest.raises(ProgramError) as caught:
        parse(text)
    codes = {diagnostic.code for diagnostic in caught.value.diagnostics}
    assert codes <= {"LW108", "LW104", "LW301"}
    assert "LW108" in codes or opening in ("[", "{", "#[")


def test_long_flat_programs_are_no_trouble() -> None:
    chain = parse("x = " + " && ".join(['"a"'] * 20_000))
    assert chain.accepts("a")
    total = parse("x = " + " + ".join(['# "a"'] * 5_000) + " == 10000")
    assert total.accepts("aa")
    lines = parse('x0 = # "a"\n' + "".join(f"x{k + 1} = x{k} - 1\n" for k in range(5_000)) + "ok = x5000 < 0")
    assert lines.accepts("a")


def test_the_work_to_refuse_grows_with_the_text_and_no_faster() -> None:
    def refuse(size: int) -> None:
        with pytest.raises(ProgramError):
            parse('x = (# "a" +\n' * size)

    assert lines_executed(lambda: refuse(5_000)) < 15 * lines_executed(lambda: refuse(500))


def test_binary_rubbish_is_refused() -> None:
    generator = random.Random(7)
    for _ in range(300):
        rubbish = bytes(generator.randrange(256) for _ in range(200)).decode("latin-1")
        with pytest.raises(ProgramError):
            parse(rubbish)


def test_the_library_files_are_among_what_is_parsed() -> None:
    texts = [
        path.read_text("utf-8") for path in files("lengthwise.crasp.library").iterdir() if path.name.endswith(".crasp")
    ]
    assert len(texts) >= 13
    assert all(parse(text) for text in texts)


def test_a_large_alphabet_costs_work_in_proportion() -> None:
    def read(size: int) -> None:
        text = "alphabet " + " ".join(f'"s{number}"' for number in range(size)) + f'\nx = "s{size - 1}"'
        assert parse(text).declared_alphabet == tuple(f"s{number}" for number in range(size))

    assert lines_executed(lambda: read(5_000)) < 15 * lines_executed(lambda: read(500))
