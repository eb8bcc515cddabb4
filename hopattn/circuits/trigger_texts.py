"""Texts with triggers: a few words of each text are always followed by a word that this text alone decides."""

from dataclasses import dataclass

import numpy as np

from hopattn.foundation.errors import InvalidInput
from hopattn.foundation.room import require_room
from hopattn.foundation.scalars import whole
from hopattn.foundation.seeds import Seed, generator


@dataclass(frozen=True, eq=False)
class TriggerTexts:
    """Random texts of word numbers, and the places at which the next word can be known from the text.

    words: `(n_texts, length)`, from 0 to n_words − 1. asked: `(n_texts, length)`, True at a trigger that has stood in
    this text before with its follower; the next word is then the answer.
    """

    words: np.ndarray
    asked: np.ndarray


def trigger_texts(
    n_texts: int, length: int = 256, n_words: int = 65, n_triggers: int = 5, *, seed: Seed = None, rng: Seed = None
) -> TriggerTexts:
    """Random texts, each with triggers of its own, and a follower of each that the text alone decides.

    Each text draws n_triggers different words, and a follower for each from the other words. A word after a trigger is
    its follower; every other word is drawn from all words alike. n_triggers: below n_words. seed, rng: a whole number
    or a generator. Raises `InvalidInput` for other numbers, and where no trigger comes twice in any text.
    Source: after Bietti et al. (2023), section 3, where the other words follow a bigram model of a language.

    >>> texts = trigger_texts(1, 12, 4, 1, seed=0)
    >>> texts.words[0].tolist(), texts.asked[0].nonzero()[0].tolist()
    ([0, 0, 0, 0, 3, 2, 0, 2, 0, 3, 2, 0], [7, 10])
    """
    count, n, words = whole(n_texts, "n_texts"), whole(length, "length", least=2), whole(n_words, "n_words", least=2)
    triggers, random = whole(n_triggers, "n_triggers", most=words - 1), generator(seed, rng)
    require_room(2 * count * n + 2 * words, f"trigger_texts: {count:,} texts of {n:,} words")
    texts, asked = np.empty((count, n), dtype=int), np.zeros((count, n), dtype=bool)
    for text, places in zip(texts, asked, strict=True):
        order = random.permutation(words)
        own, others = order[:triggers], order[triggers:]
        followers = dict(zip(own.tolist(), random.choice(others, triggers).tolist(), strict=True))
        text[:] = random.integers(words, size=n)
        seen: set[int] = set()
        for i in range(n - 1):
            word = int(text[i])
            if word in followers:
                text[i + 1] = followers[word]
                places[i] = word in seen
                seen.add(word)
    if not asked.any():
        raise InvalidInput(f"length: no trigger comes twice in {n} words; expected longer texts, or more triggers")
    return TriggerTexts(texts, asked)
