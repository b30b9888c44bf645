"""The page of a study: one file that needs nothing else, sound HTML, with text where there are pictures."""

import re
from collections import Counter
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path

import pytest

from lengthwise.runs.config import RunConfig
from lengthwise.study import Study
from tests.study.pretended import pretended_study

VOID = {"meta", "br", "hr", "img", "link", "input", "wbr"}
SUBJECTS = [r"(a|b)*<\&b(a|b)*", "simple-task", "task:sort", "parity", "k-gram"]


def mixed(config: RunConfig, seed: int) -> str:
    return "fails" if config.model.position == "none" else "generalizes"


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
        if "style" not in self._open and "script" not in self._open:
            self.text.append(data)


@pytest.fixture(scope="module", params=SUBJECTS)
def study(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Study:
    return pretended_study(tmp_path_factory.mktemp("store"), request.param, mixed)


@pytest.fixture(scope="module")
def page(study: Study) -> str:
    return study.to_html()


def test_the_same_study_has_the_same_bytes(study: Study, page: str) -> None:
    assert study.to_html() == page


def test_the_page_leads_with_the_headline_and_has_every_part(study: Study, page: str) -> None:
    elements = Elements(page)
    said = " ".join("".join(elements.text).replace("\u00a0", " ").split())
    begin = said.index(study.answer.headline)
    assert begin < said.index(study.answer.expected) < said.index(study.answer.measured)
    sections = [attributes["id"] for tag, attributes in elements.found if tag == "section"]
    accuracy = study.subject.task.loss != "regression"
    assert ("points in one of twenty studies" in said) == accuracy  # of words that are right or wrong
    published = ["published"] if study.published["runs"] or study.published["in_practice"] else []
    assert sections == [
        "measured", *(["mistakes"] if accuracy else []), "bounds", "verdict", "agreement", "promises", *published,
        "plan", "numbers", "provenance",
    ]  # fmt: skip


def test_every_number_of_the_data_stands_in_the_table_of_all_numbers(study: Study, page: str) -> None:
    table = page.partition("<table data-sortable>")[2].partition("</table>")[0]
    values = re.findall(r'data-value="([^"]*)"', table)
    every = [at for each in study.measured.values() for trained in each.trained for at in trained.lengths]
    assert table.count("<tr>") == len(every) + 1
    for at in every:
        assert {repr(at.score), repr(min(at.scores)), repr(max(at.scores))} <= set(values)


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


def test_nothing_is_loaded_and_only_the_script_of_the_page_runs(page: str) -> None:
    elements = Elements(page).found
    assert [attributes for tag, attributes in elements if tag == "script"] == [{}]
    for tag, attributes in elements:
        assert tag not in ("link", "iframe", "object", "embed", "img")
        assert "src" not in attributes
        assert (attributes.get("href") or "#").startswith("#")
        assert not [name for name in attributes if name.startswith("on")]
    assert "@import" not in page
    assert not re.search(r"url\((?!#)", page)
    script = page.partition("<script>")[2].partition("</script>")[0]
    assert not re.search(r"fetch|XMLHttpRequest|import|https?:|eval|innerHTML", script)


def test_every_figure_has_a_caption_and_a_text_alternative(page: str) -> None:
    elements = Elements(page).found
    figures = [tag for tag, _ in elements if tag == "figure"]
    drawings = [attributes for tag, attributes in elements if tag == "svg"]
    assert len(figures) == len(drawings) == len([tag for tag, _ in elements if tag == "figcaption"]) >= 3
    for attributes in drawings:
        assert attributes["role"] == "img"
        said = str(attributes["aria-label"])
        assert len(said) > 60
        assert re.search(r"\d", said)


def test_headings_do_not_skip_a_level(page: str) -> None:
    levels = [int(tag[1]) for tag, _ in Elements(page).found if re.fullmatch(r"h[1-6]", tag)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(later <= earlier + 1 for earlier, later in pairwise(levels))


def test_drawings_take_the_colours_of_the_page_and_leave_no_style_behind(page: str) -> None:
    drawn = "".join(re.findall(r"<svg.*?</svg>", page, flags=re.DOTALL))
    assert "currentColor" in drawn
    assert "var(--line-1" in drawn
    assert "#010203" not in drawn
    assert "<style" not in drawn
    assert "prefers-color-scheme: dark" in page


def test_wide_tables_scroll_and_can_be_reached_by_keyboard(page: str) -> None:
    elements = Elements(page).found
    before = [elements[place - 1][1] for place, (tag, _) in enumerate(elements) if tag == "table"]
    assert len(before) >= 5
    for attributes in before:
        if "lw-clip" not in str(attributes.get("class")):
            assert attributes["tabindex"] == "0"
            assert attributes["aria-label"]


def test_what_a_regex_says_is_text_and_not_markup(tmp_path: Path) -> None:
    page = pretended_study(tmp_path, r"(a|b)*<\&b(a|b)*", mixed).to_html()
    assert "<\\&b" not in page
    said = "".join(Elements(page).text)
    assert r"(a|b)*<\&b(a|b)* on short inputs" in said
    assert r"lengthwise study '(a|b)*<\&b(a|b)*'" in said


def test_markup_in_a_symbol_stays_harmless(tmp_path: Path) -> None:
    text = 'alphabet "<script>alert(1)</script>" "b"\nA = # "b" >= # "<script>alert(1)</script>"\n'
    file = tmp_path / "<i>evil.crasp"
    file.write_text(text, encoding="utf-8")
    study = pretended_study(tmp_path / "store", str(file), mixed, train_lengths=[4])
    elements = Elements(study.to_html())
    tags = Counter(tag for tag, _ in elements.found)
    assert tags["script"] == 1
    assert tags["i"] == 0
    assert "alert(1)" in "".join(elements.text)
    assert str(tmp_path) not in study.to_html()
    assert Counter(tag for tag, _ in Elements(study._repr_html_()).found)["script"] == 0


def test_two_of_three_seeds_are_not_green(tmp_path: Path) -> None:
    split = pretended_study(
        tmp_path, "majority", lambda config, seed: "generalizes" if seed else "fades", train_lengths=[8]
    )
    page = split.to_html()
    assert page.count('<span class="badge partly">generalizes, 2 of 3 seeds</span>') == 2
    assert 'class="badge generalizes"' not in page
    agreed = pretended_study(tmp_path, "majority", {"none": "generalizes", "learned": "generalizes"}, seeds=4)
    assert agreed.to_html().count('<span class="badge generalizes">generalizes</span>') == 2


def test_how_far_says_at_least_only_where_nothing_longer_was_tested(tmp_path: Path) -> None:
    study = pretended_study(tmp_path, "(aa)*", {"none": "generalizes", "learned": "fades"})
    far = re.findall(r'<b class="far">(.*?)</b>', study.to_html())
    assert far == ["≥ 240", "60"]


def test_a_mistake_shows_where_it_is_what_was_right_and_what_was_said(tmp_path: Path) -> None:
    study = pretended_study(tmp_path, "d3", {"none": "generalizes", "learned": "fades"}, train_lengths=[8])
    page = study.to_html()
    words = re.findall(r'<p class="word.*?</p>', page, flags=re.DOTALL)
    assert len(words) == len(study.mistakes) == 2
    for word, mistake in zip(words, study.mistakes.values(), strict=True):
        before, _, rest = word.partition('<mark class="first"')
        shown = "".join(Elements(f"{before}</p>").text).strip()
        assert shown.count("│") == 1
        assert shown.index("│") == 9  # the start symbol and eight symbols of training words
        assert len(shown.replace("│", "")) == mistake.wrong[0]
        assert rest
    table = re.findall(r"<code>(\{.*?\})</code></td><td><code class=\"wrong\">(\{.*?\})</code>", page)
    assert {tuple(each) for each in table} == {("{a, end}", "{b}")}
    # The program's values at the error, from an evaluator of its own.
    mistake = study.mistakes["nope"]
    assert study.program is not None
    word = list(mistake.word[1 : mistake.wrong[0] + 1])
    row = re.search(r'<th scope="row" title="[^"]*">C_a</th>(.*?)</tr>', page)
    assert row is not None
    assert re.findall(r">(\d+)<", row[1])[-1] == str(word.count("a"))


@pytest.mark.parametrize(
    ("regex", "said"),
    [
        ("(0|1)*00(0|1)*", ["1 leads to state 0, from state 0 as from state 1", "10 leads to state 1"]),
        ("parity", ["a, read 2 times, runs through the states 0 and 1 and back", "b leaves each of these states"]),
    ],
)
def test_a_witness_is_marked_on_the_automaton_with_a_legend(regex: str, said: list[str], tmp_path: Path) -> None:
    page = pretended_study(tmp_path, regex, mixed, train_lengths=[8]).to_html()
    assert all(each in page for each in said)
    figure = re.search(r'<figure class="automaton">.*?</figure>', page, flags=re.DOTALL)
    assert figure is not None
    assert 'stroke="var(--mark-1' in figure[0]


def test_an_automaton_with_many_states_is_not_drawn_and_the_page_says_so(tmp_path: Path) -> None:
    page = pretended_study(tmp_path, "(a|b)*a(a|b)(a|b)(a|b)", mixed, train_lengths=[8]).to_html()
    assert '<figure class="automaton">' not in page
    assert "16 states, too many to be drawn here" in page


def test_published_runs_of_the_same_language_stand_on_the_page(tmp_path: Path) -> None:
    study = pretended_study(tmp_path, "parity", mixed, train_lengths=[8])
    assert study.published["runs"][0]["published_as"]
    said = " ".join("".join(Elements(study.to_html()).text).replace("\u00a0", " ").split())
    for sentence in (*(each["sentence"] for each in study.published["runs"]), *study.published["in_practice"]):
        assert sentence in said


def test_a_study_without_any_run_has_a_page(tmp_path: Path) -> None:
    from lengthwise.runs.store.store import Store
    from lengthwise.study import Request, look_ahead, plan_of, report
    from tests.study.pretended import timeless

    known = look_ahead("(aa)*", {})
    store = Store(tmp_path)
    plan = timeless(lambda: plan_of(known, Request.of(known.subject), store, 2))
    page = report(known, plan, store).to_html()
    assert Elements(page).mismatched == []
    assert "Nothing has been trained yet." in page


def test_a_notebook_gets_the_same_without_a_page_and_a_script_around_it(tmp_path: Path) -> None:
    study = pretended_study(tmp_path, "majority", mixed)
    shown = study._repr_html_()
    elements = Elements(shown)
    assert elements.mismatched == []
    assert "<html" not in shown
    assert "<script" not in shown
    rules = re.findall(r"^(?:  )?([.a-z*][^{}@\n]*)\{", shown.partition("</style>")[0], flags=re.MULTILINE)
    assert len(rules) > 30
    assert [rule for rule in rules if not rule.startswith((".lw-study", ".lw-page", ".lw-trace"))] == []
    # Two studies may stand in one notebook.
    names = [attributes["id"] for _, attributes in elements.found if "id" in attributes]
    assert [name for name in names if not str(name).startswith("majority-")] == []
