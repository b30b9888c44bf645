"""Which lengths a study trains and tests at.

All training lengths are tested at the same lengths. These are the multiples 1, 1.5, 2, 2.5 and 3 of the longest
training length up to the target, further ones for schemes that can read them, and 2N and 3N for every N, where the rule
looks. A test length stands for all lengths above the one before it: 80 for words of 61 to 80 symbols.

Lengths that a task has no words of are dropped, and named.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from lengthwise.errors import LengthwiseError
from lengthwise.resources import require_memory
from lengthwise.runs.config import BYTES_OF_A_SYMBOL
from lengthwise.study.protocol import FAR_MULTIPLES, NEAR_MULTIPLES, TRAIN_LENGTH
from lengthwise.study.wording import listed
from lengthwise.tasks.request import lengths
from lengthwise.tasks.task import Task

SHORTER = (2, 4)
"""Without `--train-lengths`, the longest one is also divided by these."""
LEAST = 4
"""The shortest training length that is chosen without being asked for."""
GAP = 200
"""How far beyond a length words are looked for."""


@dataclass(frozen=True)
class Lengths:
    """The lengths of a study."""

    train: tuple[int, ...]
    """From the longest on, which is trained first."""
    target: int
    """L, the length that the question is about."""
    near: tuple[int, ...]
    """Test lengths up to the target, the shortest first."""
    far: tuple[int, ...]
    """Test lengths beyond it."""
    dropped: tuple[str, ...] = ()
    """What was left out, in sentences."""

    def tested(self, train_length: int, far: bool) -> tuple[int, ...]:
        """The test lengths of a training length."""
        every = (*self.near, *(self.far if far else ()))
        return tuple(length for length in every if length >= train_length)


def study_lengths(task: Task, train: Sequence[int] | None = None, target: int | None = None) -> Lengths:
    """Choose lengths for a task.

    Args:
        task: What is trained.
        train: The training lengths that were asked for; else 40, 20 and 10, longer where a task's shortest words are
            long, and a third of the longest words where a task has a longest.
        target: L; else three times the longest training length.

    Returns:
        The lengths that there are words for.

    Raises:
        LengthwiseError: There are too few lengths to train and test at.

    """
    for asked in (target or 0, *(train or ())):
        require_memory(BYTES_OF_A_SYMBOL * asked, f"a word of {asked} symbols in a model", "choose shorter lengths")
    dropped: list[str] = []
    chosen = _asked(train, task) if train else _usual(task, target)
    longest = chosen[0]
    if target is not None and target <= longest:
        raise LengthwiseError(
            f"the target length {target} is not longer than the training length {longest}; give a longer one, or "
            "shorter training lengths"
        )
    aim = target or round(3 * longest)
    wanted = {round(multiple * longest) for multiple in NEAR_MULTIPLES}
    wanted |= {multiple * each for each in chosen for multiple in (1, 2, 3)}
    wanted |= {round(1.5 * each) for each in chosen if 1.5 * each < longest}
    near = sorted({each for each in wanted if each <= aim} | {aim})
    far = [] if target is not None else [round(multiple * longest) for multiple in FAR_MULTIPLES]
    possible = set(lengths(task, max([*near, *far])))
    kept = _with_words([*near, *far], possible, dropped, task)
    if missing := [each for each in chosen if each not in kept]:
        # The longest words that are shorter stand for it: no test length is between them and the training length.
        instead = {each: max(length for length in possible if length <= each) for each in missing}
        found = study_lengths(task, [instead.get(each, each) for each in chosen], target)
        told = (f"{task.name} has no words of {each:,} symbols: trained up to {instead[each]:,}." for each in missing)
        return replace(found, dropped=(*told, *found.dropped))
    near, far = [each for each in near if each in kept], [each for each in far if each in kept]
    if not near or near[-1] <= longest:
        raise LengthwiseError(
            f"{task.name} has no words of more than {longest} symbols up to {aim}, so nothing longer than the training "
            "words can be tested; give shorter --train-lengths"
        )
    if aim not in near:
        aim = near[-1]
    return Lengths(chosen, aim, tuple(near), tuple(far), tuple(dropped))


def _usual(task: Task, target: int | None) -> tuple[int, ...]:
    """Training lengths for a task: 40, 20, 10, unless its words are too short or too long for these."""
    longest = TRAIN_LENGTH if target is None else min(TRAIN_LENGTH, max(1, target // 2))
    if 2 * task.min_length > longest:
        longest += task.min_length
    found = lengths(task, 3 * longest)
    if not found or found[-1] < 2 * longest:
        # Words end somewhere: a third of the longest, so that there are twice and three times as long ones.
        most = max(lengths(task, 3 * longest + GAP), default=0)
        if most < 2:
            raise LengthwiseError(f"{task.name} has no words of two symbols or more, so there is nothing to study")
        longest = max(task.min_length, most // 3)
    shorter = (longest // divisor for divisor in SHORTER)
    return (longest, *(each for each in shorter if each >= max(LEAST, 2 * task.min_length)))


def _asked(train: Sequence[int], task: Task) -> tuple[int, ...]:
    for length in train:
        if length < 1:
            raise LengthwiseError(f"a training length is a whole number from 1 on, not {length}")
        if length < task.min_length:
            raise LengthwiseError(
                f"{task.name} has no words of up to {length} symbols; its shortest have {task.min_length}"
            )
    return tuple(sorted(set(train), reverse=True))


def _with_words(wanted: Sequence[int], possible: set[int], dropped: list[str], task: Task) -> set[int]:
    """The ends of bins that hold words."""
    kept, lost = set(), []
    before = 0
    for end in wanted:
        if any(length in possible for length in range(before + 1, end + 1)):
            kept.add(end)
            before = end
        else:
            lost.append(end)
    if lost:
        dropped.append(_sentence(task, lost, possible))
    return kept


def _sentence(task: Task, lost: Iterable[int], possible: set[int]) -> str:
    named = listed([f"{each:,}" for each in lost])
    longest = max(possible, default=0)
    return (
        f"{task.name} has no words for the test length{'' if named.isdigit() else 's'} {named} (longest: {longest:,})."
    )
