import json
import math
from pathlib import Path

import numpy as np
import pytest

from lengthwise.experiments.kept import Kept
from lengthwise.experiments.positional import Cell, Fits, PositionalError, fit
from lengthwise.runs.store.sealed import write_sealed

CELLS = [
    Cell(function="j = i - 1", width=width, positions=12, window=4, test_lengths=(4, 8), steps=4, trials=2, batch=3)
    for width in (2, 3, 4)
]


def kept_in(directory: Path) -> Kept[Fits]:
    return Kept(directory, Fits, PositionalError)


def test_a_kept_cell_is_never_computed_again(tmp_path: Path) -> None:
    kept = kept_in(tmp_path)
    first = list(kept.completed(fit, CELLS[:2]))
    computed: list[str] = []

    def counted(cell: Cell) -> Fits:
        computed.append(cell.id)
        return fit(cell)

    assert kept.missing(CELLS) == CELLS[2:]
    second = list(kept.completed(counted, CELLS))
    assert computed == [CELLS[2].id]
    assert second[:2] == first
    assert kept.results(CELLS) == second
    assert not kept.missing(CELLS)


def test_worker_processes_give_the_same_results(tmp_path: Path) -> None:
    for engine in ("local", "serial"):
        list(kept_in(tmp_path / engine).completed(fit, CELLS, engine))
    assert kept_in(tmp_path / "local").results(CELLS) == kept_in(tmp_path / "serial").results(CELLS)


def test_results_come_back_with_what_they_were_computed_with(tmp_path: Path) -> None:
    kept = kept_in(tmp_path)
    (found,) = kept.completed(fit, CELLS[:1])
    again = kept.get(CELLS[0])
    assert again == found
    assert again is not None
    assert again.environment is not None
    assert "torch" in again.environment["packages"]
    assert again.seconds > 0


def test_a_diverged_loss_comes_back_from_its_file(tmp_path: Path) -> None:
    cell = CELLS[0].model_copy(update={"rate": 1e30})
    kept = kept_in(tmp_path)
    list(kept.completed(fit, [cell]))
    (found,) = kept.results([cell])
    assert all(math.isnan(loss) for trial in found.trials for loss in trial.losses)
    np.testing.assert_array_equal([look.step for look in found.trials[0].looks], [4])


def test_a_damaged_file_is_an_error_that_names_it(tmp_path: Path) -> None:
    kept = kept_in(tmp_path)
    list(kept.completed(fit, CELLS[:1]))
    path = kept.path(CELLS[0])
    data = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(path.read_text(encoding="utf-8")[:40], encoding="utf-8")
    with pytest.raises(PositionalError, match=CELLS[0].id):
        kept.get(CELLS[0])
    data["cell"]["seed"] = 9
    path.write_text(json.dumps(data), encoding="utf-8")
    with pytest.raises(PositionalError, match="cannot be read as the result of a cell"):
        kept.get(CELLS[0])
    write_sealed(path, data)
    with pytest.raises(PositionalError, match="another cell"):
        kept.get(CELLS[0])
