"""Parts that several networks share, and the weights that all of them start with."""

from itertools import pairwise

import torch
from torch import Tensor, nn


class Scaled(nn.Module):
    """Divide inputs by constants, so that players feed raw numbers and the network sees small ones."""

    def __init__(self, by: tuple[float, ...]) -> None:
        super().__init__()
        self.by: Tensor
        self.register_buffer("by", torch.tensor(by))

    def forward(self, x: Tensor) -> Tensor:
        """The scaled inputs."""
        return x / self.by


def layers(*sizes: int) -> nn.Sequential:
    """Linear layers with ReLU between them, none after the last."""
    parts: list[nn.Module] = []
    for one, two in pairwise(sizes):
        parts += [nn.Linear(one, two), nn.ReLU()]
    return nn.Sequential(*parts[:-1])


def start_as_keras(model: nn.Module, seed: int) -> None:
    """Set the weights at the start as Keras does: Glorot uniform, biases 0, forget gates of LSTMs 1."""
    torch.manual_seed(seed)
    for module in model.modules():
        if isinstance(module, (nn.Linear, nn.Conv2d)):
            nn.init.xavier_uniform_(module.weight)
            if module.bias is not None:
                nn.init.zeros_(module.bias)
        elif isinstance(module, nn.LSTM):
            _start_lstm(module)


def _start_lstm(module: nn.LSTM) -> None:
    for name, weights in module.named_parameters():
        if "bias" in name:
            nn.init.zeros_(weights)
        else:
            for gate in weights.chunk(4):
                (nn.init.xavier_uniform_ if "ih" in name else nn.init.orthogonal_)(gate)
    size = module.hidden_size
    with torch.no_grad():
        dict(module.named_parameters())["bias_ih_l0"][size : 2 * size] = 1.0
