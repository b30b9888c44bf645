"""Models: compiled from programs, loaded, evaluated on words, bounded, and simulated on short words."""

from __future__ import annotations

import math
import os
import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from lengthwise.crasp import Program
from lengthwise.errors import LengthwiseError, require_seed
from lengthwise.public.deciding import program_for
from lengthwise.resources import SECONDS, require_memory, time_limit
from lengthwise.subjects import Subject
from lengthwise.subjects.subject import Symbols

if TYPE_CHECKING:
    from lengthwise.bounds import Bound, Certified, Counts, Margins, Simulation
    from lengthwise.limit import Exchange, LimitTransformer, Transformer
    from lengthwise.runs import Run
    from lengthwise.tasks import Task

Theorem = Literal["worst-case", "average", "two-layer", "certified"]
THEOREMS: Mapping[Theorem, str] = {
    "worst-case": "Theorem 4.1 of Izzo et al.",
    "average": "Theorem 4.2 of Izzo et al.",
    "two-layer": "Theorem 5.2 of Izzo et al.",
    "certified": "the certified length",
}
WORDS_AT_ONCE = 2**20
"""Symbols of words that are drawn at a time."""
LONGEST_REPEATED = 2**62
BYTES_EACH = 2_000
"""What a symbol of a word takes while a model is followed position by position."""
PROGRAMS = (".crasp", ".cr")
MODEL = ".safetensors"


# ------------------------------------------------------------------------------------------- compiling and loading


@dataclass(frozen=True, eq=False)
class Compiled:
    """What `compile` gives: the model, the program that it computes, and where that comes from."""

    model: LimitTransformer | Transformer
    program: Program
    meaning: str
    """How the subject was read."""
    origin: str
    """Where the program comes from, if it is not the subject's own."""

    def as_json(self) -> dict[str, Any]:
        """Plain data with stable keys."""
        model = self.model
        return {
            "meaning": self.meaning,
            "origin": self.origin or None,
            "layers": len(model.layers),
            "heads": [len(layer.heads) for layer in model.layers],
            "width": model.width,
            "outputs": list(model.outputs),
            "certified_length": model.certified_length,
            "certificate": None if model.certificate is None else model.certificate.to_json(),
        }


def compile(  # noqa: A001 - the verb's name
    subject: object,
    alphabet: Symbols | None = None,
    *,
    context: int | None = None,
    relu_only: int | None = None,
    seconds: float | None = SECONDS,
    out: str | os.PathLike[str] | None = None,
) -> Compiled:
    """Compile a C-RASP program to the weights of a Limit Transformer, or of an ordinary transformer.

    Args:
        subject: What `Subject.of` takes; for a language, the program that `decide` finds is compiled.
        alphabet: The symbols of a regex or a predicate.
        context: N: make an ordinary transformer with N positions, one of which is the start symbol's.
        relu_only: N: use ReLU units only, which is exact for words of up to N symbols.
        seconds: The time limit; None for no limit.
        out: A safetensors file to write; `-` is standard output.

    Returns:
        The model with its program.

    Raises:
        LengthwiseError: There is no program, it cannot be compiled, or the file cannot be written.

    Example:
        >>> import lengthwise as lw
        >>> lw.compile("dyck1").model.accepts("(())")
        True

    """
    from lengthwise import limit

    with time_limit(seconds).in_force():
        meant = Subject.of(subject, alphabet)
        program, origin = program_for(meant)
        made = limit.from_crasp(program, relu_only_up_to=relu_only)
        model = made if context is None else limit.to_transformer(made, context)
    if out is not None:
        limit.save(model, out)
    return Compiled(model, program, meant.meaning, origin)


