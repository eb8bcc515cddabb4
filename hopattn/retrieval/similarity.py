"""Similarity: how well a cue matches each stored key.

    s = sim(K, x)

Add a similarity by adding a frozen dataclass here, above the registry.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any, ClassVar

import numpy as np

from hopattn.foundation.argument_names import PublicObject, in_loops
from hopattn.foundation.arrays import Array, namespace
from hopattn.foundation.boundary import Declared, Of, Positive, formula, public
from hopattn.foundation.errors import InvalidInput
from hopattn.foundation.registry import Registry
from hopattn.foundation.vectors import linear, normalised, row_length
from hopattn.retrieval.features import Features, feature_maps, kept

OneOrMore = Annotated[Any, Of("… n? dim")]
CuesOfMatrix = Annotated[Any, Of("… n? dim_cue")]
KeysOfMatrix = Annotated[Any, Of("… n_patterns dim_key")]
DIFFERENCES_FOR_SCIPY = 2**18
"""The number of differences of entries from which SciPy takes the distances of NumPy arrays. Below, its import would
take longer."""


@dataclass(frozen=True)
class Similarity(PublicObject, ABC):
    """A similarity of cues with keys.

    Called with cues `(…, n_cues, dim)` or `(dim,)` and keys `(…, n_patterns, dim)`; gives scores
    `(…, n_cues, n_patterns)` or `(n_patterns,)`.
    """

    linear: ClassVar[bool] = False
    """True where the scores are K x: only then is Kᵀ∇Ψ(K x) the gradient of Ψ(K x), and is there an energy."""
    by_entries: ClassVar[bool] = False
    """True where the work goes by the entries of each pair, `(…, n_cues, n_patterns, dim)`, and not by products."""
    holds_entries: ClassVar[bool] = True
    """False where, of large NumPy arrays, the differences of all entries are not held at once, though by_entries."""
    by_pairs: ClassVar[bool] = True
    """True where each score depends on its own cue and key alone, whatever their position in the batch."""
    whole: ClassVar[bool] = False
    """True where cues and keys of whole numbers have scores of whole numbers, which are exact."""
    distance: ClassVar[bool] = False
    """True where the score is minus a distance: then the length of a vector matters, not its direction alone."""
    source: ClassVar[str]

    @abstractmethod
    @in_loops
    def __call__(self, cues: Array, keys: Array) -> Array: ...

    @in_loops
    def cue_term(self, cues: Array) -> Array | None:
        """c(x), `(…, n_cues)`, of scores s_μ = k_μ·x + a_μ + c(x), with a_μ of the key alone; None for other scores.

        A class that gives it says that its field is a gradient wherever the weights of a row sum to 1: then
        Ψ(s) − c(x) = Ψ(K x + a), and the energy is E(x) = Φ*(x) + c(x) − Ψ(s). For s_μ = −½|x − k_μ|² it is −½|x|²;
        with the softmax and the identity E = −β⁻¹ log Σ exp(−β|x − k_μ|²/2), and a step is one of the mean shift.
        """
        return None

    @property
    def has_gradient(self) -> bool:
        """Whether the class gives a `cue_term`."""
        return type(self).cue_term is not Similarity.cue_term

    def rounding(self, cues: Array, keys: Array) -> Array:
        """The largest rounding error of a score that is 0, shaped as the scores: ε · dim · |x||k|."""
        eps = float(namespace(cues).finfo(cues.dtype).eps)
        x_norm, k_norm = row_length(cues), row_length(keys)
        return eps * cues.shape[-1] * (x_norm * k_norm if cues.ndim == 1 else x_norm[..., None] * k_norm[..., None, :])


@dataclass(frozen=True)
class Dot(Similarity):
    """s_μ = Σ_j k_μj x_j, any real number; the cosine where cue and key are of unit magnitude."""

    linear: ClassVar[bool] = True
    whole: ClassVar[bool] = True
    source: ClassVar[str] = "LING3804 Lecture Notes 7, 7.1"

    def __call__(self, cues: Array, keys: Array) -> Array:
        return cues @ keys.mT


@dataclass(frozen=True)
class Cosine(Similarity):
    """s_μ = k_μ·x / |k_μ||x|, in [−1, 1]; 0 where either is the zero vector."""

    source: ClassVar[str] = "LING3804 Lecture Notes 7, 7.1"

    def __call__(self, cues: Array, keys: Array) -> Array:
        cosines = normalised(cues) @ normalised(keys).mT
        return namespace(cosines).clip(cosines, -1.0, 1.0)  # rounding reaches 1 + 7e-16

    def rounding(self, cues: Array, keys: Array) -> Array:
        return super().rounding(normalised(cues), normalised(keys))


@dataclass(frozen=True)
class Euclidean(Similarity):
    """s_μ = −|k_μ − x|, 0 or less; 0 where the cue is the key.

    Source: Millidge et al. (2022), ICML, section 3.
    """

    distance: ClassVar[bool] = True
    by_entries: ClassVar[bool] = True
    source: ClassVar[str] = "Millidge et al. 2022"

    def __call__(self, cues: Array, keys: Array) -> Array:
        return -row_length(_differences(cues, keys))


@dataclass(frozen=True)
class Manhattan(Similarity):
    """s_μ = −Σ_j |k_μj − x_j|, 0 or less; 0 where the cue is the key."""

    whole: ClassVar[bool] = True
    distance: ClassVar[bool] = True
    by_entries: ClassVar[bool] = True
    holds_entries: ClassVar[bool] = False
    source: ClassVar[str] = "Millidge et al. 2022"

    def __call__(self, cues: Array, keys: Array) -> Array:
        if _worth_scipy(cues, keys):
            return -_distances(cues, keys, "cityblock")
        differences = _differences(cues, keys)
        return -namespace(differences).sum(namespace(differences).abs(differences), axis=-1)


@dataclass(frozen=True)
class Hamming(Similarity):
    """s_μ = −(the number of entries in which key and cue differ), a whole number from −dim to 0.

    Source: Kanerva (1988), Sparse Distributed Memory.
    """

    whole: ClassVar[bool] = True
    distance: ClassVar[bool] = True
    by_entries: ClassVar[bool] = True
    holds_entries: ClassVar[bool] = False
    source: ClassVar[str] = "Kanerva 1988"

    def __call__(self, cues: Array, keys: Array) -> Array:
        if _worth_scipy(cues, keys):
            return -np.rint(cues.shape[-1] * _distances(cues, keys, "hamming"))  # SciPy's is a share of the entries
        xp = namespace(cues)
        return -xp.sum(xp.astype(_differences(cues, keys) != 0, cues.dtype), axis=-1)


@dataclass(frozen=True)
class FeatureMap(Similarity):
    """s_μ = φ(k_μ)·φ(x), with φ applied to each entry: "identity", "relu" or "elu" (elu(x) + 1, above 0).

    Parameters
    ----------
    phi
        "identity", "relu" or "elu", or an object, such as `hopattn.retrieval.RandomFeatures(n, rng=0)`, whose φ is of
        the whole vector.

    Raises
    ------
    InvalidInput : for another φ.

    Notes
    -----
    Source: Katharopoulos et al. (2020), ICML; Choromanski et al. (2021), ICLR.
    """

    phi: str | Features = "elu"
    source: ClassVar[str] = "Katharopoulos et al. 2020"

    def __post_init__(self) -> None:
        object.__setattr__(self, "phi", kept(self.phi))

    def __call__(self, cues: Array, keys: Array) -> Array:
        return feature_maps.make(self.phi).kernel(cues, keys)


def _differences(cues: Array, keys: Array) -> Array:
    """x − k for each cue and key, `(…, n_cues, n_patterns, dim)`."""
    return cues[..., None, :] - (keys if cues.ndim == 1 else keys[..., None, :, :])


def _worth_scipy(cues: Array, keys: Array) -> bool:
    """Whether cues and keys are NumPy arrays with many differences, of which an array would take room and time."""
    are_numpy = isinstance(cues, np.ndarray) and isinstance(keys, np.ndarray)
    return are_numpy and cues.size * keys.shape[-2] >= DIFFERENCES_FOR_SCIPY


def _distances(cues: np.ndarray, keys: np.ndarray, metric: str) -> np.ndarray:
    """SciPy's distances of each cue and key, `(…, n_cues, n_patterns)`, text by text, in the dtype of both."""
    from scipy.spatial.distance import cdist

    rows, dtype = cues if cues.ndim > 1 else cues[None], np.result_type(cues, keys)
    of_texts = np.vectorize(partial(cdist, metric=metric), otypes=[dtype], signature="(n,d),(m,d)->(n,m)")
    distances = np.asarray(of_texts(rows, keys))
    return distances if cues.ndim > 1 else np.asarray(distances[..., 0, :])


