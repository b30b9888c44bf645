"""Published runs stand beside the language that they are about, and beside no other."""

import csv
import re
from collections import Counter
from importlib import resources
from pathlib import Path

import pytest

from lengthwise.crasp import parse
from lengthwise.errors import LengthwiseError
from lengthwise.experiments.catalogue import find
from lengthwise.regular import Language, decide, verify
from lengthwise.regular.languages.automaton import Automaton
from lengthwise.regular.languages.catalogue import get_language, languages, table_row
from lengthwise.study.published import (
    class_of_verdicts,
    in_practice,
    languages_that_held,
    languages_told_apart,
    means_that_held,
    published_runs,
)
from lengthwise.study.published.canonical import canonical_form
from lengthwise.study.published.figure1 import reported_means
from lengthwise.study.published.practice import GOOD, exceptions
from lengthwise.study.published.state_prediction import BINS, FILE, StatePrediction, VerdictClass, state_prediction
from lengthwise.subjects import Subject

ROOT = Path(__file__).parent.parent.parent
COUNTS: tuple[VerdictClass, ...] = ("counts",)
PAGE = ROOT / "docs" / "explanation" / "published-runs.md"


def test_the_data_file_has_what_its_header_says() -> None:
    rows = state_prediction()
    assert len(rows) == len({row.regex for row in rows}) == 56
    assert sum(row.runs for row in rows) == 1898
    assert sum(row.fitted for row in rows) == 1524
    for row in rows:
        assert 1 <= row.fitted <= row.runs
        assert all(0 <= row.median[lengths] <= row.best[lengths] <= 1 for lengths in BINS)
    assert max(longest for _, longest in BINS) == 250, "beyond, position ids were never trained"


def test_the_data_file_says_where_it_is_from_and_has_no_other_bins() -> None:
    text = resources.files("lengthwise.study.published").joinpath(FILE).read_text(encoding="utf-8")
    header = [line for line in text.splitlines() if line.startswith("#")]
    assert "arXiv 2608.13433" in "".join(header)
    assert "github.com/bveseli/state-tracking-crasp" in "".join(header)
    columns = next(csv.reader([text.splitlines()[len(header)]]))
    assert [name for name in columns if name.startswith("best_")] == [f"best_{low}-{high}" for low, high in BINS]


@pytest.mark.slow
def test_deciding_the_languages_again_gives_the_classes_and_counts_of_the_data_file() -> None:
    agree: Counter[str] = Counter()
    for row in state_prediction():
        eos, last = decide(row.language, acceptance="eos"), decide(row.language)
        assert class_of_verdicts(eos, last) == row.verdict_class, row.regex
        assert (last.nope.kind == "yes") is row.nope_last
        assert (eos.local.kind, eos.ape.kind) == (last.local.kind, last.ape.kind)
        for run in ("best", "median"):
            for lengths in BINS[:2]:
                held = (row.best if run == "best" else row.median)[lengths] >= 0.9
                for name, answer in (
                    ("nope-eos", eos.nope),
                    ("nope", last.nope),
                    ("local", last.local),
                    ("ape", last.ape),
                ):
                    agree[f"{name} {run} {lengths[0]}"] += (answer.kind == "yes") == held
    assert agree == {
        "nope-eos best 51": 41, "nope-eos median 51": 53, "nope-eos best 101": 54, "nope-eos median 101": 49,
        "nope best 51": 42, "nope median 51": 52, "nope best 101": 53, "nope median 101": 48,
        "local best 51": 56, "local median 51": 38, "local best 101": 43, "local median 101": 34,
        "ape best 51": 45, "ape median 51": 27, "ape best 101": 32, "ape median 101": 23,
    }  # fmt: skip


def test_a_program_of_counts_at_an_end_marker_tells_apart_what_holds_at_three_times_the_training_length() -> None:
    assert str(languages_told_apart(("counts",), "best", (101, 150))) == "54 of 56"
    assert str(languages_told_apart(("counts",), "median", (101, 150))) == "49 of 56"
    assert {row.regex for row in exceptions(COUNTS, "best", (101, 150))} == {"((a)*ac)*", "(cbb|b)*"}
    assert {row.verdict_class for row in exceptions(COUNTS, "median", (101, 150))} == {"counts"}


