"""LSTM: i, f, o = σ(W x_t + U h_(t-1) + b);  c_t = f c_(t-1) + i tanh(…);  h_t = o tanh(c_t);  output = R h_t + r.

Recurrent networks of finite precision recognise the regular languages and no others; with counters that grow, LSTMs
count (Weiss, Goldberg and Yahav, 2018).
"""

from __future__ import annotations

from torch import Tensor, nn

from lengthwise.nn.architectures.registry import register_model


@register_model("lstm")
class LSTM(nn.Module):
    """A long short-term memory (Hochreiter and Schmidhuber, 1997), without positions."""

    def __init__(self, vocabulary: int, outputs: int, width: int = 64, layers: int = 1) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, width)
        self.cells = nn.LSTM(width, width, layers, batch_first=True)
        self.readout = nn.Linear(width, outputs)

    def forward(self, tokens: Tensor) -> Tensor:
        """Logits (words, length, outputs)."""
        hidden, _ = self.cells(self.embedding(tokens))
        logits: Tensor = self.readout(hidden)
        return logits
