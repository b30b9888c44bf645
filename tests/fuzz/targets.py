"""What is attacked: functions that make and read one hostile input, and the good inputs that these come from."""

from __future__ import annotations

import json
import tomllib
import warnings
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

from lengthwise.errors import LengthwiseError
from tests.e2e.command import lengthwise
from tests.fuzz import mutation

ROOT = Path(__file__).parents[2]
Target = Callable[[Random, Path], object]
"""Reads one input; it may write into the directory. What it returns does not matter, what it raises does."""

REGEXES = (
    "(ab)*",
    "a|b*",
    "[ab]*a[ab]{3}",
    "~(a*)",
    "(a*)&(b*)",
    "(a)-(b)",
    "a{2,5}b?",
    "'if' 'then'*",
    "(a|b)*abb",
    "[^a]",
    "ε",
    "∅",
    "a+",
    "((a|b)(a|b))*",
    "a{0}",
    "[a-z]",
)
TABLES = ("     a b\n> * s s t\n  t s t\n", "  a\n>*q q\n", '     "x y" b\n> s s s\n')
ATTS = ("0 1 a\n1 0 b\n0\n", "0 0 1\n0 1 2\n1\n", "0\t1\ta\ta\t0.5\n1\n", "0 1 <eps>\n1\n", "s t a\nt s b\nt 0\n")
DFAS: tuple[Any, ...] = (
    {
        "states": ["s", "t"],
        "alphabet": ["a", "b"],
        "start": "s",
        "accepting": ["s"],
        "transitions": {"s": {"a": "t", "b": "s"}, "t": {"a": "s", "b": "t"}},
    },
    {"alphabet": ["a"], "start": "0", "accepting": [], "transitions": {"0": {"a": "0"}}},
)
FACTS: tuple[Any, ...] = (
    {
        "train_length": 4,
        "task": "(ab)*",
        "test_lengths": ["N", "2N"],
        "seeds": 2,
        "model": {"width": 8, "layers": 1, "heads": 1, "position": "none"},
        "optimizer": {"steps": 2, "learning_rate": 1e-3},
        "evaluation": {"words": 4},
    },
    {"task": "simple-task", "parameters": {"omega": 2}, "train_length": 8, "model": {"position": "learned"}},
    {"task": "task:sort", "train_length": 10, "seeds": [0, 1], "stopping": {"accuracy": 0.9}},
)
WORDS = (
    "run",
    "decide",
    "verify",
    "show",
    "check",
    "tasks",
    "library",
    "figures",
    "bound",
    "capacity",
    "sparse",
    "protocol",
    "compile",
    "eval",
    "simulate",
    "check-proof",
    "papers",
    "worst-case",
    "certified",
    "average",
    "construct",
    "ensemble",
    "coupling",
    "--json",
    "--help",
    "--seconds",
    "--alphabet",
    "-a",
    "--next",
    "--trace",
    "text",
    "--set",
    "--length",
    "--omega",
    "--period",
    "--epsilon",
    "-n",
    "-t",
    "--latex",
    "--simplify",
    "--",
    "dyck1",
    "(ab)*",
    "a*",
    "ab",
    "task:sort",
    "simple-task",
    "mod-p-task",
    "majority",
    "contains-ab",
    "regex:a*",
    "file:x",
    "program:dyck1",
    "parity:1,3",
    "language:(aa)*",
    "nan",
    "inf",
    "-1",
    "0",
    "1",
    "2",
    "3",
    "10",
    "0.1",
    "1e-30",
    "omega=2",
    "x=1",
    "=",
    "abc",
    "a,b",
    "",
    "(",
    ")",
    "\x1b[2J",
    "\u202e",
    "é",
    "no-such-file",
    "/dev/null",
    "x.safetensors",
    "x.toml",
    "x.json",
    "x.py:f",
)
QUICK = (
    "run",
    "show",
    "check",
    "tasks",
    "library",
    "figures",
    "papers",
    "check-proof",
    "eval",
    "protocol",
    "decide",
    "verify",
)
"""Verbs that most command lines begin with. Those that train are left out."""
LIMITED = {"decide": ("--seconds", "0.2"), "verify": ("--seconds", "0.2")}


