"""The paper's model in plain PyTorch, as an oracle."""

import torch

from lengthwise.experiments.probes import Cell
from lengthwise.experiments.probes.trials import started


class Reference(torch.nn.Module):
    """The paper's model for one trial, in the words of PyTorch: attention of [CLS] over embedded tokens."""

    def __init__(self, cell: Cell, trial: int) -> None:
        super().__init__()
        folded, _ = started(cell, [trial])
        self.weights = torch.nn.ParameterDict(
            {name.replace(".", "_"): weight.detach()[0].clone() for name, weight in folded.named_parameters()}
        )

    def forward(self, strings: torch.Tensor) -> torch.Tensor:
        w, functional = self.weights, torch.nn.functional
        tokens = torch.cat([strings.long(), torch.full((len(strings), 1), 2)], dim=1)
        stream = w["embedding"][tokens] + w["positions_vectors"]
        width = stream.shape[-1]

        def norm(name: str, vectors: torch.Tensor) -> torch.Tensor:
            return functional.layer_norm(vectors, (width,), w[f"{name}_gain"], w[f"{name}_gain_bias"])

        def linear(name: str, vectors: torch.Tensor) -> torch.Tensor:
            return functional.linear(vectors, w[f"layers_0_{name}"], w[f"layers_0_{name}_bias"])

        seen = norm("layers_0_attention_norm", stream)
        query, key, value = (
            linear(name, seen).view(*seen.shape[:2], 4, -1).transpose(1, 2) for name in ("query", "key", "value")
        )
        mixed = functional.scaled_dot_product_attention(query, key, value)[:, :, -1].flatten(1)
        last = stream[:, -1] + linear("mix", mixed)
        last = last + linear("output", functional.gelu(linear("hidden", norm("layers_0_mlp_norm", last))))
        outputs: torch.Tensor = functional.linear(norm("final_norm", last), w["unembedding"], w["unembedding_bias"])
        return outputs
