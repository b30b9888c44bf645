"""`SeededModel`: a module of anybody, one for each of several seeds, trained by the same loop as our decoder.

The weights of all seeds are kept with the seeds as their first axis, as the optimizer, the store and the stopping rules
have them. A seed is computed by the module itself, one seed at a time, so nothing is asked of it but PyTorch. Without
gradients it is in evaluation mode. Random numbers that it draws in training, as dropout does, are a function of the
seed and of how often it was called, so that they do not depend on other seeds.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import Tensor, nn
from torch.func import functional_call

from lengthwise.nn import positions
from lengthwise.nn.architectures.registry import ArchitectureError, get, made
from lengthwise.nn.architectures.signature import called
from lengthwise.nn.config import DecoderConfig
from lengthwise.nn.inputs import InputError, checked_places, checked_tokens
from lengthwise.nn.model import Decoder
from lengthwise.nn.parameters import Folded
from lengthwise.user_code import blaming, source_file


class SeededModel(Decoder):
    """A decoder for those who train and store it, whose computation is another module's.

    Args:
        name: The name of the model.
        parameters: Its parameters.
        config: Its sizes: vocabulary, outputs, and where outputs are read.
        seeds: The seeds of the models.
        dtype: The type of the weights.

    Raises:
        LengthwiseError: There is no such model, or it cannot be made.

    """

    calls: Tensor

    def __init__(
        self,
        name: str,
        parameters: Mapping[str, Any],
        config: DecoderConfig,
        seeds: Sequence[int],
        dtype: torch.dtype = torch.float32,
    ) -> None:
        Folded.__init__(self, len(seeds))
        if not seeds:
            raise InputError("a model needs at least one seed")
        self.name, self.parameters_given = name, dict(parameters)
        self.config, self.seeds = config, tuple(int(seed) for seed in seeds)
        # How often each seed was called in training: what checkpoints keep, as they keep weights.
        self.register_buffer("calls", torch.zeros(len(seeds), dtype=torch.int64))
        self.positions = positions.build(config, len(seeds))
        modules = [self._made(seed).to(dtype) for seed in self.seeds]
        self._module = [modules[0]]  # in a list: its own weights are no weights of this one
        for key, weight in modules[0].named_parameters():
            stacked = torch.stack([each.get_parameter(key).detach() for each in modules])
            self.register_parameter(_flat(key), nn.Parameter(stacked))
            self.roles[_flat(key)] = "hidden" if weight.dim() > 1 else "bias"
            self.scales[_flat(key)] = 1.0
        kept = modules[0].state_dict()
        self._weights = [key for key, _ in modules[0].named_parameters()]
        self._states = [key for key, _ in modules[0].named_buffers() if key in kept]
        for key in self._states:
            self.register_buffer(_flat(key), torch.stack([each.get_buffer(key) for each in modules]))
        if not self._weights:
            raise ArchitectureError(f"{name} has no weights to train")

    @property
    def embedding(self) -> nn.Parameter:  # type: ignore[override]
        """The first weight, which has the type and the device of all."""
        return self.get_parameter(_flat(self._weights[0]))

    def _made(self, seed: int) -> nn.Module:
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            return made(self.name, self.parameters_given, self.config.vocabulary, self.config.outputs)

    def forward(self, tokens: Tensor, places: Tensor | None = None) -> Tensor:
        """Outputs for symbol ids, as those of a `Decoder`."""
        tokens = checked_tokens(tokens, self.seed_count, self.config.vocabulary)
        places = checked_places(places, tokens).expand(self.seed_count, *tokens.shape[1:])
        return torch.stack([self._outputs(place, tokens[place], places[place]) for place in range(self.seed_count)])

    def module(self, place: int = 0) -> nn.Module:
        """The module of one seed, given by its place, with its weights."""
        found = self._made(self.seeds[place])
        found.load_state_dict(self._state_of(place), strict=False)
        return found

    def _state_of(self, place: int) -> dict[str, Tensor]:
        # Weights of a seed begin in memory as if it were alone, so that products round alike.
        weights = {key: self.get_parameter(_flat(key))[place].clone() for key in self._weights}
        return weights | {key: self.get_buffer(_flat(key))[place] for key in self._states}

    def _outputs(self, place: int, tokens: Tensor, places: Tensor) -> Tensor:
        module, training = self._module[0].to(tokens.device), torch.is_grad_enabled()
        module.train(training)
        with torch.random.fork_rng(devices=[]), blaming(source_file(get(self.name)), f"{self.name} on {_of(tokens)}"):
            if training:
                torch.manual_seed(_drawn(self.seeds[place], int(self.calls[place])))
                self.calls[place] += 1
            state = self._state_of(place)
            given = called(
                lambda *inputs, **named: functional_call(module, state, inputs, named), module, tokens, places
            )
        if not isinstance(given, Tensor):
            raise ArchitectureError(f"{self.name} returned a {type(given).__name__}; it must return logits, a tensor")
        wanted = (*tokens.shape, self.config.outputs)
        last = self.config.read == "last"
        if tuple(given.shape) == wanted:
            return given[:, -1] if last else given
        if last and tuple(given.shape) == (len(tokens), self.config.outputs):
            return given
        raise ArchitectureError(
            f"{self.name} returned the shape {tuple(given.shape)} for {_of(tokens)}; it must be {wanted}: logits for "
            "each word, position and output"
        )

    def subset(self, chosen: Sequence[int]) -> SeededModel:
        """A copy with some of the seeds, given by their places; it goes on as they would have here."""
        first, seeds = self.embedding, [self.seeds[place] for place in chosen]
        smaller = SeededModel(self.name, self.parameters_given, self.config, seeds, first.dtype)
        smaller.load_state_dict({key: weight[list(chosen)] for key, weight in self.state_dict().items()})
        return smaller.to(first.device)


def _with(module: nn.Module, state: Mapping[str, Tensor], *inputs: Any, **named: Any) -> Any:
    """What a module returns with other weights."""
    return functional_call(module, dict(state), inputs, named)


def _flat(key: str) -> str:
    """The name of a weight of a module within a module without parts."""
    return "module/" + key.replace(".", "/")


def _of(tokens: Tensor) -> str:
    return f"{tokens.shape[0]} words of {tokens.shape[1]} tokens"


def _drawn(seed: int, call: int) -> int:
    """The seed of the random numbers of one call."""
    return int.from_bytes(hashlib.sha256(f"{seed} call {call}".encode()).digest()[:7], "big")
