"""Pairs of programs with phases: what a program counts depends on which letters it has seen.

Letters open phases (`# "c" >= 1`), nest them and close them; a difference of counts that falls and rises before a phase
may only rise or only fall in it. Its value can be far from every threshold when the phase begins and come back much
later, so a search that keeps only what is near a threshold must not forget where such a value was. Comparisons of
counts that stay open for ever (`# "d" >= # "e"`) make exact searches endless. Two programs of a pair are equal by
construction (one is rewritten) or close to it (they differ only in what far words reach, if at all).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from random import Random

from lengthwise.crasp import Program
from lengthwise.crasp.syntax import (
    And,
    Before,
    Compare,
    Count,
    Definition,
    Everywhere,
    Exists,
    Expression,
    Name,
    Not,
    Number,
    Or,
    Periodic,
    Scale,
    Symbol,
    Truth,
    Window,
    total,
    walk,
)
from tests.regular.rewriting import rewritten

LETTERS = ("a", "b", "c", "d", "e", "f")
SMALL, MIDDLE, LARGE = (4, 12), (13, 60), (61, 200)
"""Thresholds, most of them small: configurations grow with their product."""
KINDS = ("more", "fewer", "impossible", "implied", "nothing", "moved", "weaker", "rewritten")
"""How the second program of a pair comes from the first."""
EQUAL_KINDS = frozenset({"impossible", "implied", "rewritten"})
"""Those that keep the language."""


@dataclass(frozen=True)
class Pair:
    """Two programs over one alphabet."""

    left: Program
    right: Program
    kind: str
    """How the second one was made."""
    equal: bool
    """Whether they are equal by construction; if not, they may still be."""
    runs: tuple[str, ...] = ()
    """Letters of which long runs matter; none if that is not known."""


def phase_pair(rng: Random) -> Pair:
    """A random pair of programs with phases."""
    return _Writer(rng).pair()


class _Writer:
    """Writes one pair: phases and counts that both programs define, then two conditions."""

    def __init__(self, rng: Random) -> None:
        self.rng = rng
        self.symbols = LETTERS[: rng.choice((2, 3, 3, 4, 4, 5, 6))]
        roles = rng.sample(self.symbols, len(self.symbols))
        self.opener = roles[0]
        """The letter that opens the first phase."""
        self.counted = roles[1:3] if len(roles) > 2 else roles
        """The letters that the forms are about."""
        self.others = roles[3:] or roles
        """The letters left for conditions that stay open."""
        self.definitions: list[Definition] = []
        self.phases: list[Expression] = []
        self.growing: list[Expression] = []
        """Phases that never end."""

    def pair(self) -> Pair:
        rng = self.rng
        for _ in range(rng.choice((1, 1, 1, 2, 2, 3))):
            self._phase()
        self.inside = rng.choice(self.phases)
        self.count = self._define("K", self._term(self.counted[0], self.inside))
        self.form = self._define("F", self._mixed())
        self.size = self._threshold()
        ground = self._ground()
        far = self._far()
        kind = rng.choice(KINDS)
        match kind:
            case "more":
                sides: tuple[Expression, Expression] = ground, Or((ground, far))
            case "fewer":
                sides = ground, And((ground, Not(far)))
            case "impossible":
                sides = ground, Or((ground, self._impossible()))
            case "implied":
                sides = Or((ground, far)), Or((ground, And((far, self._implied()))))
            case "nothing":
                sides = far, Truth(False)
            case "moved":
                sides = Or((ground, far)), Or((ground, self._far()))
            case "weaker":
                parts = far.operands if isinstance(far, And) else (far,)
                kept = [part for part in parts if part is not rng.choice(parts)] or [Truth(True)]
                sides = Or((ground, far)), Or((ground, kept[0] if len(kept) == 1 else And(tuple(kept))))
            case _:
                whole = Or((ground, far))
                sides = whole, whole
        definitions = self.definitions
        changed = definitions
        if kind == "rewritten":
            letters: list[Expression] = [Symbol(symbol) for symbol in self.symbols]
            changed = [
                Definition(one.name, rewritten(one.expression, [*letters, *self._defined_before(one)], rng))
                for one in definitions
            ]
            sides = sides[0], rewritten(sides[1], [*letters, *self.phases], rng, least=1)
        programs = [
            Program((*before, Definition("accept", side)), self.symbols)
            for before, side in zip((definitions, changed), sides, strict=True)
        ]
        if rng.random() < 0.5:
            programs.reverse()
        return Pair(programs[0], programs[1], kind, kind in EQUAL_KINDS, tuple(self.counted))

    # -------------------------------------------------------------------------------------------------- phases

    def _define(self, name: str, expression: Expression) -> Name:
        self.definitions.append(Definition(name, expression))
        return Name(name)

    def _defined_before(self, definition: Definition) -> list[Expression]:
        """The phases that a definition may name."""
        names = [one.name for one in self.definitions[: self.definitions.index(definition)]]
        return [phase for phase in self.phases if isinstance(phase, Name) and phase.name in names]

    def _phase(self) -> None:
        """One more phase: opened by a letter, maybe in another one or after another letter, and maybe closed again."""
        rng = self.rng
        letter = Symbol(self.opener if not self.phases else rng.choice(self.symbols))
        guard = rng.choice((Everywhere(), Before()))
        least = rng.choice((1, 1, 1, 1, 2, 3))
        chance = rng.random()
        opens: Expression = letter
        if self.phases and chance < 0.45:
            inside = rng.choice(self.phases)
            opens = And((letter, rng.choice((inside, inside, Not(inside)))))
        elif chance < 0.55:
            opens = And((letter, Exists(Window((rng.choice((1, 1, 2)),)), Symbol(rng.choice(self.symbols)))))
        elif chance < 0.62:
            modulus = rng.choice((2, 2, 3, 4))
            opens = And((letter, Periodic(modulus, (rng.randrange(modulus),))))
        seen = Compare(Count(guard, opens), ">=", Number(least))
        name = f"seen{len(self.definitions)}" if self.phases else "seen"
        phase = self._define(name, seen)
        self.growing.append(phase)
        if rng.random() < 0.2:  # closes again
            closing: Expression = Compare(Count(guard, opens), ">=", Number(least + rng.randint(1, 3)))
            if len(self.growing) > 1 and rng.random() < 0.5:
                closing = rng.choice(self.growing[:-1])
            phase = self._define(f"{name}_open", And((phase, Not(closing))))
        self.phases.append(phase)

    # --------------------------------------------------------------------------------------------------- forms

    def _threshold(self) -> int:
        chance = self.rng.random()
        low, high = SMALL if chance < 0.8 else MIDDLE if chance < 0.95 else LARGE
        return self.rng.randint(low, high)

    def _term(self, letter: str, phase: Expression | None) -> Expression:
        guard = Before() if self.rng.random() < 0.15 else Everywhere()
        return Count(guard, Symbol(letter) if phase is None else And((Symbol(letter), phase)))

    def _mixed(self) -> Expression:
        """A difference that, once the phase has begun or ended, only rises or only falls."""
        rng = self.rng
        first, second = self.counted[0], self.counted[1]
        outside: Expression = Not(self.inside) if rng.random() < 0.8 else rng.choice(self.phases)
        up = self._term(first, rng.choice((None, None, self.inside)))
        down = self._term(second, outside)
        if rng.random() < 0.25:
            factor = rng.choice((2, 3))
            up, down = (Scale(factor, up), down) if rng.random() < 0.5 else (up, Scale(factor, down))
        terms = [up, down]
        if rng.random() < 0.15:
            terms.append(self._term(rng.choice(self.symbols), rng.choice((None, *self.phases))))
        sign = rng.choice((1, -1))  # the mirror case
        signs = [sign, -sign, rng.choice((1, -1))]
        return total([(1 if one > 0 else -1, term) for one, term in zip(signs, terms, strict=False)])

    # ---------------------------------------------------------------------------------------------- conditions

    def _ground(self) -> Expression:
        """What both programs have in common; most of the time something that no search of exact values settles."""
        rng = self.rng
        chance = rng.random()
        if chance < 0.6:
            return self._open()
        if chance < 0.85:
            return self._side(rng.choice((0, 0, rng.randint(-3, 3))))
        if chance < 0.95:
            return Or((self._open(), self._side(0)))
        return And((self._open(), rng.choice(self.phases)))

    def _open(self) -> Expression:
        """Counts that stay comparable for ever."""
        letters = self.rng.sample(self.others, min(len(self.others), 3))
        if len(letters) == 1:
            letters.append(self.rng.choice([letter for letter in self.symbols if letter != letters[0]]))
        counts = [Count(Everywhere(), Symbol(letter)) for letter in letters]
        parts = [Compare(one, ">=", other) for one, other in pairwise(counts)]
        return parts[0] if len(parts) == 1 else And(tuple(parts))

    def _side(self, threshold: int) -> Expression:
        return Compare(self.form, self.rng.choice(("<", ">=", "<=", ">")), Number(threshold))

    def _far(self) -> Expression:
        """A condition on both forms, which only words with long runs meet."""
        rng = self.rng
        size = max(1, self.size + rng.choice((0, 0, 0, -1, 1)))
        parts: list[Expression] = [Compare(self.count, ">=", Number(size))]
        if rng.random() < 0.9:
            bound = rng.choice((0, 0, 0, 1, -1, rng.randint(-size, size)))
            parts.append(self._side(bound))
        if rng.random() < 0.3:
            parts.append(rng.choice(self.phases))
        if rng.random() < 0.2:
            parts.append(Symbol(rng.choice(self.symbols)))
        if rng.random() < 0.1:
            pair = And((Symbol(rng.choice(self.symbols)), Exists(Window((1,)), Symbol(rng.choice(self.symbols)))))
            parts.append(Compare(Count(Everywhere(), pair), ">=", Number(1)))
        if rng.random() < 0.05:
            parts.append(Periodic(2, (rng.randrange(2),)))
        rng.shuffle(parts)
        return parts[0] if len(parts) == 1 else And(tuple(parts))

    def _implied(self) -> Expression:
        """A condition that every far word meets, since the count in the phase is large there."""
        letter = Count(Everywhere(), Symbol(self.counted[0]))
        choices: list[Expression] = [Compare(letter, ">=", Number(self.size - 1)), Compare(letter, ">=", self.count)]
        if self.inside in self.growing:  # it has begun and never ends
            choices.append(self.inside)
        return self.rng.choice(choices)

    def _impossible(self) -> Expression:
        """A condition that no word meets, though each of its parts is met by some."""
        rng = self.rng
        size = Number(self.size)
        within = Compare(self.count, ">=", size)
        choices: list[tuple[Expression, ...]] = [
            (within, Compare(self.count, "<", size)),
            (within, Compare(Count(Everywhere(), Symbol(self.counted[0])), "<", Number(self.size - rng.randint(0, 1)))),
            (Compare(self.form, ">=", Number(rng.randint(0, 4))), Compare(self.form, "<", Number(-rng.randint(0, 4)))),
        ]
        if self.inside in self.growing:  # what is counted in a phase that never ends needs the phase
            choices.append((within, Not(self.inside)))
            choices.append(
                (Compare(Count(Before(), And((Symbol(self.counted[0]), self.inside))), ">=", size), Not(self.inside))
            )
        return And((*rng.choice(choices), *rng.choice(((), (self._side(0),)))))


def thresholds(programs: Sequence[Program]) -> list[int]:
    """The absolute values of the numbers that programs mention."""
    return sorted(
        {
            abs(node.value)
            for program in programs
            for statement in program.statements
            for node in walk(statement.expression)
            if isinstance(node, Number)
        }
    )
