"""Edelman et al., section 4 and appendix A as printed: classes of functions that are too large for the bounds."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest

from lengthwise.bounds.capacity import CapacityError
from lengthwise.bounds.capacity.depth import later_gains, printed_gains
from tests.bounds.capacity import oracle
from tests.bounds.capacity.paper_network import as_triples, changes, largest_change, output
from tests.errata.covering_numbers import (
    all_signs,
    attention_table,
    column_budget,
    missing_readout,
    sign_patterns,
    signed_network,
    table_head,
    wrong_way,
)


@pytest.mark.parametrize("gain", [2, 50, 10**6])
def test_the_wrong_way_product_is_refuted_in_exact_fractions(gain: int) -> None:
    """ERR-H5: the later layer makes the change `gain` times larger; the repaired bound is attained."""
    found = wrong_way(gain)
    assert found.change == found.repaired == Fraction(1, 2)
    assert found.printed == Fraction(1, 2 * gain) < found.change
    tokens, readout = np.ones((1, 1)), np.ones(1)
    one, other = (oracle.streams(as_triples(found.layers(w)), tokens)[-1][0][0, 0] for w in (found.first, found.second))
    assert abs(one - other) == pytest.approx(0.5)
    layers, others = found.layers(found.first), found.layers(found.second)
    sizes, measured = [layer.norms() for layer in layers], changes(layers, others, tokens)
    assert largest_change(sizes, measured, printed_gains(sizes, 1.0)) == pytest.approx(float(found.printed))
    assert largest_change(sizes, measured, later_gains(sizes, 1.0)) == pytest.approx(float(found.repaired))
    assert output(layers, readout, tokens) - output(others, readout, tokens) == pytest.approx(0.5)


def test_every_sign_pattern_is_a_network_of_the_class_without_b_w() -> None:
    size = 6
    found = missing_readout(size)
    large = found.capacity.terms["readout"]
    outputs = []
    for signs in itertools.product((-1, 1), repeat=size):
        layer, readout, inputs = signed_network(signs, large)
        values = [oracle.streams(as_triples([layer]), tokens)[-1][0] @ readout for tokens in inputs]
        assert np.concatenate(values) == pytest.approx(large * np.array(signs))
        outputs.append(values)
        norms = layer.norms()
        assert (norms.value, norms.mix, norms.query_key) == pytest.approx((1, math.sqrt(size), 0))
        assert np.linalg.norm(readout) == pytest.approx(large)
    assert oracle.packing(np.array(outputs), found.epsilon) == 2**size
    assert found.log_packing == pytest.approx(size * math.log(2))


def test_the_printed_theorem_fails_for_every_constant_because_b_w_is_missing_in_its_sum() -> None:
    """ERR-H6: the truth is m log 2, the printed bound tends to 4 log m."""
    for samples, constant in ((20, 1), (2000, 36), (10**6, 10_000)):
        found = missing_readout(samples)
        printed = found.bound.printed[0]
        assert printed.theorem.startswith("Theorem A.17")
        assert constant * (printed.value or 0) < found.log_packing
        assert found.log_packing <= (found.bound.value or 0)


@pytest.mark.parametrize("stretch", [1.0, 50.0])
def test_one_head_attends_to_every_table_of_pairs(stretch: float) -> None:
    """All 2^(n²) tables for n = 3: more than 2ε apart on n² inputs, with the norms that the bound is given."""
    size = 3
    claimed = attention_table(size, stretch)
    values = []
    for signs in itertools.product((-1, 1), repeat=size * size):
        query_key, value, inputs = table_head(np.array(signs).reshape(size, size), stretch)
        values.append([oracle.head(tokens, query_key, value, 0) for tokens in inputs])
        assert len(inputs) == claimed.samples
        assert all(
            len(tokens) == claimed.length and oracle.longest(tokens) <= stretch * (1 + 1e-9) for tokens in inputs
        )
    norms = claimed.capacity.terms
    assert np.linalg.norm(value, 2) == pytest.approx(norms["value"])
    assert np.linalg.norm(value, axis=0).max() == pytest.approx(norms["value_columns"])
    assert np.linalg.norm(query_key, axis=1).max() == pytest.approx(norms["query_key_rows"])
    outputs = np.array(values)
    assert claimed.log_packing == pytest.approx(math.log(len(outputs)))
    # Any two tables differ in an entry, and there outputs are as far apart as at the first entry for + and -.
    apart = np.linalg.norm(outputs[0, 0] - outputs[-1, 0])
    assert apart > 2 * claimed.epsilon
    assert oracle.packing(outputs[::7], claimed.epsilon) == len(outputs[::7])


def test_the_printed_corollary_is_refuted_by_tables_and_the_repaired_one_is_not() -> None:
    """ERR-H3: longer inputs with shorter matrices change no function, but every printed form."""
    for size in (500, 2000):
        found = attention_table(size)
        assert len(found.refuted) == len(found.bound.printed) == 2
        assert found.log_packing <= (found.bound.value or 0)
    # n² against n log n: no constant makes up for it.
    factors = [attention_table(n).log_packing / (attention_table(n).bound.printed[0].value or 1) for n in (500, 50_000)]
    assert factors[1] > 50 * factors[0]
    short, long = attention_table(40, 1.0).bound, attention_table(40, 1e4).bound
    assert short.value == pytest.approx(long.value, rel=1e-9)
    assert (short.printed[0].value or 0) > 100 * (long.printed[0].value or 0)


@pytest.mark.parametrize("size", [2, 3, 7])
def test_the_printed_column_sizes_leave_the_family_that_is_counted(size: int) -> None:
    """ERR-H2: for columns of equal norm the printed tuple adds up to d_2², and its cover is off by more than ε."""
    found = column_budget(np.eye(size))
    assert sum(found.printed) == size * size > size
    assert found.error == pytest.approx(math.sqrt((1 + size) / 2))
    assert found.error > 1
    assert sum(found.repaired) <= size


def test_a_bound_on_the_covering_number_itself_is_refuted_by_all_signs() -> None:
    """Section 2 leaves out a logarithm: 2^m functions are 2 apart with ||w|| = √m."""
    size = 10
    patterns = np.array(list(sign_patterns(size)), dtype=float)[:, :, None]
    assert oracle.packing(patterns, all_signs(size).epsilon) == 2**size
    for points in (20, 1000):
        found = all_signs(points)
        assert found.log_packing == pytest.approx(points * math.log(2))
        assert [form.theorem.partition(",")[2].startswith(" N and not log N") for form in found.refuted] == [True]
        assert found.log_packing <= (found.bound.value or 0)
    # The gap grows without limit, so that no constant helps.
    ratios = [all_signs(points).log_packing / (all_signs(points).bound.printed[0].value or 1) for points in (20, 200)]
    assert ratios[1] > 5 * ratios[0]


def test_a_matrix_of_zeros_has_no_column_sizes() -> None:
    with pytest.raises(CapacityError, match="zeros"):
        column_budget(np.zeros((2, 2)))
