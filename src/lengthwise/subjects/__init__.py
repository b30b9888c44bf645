"""What a text or an object stands for: the only place that knows what a name means.

    regex:(ab)*        a regex; any text with an operator of regexes in it is one without the prefix
    program:majority   a library program, or a file with a program
    language:tomita-3  a language of the catalogue
    task:sort          a registered task; `task:` may be left out where nothing else has the name
    file:x.dfa         a file; one that exists, or that ends as such files do, needs no prefix
    mine.py:Name       a task class of a Python file, a task in it, or a function that is registered as one
    mine.py:f          a Python predicate, a function from words to Booleans; it needs an alphabet

A library program and a language of one name are one subject if they are in `EQUAL`, whose entries the tests prove. Any
other name with two meanings is refused, and so is a word that has none: it is never taken for a regex.
"""

from lengthwise.subjects.making import as_symbols, both, task_of, with_parameters
from lengthwise.subjects.names import describe, kind_of, names
from lengthwise.subjects.subject import Subject

__all__ = ["Subject", "as_symbols", "both", "describe", "kind_of", "names", "task_of", "with_parameters"]
