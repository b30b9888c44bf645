"""Samples follow the exact law, and the instances are what the paper draws."""

from collections import Counter
from fractions import Fraction
from itertools import combinations, product

import numpy as np
import pytest

from lengthwise.alphabet import Alphabet
from lengthwise.sparse.ensembles import (
    Ensemble,
    EnsembleError,
    any_places,
    independent,
    k_gram_retrieval,
    markov_chain,
    placed_shapes,
    sparse_parity,
    sum_of_entries,
    uniform_over,
)

AB = Alphabet(("a", "b", "c"))


def law_of(ensemble: Ensemble, length: int) -> dict[tuple[tuple[int, ...], tuple[Fraction, ...]], Fraction]:
    law: Counter[tuple[tuple[int, ...], tuple[Fraction, ...]]] = Counter()
    for outcome in ensemble.outcomes(length):
        law[outcome.tokens, outcome.label] += outcome.mass  # type: ignore[assignment]
    return dict(law)  # type: ignore[arg-type]


def small_ensemble() -> Ensemble:
    return Ensemble.of(
        AB,
        {"a": 0.7, "b": 0.3},
        placed_shapes({(0, 1): 0.25, (0, 2): 0.75}),
        {"cc": 0.5, "ca": 0.2, "bc": 0.3},
        {"cc": 0, "ca": 1, "bc": 0.5},
    )


def test_the_exact_law_is_the_definition_summed_by_hand() -> None:
    """Definition 3.2 written out again: S*, then Z, then independent tokens elsewhere."""
    expected: dict[tuple[tuple[int, ...], tuple[Fraction, ...]], Fraction] = {}
    share = {0: Fraction(7, 10), 1: Fraction(3, 10)}
    sets = {(1, 2): Fraction(1, 12), (2, 3): Fraction(1, 12), (3, 4): Fraction(1, 12)}
    sets |= {(1, 3): Fraction(3, 8), (2, 4): Fraction(3, 8)}
    tuples = {(2, 2): (Fraction(1, 2), Fraction(0)), (2, 0): (Fraction(1, 5), Fraction(1))}
    tuples[1, 2] = (Fraction(3, 10), Fraction(1, 2))
    for places, in_place in sets.items():
        for planted, (of_tuple, label) in tuples.items():
            for rest in product((0, 1), repeat=2):
                word = [-1] * 4
                for place, token in zip(places, planted, strict=True):
                    word[place - 1] = token
                mass = in_place * of_tuple
                for place, token in zip([p for p in range(4) if word[p] == -1], rest, strict=True):
                    word[place] = token
                    mass *= share[token]
                key = (tuple(word), (label,))
                expected[key] = expected.get(key, Fraction(0)) + mass
    assert law_of(small_ensemble(), 4) == expected


@pytest.mark.parametrize("chain", [False, True])
def test_samples_have_the_exact_law(chain: bool) -> None:
    ensemble = small_ensemble()
    if chain:
        rows = {"a": {"a": 0.9, "b": 0.1}, "b": {"a": 0.5, "b": 0.5}, "c": {"a": 1.0}}
        ensemble = Ensemble(AB, markov_chain(AB, rows), ensemble.positions, ensemble.planted, ensemble.labels)
    sample = ensemble.sample(4, 20_000, np.random.default_rng(1))
    found = Counter(
        (tuple(word), tuple(label)) for word, label in zip(sample.tokens.tolist(), sample.labels.tolist(), strict=True)
    )
    law = {(word, tuple(map(float, label))): float(mass) for (word, label), mass in law_of(ensemble, 4).items()}
    assert set(found) <= set(law)
    for outcome, mass in law.items():
        assert abs(found[outcome] / 20_000 - mass) < 5 * (mass / 20_000) ** 0.5


def test_planted_tokens_stand_where_the_sample_says() -> None:
    sample = sparse_parity(3, indices=4).sample(200, 50, np.random.default_rng(2))
    marked = sample.tokens < 4  # the first four ids carry an index of at most 2
    assert (marked.sum(axis=1) == 3).all()
    assert all((np.flatnonzero(row) + 1 == places).all() for row, places in zip(marked, sample.places, strict=True))