def load(path: str | os.PathLike[str], seed: int | None = None) -> Run | LimitTransformer | Transformer | Program:
    """Load a finished run, a compiled model or a program.

    Args:
        path: The directory of a run, such as `lengthwise-runs/runs/3c9d…`, a model file (.safetensors) that
            `lengthwise compile` wrote, or a program file (.crasp).
        seed: For a run: which of its seeds is asked; else the first.

    Returns:
        A `Run` with `.config`, `.results`, `.model` and `.predict(word)`; a `LimitTransformer` or a `Transformer`; or a
        `Program`.

    Raises:
        LengthwiseError: There is nothing of these kinds, or it is damaged.

    Example:
        >>> import lengthwise as lw, pathlib, tempfile
        >>> with tempfile.TemporaryDirectory() as directory:
        ...     file = pathlib.Path(directory, "dyck1.safetensors")
        ...     _ = lw.compile("dyck1", out=file)
        ...     lw.load(file).accepts("(())")
        True

    """
    file = Path(path)
    if file.is_dir():
        from lengthwise.runs import Run

        _require_run(file)
        return Run(file, seed)
    if seed is not None:
        raise LengthwiseError(f"{path} is not a run, so it has no seed {seed}")
    if file.suffix == MODEL:
        from lengthwise import limit
        from lengthwise.limit.files import ORDINARY, kind_of

        return limit.load_transformer(file) if kind_of(file) == ORDINARY else limit.load(file)
    if file.suffix in PROGRAMS:
        from lengthwise import crasp

        return crasp.load(os.fspath(path))
    raise LengthwiseError(
        f"{path} cannot be loaded: give the directory of a run, a model file ({MODEL}) or a program file "
        f"({', '.join(PROGRAMS)})" + ("" if file.exists() else "; there is no such file or directory")
    )


def _require_run(directory: Path) -> None:
    """Refuse a store, naming a run in it, and other directories."""
    if (directory / "done.json").exists():
        return
    runs = sorted(path for path in (directory / "runs").glob("*") if (path / "done.json").exists())
    if runs:
        raise LengthwiseError(
            f"{directory} is a store of {len(runs)} runs; load one of them, such as {runs[0]}, or take "
            f"lw.runs.Store({str(directory)!r})"
        )


# ------------------------------------------------------------------------------------------------------ evaluating


@dataclass(frozen=True)
class ModelAnswer:
    """What a model or a program says about a word."""

    word: str
    accepts: bool | None
    """None for a model that predicts and accepts nothing."""
    outputs: Mapping[str, float]
    """The numbers of the model's outputs, by their names; empty for programs."""
    certified: bool
    """Whether the answer is proved to be that of the program."""

    def as_json(self) -> dict[str, Any]:
        """Plain data with stable keys."""
        accepts = {} if self.accepts is None else {"accepts": self.accepts}
        return {"input": self.word, **accepts, "outputs": dict(self.outputs), "certified": self.certified}

    def __str__(self) -> str:
        shown = self.word or "(the empty word)"
        if self.accepts is not None:
            return f"{'accepts' if self.accepts else 'rejects'}  {shown}"
        return f"{shown}  " + "  ".join(f"{name}: {value:.6g}" for name, value in self.outputs.items())


@dataclass(frozen=True)
class Evaluation:
    """What `evaluate` gives for words."""

    answers: tuple[ModelAnswer, ...]
    no_certificate: str
    """Why nothing is proved about the answers; empty if they are proved to be those of the program."""


def evaluate_words(
    model: str | os.PathLike[str] | LimitTransformer | Transformer | Program,
    words: Iterable[str],
    *,
    regime: str | None = None,
    offset: int = 0,
    seconds: float | None = SECONDS,
) -> Evaluation:
    """Ask a compiled model or a program about words.

    Args:
        model: A model file (.safetensors), a program file (.crasp), a library program, or one of these as an object.
        words: The words; `""` is the empty word.
        regime: For a Limit Transformer: `huang(8)`, `izzo_finite(8)`, `izzo_infinite` or `hardmax`; else its own.
        offset: For an ordinary transformer: where the words start.
        seconds: The time limit for each word; None for no limit.

    Returns:
        For each word whether it is accepted, with the outputs behind that; and whether it is proved.

    Raises:
        LengthwiseError: There is no such model, the regime or the offset is not for it, or a word is none of its words.

    Example:
        >>> import lengthwise as lw
        >>> model = lw.compile("dyck1").model
        >>> from lengthwise.public.models import evaluate_words
        >>> [answer.accepts for answer in evaluate_words(model, ["()", ")("]).answers]
        [True, False]

    """
    if isinstance(model, str | os.PathLike):
        is_file = Path(model).suffix == MODEL
        loaded = load(model) if is_file else Subject.of(model).as_program()
        claimed = _claimed(model) if is_file else None
    else:
        loaded, claimed = model, None
    if isinstance(loaded, Program):
        if regime is not None or offset:
            raise LengthwiseError("a program has neither a regime nor an offset; compile it to a model that has")
        accepted = tuple(ModelAnswer(word, loaded.accepts(word), {}, certified=True) for word in words)
        return Evaluation(accepted, "")
    name = str(model) if claimed is not None else "the model"
    return _evaluated(loaded, tuple(words), regime, offset, name, claimed, seconds)


