"""What the templates show, computed: sentences, rows and drawings of a study."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from lengthwise.crasp import Program
from lengthwise.crasp.showing import trace_html
from lengthwise.regular import Answer
from lengthwise.study.expectation import expected
from lengthwise.study.outcome import BAD, GOOD, HOLDS, Finding, decisive, failing, seeds_needed
from lengthwise.study.page.chart import Chart, inline_svg
from lengthwise.study.page.chart_scores import label
from lengthwise.study.page.heat_map import HeatMap, heat_maps
from lengthwise.study.page.mistakes import ShownMistake, shown_mistakes
from lengthwise.study.page.numbers import Column, NumberCell, Settings, facts, number_columns, number_rows, settings_of
from lengthwise.study.page.witness import MarkedAutomaton, marked_automata, sentences
from lengthwise.study.training_lengths import ERROR
from lengthwise.study.wording import capitalised, decimals, listed, number, percent, spelled

if TYPE_CHECKING:
    from lengthwise.models import LengthScore
    from lengthwise.study.result import Study

LONG_PROGRAM = 24
"""Statements from which on a program is folded up."""
POSITIONS = {
    "none": "no positional encoding",
    "learned": "learned absolute positions, shifted by a random offset in training",
    "periodic": "periodic absolute positions",
    "relative": "a learned number for each distance within a window, added to the attention logits",
    "rope": "rotary positions",
    "alibi": "a penalty on attention logits that grows with the distance",
    "randomized": "absolute positions drawn at random, in order",
}
PROGRAM_QUESTION = (
    "Is there one program that is right on inputs of every length, with no more position information than the scheme "
    "has? If so, a transformer that learns it on short inputs is expected to work on long ones."
)
NUMBER_QUESTION = (
    "Is there one limit transformer, a transformer for inputs of every length, that computes it with no more position "
    "information than the scheme has? If so, a transformer that learns it on short inputs is expected to work on long "
    "ones."
)


@dataclass(frozen=True)
class AnswerRow:
    """A scheme in the table that the page begins with."""

    name: str
    words: str
    verdict: str
    outcome: str
    colour: str
    """The class of the outcome's badge: `generalizes`, `partly`, `fails` or `undecided`."""
    trained: str
    how_far: str
    how_far_note: str
    agreement: str


@dataclass(frozen=True)
class VerdictRow:
    """The answer for a scheme, with its reason."""

    name: str
    about: str
    kind: str
    sentence: str


def view(study: Study, prefix: str = "") -> View:
    """What the templates need of a study; names of elements begin with the prefix."""
    return View(study, prefix)