def test_canonical_forms_of_the_data_file_are_those_of_its_languages() -> None:
    for row in state_prediction():
        form = canonical_form(row.language.automaton)
        assert form is not None
        assert form.digest == row.form, row.regex
    assert len({row.form for row in state_prediction()}) == 50, "six are other writings of languages that are there"


@pytest.mark.parametrize("row", state_prediction(), ids=lambda row: row.name)
def test_every_language_is_found_by_itself_and_with_other_letters(row: StatePrediction) -> None:
    own = next(runs for runs in published_runs(row.language) if runs.published_as == row.regex)
    assert (own.relation, own.asks, own.scheme, own.runs) == ("same language", "state", "ape", row.fitted)
    automaton = row.language.automaton
    names = tuple("zyx"[: len(automaton.symbols)])
    renamed = published_runs(Automaton(names, automaton.table, automaton.start, automaton.accepting))
    found = next(runs for runs in renamed if runs.published_as == row.regex)
    assert found.relation == "other letters"
    assert "the same language with other letters" in found.sentence


def test_what_is_found_for_small_languages_is_equal_by_the_prover() -> None:
    for regex in ("(ab)*", "(a|b)*a", "b*", "(aa)*", "a*b*", "(a|bb)*", "a*ba*", "(a|b)*ba(a|b)*", "ab*", "(ab)*a?"):
        language = Language.from_regex(regex)
        found = {runs.published_as for runs in published_runs(language) if runs.relation == "same language"}
        equal = {
            row.regex
            for row in state_prediction()
            if set(row.language.alphabet) == set(language.alphabet) and verify(language, row.language).equal
        }
        assert equal == {name for name in found if name in {row.regex for row in state_prediction()}}, regex


def test_a_letter_that_no_word_has_makes_no_other_data() -> None:
    relations = {runs.published_as: runs.relation for runs in published_runs("aa-star")}
    assert relations == {"(aa)*": "same words", "aa-star": "same language", "(bb)*(bb)*": "other letters"}


@pytest.mark.parametrize("name", [name for name in languages() if name != "parity"])
def test_languages_of_the_catalogue_have_the_means_of_the_figures_file(name: str) -> None:
    entry = next(e for e in find("huang-fig1").figure.entries if e.task == name)
    runs = [runs for runs in published_runs(name) if runs.published_as == name]
    assert [each.scheme for each in runs] == ["nope", "ape"]
    for each in runs:
        assert [round(100 * at.mean, 4) for at in each.bins if at.mean is not None] == list(entry.reported[each.scheme])
        assert [(at.shortest, at.longest) for at in each.bins] == [(1, 50), (51, 100), (101, 150)]
        assert (each.asks, each.runs, each.train_length, each.relation) == ("next", 5, 50, "same language")


def test_algorithmic_tasks_are_found_by_their_names() -> None:
    assert {(runs.asks, runs.relation) for runs in published_runs("task:sort")} == {("answer", "same task")}
    without, with_positions = published_runs("task:parity")
    assert (without.runs, with_positions.runs) == (None, 5), "models of 12 layers were not chosen by success"
    assert published_runs("task:copy-unique")[1].bins[2].mean == 0.987


@pytest.mark.parametrize("subject", ["majority", "dyck1", "sort", "a*b*c*d*e*f*", "simple-task", "a?"])
def test_what_nobody_has_published_is_not_found(subject: str) -> None:
    assert published_runs(subject) == ()


def test_a_program_or_language_that_only_has_a_published_name_is_not_taken_for_it() -> None:
    other = Language(Language.from_regex("a*bbba*").automaton, "tomita-1")
    assert published_runs(other) == ()
    program = parse('alphabet "a" "b"\naccept = # "a" > 3 * # "b"')
    assert published_runs(program) == ()


