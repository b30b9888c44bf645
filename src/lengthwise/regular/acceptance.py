"""How a word is read, which verdicts, proofs and machines share."""

from typing import Literal

Acceptance = Literal["last", "eos"]
"""Where a program is read: at the last symbol (Definition 8 as written), or at an end marker behind it."""
