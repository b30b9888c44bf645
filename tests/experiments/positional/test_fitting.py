import math

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from lengthwise.experiments.positional import Cell, fit, guesses
from lengthwise.experiments.positional.cell import OFFSETS
from lengthwise.experiments.positional.fitting import (
    Pairs,
    batches,
    begun,
    fitted,
    gradients,
    loss,
    losses_by_length,
    products,
    started,
)

FUNCTION = "j = i - 1 plus i - j = 0 mod 3"


def small(**changes: object) -> Cell:
    given = {
        "function": FUNCTION,
        "width": 6,
        "positions": 30,
        "window": 8,
        "test_lengths": (8, 16, 30),
        "batch": 5,
        "steps": 12,
        "trials": 2,
    }
    return Cell(**{**given, **changes})  # type: ignore[arg-type]


def window_loss(
    vectors: torch.Tensor, keys: torch.Tensor, queries: torch.Tensor, begin: int, length: int, height: float
) -> torch.Tensor:
    """The mean squared error at the causal entries of one window, entry by entry, with the paper's definition of φ."""
    errors = []
    for i in range(begin, begin + length):
        for j in range(begin, i + 1):
            wanted = height * ((j == i - 1) + ((i - j) % 3 == 0))
            errors.append((vectors[j] @ keys.T @ queries @ vectors[i] - wanted) ** 2)
    return torch.stack(errors).mean()


def batch_loss(
    vectors: torch.Tensor, keys: torch.Tensor, queries: torch.Tensor, starts: list[int], cell: Cell
) -> torch.Tensor:
    windows = [window_loss(vectors, keys, queries, begin, cell.window, cell.height) for begin in starts]
    sizes = [matrix.square().sum() / matrix.numel() for matrix in (vectors, keys, queries)]
    return torch.stack(windows).mean() + cell.penalty * torch.stack(sizes).sum()


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10**6), st.integers(2, 5), st.integers(1, 4), st.booleans())
def test_loss_and_gradient_are_those_of_windows_built_one_by_one(seed: int, width: int, batch: int, end: bool) -> None:
    cell = small(width=width, batch=batch, positions=11, window=4, test_lengths=(4,), seed=seed)
    vectors, matrices = (each.double().requires_grad_() for each in started(cell, [0, 1]))
    starts = np.random.default_rng(seed).integers(8, size=(2, batch))
    starts[:, 0] = 7 if end else 0
    target = torch.from_numpy(cell.height * cell.positional_function.table(11))
    weights = Pairs(11, 4, vectors).weights(torch.from_numpy(begun(starts, 11)).double())
    found = loss(vectors, matrices, weights, target, cell.penalty)
    by_vectors, by_matrices = gradients(vectors.detach(), matrices.detach(), weights.clone(), target, cell.penalty)
    for trial in range(2):
        expected = batch_loss(
            vectors[trial], matrices[trial, :width], matrices[trial, width:], starts[trial].tolist(), cell
        )
        assert found[trial].item() == pytest.approx(expected.item(), rel=1e-10)
        true_vectors, true_matrices = torch.autograd.grad(expected, (vectors, matrices))
        torch.testing.assert_close(by_vectors[trial], true_vectors[trial], rtol=1e-9, atol=1e-12)
        torch.testing.assert_close(by_matrices[trial], true_matrices[trial], rtol=1e-9, atol=1e-12)


def test_pairs_are_counted_as_in_the_windows_themselves() -> None:
    starts = np.array([[0, 0, 3, 7], [22, 21, 5, 5]])
    found = Pairs(30, 8, torch.zeros(1)).weights(torch.from_numpy(begun(starts, 30)).float())
    for batch, weights in zip(starts, found, strict=True):
        counts = np.zeros((30, 30))
        for begin in batch:
            for i in range(begin, begin + 8):
                counts[i, begin : i + 1] += 1
        np.testing.assert_allclose(weights.numpy() * 4 * 36, counts, rtol=1e-6)


def test_a_trial_is_what_plain_pytorch_makes_of_the_same_windows() -> None:
    cell = small()
    found = fit(cell)
    vectors, matrices = started(cell, [0, 1])
    for trial, result in enumerate(found.trials):
        p = torch.nn.Parameter(vectors[trial].clone())
        k, q = (torch.nn.Parameter(half.clone()) for half in matrices[trial].chunk(2))
        optimizer = torch.optim.Adam([p, k, q], lr=1e-3)
        starts = cell.stream(trial, OFFSETS).integers(23, size=(12, 5))
        for batch in starts.tolist():
            optimizer.zero_grad()
            torch.autograd.backward(batch_loss(p, k, q, batch, cell))
            optimizer.step()
        with torch.no_grad():
            for length, measured in zip((8, 16, 30), result.losses, strict=True):
                windows = [window_loss(p, k, q, begin, length, cell.height) for begin in range(31 - length)]
                assert measured == pytest.approx(torch.stack(windows).mean().item(), rel=1e-4)


