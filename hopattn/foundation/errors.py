"""What a user can do wrong, said in one clear message each.

The command line turns the class into an exit code: `InvalidInput` is 2, `CannotDo` is 3.
"""

from collections.abc import Iterable, Mapping

MANY = 40
"""So many choices, or problems of a file, are told; of more, only how many."""


class HopattnError(Exception):
    """The root of everything that hopattn raises on purpose."""


class InvalidInput(HopattnError, ValueError):
    """What was given cannot be used; the message says where, what stands there and what was expected."""


class CannotDo(HopattnError, RuntimeError):
    """What was asked for is right, but the machine could not do it (a full disk, a lost worker)."""


class InvalidScenario(InvalidInput):
    """One scenario file with everything that is wrong in it, one problem a line."""

    def __init__(self, problems: Iterable[str]) -> None:
        self.problems = tuple(problems)
        more = len(self.problems) - MANY
        told = [*self.problems[:MANY], *([f"… and {more} more"] if more > 0 else [])]
        super().__init__("\n".join(told))


def nearest(word: object, choices: Iterable[str]) -> str | None:
    """The choice that a typing slip most likely meant, or None where nothing is near.

    >>> nearest("softmx", ["softmax", "argmax"])
    'softmax'
    """
    from difflib import get_close_matches  # not while the command line starts

    by_lower = {choice.lower(): choice for choice in choices}
    found = get_close_matches(str(word).lower(), by_lower, n=1, cutoff=0.6)
    return by_lower[found[0]] if found else None


def unknown(word: object, choices: Iterable[str]) -> str:
    """The sentence for a mistyped name: what stands there, the nearest choice, all choices.

    >>> unknown("softmx", ["softmax", "argmax"])
    "'softmx' is unknown; did you mean 'softmax'? (choices: argmax, softmax)"
    """
    ordered = sorted(choices)
    guess = nearest(word, ordered)
    hint = f"; did you mean '{shortened(guess)}'?" if guess else ""
    shown = [choice if choice.isprintable() and choice.strip() == choice != "" else repr(choice) for choice in ordered]
    listed = shown if len(shown) <= MANY else [*shown[:MANY], f"… {len(shown)} in all"]
    return f"'{shortened(word)}' is unknown{hint} (choices: {', '.join(map(shortened, listed)) or 'none'})"


def shortened(value: object, width: int = 60) -> str:
    """A value as text that fits into one line of a message.

    >>> shortened("a" * 100, width=10)
    'aaaaaaaaa…'
    >>> print(shortened(chr(10)))
    \\n
    """
    text = "".join(c if c.isprintable() else repr(c)[1:-1] for c in str(value)[: width + 1])
    return text if len(text) <= width else text[: width - 1] + "…"


def reject_unknown(what: str, given: Iterable[str], known: Mapping[str, object] | Iterable[str]) -> None:
    """Raise `InvalidInput` for the first name in `given` that is not `known`."""
    choices = list(known)
    for word in given:
        if word not in choices:
            raise InvalidInput(f"{what}: {unknown(word, choices)}")
