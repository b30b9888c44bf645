"""Tasks with position IDs of their own, on which Golowich et al. train (section 5 and appendix E).

    >>> import numpy
    >>> from lengthwise import tasks
    >>> task = tasks.get("task:scratchpad-parity", jumps=2)
    >>> batch = task.sample(4, 1, numpy.random.default_rng(0))
    >>> " ".join(task.alphabet.decode(batch.tokens[0]))
    'BOS 1 1 1 0 SEP 0'
    >>> batch.positions[0].tolist()
    [0, 1, 1, 2, 2, 0, 1]

Tokens that belong together share an ID, however far apart they stand: positions are *coupled*. A model may be given
these IDs, or have to say those of what it writes (Predictive Position Coupling); with `positions="plain"` there are
none, for the position schemes that are compared. Sparse parity, which the paper does not couple, never has any.

Each file says what the paper leaves open and what was chosen.
"""

from lengthwise.tasks.coupled.column_addition import ColumnAddition
from lengthwise.tasks.coupled.positioned_task import PositionedTask
from lengthwise.tasks.coupled.reversal import Reversal
from lengthwise.tasks.coupled.scratchpad_parity import ScratchpadParity
from lengthwise.tasks.coupled.sparse_parity import SparseParity
from lengthwise.tasks.coupled.variable_assignment import VariableAssignment

__all__ = [
    "ColumnAddition",
    "PositionedTask",
    "Reversal",
    "ScratchpadParity",
    "SparseParity",
    "VariableAssignment",
]
