"""A study as a whole, from runs that are pretended: what it says, as data and as files."""

import errno
import json
import os
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lengthwise
from lengthwise.crasp.library import catalogue
from lengthwise.crasp.reading.parser import parse_text
from lengthwise.errors import LengthwiseError
from lengthwise.regular import Answer, Verdict
from lengthwise.regular.deciding.verdict import Kind
from lengthwise.runs.config import RunConfig
from lengthwise.runs.engines.engine import Engine, Serial
from lengthwise.runs.store.run_directory import RunDirectory
from lengthwise.runs.store.store import Store
from lengthwise.runs.sweep import Sweep, SweepInterruptedError, run_sweep
from lengthwise.study import Plan, Request, look_ahead, plan_of, report, train
from lengthwise.study.answer import expected_sentence
from lengthwise.study.expectation import expectation, expected
from lengthwise.study.schemes import read_positions
from lengthwise.study.subject import Studied
from lengthwise.subjects import making
from lengthwise.tasks import get
from tests.study.pretended import pretended_study, pretender, timeless

WINDOWED = "((a|b)(a|b))*ab(a|b)*"
"""Words with ab after an even number of symbols: the program looks back by one symbol."""
KEYS = [
    "schema", "meaning", "subject", "request", "answer", "verdict", "example", "bounds", "published", "plan",
    "measured", "outcomes", "rule", "charts", "promises", "settings", "provenance", "command",
]  # fmt: skip


@pytest.mark.parametrize(
    ("subject", "nope", "ape", "beginning", "outcomes", "agreement"),
    [
        ("majority", "generalizes", "generalizes", "Yes: a transformer that learns majority",
         ["generalizes", "generalizes"], ["confirmed", "confirmed"]),
        ("(aa)*", "fails", "generalizes", "Yes, with positions: ", ["fails", "generalizes"],
         ["confirmed", "confirmed"]),
        ("(a|b)*b(a|b)*", "generalizes", "fails", "Yes: ", ["generalizes", "fails"], ["confirmed", "contradicted"]),
        ("parity", "fails", "not learned", "No: ", ["fails", "undecided"], ["confirmed", "undecided"]),
        ("parity", "generalizes", "fails", "No: ", ["generalizes", "fails"], ["contradicted", "confirmed"]),
    ],
)  # fmt: skip
def test_a_study_says_what_to_expect_what_was_measured_and_whether_they_agree(
    subject: str, nope: str, ape: str, beginning: str, outcomes: list[str], agreement: list[str], tmp_path: Path
) -> None:
    study = pretended_study(tmp_path, subject, {"none": nope, "learned": ape})
    assert study.answer.expected.startswith(beginning)
    assert study.answer.headline.startswith("Smallest N with ≥ 95 % of words right at length 120: ")
    assert [each.outcome for each in study.findings.values()] == outcomes
    assert [each.agreement for each in study.findings.values()] == agreement


def test_the_headline_answers_which_length_and_which_scheme(tmp_path: Path) -> None:
    def curves(config: RunConfig, seed: int) -> str:
        least = {"rope": 20, "learned": 40, "none": 99}[config.model.position]
        return "generalizes" if config.train_length >= least else "fails"

    study = pretended_study(
        tmp_path, "d3", curves, train_lengths=[10, 20, 40], positions="rope,learned,none", target_length=100
    )
    assert study.answer.headline == (
        "Smallest N with ≥ 95 % of words right at length 100: 20 (RoPE), 40 (APE), none up to 40 (NoPE)."
    )
    assert study.answer.as_json()["smallest_train_length"] == {"rope": 20, "ape": 40, "nope": None}


def test_two_of_three_seeds_are_in_the_headline_and_in_the_sentence(tmp_path: Path) -> None:
    study = pretended_study(
        tmp_path, "d3", lambda _, seed: "fails" if seed == 1 else "generalizes", train_lengths=[40], positions="none"
    )
    assert "40 (NoPE, two of three seeds)" in study.answer.headline
    assert "generalizes with two of three seeds" in study.answer.measured
    assert study.findings["nope"].how_far_range == (40, 240)


def test_what_is_not_learned_at_40_is_judged_at_a_shorter_length_and_named(tmp_path: Path) -> None:
    study = pretended_study(
        tmp_path, "parity", lambda config, _: "not learned" if config.train_length == 40 else "fails", positions="none"
    )
    found = study.findings["nope"]
    assert (found.train_length, found.outcome, found.agreement) == (20, "fails", "confirmed")
    assert "The longer training length 40 was not learned" in found.why
    tried = [(each["train_length"], each["model"]) for each in study.as_json()["measured"]["nope"]["attempts"]]
    assert tried == [(40, "2/2/64"), (10, "2/2/64"), (20, "2/2/64"), (40, "4/4/64"), (40, "4/4/128")]


