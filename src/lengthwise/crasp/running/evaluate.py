"""Runs a listing on words: decides which evaluator is worth its start-up, and refuses counts that could overflow.

NumPy answers at once; machine code (`native`) is several ten times faster but costs some 50 ms to make. A program is
compiled when it has been given `COMPILE_FROM` symbols in all, so short inputs never wait for a compiler.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt

from lengthwise.alphabet import Alphabet, Word
from lengthwise.crasp.running import vectorized
from lengthwise.crasp.running.magnitude import longest_exact
from lengthwise.crasp.running.operations import Listing
from lengthwise.crasp.running.state import Layout, State
from lengthwise.errors import CountOverflowError, WordError

if TYPE_CHECKING:
    from lengthwise.crasp.running.native import BatchKernel, WordKernel

Array = npt.NDArray[Any]
Engine = Literal["auto", "numpy", "native"]

COMPILE_FROM = 1_000_000
"""Symbols after which a program is compiled."""
WORTH_A_CALL = 256
"""Below this length NumPy beats calling a kernel that already exists."""
PIECE = 1 << 20
"""Symbols of a long word that are held in memory at a time."""
NUMPY_PIECE = 1 << 15
"""Symbols NumPy works on at a time, so that intermediate arrays stay in the cache."""
LONGEST_SIDE_BY_SIDE = 1 << 15
"""Longer words of a batch are read one after the other."""


@lru_cache(maxsize=1)
def _can_compile() -> bool:
    try:
        from lengthwise.crasp.running import native
    except ImportError:
        return False
    return native.available()


class Evaluator:
    """The evaluators of one program, with the kernels made for it so far."""

    def __init__(self, listing: Listing, alphabet: Alphabet, engine: Engine = "auto") -> None:
        self.listing, self.alphabet, self.engine = listing, alphabet, engine
        self.longest = longest_exact(listing, 64)
        self._seen = 0
        self._layouts: dict[tuple[int, ...], Layout] = {}
        self._words: dict[tuple[tuple[int, ...], int, bool], WordKernel] = {}
        self._batches: dict[tuple[int, int, bool, bool], BatchKernel] = {}

    # -------------------------------------------------------------------------------------------- choices

    def layout(self, roots: tuple[int, ...]) -> Layout:
        """The layout for some results, made once."""
        if roots not in self._layouts:
            self._layouts[roots] = Layout.of(self.listing, roots)
        return self._layouts[roots]

    def require_exact(self, length: int) -> None:
        """Refuse a length at which a count could leave 64 bits."""
        if length > self.longest:
            raise CountOverflowError(
                f"at length {length} a count of this program could leave the range of 64-bit integers; "
                + (
                    f"it runs on words of at most {self.longest} symbols"
                    if self.longest >= 0
                    else "use smaller numbers"
                )
            )

    def _use_native(self, symbols: int) -> bool:
        self._seen += symbols
        if self.engine != "auto":
            return self.engine == "native"
        return self._seen >= COMPILE_FROM and _can_compile()

    def _word_kernel(self, layout: Layout, ids: Array, everywhere: bool) -> WordKernel:
        key = (layout.roots, ids.itemsize, everywhere)
        kernel = self._words.get(key)
        if kernel is None:
            from lengthwise.crasp.running.native import WordKernel

            kernel = self._words[key] = WordKernel(layout, 8 * ids.itemsize, everywhere)
        return kernel

    def _batch_kernel(self, root: int, bits: int, ragged: bool, by_position: bool) -> BatchKernel:
        key = (root, bits, ragged, by_position)
        kernel = self._batches.get(key)
        if kernel is None:
            from lengthwise.crasp.running.native import BatchKernel

            kernel = self._batches[key] = BatchKernel(self.layout((root,)), bits, ragged, by_position)
        return kernel

    # ------------------------------------------------------------------------------------------- one word

    def at_start(self, roots: tuple[int, ...]) -> list[int]:
        """Values on the empty word."""
        self.require_exact(0)
        values = vectorized.at_start(self.layout(roots))
        return [values[root] for root in roots]

    def everywhere(self, roots: tuple[int, ...], ids: Array) -> list[Array]:
        """Values at every position of a word, one array a root."""
        self.require_exact(len(ids))
        layout = self.layout(roots)
        if self._use_native(len(ids)) and len(ids) >= (WORTH_A_CALL if self.engine == "auto" else 1):
            return self._word_kernel(layout, ids, True).at_all(ids)
        if len(ids) <= 2 * NUMPY_PIECE:
            values = vectorized.evaluate(layout, ids)
            return [values[root] for root in roots]
        state = State(layout)
        pieces = [
            vectorized.evaluate(layout, ids[at : at + NUMPY_PIECE], state) for at in range(0, len(ids), NUMPY_PIECE)
        ]
        return [np.concatenate([piece[root] for piece in pieces]) for root in roots]

    def last(self, roots: tuple[int, ...], ids: Array) -> list[int]:
        """Values at the end of a word, which may be empty."""
        if not len(ids):
            return self.at_start(roots)
        self.require_exact(len(ids))
        layout = self.layout(roots)
        if self._use_native(len(ids)) and len(ids) >= (WORTH_A_CALL if self.engine == "auto" else 1):
            return self._word_kernel(layout, ids, False).last(ids)
        return _last_by_numpy(State(layout), ids)

    def advance(self, state: State, ids: Array) -> list[int]:
        """Read on from a state; the values of its roots at the last position. `ids` must not be empty."""
        self.require_exact(state.position + len(ids))
        layout = state.layout
        if self._use_native(len(ids)) and len(ids) >= (WORTH_A_CALL if self.engine == "auto" else 1):
            return self._word_kernel(layout, ids, False).last(ids, state)
        return _last_by_numpy(state, ids)

    # ------------------------------------------------------------------------------------------- batches

    def batch(self, root: int, ids: Array, lengths: Array | None) -> npt.NDArray[np.bool_]:
        """The value of a Boolean at the end of every word of a (batch, length) array."""
        ids, ends = self._checked_batch(ids, lengths)
        batch, length = ids.shape
        self.require_exact(length)
        empty = bool(self.at_start((root,))[0])
        if length == 0 or batch == 0:
            return np.full(batch, empty)
        if self._use_native(ids.size):
            verdicts = self._native_batch(root, ids, ends)
        else:
            verdicts = self._numpy_batch(root, ids, ends)
        return verdicts if ends is None else np.where(ends == 0, empty, verdicts)

    def _checked_batch(self, ids: Array, lengths: Array | None) -> tuple[Array, Array | None]:
        array = np.asarray(ids)
        if array.ndim != 2 or array.dtype.kind not in "iu":
            raise WordError("a batch is an integer array of shape (batch, length) holding symbol ids")
        if lengths is None:
            return self.alphabet.checked(array), None
        ends = np.asarray(lengths)
        if ends.shape != array.shape[:1] or ends.dtype.kind not in "iu":
            raise WordError(f"lengths must be {array.shape[0]} integers, one for every word of the batch")
        if ends.size and (int(ends.min()) < 0 or int(ends.max()) > array.shape[1]):
            raise WordError(f"lengths must lie between 0 and {array.shape[1]}, the length of the batch's rows")
        inside = np.arange(array.shape[1]) < ends[:, None]
        return self.alphabet.checked(np.where(inside, array, 0)), ends.astype(np.int64)

    def _numpy_batch(self, root: int, ids: Array, ends: Array | None) -> npt.NDArray[np.bool_]:
        layout = self.layout((root,))
        batch, length = ids.shape
        rows = max(1, NUMPY_PIECE // length)
        verdicts = np.zeros(batch, dtype=bool)
        for start in range(0, batch, rows):
            part = ids[start : start + rows]
            values = np.broadcast_to(vectorized.evaluate(layout, part)[root], part.shape)
            last = -1 if ends is None else np.maximum(ends[start : start + rows] - 1, 0)
            verdicts[start : start + rows] = values[np.arange(len(part)), last]
        return verdicts

    def _native_batch(self, root: int, ids: Array, ends: Array | None) -> npt.NDArray[np.bool_]:
        batch, length = ids.shape
        bits = next(bits for bits in (8, 16, 32, 64) if longest_exact(self.listing, bits) >= length)
        by_position = ids.T.flags.c_contiguous and not ids.flags.c_contiguous
        if ids.dtype == np.uint8 and batch >= 16 and length <= LONGEST_SIDE_BY_SIDE:
            kernel = self._batch_kernel(root, bits, ends is not None, by_position)
            return kernel(ids if by_position else np.ascontiguousarray(ids), ends)
        layout = self.layout((root,))
        verdicts = np.zeros(batch, dtype=bool)
        for row in range(batch):
            word = ids[row] if ends is None else ids[row, : ends[row]]
            if len(word):
                verdicts[row] = self._word_kernel(layout, ids, False).last(word)[0]
        return verdicts


def _last_by_numpy(state: State, ids: Array) -> list[int]:
    last: dict[int, Array] = {}
    for start in range(0, len(ids), NUMPY_PIECE):
        last = vectorized.evaluate(state.layout, ids[start : start + NUMPY_PIECE], state)
    return [int(last[root][..., -1]) for root in state.layout.roots]


class Stream:
    """A word read piece by piece in bounded memory; `values` are those of the roots after what was read so far.

    Args:
        evaluator: The evaluator of a program.
        roots: The operations whose values are kept.

    Example:
        >>> from lengthwise.crasp import load
        >>> stream = load("dyck1").stream()
        >>> stream.feed("(()"); stream.feed(")")
        >>> stream.length, bool(stream.values[0])
        (4, True)

    """

    def __init__(self, evaluator: Evaluator, roots: Sequence[int]) -> None:
        self._evaluator = evaluator
        self._state = State(evaluator.layout(tuple(roots)))
        self.values: list[int] = evaluator.at_start(tuple(roots))

    @property
    def length(self) -> int:
        """How many symbols were read."""
        return self._state.position

    def feed(self, piece: Word) -> None:
        """Read on. A piece of text is split into symbols by itself, so do not cut one in the middle of a symbol."""
        for part in pieces(piece) if is_long(piece) else (piece,):
            ids = self._evaluator.alphabet.encode(part)
            if len(ids):
                self.values = self._evaluator.advance(self._state, ids)


def is_long(word: Word) -> bool:
    """Whether a word is better encoded piece by piece: long text without spaces, or a long array."""
    if len(word) <= PIECE:
        return False
    return (
        isinstance(word, np.ndarray)
        or (isinstance(word, str) and " " not in word)
        or (isinstance(word, bytes) and b" " not in word)
    )


def pieces(word: Word) -> Iterator[Word]:
    """A long word in parts that are encoded one at a time."""
    for start in range(0, len(word), PIECE):
        yield word[start : start + PIECE]
