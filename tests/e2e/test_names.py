"""What every verb of the command line says to names and misspellings."""

import json
from pathlib import Path

import pytest

from tests.cases.names import FILES, MISSPELT, NAMES, TRAINING, VERBS, Name
from tests.e2e.command import Done, lengthwise

QUICK = [verb for verb in VERBS if verb not in TRAINING]
TAKES_ALPHABET = {"run", "show", "decide", "compile", "verify", "tasks", "train", "search", "study"}
LIMIT_TRANSFORMERS = {"bound", "simulate"}


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    for name, content in FILES.items():
        (tmp_path / name).write_text(content, encoding="utf-8")
    return tmp_path


def call(verb: str, text: str, cwd: Path, alphabet: str | None = None) -> Done:
    options = ["-a", alphabet] if alphabet is not None and verb in TAKES_ALPHABET else []
    return lengthwise(*(text if part == "{}" else part for part in VERBS[verb]), *options, cwd=cwd)


def test_the_documentation_shows_the_table() -> None:
    page = (Path(__file__).parent.parent.parent / "docs/reference/subjects.md").read_text(encoding="utf-8")
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")] for line in page.splitlines() if line.startswith("| ")
    ]
    names = {f"`{name.text}`" + (f" with `-a {name.alphabet}`" if name.alphabet else ""): name for name in NAMES}
    shown = {row[0]: row[1:] for row in rows if len(row) == 3 and row[0] in names}
    assert shown == {text: [name.meaning, ", ".join(name.works.split())] for text, name in names.items()}
    messages = [row[1].replace("&#124;", "|") for row in rows if len(row) == 2][1:]
    assert messages == [f"{message} …" for message in MISSPELT.values()]


def test_the_table_has_at_least_forty_texts_of_every_kind() -> None:
    assert len({*(name.text for name in NAMES), *MISSPELT}) == len(NAMES) + len(MISSPELT) >= 40


@pytest.mark.parametrize("verb", QUICK)
@pytest.mark.parametrize("name", NAMES, ids=lambda name: name.text)
def test_a_verb_says_first_how_it_read_a_name_or_in_one_sentence_why_it_cannot_use_it(
    name: Name, verb: str, directory: Path
) -> None:
    done = call(verb, name.text, directory, name.alphabet)
    if verb in name.works.split():
        assert done.returncode in (0, 1, 3), done.stderr
        said = name.meaning if verb not in LIMIT_TRANSFORMERS else "Limit Transformer of the "
        assert done.stdout.splitlines()[0].startswith(said)
    else:
        assert done.returncode == 2
        assert done.stdout == "" or verb == "run"
        assert "Traceback" not in done.stderr
        assert done.stderr.strip()


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("text", MISSPELT)
def test_a_word_that_names_nothing_ends_every_verb_with_two_and_the_nearest_names(
    text: str, verb: str, directory: Path
) -> None:
    done = call(verb, text, directory)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(MISSPELT[text])


@pytest.mark.parametrize(
    "arguments", [("eval", "parrity", "a"), ("capacity", "model", "parrity"), ("diagnose", "parrity")]
)
def test_verbs_that_are_about_models_end_with_two_as_well(arguments: tuple[str, ...], tmp_path: Path) -> None:
    done = lengthwise(*arguments, cwd=tmp_path)
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize("text", ["parrity", "ab", "a^n b^n"])
def test_an_alphabet_does_not_make_a_regex_of_a_word(text: str) -> None:
    done = lengthwise("decide", text, "-a", "abnprity")
    assert done.returncode == 2
    assert "If a regex is meant" in done.stderr or "if a regex is meant" in done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("verb", ["train", "search"])
@pytest.mark.parametrize("text", ["(ab)*", "d3", "majority", "addition", "x.att"])
def test_verbs_that_train_say_first_how_they_read_a_name(text: str, verb: str, directory: Path) -> None:
    (name,) = [name for name in NAMES if name.text == text]
    done = call(verb, text, directory)
    assert done.stdout.splitlines()[0] == name.meaning


@pytest.mark.parametrize(
    ("arguments", "meaning"),
    [
        (("decide", "(ab)*"), "regex over {a, b}"),
        (("decide", "majority"), "library program majority over {0, 1}"),
        (("decide", "task:majority"), "task majority"),
        (("show", "tomita-3"), "language tomita-3 over {0, 1}"),
        (("show", "tomita-4"), "library program and language tomita-4 over {0, 1}"),
        (("tasks", "addition"), "task addition"),
        (("bound", "worst-case", "simple-task"), "Limit Transformer of the task simple-task"),
        (("compile", "(ab)*", "-o", "m.safetensors"), "regex over {a, b}"),
    ],
)
def test_json_has_the_meaning(arguments: tuple[str, ...], meaning: str, tmp_path: Path) -> None:
    done = lengthwise(*arguments, "--json", cwd=tmp_path)
    assert done.returncode == 0
    assert json.loads(done.stdout)["meaning"] == meaning


def test_the_words_of_a_language_are_run_through_its_automaton() -> None:
    done = lengthwise("run", "tomita-3", "10", "100", "0110", "", "--json")
    assert [entry["accepts"] for entry in json.loads(done.stdout)] == [False, True, True, True]
    assert done.stderr == "language tomita-3 over {0, 1}\n"
    shown = lengthwise("run", "(ab)*", "aba", "--trace", "text").stdout.splitlines()
    # The automaton by hand: 0 accepts and awaits a, 1 awaits b.
    assert shown[1:5] == ["aba", "  0  start  state 0  accepts", "  1  a      state 1", "  2  b      state 0  accepts"]
    following = json.loads(lengthwise("run", "(ab)*", "ab", "--next", "--json").stdout)
    assert (following[0]["first"], following[0]["next"]) == (["a"], [["b"], ["a"]])
    refused = lengthwise("run", "(ab)*", "ab", "--trace", "html")
    assert refused.returncode == 2


def test_a_long_line_of_a_language_is_read_piece_by_piece() -> None:
    done = lengthwise("run", "(ab)*", "--json", stdin="ab" * 700_000 + "\n" + "ab" * 700_000 + "a\n")
    assert [(entry["accepts"], entry["length"]) for entry in json.loads(done.stdout)] == [
        (True, 1_400_000), (False, 1_400_001),
    ]  # fmt: skip


def test_what_decide_finds_for_a_regex_is_compiled_and_evaluated(tmp_path: Path) -> None:
    done = lengthwise("compile", "(ab)*", "-o", "m.safetensors", cwd=tmp_path)
    assert done.stdout.splitlines()[1] == "compiled is the program that `decide` finds, proved equal at every length"
    shown = lengthwise("eval", "m.safetensors", "abab", "aba", "ba", "--json", cwd=tmp_path)
    assert [entry["accepts"] for entry in json.loads(shown.stdout)] == [True, False, False]
    refused = lengthwise("compile", "parity", "-o", "p.safetensors", cwd=tmp_path)
    assert refused.returncode == 2
    assert refused.stderr.startswith("there is no program for the language parity over {a, b}: ")
    assert len(refused.stderr.splitlines()) == 1
    assert not (tmp_path / "p.safetensors").exists()