def test_of_several_models_the_one_counts_that_knows_training_lengths_best(tmp_path: Path) -> None:
    def curves(config: RunConfig, seed: int) -> str:
        return "generalizes" if config.model.layers == 4 else "not learned"

    study = pretended_study(tmp_path, "d3", curves, positions="none", train_lengths=[40])
    (trained,) = study.measured["nope"].trained
    assert trained.rung == 1
    assert study.findings["nope"].outcome == "generalizes"


def test_schemes_without_a_theorem_are_measured_and_have_no_verdict(tmp_path: Path) -> None:
    study = pretended_study(
        tmp_path, "d3", {"alibi": "generalizes", "fire": "fails"}, positions="alibi,fire", train_lengths=[20]
    )
    assert [each.verdict for each in study.findings.values()] == ["unknown", "unknown"]
    assert [each.outcome for each in study.findings.values()] == ["generalizes", "fails"]
    assert [each.agreement for each in study.findings.values()] == ["undecided", "undecided"]


def test_periodic_positions_are_not_promised_what_needs_a_window() -> None:
    assert expected(look_ahead("(aa)*", {}).verdict, "periodic").kind == "yes"
    windowed = expected(look_ahead(WINDOWED, {}).verdict, "periodic")
    assert windowed.kind == "unknown"
    assert "window" in windowed.reason


@pytest.mark.parametrize(
    ("subject", "kind"),
    [("simple-task", "yes"), ("mod-p-task", "yes"), ("k-gram", "unknown"), ("task:sort", "yes"), ("parity", "no")],
)
def test_periodic_positions_are_enough_for_what_needs_none_or_a_period_alone(subject: str, kind: str) -> None:
    assert expected(look_ahead(subject, {}).verdict, "periodic").kind == kind


@pytest.mark.parametrize(
    ("nope", "local", "beginning"),
    [
        ("yes", "yes", "Yes: a transformer that learns it on short inputs is expected"),
        ("no", "yes", "Yes, with positions: a transformer with a bias on short distances"),
        ("unknown", "no", "Not decided: "),
        ("no", "no", "No: "),
    ],
)
def test_the_first_sentence_is_about_the_schemes_that_are_compared(nope: Kind, local: Kind, beginning: str) -> None:
    verdict = Verdict("it", Answer(nope, "r"), Answer("unknown", "r"), Answer(local, "r"), "last")
    assert expected_sentence("it", verdict, read_positions("none,relative")).startswith(beginning)


# -------------------------------------------------------------------------------------------------------- the data


def test_the_data_have_stable_keys_and_are_json(tmp_path: Path) -> None:
    study = pretended_study(tmp_path / "store", "majority", {"none": "generalizes", "learned": "fails"}, minutes=500)
    found = json.loads(json.dumps(study.as_json(), allow_nan=False))
    assert list(found) == KEYS
    assert list(found["measured"]) == list(found["outcomes"]) == ["nope", "ape"]
    for outcome in found["outcomes"].values():
        assert outcome["verdict"] == "yes"
        assert outcome["outcome"] in ("generalizes", "fails")
        assert outcome["agreement"] in ("confirmed", "contradicted")
        assert outcome["train_length"] == 40
        assert outcome["how_far"] in (40, 240)
    assert found["answer"]["headline"] == study.answer.headline
    shortest = found["measured"]["nope"]["trained"][0]
    assert (shortest["train_length"], shortest["model"]) == (10, "2/2/64")
    assert [each["test_length"] for each in shortest["results"]] == [10, 15, 20, 30, 40, 60, 80, 100, 120, 160, 240]
    assert len(shortest["results"][0]["scores"]) == len(shortest["results"][0]["position_scores"]) == 3
    assert found["settings"][shortest["settings"]]["task"] == "majority"
    assert found["command"] == "lengthwise study majority --minutes 500 --seeds 3"


def test_the_command_repeats_all_options(tmp_path: Path) -> None:
    study = pretended_study(
        tmp_path, "d3", {"none": "fails", "rope": "fails"}, positions="nope,rope", train_lengths=[20, 10],
        target_length=60, model="2/2/64@2e-3", seeds=4,
    )  # fmt: skip
    assert study.command == (
        "lengthwise study d3 --train-lengths 10,20 --target-length 60 --positions none,rope --model 2/2/64@0.002 "
        "--minutes 10000 --seeds 4"
    )