def regexes(random: Random, _: Path) -> object:
    """Regexes, read and made into automata."""
    from lengthwise.regular import Language

    with suppress(LengthwiseError):
        return Language.from_regex(mutation.text(random, REGEXES), limit=500)
    return None


def automata_as_json(random: Random, directory: Path) -> object:
    """DFA files in JSON."""
    return _automaton(mutation.as_json(random, mutation.data(random, DFAS)), directory / "x.json")


def automata_as_tables(random: Random, directory: Path) -> object:
    """DFA files as tables."""
    return _automaton(mutation.text(random, TABLES), directory / "x.dfa")


def automata_of_att(random: Random, directory: Path) -> object:
    """Automata of AT&T and OpenFst."""
    return _automaton(mutation.text(random, ATTS), directory / "x.att")


def _automaton(text: str, path: Path) -> object:
    from lengthwise.regular.languages.dfa_files import read_automaton

    path.write_bytes(text.encode("utf-8", errors="surrogatepass"))
    with suppress(LengthwiseError):
        return read_automaton(path)
    return None


@cache
def programs() -> tuple[str, ...]:
    """All library programs."""
    return tuple(path.read_text(encoding="utf-8") for path in sorted(ROOT.glob("src/lengthwise/**/*.crasp")))


def programs_as_text(random: Random, _: Path) -> object:
    """C-RASP programs, read and run on a word."""
    from lengthwise import crasp

    with suppress(LengthwiseError):
        return crasp.parse(mutation.text(random, programs())).accepts("ab")
    return None


def run_settings(random: Random, directory: Path) -> object:
    """Settings of runs, as TOML and JSON files."""
    from lengthwise.runs.config import RunConfig
    from lengthwise.runs.toml_text import to_toml

    found = mutation.data(random, FACTS)
    path = directory / "x.json"
    if random.random() < 0.5 and isinstance(found, dict):
        with suppress(Exception):  # what TOML cannot hold stays JSON
            written = to_toml(found)
            path = directory / "x.toml"
            path.write_bytes(
                (mutation.text(random, [written]) if random.random() < 0.3 else written).encode(errors="replace")
            )
    if path.suffix == ".json":
        path.write_bytes(mutation.as_json(random, found).encode(errors="surrogatepass"))
    with suppress(LengthwiseError):
        return RunConfig.from_file(path)
    return None


@cache
def figures() -> tuple[Any, ...]:
    """The small figure files of papers, as data."""
    paths = [path for path in sorted(ROOT.glob("papers/**/*.toml")) if path.stat().st_size < 6000]
    return tuple(tomllib.loads(path.read_text(encoding="utf-8")) for path in paths)


def figure_files(random: Random, directory: Path) -> object:
    """Figure files, read as `reproduce` does before it trains."""
    from lengthwise.experiments.catalogue import find
    from lengthwise.runs.toml_text import to_toml

    path = directory / "x.toml"
    found = mutation.data(random, figures())
    try:
        written = to_toml(found)
    except Exception:
        written = "title = 3"
    path.write_bytes((mutation.text(random, [written]) if random.random() < 0.3 else written).encode(errors="replace"))
    with suppress(LengthwiseError):
        return find(str(path))
    return None


@cache
def model_file() -> tuple[dict[str, Any], bytes]:
    """The header of a compiled model, with its facts read, and its tensors."""
    import tempfile

    from lengthwise import crasp, limit

    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory, "x.safetensors")
        limit.from_crasp(crasp.load("contains-ab")).save(path)
        content = path.read_bytes()
    length = int.from_bytes(content[:8], "little")
    return json.loads(content[8 : 8 + length]), content[8 + length :]


def model_files(random: Random, directory: Path) -> object:
    """Model files with hostile headers, facts and bytes."""
    from lengthwise import limit

    header, tensors = model_file()
    header = json.loads(json.dumps(header))
    if random.random() < 0.6:
        facts = mutation.data(random, [json.loads(header["__metadata__"]["facts"])])
        header["__metadata__"]["facts"] = mutation.as_json(random, facts)
    else:
        header = mutation.data(random, [header])
    text = mutation.as_json(random, header).encode(errors="replace")
    if random.random() < 0.1:
        begin = random.randrange(len(tensors))
        tensors = tensors[:begin] + bytes(random.randrange(256) for _ in range(8)) + tensors[begin + 8 :]
    size = len(text) if random.random() < 0.95 else random.choice((0, 7, 1 << 30, 1 << 62))
    path = directory / "x.safetensors"
    path.write_bytes(size.to_bytes(8, "little") + text + tensors)
    with suppress(LengthwiseError):
        return limit.load(path)
    return None


