"""The example notebook runs from top to bottom, and every object in it draws itself."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.markup import Markup

NOTEBOOK = Path(__file__).parent.parent.parent / "examples" / "notebook.ipynb"
EXECUTE = """
import sys, nbformat
from nbclient import NotebookClient
notebook = nbformat.read(sys.argv[1], as_version=4)
nbformat.validate(notebook)
NotebookClient(notebook, timeout=1800, startup_timeout=600, kernel_name="python3").execute()
nbformat.write(notebook, sys.argv[2])
"""
SHOWN = {
    "decide": ("(a|b)*bb(a|b)*", "NoPE", "APE", "✗ no", "✓ yes", "flip-flop"),
    "program": ("C-RASP[local]", "depth", "window", "accept"),
    "trace": ("abababba", "8 positions", "✓ accepts"),
    "bound": ("Theorem 4.1, repaired", "resolution", "as printed"),
    "certified": ("Certified length", "✓ exact", "its stand-in"),
    "measure": ("simple-task omega=2.0 N=16", "3 of 3 seeds trained", "median loss", "128"),
    "run": ("simple-task omega=2.0 N=16", "median loss", "128"),
}
"""What each cell shows, by its id."""


@pytest.fixture(scope="module")
def executed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The notebook after its kernel, in a process and a directory of its own, has run it."""
    directory = tmp_path_factory.mktemp("notebook")
    own = {name: str(directory / name.lower()) for name in ("IPYTHONDIR", "JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR")}
    environment = {**os.environ, **own, "OMP_NUM_THREADS": "1"}
    result = directory / "executed.ipynb"
    done = subprocess.run(
        [sys.executable, "-c", EXECUTE, str(NOTEBOOK), str(result)],
        cwd=directory,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(result.read_text(encoding="utf-8"))
    return found


def test_the_notebook_is_kept_without_outputs() -> None:
    cells = json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]
    code = [cell for cell in cells if cell["cell_type"] == "code"]
    assert [cell["id"] for cell in code] == list(SHOWN)
    assert all(cell["outputs"] == [] and cell["execution_count"] is None for cell in code)


@pytest.mark.slow
def test_every_cell_of_the_notebook_draws_its_object(executed: dict[str, Any]) -> None:
    cells = {cell["id"]: cell for cell in executed["cells"] if cell["cell_type"] == "code"}
    assert list(cells) == list(SHOWN)
    for name, texts in SHOWN.items():
        outputs = cells[name]["outputs"]
        assert not [output for output in outputs if output["output_type"] == "error"]
        (result,) = (output for output in outputs if output["output_type"] == "execute_result")
        drawn = Markup("".join(result["data"]["text/html"]))
        drawn.assert_harmless()
        for text in texts:
            assert text in drawn.text, f"cell {name} shows {text}"


@pytest.mark.slow
def test_the_models_of_the_notebook_have_learned_something(executed: dict[str, Any]) -> None:
    (cell,) = (cell for cell in executed["cells"] if cell["id"] == "measure")
    (result,) = (output for output in cell["outputs"] if output["output_type"] == "execute_result")
    rows = Markup("".join(result["data"]["text/html"])).rows[1:]
    assert [row[0] for row in rows] == ["16", "32", "64", "128"]
    # A model that always says 0 has the mean square of the sine, about 0.4.
    assert all(float(row[1]) < 0.1 for row in rows)
