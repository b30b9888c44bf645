"""Regular languages: regex and automata, their syntactic monoid and classes, and whether C-RASP can express them.

`decide` answers for C-RASP[∅], [local] and [periodic, local] with a proved program or a re-checked witness; `verify`
compares any two of program, regex and automaton at every length.
"""

from lengthwise.regular.algorithmic import decide_task, task_names
from lengthwise.regular.att_files import automaton_from_att, to_att, to_symbol_table
from lengthwise.regular.automaton import Automaton
from lengthwise.regular.budget import Budget
from lengthwise.regular.catalogue import get_language, languages
from lengthwise.regular.classes import Classes, classify
from lengthwise.regular.decide import decide, decide_automaton, with_minimal_programs
from lengthwise.regular.dfa_files import read_automaton
from lengthwise.regular.from_program import automaton_of
from lengthwise.regular.language import Language
from lengthwise.regular.learning import Learned, learned_automaton, load_predicate
from lengthwise.regular.minimise import minimise
from lengthwise.regular.prover import Comparison, compare
from lengthwise.regular.verdict import Answer, Verdict, Witness
from lengthwise.regular.verify import verify

__all__ = [
    "Answer",
    "Automaton",
    "Budget",
    "Classes",
    "Comparison",
    "Language",
    "Learned",
    "Verdict",
    "Witness",
    "automaton_from_att",
    "automaton_of",
    "classify",
    "compare",
    "decide",
    "decide_automaton",
    "decide_task",
    "get_language",
    "languages",
    "learned_automaton",
    "load_predicate",
    "minimise",
    "read_automaton",
    "task_names",
    "to_att",
    "to_symbol_table",
    "verify",
    "with_minimal_programs",
]
