"""Twenty tasks of learning a program, and what `lw.learn` finds: the table of docs/explanation/atlas.md.

They are of the kinds of the benchmark of Jiang, Hague, Rümmer and Lin (2026, Synthesis and Verification of Transformer
Programs): regular, counting and context-free languages. They were written down before any of them was tried.
"""

from __future__ import annotations

from time import process_time

import lengthwise as lw
from lengthwise.crasp import parse


def counting(condition: str, symbols: str = "ab") -> lw.crasp.Program:
    """A program of one line."""
    return parse(f"alphabet {' '.join(map(repr, symbols))}\nY = {condition}".replace("'", '"'))


TASKS: list[tuple[str, object, str | None]] = [
    ("contains b", "(a|b)*b(a|b)*", None),
    ("`a*b*`", "a*b*", None),
    ("contains ab, scattered", "(a|b)*a(a|b)*b(a|b)*", None),
    ("contains bb", "(a|b)*bb(a|b)*", None),
    ("ends with abb", "(a|b)*abb", None),
    ("exactly two a", "b*ab*ab*", None),
    ("at most one b", "a*(b|())a*", None),
    ("first and last symbol the same", "a|b|a(a|b)*a|b(a|b)*b", None),
    ("three blocks, a b a", "a+b+a+", None),
    ("a and b in turn", "(ab)*", None),
    ("even length, only a", "(aa)*", "ab"),
    ("an even number of a", "(b*ab*a)*b*", None),
    ("D2", "d2", None),
    ("contains abc, three symbols", "(a|b|c)*abc(a|b|c)*", None),
    ("majority", "majority", None),
    ("as many a as b", counting("#'a' == #'b'"), None),
    ("twice as many a as b at least", counting("#'a' >= 2 * #'b'"), None),
    ("the numbers of a and b differ by at most 1", counting("#'a' <= #'b' + 1 && #'b' <= #'a' + 1"), None),
    ("Dyck-1", "dyck1", None),
    ("aⁿbⁿ", counting("#'a' == #'b' && #('a' && #'b' >= 1) == 0"), None),
]


def main() -> None:
    """Learn each and print a table."""
    print("| task | program | complexity | depth | smallest | seconds |\n|---|---|---|---|---|---|")
    solved = 0
    for name, subject, symbols in TASKS:
        start = process_time()
        try:
            found = lw.learn(subject, symbols)
        except lw.LengthwiseError as problem:
            why = "none, as `decide` proves" if "the answer is no" in str(problem) else str(problem)
            print(f"| {name} | {why} | | | | {process_time() - start:.1f} |")
            continue
        solved += 1
        learned = found.learned
        text = str(learned.program).split("\n", 1)[1].strip().removeprefix("Y = ").replace("\n", "; ")
        shown = "that of `decide`" if len(text) > 90 else f"`{text}`".replace("|", "\\|").replace('"', "")
        smallest = "proved" if learned.smallest else "no"
        spent = process_time() - start
        print(f"| {name} | {shown} | {learned.complexity} | {learned.program.depth} | {smallest} | {spent:.1f} |")
    print(f"\n{solved} of {len(TASKS)} solved")


if __name__ == "__main__":
    main()
