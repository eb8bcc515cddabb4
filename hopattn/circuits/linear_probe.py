"""Linear probe: a linear classifier of vectors, fitted by multinomial logistic regression.

    scores s = W x + b          loss = mean over the vectors of Ψ(s) − s_y, + λ/2 |W|²

with Ψ the log of the sum of exponentials, whose gradient is the softmax, and y the right class. The loss is convex. The
model whose vectors are read stays as it is: only W and b are fitted.
"""

from dataclasses import dataclass

import numpy as np

from hopattn.foundation.errors import InvalidInput
from hopattn.foundation.scalars import positive, whole
from hopattn.retrieval.separation.softmax import Softmax

STEPS = 1000
"""The largest number of steps of a fit."""


@dataclass(frozen=True, eq=False)
class LinearProbe:
    """A linear classifier. weight: W, `(n_classes, dim)`. bias: b, `(n_classes,)`."""

    weight: np.ndarray
    bias: np.ndarray

    def scores(self, vectors: np.ndarray) -> np.ndarray:
        """W x + b of each vector, `(…, dim)` to `(…, n_classes)`."""
        return np.asarray(vectors @ self.weight.T + self.bias)

    def classes(self, vectors: np.ndarray) -> np.ndarray:
        """The class with the largest score, `(…,)`; of equal scores the first."""
        return np.asarray(np.argmax(self.scores(vectors), axis=-1))


def logistic_loss(
    parameters: np.ndarray, vectors: np.ndarray, classes: np.ndarray, n_classes: int, penalty: float
) -> tuple[float, np.ndarray]:
    """The loss, and its gradient by the parameters.

    parameters: W and then b, flat, `(n_classes · (dim + 1),)`. vectors: `(n, dim)`. classes: the right class of each,
    `(n,)`. penalty: λ. The gradient is (p − e_y) xᵀ averaged over the vectors, + λ W, for the weights p of the softmax.
    """
    weight, bias = np.split(parameters, [n_classes * vectors.shape[1]])
    weight = weight.reshape(n_classes, -1)
    scores, rows = vectors @ weight.T + bias, np.arange(len(vectors))
    separation = Softmax()
    loss = np.mean(separation.potential(scores) - scores[rows, classes]) + penalty / 2 * np.sum(weight**2)
    errors = separation.weights(scores)
    errors[rows, classes] -= 1
    errors /= len(vectors)
    gradient = np.concatenate([(errors.T @ vectors + penalty * weight).ravel(), errors.sum(axis=0)])
    return float(loss), gradient


def fit_probe(vectors: np.ndarray, classes: np.ndarray, n_classes: int, penalty: float = 1e-3) -> LinearProbe:
    """The linear probe of least loss, found by L-BFGS from zeros.

    vectors: `(n, dim)`. classes: whole numbers from 0 to n_classes − 1, `(n,)`. penalty: λ, above 0; it weighs the
    entries of W for vectors that are scaled to a mean of 0 and a variance of 1 in each element. Raises `InvalidInput`
    for vectors and classes that do not fit.
    """
    from scipy.optimize import minimize  # slow to import

    n_classes, penalty = whole(n_classes, "n_classes", least=2), positive(penalty, "penalty")
    if vectors.ndim != 2 or classes.shape != vectors.shape[:1] or not classes.size:
        raise InvalidInput(f"classes: shape {classes.shape} does not fit vectors of shape {vectors.shape}")
    if classes.dtype.kind not in "iu" or classes.min() < 0 or classes.max() >= n_classes:
        raise InvalidInput(f"classes: expected whole numbers from 0 to {n_classes - 1}")
    mean, deviation = vectors.mean(axis=0), vectors.std(axis=0)
    deviation = np.where(deviation > 1e-12 * np.abs(mean), deviation, 1.0)
    scaled = (vectors - mean) / deviation
    start = np.zeros(n_classes * (vectors.shape[1] + 1))
    found = minimize(
        logistic_loss, start, (scaled, classes, n_classes, penalty), "L-BFGS-B", jac=True, options={"maxiter": STEPS}
    )
    weight, bias = np.split(found.x, [n_classes * vectors.shape[1]])
    weight = weight.reshape(n_classes, -1) / deviation
    return LinearProbe(weight, bias - weight @ mean)
