"""Theorem 2: C-RASP[periodic, local] and C-RASP[local], decided on a finite graph over the stable semigroup.

Let η be the transition morphism, s the stability index and S = η(Σˢ). The graph has a node (q, e) for every idempotent
e of S and every state q with q·e = q, and an edge from (q, e) to (q·x, f) under the label (e, x, f) for every x ∈ eSf.
The language is in C-RASP[periodic, local] iff refinement, with e as the initial class of (q, e), separates (q, e) from
(q', e) for all q ≠ q' of one component. C-RASP[local] is the same with S = η(Σ⁺).

One idempotent of each D-class is enough.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from lengthwise.regular.algebra.monoid import MonoidLimitError, Semigroup, TransitionMonoid, plain, stable
from lengthwise.regular.deciding.budget import Budget
from lengthwise.regular.deciding.fast_no import fast_no
from lengthwise.regular.deciding.machine import Machine, machine
from lengthwise.regular.deciding.refine import Edge, Refinement, refine
from lengthwise.regular.deciding.verdict import Kind
from lengthwise.regular.languages.automaton import Automaton, components
from lengthwise.regular.witnesses.kinds import FlipFlop, Group
from lengthwise.resources import LimitError, check_time

FEW_STATES = 12
"""With more states the words of a witness on pairs of states are short enough."""
FEW_ELEMENTS = 300
"""In monoids up to this size a witness with shorter words is looked for, although one is known."""


@dataclass(frozen=True)
class ArrowGraph:
    """The graph of Theorem 2; labels are numbers of arrows (e, x, f)."""

    nodes: list[tuple[int, int]]
    """(state, idempotent)."""
    arrows: list[tuple[int, int, int]]
    edges: list[Edge]


@dataclass(frozen=True)
class Unseparated:
    """A component of the graph in which refinement does not separate all nodes."""

    graph: ArrowGraph
    component: list[int]
    edges: list[Edge]
    refinement: Refinement


@dataclass(frozen=True)
class SemigroupDecision:
    """The answer, and for no the component that shows it."""

    kind: Kind
    machine: Machine
    semigroup: Semigroup | None
    unseparated: Unseparated | None
    cap: str = ""
    """For unknown: which cap was hit."""
    witness: Group | FlipFlop | None = None
    """For no: a witness, if it was found on pairs of states alone."""


def decide_ape(automaton: Automaton, budget: Budget | None = None) -> SemigroupDecision:
    """Whether the language of an automaton is in C-RASP[periodic, local] (`last` and `eos` coincide)."""
    return decide_semigroup(machine(automaton, "last"), True, budget or Budget())


def decide_local(automaton: Automaton, budget: Budget | None = None) -> SemigroupDecision:
    """Whether the language of an automaton is in C-RASP[local] (`last` and `eos` coincide)."""
    return decide_semigroup(machine(automaton, "last"), False, budget or Budget())


def transition_monoid(wanted: Machine, budget: Budget) -> TransitionMonoid:
    """The transition monoid of a machine, within the budget."""
    fits = max(1, budget.memory // (8 * max(256, len(wanted))))
    try:
        return TransitionMonoid(Automaton(wanted.symbols, wanted.table, 0, frozenset()), min(budget.monoid, fits))
    except MonoidLimitError:
        raise budget.exceeded("monoid" if budget.monoid <= fits else "memory") from None


def decide_semigroup(wanted: Machine, periodic: bool, budget: Budget) -> SemigroupDecision:
    """The decision over the stable semigroup (periodic) or over S₊.

    The monoid of a machine may be huge, so flip-flops and parity are looked for on pairs of states first. (A witness
    against windows and periods is one against windows, too.)
    """
    try:
        witness = fast_no(wanted, budget)
    except LimitError as problem:
        return SemigroupDecision("unknown", wanted, None, None, str(problem))
    if witness is not None and len(wanted) <= FEW_STATES:
        decision = _over_semigroup(wanted, periodic, replace(budget, monoid=min(FEW_ELEMENTS, budget.monoid)))
        return decision if decision.kind == "no" else SemigroupDecision("no", wanted, None, None, witness=witness)
    if witness is not None:
        return SemigroupDecision("no", wanted, None, None, witness=witness)
    return _over_semigroup(wanted, periodic, budget)


def _over_semigroup(wanted: Machine, periodic: bool, budget: Budget) -> SemigroupDecision:
    try:
        monoid = transition_monoid(wanted, budget)
        semigroup = stable(monoid) if periodic else plain(monoid)
        failed = _unseparated(semigroup, wanted, budget)
    except LimitError as problem:
        return SemigroupDecision("unknown", wanted, None, None, str(problem))
    return SemigroupDecision("yes" if failed is None else "no", wanted, semigroup, failed)


def _unseparated(semigroup: Semigroup, wanted: Machine, budget: Budget) -> Unseparated | None:
    where = {state: number for number, component in enumerate(wanted.components) for state in component}
    if len(wanted.components) == len(wanted):
        return None  # no two states of one component: nothing to separate
    graph = arrow_graph(semigroup, len(wanted), budget)
    successors: list[list[int]] = [[] for _ in graph.nodes]
    for source, _, target in graph.edges:
        if where[graph.nodes[source][0]] == where[graph.nodes[target][0]]:
            successors[source].append(target)
    for component in components([sorted(set(targets)) for targets in successors]):
        if len({graph.nodes[node][1] for node in component}) == len(component):
            continue
        budget.check()
        place = {node: number for number, node in enumerate(component)}
        edges = [
            (place[source], label, place[target])
            for source, label, target in graph.edges
            if source in place and target in place
        ]
        refinement = refine(len(component), edges, [graph.nodes[node][1] for node in component])
        if not refinement.separates_all:
            return Unseparated(graph, component, edges, refinement)
    return None


def arrow_graph(semigroup: Semigroup, states: int, budget: Budget) -> ArrowGraph:
    """The graph over one idempotent of each D-class."""
    monoid = semigroup.monoid
    actions, multiply = monoid.actions, monoid.multiply
    chosen: list[int] = []
    left: dict[int, list[int]] = {}
    rank = {e: len(set(actions[e][:states])) for e in semigroup.idempotents}
    hom: dict[tuple[int, int], list[int]] = {}

    def arrows_between(e: int, f: int) -> list[int]:
        if e not in left:
            left[e] = sorted({multiply(e, x) for x in semigroup.elements})
        if (e, f) not in hom:
            check_time()
            hom[e, f] = sorted({multiply(x, f) for x in left[e]})
        return hom[e, f]

    def has_rank(x: int, wanted: int) -> bool:
        return len(set(actions[x][:states])) == wanted

    def reaches(e: int, f: int) -> bool:
        """Whether eSf has an element of the rank that e and f share; e and f are D-equivalent iff fSe has one, too."""
        return has_rank(multiply(e, f), rank[e]) or any(has_rank(x, rank[e]) for x in arrows_between(e, f))

    for e in semigroup.idempotents:
        budget.check()
        if not any(rank[f] == rank[e] and reaches(e, f) and reaches(f, e) for f in chosen):
            chosen.append(e)
    nodes = [(state, e) for e in chosen for state in range(states) if actions[e][state] == state]
    number = {node: place for place, node in enumerate(nodes)}
    arrows: list[tuple[int, int, int]] = []
    edges: list[Edge] = []
    for e in chosen:
        fixed = [state for state in range(states) if actions[e][state] == state]
        for f in chosen:
            budget.check()
            for x in arrows_between(e, f):
                action = actions[x]
                edges.extend((number[state, e], len(arrows), number[action[state], f]) for state in fixed)
                arrows.append((e, x, f))
            if len(edges) > budget.arrows:
                raise budget.exceeded("arrows")
    return ArrowGraph(nodes, arrows, edges)
