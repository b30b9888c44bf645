"""Constructions for sparse Boolean functions as decoders (`lengthwise.sparse.boolean`; Edelman et al., appendix B).

Two layers of a `Decoder` with one seed, in float64: heads and the first hidden layer, then the second hidden layer
without heads. [CLS] is the last symbol, and outputs are read there. The residual stream, which the paper does not have,
changes nothing: where [CLS] has its 1 no head writes, and the network's numbers get coordinates of their own, behind
those of the paper.

Symbols are 0, 1 and [CLS] with learned positions, or for a bag of vectors 0 (nothing), t for v_t, and [CLS].
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from lengthwise.nn.config import DecoderConfig
from lengthwise.nn.model import Decoder
from lengthwise.sparse.boolean.arrays import Bits, BitsLike, as_bits
from lengthwise.sparse.boolean.construction import Construction
from lengthwise.sparse.boolean.transformer import BagOfVectors, BooleanTransformer, EmbeddedBits

Floats = npt.NDArray[np.float64]


class BooleanDecoder(Decoder):
    """The decoder of a construction; its outputs are those of the source, up to floating point.

    Args:
        source: A construction of `lengthwise.sparse.boolean`, or its weights.

    Example:
        >>> import lengthwise as lw
        >>> decoder = lw.nn.BooleanDecoder(lw.sparse.construct("parity:2", length=4).construction)
        >>> decoder.read_bits([[1, 0, 0, 0], [1, 0, 0, 1]]).round(6).tolist()
        [1.0, 0.0]

    """

    def __init__(self, source: BooleanTransformer | Construction) -> None:
        model = source.model if isinstance(source, Construction) else source
        super().__init__(_config(model), [0], torch.float64)
        self.source = model
        self.requires_grad_(False)
        self.load_state_dict({name: torch.tensor(each).unsqueeze(0) for name, each in _weights(model).items()})

    def tokens(self, bits: BitsLike) -> Tensor:
        """Symbol ids (batch, T + 1) of strings (…, T) of bits, [CLS] behind them."""
        found = as_bits(bits, self.source.inputs.length)
        return torch.from_numpy(_ids(self.source, found.reshape(-1, found.shape[-1])))

    def read_bits(self, bits: BitsLike) -> Floats:
        """The outputs for strings (…, T) of bits, in the shape in which the source gives them."""
        shape = as_bits(bits, self.source.inputs.length).shape[:-1]
        outputs: Floats = self(self.tokens(bits))[0].numpy()
        return outputs.reshape(shape if self.config.outputs == 1 else (*shape, self.config.outputs))


def _ids(source: BooleanTransformer, bits: Bits) -> npt.NDArray[np.int64]:
    if isinstance(source.inputs, BagOfVectors):
        tokens, cls = bits * np.arange(1, bits.shape[1] + 1), bits.shape[1] + 1
    else:
        tokens, cls = bits.astype(np.int64), 2
    return np.pad(tokens.astype(np.int64), ((0, 0), (0, 1)), constant_values=cls)


def _config(source: BooleanTransformer) -> DecoderConfig:
    is_bag, memory = isinstance(source.inputs, BagOfVectors), source.memory
    return DecoderConfig(
        vocabulary=source.inputs.length + 2 if is_bag else 3,
        outputs=1 if memory else source.outputs,
        # Behind the paper's d: what the second hidden layer reads, and the output.
        width=source.inputs.width + (memory.units[1] + 1 if memory else 0),
        layers=2 if memory else 1,
        heads=(len(source.heads), 0) if memory else len(source.heads),
        head_width=source.heads[0].query.shape[1],
        output_matrix=True,
        hidden=memory.units if memory else 0,
        position="none" if is_bag else "learned",
        position_parameters={} if is_bag else {"context": source.inputs.length + 1},
        attention_scale="one",
    )


def _weights(source: BooleanTransformer) -> dict[str, Floats]:
    """The source's weights under the names they have in a decoder, whose matrices are applied from the left."""
    inputs, memory = source.inputs, source.memory
    added = memory.units[1] + 1 if memory else 0

    def wider(rows: Floats) -> Floats:
        return np.pad(rows, ((0, 0), (0, added)))

    weights = {
        "layers.0.query": wider(np.vstack([head.query.T for head in source.heads])),
        "layers.0.key": wider(np.vstack([head.key.T for head in source.heads])),
        "layers.0.value": wider(np.vstack([head.value.T for head in source.heads])),
        "layers.0.mix": wider(np.vstack([head.mix for head in source.heads])).T,
        "unembedding": np.eye(source.outputs, inputs.width),
    }
    nothing = np.zeros((1, inputs.width))
    if isinstance(inputs, EmbeddedBits):
        weights["embedding"] = wider(np.vstack([inputs.tokens, inputs.cls]))
        weights["positions.vectors"] = wider(np.vstack([inputs.rows, nothing]))
    else:
        weights["embedding"] = wider(np.vstack([nothing, inputs.rows, inputs.cls]))
    if memory is not None:
        width, units = inputs.width + added, memory.units[1]
        read = slice(inputs.width, width - 1)
        weights["layers.0.hidden"] = np.zeros((memory.units[0], width))
        weights["layers.0.hidden"][:, : source.outputs] = memory.first[:-1].T
        weights["layers.0.hidden_bias"] = memory.first[-1]
        weights["layers.0.output"] = np.zeros((width, memory.units[0]))
        weights["layers.0.output"][read] = memory.second[:-1].T
        weights["layers.1.hidden"] = np.zeros((units, width))
        weights["layers.1.hidden"][:, read] = np.eye(units)
        weights["layers.1.hidden_bias"] = memory.second[-1]
        weights["layers.1.output"] = np.zeros((width, units))
        weights["layers.1.output"][-1] = memory.last
        weights["unembedding"] = np.eye(1, width, width - 1)
    return weights
