"""`Subject.of`: what texts and objects are read as, and what can be asked of them."""

import os
from collections.abc import Iterator
from importlib import metadata
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

import lengthwise as lw
from lengthwise.crasp import library, load, parse
from lengthwise.errors import LengthwiseError, UnknownNameError
from lengthwise.regular import Automaton, Budget, Language, get_language, languages
from lengthwise.regular import verify as verify_acceptors
from lengthwise.regular.languages.catalogue import DEEPEST
from lengthwise.subjects import Subject, both, names, task_of
from lengthwise.subjects.names import DYCK, EQUAL
from lengthwise.tasks import LanguageTask, ModPTask, register_task, registered, registry
from tests.cases.names import FILES, MISSPELT, NAMES, Name
from tests.e2e.command import lengthwise
from tests.study.pretended import pretended_study

EVEN = Automaton(("a", "b"), ((1, 0), (0, 1)), 0, frozenset({0}))


@pytest.fixture
def directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, content in FILES.items():
        (tmp_path / name).write_text(content, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def tasks_of_users(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(registry, "_makers", dict(registry._makers))
    yield
    registry._plugins.cache_clear()


# ------------------------------------------------------------------------------------------------ texts


@pytest.mark.usefixtures("directory")
@pytest.mark.parametrize("name", NAMES, ids=lambda name: name.text)
def test_a_text_keeps_what_was_given_and_says_what_it_is(name: Name) -> None:
    subject = Subject.of(name.text, name.alphabet)
    assert (subject.text, subject.meaning) == (name.text, name.meaning)
    assert "\n" not in subject.meaning
    assert Subject.of(subject) is subject


@pytest.mark.usefixtures("directory")
@pytest.mark.parametrize("text", MISSPELT)
def test_a_text_that_stands_for_nothing_is_refused_by_every_function(text: str) -> None:
    for function in (Subject.of, lw.decide, lambda text: lw.verify(text, "(ab)*"), lw.study, task_of):
        with pytest.raises(LengthwiseError) as refused:
            function(text)
        assert str(refused.value).startswith(MISSPELT[text])


def test_names_that_a_program_and_a_language_share_are_exactly_those_called_equal() -> None:
    assert set(library.names()) & set(languages()) == EQUAL


@pytest.mark.parametrize("name", sorted(EQUAL))
def test_a_program_and_a_language_of_one_name_are_proved_equal(name: str) -> None:
    subject = Subject.of(name)
    assert (subject.program, subject.language) == (load(name), get_language(name))
    assert verify_acceptors(load(name), get_language(name)).equal is True


def test_every_program_for_bounded_depth_is_proved_equal_to_its_language() -> None:
    for depth in range(1, DEEPEST + 1):
        assert DYCK.fullmatch(f"d{depth}")
        assert DYCK.fullmatch(f"d:{depth}")
        assert str(load(f"d{depth}")) == str(load(f"d:{depth}"))
        assert verify_acceptors(load(f"d{depth}"), get_language(f"d:{depth}"), seconds=None).equal is True
    assert not DYCK.fullmatch(f"d{DEEPEST + 1}")
    assert Subject.of(f"d{DEEPEST + 1}").language is None


def test_no_task_of_ours_is_in_the_way_of_a_program_or_a_language() -> None:
    assert not set(registered()) & {*library.names(), *languages()}


def test_every_name_that_is_listed_is_a_task() -> None:
    assert {"majority", "tomita-3", "task:addition", "simple-task"} <= set(names())
    for name in names():
        assert Subject.of(name).task.name == name


def test_a_library_name_is_read_before_a_file_and_a_prefix_decides(directory: Path) -> None:
    (directory / "majority").write_text('alphabet "x"\nY = # "x" >= 1\n', encoding="utf-8")
    assert Subject.of("majority").as_program() == load("majority")
    assert Subject.of("file:majority").as_program().alphabet.symbols == ("x",)
    assert Subject.of(Path("majority")).as_program().alphabet.symbols == ("x",)
    assert Subject.of(os.path.join(".", "majority")).as_program().alphabet.symbols == ("x",)


def test_an_alphabet_extends_regexes_languages_and_automata_and_a_task_has_its_own(directory: Path) -> None:
    for text in ("(ab)*", "parity", "even.dfa"):
        subject = Subject.of(text, "a,b,c")
        assert subject.meaning.endswith("over {a, b, c}")
        assert subject.as_language().alphabet.symbols == ("a", "b", "c")
        assert not subject.as_language().accepts("c")
        assert Subject.of(Subject.of(text), "abc").as_language() == subject.as_language()
    with pytest.raises(LengthwiseError, match="addition is a task, which has its own alphabet"):
        Subject.of("addition", "ab")


def test_a_program_with_an_alphabet_has_no_other_symbols() -> None:
    for thing in ("majority", "tomita-4", "program:tomita-4", load("majority")):
        with pytest.raises(LengthwiseError, match=r"is a program over \{0, 1\}, without 'a'"):
            Subject.of(thing, "01a")
        assert lw.decide(thing, "1").nope.kind == "yes"
    assert lw.decide("scattered:ab", "abc").nope.kind == "yes"


@pytest.mark.parametrize("text", [r"\*a", "'if'", '"a/b"*', "a(/b)*", "(a.txt)+", "a+b?", "[a-c]"])
def test_text_with_an_operator_is_a_regex(text: str) -> None:
    assert Subject.of(text, None if "." not in text else "atx").kind == "regex"


def test_two_regexes_are_read_over_the_symbols_of_both() -> None:
    left, right = both("a*", "b*")
    assert left.meaning == right.meaning == "regex over {a, b}"
    assert lw.verify("a*", "b*").difference == ("a",)
    assert lw.verify("contains-ab", ".*ab.*").equal


# ---------------------------------------------------------------------------------------------- objects


def test_objects_are_what_they_are() -> None:
    from automata.fa.dfa import DFA

    dfa = DFA(states={0, 1}, input_symbols={"a", "b"}, initial_state=0, final_states={0}, allow_partial=False,
              transitions={0: {"a": 1, "b": 0}, 1: {"a": 0, "b": 1}})  # fmt: skip
    program = parse('alphabet "a" "b"\nY = # "a" >= # "b"')
    meanings = {
        Subject.of(load("d2")).meaning: "C-RASP program d2 over {a, b}",
        Subject.of(program).meaning: "C-RASP program over {a, b}",
        Subject.of(Language(EVEN, "even")).meaning: "language even over {a, b}",
        Subject.of(EVEN).meaning: "automaton with 2 states over {a, b}",
        Subject.of(dfa).meaning: "automaton with 2 states over {a, b}",
        Subject.of(ModPTask(3)).meaning: "task mod-p-task",
    }
    assert all(said == wanted for said, wanted in meanings.items())
    for same in (dfa, EVEN, Language(EVEN)):
        assert Subject.of(same).as_language() == get_language("parity")
        assert lw.verify(same, "parity").equal is True
        assert lw.decide(same).nope.kind == "no"
    assert isinstance(Subject.of(EVEN).task, LanguageTask)
    again = task_of(Subject.of(EVEN).task.name, **Subject.of(EVEN).task.parameters)
    assert again.language == get_language("parity")  # as a kept run makes it again


@pytest.mark.parametrize("thing", [3, None, b"(ab)*", ["a"], int, Language])
def test_anything_else_is_refused_in_a_sentence(thing: object) -> None:
    with pytest.raises(LengthwiseError, match="is no subject; give a text, a path, a program"):
        Subject.of(thing)


def test_a_predicate_is_checked_and_never_called_proved() -> None:
    def begins(word: str) -> bool:
        return word.startswith("a")

    subject = Subject.of(begins, "ab")
    assert subject.kind == "predicate"
    assert subject.meaning == f"predicate begins over {{a, b}}, automaton checked to length {subject.checked_to}"
    verdict = lw.decide(begins, alphabet="ab")
    for answer in (verdict.nope, verdict.local, verdict.ape):
        assert answer.kind == "yes"
        assert (answer.proved, answer.proof, answer.checked_to) == (False, None, subject.checked_to)
        assert answer.reason.startswith(f"checked to length {subject.checked_to}, not proved: ")
        assert answer.reason.count("proved") == 1
    assert str(verdict).count("proved") == 3
    same = lw.verify(begins, "a[ab]*", "ab")
    assert (same.equal, same.proof, same.checked_to) == (None, None, subject.checked_to)
    other = lw.verify(begins, "b[ab]*", "ab")
    assert (other.equal, other.difference) == (False, ("a",))
    with pytest.raises(LengthwiseError, match="begins is a predicate, which does not say what its words consist of"):
        Subject.of(begins)


def test_a_subject_without_what_a_verb_needs_says_so() -> None:
    with pytest.raises(LengthwiseError, match=r"a program is needed here, not \(ab\)\*, a regex over \{a, b\}"):
        Subject.of("(ab)*").as_program()
    with pytest.raises(LengthwiseError, match="the task addition comes with neither a program nor a language"):
        Subject.of("addition").as_runnable()
    with pytest.raises(
        LengthwiseError, match=r"the language of the library program dyck1 .* is not known to be regular"
    ):
        Subject.of("dyck1").as_language()
    with pytest.raises(LengthwiseError, match="there is no verdict on the task simple-task: it comes with neither"):
        lw.decide("simple-task")
    assert Subject.of("contains-ab").as_language() == Language.from_regex("[ab]*ab[ab]*")


# ------------------------------------------------------------------------------------- tasks of users


class EvenWords(LanguageTask):
    """Words with an even number of a."""

    def __init__(self) -> None:
        super().__init__(Language(EVEN, "even"), None, "even-words-of-a-test", {})


def test_a_task_of_a_user_resolves_in_every_verb(tmp_path: Path, tasks_of_users: None) -> None:
    register_task("even-words-of-a-test")(EvenWords)
    for text in ("even-words-of-a-test", "task:even-words-of-a-test"):
        assert Subject.of(text).meaning == "task even-words-of-a-test"
        assert lw.decide(text).ape.kind == "no"
        assert lw.verify(text, "parity").equal is True
        for arguments in (
            ("decide", text),
            ("run", text, "aa"),
            ("show", text),
            ("tasks", text),
            ("verify", text, text),
        ):
            done = lengthwise(*arguments)
            assert (done.returncode, done.stderr) == (0, "")
            assert done.stdout.startswith("task even-words-of-a-test")
        options = ["-n", "4", "-t", "4", "--seeds", "1", "--steps", "1", "--engine", "serial", "--store", str(tmp_path)]
        done = lengthwise("train", text, *options, "--set", "optimizer.batch=8", "--set", "evaluation.words=2")
        assert done.returncode == 0
        assert done.stdout.startswith("task even-words-of-a-test\neven-words-of-a-test N=4: 1 of 1 seeds")


def test_a_task_of_an_entry_point_resolves(monkeypatch: pytest.MonkeyPatch, tasks_of_users: None) -> None:
    offered = EntryPoint("theirs", "lengthwise.tasks:ModPTask", "lengthwise.tasks")
    monkeypatch.setattr(metadata, "entry_points", lambda group: [offered] if group == "lengthwise.tasks" else [])
    registry._plugins.cache_clear()
    assert Subject.of("theirs").as_task(period=4).parameters["period"] == 4
    with pytest.raises(UnknownNameError, match="did you mean theirs"):
        Subject.of("thiers")


@pytest.mark.parametrize(("name", "other"), [("dyck1", "program:dyck1"), ("tomita-3", "language:tomita-3")])
def test_a_task_of_a_user_that_takes_the_name_of_something_else_makes_the_name_ambiguous(
    name: str, other: str, tasks_of_users: None
) -> None:
    register_task(name)(EvenWords)
    with pytest.raises(LengthwiseError) as refused:
        Subject.of(name)
    assert str(refused.value).startswith(f"{name} has two meanings, ")
    assert other in str(refused.value)
    assert f"task:{name}" in str(refused.value)
    assert Subject.of(f"task:{name}").kind == "task"
    assert Subject.of(other).kind == other.partition(":")[0]


def test_two_tasks_that_one_prefix_could_mean_are_refused(tasks_of_users: None) -> None:
    register_task("addition")(EvenWords)
    for text in ("addition", "task:addition"):
        with pytest.raises(LengthwiseError, match="two tasks are registered, as 'addition' and as 'task:addition'"):
            Subject.of(text)


# ------------------------------------------------------------------------------------------------ printing


@pytest.mark.parametrize("text", ["(aa)*", "majority", "addition", "parity"])
def test_a_verdict_prints_what_the_command_line_prints(text: str) -> None:
    assert str(lw.decide(text)) + "\n" == lengthwise("decide", text).stdout


def test_a_bound_prints_what_the_command_line_prints() -> None:
    from lengthwise.limit.constructions import simple_task

    model = simple_task(2).model
    for command, found in (
        ("worst-case", lw.bounds.worst_case(model, model, 0.1)),
        ("certified", lw.bounds.certified(model, 0.1)),
    ):
        first, _, rest = lengthwise("bound", command, "simple-task", "--omega", "2").stdout.partition("\n")
        assert first == "Limit Transformer of the task simple-task"
        assert str(found) + "\n" == rest


def test_a_study_prints_how_it_read_its_subject_what_to_expect_and_what_was_measured(tmp_path: Path) -> None:
    study = pretended_study(tmp_path, "majority", {"none": "generalizes", "learned": "fails"})
    lines = str(study).splitlines()
    assert lines[0] == "library program majority over {0, 1}"
    assert lines[1].startswith("Yes: a transformer that learns majority on short inputs")
    assert study.answer.headline in lines
    assert lines[-1].strip().startswith(list(study.findings.values())[-1].agreement)
    assert study.as_json()["meaning"] == study.verdict.meaning == lines[0]


def test_an_object_is_studied_as_the_task_that_a_kept_run_makes_again(tmp_path: Path) -> None:
    from lengthwise.study import look_ahead
    from lengthwise.study.progression import progress
    from tests.study.test_plan import planned

    assert look_ahead(Language(EVEN, "even"), {}).verdict.ape.kind == "no"
    config = progress(planned(tmp_path, Language(EVEN, "even")), {}).next[0]
    assert config.get_task().language == Language(EVEN)


def test_a_task_is_one_run_under_both_of_its_names() -> None:
    from lengthwise.runs.config import RunConfig

    short, whole = (RunConfig(task=name, train_length=8, test_lengths=[8]) for name in ("addition", "task:addition"))
    assert (short.task, short.id) == ("task:addition", whole.id)


def test_regular_takes_typed_objects_only() -> None:
    with pytest.raises(LengthwiseError, match=r"lengthwise\.decide also takes texts"):
        lw.regular.decide("(ab)*", budget=Budget())  # type: ignore[arg-type]
    with pytest.raises(LengthwiseError, match="str cannot be compared"):
        lw.regular.verify("d2", "d2")  # type: ignore[arg-type]
