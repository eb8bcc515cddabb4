"""What the referee tries: named memories with their cues, updates, expectations at their edge, command lines."""

import importlib.util

import numpy as np

import hopattn as ha


def libraries():
    """The array libraries that are installed, each with a function that makes an array of float64."""
    made = {"numpy": lambda value: np.asarray(value, float)}
    if importlib.util.find_spec("torch"):
        import torch

        torch.set_num_threads(1)
        made["torch"] = lambda value: torch.tensor(np.asarray(value, float).tolist(), dtype=torch.float64)
    if importlib.util.find_spec("jax"):
        import jax

        jax.config.update("jax_enable_x64", True)
        made["jax"] = lambda value: jax.numpy.asarray(np.asarray(value, float))
    if importlib.util.find_spec("array_api_strict"):
        import array_api_strict

        made["array_api_strict"] = lambda value: array_api_strict.asarray(np.asarray(value, float).tolist())
    return made


def drawn(seed=5, m=4, n=8, cues=5):
    """Spins, unit vectors, values; cues near the spins and near the vectors."""
    rng = np.random.default_rng(seed)
    spins = rng.choice([-1.0, 1.0], size=(m, n))
    reals = ha.unit(rng.normal(size=(m, n)))
    values = rng.normal(size=(m, n))
    noisy = spins[rng.integers(m, size=cues)] * np.where(rng.random((cues, n)) < 0.15, -1.0, 1.0)
    near = reals[rng.integers(m, size=cues)] + 0.2 * rng.normal(size=(cues, n))
    return spins, reals, values, noisy, near


def memories(a):
    """Each model by its name: its arguments, arrays made by `a`, and the activation in whose domain its cues lie."""
    spins, reals, values, *_ = drawn()
    return {
        "bam": ({"left": a(spins), "right": a(-spins[:, ::-1].copy())}, "sign"),
        "delta": ({"keys": a(reals), "values": a(values), "rate": 0.7, "sweeps": 2}, ""),
        "dense": ({"patterns": a(spins), "n": 3}, "sign"),
        "exponential": ({"patterns": a(spins), "beta": 0.5}, "sign"),
        "graded": ({"patterns": a(spins), "beta": 3.0}, "sign"),
        "hopfield": ({"patterns": a(spins)}, "sign"),
        "hopfield storkey": ({"patterns": a(spins), "rule": "storkey", "bias": 0.1}, "sign"),
        "hopfield perceptron": ({"patterns": a(spins[:3]), "rule": "perceptron"}, "sign"),
        "hopfield step": ({"patterns": a(spins > 0), "rule": "covariance", "activation": "step"}, "step"),
        "input_driven": ({"patterns": a(spins), "input": a(0.3 * spins[0] + 0.1 * values[1]), "beta": 2.0}, "sign"),
        "k_subsets": ({"patterns": a(reals), "k": 2, "beta": 3.0}, ""),
        "linear": ({"keys": a(reals), "values": a(values)}, ""),
        "linear elu": ({"keys": a(reals), "values": a(reals), "feature_map": "elu", "normalise": True}, ""),
        "log_sum_relu": ({"patterns": a(reals), "beta": 1.0}, ""),
        "modern": ({"patterns": a(reals), "beta": 6.0}, ""),
        "modern sink": ({"patterns": a(reals), "beta": 6.0, "sink": 0.5}, ""),
        "nearest": ({"keys": a(reals), "values": a(values)}, ""),
        "normmax": ({"patterns": a(reals), "beta": 2.0}, ""),
        "random_features": ({"patterns": a(reals), "beta": 1.0, "n": 64, "rng": 3}, ""),
        "sdm": ({"addresses": a(spins), "values": a(-spins), "radius": 3}, "sign"),
        "sdm located": ({"addresses": a(spins), "values": a(spins), "radius": 4, "locations": 40, "rng": 1}, "sign"),
        "sequence": ({"patterns": a(spins), "n": 3}, "sign"),
        "sparse": ({"patterns": a(reals), "alpha": 1.5, "beta": 4.0}, ""),
        "spherical": ({"patterns": a(reals)}, "unit"),
        "threshold_layer": ({"patterns": a(reals), "threshold": 0.3}, ""),
        "universal": ({"keys": a(reals), "similarity": "manhattan", "separation": "power", "beta": 0.5}, ""),
    }


UPDATES = {"own": None, **{name: name for name in ha.updates}, "async sequence": ha.Asynchronous("sequence")}
UPDATES |= {"glauber": ha.Glauber(0.5), "langevin": ha.Langevin(0.1), "metropolis": ha.Metropolis(0.3)}