def _evaluated(
    model: Any,
    words: Sequence[str],
    regime: str | None,
    offset: int,
    name: str,
    claimed: int | None,
    seconds: float | None,
) -> Evaluation:
    from lengthwise.limit import Transformer
    from lengthwise.limit.evaluation import regimes

    missing = ""
    if isinstance(model, Transformer):
        if regime is not None:
            raise LengthwiseError("an ordinary transformer has the regime it was written with")
    elif offset:
        raise LengthwiseError("only ordinary transformers, compiled with --context, have an offset")
    elif regime is not None:
        certificate = model.certificate
        model = model.with_regime(regimes.parse(regime))
        if certificate is not None and model.certificate is None:
            covered = ", ".join(str(family) for family in certificate.regimes)
            missing = f"{name} is certified for {covered}, not for {model.regime}; nothing is proved about its answers"
    if model.certificate is None and not missing:
        missing = f"{name} has none, so nothing is proved about its answers"
        if claimed:
            missing = (
                f"{name} claims to be exact up to {claimed} symbols, but no certificate in it fits its weights, so "
                "nothing is proved about its answers; compile the program again"
            )
    return Evaluation(tuple(_answer(model, word, offset, seconds) for word in words), missing)


def _claimed(path: str | os.PathLike[str]) -> int:
    """The length to which a model file claims to be exact; 0 if it claims nothing."""
    from lengthwise.limit.files import claimed_length

    return claimed_length(path) or 0


def _answer(model: LimitTransformer | Transformer, word: str, offset: int, seconds: float | None) -> ModelAnswer:
    with time_limit(seconds).in_force():
        values = model.last(word, offset) if offset else model.last(word)  # type: ignore[call-arg]
    accepts = bool(values[model.outputs.index("accept")] > 0) if "accept" in model.outputs else None
    outputs = dict(zip(model.outputs, values.tolist(), strict=True))
    return ModelAnswer(word, accepts, outputs, model.certificate is not None)


# --------------------------------------------------------------------------------------------------------- bounding


