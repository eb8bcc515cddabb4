"""The time and the memory that a comparison takes, estimated from its sizes alone, before keys are read or drawn."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from hopattn.foundation.checks import require_room
from hopattn.foundation.errors import InvalidInput

PER_RECALL = 10e-3
"""Seconds that one recall takes whatever its size."""
PER_PAIR = 230e-9
"""Seconds that one recall takes for each pair of a cue and a key, without what grows with their dim."""
PER_NUMBER = 18e-9
"""Seconds that one recall takes for each number of each such pair.

Both were measured on one core of an AMD EPYC (2 cores, 2026) with NumPy 2 and without compiled loops: the mean of the
six default memories, which need 2 to 25 steps, for 4,000 to 200,000 keys, 100 to 400 cues, and dim 1, 16 and 64. One
memory may take a fifth of it or three times as much.
"""
HELD = 6
"""The arrays `(n_cues, n_keys)` that the default memories and the referees of attention hold at once, as measured."""
LEAST_HELD = 2
"""The arrays `(n_cues, n_keys)` that every memory holds at once: scores and weights."""
AT_ONCE = 2**24
"""The differences between cues and keys that a distance takes at once; an array of so many numbers has 128 MiB."""
OF_DIFFERENCES = 3
"""The arrays of such differences that are held at once: themselves, and two while they are squared."""
MOST_SECONDS = 600.0
"""The command line refuses a comparison that takes longer, unless `--anyway` is given."""
REPORTED_SECONDS = 20.0
"""The command line estimates the time of a comparison that takes longer."""


class Size(NamedTuple):
    """The size of one problem: the numbers of its keys and cues, and their dim; draws: how many are held at once."""

    n_keys: int
    n_cues: int
    dim: int
    draws: int = 1

    @property
    def seconds(self) -> float:
        """The estimated time of one recall by one memory."""
        return PER_RECALL + self.n_keys * self.n_cues * (PER_PAIR + PER_NUMBER * self.dim)

    def __str__(self) -> str:
        return f"{self.n_keys:,} keys × {self.n_cues:,} cues of dim {self.dim:,}"

    def numbers(self, held: int = HELD) -> int:
        """The estimated number of numbers that a recall holds; held: how many arrays `(n_cues, n_keys)`.

        Where these are more than `LEAST_HELD`, some memory compares by distance.
        """
        pairs, given = self.n_keys * self.n_cues, (self.n_keys + self.n_cues) * self.dim
        differences = min(pairs * self.dim, max(AT_ONCE, self.n_keys * self.dim)) if held > LEAST_HELD else 0
        return held * pairs + OF_DIFFERENCES * differences + self.draws * given

    def require_room(self, held: int = LEAST_HELD) -> None:
        """Raise `InvalidInput` if a recall would not fit into the memory of this machine."""
        require_room(self.numbers(held), f"compare: {self}")


def require_time(
    sizes: Sequence[Size], recalls: int, anyway: bool = False, note: Callable[[str], None] = lambda text: None
) -> None:
    """Raise `InvalidInput` for a comparison that does not fit into memory, or would take longer than `MOST_SECONDS`.

    sizes: those of the problems. recalls: of each problem, memories × points × trials. anyway: whether to admit a long
    comparison, or one that only some memories have room for. note: called with a sentence about one that takes
    longer than `REPORTED_SECONDS`.
    """
    for size in set(sizes):
        size.require_room(LEAST_HELD if anyway else HELD)
    seconds = recalls * sum(size.seconds for size in sizes)
    if seconds > MOST_SECONDS and not anyway:
        largest = max(sizes, key=lambda size: size.seconds)
        among = f", the largest of {len(sizes):,} problems," if len(sizes) > 1 else ""
        gib = 8 * largest.numbers() / 2**30
        took = f"{in_words(seconds)} and {f'{gib:,.1f}' if gib >= 0.1 else 'less than 0.1'} GiB"
        advice = "take fewer rows, trials or memories, or begin it with --anyway"
        work = f"{largest}{among} × {recalls:,} recall{'s' * (recalls != 1)}"
        raise InvalidInput(f"compare: {work} would take about {took}; {advice}")
    if seconds > REPORTED_SECONDS:
        note(f"compare: {len(sizes) * recalls:,} recalls take about {in_words(seconds)}")


Admit = Callable[[Sequence[Size]], None]
"""A function that is called with the sizes of all problems before their numbers are read, and may refuse them."""


def admit_all(sizes: Sequence[Size]) -> None:
    """Admit a comparison of any size."""


def in_words(seconds: float) -> str:
    """A time in seconds, minutes, hours, days or years.

    >>> in_words(30), in_words(700), in_words(25_000), in_words(500_000), in_words(1e12)
    ('30 seconds', '12 minutes', '7 hours', '6 days', '31,688 years')
    """
    for name, length, most in (("seconds", 1, 90), ("minutes", 60, 90), ("hours", 3600, 48), ("days", 86_400, 700)):
        if seconds < most * length:
            return f"{seconds / length:.0f} {name}"
    return f"{seconds / (365.25 * 86_400):,.0f} years"
