"""`lengthwise figures`: the figures and tables that `lengthwise reproduce` knows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from lengthwise.cli.answer import json_text
from lengthwise.cli.options import Json
from lengthwise.cli.printing import echo


def figures(as_json: Json = False) -> None:
    """List the figures and tables of papers that can be reproduced, and how much each preset trains."""
    import lengthwise as lw

    found = lw.figures()
    if as_json:
        echo(json_text(found))
        return
    width = max(len(facts["name"]) for facts in found) + 2
    for facts in found:
        for line in _lines(facts, width):
            echo(line)


def _lines(facts: dict[str, Any], width: int) -> Iterator[str]:
    if "problem" in facts:
        yield f"{facts['name']:{width}}{facts['problem']}"
        return
    yield f"{facts['name']:{width}}{facts['title']}"
    sizes = [
        f"{preset}: {size['configs']} configs x {size['seeds']} seeds"
        if size["models"] == size["configs"] * size["seeds"]
        else f"{preset}: {size['configs']} configs, {size['models']} models"
        for preset, size in facts["presets"].items()
    ]
    yield " " * width + ("; ".join(sizes) or "computed, nothing is trained")