def bound(
    theorem: Theorem,
    model: str | os.PathLike[str] | LimitTransformer | Program,
    other: str | os.PathLike[str] | LimitTransformer | Program | None = None,
    *,
    epsilon: float = 0.1,
    bits: int | None = None,
    alpha: float | Sequence[float] = 1.0,
    estimate: int | None = None,
    samples: int = 2000,
    seed: int = 0,
    constant: float = 1.0,
    sensitivity: float | Literal["own"] | None = None,
    seconds: float | None = SECONDS,
    plot: str | None = None,
    over: str = "epsilon",
    margin: float | Fraction | None = None,
    target_length: int | None = None,
    start_symbol: bool | None = None,
    **parameters: Any,
) -> Bound | Certified | Margins:
    """Bound the length that training inputs must have for a model.

    Args:
        theorem: `worst-case` (Theorem 4.1 of Izzo et al.), `average` (4.2), `two-layer` (5.2) or `certified`, the
            smallest length such that every longer word has a stand-in of at most that length.
        model: A construction (`simple-task`, `mod-p-task`, `k-gram`), a model file, a program, or an object.
        other: The second model; else the same again.
        epsilon: The error that may be added; for `average` its mean.
        bits: The precision, if the model does not say it.
        alpha: `average`: the Dirichlet parameters of the symbol distribution, one or one for each symbol.
        estimate: `average`: also sample words of this length.
        samples: `average`: how many.
        seed: `average`: the seed of the samples.
        constant: `two-layer`: the unspecified constant of the printed form.
        sensitivity: `certified`: for all models whose output changes at most this fast; `own` for as fast as this one.
        seconds: The time limit; `certified` gives an upper bound after this time. A drawing has as much time again, and
            leaves values out when it is over. None for no limit.
        plot: `worst-case` and `certified`: a file for a drawing of the lengths.
        over: What they are drawn against: `epsilon`, `omega`, `period`, `symbols` or `window`.
        margin: `certified`, for a program of depth 1, whose answer jumps: certify for the words with this margin, the
            part of the attention that has to move to take an output from a sure yes to a sure no.
        target_length: With `margin`: also compute which share of the words of this length have it; `samples` words
            of the task are drawn with `seed`.
        start_symbol: With `margin`: whether heads attend to a start symbol; by default where a comparison needs it.
        **parameters: Those of a construction, such as `omega=3`.

    Returns:
        The length with what it is made of, what it assumes, and the formula as printed beside it.

    Raises:
        LengthwiseError: There is no such model or theorem, or the theorem does not apply to the model.

    Example:
        >>> import lengthwise as lw
        >>> lw.bound("certified", "simple-task", epsilon=0.1, omega=3).shown
        '15'
        >>> lw.bound("certified", "majority", margin=0.03).length
        67

    """
    from lengthwise import bounds

    if theorem not in THEOREMS:
        raise LengthwiseError(f"there is no theorem {theorem!r}; there is {', '.join(THEOREMS)}")
    require_seed(seed)
    if margin is not None:
        if theorem != "certified" or other is not None or plot is not None or sensitivity is not None:
            raise LengthwiseError(
                "a margin is for `certified` with one program, without a second model, sensitivity or plot"
            )
        return _margins(model, margin, target_length, start_symbol, seconds or math.inf, samples, seed)
    if target_length is not None or start_symbol is not None:
        raise LengthwiseError("a target length and a start symbol go with a margin; give one, such as --margin 0.1")
    name = THEOREMS[theorem]
    with time_limit(seconds).in_force():
        f, meaning = _lipschitz(model, parameters, name)
        g = f if other is None else _lipschitz(other, {}, name)[0]
        match theorem:
            case "worst-case":
                found: Bound | Certified = bounds.worst_case(f, g, epsilon, bits)
            case "average":
                shape = [float(alpha)] if isinstance(alpha, int | float) else list(alpha)
                shape = shape * f.alphabet.id_count if len(shape) == 1 else shape
                found = bounds.average(f, g, shape, epsilon, bits)
                if estimate is not None:
                    sampled = _sampled(f, g, shape, estimate, samples, seed, bits)
                    return replace(found, meaning=meaning, sampled=sampled)
            case "two-layer":
                found = bounds.two_layer(f, g, epsilon, constant)
    if theorem == "certified":  # outside, because it takes a limit of its own and ends with a bound
        second = None if other is None else g
        found = bounds.certified(f, epsilon, second, bits, sensitivity=sensitivity, seconds=seconds)
    if plot is not None:
        with time_limit(seconds).in_force():
            _plot(plot, model, over, epsilon, parameters)
    return replace(found, meaning=meaning)


def _margins(
    thing: object,
    margin: float | Fraction,
    target_length: int | None,
    start_symbol: bool | None,
    seconds: float,
    samples: int,
    seed: int,
) -> Margins:
    """Certified lengths of a program that jumps, with the share of the words that its task draws."""
    from lengthwise.bounds.margins.length import margins, require_countable

    if samples < 1:
        raise LengthwiseError(f"a sample has at least one word, not {samples}")
    subject = Subject.of(thing)
    program = subject.as_program()
    sample = None
    if target_length is not None:
        require_countable(target_length)
        sample = _counted_words(subject.task, program.alphabet.symbols, target_length, samples, seed)
    found = margins(
        program, margin, target_length=target_length, sample=sample, start_symbol=start_symbol, seconds=seconds
    )
    return replace(found, meaning=subject.meaning)


