"""The second counterexample to Theorem 4.3 as printed: unbounded scores, with planted sets that are always adjacent.

Tokens p and q, background c_0 … c_6, planted (p, p) with probability 1 − δ (label 1) or (q, q) with probability δ
(label 0). The learned key ignores the steps p c_0, c_0 c_1, …, c_5 c_6, gives every other pair a huge weight M and
the right value, and the pair that begins with c_6 a weight of 1 and the wrong value. Only a word that begins p p c_0
c_1 … c_6 shows that pair unmasked; with one token more it has length 10. Up to length 9 the loss is about 1/M, less
than the δ of the honest hypothesis, which scores only (p, p) and (q, q) and is wrong on (q, q). At length 10 it is
about 7⁻⁷/18, whatever δ is. Correction ERR-I2 (2).
"""

from __future__ import annotations

from fractions import Fraction

from lengthwise.alphabet import Alphabet
from lengthwise.sparse.bounds.instance import Instance
from lengthwise.sparse.ensembles.ensemble import Ensemble
from lengthwise.sparse.ensembles.laws import Number, exact
from lengthwise.sparse.ensembles.positions import placed_shapes
from lengthwise.sparse.functional.keys import Key, ShapeKey
from lengthwise.sparse.functional.risk import attention_class
from lengthwise.sparse.functional.values import ValueTable

STEPS = tuple(f"c{number}" for number in range(7))
ALPHABET = Alphabet(("p", "q", *STEPS))
LOCAL = 2
TRAINING = 8
"""L = 4 L_local; the harmful words have length 10."""


def unbounded_scores(delta: Number = Fraction(1, 10**14), weight: int = 10**16) -> Instance:
    """The instance with this δ and M; M must be well above 1/δ for the learned key to be the minimiser."""
    last = STEPS[-1]
    tables: dict[str, Number] = {"p p": 1, "q q": 0}
    for step in STEPS:
        tables[f"p {step}"] = 0 if step == STEPS[0] else weight
        tables[f"{step} p"] = weight
        tables[f"q {step}"] = tables[f"{step} q"] = weight**2
        for other in STEPS:
            follows = STEPS.index(other) == STEPS.index(step) + 1
            tables[f"{step} {other}"] = 1 if step == last else 0 if follows else weight
    # Not on (c_6, p): that pair precedes a planted p at every length and would cost the learned key its training loss.
    wrong = [f"{last} {other}" for other in STEPS] + [word for word in tables if "q" in word and "q q" not in word]
    keys: dict[str, Key] = {
        "honest": ShapeKey.of(ALPHABET, {(0, 1): {"p p": 1, "q q": 1}}),
        "masking": ShapeKey.of(ALPHABET, {(0, 1): tables}),
    }
    members = attention_class(ALPHABET, keys, {"g1": ValueTable.of(ALPHABET, 2, dict.fromkeys(wrong, 0), default=1)})
    rare = exact(delta)
    ensemble = Ensemble.of(
        ALPHABET,
        dict.fromkeys(STEPS, Fraction(1, len(STEPS))),
        placed_shapes({(0, 1): 1}),
        {"p p": 1 - rare, "q q": rare},
        {"p p": 1, "q q": 0},
    )
    return Instance("unbounded scores", ensemble, members, "masking", TRAINING, LOCAL)