similarities: Registry[Similarity] = Registry("similarity", Similarity, [__name__], imports=True)
"""The similarities above. Those below need arrays or a number of a model: no name stands for them, so that one gives an
object."""


@dataclass(frozen=True)
class Capped(Declared, Similarity):
    """s_μ = c tanh(k_μ·x / c), between −c and c: the dot product, bent where it is large.

    Parameters
    ----------
    cap : c, a positive number. A model that caps β s at C has the cap C/β.

    Notes
    -----
    The field of a bent score is not the gradient of a potential of K x, so that there is no energy. Source: Gemma Team
    (2024), arXiv:2408.00118, section 2.

    Examples
    --------
    >>> import numpy as np
    >>> Capped(2.0)(np.array([[1.0, 100.0]]), np.eye(2)).round(3)
    array([[0.924, 2.   ]])
    """

    cap: Positive
    source: ClassVar[str] = "Gemma Team 2024"

    @public
    def __call__(self, cues: OneOrMore, keys: Annotated[Array, Of("… n_patterns dim")]) -> Array:
        scores = cues @ keys.mT
        return self.cap * namespace(scores).tanh(scores / self.cap)


@dataclass(frozen=True, eq=False)
class Bilinear(Declared, Similarity):
    """s_μ = xᵀ W k_μ, any real number; the dot product where W is the identity.

    Parameters
    ----------
    matrix : W, `(dim of the cues, dim of the keys)`: it maps a key to a cue.

    Raises
    ------
    InvalidInput : for another shape, and for cues or keys that do not fit it.

    Notes
    -----
    The score (W₁x)·(W₂k) of two matrices is W = W₁ᵀW₂. Source: Luong, Pham & Manning (2015), EMNLP, section 3.1,
    "general" (their W_a is our W, h_t our cue, h̄_s our key).

    Examples
    --------
    >>> import numpy as np
    >>> Bilinear([[1.0, 0.0, 2.0], [0.0, 1.0, 0.0]])(np.array([[1.0, 10.0]]), np.eye(3))
    array([[ 1., 10.,  2.]])
    """

    matrix: Annotated[Array, Of("dim_cue dim_key")]
    source: ClassVar[str] = "Luong et al. 2015"

    @public
    def __call__(self, cues: CuesOfMatrix, keys: KeysOfMatrix) -> Array:
        return linear(cues, self.matrix.mT) @ keys.mT

    def rounding(self, cues: Array, keys: Array) -> Array:
        """The largest rounding error of a score that is 0: ε · (both dims) · |x||W||k|, with W's Frobenius norm."""
        return super().rounding(cues, keys) * (sum(self.matrix.shape) / cues.shape[-1] * _length(self.matrix))


