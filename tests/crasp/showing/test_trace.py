"""A trace shows what the program computed: the pictures are read back and compared with the values."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lengthwise.crasp import Trace, parse
from lengthwise.crasp.showing.trace import render
from lengthwise.crasp.showing.trace_html import fragment, page

DYCK = """
C_open = # "("        // the number of ( so far
C_close = # ")"
V = C_open < C_close  // more ) than (
M = # V == 0
height = C_open - C_close
D = M && height == 0
next "(" = M
next ")" = M && height > 0
"""
dyck = parse(DYCK, "Dyck-1")
HOSTILE = ["<script>alert(1)</script>", '"', "'", "&amp;", "-->", "\x1b[31m", "\n", " ", "\ud800"]

quick = settings(deadline=None, max_examples=40)
words = st.text(alphabet="()x", max_size=60)


# ------------------------------------------------------------------------------------------------------ text

CODE = re.compile(r"\x1b\[[0-9;]*m")


def read_back(text: str) -> dict[str, list[str]]:
    """The cells of each row by its label, the blocks put together again."""
    rows: dict[str, list[str]] = {}
    for line in text.splitlines():
        if "│" in line:
            label, cells = line.split("│", 1)
            rows.setdefault(label.strip(), []).extend(cells.split())
    return rows


def test_the_picture_of_dyck_1_on_a_rejected_word() -> None:
    assert render(dyck.run("())(()"), width=80) == (
        "position │ 1 2  3 4 5 6\n"
        "symbol   │ ( )  ) ( ( )\n"
        "─────────┼─────────────\n"
        "C_open   │ 1 1  1 2 3 3\n"
        "C_close  │ 0 1  2 2 2 3\n"
        "V        │ · ·  1 · · ·\n"
        "M        │ 1 1  · · · ·\n"
        "height   │ 1 0 -1 0 1 0\n"
        "D        │ · 1  · · · ·\n"
        'next "(" │ 1 1  · · · ·\n'
        'next ")" │ 1 ·  · · · ·\n'
        "rejects"
    )


def test_the_empty_word_shows_its_virtual_position_and_verdict() -> None:
    picture = render(parse('C = # "a"\nD = C == 0').run(""), width=80)
    assert picture == "position │ 0\nsymbol   │ ε\n─────────┼──\nC        │ 0\nD        │ 1\naccepts"


def test_a_program_without_a_boolean_gets_no_verdict() -> None:
    assert render(parse('C = # "a"').run("ab"), width=80).splitlines()[-1] == "C        │ 1 1"


@quick
@given(words, st.integers(1, 120))
def test_blocks_put_together_again_give_every_value_once_in_order(word: str, width: int) -> None:
    trace = dyck.run(word)
    rows = read_back(render(trace, width=width))
    assert rows.pop("position") == ([str(place + 1) for place in range(len(word))] or ["0"])
    assert rows.pop("symbol") == (list(word) or ["ε"])
    shown = {label: [cell.replace("·", "0") for cell in cells] for label, cells in rows.items()}
    assert shown == {row.label: [str(int(value)) for value in row.values] for row in trace}


@quick
@given(words, st.integers(24, 120))
def test_no_line_is_wider_than_asked(word: str, width: int) -> None:
    assert max(map(len, render(dyck.run(word), width=width).splitlines())) <= width


def test_without_a_width_the_terminal_decides(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    assert str(dyck.run("()" * 40)) == render(dyck.run("()" * 40), width=40)


@quick
@given(words, st.integers(20, 120))
def test_colours_change_nothing_but_the_colours(word: str, width: int) -> None:
    trace = dyck.run(word)
    colored = render(trace, color=True, width=width)
    assert CODE.sub("", colored) == render(trace, width=width)
    assert colored != render(trace, width=width)


@pytest.mark.parametrize(("word", "code"), [("()", "\x1b[1;7;32m1"), ("((", "\x1b[1;7;31m·"), ("", "\x1b[1;7;32m1")])
def test_one_cell_is_marked_as_deciding_and_it_is_not_a_prediction(word: str, code: str) -> None:
    colored = render(dyck.run(word), color=True, width=20).splitlines()
    marked = [line for line in colored if "[1;7;" in line]
    assert len(marked) == 1
    assert CODE.sub("", marked[0]).startswith("D ")
    assert marked[0].endswith(code + "\x1b[0m")


def test_a_symbol_cannot_send_codes_to_the_terminal_or_break_a_line() -> None:
    word = [*HOSTILE, "\u202e", "\x00", "\r", "\x9b"]
    picture = render(parse('C = # "a"').run(word), width=1000)
    assert all(character.isprintable() for character in picture.replace("\n", ""))
    assert len(read_back(picture)["symbol"]) == len(word)
    assert len(picture.splitlines()) == 4
    picture.encode()


def test_wide_and_combining_symbols_keep_columns_aligned() -> None:
    picture = render(parse('C = # "中"').run(["中", "é", "e\u0301", "中中"]), width=80)
    assert picture.splitlines()[:2] == ["position │  1 2 3    4", "symbol   │ 中 é e\u0301 中中"]


def test_thirty_thousand_positions_take_no_quadratic_time() -> None:
    rows = read_back(render(parse('C = # "a"').run("a" * 30_000), width=100))
    assert rows["C"] == rows["position"] == [str(place) for place in range(1, 30_001)]


# ------------------------------------------------------------------------------------------------------ HTML

VOID = {"meta", "br", "link", "img", "input"}


class Reader(HTMLParser):
    """What a browser would find in the tables of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.tables: list[list[list[tuple[str, str, list[str]]]]] = []
        self.texts: dict[str, list[str]] = {}
        self.feed(text)
        self.close()
        assert not self.open, "every element is closed"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)
        if tag == "table":
            self.tables.append([])
        elif tag == "tr":
            self.tables[-1].append([])
        elif tag in ("td", "th"):
            self.tables[-1][-1].append((tag, dict(attrs).get("class") or "", []))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag, "elements nest"

    def handle_data(self, data: str) -> None:
        self.texts.setdefault(self.open[-1] if self.open else "", []).append(data)
        if {"td", "th"} & set(self.open):
            self.tables[-1][-1][-1][2].append(data)


