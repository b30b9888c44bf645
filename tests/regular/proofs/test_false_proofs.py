"""False claims with an argument that a careless checker accepts, one by one."""

from __future__ import annotations

import json
from typing import Any

import pytest

from lengthwise.crasp import parse
from lengthwise.regular.languages.automaton import Automaton
from lengthwise.regular.proofs import Equal, Member, NotMember, Proof, ProofError, ProofFileError, proofs_from_json

AB = ("a", "b")
EVEN_A = Automaton(AB, ((1, 0), (0, 1)), 0, frozenset({0}))
EVEN_B = Automaton(AB, ((0, 1), (1, 0)), 0, frozenset({0}))
SOME_B = Automaton(AB, ((0, 1), (1, 1)), 0, frozenset({1}))
AB_STAR = Automaton(AB, ((1, 2), (2, 0), (2, 2)), 0, frozenset({0}))
AA_STAR = Automaton(("a",), ((1,), (0,)), 0, frozenset({0}))
A_STAR = Automaton(("a",), ((0,),), 0, frozenset({0}))
A_PLUS = Automaton(("a",), ((1,), (1,)), 0, frozenset({1}))
ANYTHING = 'alphabet "a" "b"\nx = # "a" >= 0'


def invariant(*configurations: list[Any], **parts: Any) -> dict[str, Any]:
    nothing: dict[str, Any] = {"forms": [], "memories": [], "relations": [], "clauses": []}
    return {"kind": "invariant", **nothing, **parts, "configurations": list(configurations)}


def group(fragment: str, order: Any, suffix: str, first_is_in: bool, identity: str | None) -> dict[str, Any]:
    words = {"access": [], "cycle": ["a"], "suffix": list(suffix), "identity": identity and list(identity)}
    return {"kind": "group", "fragment": fragment, **words, "order": order, "first_is_in": first_is_in}


def balance(accesses: list[str], edges: Any, identities: Any, suffix: str, first_is_in: bool) -> dict[str, Any]:
    return {
        "kind": "balance", "fragment": "∅",
        "places": [{"access": list(access), "context": None, "group": 0} for access in accesses],
        "blocks": [{"word": [letter], "source": None, "target": None} for letter in AB],
        "contexts": {}, "edges": edges, "identities": identities,
        "pair": [0, 1], "suffix": list(suffix), "first_is_in": first_is_in,
    }  # fmt: skip


def walk(start: int, *blocks: int) -> dict[str, Any]:
    return {"start": start, "blocks": list(blocks)}


def about(witness: dict[str, Any]) -> dict[str, Any]:
    return {"kind": "witness", "witness": witness}


