"""How fast GPT-2 trains: ours against that of Hugging Face, on the tasks and models of Huang et al., App. E.

Cpu-milliseconds of a training step on one thread, for batches of 64 words with lengths uniform from 1 to 50 and
position ids shifted at random. All variants are the same model with the same loss, which is checked before anything is
timed.

- `raw`: `GPT2LMHeadModel` and `torch.optim.AdamW` on batches that are there already, filled up to the longest word.
- `trainer`: what `transformers.Trainer` does on top, as the authors use it: a `DataLoader` over words that are drawn
  and put together in Python, weight decay for matrices only, gradients that are cut, a linear schedule.
- `ours`: `asked.outputs` and `FoldedAdam` on batches that are there already.
- `ours, whole`: what `trainer` does, drawing included (`WordSupply`).

`×raw` and `×trainer` are ratios of speeds in this run: `ours` is to be compared with `raw` and `ours, whole` with
`trainer`. The variants take turns, and the median round of each counts: the best would be that of the shortest words,
which helps ours more.
"""

from __future__ import annotations

import os
import random
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from statistics import median
from time import process_time
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.utils.data import DataLoader, IterableDataset

from benchmarks.timing import cpu_seconds
from lengthwise.nn import Decoder, DecoderConfig, FoldedAdam, Rates, WordSupply, asked, fold, groups, losses
from lengthwise.nn.loading.gpt2 import to_gpt2
from lengthwise.subjects import task_of
from lengthwise.tasks.algorithmic.answer_task import AnswerTask
from lengthwise.tasks.task import Batch

os.environ["HF_HUB_OFFLINE"] = "1"  # before it is imported: nothing is to be fetched

from transformers import GPT2Config, GPT2LMHeadModel
from transformers.utils import logging

BATCH, LONGEST, TESTED = 64, 50, 150
RATE, DECAY, LONGEST_GRADIENT, STEPS = 1e-3, 0.01, 1.0, 30_000
PREPARED = 8
"""Batches that are there already."""
MODELS = [
    ("task:copy-unique", 1, 1, 16),
    ("task:copy-unique", 2, 1, 64),
    ("task:copy-unique", 4, 4, 128),
    ("task:copy-unique", 1, 2, 256),
    ("task:binary-majority", 1, 1, 16),
    ("task:majority", 1, 2, 256),
]
"""Tasks, layers, heads and widths; the second and the last two are those of Table 6."""

logging.set_verbosity_error()


@dataclass(frozen=True)
class Speed:
    """One row of the table."""

    task: str
    model: str
    """Layers/heads/width."""
    variant: str
    milliseconds: float
    raw: float
    """Its speed against `raw`."""
    trainer: float
    """Its speed against `trainer`."""


# ------------------------------------------------------------------------------------------- Hugging Face


def hugging_face(state: dict[str, Tensor], config: DecoderConfig) -> Any:
    """Their model with our weights."""
    model = GPT2LMHeadModel(
        GPT2Config(
            vocab_size=config.vocabulary, n_positions=len(state["transformer.wpe.weight"]), n_embd=config.width,
            n_layer=config.layers, n_head=config.heads, resid_pdrop=0.0, embd_pdrop=0.0, attn_pdrop=0.0,
            bos_token_id=None, eos_token_id=None,
        )
    )  # fmt: skip
    model.load_state_dict(state)
    return model


def in_their_form(batch: Batch) -> dict[str, Tensor]:
    """A batch as the authors give it to the model: with EOS, labels in the place of the symbols, ids from 0 on."""
    assert batch.positions is not None
    inputs, labels = (np.pad(batch.tokens, ((0, 0), (0, 1))), np.full((BATCH, batch.tokens.shape[1] + 1), -100))
    for array in (inputs, labels):
        array[:, 1:][batch.mask] = batch.targets[batch.mask]
    places = np.pad(batch.positions - 1, ((0, 0), (0, 1)), mode="edge")
    named = {"input_ids": inputs, "labels": labels, "position_ids": places}
    return {name: torch.from_numpy(array) for name, array in named.items()}


def raw_step(model: Any, batches: list[Batch]) -> Callable[[], float]:
    """A training step of a plain loop."""
    optimizer = torch.optim.AdamW(model.parameters(), lr=RATE, weight_decay=DECAY)
    prepared = _around([in_their_form(batch) for batch in batches])

    def step() -> float:
        optimizer.zero_grad()
        loss = model(**next(prepared), use_cache=False).loss
        loss.backward()
        optimizer.step()
        return float(loss.detach())

    return step


class Words(IterableDataset[tuple[list[int], list[int], list[int]]]):
    """Words one at a time, with labels and shifted position ids."""

    def __init__(self, task: AnswerTask, context: int) -> None:
        super().__init__()
        self.task, self.context, self.random = task, context, random.Random(0)

    def __iter__(self) -> Iterator[tuple[list[int], list[int], list[int]]]:
        symbols = len(self.task.own_symbols)
        start, separator, end = (self.task.alphabet.index(mark) for mark in ("SOS", "SEP", "EOS"))
        while True:
            question, answer = self.drawn(self.random.randint(1, LONGEST), symbols)
            inputs = [start, *question, separator, *answer, end]
            offset = self.random.randint(0, self.context - len(inputs))
            labels = [-100] * (len(question) + 2) + [*answer, end]
            yield inputs, labels, list(range(offset, offset + len(inputs)))

    def drawn(self, length: int, symbols: int) -> tuple[list[int], list[int]]:
        """A question and its answer."""
        if self.task.name == "task:copy-unique":
            question = self.random.sample(range(symbols), length)
            return question, question
        while True:
            question = self.random.choices(range(symbols), k=length)
            first, *others = Counter(question).most_common(2)
            if not others or others[0][1] < first[1]:
                return question, [first[0]]