def test_the_example_is_a_trace_that_the_program_makes(tmp_path: Path) -> None:
    study = pretended_study(tmp_path, "majority", {"none": "generalizes"}, positions="none", train_lengths=[10])
    found = study.as_json()["example"]["trace"]
    word = found["word"]
    ones = [word[: place + 1].count("1") for place in range(len(word))]
    zeros = [word[: place + 1].count("0") for place in range(len(word))]
    assert found["rows"][-1]["values"] == [one >= zero for one, zero in zip(ones, zeros, strict=True)]
    assert found["accepts"] is True


def test_a_mistake_is_a_word_of_the_task_beyond_training(tmp_path: Path) -> None:
    study = pretended_study(tmp_path, "d3", {"none": "fails"}, positions="none", train_lengths=[10])
    mistake = study.mistakes["nope"]
    assert mistake.start
    assert mistake.word[0] == "$"
    word = list(mistake.word[1:])
    assert 10 < len(word) <= mistake.test_length
    assert lengthwise.crasp.load("d3").accepts(word)
    assert mistake.wrong == (len(word),)
    assert "end" in mistake.expected[0]
    assert "end" not in mistake.predicted[0]


def test_bounds_are_there_where_they_are_defined(tmp_path: Path) -> None:
    simple = look_ahead("simple-task", {"omega": 3}).bounds
    assert [each.name for each in simple.lengths] == [
        "printed", "printed-amended", "repaired", "certified", "certified-construction",
    ]  # fmt: skip
    # docs/explanation/certified-length.md has the certified length 15 of f alone for ε = 0.1; here ε is half of it.
    assert simple.certified == 120
    k_gram = look_ahead("k-gram", {}).bounds
    assert [each.name for each in k_gram.lengths] == ["printed", "repaired"]
    assert k_gram.certified is None
    assert "one layer" in str(k_gram.why_not)
    regular = look_ahead("(aa)*", {}).bounds
    assert [(each.name, each.length) for each in regular.lengths] == [("identification", 2)]
    assert regular.error is None
    assert str(regular.why_not).startswith("By theorems none is defined: ")
    majority = look_ahead("majority", {}).bounds
    assert [(each.shown, each.length) for each in majority.lengths] == [("3", 3)]
    none = look_ahead("task:sort", {}).bounds
    assert none.lengths == ()
    assert str(none.why_not).startswith("None is defined: ")


@pytest.mark.parametrize(
    ("task", "kinds", "schemes"),
    [
        ("simple-task", ["yes", "yes"], ["none", "learned"]),
        ("mod-p-task", ["unknown", "yes"], ["none", "periodic"]),
        ("k-gram", ["unknown", "yes"], ["none", "relative"]),
    ],
)
def test_tasks_with_numbers_are_judged_by_their_limit_transformer(
    task: str, kinds: list[str], schemes: list[str], tmp_path: Path
) -> None:
    study = pretended_study(tmp_path, task, dict.fromkeys(schemes, "generalizes"))
    assert [study.verdict.nope.kind, study.verdict.ape.kind] == kinds
    assert "limit transformer" in study.verdict.nope.reason
    assert [each.scheme.position for each in study.measured.values()] == schemes
    assert {each.measure for each in study.measured.values()} == {"variance explained"}
    assert "of the variance explained at length 120" in study.answer.headline


def test_the_verdict_is_about_what_is_trained() -> None:
    # `decide task:majority` is about the task of Huang et al. over 26 letters; the library program has two symbols.
    assert look_ahead("majority", {}).verdict.nope.program == lengthwise.crasp.load("majority")


def test_languages_and_predicates_are_studied_as_objects(tmp_path: Path) -> None:
    language = lengthwise.regular.Language.from_regex("(ab)*")
    one = pretended_study(tmp_path / "a", language, {"none": "fails"}, positions="none", train_lengths=[10])
    assert one.verdict.ape.kind == "yes"

    def even(word: str) -> bool:
        return len(word) % 2 == 0

    other = pretended_study(
        tmp_path / "b", even, {"none": "fails"}, positions="none", train_lengths=[10], parameters={"alphabet": "ab"}
    )
    assert other.verdict.ape.kind == "yes"
    assert not other.verdict.ape.proved


# ------------------------------------------------------------------------------------------- the same bytes again


