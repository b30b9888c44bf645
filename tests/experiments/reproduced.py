"""A figure at the size of a few seconds, made in this process and printed as the command line does."""

import json
from pathlib import Path
from typing import Any

from lengthwise.experiments.reproduce import reproduce


def reproduced(
    name: str, directory: Path, *, train: bool = True, as_json: bool = False, store: str = "store", **options: Any
) -> Path:
    """The directory with the files of the figure; everything is below the given one."""
    given = {"out": directory / "out", "formats": ["svg"], "engine": "serial", **options}
    made = reproduce(name, "smoke", store=directory / store, train=train, **given)
    print(json.dumps(made.as_json(), ensure_ascii=False) if as_json else "\n".join(made.lines()))
    assert not made.failed
    return Path(given["out"]) / Path(name).stem / "smoke"
