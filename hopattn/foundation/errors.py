"""Errors that a user can meet, each with one clear message, and the nearest choice for a mistyped name.

The command line turns the class of an error into an exit code: `InvalidInput` is 2, `CannotDo` is 3.
"""

from collections.abc import Iterable, Mapping

MAX_LISTED = 40
"""The most choices, or problems of a file, that a message lists; of the rest it gives the number."""


class HopattnError(Exception):
    """The base class of all errors that hopattn raises on purpose."""


class InvalidInput(HopattnError, ValueError):
    """An input that cannot be used; the message gives the place, the value that stands there and the expected one."""


class CannotDo(HopattnError, RuntimeError):
    """A valid request that the machine could not carry out (a full disk, a lost worker)."""


class InvalidScenario(InvalidInput):
    """An invalid scenario file; the message lists its problems, one on each line."""

    def __init__(self, problems: Iterable[str]) -> None:
        self.problems = tuple(problems)
        more = len(self.problems) - MAX_LISTED
        lines = [*self.problems[:MAX_LISTED], *([f"… and {more} more"] if more > 0 else [])]
        super().__init__("\n".join(lines))


def nearest(word: object, choices: Iterable[str]) -> str | None:
    """The choice that is most like a mistyped word, or None if no choice is near.

    Of choices that are equally near, one of the word's own characters is taken: for "=" it is "==", not ">=".

    >>> nearest("softmx", ["softmax", "argmax"])
    'softmax'
    """
    from difflib import SequenceMatcher, get_close_matches  # imported here, so that the command line starts fast

    by_lower = {choice.lower(): choice for choice in choices}
    own = str(word).lower()
    matches = get_close_matches(own, by_lower, n=4, cutoff=0.6)
    best = max(matches, key=lambda one: (SequenceMatcher(None, one, own).ratio(), set(one) == set(own)), default=None)
    return by_lower[best] if best is not None else None


def unknown(word: object, choices: Iterable[str], further: Iterable[str] = ()) -> str:
    """The message for a mistyped name: the name, the nearest choice, all choices.

    further: other names, of which only the nearest is a choice, and only where no choice is near.

    >>> unknown("softmx", ["softmax", "argmax"])
    "'softmx' is unknown; did you mean 'softmax'? (choices: argmax, softmax)"
    """
    ordered = sorted(choices)
    if not ordered:
        return f"'{shortened(word)}' is unknown; there is nothing to choose from"
    guess = nearest(word, ordered)
    if guess is None and (guess := nearest(word, sorted(further))):
        ordered = sorted([*ordered, guess])
    hint = f"; did you mean '{shortened(guess)}'?" if guess else ""
    return f"'{shortened(word)}' is unknown{hint} (choices: {listed(ordered)})"


def listed(names: Iterable[str], most: int = MAX_LISTED) -> str:
    """Names with commas between them, each shortened; of more than `most`, the first ones and the number of all.

    >>> listed(["a", "b", "", "c"], most=3)
    "a, b, '', … 4 in all"
    """
    every = list(names)
    shown = [name if name.isprintable() and name.strip() == name != "" else repr(name) for name in every[:most]]
    return ", ".join([*map(shortened, shown), *([f"… {len(every)} in all"] if len(every) > most else [])])


def shortened(value: object, width: int = 60) -> str:
    """A value as text that fits into one line of a message: at most `width` characters, without control characters.

    A value that cannot be written out, such as a number of 10,000 digits or a list that is nested 10,000 deep, is told
    by its type.

    >>> shortened("a" * 100, width=10)
    'aaaaaaaaa…'
    >>> print(shortened(chr(10)))
    \\n
    >>> shortened(10**10_000)
    'an int too long to write out'
    """
    try:
        whole = str(value)
    except (ValueError, RecursionError):
        name = type(value).__name__
        whole = f"a{'n' * (name[0] in 'aeiou')} {name} too long to write out"
    text = "".join(c if c.isprintable() else repr(c)[1:-1] for c in whole[: width + 1])
    return text if len(text) <= width else text[: width - 1] + "…"


def reject_unknown(what: str, given: Iterable[str], known: Mapping[str, object] | Iterable[str]) -> None:
    """Raise `InvalidInput` for the first name in `given` that is not `known`."""
    choices = list(known)
    for word in given:
        if word not in choices:
            raise InvalidInput(f"{what}: {unknown(word, choices)}")
