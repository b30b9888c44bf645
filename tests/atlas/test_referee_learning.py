"""What is called smallest is compared with an oracle of its own, on data made to break it."""

from __future__ import annotations

import random
from itertools import product
from pathlib import Path

import pytest

import lengthwise as lw
from lengthwise.atlas.complexity import COMPLEXITIES
from lengthwise.atlas.examples import Example, Examples
from lengthwise.atlas.finding import Settings
from lengthwise.atlas.learning import learn
from lengthwise.errors import LengthwiseError
from tests.atlas import referee


def examples(items: list[tuple[str, bool]], symbols: str) -> Examples:
    return Examples.of([Example(tuple(word), label, word) for word, label in items], tuple(symbols))


def test_two_errors_are_two_for_all_outputs_of_words_without_labels_together() -> None:
    words = ["ab", "aabb", "aaabbb"]
    for errors, least in ((0, 19), (1, 12), (2, 12), (3, 11), (4, 7)):
        given = Examples.of([Example(tuple(word), None, word) for word in words])
        learned = learn(given, Settings(""), errors)
        assert learned.errors <= errors
        assert (learned.complexity, learned.smallest) == (least, True)
        assert least == _least_together(words, "ab", errors, most=11)


def _least_together(words: list[str], symbols: str, errors: int, most: int) -> int:
    """The least sum of complexities of functions for every output with so few errors together."""
    prefixes = referee.closed(words)
    wanted = [[prefix + symbol in prefixes for prefix in prefixes] for symbol in symbols]
    wanted.append([prefix in words for prefix in prefixes])
    fronts: list[dict[int, int]] = [{} for _ in wanted]
    for level, new in referee.levels(prefixes, symbols):
        for values in new:
            for front, right in zip(fronts, wanted, strict=True):
                front.setdefault(sum(a != b for a, b in zip(values, right, strict=True)), level)
        if level == most:
            break
    return min(
        sum(level for _, level in chosen)
        for chosen in product(*(front.items() for front in fronts))
        if sum(wrong for wrong, _ in chosen) <= errors
    )


def test_one_letter_takes_as_much_as_all_functions_of_four_words_say() -> None:
    items = [("a", False), ("aa", True), ("aaa", False), ("aaaa", True)]
    learned = learn(examples(items, "a"), Settings(""))
    assert learned.smallest
    assert referee.least(items, "a", most=25) == (learned.complexity, 0)


@pytest.mark.parametrize("seed", range(4))
def test_no_complexity_below_the_smallest_explains_words_with_doubles_contradictions_and_long_ones(seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(15):
        symbols = rng.choice(["a", "ab", "ab", "abc"])
        fragment = rng.choice([(), ("periodic",), ("local",), ("periodic", "local")])
        encoding = rng.choice(["symbols", "bits", "heads"])
        errors, longest = rng.choice([0, 0, 1, 2]), rng.choice([3, 5, 12, 40])
        words = ["".join(rng.choices(symbols, k=rng.randint(1, longest))) for _ in range(rng.randint(1, 6))]
        labels = {word: rng.random() < 0.5 for word in words}
        items = [(word, labels[word]) for word in [*words, words[0]]]
        if errors:
            items.append((words[-1], not labels[words[-1]]))
        least = referee.least(items, symbols, fragment, errors, 7, encoding)
        if least is None:
            continue
        learned = learn(examples(items, symbols), Settings(fragment, 7, encoding), errors)
        assert learned.errors == sum(learned.program.accepts(word) != label for word, label in items) <= errors
        assert COMPLEXITIES[encoding].of(learned.program) == learned.complexity
        assert learned.smallest
        assert (learned.complexity, learned.errors) == least


def test_labels_that_contradict_each_other_twice_need_two_errors() -> None:
    items = [("a", True), ("a", True), ("a", True), ("a", False), ("a", False)]
    for errors in (0, 1):
        with pytest.raises(LengthwiseError, match=r"has label 1 and .* that it has 0; .* --errors 2$"):
            learn(examples(items, "a"), Settings(), errors)
    assert learn(examples(items, "a"), Settings(), 2).errors == 2


def test_a_byte_order_mark_is_no_symbol_and_an_empty_text_is_refused(tmp_path: Path) -> None:
    marked = tmp_path / "marked.tsv"
    marked.write_bytes(b"\xef\xbb\xbfa\t1\nb\t0\n")
    assert lw.learn(str(marked)).learned.program.alphabet.symbols == ("a", "b")
    empty = tmp_path / "empty.jsonl"
    empty.write_text('{"word": ["a", ""], "label": 1}\n')
    with pytest.raises(LengthwiseError, match=r"empty\.jsonl:1: a symbol has at least one character"):
        lw.learn(str(empty))
