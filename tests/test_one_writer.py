"""The house rule of writing: `lengthwise.output` opens files for writing, and nobody else does."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

SOURCE = Path(__file__).parent.parent / "src" / "lengthwise"

ALLOWED = {
    ("output.py", "open"): "the writer itself",
    ("output.py", "os.open"): "the writer itself: pipes and devices",
    ("output.py", "path.open"): "the writer itself: a log that grows",
    ("output.py", "temporary.replace"): "the writer itself: the rename at its end",
    ("cli/exit.py", "os.open"): "the null device in place of a standard output that cannot be written",
    ("crasp/running/native.py", "emitter.open"): "no file: a block of machine code",
    ("experiments/reproduce.py", "tempfile.TemporaryDirectory"): "drawings on their way into memory",
    ("experiments/sweeps/experiment.py", "tempfile.TemporaryDirectory"): "a store without anything, for a rehearsal",
    ("runs/store/draft.py", "draft.rename"): "a whole run directory gets its name",
    ("runs/store/index.py", "sqlite3.connect"): "a database, whose files are SQLite's own business",
    ("runs/store/disk.py", "path.rename"): "a damaged run or file gets out of the way",
    ("study/page/chart.py", "figure.savefig"): "into memory",
    ("study/result.py", "tempfile.TemporaryDirectory"): "drawings on their way into memory",
    ("drawing/style.py", "figure.savefig"): "into memory, from where the writer takes it",
}
"""Who may do it, and why."""

ALWAYS = {
    "write_text", "write_bytes", "touch", "savefig", "imsave", "fdopen", "mkstemp", "NamedTemporaryFile",
    "TemporaryFile", "SpooledTemporaryFile", "TemporaryDirectory", "mkdtemp", "rename", "renames", "link", "symlink",
    "symlink_to", "hardlink_to", "mknod", "mkfifo", "truncate", "copy2", "copyfile", "copyfileobj", "copytree", "savez",
    "savez_compressed", "savetxt", "tofile", "save_file", "ZipFile", "TarFile", "FileHandler", "memmap",
    "open_memmap", "to_csv",
}  # fmt: skip
"""What writes to files under whatever object it is called."""
OF_MODULES = {
    "os.replace", "shutil.copy", "shutil.move", "safetensors.torch.save_model",
    "np.save", "numpy.save", "torch.save", "sqlite3.connect", "codecs.open", "gzip.open",
    "bz2.open", "lzma.open", "tarfile.open", "shelve.open", "dbm.open", "pickle.dump",
}  # fmt: skip


def name_of(function: ast.expr) -> str:
    return ast.unparse(function)


def mode_of(call: ast.Call, place: int) -> str | None:
    """The mode of a call of `open`; None if it is not written out."""
    given = [each.value for each in call.keywords if each.arg == "mode"] + call.args[place : place + 1]
    if not given:
        return "r"
    return given[0].value if isinstance(given[0], ast.Constant) and isinstance(given[0].value, str) else None


def writes(call: ast.Call, imported: dict[str, str]) -> bool:
    """Whether a call opens a file for writing, or makes or renames one."""
    name = name_of(call.func)
    name = imported.get(name, name)
    head, _, last = name.rpartition(".")
    if head in ("output", "lengthwise.output"):
        return False
    if name == "os.open":
        return [name_of(each) for each in call.args[1:]] != ["os.O_RDONLY"]
    if last == "open" and name not in OF_MODULES:
        mode = mode_of(call, 1 if head in ("", "io") else 0)
        return mode is None or bool(set(mode) & set("wax+"))
    if last == "replace" and head not in ("", "os", "dataclasses"):
        return len(call.args) == 1 and not call.keywords  # of a text, it has two arguments
    return name in OF_MODULES or (last in ALWAYS and (head != "" or name in imported))


def imports(tree: ast.Module) -> dict[str, str]:
    """The full names of what modules import by name."""
    return {
        alias.asname or alias.name: f"{node.module}.{alias.name}"
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }


def found_in(text: str) -> Iterator[str]:
    tree = ast.parse(text)
    imported = imports(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and writes(node, imported):
            yield name_of(node.func)


def places() -> set[tuple[str, str]]:
    return {
        (path.relative_to(SOURCE).as_posix(), name)
        for path in SOURCE.rglob("*.py")
        for name in found_in(path.read_text(encoding="utf-8"))
    }


def test_nobody_but_the_writer_opens_a_file_for_writing() -> None:
    assert places() - set(ALLOWED) == set()


def test_nobody_is_allowed_what_is_no_longer_done() -> None:
    assert set(ALLOWED) - places() == set()


@pytest.mark.parametrize(
    "text",
    [
        "open('x', 'w')",
        "open('x', mode='ab')",
        "open('x', mode)",
        "io.open('x', 'x')",
        "path.open('r+b')",
        "path.open(mode='wb')",
        "path.write_text('x')",
        "(a / b).write_bytes(x)",
        "os.open(path, os.O_WRONLY | os.O_CREAT)",
        "os.replace(a, b)",
        "from os import replace\nreplace(a, b)",
        "temporary.replace(path)",
        "from tempfile import mkstemp\nmkstemp()",
        "tempfile.NamedTemporaryFile()",
        "figure.savefig(path)",
        "from safetensors.numpy import save_file\nsave_file({}, path)",
        "np.savez(path, a=a)",
        "from numpy import save\nsave(path, a)",
        "path.touch()",
    ],
)
def test_the_rule_sees_what_writes(text: str) -> None:
    assert len(list(found_in(text))) == 1


@pytest.mark.parametrize(
    "text",
    [
        "open('x')",
        "open('x', 'rb')",
        "path.open()",
        "path.open('rb')",
        "os.open(path, os.O_RDONLY)",
        "text.replace('a', 'b')",
        "from dataclasses import replace\nreplace(config, seeds=3)",
        "from lengthwise.output import write_bytes\nwrite_bytes(path, data)",
        "from safetensors.numpy import save\nsave(tensors)",
    ],
)
def test_the_rule_lets_pass_what_does_not(text: str) -> None:
    assert list(found_in(text)) == []
