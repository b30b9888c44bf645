"""The page of a study: one file that needs nothing else, sound HTML, with text where there are pictures."""

import re
from collections import Counter
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path

import pytest

from tests.report.pretended_study import pretended_study, small_plan

VOID = {"meta", "br", "hr", "img", "link", "input"}


class Elements(HTMLParser):
    """All elements of a page, in order; tags that do not match are noted."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.text: list[str] = []
        self.mismatched: list[str] = []
        self._open: list[str] = []
        self.feed(page)
        self.close()
        self.mismatched += self._open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))
        if tag not in VOID:
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        if not self._open or self._open.pop() != tag:
            self.mismatched.append(tag)

    def handle_data(self, data: str) -> None:
        if "style" not in self._open:
            self.text.append(data)


@pytest.fixture(scope="module", params=[r"(a|b)*<\&b(a|b)*", "simple-task", "sort", "parity", "k-gram"])
def page(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> str:
    store = tmp_path_factory.mktemp("store")
    return pretended_study(store, request.param, "fails", "generalizes").to_html()


def test_tags_match_and_names_are_unique(page: str) -> None:
    elements = Elements(page)
    assert elements.mismatched == []
    names = Counter(attributes["id"] for _, attributes in elements.found if "id" in attributes)
    assert [name for name, times in names.items() if times > 1] == []


def test_references_lead_to_something(page: str) -> None:
    elements = Elements(page)
    names = {attributes.get("id") for _, attributes in elements.found}
    used = re.findall(r"url\(#([\w-]+)\)|href=\"#([\w-]+)\"|labelledby=\"([\w-]+)\"", page)
    wanted = {name for found in used for name in found if name}
    assert len(wanted) > 10
    assert wanted <= names


def test_nothing_is_loaded_and_nothing_runs(page: str) -> None:
    for tag, attributes in Elements(page).found:
        assert tag not in ("script", "link", "iframe", "object", "embed", "img")
        assert "src" not in attributes
        assert (attributes.get("href") or "#").startswith("#")
        assert not [name for name in attributes if name.startswith("on")]
    assert "@import" not in page
    assert not re.search(r"url\((?!#)", page)


def test_every_figure_has_a_caption_and_a_text_alternative(page: str) -> None:
    elements = Elements(page).found
    figures = [tag for tag, _ in elements if tag == "figure"]
    drawings = [attributes for tag, attributes in elements if tag == "svg"]
    assert len(figures) == len(drawings) == len([tag for tag, _ in elements if tag == "figcaption"]) == 3
    for attributes in drawings:
        assert attributes["role"] == "img"
        assert "Trained up to" in (said := str(attributes["aria-label"])) or "longest test length" in said
        assert re.search(r"\d", said)


def test_headings_do_not_skip_a_level(page: str) -> None:
    levels = [int(tag[1]) for tag, _ in Elements(page).found if re.fullmatch(r"h[1-6]", tag)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(later <= earlier + 1 for earlier, later in pairwise(levels))


def test_drawings_take_the_colours_of_the_page(page: str) -> None:
    drawn = "".join(re.findall(r"<svg.*?</svg>", page, flags=re.DOTALL))
    assert "currentColor" in drawn
    assert "var(--line-1" in drawn
    assert "#010203" not in drawn
    assert "prefers-color-scheme: dark" in page


def test_wide_tables_scroll_and_can_be_reached_by_keyboard(page: str) -> None:
    elements = Elements(page).found
    before = [elements[place - 1][1] for place, (tag, _) in enumerate(elements) if tag == "table"]
    assert len(before) >= 4
    for attributes in before:
        if "lw-clip" not in str(attributes.get("class")):
            assert attributes["tabindex"] == "0"
            assert attributes["aria-label"]


def test_what_a_regex_says_is_text_and_not_markup(tmp_path: Path) -> None:
    page = pretended_study(tmp_path, r"(a|b)*<\&b(a|b)*", "generalizes", "generalizes").to_html()
    assert "<\\&b" not in page
    said = "".join(Elements(page).text)
    assert r"(a|b)*<\&b(a|b)* on short inputs" in said
    assert r"lengthwise study '(a|b)*<\&b(a|b)*'" in said


def test_markup_in_a_symbol_stays_harmless(tmp_path: Path) -> None:
    text = 'alphabet "<script>alert(1)</script>" "b"\nA = # "b" >= # "<script>alert(1)</script>"\n'
    file = tmp_path / "<i>evil.crasp"
    file.write_text(text, encoding="utf-8")
    study = pretended_study(
        tmp_path / "store", str(file), "generalizes", "fails", plan=small_plan(str(file), lengths=(4,))
    )
    tags = {tag for tag, _ in Elements(study.to_html()).found}
    assert "script" not in tags
    assert "i" not in tags
    assert "alert(1)" in "".join(Elements(study.to_html()).text)


def test_a_notebook_gets_the_same_without_a_page_around_it(tmp_path: Path) -> None:
    study = pretended_study(tmp_path, "majority", "generalizes", "generalizes")
    shown = study._repr_html_()
    assert Elements(shown).mismatched == []
    assert "<html" not in shown
    rules = re.findall(r"^(?:  )?([.a-z*][^{}@\n]*)\{", shown.partition("</style>")[0], flags=re.MULTILINE)
    assert len(rules) > 30
    assert [rule for rule in rules if not rule.startswith((".lw-study", ".lw-page", ".lw-trace"))] == []
