"""`DecoderConfig`: everything that decides what a small transformer computes, apart from its weights.

Plain data that goes into run configurations and files. What the papers leave open and what matters nevertheless
(activation, scale of the embeddings, which biases there are) is a key here, so that every result says what was used.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from difflib import get_close_matches
from typing import Any, Literal, get_args

from lengthwise.errors import LengthwiseError
from lengthwise.resources import require_memory

Activation = Literal["relu", "gelu", "gelu-tanh"]
Biases = Literal["none", "hidden", "all"]
Read = Literal["last", "all"]
LogScaling = Literal["none", "length", "suffix"]
AttentionScale = Literal["head", "root", "one"]
Initialisation = Literal["mup", "gpt2"]

_CHOICES = {
    "activation": get_args(Activation),
    "biases": get_args(Biases),
    "read": get_args(Read),
    "log_scaling": get_args(LogScaling),
    "attention_scale": get_args(AttentionScale),
    "initialisation": get_args(Initialisation),
}
_LEAST = {"vocabulary": 1, "outputs": 1, "width": 1, "layers": 0, "head_width": 0}


class ConfigError(LengthwiseError):
    """A model that cannot be built as asked."""


@dataclass(frozen=True)
class DecoderConfig:
    """A decoder-only transformer; by default the one-layer model of Izzo et al., section 6 and appendix C.

    Attributes:
        layers: How many layers there are.

    """

    vocabulary: int
    """How many symbol ids there are, a start symbol included."""
    outputs: int
    """How many numbers come out at a position."""
    width: int = 16
    """d: the dimension of the residual stream."""
    layers: int = 1
    heads: int | tuple[int, ...] = 1
    """Attention heads; a tuple gives each layer its own number."""
    head_width: int = 0
    """The dimension of queries and keys; 0 stands for the width, or width / heads if there is an output matrix."""
    output_matrix: bool = False
    """Whether heads are narrow and mixed by a matrix, as is usual; else V is d × d for each head, as in the papers."""
    hidden: int | tuple[int, ...] = 256
    """Hidden units of the MLP, 0 for none; a tuple gives each layer its own number."""
    activation: Activation = "relu"
    """`gelu` is z Φ(z), `gelu-tanh` its approximation by a tanh, which GPT-2 has."""
    layer_norm: bool = False
    """Layer norm before attention, before the MLP and before the unembedding."""
    biases: Biases = "hidden"
    """`hidden`: only b of the limit model's B ψ(A Y + b); `all`: in every linear map and layer norm."""
    position: str = "none"
    """The name of a position scheme (`lengthwise.nn.positions`)."""
    position_parameters: Mapping[str, Any] = field(default_factory=dict, hash=False)
    """The scheme's parameters by name, such as the period."""
    read: Read = "last"
    """Where outputs are wanted: at the last position only, which is cheaper, or at all."""
    log_scaling: LogScaling = "none"
    """`length`: logits times log N for inputs of length N (limit models of finite precision); `suffix`: only φ, times
    log i for the query at i (of infinite precision)."""
    attention_scale: AttentionScale = "head"
    """What logits are multiplied by, k being the head's width: `head` 1/k (µP), `root` 1/√k, `one` 1."""
    embedding_scale: float = 1.0
    """The standard deviation of the embeddings at the start; a multiple of 0.02 if that is GPT-2's."""
    initialisation: Initialisation = "mup"
    """Where weights start (`nn.initialisation`): as µP has it, or as GPT-2 does."""
    tied: bool = False
    """Whether symbols are embedded and unembedded by one matrix, as in GPT-2; the unembedding has no bias then."""
    causal: bool = True
    """Whether positions see only themselves and what is before them."""

    def __post_init__(self) -> None:
        for name, least in _LEAST.items():
            _check_whole(name, getattr(self, name), least)
        for name, choices in _CHOICES.items():
            if getattr(self, name) not in choices:
                raise ConfigError(f"{name} is one of {', '.join(choices)}, not {getattr(self, name)!r}")
        for name in ("output_matrix", "layer_norm", "tied", "causal"):
            if not isinstance(getattr(self, name), bool):
                raise ConfigError(f"{name} is true or false, not {getattr(self, name)!r}")
        for name in ("heads", "hidden"):
            numbers = self._for_each_layer(name)
            if isinstance(getattr(self, name), list | tuple):
                object.__setattr__(self, name, numbers)
        if isinstance(self.embedding_scale, bool) or not isinstance(self.embedding_scale, int | float):
            raise ConfigError(f"embedding_scale is a number, not {self.embedding_scale!r}")
        if not 0 < self.embedding_scale < float("inf"):
            raise ConfigError(f"embedding_scale is a positive number, not {self.embedding_scale!r}")
        given: object = self.position_parameters
        if not isinstance(given, Mapping):
            raise ConfigError(f"position_parameters are parameters by name, not {given!r}")
        object.__setattr__(self, "position_parameters", dict(given))
        if self.output_matrix and not self.head_width:
            for heads in self.heads_by_layer:
                if heads and self.width % heads:
                    raise ConfigError(
                        f"{heads} heads do not divide the width {self.width} evenly; choose another width or number "
                        "of heads, or give head_width"
                    )

    def _for_each_layer(self, name: str) -> tuple[int, ...]:
        value = getattr(self, name)
        require_memory(1000 * self.layers, f"a model of {self.layers} layers", "choose fewer")
        numbers = tuple(value) if isinstance(value, list | tuple) else (value,) * self.layers
        if len(numbers) != self.layers:
            raise ConfigError(f"{name} lists {len(numbers)} numbers for {self.layers} layers; give one for each layer")
        for number in numbers:
            _check_whole(name, number, 0)
        return numbers

    @property
    def heads_by_layer(self) -> tuple[int, ...]:
        """How many heads each layer has."""
        return self._for_each_layer("heads")

    @property
    def hidden_by_layer(self) -> tuple[int, ...]:
        """How many hidden units each layer has."""
        return self._for_each_layer("hidden")

    def key_width(self, layer: int) -> int:
        """The dimension of a layer's queries and keys."""
        heads = self.heads_by_layer[layer]
        return self.head_width or (self.width // heads if self.output_matrix and heads else self.width)

    @classmethod
    def gpt2(
        cls, vocabulary: int, width: int, layers: int, heads: int, context: int | None = None, **changes: Any
    ) -> DecoderConfig:
        """GPT-2 as Hugging Face has it and Huang et al., App. E.3, train it: with learned positions or without any."""
        positions = {"position": "learned", "position_parameters": {"context": context}} if context else {}
        settings: dict[str, Any] = {
            "outputs": vocabulary, "hidden": 4 * width, "output_matrix": True, "activation": "gelu-tanh",
            "layer_norm": True, "biases": "all", "attention_scale": "root", "initialisation": "gpt2", "tied": True,
            "read": "all", **positions, **changes,
        }  # fmt: skip
        return cls(vocabulary, width=width, layers=layers, heads=heads, **settings)

    def as_json(self) -> dict[str, Any]:
        """The same as plain data, all keys written out."""
        return {key: list(value) if isinstance(value, tuple) else value for key, value in asdict(self).items()}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> DecoderConfig:
        """What `as_json` gave; keys that are left out have their defaults."""
        known = [each.name for each in fields(cls)]
        for key in data:
            if key not in known:
                near = get_close_matches(key, known, n=1)
                raise ConfigError(f"a model has no key {key!r}" + (f"; did you mean {near[0]}?" if near else ""))
        for key in ("vocabulary", "outputs"):
            if key not in data:
                raise ConfigError(f"a model needs the key {key!r}")
        return cls(**data)


def _check_whole(name: str, value: object, least: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise ConfigError(f"{name} is a whole number from {least} on, not {value!r}")
