"""Capacity along one quantity, and as a card."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest

from lengthwise.bounds.capacity import Capacity, CapacityError, HeadNorms, LayerNorms, network, self_attention
from lengthwise.bounds.capacity.sweeps import GRIDS, Curve, curves
from tests.markup import Markup

SIZES = {"samples": 1000, "length": 100, "width": 8, "layers": 2}


def deep(sizes: Mapping[str, int]) -> Capacity:
    return network([LayerNorms(1, 1, 1, 1, 1, 1)] * sizes["layers"], sizes["width"])


def heads(sizes: Mapping[str, int]) -> Capacity:
    return self_attention([HeadNorms(1, 1, 1)] * sizes["heads"], 8)


def followed(over: str) -> Curve:
    (found,) = curves(deep, SIZES, 0.1, [over])
    return found


def test_all_sizes_of_a_class_are_followed_at_the_others_values() -> None:
    found = curves(deep, SIZES, 0.1)
    assert [curve.over for curve in found] == ["length", "samples", "width", "layers"]
    for curve in found:
        assert curve.values == GRIDS[curve.over]
        place = len(curve.values) // 2
        now = {**SIZES, curve.over: curve.values[place]}
        bound = deep(now).covering(0.1, now["samples"], now["length"])
        assert curve.repaired[place] == bound.log10
        assert [logs[place] for logs in curve.printed.values()] == [form.log10 for form in bound.printed]


def test_length_and_samples_enter_slowly_width_squared_and_layers_multiply() -> None:
    for over in ("length", "samples"):
        curve = followed(over)
        values = np.array([10**log for log in curve.repaired])
        # log N = a + b log T, so that values at equal ratios are equally far apart.
        assert np.diff(values) == pytest.approx(np.diff(values)[0], rel=1e-2)
    width = followed("width")
    slopes = np.diff(width.repaired) / np.diff(np.log10(width.values))
    assert slopes[-1] == pytest.approx(2, abs=0.1)
    layers = followed("layers")
    per_layer = (layers.repaired[-1] - layers.repaired[-2]) / (layers.values[-1] - layers.values[-2])
    assert per_layer == pytest.approx(2 * np.log10(5), rel=0.05)


def test_printed_forms_are_drawn_only_where_they_apply() -> None:
    (found,) = curves(heads, {"samples": 10, "length": 10, "heads": 1}, 0.1, ["heads"])
    assert [log is None for log in found.printed["Corollary 4.4"]] == [False] + 5 * [True]
    assert [log is None for log in found.printed["Lemma A.12"]] == [True] + 5 * [False]
    data = found.as_json()
    assert set(data) == {"over", "values", "repaired_log10", "printed_log10"}
    assert len(data["repaired_log10"]) == len(data["values"])


def test_a_grid_of_ones_own_is_used() -> None:
    (found,) = curves(deep, SIZES, 0.1, ["layers"], {"layers": range(1, 4)})
    assert found.values == (1, 2, 3)


def test_an_unknown_quantity_is_named_with_the_known_ones() -> None:
    with pytest.raises(CapacityError, match="over length, samples, width, layers, not 'heads'"):
        curves(deep, SIZES, 0.1, ["heads"])


def test_a_class_shows_its_norms_and_the_parts_of_its_cover() -> None:
    found = deep(SIZES)
    markup = Markup(found._repr_html_())
    markup.assert_harmless()
    assert found.theorem in markup.text
    assert [row[0] for row in markup.rows[1:]] == [part.name for part in found.parts]
    shares = [float(row[2]) * float(row[3]) for row in markup.rows[1:]]
    assert sum(shares) == pytest.approx(1, rel=1e-2)
    for assumption in found.assumptions:
        assert assumption in markup.text


def test_a_class_that_is_astronomic_can_still_be_shown() -> None:
    found = network([LayerNorms(100, 100, 100, 100, 100, 100)] * 60, 8)
    assert "E+" in Markup(found._repr_html_()).text or "e+" in Markup(found._repr_html_()).text
