"""What the parts of a step of recall refuse: the argument that is named, and the words that help."""

from dataclasses import dataclass

import numpy as np
import pytest

import hopattn as ha
from hopattn.retrieval.masks import mask_rules, resolve
from hopattn.retrieval.similarity import Additive, Bilinear
from hopattn.retrieval.weight_spread import least_number
from tests.refusal import refused

EYE, ONES, KEYS = np.eye(2), np.ones, np.random.default_rng(1).normal(size=(5, 3))
LARGE = np.random.default_rng(5).normal(size=(1100, 8))
make, power, linear = ha.separations.make, ha.separations.power(n=3), ha.separations.proportional()
softmax, features, klass = ha.separations.softmax, ha.retrieval.RandomFeatures, ha.retrieval.operating_class


@dataclass(frozen=True)
class Nothing(ha.Separation):
    convex = True


CALLS = [
    *((lambda name=name, beta=beta: make(name, beta=beta), "beta", repr(beta))
      for name in ha.separations for beta in (0, -1, np.nan, 1e-320)),
    *((lambda beta=beta: softmax(beta=beta), "beta", repr(beta)) for beta in (np.inf, "8", True, None, [1])),
    (lambda: ha.Memory(EYE, beta=1e-320), "beta", "1e-320", "at least 2.23e-308"),
    (lambda: softmax(beta=ONES(2)), "beta", "(2,)"),
    *((lambda n=n: ha.separations.power(n=n), "n", "whole", repr(n)) for n in (1, 1001, 2.5, "3", True)),
    (lambda: ha.separations.entmax(alpha=0.9), "alpha", "at least 1", "0.9"),
    (lambda: ha.separations.entmax(alpha="2"), "alpha", "'2'"),
    (lambda: ha.separations.entmax(alpha=0.5), "alpha", "0.5", "no weight of 0"),
    (lambda: ha.separations.entmax(alpha=np.array([2, 0.5])), "alpha", "0.5", "from 1, the softmax, to 4"),
    (lambda: ha.separations.entmax(alpha=[1.5, np.nan]), "alpha", "nan"),
    (lambda: ha.separations.entmax(alpha=[1.5, 4.5]), "alpha", "4.5", "to 4"),
    (lambda: ha.separations.entmax(alpha=[1.5, 2]).weights(ONES((3, 2))), "alpha", "(2,)", "(3,)"),
    (lambda: ha.Memory(EYE, separation=ha.separations.entmax(alpha=[1, 2])), "alpha", "single number", "(2,)"),
    (lambda: ha.separations.normmax(alpha=1.0), "alpha", "above 1"),
    (lambda: ha.separations.normmax(alpha=[2, 1]), "alpha", "above 1"),
    (lambda: ha.separations.normmax(alpha=np.nan), "alpha", "nan"),
    (lambda: ha.separations.k_subsets(k=0), "k", "whole", "0"),
    (lambda: ha.separations.k_subsets(k=1.5), "k", "whole", "1.5"),
    (lambda: ha.separations.threshold(t=np.inf), "t", "finite", "inf"),
    (lambda: ha.separations["softmx"], "separation", "'softmx'", "'softmax'", "argmax, entmax"),
    (lambda: make("softmax", betta=2), "separation 'softmax'", "'betta'", "'beta'"),
    (lambda: make("identity", sink=1), "separation 'identity'", "'sink'"),
    (lambda: power.conjugate(ONES(3) / 3), "conjugate", "not convex"),
    (lambda: power.inverse(ONES(3) / 3), "conjugate", "not convex"),
    (lambda: linear.conjugate(ONES(3) / 3), "conjugate", "no potential"),
    (lambda: linear.inverse(ONES(3) / 3), "inverse", "none"),
    (lambda: ha.separations.argmax().inverse(ONES(3) / 3), "inverse", "Argmax"),
    (lambda: linear.potential(ONES(3)), "potential", "no potential"),
    (lambda: Nothing().weights(ONES(3)), "Nothing", "potential", "weights"),
    (lambda: ha.Memory(EYE, separation="identity", sink=0), "sink", "'identity'", "argmax, entmax, k_subsets, norm"),
    (lambda: ha.Memory(EYE, sink=np.nan), "sink", "nan"),
    (lambda: ha.Memory(EYE, sink="0"), "sink", "'0'"),
    (lambda: ha.Memory(EYE, sink=np.zeros(3)), "sink", "single number", "(3,)"),
    (lambda: ha.Memory(EYE, separation=softmax(sink=1), sink=1), "sink", "one place"),
    (lambda: softmax(sink=np.array([0, np.inf])), "sink", "inf", "finite numbers"),
    (lambda: softmax(sink=np.zeros(2)).weights(ONES((3, 2))), "sink", "(2,)", "(3,)"),
    (lambda: ha.Memory(EYE).rest([1.0, 0.0]), "rest", "Softmax(beta=1.0)", "no sink"),
    (lambda: ha.Memory(EYE, separation="power").rest([1.0, 0.0]), "rest", "Power", "no sink"),
    (lambda: ha.Memory(KEYS, separation="identity").free_energy(KEYS), "free_energy", "Identity", "not a distribution"),
    (lambda: ha.Memory(KEYS, separation="exponential").free_energy(KEYS), "free_energy", "need not sum to 1"),
    (lambda: ha.Memory(KEYS, separation=linear).free_energy(KEYS), "free_energy", "proportion"),
    (lambda: ha.Memory(KEYS, separation="k_subsets").free_energy(KEYS), "free_energy", "sum to k"),
    (lambda: ha.transformer.free_energy(ONES((2, 5, 4)), ONES((3, 5, 4))), "q, k", "leading axes"),
    (lambda: ha.activations.tanh(beta=-1), "beta", "-1"),
    (lambda: ha.activations.layer_norm(gamma=0), "gamma", "0"),
    (lambda: ha.activations.layer_norm(epsilon=np.nan), "epsilon", "nan"),
    (lambda: ha.activations.layer_norm(delta=(1.0,) * 5)(ONES(3)), "delta", "5", "3"),
    (lambda: ha.activations.sign().inverse(ONES(2)), "Sign()", "no inverse"),
    (lambda: ha.activations.layer_norm().proximal(ONES(2), ONES(2), 1.0), "LayerNorm", "no damped form"),
    (lambda: ha.cue([[1, 2]], [1, 2, 3]), "activation", "got shape (3,)", "n_in = 2 of weights"),
    (lambda: ha.cue([[1, 2], [3]], [1, 2]), "weights", "unequal length"),
    (lambda: ha.cue(["a"], [1]), "weights", "real numbers"),
    (lambda: ha.cue(3, [1]), "weights", "(n_out, n_in)"),
    (lambda: ha.cue(ONES((1, 2, 3)), ONES(3)), "weights", "(1, 2, 3)"),
    (lambda: ha.cue([1], [1], "sgin"), "f", "'sgin'", "'sign'"),
    (lambda: ha.cue(EYE, [1, 2], "reul"), "f", "'reul'", "'relu'"),
    (lambda: ha.cue(EYE, [1, 2], np.sum), "f", "shape", "(2,)"),
    (lambda: ha.cosine([1, 2], [1, 2, 3]), "b", "expected (…, m, dim) or (dim,) with dim = 2 of a"),
    (lambda: ha.similarities["feature_map"](phi="eluu"), "phi", "'eluu'", "'elu'"),
    (lambda: ha.similarities["feature_map"](phi="random_feature"), "phi", "'random_features'"),
    (lambda: ha.similarities["feature_map"](phi=3), "phi", "an int"),
    (lambda: features(0), "n", "at least 1", "0"),
    (lambda: features(8, rng="x"), "rng", "at least 0", "'x'"),
    (lambda: features(8, beta=-1), "beta", "-1"),
    (lambda: features(8, orthogonal=3), "orthogonal", "3"),
    (lambda: features(10**8).directions(2), "RandomFeatures: 100,000,000 directions", "would take"),
    (lambda: ha.memories.linear(EYE, feature_map="identity", normalise=True), "normalise", "identity"),
    (lambda: Bilinear([1.0, 2.0]), "matrix", "(2,)", "(dim_cue, dim_key)"),
    (lambda: Bilinear(EYE)(ONES((1, 3)), ONES((1, 2))), "cues", "(1, 3)", "dim_cue = 2 of matrix"),
    (lambda: Bilinear(EYE)(ONES((1, 2)), ONES((1, 3))), "keys", "(1, 3)", "n_patterns, dim"),
    (lambda: Additive(EYE, ONES((3, 2)), [1, 1]), "w_key", "(3, 2)", "dim_hidden = 2"),
    (lambda: Additive(EYE, EYE, [1]), "v", "(1,)", "dim_hidden = 2"),
    (lambda: Additive(EYE, EYE, [1, 1])(ONES(3), ONES((1, 2))), "cues", "(3,)"),
    (lambda: Additive(EYE, EYE, [1, 1])(ONES(2), ONES((1, 3))), "keys", "(1, 3)"),
    (lambda: ha.Memory(EYE, similarity=Bilinear(EYE)).save("memory.npz"), "save", "Bilinear"),
    (lambda: mask_rules.make("window"), "mask 'window'", "width"),
    (lambda: resolve("causl", np.zeros((2, 3))), "mask", "'causal'"),
    (lambda: resolve(ONES((2, 3)), np.zeros((2, 3))), "mask", "booleans", "float64"),
    (lambda: resolve(ONES((3, 2), bool), np.zeros((2, 3))), "mask", "(3, 2)", "(2, 3)"),
    (lambda: resolve(ONES((5, 2, 3), bool), np.zeros((2, 3))), "mask", "does not fit"),
    (lambda: resolve("causal", np.zeros(3)), "mask", "no place in the text"),
    (lambda: ha.Memory(LARGE[:1000]).step(LARGE, mask="causal"), "mask", "1100", "more than 1000"),
    (lambda: ha.Memory(LARGE[:1000]).step(LARGE, mask=ONES((3, 1000), bool)), "mask", "(3, 1000)"),
    (lambda: ha.causal.array(0), "n", "0"),
    (lambda: ha.causal.array(3, 2), "mask", "3", "2"),
    (lambda: ha.strict.array(-1), "n", "-1"),
    (lambda: ha.window(0), "window", "0"),
    (lambda: ha.padding([4]).array(3), "lengths", "0 to 3", "not 4"),
    (lambda: ha.padding([-1]).array(3), "lengths", "[-1]"),
    (lambda: ha.padding([1.5]).array(3), "lengths", "whole"),
    (lambda: ha.attention(*[ONES((3, 4))] * 3, mask=ha.window), "mask", "the function window", "write ha.window(3)"),
    (lambda: ha.attention(*[ONES((3, 4))] * 3, mask=[ha.causal, ha.padding(2)]), "mask", "a list", "ha.causal & "),
    (lambda: ha.attention(*[ONES((3, 4))] * 3, mask="window"), "mask 'window'", "ha.window(width=…)"),
    (lambda: ha.causal(3), "mask", "ha.causal is a rule", ".array(n)"),
    (lambda: ha.attention(*[ONES((2, 3, 4))] * 3, mask=ha.padding([[1, 2]] * 2)), "mask", "(2, 2)", "(2, 3, 3)"),
    (lambda: ha.attention(*[ONES((2, 3, 4))] * 3, mask=ha.padding([1, 2, 3])), "mask", "(3, 1, 3)", "(2, 3, 3)"),
    (lambda: ha.attention(*[ONES((2, 3, 4))] * 3, mask=ha.padding([1, 4])), "lengths", "from 0 to 3", "not 4"),
    (lambda: klass([[0.5, -0.5]]), "weights", "-0.5", "below 0"),
    (lambda: klass([[np.nan, 1.0]]), "weights: row 0", "NaN"),
    (lambda: klass([]), "weights", "(0,)", "(…, n_keys)"),
    (lambda: klass(ONES((2, 2, 2))), "weights", "one head", "(2, 2, 2)"),
    (lambda: klass([["a"]]), "weights", "real numbers"),
    (lambda: klass(np.zeros((2, 3))), "weights", "no row has any weight"),
    (lambda: klass(np.eye(31)), "weights", "32", "no row has more than 31"),
    (lambda: klass([[1.0, 0.0]], mask=[[1, 0]]), "mask", "booleans"),
    (lambda: klass([[1.0, 0.0]], mask=[[True] * 3]), "mask", "(1, 3)", "(1, 2)"),
    *((lambda mass=mass: least_number([1.0], mass), "mass", "expected") for mass in (0, 1.1, "half", np.nan, True)),
]  # fmt: skip


