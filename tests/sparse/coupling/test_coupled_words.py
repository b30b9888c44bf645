"""PC[·] on words, ensembles and hypotheses against equations 17 to 19, written out again."""

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations, product

import numpy as np
import pytest

from lengthwise.alphabet import Alphabet
from lengthwise.sparse.coupling import (
    CoupledVocabulary,
    Coupling,
    CouplingError,
    couple,
    couple_hypothesis,
    coupled_ensemble,
    coupled_loss,
    coupled_sample,
    expand,
    gathering,
)
from lengthwise.sparse.ensembles import Ensemble, EnsembleError, Independent, markov_chain, uniform_over
from lengthwise.sparse.functional import (
    FunctionKey,
    SparseAttention,
    TokenKey,
    ValueTable,
    exact_loss,
)
from tests.sparse.functional.naive import evaluate_naively

AB = Alphabet(("a", "b"))
Listed = tuple[tuple[int, int], ...]


def small_ensemble() -> Ensemble:
    return Ensemble.of(
        AB,
        {"a": 0.75, "b": 0.25},
        uniform_over(2, 3, lambda length: [(1, length), (1, 2)]),
        {"ab": 0.5, "bb": 0.5},
        {"ab": 0, "bb": 1},
    )


def equation_19(
    word: tuple[int, ...], places: tuple[int, ...], psi: tuple[int, ...]
) -> Iterator[tuple[Fraction, tuple[Listed, ...]]]:
    """The law of PC[X, S], every random choice spelled out; k = 2, μ = (¾, ¼)."""
    options: list[list[tuple[Fraction, Listed]]] = []
    for number in range(1, len(word) + 1):
        preimage = [j for j in range(1, len(word) + 1) if psi[j - 1] == number]
        if any(j in places for j in preimage):
            options.append([(Fraction(1), tuple((places.index(j) + 1, word[j - 1]) for j in preimage))])
        elif preimage:
            options.append([(Fraction(1, 2), ((rank, word[min(preimage) - 1]),)) for rank in (1, 2)])
        else:
            fresh = [(0, Fraction(3, 4)), (1, Fraction(1, 4))]
            options.append([(share / 2, ((rank, token),)) for rank in (1, 2) for token, share in fresh])
    for choice in product(*options):
        mass = Fraction(1)
        for share, _ in choice:
            mass *= share
        yield mass, tuple(listed for _, listed in choice)


@pytest.mark.parametrize("groups", [[(1, 2)], [(1,), (2,)], [(2,), (1,)]])
def test_coupled_words_are_planted_correlations_again(groups: list[tuple[int, ...]]) -> None:
    """Every word, every renumbering, every random rank and fresh token: exactly the law of the coupled ensemble."""
    ensemble, length = small_ensemble(), 4
    coupling = gathering(ensemble.positions, groups)
    expected: dict[tuple[tuple[Listed, ...], tuple[Fraction, ...]], Fraction] = {}
    given = ensemble.positions.masses(length)
    for outcome in ensemble.outcomes(length):
        for (places, psi), joint in coupling.masses(length).items():
            if places == outcome.places:
                for mass, coupled in equation_19(outcome.tokens, places, psi):
                    key = (coupled, outcome.label)
                    expected[key] = expected.get(key, Fraction(0)) + outcome.mass * mass * joint / given[places]
    image = coupled_ensemble(ensemble, coupling, 1, range(3, 6))
    vocabulary = CoupledVocabulary(AB, 2)
    found: dict[tuple[tuple[Listed, ...], tuple[Fraction, ...]], Fraction] = {}
    for outcome in image.outcomes(length):
        key = (tuple(vocabulary.tokens[token] for token in outcome.tokens), outcome.label)
        found[key] = found.get(key, Fraction(0)) + outcome.mass
    assert found == expected


def test_samples_of_coupled_words_have_the_law_of_the_coupled_ensemble() -> None:
    ensemble = small_ensemble()
    coupling = gathering(ensemble.positions, [(2,), (1,)])
    image = coupled_ensemble(ensemble, coupling, 1, range(3, 4))
    law: dict[tuple[tuple[int, ...], float], float] = {}
    for outcome in image.outcomes(3):
        key = (outcome.tokens, float(outcome.label[0]))
        law[key] = law.get(key, 0.0) + float(outcome.mass)
    sample = coupled_sample(ensemble, coupling, 3, 6_000, np.random.default_rng(0))
    found = Counter(
        (tuple(word), label) for word, (label,) in zip(sample.tokens.tolist(), sample.labels.tolist(), strict=True)
    )
    assert set(found) <= set(law)
    assert all(abs(found[key] / 6_000 - mass) < 5 * (mass / 6_000) ** 0.5 for key, mass in law.items())


def test_a_coupled_word_by_hand() -> None:
    """b at 1 and a at 4 share the ID 2; position 2 moves to 1, position 3 stays, nobody has 4."""
    assert couple([1, 0, 0, 0], (1, 4), (2, 1, 3, 2), fresh=[0, 0, 0, 1], ranks=[2, 1, 1, 2]) == [
        ((2, 0),),
        ((1, 1), (2, 0)),
        ((1, 0),),
        ((2, 1),),
    ]
    with pytest.raises(CouplingError, match="item 2"):
        couple([1, 0, 0, 0], (1, 4), (2, 2, 3, 2), fresh=[0] * 4, ranks=[1] * 4)