@pytest.mark.parametrize("context", [1, 2])
def test_retrieval_is_what_the_paper_draws(context: int) -> None:
    """Section 3.1 in its own order: fill, choose ℓ', copy the k-gram to the end, read the token behind it."""
    alphabet, length = Alphabet(("a", "b")), 2 * context + 4
    expected: dict[tuple[tuple[int, ...], tuple[Fraction, ...]], Fraction] = {}
    choices = range(1, length - 2 * context)
    for head in product((0, 1), repeat=length - context):
        for before in choices:
            word = (*head, *head[before : before + context])
            label = (Fraction(head[before + context] == 0), Fraction(head[before + context] == 1))
            mass = Fraction(1, 2 ** (length - context) * len(choices))
            expected[word, label] = expected.get((word, label), Fraction(0)) + mass
    assert law_of(k_gram_retrieval(context, alphabet), length) == expected


def test_sparse_parity_is_what_the_paper_draws_item_by_item() -> None:
    """Appendix E.1: uniform over all words of items with exactly k indices up to N/2; the label is their parity."""
    words = [
        word
        for word in product([(index, bit) for index in (1, 2) for bit in (0, 1)], repeat=4)
        if sum(index == 1 for index, _ in word) == 2
    ]
    expected = {}
    for word in words:
        tokens = tuple(2 * (index - 1) + bit for index, bit in word)
        parity = sum(bit for index, bit in word if index == 1) % 2
        expected[tokens, (Fraction(parity),)] = Fraction(1, len(words))
    assert law_of(sparse_parity(2), 4) == expected


def laws_between(ensemble: Ensemble, length: int, split: bool) -> set[frozenset[tuple[str, Fraction]]]:
    """The different laws that tokens have where nothing is planted, by position; items `i:b` as one token or as two."""
    found: dict[int, dict[str, Fraction]] = {}
    seen: dict[int, Fraction] = {}
    for outcome in ensemble.outcomes(length):
        for place, token in enumerate(outcome.tokens, start=1):
            if place not in outcome.places:
                name = ensemble.alphabet.symbols[token]
                for part, text in enumerate(name.split(":") if split else [name]):
                    position = 2 * place + part
                    law = found.setdefault(position, {})
                    law[text] = law.get(text, Fraction(0)) + outcome.mass
                    seen[position] = seen.get(position, Fraction(0)) + outcome.mass
    return {frozenset((text, mass / seen[at]) for text, mass in law.items()) for at, law in found.items()}


def test_indices_and_bits_as_separate_tokens_are_no_planted_correlations() -> None:
    """Definition 3.2 has one law μ for all tokens that are not planted; split into two tokens, items have two."""
    parity = sparse_parity(1, indices=4)
    assert len(laws_between(parity, 3, split=False)) == 1
    assert len(laws_between(parity, 3, split=True)) == 2


def test_splitting_alone_does_not_make_two_laws() -> None:
    """Items whose halves are both fair bits still have one."""
    alphabet = Alphabet(("0:0", "0:1", "1:0", "1:1", "x:x"))
    fair = dict.fromkeys(alphabet.symbols[:4], Fraction(1, 4))
    ensemble = Ensemble(
        alphabet, independent(alphabet, fair), any_places(1), {(4,): Fraction(1)}, {(4,): (Fraction(0),)}
    )
    assert len(laws_between(ensemble, 3, split=True)) == 1


def test_a_chain_with_equal_rows_is_independent_background() -> None:
    row = {"a": 0.7, "b": 0.3}
    chain = markov_chain(AB, dict.fromkeys("abc", row))
    plain = small_ensemble()
    chained = Ensemble(AB, chain, plain.positions, plain.planted, plain.labels)
    assert chain.stationary
    assert law_of(chained, 5) == law_of(plain, 5)


def test_planting_leaves_the_law_of_the_chain_elsewhere_untouched() -> None:
    rows = {"a": {"a": 0.9, "b": 0.1}, "b": {"a": 0.4, "b": 0.6}, "c": {"c": 1.0}}
    chain = markov_chain(AB, rows, start={"a": 0.8, "b": 0.2})
    ensemble = Ensemble.of(AB, chain, uniform_over(1, 2, lambda _: [(2,)]), {"c": 1}, {"c": 0})
    law = {tokens: mass for (tokens, _), mass in law_of(ensemble, 3).items()}
    # a c b: beneath c the chain went a a b, or a b b.
    through = Fraction(9, 10) * Fraction(1, 10) + Fraction(1, 10) * Fraction(6, 10)
    assert law[0, 2, 1] == Fraction(8, 10) * through
    assert chain.stationary
    assert not markov_chain(AB, rows, start={"a": 1}).stationary


