"""Layers of PyTorch with parameters that all differ, as NumPy arrays too, and slopes by central differences."""

import numpy as np

DIM, HEADS, HIDDEN = 8, 2, 20
OPTIONS = [(first, f, bias) for first in (False, True) for f in ("relu", "gelu") for bias in (True, False)]
"""(norm_first, activation, bias) of an encoder's layer."""


def torch_layer(torch, kind, **options):
    """A layer of an "Encoder" or a "Decoder" in its eval mode; biases begin at 0 and gains at 1, so all are moved."""
    torch.manual_seed(1)
    sizes = {"dropout": 0.0, "batch_first": True, "dtype": torch.float64}
    layer = getattr(torch.nn, f"Transformer{kind}Layer")(DIM, HEADS, HIDDEN, **sizes, **options)
    for parameter in layer.parameters():
        torch.nn.init.normal_(parameter, std=0.5)
    return layer.eval()


def numbers(layer):
    return {name: array.numpy() for name, array in layer.state_dict().items()}


def slopes(f, x, step=1e-5):
    """The central differences of a number f(x) for each entry of x."""
    result = np.zeros_like(x)
    for index in np.ndindex(x.shape):
        change = np.zeros_like(x)
        change[index] = step
        result[index] = (f(x + change) - f(x - change)) / (2 * step)
    return result
