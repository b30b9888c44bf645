"""Languages given as Python predicates: the automaton that agrees with a function on all words that were tried.

What is found is checked to a length and never proved: a function can do anything on longer words.
"""

from lengthwise.regular.languages.learning.learned import Learned, NotLearnedError, learned_automaton
from lengthwise.regular.languages.learning.predicates import Predicate, PredicateError, load_predicate
from lengthwise.user_code import file_and_name as predicate_parts

__all__ = [
    "Learned",
    "NotLearnedError",
    "Predicate",
    "PredicateError",
    "learned_automaton",
    "load_predicate",
    "predicate_parts",
]