def _counted_words(task: Task, symbols: tuple[str, ...], length: int, samples: int, seed: int) -> Any:
    """Counts and last symbols of words that a task draws; None if it has other symbols or no word of that length."""
    if task.alphabet.symbols != symbols or task.loss != "next-set":
        return None
    if length < task.min_length or (task.language is not None and task.language.lengths(length)[-1:] != (length,)):
        return None
    rng = np.random.default_rng(seed)
    pieces = []
    at_once = max(1, WORDS_AT_ONCE // length)
    for done in range(0, samples, at_once):
        tokens = task.sample(length, min(at_once, samples - done), rng).tokens
        counts = np.stack([(tokens == symbol).sum(axis=1) for symbol in range(len(symbols))], axis=1)
        pieces.append((counts.astype(np.int64), tokens[:, -1]))
    return tuple(np.concatenate(part) for part in zip(*pieces, strict=True))


def _sampled(
    f: LimitTransformer,
    g: LimitTransformer,
    shape: Sequence[float],
    length: int,
    samples: int,
    seed: int,
    bits: int | None,
) -> dict[str, dict[str, float]]:
    """Gaps of long and of short words, with confidence intervals."""
    from lengthwise import bounds

    short = max(1, length // 10) + (length - max(1, length // 10)) % max(f.period, g.period)
    found = bounds.estimate_average(f, g, shape, length, short, samples=samples, seed=seed, bits=bits)
    sides = (("long", found.long, length), ("short", found.short, short))
    return {name: {"length": at, "mean": side.mean, "low": side.low, "high": side.high} for name, side, at in sides}


def simulate(
    model: str | os.PathLike[str] | LimitTransformer | Program,
    word: str,
    times: int = 1,
    *,
    other: str | os.PathLike[str] | LimitTransformer | Program | None = None,
    epsilon: float = 0.1,
    bits: int | None = None,
    seconds: float | None = SECONDS,
    **parameters: Any,
) -> Simulation:
    """Map a long word to the short one that stands in for it (Theorem 4.1 of Izzo et al.), and measure the error.

    Args:
        model: A construction (`simple-task`, `mod-p-task`, `k-gram`), a model file, a program, or an object.
        word: The long word, or with `times` the piece that it repeats.
        times: How often the word is repeated; lengths up to 10⁹ are fine.
        other: The second model; else the same again.
        epsilon: The error that both models together may have.
        bits: The precision, if the model does not say it.
        seconds: The time limit; None for no limit.
        **parameters: Those of a construction, such as `omega=3`.

    Returns:
        The short word with the promised and the measured error of both models.

    Raises:
        LengthwiseError: There is no such model, the theorem does not apply to it, or the word is empty.

    Example:
        >>> import lengthwise as lw
        >>> found = lw.simulate("simple-task", "0001222222", times=10_000, epsilon=0.5)
        >>> found.source.length, found.length
        (100000, 1014)

    """
    from lengthwise import bounds
    from lengthwise.bounds.theorems.pair import Pair

    with time_limit(seconds).in_force():
        f, meaning = meant_model(model, parameters, THEOREMS["worst-case"])
        g = f if other is None else meant_model(other, {})[0]
        counts = _counts(f, word, times, Pair.of(f, g, bits))
        return replace(bounds.stand_in(f, g, counts, epsilon, bits=bits), meaning=meaning)


def protocol(
    model: str | os.PathLike[str] | LimitTransformer | Program,
    word: str,
    times: int = 1,
    *,
    factor: float = 2.0,
    key_bits: int = 8,
    seconds: float | None = SECONDS,
    **parameters: Any,
) -> Exchange:
    """Let Alice tell Bob what he needs of her half of a word, and count the bits (Huang et al., Theorem 12).

    Args:
        model: A construction (`simple-task`, `mod-p-task`, `k-gram`, `induction-head`), a model file, a program, or an
            object.
        word: The word, or with `times` the piece that it repeats.
        times: How often the word is repeated.
        factor: Activations have ⌈factor · log2 of the length⌉ fractional bits.
        key_bits: Fractional bits of keys, whatever the length.
        seconds: The time limit; None for no limit.
        **parameters: Those of a construction, such as `omega=3`.

    Returns:
        The messages with their bits, Bob's answer and the model's.

    Raises:
        LengthwiseError: There is no such model, or the word has no two halves.

    Example:
        >>> import lengthwise as lw
        >>> found = lw.protocol("majority", "01", times=500)
        >>> found.transcript.bits, found.input_bits, found.agree
        (108, 499, True)

    """
    from lengthwise import limit

    if times < 1:
        raise LengthwiseError(f"--times takes a whole number from 1 on, not {times}")
    with time_limit(seconds).in_force():
        known, meaning = meant_model(model, parameters, "Theorem 12 of Huang et al.")
        piece: str | list[str] = word.split() if " " in word else word
        require_memory(BYTES_EACH * len(piece) * times, f"a word of {len(piece) * times} symbols", "lower --times")
        return replace(limit.exchange(known, piece * times, factor, key_bits), meaning=meaning)


def _counts(model: LimitTransformer, word: str, times: int, pair: Any) -> Counts:
    from lengthwise.bounds import Counts

    if times < 1 or not word:
        raise LengthwiseError("give a word of at least one symbol, repeated at least once")
    if times * len(word) > LONGEST_REPEATED:
        raise LengthwiseError(f"a word of {times * len(word)} symbols is longer than 2**62, the most that are counted; "
                              "lower --times")  # fmt: skip
    block = model.alphabet.encode(word).astype(np.int64)
    return Counts.from_repeated(block, times, pair.symbols, pair.period, pair.window)


def _lipschitz(thing: object, parameters: Mapping[str, Any], theorem: str) -> tuple[LimitTransformer, str]:
    """The model that is meant and how it was read, unless the theorem does not apply to it."""
    model, meaning = meant_model(thing, parameters, theorem)
    if not model.uses_heaviside:
        return model, meaning
    from lengthwise.limit.constructions import NAMED

    if not isinstance(thing, str) or Path(thing).suffix == MODEL:
        instead = "`lengthwise decide` and `lengthwise study` are for the program that it comes from"
    else:
        quoted = shlex.quote(thing)
        instead = (
            f"`lengthwise decide {quoted}` and `lengthwise study {quoted}` are for programs, `--margin 0.1` certifies "
            "a length for programs of depth 1"
            if theorem == THEOREMS["certified"]
            else f"`lengthwise decide {quoted}` and `lengthwise study {quoted}` are for programs"
        )
    raise LengthwiseError(
        f"{theorem} does not apply to {thing} ({meaning}): it needs an MLP that is Lipschitz, and this model has "
        f"Heaviside units, which jump; {instead}, bounds for {', '.join(NAMED)} and for model files without such units"
    )


def meant_model(thing: object, parameters: Mapping[str, Any], needed_by: str = "this") -> tuple[LimitTransformer, str]:
    """The Limit Transformer that is meant, and one line that says how it was read."""
    from lengthwise import limit
    from lengthwise.limit.constructions import NAMED, named_construction

    text = os.fspath(thing) if isinstance(thing, str | os.PathLike) else ""
    name = text.removeprefix("task:")
    if name in NAMED:
        of = name if name == "induction-head" else f"the task {name}"
        return named_construction(name, parameters).model, f"Limit Transformer of {of}"
    given = [key for key, value in parameters.items() if value is not None]
    if given:
        raise LengthwiseError(f"--{given[0]} belongs to a construction, one of {', '.join(NAMED)}, not to {thing}")
    if isinstance(thing, limit.LimitTransformer):
        return thing, thing.title or "Limit Transformer"
    if Path(text).suffix == MODEL:
        return limit.load(text), f"model {Path(text).name}"
    subject = Subject.of(thing)
    program = subject.task.program if subject.kind == "task" else subject.program
    if program is None:
        raise LengthwiseError(
            f"{needed_by} is about a Limit Transformer, and none is written down for {subject}; there are those of "
            f"{', '.join(NAMED)} and of model files, and `lengthwise decide` and `lengthwise study` are for others"
        )
    return limit.from_crasp(program), subject.meaning


def _plot(path: str, model: object, over: str, epsilon: float, parameters: Mapping[str, Any]) -> None:
    from lengthwise.bounds.theorems.sweeps import sweep
    from lengthwise.drawing.bound_plot import plot_bounds

    if not isinstance(model, str):
        raise LengthwiseError("lengths are drawn for a construction by its name, such as simple-task")
    given = {key: value for key, value in parameters.items() if value is not None and key != over}
    points = list(sweep(model, over, epsilon=epsilon, parameters=given))
    settings = ", ".join(f"{key} {value:g}" for key, value in given.items())
    title = f"{model}{', ' + settings if settings else ''}" + ("" if over == "epsilon" else f", ε = {epsilon:g}")
    plot_bounds(points, over, title, path)