@pytest.mark.parametrize("row", range(len(CALLS)))
def test_what_cannot_be_is_refused_with_its_place_and_what_was_expected(row, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    refused(*CALLS[row])


def test_where_a_derivative_would_be_lost_it_is_refused(torch, jax):
    slope, pair = torch.tensor(2.0, requires_grad=True), torch.ones(2, requires_grad=True)
    for call, place, *words in (
        (lambda: ha.activations.tanh(beta=slope), "beta", "plain number"),
        (lambda: ha.positions.Alibi(slope), "slope", "plain number"),
        (lambda: jax.grad(lambda beta: ha.activations.tanh(beta=beta).beta)(2.0), "beta", "plain number"),
        (lambda: ha.Memory(KEYS, separation=softmax(beta=slope)), "beta", "same library", "numpy"),
        (lambda: ha.Memory(KEYS, sink=slope), "sink", "same library", "numpy"),
        (lambda: ha.Memory(torch.eye(2), beta=pair), "beta", "(2,)", "multiply the queries"),
        (lambda: ha.Memory(torch.eye(2), beta=torch.ones(2)), "beta", "(2,)"),
        (lambda: ha.Memory(torch.eye(2), beta=-slope), "beta", "positive"),
        (lambda: torch.vmap(lambda n: ha.padding(n).array(5))(torch.tensor([3, 4])), "lengths", "PyTorch"),
        (lambda: jax.jit(lambda n: ha.padding(n).array(5))(np.array([3, 4])), "lengths", "JAX"),
        (lambda: ha.padding(torch.tensor([3, 6])).array(5), "lengths", "0 to 5"),
        (lambda: ha.padding(jax.numpy.asarray([3.0])).array(5), "lengths", "whole"),
    ):
        refused(call, place, *words)
