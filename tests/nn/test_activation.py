"""Activations: GPT-2's GELU by its printed formula, with and without a gradient."""

import math

import pytest
import torch

from lengthwise.nn.seedwise import activated


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_without_a_gradient_the_same_bits_and_the_printed_formula(dtype: torch.dtype) -> None:
    generator = torch.Generator().manual_seed(0)
    numbers = 4 * torch.randn(37, 19, dtype=dtype, generator=generator)
    with torch.no_grad():
        quick = activated(numbers, "gelu-tanh")
    assert torch.equal(quick, activated(numbers, "gelu-tanh"))
    expected = [z * (1 + math.tanh(math.sqrt(2 / math.pi) * (z + 0.044715 * z**3))) / 2 for z in numbers[0].tolist()]
    assert quick[0].tolist() == pytest.approx(expected, rel=1e-5, abs=1e-6)