@dataclass(frozen=True, eq=False)
class Additive(Declared, Similarity):
    """s_μ = vᵀ tanh(W x + U k_μ), from −Σ|v| to Σ|v|: a network with one hidden layer compares cue and key.

    Parameters
    ----------
    w_cue : W, `(dim_hidden, dim of the cues)`.
    w_key : U, `(dim_hidden, dim of the keys)`.
    v : (dim_hidden,)

    Raises
    ------
    InvalidInput : for matrices that do not fit each other, and for cues or keys that do not fit them.

    Notes
    -----
    Source: Bahdanau, Cho & Bengio (2015), ICLR, appendix A.1.2 (their W_a, U_a, v_a; s_{i−1} is our cue, h_j our key).

    Examples
    --------
    >>> import numpy as np
    >>> Additive([[1.0]], [[1.0]], [2.0])(np.array([[0.5]]), np.array([[-0.5], [9.5]])).round(3)
    array([[0., 2.]])
    """

    w_cue: Annotated[Array, Of("dim_hidden dim_cue")]
    w_key: Annotated[Array, Of("dim_hidden dim_key")]
    v: Annotated[Array, Of("dim_hidden")]
    by_entries: ClassVar[bool] = True
    source: ClassVar[str] = "Bahdanau et al. 2015"

    @public
    def __call__(self, cues: CuesOfMatrix, keys: KeysOfMatrix) -> Array:
        wx, uk = linear(cues, self.w_cue), linear(keys, self.w_key)
        hidden = wx[..., None, :] + (uk if cues.ndim == 1 else uk[..., None, :, :])
        return namespace(hidden).tanh(hidden) @ self.v

    def rounding(self, cues: Array, keys: Array) -> Array:
        """The largest rounding error of a score that is 0: that of both products, of tanh, and of the sum over v."""
        xp = namespace(cues)
        wx_error = self.w_cue.shape[1] * _length(self.w_cue) * row_length(cues)
        uk_error = self.w_key.shape[1] * _length(self.w_key) * row_length(keys)
        pair_errors = wx_error + uk_error if cues.ndim == 1 else wx_error[..., None] + uk_error[..., None, :]
        return float(xp.finfo(cues.dtype).eps) * xp.sum(xp.abs(self.v)) * (pair_errors + self.v.shape[0] + 4)