def assert_truthful(table: list[list[tuple[str, str, list[str]]]], trace: Trace) -> None:
    head, *body = table
    assert [texts[0] for _, _, texts in head[1:]] == ([str(place) for place in range(1, len(trace) + 1)] or ["0"])
    assert len(body) == len(trace.rows)
    for cells, row in zip(body, trace, strict=True):
        assert cells[0][2][:2] == [row.label, f"= {row.expression}"]
        assert [int(texts[0]) for _, _, texts in cells[1:]] == [int(value) for value in row.values]
        assert all(len(texts) == 1 for _, _, texts in cells[1:])


@quick
@given(words)
def test_every_cell_of_the_table_read_back_is_the_value_of_the_trace(word: str) -> None:
    trace = dyck.run(word)
    for text in (page([trace]), fragment(trace)):
        (table,) = Reader(text).tables
        assert_truthful(table, trace)


def test_two_hundred_positions_are_all_there_with_their_symbols() -> None:
    word = "(())()" * 33 + "()"
    trace = dyck.run(word)
    (table,) = Reader(trace.to_html()).tables
    assert_truthful(table, trace)
    assert "".join(texts[1] for _, _, texts in table[0][1:]) == word
    assert len(table[0]) == 201


def test_what_users_write_is_shown_and_never_obeyed() -> None:
    program = parse('C = # "<script>" // <img onerror=x> & "quoted"\nD = C >= 1\nnext "</td>" = D', "<b>'Title\"</b>")
    trace = program.run(HOSTILE)
    for text in (page([trace, trace], "</title><script>"), fragment(trace)):
        reader = Reader(text)
        allowed = (
            "html head meta title style body main h1 nav ol li a section div p strong span table caption thead tbody tr"
        )
        assert {tag for tag, _ in reader.tags} <= {
            *allowed.split(),
            "th",
            "td",
            "b",
            "code",
            "small",
            "details",
            "summary",
            "pre",
        }
        assert not any(name.startswith("on") for _, attributes in reader.tags for name in attributes)
        assert_truthful(reader.tables[0], trace)
        symbols = [texts[1] for _, _, texts in reader.tables[0][0][1:]]
        assert symbols[:5] == HOSTILE[:5]
        assert symbols[5:] == ["\\x1b[31m", "\\n", "␣", "\\ud800"]
        assert '<img onerror=x> & "quoted"' in reader.texts["small"]
        assert "<b>'Title\"</b>" in reader.texts["strong"]
        text.encode()