@dataclass(frozen=True)
class View:
    """A study as the templates see it."""

    study: Study
    prefix: str

    # ------------------------------------------------------------------------------------------------- the answer

    @property
    def about(self) -> str:
        """What the subject is, in a sentence or two."""
        subject = self.study.subject
        said = ". ".join(capitalised(each) for each in (subject.kind, subject.description) if each)
        return f"{said}." if said else ""

    @property
    def symbols(self) -> str:
        """The alphabet; the first symbols of a large one."""
        symbols = self.study.subject.task.alphabet.symbols
        shown = ", ".join(symbols[:12])
        return shown if len(symbols) <= 12 else f"{shown}, … ({len(symbols)} symbols)"

    @cached_property
    def answers(self) -> tuple[AnswerRow, ...]:
        """A row for each scheme."""
        return tuple(self._answer(key, found) for key, found in self.study.findings.items())

    def _answer(self, key: str, found: Finding) -> AnswerRow:
        measured = self.study.measured[key]
        trained = decisive(measured)
        outcome, colour = found.outcome, str(found.outcome)
        told: str = outcome
        if outcome == "generalizes" and not found.unanimous:
            told, colour = f"generalizes, {found.seeds_good} of {found.seeds} seeds", "partly"
        if not found.learned:
            told = "not learned" if found.train_length is not None else "not trained"
        seeds = f"{spelled(found.seeds)} seed{'' if found.seeds == 1 else 's'}"
        low, high = found.how_far_range
        spread = "" if low == high else f"seeds: {_or_none(low)} to {_or_none(high)}"
        if low == high and found.seeds:
            spread = f"below {percent(HOLDS)} even at N" if found.how_far is None else "all seeds"
        return AnswerRow(
            found.name,
            measured.scheme.words,
            found.verdict,
            told,
            colour,
            "" if trained is None else f"N = {trained.train_length:,}, model {trained.model}, {seeds}",
            "–" if found.how_far is None else label(found),
            spread,
            found.agreement,
        )

    # ----------------------------------------------------------------------------------------------- measurements

    @cached_property
    def heat_maps(self) -> tuple[HeatMap, ...]:
        """The heat maps."""
        return heat_maps(self.study)

    def drawings(self, kind: str) -> tuple[tuple[Chart, str], ...]:
        """The charts of a kind, with their SVG."""
        return tuple((each, svg) for each, svg in self._drawn if each.kind == kind)

    @cached_property
    def _drawn(self) -> tuple[tuple[Chart, str], ...]:
        # Heat maps are tables on the page.
        return tuple((each, inline_svg(each, self.prefix)) for each in self.study.charts if each.kind != "heat-map")

    @property
    def introduction(self) -> str:
        """How many models were trained, and how."""
        known = self.study.provenance
        schemes = listed(
            [
                f"{each.scheme.name} ({POSITIONS.get(each.scheme.position, each.scheme.words)})"
                for each in self.study.measured.values()
            ]
        )
        missing = "" if known["trained"] == known["models"] else f" of {known['models']}"
        goals = f", and {known['reached_stop']} of them reached {' or '.join(known['stops'])}" if known["stops"] else ""
        seeds = f"{spelled(len(known['seeds']))} seed{'' if len(known['seeds']) == 1 else 's'}"
        trained = [each for measured in self.study.measured.values() for each in measured.known]
        fewer = min((len(each.seeds) for each in trained), default=0) < len(known["seeds"])
        except_for = ", or one where it did not learn" if fewer and not missing else ""
        return (
            f"{known['trained']}{missing} small transformers were trained{goals}: {schemes}, with {seeds} for each "
            f"training length N{except_for}. They saw only words of up to N symbols and were then tested on longer "
            "ones."
        )

    @property
    def right(self) -> str:
        """When a word counts as right."""
        first = next(iter(self.study.measured.values()), None)
        if first is None or first.measure != "accuracy":
            return (
                "The variance explained is 1 − loss / variance of the targets: 100 % for a model that is always right, "
                "0 % for one that always says the mean, and below 0 for one that is worse than that."
            )
        if first.answered == "the end":
            return (
                "A word counts as right if the answer at its end is right; the models were trained on the answers for "
                "all its prefixes."
            )
        return "A word counts as right if every position of it is right."

    @property
    def binned(self) -> str:
        """What a test length stands for, if it is more than itself."""
        every = [at for each in self.study.measured.values() for trained in each.known for at in trained.lengths]
        if not any(at.shortest < at.test_length for at in every):
            return ""
        return " A test length stands for all lengths above the one before it."

    @property
    def share(self) -> str:
        """What 95 % are of."""
        return "of the words right" if self.per_position else "of the variance explained"

    @property
    def levels(self) -> str:
        """What the dotted lines of charts are."""
        first = next(iter(self.study.measured.values()), None)
        bad = BAD if first is None else failing(first)
        hollow = " Hollow markers: some seeds did not reach the goal of training." if self._missed else ""
        return (
            "Lines: the median over seeds of each training length N, in a band from the lowest to the highest seed. "
            f"Dotted: the rule, {percent(GOOD)} is needed at 2N, and up to {percent(bad)} at 3N is failing.{hollow}"
        )

    @property
    def _missed(self) -> bool:
        return any(each.missed for found in self.study.measured.values() for each in found.known)

    @cached_property
    def attempts(self) -> tuple[tuple[str, ...], ...]:
        """Every model that was tried: scheme, training length, model, score, whether it learned, steps."""
        return tuple(
            (
                found.scheme.name,
                f"{each.train_length:,}",
                each.model,
                percent(each.lengths[0].score) if each.lengths else "–",
                "yes" if each.learned else "no" if each.lengths else "not trained",
                _range(each.steps),
            )
            for found in self.study.measured.values()
            for each in found.attempts
        )

    @property
    def given_head(self) -> tuple[str, ...]:
        """The head of the table of models that were given."""
        return ("model", *(f"{each.length:,}" for each in self.study.scored[0].results))

    @property
    def given(self) -> tuple[tuple[str, ...], ...]:
        """Models that were given, with a score for each length."""
        return tuple((f"{each.model} ({each.title})", *map(_score, each.results)) for each in self.study.scored)

    @cached_property
    def mistakes(self) -> tuple[ShownMistake, ...]:
        """A mistake of each scheme."""
        return shown_mistakes(self.study)

    # ------------------------------------------------------------------------------------------------ the verdict

    @property
    def question(self) -> str:
        """What the verdict decides."""
        return NUMBER_QUESTION if self.study.evaluated else PROGRAM_QUESTION

    @property
    def verdicts(self) -> Iterator[VerdictRow]:
        """The answer for each scheme."""
        for scheme in self.study.schemes:
            found = expected(self.study.verdict, scheme.key)
            # C-RASP speaks of yes and no; where numbers are computed, the words for the schemes have to do.
            about = scheme.words if self.study.evaluated or scheme.programs is None else scheme.programs
            yield VerdictRow(scheme.name, about, found.kind, _sentence(found))

    @cached_property
    def trace(self) -> tuple[str, str]:
        """The style of a trace and its table; nothing where there is no program."""
        if self.study.trace is None:
            return "", ""
        return trace_html.style(), trace_html.table(self.study.trace)

    @property
    def trace_style(self) -> str:
        """The style sheet of traces."""
        return self.trace[0]

    @property
    def long_program(self) -> bool:
        """Whether the program is folded up."""
        program: Program | None = self.study.program
        return program is not None and len(program.statements) > LONG_PROGRAM

    @cached_property
    def automata(self) -> tuple[tuple[MarkedAutomaton, ...], str]:
        """The automaton with witnesses, and why it is not drawn."""
        return marked_automata(self.study)

    @property
    def other_witnesses(self) -> Iterator[tuple[str, tuple[str, ...]]]:
        """Witnesses that are not about the automaton that is drawn: for whom, and the argument line by line."""
        told = {each.argument for each in self.automata[0]}
        for scheme in self.study.schemes:
            witness = expected(self.study.verdict, scheme.key).witness
            if witness is not None and (said := sentences(witness.explain())) not in told:
                told.add(said)
                yield scheme.words, said

    @property
    def evaluated(self) -> tuple[tuple[str, str, str, str], ...]:
        """What the limit transformer says on a few words."""
        return tuple(
            (each.word, decimals(each.target), decimals(each.output), number(each.error_bound))
            for each in self.study.evaluated
        )

    # ------------------------------------------------------------------------------------- bounds, rule, the rest

    @property
    def bounds_question(self) -> str:
        """What promised lengths are about."""
        if self.study.bounds.error is None:
            return (
                "From which training length on do short words leave no choice? For a learner that takes a simplest "
                "program which is right on them, from the identification length on."
            )
        return (
            "How long must training inputs be, so that a model that agrees with the limit transformer on all of them "
            f"is off by at most {ERROR:g} more on every input of any length? An error of {ERROR:g} is a loss of "
            f"{number(ERROR**2)}."
        )

    @property
    def how_sure(self) -> str:
        """How many words and seeds the rule takes."""
        words = min(self.study.provenance["test_words"], default=0) if self.per_position else 0
        seeds = self.study.plan.request.seeds
        near, far = seeds_needed(0.9, 0.1), seeds_needed(0.8, 0.2)
        said = ""
        if words:
            off = 196 * math.sqrt(GOOD * (1 - GOOD) / words)
            said = (
                f"With {words:,} words at each length, a share of {percent(GOOD)} is off by more than {off:.1f} points "
                "in one of twenty studies. Words are not what limits this: seeds differ more. "
            )
        return (
            f"{said}The median over seeds tells a task on which nine of ten seeds generalize from one on which one of "
            f"ten does with 95 % probability from {spelled(near)} seeds on, and four of five from one of five from "
            f"{spelled(far)} seeds on. This study has {spelled(seeds)}."
        )

    @property
    def columns(self) -> tuple[Column, ...]:
        """Of the table of all numbers."""
        return number_columns(self.study)

    @property
    def per_position(self) -> bool:
        """Whether single predictions were scored."""
        return all(each.measure == "accuracy" for each in self.study.measured.values())

    @property
    def numbers(self) -> tuple[tuple[NumberCell, ...], ...]:
        """The rows of the table of all numbers."""
        return number_rows(self.study)

    @property
    def facts(self) -> tuple[tuple[str, str], ...]:
        """What the report was made with."""
        return tuple(facts(self.study.provenance))

    @cached_property
    def settings(self) -> Settings:
        """The settings of all models."""
        return settings_of(self.study)


def _sentence(answer: Answer) -> str:
    said = f"{capitalised(answer.reason)}."
    if answer.kind == "yes" and answer.checked_to is not None and not answer.proved:
        said += f" The program was compared on every input of up to {answer.checked_to} symbols."
    return said


def _score(each: LengthScore) -> str:
    """A score in a cell."""
    if each.problem is not None:
        return "refused"
    return f"{each.accuracy:.1%}" if each.accuracy is not None else f"{each.loss:.3g}"


def _or_none(length: int | None) -> str:
    return "none" if length is None else f"{length:,}"


def _range(values: tuple[int, ...]) -> str:
    if not values:
        return "–"
    return f"{values[0]:,}" if len(set(values)) == 1 else f"{min(values):,}–{max(values):,}"