def parts(subject: str, store: Store, **options: Any) -> tuple[Any, Plan]:
    known = look_ahead(subject, {})
    request = Request.of(known.subject, 10_000, **options)
    return known, timeless(lambda: plan_of(known, request, store, 2))


@pytest.mark.parametrize("subject", ["d3", "simple-task"])
def test_files_are_the_same_bytes_however_the_seeds_were_shared_out(tmp_path: Path, subject: str) -> None:
    curves = {"none": "generalizes", "learned": "fades"}
    together = pretended_study(tmp_path / "together", subject, curves)
    store = Store(tmp_path / "apart")
    known, plan = parts(subject, store)

    def one_by_one(configs: Any, store: Store, engine: Engine) -> Sweep:
        made = [config.with_seeds((seed,)) for config in reversed(configs) for seed in reversed(config.seeds)]
        for config in made:
            assert not run_sweep([config], store, engine, pretender(curves)).failed
        return Sweep(tuple(made), ())

    train(plan, store, Serial(), one_by_one)
    names = together.write(tmp_path / "one", ["svg", "pdf", "png"])
    assert report(known, plan, store).write(tmp_path / "two", ["svg", "pdf", "png"]) == names
    for name in names:
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()


@pytest.mark.parametrize("seed", range(3))
def test_a_study_that_is_interrupted_again_and_again_ends_in_the_same_bytes(tmp_path: Path, seed: int) -> None:
    rng = random.Random(seed)

    def curves(config: RunConfig, seed: int) -> str:
        return "not learned" if (config.train_length == 40 and config.model.layers == 2) else "fades"

    whole = pretended_study(tmp_path / "whole", "d3", curves)
    store = Store(tmp_path / "store")
    known, plan = parts("d3", store)

    def interrupted(config: RunConfig, runs: Path) -> RunDirectory:
        if rng.random() < 0.3:
            raise KeyboardInterrupt
        return pretender(curves)(config, runs)

    for _ in range(200):
        try:
            train(plan, store, Serial(), lambda configs, store, engine: run_sweep(configs, store, engine, interrupted))
            break
        except (SweepInterruptedError, KeyboardInterrupt):
            known, plan = parts("d3", Store(tmp_path / "store"))
    assert report(known, plan, store).as_json() == whole.as_json()


