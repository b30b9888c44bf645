import math
from typing import Any

import pytest

from lengthwise.runs.settings import StoppingSettings
from lengthwise.runs.training.stopping import Stop, StoppingRule


def stops(losses: list[float], accuracies: list[float] | None = None, **settings: Any) -> list[tuple[int, str, float]]:
    """When, why and with which loss a seed with these losses stops."""
    rule = StoppingRule(StoppingSettings(**settings), 1)
    found: list[tuple[int, str, float]] = []
    for step, loss in enumerate(losses):
        given = None if accuracies is None else [accuracies[step]]
        found += [(step, stop.ending, stop.loss) for stop in rule.stops(step, [loss], given)]
        if found:
            break
    return found


def test_the_papers_rule_stops_at_the_first_batch_below_however_lucky() -> None:
    assert stops([1, 0.2, 0.05, 1], loss=0.1) == [(2, "loss", 0.05)]


def test_a_moving_average_is_not_fooled_by_one_batch() -> None:
    lucky = [1, 0.01, 1, 0.1, 0.05, 0.03, 0.01]
    found = stops(lucky, loss=0.1, rule="moving-average", window=3)
    assert [(step, ending) for step, ending, _ in found] == [(5, "loss")]
    assert found[0][2] == pytest.approx(0.06)


def test_a_moving_average_waits_until_its_window_is_full() -> None:
    assert stops([0.01] * 5, loss=0.1, rule="moving-average", window=4)[0][0] == 3


def test_the_step_limit_comes_after_as_many_updates() -> None:
    assert stops([1] * 9, steps=3) == [(3, "steps", 1)]
    assert stops([1], steps=0) == [(0, "steps", 1)]


def test_an_accuracy_that_is_reached_stops() -> None:
    assert stops([1, 1, 1], [0.5, 0.9, 1.0], loss=None, accuracy=0.9) == [(1, "accuracy", 1)]


def test_an_untrained_model_that_is_right_by_chance_does_not_stop() -> None:
    assert stops([1, 1, 1], [1.0, 0.5, 1.0], loss=None, accuracy=0.9) == [(2, "accuracy", 1)]


@pytest.mark.parametrize("loss", [math.nan, math.inf])
def test_a_loss_that_is_no_number_stops_as_diverged(loss: float) -> None:
    ((step, ending, last),) = stops([1, loss, 1], rule="moving-average")
    assert (step, ending) == (1, "diverged")
    assert math.isnan(last)


def test_seeds_that_go_on_keep_their_averages() -> None:
    rule = StoppingRule(StoppingSettings(loss=0.1, rule="moving-average", window=2), 3)
    assert rule.stops(0, [1, 0.05, 0.05]) == []
    assert [stop.place for stop in rule.stops(1, [1, 0.05, 0.5])] == [1]
    rule.keep([0, 2])
    assert rule.stops(2, [1, 0.5]) == []
    assert rule.stops(3, [1, -0.5]) == [Stop(1, "loss", 0.0)]
