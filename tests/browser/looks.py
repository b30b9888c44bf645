"""What a reader can see of a page: `Looks` asks the functions of `looks.js`."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from playwright.sync_api import Page


@cache
def _script() -> str:
    return Path(__file__).with_suffix(".js").read_text(encoding="utf-8").strip().removesuffix(";")


class Looks:
    """A page as it looks now."""

    def __init__(self, page: Page) -> None:
        self.page = page

    def low_contrast(self) -> list[str]:
        """Texts whose colour is too close to what is behind them."""
        return list(self._ask("lowContrast"))

    def without_alternative(self) -> list[str]:
        """Pictures that say nothing to those who cannot see them."""
        return list(self._ask("withoutAlternative"))

    def sideways(self) -> int:
        """By how many pixels the page has to be scrolled sideways."""
        return int(self._ask("sideways"))

    def readable(self) -> list[str]:
        """What can be read, in order."""
        return list(self._ask("readable"))

    def written(self) -> list[str]:
        """All that is written, folded up or not."""
        return list(self._ask("written"))

    def cut_off(self) -> list[str]:
        """Boxes that would have to be scrolled."""
        return list(self._ask("cutOff"))

    def narrow_cells(self) -> list[str]:
        """Texts of cells that are too narrow for them."""
        return list(self._ask("narrowCells"))

    def on_paper(self, width: int = 718) -> Looks:
        """The same page as it is printed; A4 has 718 pixels between its margins."""
        self.page.emulate_media(media="print")
        self.page.set_viewport_size({"width": width, "height": 1000})
        return self

    def _ask(self, name: str) -> Any:
        return self.page.evaluate(f"({_script()}).{name}()")