def test_a_chain_without_a_start_begins_in_its_stationary_law() -> None:
    chain = markov_chain(Alphabet(("a", "b")), {"a": {"a": 0.9, "b": 0.1}, "b": {"a": 0.4, "b": 0.6}})
    assert chain.start == (Fraction(4, 5), Fraction(1, 5))
    with pytest.raises(EnsembleError, match="several stationary laws"):
        markov_chain(Alphabet(("a", "b")), {"a": {"a": 1}, "b": {"b": 1}})


def test_any_places_are_uniform_over_all_sets() -> None:
    law = any_places(2)
    assert law.masses(5) == dict.fromkeys(combinations(range(1, 6), 2), Fraction(1, 10))
    drawn = Counter(map(tuple, law.sample(5, 5_000, np.random.default_rng(3)).tolist()))
    assert set(drawn) == set(law.masses(5))
    assert all(abs(count / 5_000 - 0.1) < 0.03 for count in drawn.values())


def test_what_is_no_ensemble_is_refused_in_one_sentence() -> None:
    with pytest.raises(EnsembleError, match=r"sum to 0\.9"):
        independent(AB, {"a": 0.5, "b": 0.4})
    with pytest.raises(EnsembleError, match="at most 1 apart"):
        Ensemble.of(AB, {"a": 1}, placed_shapes({(0,): 1}), {"b": 0.5, "c": 0.5}, {"b": 0, "c": 2})
    with pytest.raises(EnsembleError, match="at most 1 apart"):
        Ensemble.of(
            AB, {"a": 1}, placed_shapes({(0,): 1}), {"b": 0.5, "c": 0.5}, {"b": [1, 0], "c": [0, 1]}, sum_of_entries
        )
    with pytest.raises(EnsembleError, match="needs a label"):
        Ensemble.of(AB, {"a": 1}, placed_shapes({(0,): 1}), {"b": 1}, {"c": 1})
    with pytest.raises(EnsembleError, match="too short to plant in; use at least 3"):
        small_ensemble().sample(2, 1, np.random.default_rng(0))
    with pytest.raises(EnsembleError, match="too many words"):
        next(small_ensemble().outcomes(40))


@pytest.mark.parametrize("shape", [(0, 2, 1), (0, 1, 1), (1, 2, 3), ()])
def test_what_is_no_shape_is_refused_before_anything_is_drawn(shape: tuple[int, ...]) -> None:
    with pytest.raises(EnsembleError, match="increasing tuple of offsets from 0 on"):
        placed_shapes({shape: 1})


def test_shapes_of_different_sizes_are_refused() -> None:
    with pytest.raises(EnsembleError, match="the same size"):
        placed_shapes({(0, 1): 0.5, (0, 1, 2): 0.5})


@pytest.mark.parametrize("counted", [0, -1])
def test_planting_nothing_is_refused(counted: int) -> None:
    with pytest.raises(EnsembleError, match="at least 1 item"):
        sparse_parity(counted)
    with pytest.raises(EnsembleError, match="at least 1 position"):
        any_places(counted)


def test_labels_of_different_sizes_are_refused() -> None:
    positions = placed_shapes({(0,): 1})
    with pytest.raises(EnsembleError, match="the same number of entries, and at least one"):
        Ensemble.of(AB, {"a": 1}, positions, {"b": 0.5, "c": 0.5}, {"b": [0, 1], "c": [1]})
    with pytest.raises(EnsembleError, match="the same number of entries, and at least one"):
        Ensemble.of(AB, {"a": 1}, positions, {"b": 1}, {"b": []})


def test_an_embedding_must_have_a_vector_for_every_symbol() -> None:
    with pytest.raises(EnsembleError, match="no vector for b, c"):
        k_gram_retrieval(1, AB, {"a": 1})
    assert k_gram_retrieval(1, AB, {"a": 1, "b": 0, "c": 0.5}).dimension == 1


def test_a_negative_number_of_samples_is_refused() -> None:
    with pytest.raises(EnsembleError, match="-1 samples"):
        small_ensemble().sample(5, -1, np.random.default_rng(0))
    assert len(small_ensemble().sample(5, 0, np.random.default_rng(0)).tokens) == 0
