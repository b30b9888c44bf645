"""Lemma 5.3 with its constants: averages over a word survive subsampling, up to about n^(-1/3).

Let p(w, μ) be a function of a window of τ + 1 symbols and a histogram, of norm at most G and L-Lipschitz in μ. Averaged
over the positions t of a word, with w the window that ends there and μ the histogram up to there, it differs from its
average over a random subsample by at most G g(n) + L l(n) on average. Izzo et al., appendix B.1; corrections ERR-E1 to
ERR-E3. Since n may be astronomic, everything takes the natural logarithm of n and gives logarithms.
"""

from __future__ import annotations

import math

EXISTENCE = 3.0
"""Some subsample is at most this factor worse than the mean and has about n symbols (Markov 1/3, Chebyshev 1/2)."""


def log_sum(*logarithms: float) -> float:
    """The logarithm of a sum, from the logarithms of its terms."""
    largest = max(logarithms, default=-math.inf)
    if math.isinf(largest):
        return largest
    return largest + math.log(math.fsum(math.exp(each - largest) for each in logarithms))


def log_size_share(log_n: float, window: int) -> float:
    """The logarithm of g(n): what a bound of 1 on ||p|| contributes.

    (2τ+1)/n + √((1+τ)/n) + τn^(-1/3) + √2 n^(-1/3) from covering the sum by whole windows, τn^(-1/3) + 2(τ+1)/n from
    windows that are torn, √2 n^(-1/3) + (τ+1)/n from the number of kept positions.
    """
    third = -log_n / 3
    return log_sum(
        math.log(2 * window + 1 + 3 * (window + 1)) - log_n,
        (math.log(1 + window) - log_n) / 2,
        math.log(2 * window + 2 * math.sqrt(2)) + third,
    )


def log_slope_share(log_n: float, window: int) -> float:
    """The logarithm of l(n): what a Lipschitz constant of 1 contributes.

    8n^(-1/3) + (c (1 + log⁺(√2 n/c)) + 3(τ+1))/n with c = 3(τ+1) + 27n^(1/3).
    The logarithm multiplies c, where the print adds it (ERR-E3).
    """
    third = log_n / 3
    log_c = log_sum(math.log(3 * (window + 1)), math.log(27) + third)
    growth = 1 + max(0.0, math.log(2) / 2 + log_n - log_c)
    return log_sum(math.log(8) - third, log_c + math.log(growth) - log_n, math.log(3 * (window + 1)) - log_n)


def mean_error(size: float, slope: float, n: float, window: int) -> float:
    """G g(n) + L l(n): the mean error of the average of a function with ||p|| <= G (`size`) and slope L."""
    log_n = math.log(n)
    return size * math.exp(log_size_share(log_n, window)) + slope * math.exp(log_slope_share(log_n, window))


def kept_range(n: float, window: int) -> float:
    """τ + 1 + 2n^(2/3): some good subsample has n symbols up to this. The printed n^(1/3) is too narrow (ERR-E1)."""
    return window + 1 + 2 * float(n ** (2 / 3))
