"""Compiling, saving, evaluating and showing models, as a person does it."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import lengthwise as lw
from lengthwise.errors import LengthwiseError
from lengthwise.limit import files
from lengthwise.limit.regimes import Hardmax, Huang, IzzoFinite, IzzoInfinite, Regime
from tests.e2e.command import lengthwise


@pytest.fixture(scope="module")
def dyck(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("models") / "dyck1.safetensors"
    done = lengthwise("compile", "dyck1", "-o", str(path), "--json")
    facts = json.loads(done.stdout)
    assert facts["outputs"] == ["accept"]
    assert facts["layers"] >= 2
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