def collated(words: list[tuple[list[int], list[int], list[int]]]) -> dict[str, Tensor]:
    """Words filled up to the longest."""
    longest = max(len(inputs) for inputs, _, _ in words)
    inputs, labels, places = (
        [each + [each[-1] if filler is None else filler] * (longest - len(each)) for each in column]
        for column, filler in zip(zip(*words, strict=True), (0, -100, None), strict=True)
    )
    named = {"input_ids": inputs, "labels": labels, "position_ids": places}
    return {name: torch.tensor(each) for name, each in named.items()}


def trainer_step(model: Any, task: AnswerTask, context: int) -> Callable[[], float]:
    """A training step as a Trainer makes it, from words drawn for it."""
    named = dict(model.named_parameters())
    decaying = [name for name in named if "bias" not in name and "ln_" not in name]
    optimizer = torch.optim.AdamW(
        [
            {"params": [named[name] for name in decaying], "weight_decay": DECAY},
            {"params": [weight for name, weight in named.items() if name not in decaying], "weight_decay": 0.0},
        ],
        lr=RATE,
    )
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: 1 - step / STEPS)
    loader = iter(DataLoader(Words(task, context), batch_size=BATCH, collate_fn=collated))
    total = torch.tensor(0.0)

    def step() -> float:
        model.train()
        loss = model(**next(loader)).loss
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), LONGEST_GRADIENT)
        optimizer.step()
        schedule.step()
        model.zero_grad()
        total.add_(loss.detach())
        return float(loss.detach())

    return step


# --------------------------------------------------------------------------------------------------- ours


def our_step(model: Decoder, batches: Iterator[Batch], whole: bool) -> Callable[[], float]:
    """A training step of ours; `whole`: with all that the Trainer does."""
    rates = Rates.plain(RATE, "matrices" if whole else "all")
    optimizer = FoldedAdam(groups(model, rates), weight_decay=DECAY, max_grad_norm=LONGEST_GRADIENT if whole else None)

    def step() -> float:
        optimizer.zero_grad()
        batch = fold([next(batches)])
        outputs = asked.outputs(model, batch.tokens, batch.mask, batch.positions)
        loss = losses("next-token", outputs, batch.targets, batch.mask).sum()
        torch.autograd.backward(loss)
        optimizer.step(factor=1 - optimizer.steps[0] / STEPS)
        return float(loss.detach())

    return step


def supplied(task: AnswerTask, model: Decoder, seed: int) -> Iterator[Batch]:
    """New batches."""
    supply = WordSupply(task, range(1, LONGEST + 1), BATCH, np.random.default_rng(seed), model.positions)
    while True:
        yield supply.batch()


def _around(values: list[Any]) -> Iterator[Any]:
    while True:
        yield from values


# ------------------------------------------------------------------------------------------------- timing


def measure(quick: bool = False) -> list[Speed]:
    """All rows; `quick` takes fewer rounds and leaves out the models that take longest."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        models = [each for each in MODELS if not quick or each[3] <= 64]
        return [row for model in models for row in _model(*model, rounds=3 if quick else 11)]
    finally:
        torch.set_num_threads(threads)


def _model(name: str, layers: int, heads: int, width: int, rounds: int) -> list[Speed]:
    task = task_of(name)
    assert isinstance(task, AnswerTask)
    context = task.input_length(TESTED) + 1
    config = DecoderConfig.gpt2(len(task.alphabet), width, layers, heads, context=context)
    state = to_gpt2(Decoder(config, [0]))
    prepared = [batch for batch, _ in zip(supplied(task, Decoder(config, [0]), 0), range(PREPARED), strict=False)]
    variants = {
        "raw": raw_step(hugging_face(state, config), prepared),
        "trainer": trainer_step(hugging_face(state, config), task, context),
        "ours": our_step(Decoder(config, [0]), _around(prepared), whole=False),
        "ours, whole": our_step(model := Decoder(config, [0]), supplied(task, model, 1), whole=True),
    }
    firsts = {variant: step() for variant, step in variants.items()}
    assert abs(firsts["raw"] - firsts["ours"]) < 1e-5, firsts
    start = process_time()
    variants["raw"]()
    calls = max(1, min(20, int(0.3 / (process_time() - start))))
    taken: dict[str, list[float]] = {variant: [] for variant in variants}
    for _ in range(rounds):
        for variant, step in variants.items():
            taken[variant].append(cpu_seconds(step, calls, warm=False))
    typical = {variant: median(times) for variant, times in taken.items()}
    size = f"{layers}/{heads}/{width}"
    return [
        Speed(name, size, variant, 1e3 * seconds, typical["raw"] / seconds, typical["trainer"] / seconds)
        for variant, seconds in typical.items()
    ]


def table(rows: list[Speed]) -> str:
    """The rows as aligned text."""
    lines = [("task", "model", "variant", "ms", "×raw", "×trainer")]
    lines += [
        (row.task, row.model, row.variant, f"{row.milliseconds:,.1f}", f"{row.raw:.1f}", f"{row.trainer:.1f}")
        for row in rows
    ]
    widths = [max(len(line[column]) for line in lines) for column in range(6)]
    return "\n".join(
        "  ".join(
            cell.rjust(width) if place > 2 else cell.ljust(width)
            for place, (cell, width) in enumerate(zip(line, widths, strict=True))
        )
        for line in lines
    )


def as_records(rows: list[Speed]) -> list[dict[str, Any]]:
    """The rows as plain data."""
    return [asdict(row) for row in rows]


if __name__ == "__main__":
    print(table(measure()))