def test_offsets_reach_from_the_first_window_to_the_last() -> None:
    cell = Cell(function="j = i - 1", width=2, steps=600, trials=1)
    total = sum(batches(cell, [0]))
    assert isinstance(total, torch.Tensor)
    begins = np.diff(total[0].numpy(), prepend=0)
    assert (begins[:151] > 0).all()
    assert not begins[151:].any()
    assert begins.sum() == 600 * 64
    # 254 windows begin at each of the 151 offsets, on average.
    assert np.abs(begins[:151] - 254.3).max() < 5 * math.sqrt(254.3)


def test_trials_fitted_together_are_those_fitted_one_by_one() -> None:
    cell = small(trials=3)
    together = fitted(cell, range(3))
    for trial in range(3):
        (alone,) = fitted(cell, [trial])
        assert alone.trial == trial
        assert alone.losses == pytest.approx(together[trial].losses, rel=1e-4)
    assert len({found.losses for found in together}) == 3


def test_tests_come_every_so_many_steps_and_after_the_last() -> None:
    found = fit(small(check_every=5, trials=1))
    assert [look.step for look in found.trials[0].looks] == [5, 10, 12]


def test_a_product_of_rank_2_can_be_a_periodic_function_at_all_lengths() -> None:
    """cos(2π (i - j) / 2) is a product of two vectors of length 2, so 0 mod 2 needs no more than three numbers."""
    places = np.arange(30)
    circle = np.stack([np.cos(np.pi * places), np.sin(np.pi * places), np.ones(30)], axis=1)
    cell = small(function="i - j = 0 mod 2", width=3, test_lengths=(8, 30))
    matrices = np.concatenate([np.eye(3), np.diag([0.5, 0.5, 0.5]) * cell.height])
    vectors, both = (torch.from_numpy(each)[None] for each in (circle, matrices))
    assert max(losses_by_length(cell, vectors, both)[0]) < 1e-20
    np.testing.assert_allclose(
        products(vectors, both)[0].tril(), cell.height * cell.positional_function.table(30), atol=1e-9
    )


def test_fitting_makes_the_loss_on_trained_lengths_small() -> None:
    cell = small(function="j > i - 2", width=24, steps=600, rate=1e-2, batch=32, trials=1)
    fitted_loss, _, longest = fit(cell).trials[0].losses
    assert fitted_loss < 0.02 * guesses(cell, 8)[0]
    assert longest > 10 * fitted_loss


def test_guesses_are_the_losses_of_products_that_are_0() -> None:
    cell = small()
    table = cell.height * cell.positional_function.table(30)
    for length in cell.test_lengths:
        entries = [(i, j) for i in range(length) for j in range(i + 1)]
        everywhere = np.mean([table[i, j] ** 2 for i, j in entries])
        beyond = np.mean([table[i, j] ** 2 * (i - j >= 8) for i, j in entries])
        assert guesses(cell, length) == pytest.approx((everywhere, beyond))


@pytest.mark.parametrize(
    ("name", "vectors", "matrices"), [("uniform", 1 / 3, 1 / 3 / 64), ("normal", 1, 1 / 64), ("narrow", 1 / 64, 1 / 64)]
)
def test_starts_have_the_variance_they_should(name: str, vectors: float, matrices: float) -> None:
    found = started(Cell(function="j = i - 1", width=64, initialisation=name), [0, 1])  # type: ignore[arg-type]
    for drawn, variance in zip(found, (vectors, matrices), strict=True):
        assert drawn.square().mean().item() == pytest.approx(variance, rel=0.05)
        assert not torch.equal(drawn[0], drawn[1])
        assert (drawn.abs().max().item() <= math.sqrt(3 * variance)) == (name == "uniform")


def test_a_trial_that_diverges_has_no_loss() -> None:
    found = fit(small(rate=1e30, trials=1))
    assert not any(math.isfinite(each) for each in found.trials[0].losses)


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"test_lengths": (8, 31)}, "longer than the 30 positions"),
        ({"window": 40}, "longer than the 30 positions"),
        ({"test_lengths": (16, 8)}, "from the smallest on"),
        ({"initialisation": "zeros"}, "uniform"),
    ],
)
def test_settings_that_do_not_go_together_are_refused(changes: dict[str, object], told: str) -> None:
    with pytest.raises(ValidationError, match=told):
        small(**changes)


def test_cells_that_differ_have_different_names_and_streams() -> None:
    cells = [small(), small(width=7), small(function="j = i - 1"), small(seed=1), small(initialisation="normal")]
    assert len({cell.id for cell in cells}) == 5
    assert small().id == small().id
    drawn = {tuple(cell.stream(trial, OFFSETS).integers(1000, size=8)) for cell in cells[:4] for trial in (0, 1)}
    assert len(drawn) == 8