FALSE: dict[str, Proof] = {
    "an equality over part of the alphabet shows no membership": Proof(
        Member(EVEN_B, "∅", "last"),
        {
            "kind": "program", "program": ANYTHING, "alphabet": ["a"],
            "equality": invariant([0, 0, 1, [], [], [], [[0]]]),
        },
    ),
    "an equality over no symbols shows nothing": Proof(
        NotMember(parse(ANYTHING), "∅", "last"),
        {
            "kind": "witness", "witness": group("∅", 2, "b", True, None), "alphabet": [],
            "automaton": {"symbols": ["a", "b"], "table": [[1, 0], [0, 1]], "start": 0, "accepting": [0]},
            "equality": invariant([0, 0, 1, [], [], [], []]),
        },
    ),
    "a witness uses no symbol over which the program was not compared": Proof(
        NotMember(parse(ANYTHING), "∅", "last"),
        {
            "kind": "witness", "witness": {**group("∅", 2, "a", True, None), "cycle": ["b"]}, "alphabet": ["a"],
            "automaton": {"symbols": ["a", "b"], "table": [[0, 1], [1, 0]], "start": 0, "accepting": [0]},
            "equality": invariant([0, 0, 1, [], [], [], [[0]]]),
        },
    ),
    "a program with periods counts modulo two": Proof(
        NotMember(AA_STAR, "periodic", "last"), about(group("periodic", 2, "a", False, "aa"))
    ),
    "places counted from the end do not connect anything": Proof(
        NotMember(SOME_B, "∅", "last"),
        about(
            balance(
                ["", "b"],
                [[0, 1, 1], [1, 1, 1], [-2, 0, 0]],
                [{"path": walk(0, 1), "end": 1, "multiple": 1, "loops": [[1, walk(1, 1)]]}],
                "a",
                False,
            )
        ),
    ),
    "an empty list is no multiple of a path": Proof(
        NotMember(AB_STAR, "∅", "last"),
        about(
            balance(
                ["", "a"],
                [[0, 0, 1], [1, 1, 0]],
                [{"path": walk(0, 0), "end": 1, "multiple": [], "loops": []}],
                "ab",
                True,
            )
        ),
    ),
    "two automata may differ on the empty word though one program is equal to both": Proof(
        Equal(A_STAR, A_PLUS, ("a",)),
        {
            "kind": "chain",
            "between": [{"program": 'alphabet "a"\nx = true'}],
            "steps": [
                invariant([0, 0, 1, [], [], [], [[0]]]),
                invariant([0, 0, 1, [], [], [], [[1]]], [1, 0, 1, [], [], [], [[1]]]),
            ],
        },
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", FALSE)
def test_a_false_claim_is_refused(name: str) -> None:
    with pytest.raises(ProofError):
        FALSE[name].check()


@pytest.mark.parametrize("name", FALSE)
def test_a_false_claim_is_refused_when_it_comes_from_a_file(name: str) -> None:
    (proof,) = proofs_from_json(json.dumps(FALSE[name].as_json()))
    with pytest.raises(ProofError):
        proof.check()


def test_a_claim_about_part_of_the_alphabet_says_so() -> None:
    proof = Proof(
        Equal(EVEN_B, Automaton(AB, ((0, 0),), 0, frozenset({0})), ("a",)), {"kind": "bisimulation", "pairs": [[0, 0]]}
    )
    proof.check()
    assert str(proof.claim).endswith("on words over {a}")


LARGE = {
    "minima inside minima": ['x = # "a"', *["x = min(x, x + 1)"] * 40, "y = x >= 3"],
    "a long chain of minima": ['x = # "a"', *[f"x = min(x, {n})" for n in range(3000)], "y = x >= 3"],
    "a wide window and a long period": ['y = #[i - j <= 65535] "a" >= 1 && i % 1999 == 0'],
    "names upon names": ['x = # "a" >= 1', *[f"x = #x >= {n % 7}" for n in range(1500)]],
}


@pytest.mark.parametrize("name", LARGE)
def test_a_small_text_of_a_large_program_is_read_or_refused(name: str) -> None:
    program = parse('alphabet "a"\n' + "\n".join(LARGE[name]))
    other = parse('alphabet "a"\ny = # "a" >= 7')
    with pytest.raises(ProofError):
        Proof(Equal(program, other, ("a",)), invariant([0, 0, 1, [], [], [], [[0]]])).check()


@pytest.mark.parametrize(
    "argument",
    [
        about(group("∅", 10**12, "a", False, None)),
        about(group("∅", "2", "a", False, None)),
        about({"kind": "group"}),
        about({"kind": "balance"}),
        {"kind": "witness", "witness": None},
    ],
)
def test_a_witness_of_another_shape_is_refused(argument: dict[str, Any]) -> None:
    with pytest.raises(ProofError):
        Proof(NotMember(AA_STAR, "∅", "last"), argument).check()


@pytest.mark.parametrize(
    "row",
    [
        [0, 0, 1, [], [[0, 10**3000, 0]], [], [[0]]],
        [0, 0, 1, [], [[0, 4, 7], [0, 7, 0]], [], [[0]]],
        [0, 0, 10**40, [], [], [], [[0]]],
        [0, 0, 1, [[0, "0", None]], [], [], [[0]]],
        [0, 0, 1, [], [], [-1], [[0]]],
        [0, 0, 1, [], [], [], [[-1]]],
        [-1, 0, 1, [], [], [], [[0]]],
        [0, 0, 0, [], [], [], [[0]]],
        [0, 0, 1, [], [], [], [[0], [0]]],
        [[], [], [], [], [], [], []],
        [],
        None,
    ],
)
def test_a_configuration_of_another_shape_is_refused(row: Any) -> None:
    program = parse('alphabet "a"\nx = #[j == i-1] "a" >= 1 && # "a" >= 2')
    argument = invariant(row, forms=[[[0, 0, 1]]], memories=[[0, 0]])
    with pytest.raises(ProofError):
        Proof(Equal(program, parse('alphabet "a"\nx = # "a" >= 2'), ("a",)), argument).check()


@pytest.mark.parametrize(
    "text",
    [
        "[" * 100_000,
        "[]",
        "NaN",
        "1.5",
        "1" * 5_000,
        '{"format": "lengthwise proof", "version": 1, "argument": {}, "claim": {"kind": "member", "fragment": {}}}',
        '{"format": "lengthwise proof", "version": 1, "argument": {}, "claim": {"kind": "equal", "alphabet": ["a"], '
        '"left": {"program": 5}, "right": {"automaton": []}}}',
    ],
)
def test_a_text_that_is_no_proof_is_refused(text: str) -> None:
    with pytest.raises(ProofFileError):
        proofs_from_json(text)
