"""Names and misspellings: what each is read as, and which verbs can do something with it.

The documentation shows this table (`docs/reference/subjects.md`), and a test compares them.
"""

from dataclasses import dataclass

FILES = {
    "calm.crasp": 'alphabet "a" "b"\nC = # "a" >= # "b"\n',
    "even.dfa": "     a b\n>* e o e\no e o\n",
    "x.att": "0 1 a\n1 0 b\n0\n",
    "mine.py": "def even(word):\n    return len(word) % 2 == 0\n",
    "own.py": '''from lengthwise.tasks import QuestionAnswerTask


class Reverse(QuestionAnswerTask):
    def question(self, rng, length):
        return list(rng.choice(["a", "b"], length))

    def answer(self, question):
        return question[::-1]


class Vote(Reverse):
    program = """
    alphabet "a" "b" "SEP" "EOS"
    lead = # "a" - # "b"
    next "a" = "SEP" && lead >= 0
    next "b" = "SEP" && lead < 0
    next "EOS" = exists[j < i] "SEP" && !"EOS"
    """

    def answer(self, question):
        return "a" if question.count("a") >= question.count("b") else "b"
''',
}
"""Files that some of the names are of."""

VERBS = {
    "run": ("run", "{}", ""),
    "show": ("show", "{}"),
    "check": ("check", "{}"),
    "decide": ("decide", "{}"),
    "compile": ("compile", "{}", "-o", "model.safetensors"),
    "bound": ("bound", "worst-case", "{}"),
    "simulate": ("simulate", "{}", "0101"),
    "verify": ("verify", "{}", "{}"),
    "tasks": ("tasks", "{}"),
    "train": ("train", "{}", "-n", "8", "-t", "8", "--seeds", "1", "--steps", "1", "--set", "optimizer.batch=8",
              "--set", "evaluation.words=2", "--engine", "serial"),
    "search": ("search", "{}", "-n", "8", "--steps", "1", "--layers", "1", "--heads", "1", "--widths", "4",
               "--rates", "0.001", "--set", "optimizer.batch=2", "--set", "evaluation.words=2", "--engine", "serial"),
    "study": ("study", "{}", "--minutes", "0.01", "--seeds", "1", "--engine", "serial"),
}  # fmt: skip
"""The verbs that take a subject, each with a call that takes little time."""

TRAINING = ("train", "search", "study")
"""Those that take seconds."""


@dataclass(frozen=True)
class Name:
    """A text that stands for something."""

    text: str
    meaning: str
    works: str
    """The verbs, of those that are quick, that end with 0 (or with 1, a negative answer); the others end with 2."""
    alphabet: str | None = None


PROGRAM = "run show check decide compile verify tasks"
"""What works with a program that accepts."""
LANGUAGE = "run show decide compile verify tasks"
"""What works with a language that has a program."""
NO_PROGRAM = "run show decide verify tasks"
"""What works with a language that has none."""