@pytest.mark.parametrize("subject", ["majority", "d3", "lead.crasp", "task:sort"])
def test_a_study_with_nothing_left_to_train_reads_its_program_once(
    subject: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("lead.crasp").write_text('alphabet "a" "b"\nlead = #"a" - #"b" > 2\n', encoding="utf-8")
    pretended_study(tmp_path / "store", subject, dict.fromkeys(("none", "learned"), "fades"))
    catalogue.get.cache_clear()
    making._kept_task.cache_clear()
    read: list[str] = []

    def counted(text: str) -> Any:
        read.append(text)
        return parse_text(text)

    monkeypatch.setattr("lengthwise.crasp.program.parse_text", counted)
    known, plan = parts(subject, Store(tmp_path / "store"))
    report(known, plan, Store(tmp_path / "store")).write(tmp_path / "out")
    # A file is read by itself, and what its text was in kept runs as the program of their task.
    assert len(read) <= (2 if subject.endswith(".crasp") else 1)


def test_a_report_for_which_the_disk_has_no_room_leaves_the_old_one_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    study = pretended_study(tmp_path / "store", "(aa)*", {"none": "fails"}, positions="none", train_lengths=[10])
    out = tmp_path / "out"
    out.mkdir()
    (out / "report.html").write_text("the old report")

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(LengthwiseError, match="out could not be written: no space left on device; finished runs are"):
        study.write(out)
    assert [path.name for path in out.iterdir()] == ["report.html"]
    assert (out / "report.html").read_text() == "the old report"


def test_a_report_names_no_directories(tmp_path: Path) -> None:
    file = tmp_path / "mine" / "most.crasp"
    file.parent.mkdir()
    file.write_text(str(lengthwise.crasp.load("majority")), encoding="utf-8")
    study = pretended_study(tmp_path / "store", str(file), {"none": "fails"}, positions="none", train_lengths=[10])
    written = study.to_html() + json.dumps(study.as_json())
    assert "most.crasp" in written
    assert str(tmp_path) not in written


# --------------------------------------------------------------------------------------- failures and bad requests


def test_a_run_that_fails_does_not_keep_the_others_from_being_made(tmp_path: Path) -> None:
    store = Store(tmp_path)
    known, plan = parts("majority", store)

    def failing(config: RunConfig, runs: Path) -> RunDirectory:
        if config.model.position == "learned" and 1 in config.seeds:
            raise LengthwiseError("the disk was eaten")
        return pretender({"none": "generalizes", "learned": "generalizes"})(config, runs)

    _, failed = train(plan, store, Serial(), lambda configs, store, engine: run_sweep(configs, store, engine, failing))
    assert {each.reason for each in failed} == {"the disk was eaten"}
    study = report(known, plan, store, failed)
    assert [each.outcome for each in study.findings.values()] == ["generalizes", "generalizes"]
    trained = study.as_json()["measured"]["ape"]["trained"]
    assert [(each["train_length"], each["missing_seeds"]) for each in trained] == [(10, 1), (20, 1), (40, 1)]


def test_a_study_without_any_model_says_so(tmp_path: Path) -> None:
    store = Store(tmp_path)
    known, plan = parts("majority", store, positions="none", train_lengths=[10])
    study = report(known, plan, store)
    assert study.findings["nope"].outcome == "undecided"
    assert study.answer.headline == "No model has been trained yet."
    assert study.as_json()["measured"]["nope"]["trained"][0]["missing_seeds"] == 1


def test_subjects_that_look_alike_have_directories_of_their_own() -> None:
    slugs = {Studied.of(text, {}).slug for text in ("(aa)*", "(a a)*", "a*a", "majority", "aa-star")}
    assert len(slugs) == 5
    assert Studied.of("majority", {}).slug == "majority"
    assert Studied.of("simple-task", {"omega": "3"}).slug == "simple-task-omega-3"


def test_a_parameter_is_the_same_however_it_is_written(tmp_path: Path) -> None:
    subjects = [Studied.of("simple-task", {"omega": omega}) for omega in (3, 3.0, "3", "3.0")]
    assert len({(each.title, each.slug) for each in subjects}) == 1
    assert Studied.of("simple-task", {"omega": "2.50"}).title == "simple-task with omega = 2.5"


def test_the_example_of_a_program_that_predicts_is_a_word_that_it_predicts(tmp_path: Path) -> None:
    study = pretended_study(tmp_path, "sort", {"none": "generalizes"}, positions="none", train_lengths=[10])
    assert study.trace is not None
    given, _, written = " ".join(study.trace.word).partition(" SEP ")
    assert written
    assert written.split()[: len(given.split())] == sorted(given.split())[: len(written.split())]


@pytest.mark.parametrize(
    ("subject", "message"),
    [
        ("majorty", "did you mean majority"),
        ("(a", "1:"),
        ("additon", "did you mean addition"),
        ("nothing.crasp", "nothing.crasp"),
    ],
)
def test_what_cannot_be_studied_is_refused_in_a_sentence(subject: str, message: str) -> None:
    with pytest.raises(LengthwiseError) as refused:
        look_ahead(subject, {})
    assert message in str(refused.value)


def test_parameters_of_other_tasks_are_refused() -> None:
    with pytest.raises(LengthwiseError, match="majority has no parameter 'omega'"):
        look_ahead("majority", {"omega": 3})


@pytest.mark.parametrize(
    ("name", "nope", "ape"),
    [("sort", "yes", "yes"), ("copy-unique", "no", "yes"), ("addition", "no", "no"), ("parity", "no", "no")],
)
def test_algorithmic_tasks_are_expected_to_do_what_table_3_says(name: str, nope: str, ape: str) -> None:
    subject = Studied.of(f"task:{name}", {})
    verdict = expectation(subject)
    assert (verdict.nope.kind, verdict.ape.kind) == (nope, ape)
    assert verdict.subject == subject.title


def test_the_variance_explained_is_one_for_models_that_are_always_right(tmp_path: Path) -> None:
    study = pretended_study(tmp_path, "simple-task", {"none": "generalizes"}, positions="none", train_lengths=[8])
    (trained,) = study.measured["nope"].trained
    for at in trained.lengths:
        targets = get("simple-task").sample(at.test_length, 4096, np.random.default_rng(0)).targets
        assert at.scores[0] == pytest.approx(1 - at.losses[0] / targets.var(), abs=0.05)


def test_making_a_study_again_trains_nothing(tmp_path: Path) -> None:
    first = pretended_study(tmp_path, "d3", {"none": "fades", "learned": "fades"})

    def never(configs: Any, store: Store, engine: Engine) -> Sweep:
        raise AssertionError("a run was made again")

    store = Store(tmp_path)
    known, plan = parts("d3", store)
    train(plan, store, Serial(), never)
    assert report(known, plan, store).as_json() == first.as_json()
