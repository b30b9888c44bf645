import numpy as np
import pytest
from pydantic import ValidationError

from lengthwise.experiments.probes import Cell, Online, ProbeError
from lengthwise.experiments.probes.problem import hidden_places, holdout, sample


def cell(**changes: object) -> Cell:
    return Cell(**{"context": 13, "samples": 40, "holdout": 300, **changes})  # type: ignore[arg-type]


def test_labels_are_the_conjunction_of_the_hidden_bits() -> None:
    for trial in range(5):
        strings, labels = sample(cell(), trial)
        places = hidden_places(cell(), trial)
        assert strings.shape == (40, 13)
        for string, label in zip(strings.tolist(), labels.tolist(), strict=True):
            assert label == all(string[place - 1] for place in places)


def test_a_holdout_sample_survives_its_packing_and_is_not_the_sample() -> None:
    strings, labels = (np.concatenate(each) for each in zip(*holdout(cell(), 0).parts(128), strict=True))
    assert strings.shape == (300, 13)
    places = [place - 1 for place in hidden_places(cell(), 0)]
    assert (labels == strings[:, places].all(axis=1)).all()
    assert not np.array_equal(strings[:40], sample(cell(), 0)[0])


def test_bits_are_uniform_and_places_are_all_equally_likely() -> None:
    strings, labels = sample(cell(samples=20_000, function="and-3"), 0)
    assert np.abs(strings.mean(axis=0) - 0.5).max() < 5 * 0.5 / np.sqrt(20_000)
    assert abs(labels.mean() - 1 / 8) < 5 * np.sqrt(7 / 64 / 20_000)
    counts = np.zeros(13)
    for trial in range(1300):
        places = hidden_places(cell(), trial)
        assert len(set(places)) == 3
        counts[[place - 1 for place in places]] += 1
    assert np.abs(counts - 300).max() < 5 * np.sqrt(300)


def test_balanced_labels_are_as_often_1_as_0_and_their_strings_are_uniform_given_the_label() -> None:
    balanced = cell(samples=20_000, labels="balanced", function="x1 & (x2 | !x3)")
    strings, labels = sample(balanced, 0)
    places = [place - 1 for place in hidden_places(balanced, 0)]
    first, second, third = (strings[:, place] for place in places)
    assert (labels == (first & (second | ~third))).all()
    assert abs(labels.mean() - 0.5) < 0.02
    patterns = [tuple(row) for row in strings[labels][:, places].tolist()]
    shares = [patterns.count(pattern) / len(patterns) for pattern in set(patterns)]
    assert len(shares) == 3
    assert max(abs(share - 1 / 3) for share in shares) < 0.03


def test_trials_sizes_and_seeds_have_data_of_their_own() -> None:
    samples = [
        sample(cell(), 0),
        sample(cell(), 1),
        sample(cell(seed=1), 0),
        sample(cell(samples=41), 0),
    ]
    texts = {strings[:40].tobytes() for strings, _ in samples}
    assert len(texts) == 4
    assert np.array_equal(sample(cell(), 1)[0], sample(cell(trials=3, steps=5), 1)[0])


def test_cells_that_differ_have_different_names() -> None:
    names = {cell().id, cell(seed=1).id, cell(samples=41).id, cell(model={"width": 32}).id, Online(context=13).id}
    assert len(names) == 5
    assert cell().id == cell().id


def test_a_function_of_more_bits_than_a_string_has_is_refused() -> None:
    with pytest.raises(ProbeError, match="but strings have 2"):
        cell(context=2)


def test_heads_divide_the_width() -> None:
    with pytest.raises(ValidationError, match="do not divide"):
        cell(model={"width": 10, "heads": 4})