NAMES = [
    Name("majority", "library program majority over {0, 1}", PROGRAM),
    Name("program:majority", "library program majority over {0, 1}", PROGRAM),
    Name("dyck1", "library program dyck1 over {(, )}", PROGRAM),
    Name("contains-ab", "library program contains-ab over {a, b}", PROGRAM),
    Name("scattered:ab", "library program scattered:ab over {a, b, …}", PROGRAM),
    Name("tomita-4", "library program and language tomita-4 over {0, 1}", PROGRAM),
    Name("d3", "library program and language d3 over {a, b}", PROGRAM),
    Name("d:5", "library program and language d:5 over {a, b}", PROGRAM),
    Name("aa-star", "library program and language aa-star over {a, b}", PROGRAM),
    Name("program:d2", "library program d2 over {a, b}", PROGRAM),
    Name("language:d2", "language d2 over {a, b}", LANGUAGE),
    Name("tomita-3", "language tomita-3 over {0, 1}", NO_PROGRAM),
    Name("parity", "language parity over {a, b}", NO_PROGRAM),
    Name("(ab)*", "regex over {a, b}", LANGUAGE),
    Name("regex:ab", "regex over {a, b}", LANGUAGE),
    Name("~((ab)*)", "regex over {a, b}", LANGUAGE),
    Name("(a*b*)-((ab)*)", "regex over {a, b}", LANGUAGE),
    Name("a.", "regex over {a, b}", LANGUAGE, "a,b"),
    Name("sort", "library program sort over {1, 2, 3, 4, 5, SEP, END}", PROGRAM),
    Name("task:sort", "task sort", PROGRAM),
    Name("task:majority", "task majority", "show check decide compile tasks"),
    Name("copy-unique", "task copy-unique", "show check decide compile tasks"),
    Name("task:parity", "task parity", "decide tasks"),
    Name("addition", "task addition", "decide tasks"),
    Name("task:addition", "task addition", "decide tasks"),
    Name("simple-task", "task simple-task", "bound simulate tasks"),
    Name("task:simple-task", "task simple-task", "bound simulate tasks"),
    Name("reversal", "task reversal", "tasks"),
    Name("calm.crasp", "C-RASP program calm.crasp over {a, b}", PROGRAM),
    Name("file:calm.crasp", "C-RASP program calm.crasp over {a, b}", PROGRAM),
    Name("even.dfa", "automaton even.dfa with 2 states over {a, b}", NO_PROGRAM),
    Name("automaton:even.dfa", "automaton even.dfa with 2 states over {a, b}", NO_PROGRAM),
    Name("x.att", "automaton x.att with 3 states over {a, b}", LANGUAGE),
    Name("own.py:Reverse", "task Reverse of own.py", "tasks"),
    Name("own.py:Vote", "task Vote of own.py", "show check decide compile tasks"),
    Name("mine.py:even", "predicate even of mine.py over {a, b}, automaton checked to length 14", LANGUAGE, "ab"),
]

NOTHING = "there is no program, language or task "
MISSPELT = {
    "parrity": f"{NOTHING}'parrity'; did you mean parity",
    "Majority": f"{NOTHING}'Majority'; did you mean majority?",
    "dyck2": f"{NOTHING}'dyck2'; did you mean dyck1?",
    "Tomita-3": f"{NOTHING}'Tomita-3'; did you mean tomita-3?",
    "a^n b^n": f"{NOTHING}'a^n b^n'; did you mean anbncn? If a regex is meant, write 'regex:a^n b^n'",
    "w#w": f"{NOTHING}'w#w'; `lengthwise library` and `lengthwise tasks` list the names",
    "reversall": f"{NOTHING}'reversall'; did you mean reversal?",
    "simpletask": f"{NOTHING}'simpletask'; did you mean simple-task?",
    "copy-uniqe": f"{NOTHING}'copy-uniqe'; did you mean copy-unique?",
    "ab": f"{NOTHING}'ab'; `lengthwise library` and `lengthwise tasks` list the names; if a regex is meant, write",
    "sorrt:5": f"{NOTHING}'sorrt:5'; did you mean sort",
    "peicewise:ab | c": f"{NOTHING}'peicewise:ab | c'; did you mean piecewise:",
    "d:x": "a whole number belongs behind the colon, as in d:5, not 'x'",
    "task:sorrt": "there is no task 'sorrt'; did you mean task:sort?",
    "language:tomita-9": "there is no language 'tomita-9'; did you mean",
    "program:majorty": "there is no file 'majorty', and there is no library program 'majorty'; did you mean majority",
    "missing.crasp": "the file missing.crasp does not exist",
    "some/where": "the file some/where does not exist",
    "file:missing.dfa": "the file missing.dfa does not exist",
    "mine.py": "mine.py is a Python file; name a task or a predicate in it, as in mine.py:Name",
    "own.py:Reversal": "own.py has no 'Reversal'; it has Reverse, Vote",
    "missing.py:Reverse": "the file missing.py does not exist; give a Python file and a task or a predicate in it",
    "(ab": "regex, column 1: this '(' is not closed",
    "a&b": "regex, column 2: '&'",
    "": "the subject is empty",
}  # fmt: skip
"""Texts that stand for nothing, and how the message begins."""
