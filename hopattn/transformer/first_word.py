"""The first word of a text: how long a recurrent network keeps it, with attention and without it.

"They 'forget' over long strings": Sally is named in the first word of a story, and n words later somebody asks for
her. The networks are set by hand, so that the law of forgetting can be written down:

    read = Σ_i a_i x_i          a_n = p_n,   a_i = p_i + ρ a_{i+1}

p is the weight that the reader gives to the state after each word, ρ the spectral radius of the network's U. a_i is the
derivative of what is read by the i-th word, and the recursion is that of back-propagation through time.
"""

import math
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from functools import partial
from typing import Annotated

import numpy as np

from hopattn.foundation.arrays import Array
from hopattn.foundation.boundary import Count, Declared, Flag, Of, public
from hopattn.foundation.checks import Seed, generator, real, require_room, whole
from hopattn.foundation.vectors import normalised
from hopattn.transformer.recurrent import Recurrent, RecurrentDecoder

AtLeast0 = Annotated[int, partial(whole, least=0)]
AtLeast2 = Annotated[int, partial(whole, least=2)]


@dataclass(frozen=True)
class FirstWord(Declared):
    """A recurrent network that reads a story, and a decoder that is asked for the first word, a name.

    Parameters
    ----------
    dim : entries of a word vector.
    carry : ρ from 0 to 1, by which the state shrinks with each word; the spectral radius of U.
    beta : how sharply the decoder with attention looks for the name, 0 or more.

    Raises
    ------
    InvalidInput : for other numbers.

    Notes
    -----
    A word is its vector and one more entry, the mark: 1 for the name, 0 for all others. The state is
    h_t = x_t + U h_{t−1}, where U shrinks the word part by ρ and forgets the mark. The decoder's first state is the
    question "the name?", and its next state is its context: recalled from all states, or the last state alone.

    For random words that are independent, of mean 0, of one length and in no preferred direction, the cosine of what
    is read with the first word tends to a_0/√Σa_i² as dim grows:

        without attention   ρⁿ √((1 − ρ²)/(1 − ρ^{2n+2})), and 1/√(n + 1) for ρ = 1
        with attention      near 1, and down to 1/√2 about n = (1 − ρ)² e^{2β}, or (3e^{2β})^{1/3} for ρ = 1

    The first is forgotten after some 1/log(1/ρ) words; the weight that attention gives the name, e^β/(e^β + n), falls
    after exponentially many.

    Source: CS 371N Lecture 10 ("Sally"); Bengio, Simard & Frasconi (1994), IEEE Trans. Neural Networks 5, 157; Pascanu,
    Mikolov & Bengio (2013), ICML (ρ below 1: vanishing gradients).
    """

    dim: Count = 64
    _: KW_ONLY
    carry: Annotated[float, partial(real, least=0.0, most=1.0, cure="above 1 the state explodes")] = 0.9
    beta: Annotated[float, partial(real, least=0.0)] = 8.0

    @property
    def network(self) -> Recurrent:
        """h_t = x_t + U h_{t−1}, on words with their mark, `(…, n + 1, dim + 1)`."""
        diagonal = np.append(np.full(self.dim, self.carry), 0.0)
        return Recurrent(np.eye(self.dim + 1), np.diag(diagonal), activation="identity")

    @property
    def decoder(self) -> RecurrentDecoder:
        """s_i = c_i: a decoder that repeats its context, and looks for states of cosine 1 with its own state."""
        size = self.dim + 1
        cell = Recurrent(np.eye(size, 2 * size, size), np.zeros((size, size)), activation="identity")
        return RecurrentDecoder(cell, beta=self.beta or 1.0)

    @public
    def read(self, words: Annotated[Array, Of("n_texts n+1 dim")], *, attention: Flag) -> np.ndarray:
        """The vector that the decoder answers for each text, `(n_texts, dim)`.

        Parameters
        ----------
        words : (n_texts, n + 1, dim)
            the first of each text is the name.
        attention : whether the decoder looks at the states after all words, or has the last one only.
        """
        return self._answers(self._states(words), attention)

    def _states(self, words: np.ndarray) -> np.ndarray:
        """The states after all words of each text, `(n_texts, n + 1, dim + 1)`."""
        mark = np.zeros((*words.shape[:-1], 1))
        mark[:, 0] = 1.0
        return np.asarray(self.network(np.concatenate([words, mark], axis=-1)))

    def _answers(self, states: np.ndarray, attention: bool) -> np.ndarray:
        """The vector that is read from the states after all words of each text, `(n_texts, dim)`."""
        question = np.append(np.zeros(self.dim), 1.0 if self.beta else 0.0)
        memory = states if attention else states[:, -1:]
        answers = self.decoder(np.zeros((len(states), 1, self.dim + 1)), memory, start=question)
        return np.asarray(answers[:, 0, : self.dim])

    @public
    def measured(self, n: AtLeast0, *, names: AtLeast2, trials: Count, rng: Seed = None) -> dict[str, np.ndarray]:
        """How well the first word is read out of random texts, n words later: the numbers of each trial, `(trials,)`.

        Parameters
        ----------
        names
            the names that the answer is compared with; one of them is the first word. All words and names are random
            vectors of unit magnitude.
        rng
            a seed or a generator. `cosine with attention` and `cosine without attention` are those of what is read with
            the first word; `accuracy …` is 1 where the nearest name is the first word, and else 0.
        """
        random = generator(rng=rng)
        words = normalised(random.normal(size=(trials, n + 1, self.dim)))
        other_names = normalised(random.normal(size=(trials, names - 1, self.dim)))
        choices, states = np.concatenate([words[:, :1], other_names], axis=1), self._states(words)
        numbers = {}
        for how, attention in (("without attention", False), ("with attention", True)):
            cosines = (choices @ normalised(self._answers(states, attention))[:, :, None])[..., 0]
            numbers[f"cosine {how}"] = cosines[:, 0]
            numbers[f"accuracy {how}"] = (np.argmax(cosines, axis=1) == 0).astype(float)
        return numbers

    @public
    def shares(self, n: AtLeast0, *, attention: Flag) -> np.ndarray:
        """a_0 to a_n, `(n + 1,)`: by how much each word is in what is read, n words after the first."""
        require_room(2 * n, f"first_word: {n:,} words")
        weights, ratio = np.append(np.zeros(n), 1.0), math.exp(-self.beta)
        if attention:
            weights[:] = ratio / (1 + n * ratio)
            weights[0] = 1 / (1 + n * ratio)
        shares, share = np.empty(n + 1), 0.0
        for i in range(n, -1, -1):
            share = shares[i] = weights[i] + self.carry * share
        return shares

    def cosine(self, n: int, *, attention: bool) -> float:
        """The cosine of what is read with the first word, n words later: a_0/√Σa_i², exact as dim grows."""
        shares = self.shares(n, attention=attention)
        return float(shares[0] / np.linalg.norm(shares))

    @public
    def accuracy(self, n: AtLeast0, names: AtLeast2, *, attention: Flag) -> float:
        """The probability that the first word is nearest to what is read, among so many random names of one length.

        The other words add a part of length √Σ_{i>0}a_i² in a random direction e to a_0 x_0. The cosine of two random
        directions has the distribution F of a cap of the sphere, so this is E_e F(cos θ(e))^(names − 1), with θ the
        angle of the first word and the sum. Exact for n = 1 and as dim grows; in between, the length of the others is
        taken as its root mean square. 1/names where nothing of the first word is left; in dim 1, where all names are
        ±1, a tie is right.
        """
        shares = self.shares(n, attention=attention)
        first, noise = float(shares[0]), float(np.linalg.norm(shares[1:]))
        along, weights = _cosines(self.dim)
        lengths = np.sqrt(np.maximum(first**2 + 2 * first * noise * along + noise**2, 0.0))
        cosines = np.divide(first + noise * along, lengths, out=np.zeros_like(along), where=lengths > 0)
        return float(np.sum(weights * _not_above(np.clip(cosines, -1, 1), self.dim) ** (names - 1)))


