"""Commands that are killed at random moments lose no row and end with the bytes of commands that were not."""

import os
import random

import pytest

from tests.e2e.kills import attacked, room


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
@pytest.mark.parametrize(("verb", "kills"), [("train", 8), ("reproduce", 6), ("study", 4), ("local", 2)])
def test_kills_at_random_moments_cost_no_row_and_no_byte(verb: str, kills: int) -> None:
    seed = int.from_bytes(os.urandom(4))
    print(f"seed {seed}")
    with room() as directory:
        assert attacked(verb, kills, random.Random(seed), directory).kills == kills
