"""Which regular languages recurrent and state-space models of finite precision recognise at all lengths.

- Recurrent networks, LSTMs among them, hold any finite automaton in their state: all regular languages.
- Diagonal state-space models whose gates are not negative: the star-free languages, and no other regular ones, however
  many layers there are (Sarrof et al., 2024). A gate of one sign cannot count modulo a number.

As with the verdicts on C-RASP, a yes says that weights exist, not that training finds them, nor at which length.
"""

from __future__ import annotations

from lengthwise.regular.algebra.classes import classify
from lengthwise.regular.algebra.monoid import MonoidLimitError
from lengthwise.regular.languages.language import Language


def recurrent_verdicts(language: Language) -> dict[str, str]:
    """What theorems say about models other than transformers on a regular language.

    Args:
        language: The language.

    Returns:
        `yes`, `no`, or `unknown` if the syntactic monoid is too large to look at, for `recurrent` networks and for
        `state_space` models with gates that are not negative.

    Example:
        >>> recurrent_verdicts(Language.from_regex("(aa)*"))
        {'recurrent': 'yes', 'state_space': 'no'}

    """
    try:
        star_free = "yes" if classify(language.automaton).star_free else "no"
    except MonoidLimitError:
        star_free = "unknown"
    return {"recurrent": "yes", "state_space": star_free}