def measured_by_length(
    model: FirstWord, lengths: Sequence[int], names: int, trials: int, entropy: int
) -> list[dict[str, np.ndarray]]:
    """`FirstWord.measured` for each number of words after the first.

    entropy: the root of all texts; a length has the same texts whatever the other lengths are.
    """
    return [model.measured(n, names=names, trials=trials, rng=np.random.default_rng([entropy, n])) for n in lengths]


def _cosines(dim: int) -> tuple[np.ndarray, np.ndarray]:
    """Cosines of two random directions, and their weights, of sum 1: the trapezoid rule over the logit of F."""
    if dim == 1:
        return np.array([-1.0, 1.0]), np.array([0.5, 0.5])
    from scipy.special import betaincinv

    logits = np.linspace(-36, 0, 181)  # the rest is below e^−36; on the other side all is the same with the other sign
    below = 1 / (1 + np.exp(-logits))
    cosines = 2 * betaincinv((dim - 1) / 2, (dim - 1) / 2, below) - 1
    weights = below * (1 - below)
    weights = np.concatenate([weights, weights[-2::-1]])
    return np.concatenate([cosines, -cosines[-2::-1]]), weights / np.sum(weights)


def _not_above(cosines: np.ndarray, dim: int) -> np.ndarray:
    """F: the probability that the cosine of two random directions is not above each of these."""
    if dim == 1:
        return np.where(cosines < 0, 0.5, 1.0)
    from scipy.special import betainc

    return np.asarray(betainc((dim - 1) / 2, (dim - 1) / 2, (1 + cosines) / 2))
