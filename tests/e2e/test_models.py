"""Compiling, saving, evaluating and showing models, as a person does it."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import lengthwise as lw
from lengthwise.errors import LengthwiseError
from lengthwise.limit import files
from lengthwise.limit.evaluation.regimes import Hardmax, Huang, IzzoFinite, IzzoInfinite, Regime
from tests.e2e.command import lengthwise


@pytest.fixture(scope="module")
def dyck(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("models") / "dyck1.safetensors"
    done = lengthwise("compile", "dyck1", "-o", str(path), "--json")
    facts = json.loads(done.stdout)
    assert facts["outputs"] == ["accept"]
    assert facts["layers"] >= 2
    assert facts["certified_length"] == facts["certificate"]["length"] > 10**14
    assert "izzo_infinite" in facts["certificate"]["regimes"]
    return path


def test_a_compiled_file_decides_like_its_program(dyck: Path) -> None:
    words = ["", "()", ")(", "(())()", "(()"]
    shown = json.loads(lengthwise("eval", str(dyck), *words, "--json").stdout)
    program = lw.crasp.load("dyck1")
    assert [entry["accepts"] for entry in shown] == [program.accepts(word) for word in words]
    assert all(entry["outputs"].keys() == {"accept"} for entry in shown)


def test_words_come_from_standard_input_too(dyck: Path) -> None:
    assert lengthwise("eval", str(dyck), stdin="()\n)(\n").stdout == "accepts  ()\nrejects  )(\n"


def test_an_ordinary_transformer_decides_alike_at_every_offset(tmp_path: Path) -> None:
    path = tmp_path / "t.safetensors"
    assert lengthwise("compile", "contains-ab", "-o", str(path), "--context", "10").returncode == 0
    model = files.load_transformer(path)
    for offset in range(5):
        assert model.accepts("bbab", offset)
        assert not model.accepts("bbba", offset)
    assert lengthwise("eval", str(path), "bbab", "--offset", "3").stdout == "accepts  bbab\n"
    refused = lengthwise("eval", str(path), "bbab", "--offset", "6")
    assert refused.returncode == 2
    assert "context too short" in refused.stderr


def test_what_is_saved_is_what_is_loaded(tmp_path: Path) -> None:
    for name in ("majority", "induction-all", "aa-star", "tomita-4"):
        model = lw.limit.from_crasp(lw.crasp.load(name))
        model.save(tmp_path / "m.safetensors")
        again = lw.limit.load(tmp_path / "m.safetensors")
        assert repr(again) == repr(model)
        assert (again.certified_length, again.outputs) == (model.certified_length, model.outputs)
        word = "".join(model.alphabet.symbols) * 3
        assert np.array_equal(again(word), model(word))


def test_show_lists_the_quantities_and_says_why_one_is_missing(dyck: Path) -> None:
    facts = json.loads(lengthwise("show", str(dyck), "--json").stdout)
    assert facts["kind"] == "limit transformer"
    assert facts["complexity"]["total"] > 0
    assert facts["one_layer_constants"].startswith("not defined: ")
    assert "certified length" in lengthwise("show", str(dyck)).stdout


@pytest.mark.parametrize("regime", [Hardmax(), IzzoInfinite(), IzzoFinite(8), Huang(8)], ids=str)
def test_show_shows_a_model_of_every_regime(regime: Regime, tmp_path: Path) -> None:
    path = tmp_path / "m.safetensors"
    replace(lw.limit.from_crasp(lw.crasp.load("majority")), regime=regime).save(path)
    done = lengthwise("show", str(path))
    assert (done.returncode, done.stderr) == (0, "")
    assert f"regime               {regime}\n" in done.stdout
    (line,) = [each for each in done.stdout.splitlines() if each.startswith("complexity")]
    facts = json.loads(lengthwise("show", str(path), "--json").stdout)
    assert facts["layers"] == 1
    if hasattr(regime, "bits"):
        assert line == "complexity"
        assert facts["complexity"]["logit_bits"] == regime.bits
    else:
        assert "not defined: R_∞ counts the bits to which logits are rounded" in line
        assert f"{regime} rounds none" in facts["complexity"]


def test_another_regime_can_be_chosen(dyck: Path) -> None:
    assert lengthwise("eval", str(dyck), "(())", "--regime", "izzo_finite(30)").stdout == "accepts  (())\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["compile", "dyck1", "-o", "missing/folder/x.safetensors"], "cannot write"),
        (["compile", "dyck1", "-o", "x.safetensors", "--context", "0"], "context"),
        (["compile", "dyck1", "-o", "x.safetensors", "--relu-only", "-3"], "length"),
        (["eval", "nothing.safetensors", "a"], "does not exist"),
        (["eval", "DYCK", "(a)"], "'a' at position 2 is not in the alphabet"),
        (["eval", "DYCK", "()", "--regime", "nonsense"], "unknown regime"),
        (["eval", "DYCK", "()", "--offset", "2"], "offset"),
        (["show", "DYCK", "--latex"], "for programs"),
        (["show", "nothing.safetensors"], "does not exist"),
    ],
    ids=lambda value: " ".join(value)[:40] if isinstance(value, list) else "",
)
def test_bad_input_gets_one_sentence(arguments: list[str], message: str, dyck: Path, tmp_path: Path) -> None:
    done = lengthwise(*[str(dyck) if argument == "DYCK" else argument for argument in arguments], cwd=tmp_path)
    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert not list(tmp_path.iterdir()), "nothing half-written stays behind"


def test_truncated_and_foreign_files_are_refused(dyck: Path, tmp_path: Path) -> None:
    content = dyck.read_bytes()
    for size in (0, 5, 100, len(content) - 1):
        (tmp_path / "cut.safetensors").write_bytes(content[:size])
        with pytest.raises(LengthwiseError, match="not a safetensors file, or only a part"):
            lw.limit.load(tmp_path / "cut.safetensors")
    files.write(tmp_path / "foreign.safetensors", {"weight": np.zeros(3)}, "something else", {})
    with pytest.raises(LengthwiseError, match="does not hold a Limit Transformer: it says 'something else'"):
        lw.limit.load(tmp_path / "foreign.safetensors")
    files.write(tmp_path / "damaged.safetensors", {"embedding": np.zeros((2, 3))}, files.LIMIT, {"alphabet": ["a"]})
    with pytest.raises(LengthwiseError, match="the file is damaged"):
        lw.limit.load(tmp_path / "damaged.safetensors")


def test_a_word_beyond_the_certified_length_is_refused(tmp_path: Path) -> None:
    model = lw.limit.from_crasp(lw.crasp.load("majority"), relu_only_up_to=10)
    assert model.accepts("01" * 5)
    for attempt in (model.accepts, model.last, model):
        with pytest.raises(LengthwiseError, match="certified for words of at most 10 symbols"):
            attempt("01" * 6)
    with pytest.raises(LengthwiseError, match="certified for words of at most 10 symbols"):
        model.accepts_batch(np.zeros((2, 11), dtype=int))


# --------------------------------------------------------------------------------------------- certificates


@pytest.fixture
def distant(tmp_path: Path) -> Path:
    """The program that looks 20 positions back, compiled."""
    (tmp_path / "distant.crasp").write_text('alphabet "a" "b"\nY = #[j == i-20] "a" >= 1\n', encoding="utf-8")
    done = lengthwise("compile", "distant.crasp", "-o", "distant.safetensors", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    return tmp_path / "distant.safetensors"


def test_answers_of_a_certified_model_say_so(distant: Path) -> None:
    done = lengthwise("eval", str(distant), "a" * 15, "a" * 21, "--json")
    assert done.stderr == ""
    assert [(entry["accepts"], entry["certified"]) for entry in json.loads(done.stdout)] == [
        (False, True),
        (True, True),
    ]
    covered = lengthwise("eval", str(distant), "a" * 15, "--regime", "hardmax")
    assert (covered.stdout, covered.stderr) == (f"rejects  {'a' * 15}\n", "")


def test_a_regime_beyond_the_certificate_is_answered_and_marked(distant: Path) -> None:
    word = "a" * 15
    done = lengthwise("eval", str(distant), word, "--regime", "izzo_infinite")
    assert (done.returncode, done.stdout) == (0, f"accepts  {word}\n")
    assert done.stderr == (
        f"no certificate: {distant} is certified for huang(0..1000), izzo_finite(1..1000), hardmax, not for "
        "izzo_infinite; nothing is proved about its answers\n"
    )
    (entry,) = json.loads(lengthwise("eval", str(distant), word, "--regime", "izzo_infinite", "--json").stdout)
    assert (entry["accepts"], entry["certified"]) == (True, False)


def test_a_model_nobody_certified_says_so(tmp_path: Path) -> None:
    path = tmp_path / "induction.safetensors"
    from lengthwise.limit.constructions import induction_head

    induction_head("ab").model.save(path)
    done = lengthwise("eval", str(path), "aba", "--json")
    assert done.stderr == f"no certificate: {path} has none, so nothing is proved about its answers\n"
    assert [entry["certified"] for entry in json.loads(done.stdout)] == [False]


def test_a_file_whose_weights_were_edited_answers_without_certificate(dyck: Path, tmp_path: Path) -> None:
    model, path = files.load(dyck), tmp_path / "edited.safetensors"
    replace(model, unembedding=model.unembedding * 2).save(path)
    assert lengthwise("eval", str(path), "()").stderr.startswith(f"no certificate: {path} has none")
    tensors, facts = files.read(dyck, files.LIMIT, "a Limit Transformer")
    files.write(path, {**tensors, "unembedding": tensors["unembedding"] * 2}, files.LIMIT, facts)
    done = lengthwise("eval", str(path), "()")
    assert done.stdout == "accepts  ()\n"
    assert done.stderr.startswith(f"no certificate: {path} claims to be exact up to ")


def test_show_prints_the_certificate_or_that_there_is_none(distant: Path, tmp_path: Path) -> None:
    shown = lengthwise("show", str(distant)).stdout
    assert "  regimes                            huang(0..1000) izzo_finite(1..1000) hardmax\n" in shown
    facts = json.loads(lengthwise("show", str(distant), "--json").stdout)
    assert facts["certificate"]["length"] == facts["certified_length"] > 10**12
    assert facts["certificate"]["context"] is None
    files.load(distant).with_regime(IzzoInfinite()).save(tmp_path / "none.safetensors")
    none = json.loads(lengthwise("show", str(tmp_path / "none.safetensors"), "--json").stdout)
    assert (none["certificate"], none["certified_length"]) == (None, None)


def test_with_a_context_the_certificate_ends_with_it(tmp_path: Path) -> None:
    path = tmp_path / "t.safetensors"
    facts = json.loads(lengthwise("compile", "aa-star", "-o", str(path), "--context", "6", "--json").stdout)
    assert (facts["certificate"]["length"], facts["certificate"]["context"]) == (5, 6)
    assert facts["certified_length"] == 5
    assert [entry["certified"] for entry in json.loads(lengthwise("eval", str(path), "aa", "--json").stdout)] == [True]


def test_weights_too_large_for_float64_get_one_sentence_and_no_nan(dyck: Path, tmp_path: Path) -> None:
    path = tmp_path / "large.safetensors"
    tensors, facts = files.read(dyck, files.LIMIT, "a Limit Transformer")
    files.write(path, {**tensors, "unembedding": tensors["unembedding"] * 1e308}, files.LIMIT, facts)
    for arguments in (["eval", str(path), "()"], ["eval", str(path), "()", "--json"]):
        done = lengthwise(*arguments)
        assert (done.returncode, done.stdout) == (2, "")
        assert "float64 may overflow" in done.stderr
        assert "Traceback" not in done.stderr
    shown = lengthwise("show", str(path), "--json")
    assert shown.returncode == 0
    json.loads(shown.stdout, parse_constant=lambda name: pytest.fail(f"{name} is no JSON"))


@pytest.mark.parametrize("dtype", [np.int64, np.float32])
def test_a_tensor_of_another_type_gets_one_sentence(dyck: Path, tmp_path: Path, dtype: type) -> None:
    path = tmp_path / "foreign.safetensors"
    tensors, facts = files.read(dyck, files.LIMIT, "a Limit Transformer")
    files.write(path, {**tensors, "embedding": tensors["embedding"].astype(dtype)}, files.LIMIT, facts)
    for command in ("eval", "show"):
        done = lengthwise(command, str(path), *(["()"] if command == "eval" else []))
        assert done.returncode == 2
        assert "the tensor embedding is of type" in done.stderr
        assert "Traceback" not in done.stderr
