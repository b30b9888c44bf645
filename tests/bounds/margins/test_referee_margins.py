"""What is asked of margins beyond reason ends in a sentence."""

from __future__ import annotations

import pytest

import lengthwise as lw
from lengthwise.errors import LengthwiseError


@pytest.mark.parametrize("length", [0, 10**9])
def test_a_target_length_of_which_words_cannot_be_counted_is_refused_before_words_are_drawn(length: int) -> None:
    with pytest.raises(LengthwiseError, match=f"lies between 1 and 5,000, not {length}"):
        lw.bound("certified", "majority", margin=0.5, target_length=length)
