"""The lowest ways from one minimum to another, one neuron at a time, and how high they lead."""

import numpy as np

from hopattn.foundation.checks import require_room
from hopattn.landscapes.flow import bits


def barriers(energies: np.ndarray, minima: np.ndarray, basin: np.ndarray) -> np.ndarray:
    """The energy of the highest state on the lowest way between each two minima, `(K, K)`; its own on the diagonal.

    energies: `(2^N,)`. minima: `(K,)`, states. basin: `(2^N,)`, a minimum to which each state can descend. A way that
    leaves a basin by a state can descend from there to the minimum, so that only the lowest place where two basins
    touch counts. The ways over several basins are those of the least spanning tree of these places. It is the tree of
    a disconnectivity graph: Becker & Karplus (1997), J. Chem. Phys. 106, 1495.
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import minimum_spanning_tree

    k, lowest = len(minima), energies.min()
    require_room(k * k, f"the barriers between {k:,} minima")
    heights, i, j = _touching(energies, basin)
    # a weight of 0 would say that two minima do not touch; the order of the heights is all that the tree needs
    ranks, rank = np.unique(heights, return_inverse=True)
    tree = minimum_spanning_tree(coo_array((rank + 1.0, (i, j)), shape=(k, k))).tocoo()
    barrier = np.full((k, k), lowest)
    barrier[np.diag_indices(k)] = energies[minima]
    joined = [np.array([minimum]) for minimum in range(k)]
    for at in np.argsort(tree.data):
        left, right = joined[tree.row[at]], joined[tree.col[at]]
        barrier[np.ix_(left, right)] = barrier[np.ix_(right, left)] = ranks[int(tree.data[at]) - 1]
        both = np.concatenate([left, right])
        for minimum in both:
            joined[minimum] = both
    return barrier


def _touching(energies: np.ndarray, basin: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The lowest height at which each two basins touch, and the two, i < j; `(n,)` each."""
    states = np.arange(len(energies))
    rows = [np.zeros((0, 3))]
    for bit in bits(len(states).bit_length() - 1):
        low = states[(states & bit) == 0]
        pair = np.sort(np.stack([basin[low], basin[low | bit]], axis=1), axis=1)
        heights = np.maximum(energies[low], energies[low | bit])
        rows.append(_lowest(np.column_stack([heights, pair])[pair[:, 0] != pair[:, 1]]))
    heights, i, j = _lowest(np.concatenate(rows)).T
    return heights, i.astype(np.int32), j.astype(np.int32)  # as the least version of SciPy asks


def _lowest(rows: np.ndarray) -> np.ndarray:
    """Of rows (height, i, j) the lowest of each pair."""
    ordered = rows[np.lexsort(rows.T)]  # by the pair, then by the height
    new = np.ones(len(ordered), dtype=bool)
    new[1:] = np.any(ordered[1:, 1:] != ordered[:-1, 1:], axis=1)
    return np.asarray(ordered[new])