def within(activation, cues):
    """Cues within the domain of an activation."""
    return {
        "sign": np.where(cues > 0, 1.0, -1.0),
        "step": np.where(cues > 0, 1.0, 0.0),
        "tanh": np.clip(cues, -0.95, 0.95),
        "logistic": 1 / (1 + np.exp(-cues)),
        "layer_norm": cues - cues.mean(axis=-1, keepdims=True),
        "unit": 0.9 * ha.unit(cues),
    }.get(activation, cues)


IS, FIRST, CLOSER = (
    "is = [0.2, 1.896, 0.7, 0.472]",
    "is = [0.1, 1.196, 0, 0.372]",
    'closer_to = "financial"\nthan = "muddy"',
)
VERDICTS = [
    ("bank", IS, "is = [0.2099, 1.896, 0.7, 0.472]\nwithin = 0.01"),
    ("bank", IS, "is = [0.2101, 1.896, 0.7, 0.472]\nwithin = 0.01"),
    ("bank", IS, "is = [0.2, 1.896, 0.7, 0.4720000001]"),
    ("bank", IS, "is = [0.2, 1.896, 0.7, 0.47200000000001]"),
    ("bank", FIRST, "is = [0.1, -1.196, 0, 0.372]"),
    ("bank", CLOSER, 'closer_to = "muddy"\nthan = "financial"'),
    ("bank", CLOSER, 'closer_to = "in"\nthan = "muddy"'),
    ("letters", 'recalls = "X"', 'recalls = "nothing"'),
    ("letters", 'recalls = "nothing"', 'recalls = "S"'),
    ("letters", 'energy = "falls"', 'status = "cycle"'),
    ("letters", 'energy = "falls"', "steps = 1"),
    ("capacity", "is = 0.998", "is = 0.9"),
    ("messages", "is = 16", "is = 15"),
    ("sort", "is = [1, 2, 3, 4]", "is = [1, 2, 4, 3]"),
    ("transformer-layer", "is = [-0.5, 1]  ", "is = [-0.5, 1.001]  "),
    ("three-minima", "is = [[1, 1, 1, 1, 3", "is = [[1, 1, 1, 1, 2"),
    ("induction-unseen", "is = 1\n", "is = 0.99\n"),
]
"""Expectations at the edge of being met, or missed: a scenario, what stands there, what stands there instead."""

COMMANDS = """
--help; run --help; list; list --long; list memories; list --memories; run bank; run bank --explain; run bank --json
run letters; run induction --explain; run transformer-layer --digits 4; run multi-head --explain --format md; schema
check bank letters induction sort messages --workers 1; new memory mine.toml
sweep capacity --over load=0.05:0.2:4 --set ensemble.neurons=60 --trials 3 --workers 1; compare bank; papers --json
compare --trials 2 --n-patterns 6 --dim 32; separation patterns.csv; heads two-layers; lint notes.md --scenario bank
practice bank --count 3 --seed 7; practice messages --count 2 --seed 1 --format tex; papers clipped-load
run bank --figures moved --into drawn; explore bank --no-open
runn bank; run; run bnk; run no.toml; run bank --set x; run bank --set layer.head.mask=causl; run bank --digits 99
run bank --set layer.9.head.mask=causal; run bank --seed -1; run bank --figures movd; run bank --out .; run bank extra
run bank --figures moved --format pdff; run bank --figures moved --size 3; run -; check bnk; check bank --workers 0
list --json xyzzyx; sweep bank; sweep capacity --over laod=0.1; sweep capacity --over load=0.1:0.2 --trials 1
sweep capacity --over load=0.1 --trials 0; sweep capacity --over load=0.1 --out table.docx --trials 1; compare --load -1
compare --memories moder; compare none.npy; compare --over bta=1:2:3; compare --measure recaled --figure a.svg
figures movd; figures moved --format gif; separation none.npy; separation words.csv; heads nowhere
heads two-layers --repeats 3; lint none.md; lint notes.md --scenario bnk; practice bnk; practice bank --count 0
practice bank --format docx; papers nobody; new nothing here.toml; explore bnk --no-open; completion fishy
schema extra; train --steps 0; --nothing
"""
FILES = {
    "words.csv": "a,b\nc,d\n",
    "patterns.csv": "1,0,0\n0,1,0\n0.6,0.8,0\n",
    "notes.md": "The weight from banks to financial is .7.\n\nThe weight from banks to markets is .63.\n",
}
HOSTILE = ("None", "float('nan')", "-1", "1e308", "'x'", "[]", "True")
"""Those of the values of `tests/fuzz/hostile.py` that each parameter of each call is given."""
