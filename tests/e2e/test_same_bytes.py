"""Equal calls write equal bytes, in processes that hash names differently."""

import hashlib
import json
import os
import struct
import subprocess
import sys
from pathlib import Path

import pytest

APART = {"timing.json"}
"""Files about the clock."""
CALLS = {
    "a compiled model": ("compile", "contains-ab", "-o", "model.safetensors", "--context", "10"),
    "constructed weights": ("sparse", "construct", "parity:1,3", "-T", "4", "-o", "weights.safetensors"),
    "a run": (
        "train", "(ab)*", "-n", "4", "-t", "N,2N", "--seeds", "2", "--steps", "2", "--set", "model.width=8",
        "--set", "evaluation.words=4", "--engine", "serial", "--store", "store",
    ),
}  # fmt: skip


def made(directory: Path, arguments: tuple[str, ...], seed: str) -> dict[str, str]:
    """The digests of all files that a command makes."""
    directory.mkdir()
    environment = {**os.environ, "PYTHONHASHSEED": seed}
    command = [sys.executable, "-m", "lengthwise", *arguments]
    done = subprocess.run(command, cwd=directory, env=environment, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
    files = [path for path in directory.rglob("*") if path.is_file() and path.name not in APART]
    kept = [path for path in files if path.suffix in (".json", ".jsonl", ".safetensors")]
    return {str(path.relative_to(directory)): hashlib.sha256(path.read_bytes()).hexdigest() for path in kept}


@pytest.mark.slow
@pytest.mark.parametrize("call", CALLS)
def test_equal_calls_write_equal_bytes(call: str, tmp_path: Path) -> None:
    first = made(tmp_path / "0", CALLS[call], "0")
    assert any(name.endswith(".safetensors") for name in first)
    for seed in ("1", "2", "77"):
        assert made(tmp_path / seed, CALLS[call], seed) == first


@pytest.mark.slow
def test_headers_have_their_facts_by_name_and_their_tensors_by_place(tmp_path: Path) -> None:
    for number, arguments in enumerate(CALLS.values()):
        made(tmp_path / str(number), arguments, "5")
        for path in (tmp_path / str(number)).rglob("*.safetensors"):
            content = path.read_bytes()
            (length,) = struct.unpack("<Q", content[:8])
            header = json.loads(content[8 : 8 + length])
            places = [entry["data_offsets"] for name, entry in header.items() if name != "__metadata__"]
            assert places == sorted(places), path
            assert list(header.get("__metadata__", {})) == sorted(header.get("__metadata__", {})), path
