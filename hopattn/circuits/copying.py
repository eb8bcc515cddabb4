"""Copying: whether a head makes the words that it attends to more likely.

M = W_U W_OV W_Eᵀ          M_ij: the number that word j, where it is attended to, adds to the logit of word i
"""

from typing import Any

import numpy as np

from hopattn.circuits.given_matrices import numpy_matrix
from hopattn.foundation.arrays import require_dim
from hopattn.foundation.chunks import blocks
from hopattn.foundation.errors import InvalidInput, reject_unknown

BY = ("logits", "eigenvalues")
HELD = 2**22
"""The number of logits that are held at a time: columns of M, one for each word that is attended to."""


def copying(w_ov: Any, embed: Any, unembed: Any = None, by: str = "logits") -> float:
    """The copying score of a head, from −1 to 1: 1 where each word raises its own logit and no other.

        by = "logits"       mean_j of 2 [M_jj − m_j]₊ / Σ_i [M_ij − m_j]₊ − 1,     m_j the mean of column j of M
        by = "eigenvalues"  Σ λ / Σ |λ| over the eigenvalues λ of M

    w_ov: W_O W_V, `(dim, dim)`, (out, in). embed, unembed: the vector of each word, `(n_words, dim)`; without unembed
    the words are read as they are written. Chance, for random matrices: near 2/n_words − 1 by logits, where one of
    n_words raised logits is the word's own; 0 by eigenvalues, whose signs are then random. Words that raise no logit
    above another do not count. Raises `InvalidInput` for matrices that do not fit or are not finite, for one word
    alone, and where no word raises any logit.
    Source: Olsson et al. (2022), appendix, for "logits" (their score of a random sample, here of all words once);
    Elhage et al. (2021), Detecting copying behavior, for "eigenvalues".

    >>> import numpy as np
    >>> copying(np.eye(3), np.eye(3)), copying(-np.eye(3), np.eye(3))
    (1.0, -1.0)
    """
    reject_unknown("by", [by], BY)
    written = numpy_matrix(embed, "embed")
    read = written if unembed is None else numpy_matrix(unembed, "unembed")
    through = numpy_matrix(w_ov, "w_ov")
    require_dim(through, written.shape[1], "w_ov", "embed")
    if read.shape != (len(written), len(through)):
        raise InvalidInput(f"unembed: shape {read.shape} does not fit {len(written)} words and {len(through)} outputs")
    if len(written) < 2:
        raise InvalidInput("embed: with one word there is no other to raise; expected at least two")
    through, written, read = (each / (np.abs(each).max() or 1.0) for each in (through, written, read))  # no overflow
    return _by_logits(through, written, read) if by == "logits" else _by_eigenvalues(through, written, read)


def _by_logits(through: np.ndarray, written: np.ndarray, read: np.ndarray) -> float:
    """The mean, over words, of the share that a word's own logit has of all that it raises, scaled to [−1, 1].

    M is computed in blocks of columns: that of a vocabulary of 50,257 words has 20 GB.
    """
    n = len(written)
    shares: list[np.ndarray] = []
    for words in blocks(n, max(HELD // n, 1)):
        logits = read @ (through @ written[words].T)
        largest = np.abs(logits).max(axis=0)
        logits -= logits.mean(axis=0)
        raised = np.maximum(logits, 0.0, out=logits)
        total = raised.sum(axis=0)
        counts = total > n * np.finfo(np.float64).eps * largest
        own = raised[np.arange(n)[words], np.arange(len(total))]
        shares.append(own[counts] / total[counts])
    if not any(map(len, shares)):
        raise InvalidInput("w_ov: no word raises any logit above the others, so that there is nothing to score")
    return float(np.mean(2 * np.concatenate(shares) - 1))


def _by_eigenvalues(through: np.ndarray, written: np.ndarray, read: np.ndarray) -> float:
    """Σ λ / Σ |λ|. The product W_OV W_Eᵀ W_U has the same eigenvalues as M but for zeros, and only dim rows."""
    eigenvalues = np.linalg.eigvals(through @ written.T @ read)
    total = np.abs(eigenvalues).sum()
    if total == 0:
        raise InvalidInput("w_ov: all eigenvalues are 0, so that there is nothing to score")
    return float(eigenvalues.sum().real / total)
