"""Numbers and lists in words, as they stand in sentences and cells of a report."""

from __future__ import annotations

import math
from collections.abc import Sequence

from lengthwise.drawing.labels import power

SMALL = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")


def percent(share: float) -> str:
    """A share as a percentage: whole where it is, else to a tenth, and never rounded to 0 or 100 if it is not."""
    if not math.isfinite(share):
        return "−∞" if share < 0 else "∞"
    if share < 0:
        return "below 0 %"
    hundredths = 100 * share
    rounded = round(hundredths, 1)
    if rounded == 100 and share < 1:
        return "over 99.9 %"
    if rounded == 0 and share > 0:
        return "under 0.1 %"
    return f"{rounded:.1f}".removesuffix(".0") + " %"


def number(value: float) -> str:
    """A loss to two digits: 0.013, 3.1·10⁻⁶."""
    if math.isnan(value):
        return "diverged"
    return power(float(f"{value:.2g}")) if math.isfinite(value) else "∞"


def spelled(count: int) -> str:
    """A count in words if it is small."""
    return SMALL[count] if 0 <= count < len(SMALL) else f"{count:,}"


def listed(parts: Sequence[str], last: str = "and") -> str:
    """Parts with commas between and a word before the last."""
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} {last} {parts[-1]}" if parts else ""


def capitalised(text: str) -> str:
    """A phrase as the beginning of a sentence; a formula such as sin(ω) stays as it is."""
    first = text.split(" ", 1)[0].rstrip(":,;")
    return f"{text[0].upper()}{text[1:]}" if first.isalpha() else text


def decimals(values: Sequence[float]) -> str:
    """Numbers with four decimals."""
    return ", ".join(f"{value:.4f}".replace("-", "−") for value in values)
