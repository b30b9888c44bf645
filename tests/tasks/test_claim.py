"""Claims: programs compared with samplers, and the verdicts that follow."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lengthwise.crasp import Program, library, parse
from lengthwise.errors import LengthwiseError
from lengthwise.regular import Language
from lengthwise.subjects import task_of
from lengthwise.tasks import (
    Batch,
    LanguageTask,
    ProgramTask,
    QuestionAnswerTask,
    StartedTask,
    Task,
    check_claim,
    claim_verdict,
    get,
)
from lengthwise.tasks.claim import has_claim, read_program, words_read

MARKS = 'alphabet "a" "b" "SEP" "EOS"\n'
DONE = 'next "EOS" = exists[j<i] "SEP" && !"EOS"\n'
HAS_A = f'{MARKS}next "a" = "SEP" && # "a" > 0\nnext "b" = "SEP" && # "a" == 0\n{DONE}'
LAST = f'{MARKS}next "a" = "SEP" && exists[j == i-1] "a"\nnext "b" = "SEP" && exists[j == i-1] "b"\n{DONE}'


class HasA(QuestionAnswerTask):
    """The answer is a if the question has one, else b."""

    program = parse(HAS_A)

    def question(self, rng: np.random.Generator, length: int) -> str:
        return "".join(rng.choice(["a", "b"], length, p=[0.2, 0.8]))

    def answer(self, question: str) -> str:
        return "a" if "a" in question else "b"


class Last(HasA):
    """The last symbol."""

    program = LAST  # type: ignore[assignment]

    def answer(self, question: str) -> str:
        return question[-1]


class OnlyShort(HasA):
    """As the program says, but for questions of more than 6 symbols."""

    def answer(self, question: str) -> str:
        return super().answer(question) if len(question) <= 6 else "b"


def with_program(task: Task, program: Program | None) -> Any:
    """The same task with another program."""

    class Other:
        def __getattr__(self, name: str) -> Any:
            return program if name == "program" else getattr(task, name)

    return Other()


# -------------------------------------------------------------------------------------------------- comparing


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("task:binary-majority", {}),
        ("task:binary-majority-interleave", {}),
        ("task:majority", {"symbols": 4}),
        ("task:sort", {"symbols": 8}),
        ("task:copy-unique", {"symbols": 8}),
    ],
)
def test_the_programs_of_table_3_agree_with_their_samplers_and_those_of_other_tasks_do_not(
    name: str, parameters: dict[str, Any]
) -> None:
    task = get(name, **parameters)
    claim = check_claim(task, length=8, words=300)
    assert claim.agrees
    assert (claim.words, claim.longest, claim.counterexample) == (300, 6 if "interleave" in name else 8, None)
    assert claim.sentence == f"the program agrees with the task's sampler on 300 words to length {claim.longest}"
    other = parse(str(task.program).replace("== C && C < N", "== C + 1 && C < N").replace("> 0", ">= 2"))
    if str(other) != str(task.program):
        assert not check_claim(with_program(task, other), length=8, words=300).agrees


def test_a_counterexample_is_what_the_program_says_by_itself() -> None:
    claim = check_claim(OnlyShort(), length=12, words=600)
    assert not claim.agrees
    assert claim.longest == 7
    found = claim.counterexample
    assert found is not None
    assert len(found.word[1 : found.word.index("SEP")]) == 7
    assert (found.expected, found.predicted) == (("b",), ("a",))
    assert found.word[found.position - 1] == "SEP"
    # SOS is position 0 of the program.
    assert parse(HAS_A).next_tokens(found.word[1:])[found.position - 2] == {"a"}
    shown = " ".join(found.word[: found.position])
    assert claim.sentence == (
        f"the program disagrees with the task's sampler: after `{shown}` the sampler expects `b` and the program "
        "predicts `a`"
    )
    assert check_claim(OnlyShort(), length=6, words=600).agrees


@pytest.mark.parametrize(
    ("rules", "predicted"),
    [
        ('next "a" = "SEP"\nnext "b" = "SEP"\n' + DONE, ("a", "b")),
        ('next "a" = "SEP" && # "a" > 3\n' + DONE, ()),
    ],
)
def test_a_program_must_predict_exactly_one_symbol(rules: str, predicted: tuple[str, ...]) -> None:
    found = check_claim(with_program(HasA(), parse(MARKS + rules)), 4, 200).counterexample
    assert found is not None
    assert found.predicted == predicted


def test_a_program_may_read_the_start_symbol_or_take_it_for_position_0() -> None:
    reading = HAS_A.replace('"EOS"\n', '"EOS" "SOS"\n', 1).replace('"b" = "SEP" &&', '"b" = "SEP" && # "SOS" == 1 &&')
    assert check_claim(with_program(HasA(), parse(reading)), 9, 300).agrees
    counting = f'{MARKS}next "a" = "SEP" && # true == 4\nnext "b" = "SEP" && # true != 4\n{DONE}'

    class OfThree(HasA):
        def answer(self, question: str) -> str:
            return "a" if len(question) == 3 else "b"

    assert check_claim(with_program(OfThree(), parse(counting)), 6, 100).agrees
    counted = counting.replace('"EOS"\n', '"EOS" "SOS"\n', 1).replace("4", "5")
    assert check_claim(with_program(OfThree(), parse(counted)), 6, 100).agrees
    assert not check_claim(with_program(OfThree(), parse(counted.replace("5", "4"))), 6, 100).agrees


def test_what_is_scored_at_the_start_symbol_is_what_the_program_predicts_first() -> None:
    class Stutter:
        name, loss, min_length, parameters = "stutter", "next-token", 1, dict[str, Any]()
        alphabet = get("task:copy-repeat").alphabet
        outputs, language = len(alphabet), None
        program = parse('alphabet "a" "b"\nnext "a" = !exists true || "b"\nnext "b" = "a"')

        def sample(self, length: int, batch: int, rng: np.random.Generator) -> Batch:
            tokens = np.broadcast_to(np.arange(length + 1) % 2, (batch, length + 1)).copy()
            tokens = np.concatenate([np.full((batch, 1), self.alphabet.index("SOS")), tokens], axis=1)
            return Batch(tokens[:, :-1], tokens[:, 1:], np.ones((batch, length + 1), dtype=bool))

    task: Any = Stutter()
    assert check_claim(task, 6, 60).agrees
    wrong = with_program(task, parse('alphabet "a" "b"\nnext "a" = "b"\nnext "b" = "a"'))
    found = check_claim(wrong, 6, 60).counterexample
    assert found is not None
    assert (found.position, found.expected, found.predicted) == (1, ("a",), ())


@pytest.mark.parametrize("name", ["induction-all", "sort", "unique-copy"])
def test_a_set_of_next_symbols_is_compared_symbol_by_symbol_and_with_acceptance(name: str) -> None:
    program = library.get(name)
    for task in (ProgramTask(program), StartedTask(ProgramTask(program))):
        assert check_claim(task, 10, 200).agrees
        symbol = program.predicts[0]
        without = parse(str(program).replace(f'next "{symbol}" = ', f'next "{symbol}" = false && ', 1))
        found = check_claim(with_program(task, without), 10, 400).counterexample
        assert found is not None
        assert set(found.expected) - set(found.predicted) == {symbol}


def test_acceptance_alone_makes_a_difference() -> None:
    program = parse('alphabet "a" "b"\nnext "a" = true\nnext "b" = true\nY = # "a" >= # "b"')
    other = parse('alphabet "a" "b"\nnext "a" = true\nnext "b" = true\nY = # "a" > # "b"')
    found = check_claim(with_program(ProgramTask(program), other), 6, 200).counterexample
    assert found is not None
    assert (found.expected, found.predicted) == (("a", "b", "the end"), ("a", "b"))
    only = task_of("majority")
    assert check_claim(only, 12, 200).agrees
    strict = with_program(only, parse('alphabet "0" "1"\nY = # "1" > # "0"'))
    assert check_claim(strict, 12, 200).counterexample is not None


@pytest.mark.parametrize(
    ("task", "program", "message"),
    [
        (get("simple-task"), parse('next "0" = true'), "simple-task is a regression; a program predicts symbols"),
        (HasA(), None, "HasA has no program to check; set `program` to one with `next` rules"),
        (HasA(), parse('Y = "a"'), "the program of HasA has no `next` rules; add lines such as"),
        (HasA(), parse('alphabet "a" "SEP"\nnext "a" = "SEP"'), "the program of HasA does not know the symbol 'b'"),
    ],
)
def test_what_cannot_be_compared_is_refused(task: Task, program: Program | None, message: str) -> None:
    with pytest.raises(LengthwiseError) as refused:
        check_claim(with_program(task, program), 8, 50)
    assert str(refused.value).startswith(message)


def test_there_must_be_words_to_compare() -> None:
    with pytest.raises(LengthwiseError, match="HasA has no words of up to 0 symbols to check its program on"):
        check_claim(HasA(), 0)


# --------------------------------------------------------------------------------------------------- verdicts


def test_the_verdict_is_that_of_the_fragment_and_says_that_it_is_a_checked_claim() -> None:
    periodic = LAST.replace('"SEP" && exists[j == i-1] "a"', '"SEP" && i % 2 == 0').replace(
        '"SEP" && exists[j == i-1] "b"', '"SEP" && i % 2 == 1'
    )

    class OddLength(HasA):
        def answer(self, question: str) -> str:
            return "a" if len(question) % 2 else "b"

    for task, kinds in (
        (HasA(), ["yes", "yes", "yes"]),
        (Last(), ["unknown", "yes", "yes"]),
        (with_program(OddLength(), parse(periodic)), ["unknown", "unknown", "yes"]),
    ):
        verdict = claim_verdict(task, length=20, words=500)
        answers = (verdict.nope, verdict.local, verdict.ape)
        assert [answer.kind for answer in answers] == kinds
        for answer in answers:
            assert "checked and not proved: the program agrees with the task's sampler on 500 words to" in answer.reason
            assert "to length 20; " in answer.reason
            assert (answer.proved, answer.proof) == (False, None)


def test_a_claim_that_fails_leaves_the_verdict_open_with_the_counterexample() -> None:
    verdict = claim_verdict(OnlyShort(), length=10, words=500)
    for answer in (verdict.nope, verdict.local, verdict.ape):
        assert answer.kind == "unknown"
        assert answer.reason.startswith("the claim fails: the program disagrees with the task's sampler: after `SOS ")


def test_only_programs_of_users_are_claims() -> None:
    assert has_claim(HasA())
    assert not has_claim(get("task:sort"))
    assert not has_claim(ProgramTask(library.get("sort")))
    assert not has_claim(LanguageTask(Language.from_regex("(ab)*")))


def test_a_program_is_given_as_itself_as_text_or_as_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "p.crasp").write_text(HAS_A, encoding="utf-8")
    program = parse(HAS_A)
    assert read_program(program) is program
    assert (
        read_program(HAS_A) == read_program("p.crasp", str(tmp_path)) == read_program(tmp_path / "p.crasp") == program
    )
    monkeypatch.chdir(tmp_path)
    assert read_program("p.crasp", "/") == program
    assert isinstance(Last.program, Program)
    with pytest.raises(LengthwiseError, match="there is no file 'none'"):
        read_program("none")
    with pytest.raises(LengthwiseError, match="a task's program is a Program, its text or the path of its file, not i"):
        read_program(3)


def test_a_program_gets_the_words_that_it_reads() -> None:
    tokens = HasA().sample(3, 4, np.random.default_rng(0)).tokens
    whole = [HasA().alphabet.decode(row) for row in tokens]
    assert all(word[0] == "SOS" for word in whole)
    assert words_read(HasA(), parse(HAS_A), tokens) == [word[1:] for word in whole]
    knows = parse(HAS_A.replace('"EOS"\n', '"EOS" "SOS"\n', 1))
    assert words_read(HasA(), knows, tokens) == whole
