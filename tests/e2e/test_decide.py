"""`lengthwise decide`, `verify` and `reproduce` as a user meets them."""

import json
from pathlib import Path

import pytest

from lengthwise import decide
from lengthwise.crasp import parse
from lengthwise.regular import Automaton, Budget, Language
from tests.e2e.command import lengthwise


def test_the_contracted_json_of_decide() -> None:
    done = lengthwise("decide", "(aa)*", "--alphabet", "a", "--json")
    data = json.loads(done.stdout)
    assert done.returncode == 0
    assert data["acceptance"] == "last"
    assert (data["nope"]["answer"], data["ape"]["answer"]) == ("no", "yes")
    assert data["nope"]["program"] is None
    assert data["ape"]["proved"] is True
    assert "i % 2 == 0" in data["ape"]["program"]
    assert isinstance(data["nope"]["reason"], str)


def test_the_contracted_json_of_verify() -> None:
    equal = json.loads(lengthwise("verify", "(a|b)*", "(a*b*)*", "--json").stdout)
    assert (equal["equal"], equal["difference"]) == (True, None)
    different = lengthwise("verify", "a*b*", "(ab)*|a*|b*", "--json")
    assert json.loads(different.stdout)["equal"] is False
    assert json.loads(different.stdout)["difference"] == "aab"
    assert different.returncode == 1


def test_a_synthesized_program_can_be_saved_run_and_verified(tmp_path: Path) -> None:
    lengthwise("decide", "[ab]*aa[ab]*", "-o", "doubled.crasp", cwd=tmp_path)
    first, *verdicts = lengthwise("run", "doubled.crasp", "abaab", "abab", cwd=tmp_path).stdout.splitlines()
    assert first == "C-RASP program doubled.crasp over {a, b}"
    assert verdicts == ["accepts  abaab", "rejects  abab"]
    assert lengthwise("verify", "doubled.crasp", "[ab]*aa[ab]*", cwd=tmp_path).returncode == 0


def test_an_automaton_file_is_decided(tmp_path: Path) -> None:
    (tmp_path / "parity.dfa").write_text("     a b\n>* e o e\no e o\n", encoding="utf-8")
    done = lengthwise("decide", "parity.dfa", "--json", cwd=tmp_path)
    assert json.loads(done.stdout)["ape"]["answer"] == "no"


def test_a_task_of_table_3_is_decided_with_the_two_party_argument() -> None:
    shown = lengthwise("decide", "addition").stdout
    assert "Alice" in shown
    assert "Bob" in shown


def test_an_unknown_names_its_cap_and_a_higher_one_decides() -> None:
    low = lengthwise("decide", "[ab]*aa[ab]*", "--cap", "monoid=2", "--cap", "nodes=2", "--json")
    assert json.loads(low.stdout)["ape"]["answer"] == "unknown"
    assert "'monoid' of 2" in json.loads(low.stdout)["ape"]["reason"]
    assert json.loads(lengthwise("decide", "[ab]*aa[ab]*", "--json").stdout)["ape"]["answer"] == "yes"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("decide", "a(b"), "column 2"),
        (("decide", "*a"), "column 1"),
        (("decide", ""), "empty"),
        (("decide", "regex:ab", "--alphabet", "a"), "column 2"),
        (("decide", "a{3,2}"), "column"),
        (("decide", "a*", "--acceptance", "first"), "'eos'"),
        (("decide", "a", "--cap", "size=3"), "--cap takes NAME=VALUE"),
        (("decide", "a", "--cap", "monoid=many"), "number"),
        (("decide", "a", "--seconds", "0"), "positive"),
        (("decide", "missing.crasp"), "does not exist"),
        (("decide", "missing.dfa"), "missing.dfa"),
        (("decide", "b*(ab*ab*)*", "-o", "x.crasp"), "no program to save"),
        (("decide", "dyck1", "--classes"), "not known to be regular"),
        (("reproduce", "huang-table9"), "huang-table2"),
        (("verify", "dyck1", "(ab)*"), "alphabets"),
    ],
)
def test_bad_input_gets_one_message(arguments: tuple[str, ...], message: str, tmp_path: Path) -> None:
    done = lengthwise(*arguments, cwd=tmp_path)
    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr


def test_table_2_comes_out_as_in_the_paper_with_every_entry_supported() -> None:
    rows = json.loads(lengthwise("reproduce", "huang-table2", "--json").stdout)["rows"]
    assert len(rows) == 18
    for row in rows:
        assert row["differences"] == []
        assert row["proved"] == 2
        assert "unknown" not in row["ours"].values()
    assert "Every entry is the paper's." in lengthwise("reproduce", "huang-table2").stdout


def test_table_3_differs_from_the_paper_only_in_the_cell_that_is_open_there() -> None:
    rows = json.loads(lengthwise("reproduce", "huang-table3", "--json").stdout)["rows"]
    assert {row["name"]: row["differences"] for row in rows if row["differences"]} == {
        "binary-majority-interleave": ["[∅]"]
    }
    assert "the paper has 'none found', ours is 'no'" in lengthwise("reproduce", "huang-table3").stdout


def test_decide_takes_objects_of_every_kind() -> None:
    from automata.fa.dfa import DFA

    foreign = DFA(
        states={0, 1},
        input_symbols={"a"},
        transitions={0: {"a": 1}, 1: {"a": 0}},
        initial_state=0,
        final_states={0},
    )
    even = Automaton(("a",), ((1,), (0,)), 0, frozenset({0}))
    for subject in (foreign, even, Language.from_regex("(aa)*"), "(aa)*", "regex:(aa)*"):
        verdict = decide(subject)
        assert (verdict.nope.kind, verdict.local.kind, verdict.ape.kind) == ("no", "no", "yes")


def test_a_regular_program_is_decided_by_its_language() -> None:
    verdict = decide("contains-ab")
    assert verdict.nope.kind == "yes"  # over {a, b} no window is needed
    assert verdict.nope.program is not None
    assert not verdict.nope.program.fragment
    assert any("regular" in note for note in verdict.notes)


def test_a_program_that_is_not_regular_keeps_its_fragment() -> None:
    verdict = decide("majority-interleave", budget=Budget(seconds=5))
    assert verdict.ape.kind == "yes"
    assert verdict.nope.kind == "unknown"


def test_the_classes_are_printed_with_reasons() -> None:
    shown = lengthwise("decide", "parity", "--classes").stdout
    assert "star-free                       no" in shown
    assert "cycle of 2 different actions" in shown


def test_minimised_programs_are_smaller_and_accept_the_same(tmp_path: Path) -> None:
    plain = json.loads(lengthwise("decide", "abcde", "--json").stdout)["nope"]["program"]
    small = json.loads(lengthwise("decide", "abcde", "--minimise", "--json").stdout)["nope"]["program"]
    assert parse(small).size < parse(plain).size
    (tmp_path / "small.crasp").write_text(small, encoding="utf-8")
    assert lengthwise("verify", "small.crasp", "language:abcde", cwd=tmp_path).returncode == 0
    shown = json.loads(lengthwise("show", "abcde", "--minimise", "--json").stdout)
    assert shown["size"] < json.loads(lengthwise("show", "abcde", "--json").stdout)["size"]
