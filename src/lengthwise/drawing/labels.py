"""Settings and numbers in words: "frequency ω", "N = 16", "10⁻⁵"."""

from __future__ import annotations

import math
from typing import Any

NAMES = {
    "train_length": ("training length", "N"),
    "parameters.omega": ("frequency", "ω"),
    "parameters.period": ("period", "Δ"),
    "parameters.residue": ("residue", "k"),
    "parameters.alphabet_size": ("alphabet size", "S"),
    "parameters.context": ("context", "k − 1"),
    "parameters.most": ("most relevant bits in training", "K"),
    "evaluation.parameters.most": ("relevant bits in tests", "k"),
    "model.width": ("width", "d"),
    "model.hidden": ("hidden units", "h"),
}
"""What settings are called, and the papers' symbols for them."""
RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def words(setting: str) -> str:
    """A setting in words, without its symbol."""
    return NAMES[setting][0] if setting in NAMES else setting.rpartition(".")[2].replace("_", " ")


def symbol(setting: str) -> str:
    """What stands for a setting in formulas: its symbol, or else its name in words."""
    return NAMES[setting][1] if setting in NAMES else words(setting)


def label(setting: str) -> str:
    """A setting in words and as a symbol."""
    return " ".join(dict.fromkeys([words(setting), symbol(setting)]))


def value(given: Any) -> str:
    """A value of a setting."""
    if isinstance(given, bool) or not isinstance(given, int | float):
        return str(given)
    return f"{given:g}" if abs(given) < 1e6 else power(given)


def equation(setting: str, given: Any) -> str:
    """That a setting has a value."""
    return together(f"{symbol(setting)} = {value(given)}")


def together(text: str) -> str:
    """The text with equations that are not broken at the end of a line."""
    return text.replace(" = ", "\u00a0=\u00a0")


def power(number: float) -> str:
    """A positive number as people write it: 0.01, 1000, 10⁵, 3·10⁻⁷."""
    if not 0 < number < math.inf or 1e-3 <= number < 1e4:
        return f"{number:g}"
    factor, _, exponent = f"{number:.2e}".partition("e")
    raised = f"10{str(int(exponent)).translate(RAISED)}"
    factor = factor.rstrip("0").rstrip(".")
    return raised if factor == "1" else f"{factor}·{raised}"
