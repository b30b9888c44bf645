"""Regular languages: regex and automata, their syntactic monoid and classes, and whether C-RASP can express them.

`decide` answers for C-RASP[∅], [local] and [periodic, local] with a proved program or a re-checked witness; `verify`
compares any two of program, regex and automaton at every length.
"""

from lengthwise.regular.algebra.classes import Classes, classify
from lengthwise.regular.algorithmic.decide import decide_task, task_names
from lengthwise.regular.deciding.budget import Budget
from lengthwise.regular.deciding.decide import decide, decide_automaton, with_minimal_programs
from lengthwise.regular.deciding.verdict import Answer, Verdict, Witness
from lengthwise.regular.languages.att_files import automaton_from_att, to_att, to_symbol_table
from lengthwise.regular.languages.automaton import Automaton
from lengthwise.regular.languages.catalogue import get_language, languages
from lengthwise.regular.languages.dfa_files import read_automaton
from lengthwise.regular.languages.from_program import automaton_of
from lengthwise.regular.languages.language import Language
from lengthwise.regular.languages.learning import Learned, NotLearnedError, learned_automaton, load_predicate
from lengthwise.regular.proofs import Proof, ProofError, proofs_as_json, proofs_from_json
from lengthwise.regular.prover import Comparison, compare
from lengthwise.regular.prover.comparison import verify
from lengthwise.regular.synthesis.minimise import minimise

__all__ = [
    "Answer",
    "Automaton",
    "Budget",
    "Classes",
    "Comparison",
    "Language",
    "Learned",
    "NotLearnedError",
    "Proof",
    "ProofError",
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
    "proofs_as_json",
    "proofs_from_json",
    "read_automaton",
    "task_names",
    "to_att",
    "to_symbol_table",
    "verify",
    "with_minimal_programs",
]