def test_a_program_is_found_by_its_language() -> None:
    relations = {runs.published_as: runs.relation for runs in published_runs("contains-ab")}
    assert relations["(a|b)*ab(a|b)*"] == "same language"
    assert {runs.published_as for runs in published_runs("program:d2")} == {"d2"}


def test_sentences_say_source_task_lengths_and_all_accuracies() -> None:
    found = next(runs for runs in published_runs("b*baa"))
    assert found.sentence == (
        "arXiv 2608.13433, (b)*baa: models with learned absolute positions, predicting the state of the automaton "
        "after every symbol, were trained up to length 50, and of the 15 that fitted, the median was right by length "
        "on 76.4 % (51–100), 0 % (101–150), 0 % (151–200), 0 % (201–250), and the best on 100 % (51–100), "
        "100 % (101–150), 100 % (151–200), 100 % (201–250)."
    )
    assert "the one that fitted" in published_runs("ccc(b)*")[0].sentence


@pytest.mark.parametrize("name", [name for name in languages() if name != "parity"])
def test_verdicts_of_the_table_are_ours_where_means_are_counted(name: str) -> None:
    verdict = decide(get_language(name))
    assert (verdict.nope.kind == "yes", verdict.ape.kind == "yes") == (table_row(name).nope, table_row(name).ape)


def test_counts_of_means_are_those_of_the_figures_file() -> None:
    far = [(m.task, m.scheme) for m in reported_means() if m.kind == "regular" and m.accuracies[-1] >= GOOD]
    counted = [means_that_held(*verdicts, scheme).held
               for verdicts in ((True, True), (False, True), (False, False)) for scheme in ("ape", "nope")]  # fmt: skip
    assert counted == [9, 8, 1, 0, 0, 0]
    assert sum(counted) == len(far)


def sentences(regex: str) -> tuple[str, ...]:
    language = Subject.of(regex).as_language()
    return in_practice(decide(language, acceptance="eos"), decide(language))


@pytest.mark.parametrize(
    ("regex", "told"),
    [
        ("a*b*", "of the 29 published languages with a program of C-RASP[∅]"),
        ("(a|b)*b", "of the 15 published languages with a program of C-RASP[local]"),
        ("(aa)*", "of the 11 published languages with a program of C-RASP[periodic, local]"),
        ("parity", "of the one published language without a program"),
    ],
)
def test_a_language_is_told_about_those_with_the_same_verdicts(regex: str, told: str) -> None:
    first, apart, means = sentences(regex)
    assert told in first
    assert "54 of 56 by the best run of each and 49 of 56 by the median run" in apart
    assert means.startswith("In Figure 1 of Huang et al.")


def test_verdicts_of_another_acceptance_are_refused() -> None:
    verdict = decide(Language.from_regex("a*"))
    with pytest.raises(LengthwiseError, match="acceptance 'eos'"):
        in_practice(verdict, verdict)


def test_the_page_has_the_counts_of_the_data() -> None:
    text = PAGE.read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(\w+)` \|[^|]*\| (\d+) \| (\d+) \| (\d+) \| (\d+) \| (\d+) \|$", text, re.MULTILINE)
    assert [row[0] for row in rows] == ["counts", "local", "periodic", "none"]
    for name, *shown in rows:
        held = [languages_that_held((name,), run, lengths) for lengths in BINS[:2] for run in ("best", "median")]
        assert [int(number) for number in shown] == [held[0].of, *(each.held for each in held)]
    apart = re.findall(r"^\| ([^|`]*C-RASP[^|]*) \| (\d+) \| (\d+) \| (\d+) \| (\d+) \|$", text, re.MULTILINE)
    expected = (("counts",), ("counts", "local"), ("counts", "local", "periodic"))
    assert len(apart) == 3
    for (_, *shown), classes in zip(apart, expected, strict=True):
        told = [languages_told_apart(classes, run, lengths) for lengths in BINS[:2] for run in ("best", "median")]
        assert [int(number) for number in shown] == [each.held for each in told]
