"""What a browser would find in a piece of HTML, read with the standard library."""

from __future__ import annotations

from html.parser import HTMLParser

VOID = {"meta", "br", "link", "img", "input"}
HARMLESS = {
    *("style", "div", "p", "span", "strong", "b", "i", "em", "small", "code", "pre", "details", "summary", "dl", "dt"),
    *("dd", "table", "caption", "thead", "tbody", "tr", "th", "td", "svg", "circle", "line", "path"),
}


class Markup(HTMLParser):
    """Tags with their attributes, the text, and the text of each kind of element; refuses what does not nest."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: dict[str, list[str]] = {}
        self.rows: list[list[str]] = []
        self.seen: list[str] = []
        self.feed(text)
        self.close()
        assert not self.open, "every element is closed"

    @property
    def text(self) -> str:
        """All that can be read, the style left out."""
        return " ".join("".join(self.seen).split())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)
            self.texts.setdefault(tag, []).append("")
        if tag == "tr":
            self.rows.append([])
        elif tag in ("td", "th"):
            self.rows[-1].append("")
        if tag in ("p", "div", "dl", "dd", "dt", "pre", "tr", "td", "th", "summary", "details"):
            self.seen.append(" ")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag, "elements nest"

    def handle_data(self, data: str) -> None:
        if "style" not in self.open:
            self.seen.append(data)
        for tag in set(self.open):
            self.texts[tag][-1] += data
        if {"td", "th"} & set(self.open):
            self.rows[-1][-1] += data

    def assert_harmless(self) -> None:
        """Nothing that runs, loads or asks."""
        assert {tag for tag, _ in self.tags} <= HARMLESS
        for _, attributes in self.tags:
            assert not any(name.startswith("on") or name in ("src", "href") for name in attributes)