def test_lists_expand_by_rank_whatever_their_order() -> None:
    assert expand([((2, 5),), ((1, 3), (3, 4))], 3) == (3, 5, 4)
    assert expand([((2, 5),), ((1, 3),)], 3) is None  # rank 3 is missing
    assert expand([((1, 3), (2, 5)), ((2, 5),)], 2) == (3, 5)  # the same token twice counts once
    assert expand([((1, 3), (2, 5)), ((2, 6),)], 2) is None  # two tokens of one rank


@pytest.mark.parametrize("ranks", [(1, 3), (0, 1), (2, 3), (3, 4)])
def test_as_many_ranks_as_tokens_are_not_enough_to_expand(ranks: tuple[int, int]) -> None:
    """Lists are valid if and only if their ranks are exactly 1 to k."""
    assert expand([((ranks[0], 0),), ((ranks[1], 1),)], 2) is None


def test_the_vocabulary_has_every_sorted_list_once() -> None:
    vocabulary = CoupledVocabulary(AB, 3)
    assert len(set(vocabulary.tokens)) == len(vocabulary.tokens) == 3**3 - 1
    assert all(vocabulary.tokens[vocabulary.id(listed)] == listed for listed in vocabulary.tokens)
    assert "1=a&3=b" in vocabulary.alphabet
    for listed in ((), ((1, 2),), ((4, 0),), ((1, 0), (1, 1))):
        with pytest.raises(CouplingError, match="is no coupled token"):
            vocabulary.id(listed)
    with pytest.raises(CouplingError, match="too many coupled tokens"):
        CoupledVocabulary(AB, 20)


@pytest.mark.parametrize("size", [1, 2])
def test_a_coupled_hypothesis_is_equations_17_and_18(size: int) -> None:
    """Every set of k' coupled tokens within L_local, expanded by the oracle below."""
    key = TokenKey.of(AB, {"ab": 2, "bb": 3, "ba": 0.5})
    value = ValueTable.of(AB, 2, {"ab": 1, "ba": 0.25}, default=0.5)
    coupled = couple_hypothesis(SparseAttention(AB, key, value), size, 1)
    vocabulary = CoupledVocabulary(AB, 2)
    rng = np.random.default_rng(size)
    for word in rng.integers(0, len(vocabulary.tokens), size=(25, 5)).tolist():
        scored = []
        for places in combinations(range(5), size):
            pairs = {pair for place in places for pair in vocabulary.tokens[word[place]]}
            valid = len(pairs) == 2 and {rank for rank, _ in pairs} == {1, 2}
            tokens = tuple(token for _, token in sorted(pairs)) if valid else None
            local = places[-1] - places[0] <= 1
            weight = {(0, 1): 2.0, (1, 1): 3.0, (1, 0): 0.5}.get(tokens, 0.0) if tokens and local else 0.0
            scored.append((weight, {(0, 1): 1.0, (1, 0): 0.25}.get(tokens, 0.5) if tokens else 0.5))
        total = sum(weight for weight, _ in scored)
        mean = (
            sum(weight * number for weight, number in scored) / total
            if total
            else sum(number for _, number in scored) / len(scored)
        )
        assert coupled.outputs(np.array([word]))[0] == pytest.approx([mean])
        assert evaluate_naively(coupled.key, coupled.value, word) == pytest.approx([mean])


def test_the_loss_of_the_mixture_is_the_loss_on_the_coupled_ensemble() -> None:
    ensemble = small_ensemble()
    coupling = gathering(ensemble.positions, [(1,), (2,)])
    value = ValueTable.of(AB, 2, {"bb": 1})
    hypothesis = couple_hypothesis(SparseAttention(AB, TokenKey.of(AB, {"ab": 1, "bb": 2}), value), 2, 1)
    image = coupled_ensemble(ensemble, coupling, 1, range(3, 6))
    assert coupled_loss(hypothesis, ensemble, coupling, 4) == exact_loss(hypothesis, image, 4) > 0


def test_what_cannot_be_coupled_is_refused() -> None:
    ensemble = small_ensemble()
    with pytest.raises(EnsembleError, match="-1 samples"):
        coupled_sample(ensemble, gathering(ensemble.positions, [(1, 2)]), 3, -1, np.random.default_rng(0))
    far = Coupling(
        3, lambda length: {(s, tuple(range(1, length + 1))): m for s, m in ensemble.positions.masses(length).items()}
    )
    with pytest.raises(CouplingError, match="item 1 fails at length 4"):
        coupled_ensemble(ensemble, far, 2, range(3, 6))
    chained = Ensemble(
        AB, markov_chain(AB, {"a": {"a": 1}, "b": {"a": 1}}), ensemble.positions, ensemble.planted, ensemble.labels
    )
    assert isinstance(ensemble.background, Independent)
    with pytest.raises(CouplingError, match="independent background"):
        coupled_ensemble(chained, gathering(ensemble.positions, [(1, 2)]), 1, range(3, 4))
    absolute = SparseAttention(AB, FunctionKey(2, lambda *_: 1), ValueTable.of(AB, 2, {}))
    with pytest.raises(CouplingError, match="position-independent"):
        couple_hypothesis(absolute, 1, 1)