def hugging_face_directories(random: Random, directory: Path) -> object:
    """Directories of Hugging Face, up to where transformers would be asked, and GPT-2s by our own reader."""
    import numpy as np
    from safetensors.numpy import save

    from lengthwise.diagnose.influence.plain_directory import require_plain
    from lengthwise.nn.loading.gpt2 import load_gpt2

    place = directory / "hf"
    place.mkdir(exist_ok=True)
    settings = {"model_type": "gpt2", "n_layer": 1, "n_head": 1, "n_embd": 4, "vocab_size": 5, "n_positions": 6}
    shapes: dict[str, Any] = {
        "wte.weight": [5, 4],
        "wpe.weight": [6, 4],
        "h.0.ln_1.weight": [4],
        "h.0.ln_1.bias": [4],
        "h.0.ln_2.weight": [4],
        "h.0.ln_2.bias": [4],
        "h.0.attn.c_attn.weight": [4, 12],
        "h.0.attn.c_attn.bias": [12],
        "h.0.attn.c_proj.weight": [4, 4],
        "h.0.attn.c_proj.bias": [4],
        "h.0.mlp.c_fc.weight": [4, 16],
        "h.0.mlp.c_fc.bias": [16],
        "h.0.mlp.c_proj.weight": [16, 4],
        "h.0.mlp.c_proj.bias": [4],
        "ln_f.weight": [4],
        "ln_f.bias": [4],
    }
    changed = mutation.data(random, [shapes]) if random.random() < 0.5 else shapes
    sound = {
        name: shape
        for name, shape in (changed if isinstance(changed, dict) else shapes).items()
        if isinstance(shape, list) and all(type(side) is int and 0 <= side < 50 for side in shape)
    }
    (place / "model.safetensors").write_bytes(
        save({name: np.zeros(shape, np.float32) for name, shape in sound.items()})
    )
    told = mutation.data(random, [settings]) if random.random() < 0.7 else settings
    (place / "config.json").write_bytes(mutation.as_json(random, told).encode(errors="surrogatepass"))
    index = place / "model.safetensors.index.json"
    index.unlink(missing_ok=True)
    if random.random() < 0.3:
        listed = {"metadata": {}, "weight_map": dict.fromkeys(sound, "model.safetensors")}
        index.write_bytes(mutation.as_json(random, mutation.data(random, [listed])).encode(errors="surrogatepass"))
    for read in (require_plain, load_gpt2):
        with suppress(LengthwiseError):
            read(place)
    return None


def command_lines(random: Random, directory: Path) -> object:
    """Command lines of verbs that do not train, in this process."""
    verb = random.choice(QUICK) if random.random() < 0.8 else random.choice(WORDS[:23])
    rest = [random.choice(WORDS) for _ in range(random.randint(0, 5))]
    if random.random() < 0.2:
        rest.append(mutation.text(random, REGEXES).replace("\x00", ""))
    # A command line has neither null characters nor files that never end; a limit of time comes last and so counts.
    done = lengthwise(verb, *rest, *LIMITED.get(verb, ()), cwd=directory, stdin="ab\n\x00\x1b\n")
    if done.returncode not in (0, 1, 2, 3) or "Traceback" in done.stderr:
        raise AssertionError(f"{[verb, *rest]} ended with {done.returncode}: {done.stderr[-300:]}")
    return None


TARGETS: dict[str, Target] = {
    "regexes": regexes,
    "DFA files in JSON": automata_as_json,
    "DFA files as tables": automata_as_tables,
    "DFA files of AT&T": automata_of_att,
    "C-RASP programs": programs_as_text,
    "settings of runs": run_settings,
    "figure files": figure_files,
    "model files": model_files,
    "Hugging Face directories": hugging_face_directories,
    "command lines": command_lines,
}


def attacked(name: str, number: int, directory: Path) -> None:
    """Read the input of this number; the same in every process."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        TARGETS[name](Random(f"{name} {number}"), directory)
