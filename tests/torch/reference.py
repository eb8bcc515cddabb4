"""Outputs of hopfield-layers, from a clone of its sources: `python -m tests.torch.reference CLONE`.

The file `hopfield_layers.npz` beside this one was made with PyTorch 2.13 on a CPU, from commit f56f929 of
https://github.com/ml-jku/hopfield-layers. Every parameter is moved by .3 N(0, 1), so that none has its start value.
"""

import sys
from pathlib import Path

import numpy as np

FILE = Path(__file__).with_name("hopfield_layers.npz")
RECALLS = {"0": {}, "1": {}, "5": {}, "rest": {}, "sharp": {"scaling": 4.0}}
"""The recalls of one layer, by update_steps_max, None for the last two."""
STATIC = {
    f"normalize_{text}{part}": False
    for text in ("stored_pattern", "state_pattern", "pattern_projection")
    for part in ("", "_affine")
} | {f"{text}_as_static": True for text in ("stored_pattern", "state_pattern", "pattern_projection")}


def main(clone):
    sys.path.insert(0, clone)
    import hflayers
    import torch

    arrays = {}

    def made(kind, *sizes, **options):
        torch.manual_seed(1)
        module = kind(*sizes, **options).eval()
        with torch.no_grad():
            for parameter in module.parameters():
                parameter.add_(0.3 * torch.randn(parameter.shape))
        return module

    def keep(place, module=None, **tensors):
        state = {f"state/{name}": tensor for name, tensor in module.state_dict().items()} if module else {}
        arrays.update({f"{place}/{name}": tensor.detach().numpy() for name, tensor in (state | tensors).items()})

    draws = torch.Generator().manual_seed(0)
    stored, state, values = (torch.randn(3, n, 8, generator=draws) for n in (6, 4, 6))
    padding = torch.arange(6) >= torch.tensor([4, 6, 1])[:, None]
    texts = stored, state, values
    keep("texts", stored=stored, state=state, values=values, padding=padding)
    for name, options in RECALLS.items():
        steps = int(name) if name.isdigit() else None
        layer = made(hflayers.Hopfield, 8, num_heads=2, update_steps_max=steps, **options)
        masked = layer(texts, stored_pattern_padding_mask=padding)
        weights = layer.get_association_matrix(texts)
        keep(name, output=layer(texts), weights=weights, masked=masked, alone=layer(state))
    keep("hopfield", layer)
    layer = made(hflayers.HopfieldPooling, 8, num_heads=2, quantity=3)
    keep("pooling", layer, output=layer(stored))
    options = {"quantity": 5, "lookup_weights_as_separated": True, "add_zero_association": True}
    layer = made(hflayers.HopfieldLayer, 8, num_heads=2, update_steps_max=2, **options)
    keep("layer", layer, output=layer(state))
    dims = {"hidden_size": 4, "pattern_size": 3, "output_size": 7, "stored_pattern_size": 5}
    dims |= {"pattern_projection_size": 6, "normalize_hopfield_space": True, "normalize_hopfield_space_affine": True}
    layer = made(hflayers.Hopfield, 8, num_heads=2, update_steps_max=1, **dims)
    stored, values = (torch.randn(3, 6, dim, generator=draws) for dim in (5, 6))
    keep("dims", layer, stored=stored, values=values, output=layer((stored, state, values)))
    options = {"scaling": 2.0, "update_steps_max": 3, "disable_out_projection": True}
    keep("static", output=made(hflayers.Hopfield, 8, num_heads=1, **options, **STATIC)(texts))
    np.savez_compressed(FILE, **arrays)


if __name__ == "__main__":
    main(sys.argv[1])