@dataclass(frozen=True, eq=False)
class FixedScores(Similarity):
    """Scores from a table, whatever the cues and keys are: for sources that print the scores without the vectors.

    table: `(n_queries, n_keys)`. Raises `InvalidInput` for a table that does not fit the numbers of cues and keys.
    """

    table: Array
    by_pairs: ClassVar[bool] = False
    source: ClassVar[str] = "the table itself"

    def __call__(self, cues: Array, keys: Array) -> Array:
        expected = (cues.shape[-2], keys.shape[-2])
        if tuple(self.table.shape) != expected:
            raise InvalidInput(
                f"scores: shape {tuple(self.table.shape)} does not fit {expected[0]} queries and {expected[1]} keys"
            )
        leading = np.broadcast_shapes(tuple(cues.shape[:-2]), tuple(keys.shape[:-2]))
        return namespace(self.table).broadcast_to(self.table, (*leading, *expected))

    def rounding(self, cues: Array, keys: Array) -> Array:
        """0: the table is exact."""
        return 0.0


@formula
def cosine(a: OneOrMore, b: Annotated[Array, Of("… m? dim")]) -> Array:
    """The cosine of the angle between the rows of a and the rows of b: a·b / |a||b|.

    Parameters
    ----------
    a : (dim,) or (…, n, dim)
    b : (dim,) or (…, m, dim)

    Returns
    -------
    `(…, n, m)`, without the axis of an argument that is a single vector; values in [−1, 1], and 0 where a vector is
    zero.

    Raises
    ------
    InvalidInput : where the dims differ.

    Notes
    -----
    Source: LING3804 Lecture Notes 7, 7.1.

    Examples
    --------
    >>> import hopattn as ha
    >>> round(float(ha.cosine([0.9, 0.4, 0.2], [0.4, 0.9, 0.2])), 3)
    0.752
    """
    cosines = Cosine()(a, b if b.ndim > 1 else b[None, :])
    return cosines if b.ndim > 1 else cosines[..., 0]


def _length(matrix: Array) -> Array:
    """The Frobenius norm of a matrix, which bounds |W x| / |x|."""
    return row_length(namespace(matrix).reshape(matrix, (-1,)))