def test_a_page_loads_nothing_and_runs_nothing() -> None:
    text = page([dyck.run("()"), dyck.run("")])
    for reference in ("http", "src=", "url(", "@import", "<script", "<link"):
        assert reference not in text


def test_the_style_of_a_fragment_reaches_nothing_outside_of_it() -> None:
    style = "".join(Reader(fragment(dyck.run("()"))).texts["style"])
    style = re.sub(r"/\*.*?\*/", "", style, flags=re.DOTALL)
    selectors = [selector for selector in re.findall(r"([^{}]+)\{", style) if not selector.strip().startswith("@")]
    # Commas inside :is(…) separate no selectors.
    parts = [part.strip() for selector in selectors for part in re.split(r",(?![^(]*\))", selector)]
    assert len(parts) > 40
    assert {part.split()[0] for part in parts} == {".lw-trace"}
    assert style.count("{") == style.count("}")


def test_headers_say_whether_they_belong_to_a_row_or_a_column() -> None:
    reader = Reader(page([dyck.run("(()")]))
    scopes = [attributes.get("scope") for tag, attributes in reader.tags if tag == "th"]
    assert scopes == ["col"] * 4 + ["row"] * 8
    assert reader.texts["caption"] == ["Dyck-1 on ((): rejects"]


@pytest.mark.parametrize(("word", "verdict", "kind"), [("()", "✓ accepts", "t"), ("((", "✗ rejects", "f")])
def test_the_badge_agrees_with_the_last_cell_of_the_deciding_row(word: str, verdict: str, kind: str) -> None:
    text = fragment(dyck.run(word))
    assert verdict in Reader(text).texts["span"]
    (row,) = re.findall(r'<tr class="lw-decides">.*</tr>', text)
    assert "<b>D</b>" in row
    assert row.endswith(f'<td class="{kind}">{int(kind == "t")}</td></tr>')


def test_a_program_without_a_boolean_has_neither_badge_nor_deciding_row() -> None:
    text = fragment(parse('C = # "a"').run("ab")).split("</style>")[1]
    assert "lw-verdict" not in text
    assert "lw-decides" not in text


def test_larger_counts_are_never_paler_and_signs_have_colours_of_their_own() -> None:
    trace = parse('C = # "a" - # "b"').run("a" * 9 + "b" * 20)
    (table,) = Reader(fragment(trace)).tables
    shades = {int(texts[0]): kind for _, kind, texts in table[1][1:]}
    assert shades[0] == ""
    assert [shades[value] for value in range(1, 10)] == sorted(shades[value] for value in range(1, 10))
    assert [shades[-value] for value in range(1, 12)] == sorted(shades[-value] for value in range(1, 12))
    assert {shades[value][0] for value in range(1, 10)} == {"m"}
    assert {shades[-value][0] for value in range(1, 12)} == {"n"}
    assert shades[-11] == "n4"


def test_the_index_links_every_trace_of_a_page() -> None:
    reader = Reader(page([dyck.run(word) for word in ("()", "", "((", "()" * 100)], "Four words"))
    links = [attributes["href"] for tag, attributes in reader.tags if tag == "a"]
    assert links == [f"#{attributes['id']}" for tag, attributes in reader.tags if tag == "section"]
    assert len(links) == len(reader.tables) == 4
    assert reader.texts["a"] == ["()", "ε", "((", "()" * 12 + "…"]
    assert reader.texts["title"] == reader.texts["h1"] == ["Four words"]


def test_a_page_without_traces_says_so() -> None:
    assert "no words" in "".join(Reader(page([])).texts["p"])


def test_the_listing_below_a_table_parses_back_to_the_program() -> None:
    reader = Reader(dyck.run("()")._repr_html_())
    assert parse("".join(reader.texts["pre"])) == dyck


@pytest.mark.parametrize(
    ("word", "fits"), [("a" * 20, True), ("a" * 21, False), ("", True), (["<script>"] * 9, False), (["<b>"] * 9, True)]
)
def test_what_does_not_fit_side_by_side_on_paper_runs_down_it(word: str | list[str], fits: bool) -> None:
    for program in (parse('D = # "a" > 0'), parse('C = # "a"')):
        assert ("lw-scroll lw-long" in fragment(program.run(word))) is not fits
    assert "lw-scroll lw-long" in fragment(parse('C = 1000000000 * # "a"').run("a" * 9))
