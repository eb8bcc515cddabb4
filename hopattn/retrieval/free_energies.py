"""The free energy of the weights: F = U − S/β, the least that any distribution over the patterns reaches.

A pattern with the score s_μ has the energy −s_μ. Among all distributions p, the weights have the least free energy:

    U = −p·s          S = −Ω(p)          F = min_p (U − S/β) = −Ψ(s)

since Ψ₁(s) = max_p p·s − Ω(p). So S = Ψ₁(βs) − p·βs. The scores are counted from the largest of a row, so that S
keeps its digits beside large scores. The same over blocks of keys is `OnlineFreeEnergy` in `online_softmax.py`.
"""

from dataclasses import dataclass, fields, replace

from hopattn.foundation.argument_names import PublicObject
from hopattn.foundation.arrays import Array, namespace, on_host
from hopattn.foundation.errors import InvalidInput, quoted
from hopattn.foundation.vectors import nonzero
from hopattn.retrieval.separation.base import (
    Separation,
    biased,
    masked,
    masked_max,
    shifted,
    with_null_pattern,
    with_sink,
)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class FreeEnergy(PublicObject):
    """The free energy of the weights that n cues give the patterns; each array is `(n_cues,)`, or `()` for one cue.

    Attributes
    ----------
    energy : U = −p·s, the mean of −s.
    entropy
        S, in nats, of the separation: Shannon's for the softmax, Tsallis's (1 − Σp^α) / α(α−1) for entmax, Gini's ½(1 −
        Σp²) for sparsemax, 1 − |p|_α for normmax, 0 for argmax.
    free : F = U − S/β = −Ψ(s), so that the energy of a memory is Φ*(x) + F.
    effective_keys
        e^H with Shannon's entropy H of the weights, whatever the separation: n for n equal weights; S = H for the
        softmax.

    Notes
    -----
    A null pattern counts as one more pattern in all four, with the score sink/β and the weight `rest`. A row with
    nothing to attend to has four zeros. Source: Wainwright & Jordan (2008), Found. Trends Mach. Learn. 1, section 3.6
    (their A is our Ψ₁, their θ our βs); Blondel, Martins & Niculae (2020), JMLR 21, for other entropies; Hill (1973),
    Ecology 54, 427, for e^H (his N₁).
    """

    energy: Array
    entropy: Array
    free: Array
    effective_keys: Array

    def __repr__(self) -> str:
        arrays = {attribute.name: on_host(getattr(self, attribute.name)) for attribute in fields(self)}
        n = arrays["free"].size
        parts = [f"{n} cue{'' if n == 1 else 's'}"]
        for name, array in arrays.items():
            ends = sorted({f"{end + 0.0:.4g}" for end in (array.min(), array.max())}, key=float) if n else ["–"]
            parts.append(f"{name.replace('_', ' ')} {' to '.join(ends)}")
        return f"FreeEnergy({', '.join(parts)})"


def require_entropy(separation: Separation) -> None:
    """Raise `InvalidInput` with the reason where the weights of a separation have no entropy."""
    if separation.why_no_entropy:
        raise InvalidInput(f"free_energy: {quoted(separation)} has none: {separation.why_no_entropy}")


def free_energy(
    separation: Separation, scores: Array, where: Array | None = None, bias: Array | None = None
) -> FreeEnergy:
    """The free energy of the weights of scores `(…, n_patterns)`, their mask and finite numbers added to β s."""
    if separation.sink is not None:
        scores, where, bias = with_null_pattern(separation.sink, scores, where, bias)
        separation = with_sink(separation, None)
    if bias is not None:
        scores, unit_separation = biased(scores, bias, separation)
        if unit_separation is not separation:
            answer = free_energy(unit_separation, scores, where)
            return replace(answer, energy=answer.energy / separation.beta, free=answer.free / separation.beta)
    beta = separation.beta
    xp = namespace(scores)
    largest = masked_max(xp, scores, where)
    unit = beta if separation.tempered else 1.0
    x = shifted(xp, scores, largest, where, unit)
    weights = replace(separation, beta=1.0)(x, where, potential=True)
    psi, p = weights.potential, weights.p
    effective_keys = xp.exp(-xp.sum(p * xp.log(nonzero(p)), axis=-1))
    return FreeEnergy(
        energy=-xp.sum(p * masked(scores, where), axis=-1),
        entropy=psi - xp.sum(p * x, axis=-1),
        free=-(largest[..., 0] + psi / unit),
        effective_keys=masked(effective_keys, None if where is None else xp.any(where, axis=-1)),
    )
