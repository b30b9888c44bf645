"""How the complexity of a program goes with that of the Limit Transformer it compiles to (docs/explanation/atlas.md).

The measure of a Limit Transformer is R_∞ (Huang et al., Definition 50). The functions are random ones of an atlas of
C-RASP[∅] over two symbols; the number is Spearman's rank correlation, whose 95 % interval is some 0.07 to either side.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from lengthwise.atlas import Atlas
from lengthwise.limit.compiling.from_crasp import from_crasp
from lengthwise.limit.quantities.complexity import limit_complexity

FUNCTIONS = 250
LARGEST = {"symbols": 10, "bits": 10, "heads": 16}


def ranks(values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """The ranks of values, equal ones sharing theirs."""
    _, places, counts = np.unique(values, return_inverse=True, return_counts=True)
    return (np.cumsum(counts) - (counts - 1) / 2)[places]


def main() -> None:
    """Compile random functions of an atlas for each encoding, and print the correlations."""
    rng = np.random.default_rng(0)
    for encoding, largest in LARGEST.items():
        atlas = Atlas.build("", "ab", largest, encoding=encoding)
        chosen = [atlas.member(int(number)) for number in rng.choice(len(atlas), size=FUNCTIONS, replace=False)]
        measures = [limit_complexity(from_crasp(member.program)) for member in chosen]
        columns = np.array(
            [
                [float(member.complexity), found.total, float(found.layers), float(found.width)]
                for member, found in zip(chosen, measures, strict=True)
            ]
        ).T
        with_total, with_layers, with_width = np.corrcoef([ranks(column) for column in columns])[0, 1:]
        print(f"| `{encoding}` | {largest} | {with_total:.2f} | {with_layers:.2f} | {with_width:.2f} |")


if __name__ == "__main__":
    main()
