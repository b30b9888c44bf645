"""Identification lengths, against an enumeration of all programs that shares no code with the atlas."""

from itertools import product

import pytest

import lengthwise as lw
from lengthwise.atlas.identification import identification
from lengthwise.errors import LengthwiseError
from lengthwise.regular import Language

LONGEST = 7
WORDS = [word for size in range(1, LONGEST + 1) for word in product("ab", repeat=size)]
PARENT = [WORDS.index(word[:-1]) if len(word) > 1 else None for word in WORDS]


def _counted(bits: tuple[bool, ...]) -> list[int]:
    counts: list[int] = []
    for bit, parent in zip(bits, PARENT, strict=True):
        counts.append(bit + (0 if parent is None else counts[parent]))
    return counts


def _functions(most: int) -> dict[tuple[bool, ...], int]:
    """All functions of C-RASP[∅] programs over {a, b} on the short words, with their least complexities."""
    least: dict[tuple[bool, ...], int] = {}
    levels: list[list[tuple[bool, ...]]] = [[] for _ in range(most + 1)]

    def add(bits: tuple[bool, ...], complexity: int) -> None:
        if bits not in least:
            least[bits] = complexity
            levels[complexity].append(bits)

    for letter in "ab":
        add(tuple(word[-1] == letter for word in WORDS), 1)
    add((True,) * len(WORDS), 1)
    counts: dict[tuple[bool, ...], list[int]] = {}
    for total in range(2, most + 1):
        for bits in levels[total - 1]:
            add(tuple(not bit for bit in bits), total)
        for threshold in (1, 2, 3):
            for bits in levels[max(0, total - 1 - threshold)]:
                counts.setdefault(bits, _counted(bits))
                add(tuple(count >= threshold for count in counts[bits]), total)
        for first in range(1, total - 1):
            for left, right in product(levels[first], levels[total - 1 - first]):
                add(tuple(x and y for x, y in zip(left, right, strict=True)), total)
                add(tuple(x or y for x, y in zip(left, right, strict=True)), total)
        for first in range(1, total - 3):
            for left, right in product(levels[first], levels[total - 3 - first]):
                pair = (counts.setdefault(each, _counted(each)) for each in (left, right))
                add(tuple(x >= y for x, y in zip(*pair, strict=True)), total)
    return least


@pytest.fixture(scope="module")
def functions() -> dict[tuple[bool, ...], int]:
    return _functions(7)


CASES = {
    "contains b": ("(a|b)*b(a|b)*", 2, 2),
    "a*b*": ("a*b*", 3, 3),
    "scattered ab": ("(a|b)*a(a|b)*b(a|b)*", 3, 3),
}


@pytest.mark.parametrize(("regex", "length", "strict"), CASES.values(), ids=CASES)
def test_identification_lengths_are_those_of_enumeration(
    functions: dict[tuple[bool, ...], int], regex: str, length: int, strict: int
) -> None:
    language = Language.from_regex(regex, "ab")
    right = tuple(language.accepts(word) for word in WORDS)
    own = functions[right]
    needed = {
        bits: next(len(word) for word, x, y in zip(WORDS, bits, right, strict=True) if x != y)
        for bits, complexity in functions.items()
        if bits != right and complexity <= own
    }
    found = identification(language.automaton, ("a", "b"))
    assert found.exact
    assert (found.length, found.strict_length, found.complexity) == (length, strict, own)
    assert max(needed.values()) == length
    assert max(each for bits, each in needed.items() if functions[bits] < own) == strict
    assert found.functions == len(needed) + 1
    # The witness was run by the evaluator of programs, and the teaching set rules out every rival.
    assert found.witness is not None
    assert found.witness.member.program.accepts(found.witness.difference) != language.accepts(found.witness.difference)
    assert len(found.witness.difference) == length
    assert found.teaching is not None
    places = [WORDS.index(word) for word in found.teaching]
    assert all(any(bits[place] != right[place] for place in places) for bits in needed)


def test_majority_is_identified_by_words_of_three_symbols_and_the_contract_has_its_keys() -> None:
    found = lw.identification("majority", words=10_000)
    assert (found.length, found.strict_length, found.exact) == (3, 3, True)
    answer = found.as_json()
    assert {"length", "exact", "class", "witness", "data"} <= set(answer)
    assert {"program", "shortest_difference"} <= set(answer["witness"])
    assert len(answer["witness"]["shortest_difference"]) == 3
    assert answer["data"] == 3


def test_without_proofs_or_without_a_program_the_length_is_a_lower_bound() -> None:
    language = Language.from_regex("a*b*", "ab")
    assert not identification(language.automaton, ("a", "b"), prove=False).exact
    parity = identification(Language.from_regex("(b*ab*a)*b*", "ab").automaton, ("a", "b"), complexity=8)
    assert not parity.exact
    assert parity.complexity is None


def test_programs_of_depth_1_identify_majority_among_themselves() -> None:
    found = lw.identification("majority", depth=1)
    assert (found.length, found.exact) == (3, True)
    assert "depth at most 1" in found.class_name


@pytest.mark.slow
def test_dyck_1_has_a_rival_until_five_symbols_and_stays_one_of_d_2_and_d_3() -> None:
    dyck = lw.identification("dyck1", complexity=15, seconds=20)
    assert (dyck.length, dyck.strict_length, dyck.complexity) == (5, 4, 15)
    for n, least in ((2, 6), (3, 8)):
        found = lw.identification(f"d:{n}", complexity=15, seconds=20)
        assert found.complexity is None
        assert found.length >= least


@pytest.mark.parametrize("n", [2, 3, 12])
def test_with_next_symbols_dyck_1_is_a_rival_of_d_n_until_2n_symbols(n: int) -> None:
    found = lw.identification(f"d:{n}", asks="next", complexity=7)
    assert found.length >= 2 * n
    assert not found.exact
    assert found.witness is not None
    # What is wrong there: the word has a prefix at which the output and the language disagree.
    word, output = "".join(found.witness.difference), found.witness.output
    assert lw.crasp.load(f"d:{n}").accepts(word)
    following = {"a": 1, "b": -1}
    wrong = False
    for end in range(1, len(word) + 1):
        height = word[:end].count("a") - word[:end].count("b")
        right = height == 0 if output == "" else 0 <= height + following[str(output)] <= n
        wrong |= right != found.witness.member.program.accepts(word[:end])
    assert wrong


@pytest.mark.parametrize(
    ("options", "told"),
    [({"asks": "state"}, "accept or next"), ({"complexity": 0}, "between 1 and 20"), ({"words": 0}, "between 1"),
     ({"fragment": "wide"}, "subset of periodic, local"), ({"encoding": "bytes"}, "no complexity")],
)  # fmt: skip
def test_bad_options_are_refused(options: dict[str, object], told: str) -> None:
    with pytest.raises(LengthwiseError, match=told):
        lw.identification("majority", **options)  # type: ignore[arg-type]
