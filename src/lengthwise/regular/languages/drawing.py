"""Automata as pictures: SVG of our own up to some thirty states, a table beyond.

States stand in columns by their distance from the start. Edges are curves; for each, several bends are tried, and the
one that keeps away best from states, labels and earlier edges is drawn. Lines and text take the colour of the text
around the picture, so it suits light and dark pages. A rejecting sink is not drawn: what is missing leads there.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from lengthwise.crasp.showing.trace import shown_symbol, visible
from lengthwise.regular.languages.automaton import Automaton

MOST_DRAWN = 30
"""The most states (besides a sink) that are drawn; larger automata are shown as a table."""
MOST_ROWS = 200
"""The most states that such a table lists."""

_RADIUS, _ACROSS, _DOWN, _MARGIN, _HEIGHT = 20.0, 130.0, 100.0, 14.0, 15.0
_BENDS = (0, 14, -14, 26, -26, 52, -52, 84, -84, 124, -124, 172, -172, 230, -230, 300, -300, 390, -390)
_MOST_SYMBOLS = 4

_HALO, _THINNER = 13.0, 4.5
"""How wide the halo of the first mark is, and by how much each further one is narrower."""

Points: TypeAlias = npt.NDArray[np.complex128]
Floats: TypeAlias = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Mark:
    """States and edges that are set off in a picture by halos of a colour."""

    colour: str
    """As CSS has it."""
    states: frozenset[int] = frozenset()
    edges: frozenset[tuple[int, int]] = frozenset()
    """Pairs of states."""


def sink_of(automaton: Automaton) -> int | None:
    """The rejecting state that nothing leaves, unless it is the start."""
    for state, row in enumerate(automaton.table):
        if state != automaton.start and state not in automaton.accepting and set(row) == {state}:
            return state
    return None


# -------------------------------------------------------------------------------------------------- layout


def _columns(automaton: Automaton, sink: int | None) -> list[list[int]]:
    """The states by distance from the start; within a column, those with neighbours above stand above."""
    columns, seen = [[automaton.start]], {automaton.start, sink}
    while columns[-1]:
        following = dict.fromkeys(target for state in columns[-1] for target in automaton.table[state])
        columns.append([state for state in following if state not in seen])
        seen.update(columns[-1])
    columns.pop()
    neighbours: dict[int, set[int]] = {state: set() for column in columns for state in column}
    for state in neighbours:
        for target in automaton.table[state]:
            if target in neighbours and target != state:
                neighbours[state].add(target)
                neighbours[target].add(state)
    height = {state: place - (len(c) - 1) / 2 for c in columns for place, state in enumerate(c)}
    for _ in range(8):
        for column in columns:
            column.sort(key=lambda s: sum(height[n] for n in neighbours[s]) / max(1, len(neighbours[s])))
            height.update({state: place - (len(column) - 1) / 2 for place, state in enumerate(column)})
    return columns


@dataclass(frozen=True)
class _Course:
    """A possible line between two states (a cubic curve), and how little it is liked for itself."""

    begin: complex
    handles: tuple[complex, complex]
    end: complex
    trouble: float
    outward: tuple[tuple[float, complex], ...]
    """Where a label may stand: how far along the curve, and in which direction beside it."""

    def points(self, places: npt.ArrayLike) -> Points:
        """The points at these places between 0, the beginning, and 1, the end."""
        t = np.asarray(places, dtype=float)
        ends = (1 - t) ** 3 * self.begin + t**3 * self.end
        return np.asarray(ends + 3 * (1 - t) * t * ((1 - t) * self.handles[0] + t * self.handles[1]))


_ALONG = np.linspace(0, 1, 24)


class _Picture:
    """States with their places, and the edges drawn so far."""

    def __init__(self, places: dict[int, complex], start: int) -> None:
        self.places = places
        self.lines: list[_Course] = []
        self.ends: list[tuple[int, int]] = []
        self.drawn = np.zeros(0, complex)
        self.labels = np.array([places[start] - 45])  # the arrow to the start takes the place of a label
        self.widths = np.array([40.0])
        self.texts: list[tuple[complex, str, str]] = []

    def add(self, source: int, target: int, text: str, full: str, returns: bool) -> None:
        """Draw an edge on the best of its possible courses."""
        ends = self.places[source], self.places[target]
        others = np.array([place for place in self.places.values() if place not in ends], dtype=complex)
        width = 8.0 * len(text)
        best = np.inf
        for course in _loops(ends[0]) if source == target else _curves(*ends, returns):
            points = course.points(_ALONG)
            cost = course.trouble + self._crowding(points, others)
            for place, way in course.outward if cost < best else ():
                reach = abs(way.real) * width / 2 + abs(way.imag) * _HEIGHT / 2 + 4 + 2 * abs(way.real)
                label = complex(course.points(place)) + way * reach
                total = cost + self._covering(label, width, points) + 2 * abs(place - 0.5)
                if total < best:
                    best, found = total, (course, points, label)
        self.lines.append(found[0])
        self.ends.append((source, target))
        self.drawn = np.append(self.drawn, found[1])
        self.labels, self.widths = np.append(self.labels, found[2]), np.append(self.widths, width)
        self.texts.append((found[2], text, full))

    def _crowding(self, points: Points, others: Points) -> float:
        """How much of a line is close to states, other lines and labels."""
        to_states = np.abs(points[:, None] - others).min(axis=1, initial=np.inf)
        to_lines = np.abs(points[:, None] - self.drawn).min(axis=1, initial=np.inf)
        on_labels = _touching(points[:, None], self.widths, self.labels, _HEIGHT)
        return 60.0 * int((to_states < _RADIUS + 9).sum()) + 2.0 * int((to_lines < 7).sum()) + 12.0 * on_labels

    def _covering(self, label: complex, width: float, points: Points) -> float:
        """How many states, labels and lines a label would cover."""
        states = np.array(list(self.places.values()))
        return (
            40.0 * _touching(label, width + 2 * _RADIUS, states, 2 * _RADIUS + _HEIGHT)
            + 40.0 * _touching(label, width + self.widths, self.labels, 2 * _HEIGHT)
            + 12.0 * _touching(label, width, np.append(self.drawn, points), _HEIGHT)
        )


def _touching(places: complex | Points, widths: float | Floats, others: Points, height: float) -> int:
    """How many pairs of boxes touch, given the sums of their widths and of their heights."""
    apart = places - others
    return int(((np.abs(apart.real) < widths / 2 + 2) & (np.abs(apart.imag) < height / 2 + 2)).sum())


def _curves(source: complex, target: complex, returns: bool) -> Iterator[_Course]:
    """Courses between two states; on the screen, y points down. A pair that goes both ways is bent both ways."""
    ahead = _unit(target - source)
    reach = ahead * max(0.22 * abs(target - source), 1.8 * _RADIUS)
    for bend in _BENDS:
        side = ahead * -1j * bend
        first, second = source + reach + side, target - reach + side
        begin, end = source + _RADIUS * _unit(first - source), target + (_RADIUS + 2) * _unit(second - target)
        sides = (-1j, 1j) if bend == 0 else (-1j,) if bend > 0 else (1j,)
        outward = tuple((place, ahead * way) for place in (0.5, 0.4, 0.6, 0.3, 0.7) for way in sides)
        yield _Course(begin, (first, second), end, 0.04 * abs(bend) + 4 * (returns and abs(bend) < 20), outward)


def _loops(place: complex) -> Iterator[_Course]:
    """Loops above, below and to the right of a state."""
    for number, way in enumerate((-1j, 1j, _unit(1 - 1j), _unit(1 + 1j))):
        begin, end = (place + _RADIUS * way * _unit(complex(1, turn)) for turn in (-0.5, 0.5))
        first, second = (place + 62 * way * _unit(complex(1, turn)) for turn in (-0.5, 0.5))
        yield _Course(begin, (first, second), end + 2 * _unit(second - end), 3.0 * number, ((0.5, way),))


def _unit(way: complex) -> complex:
    return way / abs(way)


def _picture(automaton: Automaton, sink: int | None) -> _Picture:
    places = {
        state: complex(number * _ACROSS, (place - (len(column) - 1) / 2) * _DOWN)
        for number, column in enumerate(_columns(automaton, sink))
        for place, state in enumerate(column)
    }
    edges: dict[tuple[int, int], list[str]] = {}
    for state in places:
        for symbol, target in zip(automaton.symbols, automaton.table[state], strict=True):
            if target != sink:
                edges.setdefault((state, target), []).append(symbol)
    picture = _Picture(places, automaton.start)
    for source, target in sorted(edges, key=lambda edge: (abs(places[edge[0]] - places[edge[1]]), edge)):
        symbols = edges[source, target]
        full = ", ".join(map(shown_symbol, symbols))
        picture.add(source, target, _label(symbols, automaton.symbols), full, (target, source) in edges)
    return picture


# ----------------------------------------------------------------------------------------------------- SVG


def _label(symbols: Sequence[str], alphabet: Sequence[str]) -> str:
    """The symbols of an edge, shortened where there are many."""
    if len(symbols) <= _MOST_SYMBOLS:
        return ", ".join(map(shown_symbol, symbols))
    others = [symbol for symbol in alphabet if symbol not in symbols]
    if len(others) < _MOST_SYMBOLS:
        return f"all but {', '.join(map(shown_symbol, others))}" if others else "any"
    return f"{', '.join(map(shown_symbol, symbols[:3]))}, … ({len(symbols)})"


def describe(automaton: Automaton) -> str:
    """The automaton in words, for those who do not see the picture."""
    sink = sink_of(automaton)
    count = len(automaton) - (sink is not None)
    sentences = [f"{count} state{'s' if count > 1 else ''}, start {automaton.start}"]
    accepting = ", ".join(map(str, sorted(automaton.accepting)))
    sentences.append(f"accepting: {accepting}" if accepting else "none accepting")
    for state, row in enumerate(automaton.table):
        if state != sink:
            moves = (f"{shown_symbol(x)} to {t}" for x, t in zip(automaton.symbols, row, strict=True) if t != sink)
            sentences.append(f"from {state}: {', '.join(moves) or 'nowhere'}")
    if sink is not None:
        sentences.append("all other symbols lead to a rejecting sink")
    return "; ".join(sentences) + "."


def to_svg(automaton: Automaton, title: str = "", marks: Sequence[Mark] = ()) -> str:
    """Draw an automaton with at most `MOST_DRAWN` states; of a larger one, a note that it is too large.

    Args:
        automaton: The automaton.
        title: The text alternative.
        marks: What is set off; where several are about one edge, later ones lie inside earlier ones.

    Returns:
        An `svg` element.

    """
    sink = sink_of(automaton)
    name = escape(visible(title)) or "automaton"
    if len(automaton) - (sink is not None) > MOST_DRAWN:
        note = f"{len(automaton)} states are too many for a picture"
        return _svg(0, complex(360, 40), name, note, f'<text x="180" y="25" text-anchor="middle">{note}</text>\n')
    picture = _picture(automaton, sink)
    halves = picture.widths / 2 + 9j
    states = np.array(list(picture.places.values()))
    corners = np.concatenate([picture.drawn, picture.labels - halves, picture.labels + halves])
    corners = np.concatenate([corners, states - (1 + 1j) * (_RADIUS + 2), states + (1 + 1j) * (_RADIUS + 2)])
    low = complex(corners.real.min() - _MARGIN, corners.imag.min() - _MARGIN)
    high = complex(corners.real.max() + _MARGIN, corners.imag.max() + _MARGIN)
    start = picture.places[automaton.start]
    body = "".join(_halos(picture, mark, marks[:place]) for place, mark in enumerate(marks))
    body += _line(start - _RADIUS - 42, (), start - _RADIUS - 2)
    for line in picture.lines:
        body += _line(line.begin, line.handles, line.end)
    for place, text, full in picture.texts:
        body += _text(place, escape(text), f"<title>{escape(full)}</title>")
    for state, place in picture.places.items():
        body += f'<circle cx="{place.real:.1f}" cy="{place.imag:.1f}" r="{_RADIUS:g}"/>\n'
        if state in automaton.accepting:
            body += f'<circle cx="{place.real:.1f}" cy="{place.imag:.1f}" r="{_RADIUS - 4:g}"/>\n'
        body += _text(place, str(state))
    return _svg(low, high, name, escape(describe(automaton)), body)


def _svg(low: complex, high: complex, title: str, description: str, body: str) -> str:
    size = high - low
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label="{title}" width="{size.real:.0f}" '
        f'height="{size.imag:.0f}" viewBox="{low.real:.1f} {low.imag:.1f} {size.real:.1f} {size.imag:.1f}" '
        'fill="none" stroke="currentColor" stroke-width="1.4" font-family="system-ui, sans-serif" font-size="14">\n'
        f"<title>{title}</title>\n<desc>{description}</desc>\n{body}</svg>\n"
    )


def _halos(picture: _Picture, mark: Mark, earlier: Sequence[Mark]) -> str:
    """Broad lines behind edges, narrower where earlier marks have some, and rings around states."""
    body = ""
    for ends, line in zip(picture.ends, picture.lines, strict=True):
        if ends in mark.edges:
            width = _HALO - _THINNER * min(2, sum(ends in each.edges for each in earlier))
            course = f"M{_at(line.begin)} C{_at(line.handles[0])} {_at(line.handles[1])} {_at(line.end)}"
            body += f'<path d="{course}" stroke="{escape(mark.colour)}" stroke-width="{width:g}"/>\n'
    for state in sorted(mark.states & picture.places.keys()):
        place = picture.places[state]
        ring = f'<circle cx="{place.real:.1f}" cy="{place.imag:.1f}" r="{_RADIUS + 4:g}"'
        body += f'{ring} stroke="{escape(mark.colour)}" stroke-width="6"/>\n'
    return body


def _text(place: complex, text: str, inside: str = "") -> str:
    where = f'x="{place.real:.1f}" y="{place.imag:.1f}" text-anchor="middle" dominant-baseline="central"'
    return f'<text {where} fill="currentColor" stroke="none">{inside}{text}</text>\n'


def _line(begin: complex, handles: Sequence[complex], end: complex) -> str:
    """A line with an arrowhead at its end."""
    back = _unit((handles[-1] if handles else begin) - end) * 9
    first, last = end + back * _unit(3 + 1j), end + back * _unit(3 - 1j)
    course = "C" + " ".join(_at(point) for point in handles) + " " if handles else "L"
    head = f'<path d="M{_at(end)} L{_at(first)} L{_at(last)} Z" fill="currentColor" stroke="none"/>'
    return f'<path d="M{_at(begin)} {course}{_at(end + back * 0.7)}"/>{head}\n'


def _at(point: complex) -> str:
    return f"{point.real:.1f},{point.imag:.1f}"


# ---------------------------------------------------------------------------------------------------- HTML


def to_html(automaton: Automaton, title: str = "") -> str:
    """A picture, or a table of the transitions if there are too many states, ready to stand in a page."""
    sink = sink_of(automaton)
    small = len(automaton) - (sink is not None) <= MOST_DRAWN
    note = f"not drawn: the rejecting sink {sink}" if small and sink is not None else ""
    caption = f"<figcaption>{': '.join(filter(None, (escape(visible(title)), note)))}</figcaption>"
    inside = to_svg(automaton, title) if small else _table(automaton)
    return f'<figure class="lw-automaton" style="margin:0;overflow-x:auto">{caption}\n{inside}</figure>\n'


def _table(automaton: Automaton) -> str:
    head = "".join(f'<th scope="col">{escape(shown_symbol(symbol))}</th>' for symbol in automaton.symbols)
    rows = ""
    for state, targets in enumerate(automaton.table[:MOST_ROWS]):
        kind = "start" * (state == automaton.start), "accepting" * (state in automaton.accepting)
        cells = "".join(f"<td>{target}</td>" for target in targets)
        rows += f'<tr><th scope="row">{state}</th><td>{" ".join(filter(None, kind))}</td>{cells}</tr>\n'
    more = f"<p>… and {len(automaton) - MOST_ROWS} more states</p>\n" if len(automaton) > MOST_ROWS else ""
    return f'<table>\n<tr><th scope="col">state</th><td></td>{head}</tr>\n{rows}</table>\n{more}'
