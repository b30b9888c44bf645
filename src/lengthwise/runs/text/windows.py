"""Windows of text, random ones to train on and random ones within files to test on, and perplexities in them.

Training reads on over the end of a file, with the separator between two of them. A tested window lies in one file, and
says which: windows of one file are alike, so it is files that are resampled for intervals.

Perplexities are measured at two lengths, on the same bytes (Golowich et al., Table 1). A window has L̄ + 1 bytes, of
which all but the first are predicted. Three models predict them:

- `long`: every byte from all bytes before it in the window: contexts of 1, …, L̄ bytes;
- `short`: the window in pieces of L predicted bytes, each read by itself: contexts of 1, …, L bytes, again and again;
- `recent`: every byte from the last L bytes before it, or all of them if there are fewer.

The paper takes `long` below `short` to show that a model uses what is further back than L. But `recent` is below
`short`, too, and ignores it: in the long window few bytes have a short context. So `recent` is what `long` is to be
compared with. It costs a pass for every byte, and is computed for some bytes of each window; of the others the
difference to `long` is taken to be the same.

A perplexity is the exponential of the mean over all bytes of all windows; numbers here are means in nats by window.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from lengthwise.runs.text.corpus import Bytes, Corpus, Ints, TextError
from lengthwise.runs.training.one_thread import one_thread

if TYPE_CHECKING:
    from lengthwise.nn.model import Decoder


@dataclass(frozen=True, eq=False)
class Windows:
    """Windows (windows, length) of the validation side."""

    tokens: Ints
    files: Ints
    """The number of the file of each."""


def training_windows(text: Bytes, length: int, count: int, rng: np.random.Generator) -> Ints:
    """So many windows of `length` bytes from anywhere."""
    if len(text) < length:
        raise TextError(f"windows of {length} bytes do not fit into {len(text)} bytes of text; ask for a larger corpus")
    begins = rng.integers(len(text) - length + 1, size=count)
    return np.asarray(text[begins[:, None] + np.arange(length)], dtype=np.int64)


def validation_windows(corpus: Corpus, length: int, count: int, rng: np.random.Generator) -> Windows:
    """So many windows of `length` bytes, each place in the files that are long enough being as likely as any other."""
    room = np.maximum(corpus.files[:, 1] - corpus.files[:, 0] - length + 1, 0)
    ends = room.cumsum()
    if not len(ends) or not ends[-1]:
        raise TextError(f"no file that is tested on has {length} bytes; ask for a larger corpus")
    drawn = rng.integers(ends[-1], size=count)
    files = np.searchsorted(ends, drawn, side="right")
    begins = corpus.files[files, 0] + drawn - (ends[files] - room[files])
    return Windows(corpus.validation[begins[:, None] + np.arange(length)].astype(np.int64), files)


Floats = npt.NDArray[np.float64]

AT_ONCE = 8192
"""Bytes that are read at once."""


@dataclass(frozen=True, eq=False)
class Entropies:
    """Mean losses of windows, (windows,)."""

    short: Floats
    long: Floats
    recent: Floats


def entropies(model: Decoder, windows: Ints, context: int, looked_at: Ints) -> Entropies:
    """The losses of a model with outputs at all positions, for windows (windows, L̄ + 1).

    L divides L̄; `looked_at` (windows, some) are numbers of predicted bytes from L + 1 to L̄, for `recent`.
    """
    longest = windows.shape[1] - 1
    long = losses_at_all(model, windows)
    pieces = np.lib.stride_tricks.sliding_window_view(windows, context + 1, axis=1)[:, ::context]
    short = losses_at_all(model, pieces.reshape(-1, context + 1)).reshape(len(windows), -1)
    rows = np.arange(len(windows))[:, None]
    ends = looked_at.reshape(-1, 1) + np.arange(-context, 1)
    sliding = windows[rows.repeat(looked_at.shape[1], axis=1).reshape(-1, 1), ends]
    without = losses_at_all(model, sliding)[:, -1].reshape(looked_at.shape)
    further = (without - long[rows, looked_at - 1]).mean(axis=1)
    return Entropies(short.mean(axis=1), long.mean(axis=1), long.mean(axis=1) + further * (longest - context) / longest)


def losses_at_all(model: Decoder, windows: Ints) -> Floats:
    """−log of what a model gives each byte but the first (windows, bytes), given those before it in the window."""
    import torch
    import torch.nn.functional as F  # noqa: N812 - its usual name

    found = []
    at_once = max(1, AT_ONCE // windows.shape[1])
    with torch.no_grad(), one_thread():
        for begin in range(0, len(windows), at_once):
            part = torch.from_numpy(np.ascontiguousarray(windows[begin : begin + at_once]))
            outputs = model(part[:, :-1])[0].double()
            entropy = F.cross_entropy(outputs.flatten(0, 1), part[:, 1:].flatten(), reduction="none")
            found.append(entropy.view(len(part), -1).numpy())
    return np.concatenate(found)
