"""The arguments of Table 3 on AC⁰, each tried on all small inputs."""

import itertools

import pytest

from lengthwise.regular.algorithmic.decide import get_task, task_names
from lengthwise.regular.algorithmic.tables import ac0_argument, table_3

WORDS = [word for length in range(1, 7) for word in itertools.product((0, 1), repeat=length)]


def has_more_ones(word: tuple[int, ...]) -> bool:
    return 2 * sum(word) > len(word)


@pytest.mark.parametrize("name", task_names())
def test_every_argument_comes_to_what_the_paper_prints(name: str) -> None:
    found, argument = ac0_argument(name)
    assert ("yes" if found else "no") == get_task(name).paper.ac0
    assert len(argument.split()) > 4


def test_the_column_is_in_the_table_with_its_reasons() -> None:
    rows = {row.name: row for row in table_3()}
    assert [rows[name].ours["AC⁰"] for name in ("majority", "parity", "addition")] == ["no", "no", "yes"]
    assert "Furst, Saxe and Sipser" in rows["parity"].support["AC⁰"]
    assert not any("AC⁰" in row.differences for row in rows.values())


@pytest.mark.parametrize("word", WORDS)
def test_padding_makes_every_threshold_of_majority_and_thresholds_make_parity(word: tuple[int, ...]) -> None:
    length = len(word)
    # At least k ones: more ones than half, with so many ones or zeros added that k is just enough.
    at_least = [
        has_more_ones(word + (1,) * max(0, length - 2 * least + 1) + (0,) * max(0, 2 * least - length - 1))
        for least in range(length + 2)
    ]
    assert at_least == [sum(word) >= least for least in range(length + 2)]
    odd = any(at_least[number] and not at_least[number + 1] for number in range(1, length + 1, 2))
    assert odd == (sum(word) % 2 == 1)


def test_a_carry_arrives_if_a_lower_place_makes_one_and_all_between_pass_it_on() -> None:
    places = 4
    for one, other in itertools.product(range(2**places), repeat=2):
        bits = [(one >> place & 1, other >> place & 1) for place in range(places + 1)]
        carries = [
            any(
                bits[low] == (1, 1) and all(1 in bits[between] for between in range(low + 1, place))
                for low in range(place)
            )
            for place in range(places + 1)
        ]
        total = sum(
            (sum(pair) + carry) % 2 << place for place, (pair, carry) in enumerate(zip(bits, carries, strict=True))
        )
        assert total == one + other


def test_the_least_number_above_the_last_sorts_and_what_follows_the_last_copies() -> None:
    for word in itertools.permutations(range(5), 4):
        output: list[int] = []
        while larger := [number for number in word if not output or number > output[-1]]:
            output.append(min(larger))
        assert output == sorted(word)
        copied = [word[0]]
        while copied[-1] != word[-1]:
            copied.append(word[word.index(copied[-1]) + 1])
        assert tuple(copied) == word
