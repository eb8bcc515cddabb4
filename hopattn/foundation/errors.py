"""Errors that a user can meet, each with one clear message, and the nearest choice for a mistyped name.

The command line turns the class of an error into an exit code: `InvalidInput` is 2, `CannotDo` is 3.
"""

import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager

MAX_LISTED = 40  # the most choices, or problems of a file, that a message lists; of the rest it gives the number
MAX_LINE = 2500  # the most characters of one line of a message: those of a full list
MAX_LINES = 4 * MAX_LISTED  # the most lines of a message
MAX_COMPARED = 1000  # the most choices that a mistyped word is compared with, by how often each letter occurs
INDICES = re.compile(r"\b(row|entry) (\d+(?:, \d+)*)\b")  # of a row or an entry, in a message about arrays
MAX_IN_ORDER = 50  # the most choices that it is compared with letter by letter: those that share most letters with it


class HopattnError(Exception):
    """The base class of all errors that hopattn raises on purpose; long messages are truncated."""

    def __init__(self, message: object = "") -> None:
        super().__init__(bounded(str(message)))


class InvalidInput(HopattnError, ValueError):
    """An input that cannot be used; the message gives the place, the value found and the value expected."""


class CannotDo(HopattnError, RuntimeError):
    """A valid request that the machine could not carry out (a full disk, a lost worker)."""


@contextmanager
def placed(where: str) -> Iterator[None]:
    """Let each `InvalidInput` say where its fault stands, such as the file that is read, unless it does already.

    >>> with placed("'ids.npy'"):
    ...     raise InvalidInput("got the id −1")
    Traceback (most recent call last):
        ...
    hopattn.foundation.errors.InvalidInput: 'ids.npy': got the id −1
    """
    try:
        yield
    except InvalidInput as error:
        if where in str(error):
            raise
        raise InvalidInput(f"{where}: {error}") from None


@contextmanager
def in_file(where: str) -> Iterator[None]:
    """As `placed`, for the arrays of a file: a row or an entry of it counts from 1, as the lines of a text do.

    >>> with in_file("'keys.npy'"):
    ...     raise InvalidInput("keys: row 2 is zero")
    Traceback (most recent call last):
        ...
    hopattn.foundation.errors.InvalidInput: 'keys.npy': keys: row 3 is zero
    """
    try:
        yield
    except InvalidInput as error:
        if where in str(error):
            raise
        raise InvalidInput(f"{where}: {INDICES.sub(_from_1, str(error))}") from None


def _from_1(found: re.Match[str]) -> str:
    return " ".join([found[1], ", ".join(str(int(index) + 1) for index in found[2].split(", "))])


def nearest(word: object, choices: Iterable[str]) -> str | None:
    """The choice that is most like a mistyped word, or None if no choice is near.

    A choice that begins with the word, or with which the word begins, is near to it too. Of choices that are equally
    near, the nearest is one with the characters of the word: for "=" it is "==", not ">=". Of more than `MAX_COMPARED`
    choices, only those that begin with the same letter are compared. To compare the letters in their order takes long;
    this is done only while a choice has enough letters of the word to be nearer than the nearest so far.

    >>> nearest("softmx", ["softmax", "argmax"])
    'softmax'
    >>> nearest("asynchronous", ["sync", "async"]), nearest("outer", ["hebb", "outer_products"])
    ('async', 'outer_products')
    """
    from difflib import SequenceMatcher  # imported here, so that the command line starts fast

    by_lower = {choice.lower(): choice for choice in choices}
    text = shortened(word, 200).lower()
    candidates = list(by_lower)
    if len(candidates) > MAX_COMPARED:
        candidates = [choice for choice in candidates if choice[:1] == text[:1]][:MAX_COMPARED]
    pair, bounds = SequenceMatcher(b=text), list[tuple[tuple[float, bool], str]]()
    for choice in candidates:
        pair.set_seq1(choice)
        if pair.real_quick_ratio() >= 0.6 and (most := pair.quick_ratio()) >= 0.6:
            bounds.append(((most, set(choice) == set(text)), choice))
    best: str | None = None
    likeness: tuple[float, ...] = (0.6,)
    for bound, choice in sorted(bounds, reverse=True)[:MAX_IN_ORDER]:
        if bound <= likeness:
            break
        pair.set_seq1(choice)
        if (pair.ratio(), bound[1]) > likeness:
            best, likeness = choice, (pair.ratio(), bound[1])
    if best is None:
        either = [(choice, *sorted((choice, text), key=len)) for choice in candidates]
        prefixes = [choice for choice, short, long in either if len(short) > 2 and long.startswith(short)]
        best = max(prefixes, key=lambda choice: SequenceMatcher(None, choice, text).ratio(), default=None)
    return by_lower[best] if best is not None else None


def unknown(word: object, choices: Iterable[str], further: Iterable[str] = (), clause: str = "") -> str:
    """The message for a mistyped name: the name, the nearest choice, all choices.

    further: more names, searched only if no choice is close. clause: what to write, instead of the nearest choice.

    >>> unknown("softmx", ["softmax", "argmax"])
    "'softmx' is unknown; did you mean 'softmax'? (choices: argmax, softmax)"
    """
    ordered = sorted(choices)
    if not ordered:
        return f"'{shortened(word)}' is unknown; there is nothing to choose from"
    if not clause:
        guess = nearest(word, ordered)
        if guess is None and (guess := nearest(word, sorted(further))):
            ordered = sorted([*ordered, guess])
        clause = f"did you mean '{shortened(guess)}'?" if guess else ""
    hint = f"; {clause}" if clause else ""
    return f"'{shortened(word)}' is unknown{hint} (choices: {listed(ordered)})"


def listed(names: Iterable[str]) -> str:
    """Names with commas between them, each shortened; of more than `MAX_LISTED`, the first and the number of all."""
    every = list(names)
    shown = [
        name if name.isprintable() and name.strip() == name != "" and ", " not in name else repr(name)
        for name in every[:MAX_LISTED]
    ]
    return ", ".join([*map(shortened, shown), *[f"… {len(every)} in all"] * (len(every) > MAX_LISTED)])


def shortened(value: object, width: int = 60, write: Callable[[object], str] = str) -> str:
    """A value as text that fits into one line of a message: at most `width` characters, without control characters.

    A value that cannot be written out, such as a number of 10,000 digits or a list nested 10,000 deep, is given
    by its type.

    >>> shortened("a" * 100, width=10), shortened(10**10_000)
    ('aaaaaaaaa…', 'an int that cannot be written out')
    """
    try:
        whole = write(value)
    except Exception:  # anything that a class of the user's own may raise; its name must do
        whole = f"{a_class(type(value))} that cannot be written out"
    text = whole[: width + 1]
    if not text.isprintable():
        text = "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)
    return text if len(text) <= width else text[: width - 1] + "…"


def quoted(value: object) -> str:
    """A value as Python writes it, a text in quotes, shortened."""
    return shortened(value, write=repr)


def a_class(kind: type) -> str:
    """A class in a message: a Separation, an int."""
    return f"a{'n' * (kind.__name__[:1] in 'AEIOUaeiou')} {shortened(kind.__name__)}"


def missing(error: ModuleNotFoundError) -> str:
    """The message for a package that Python does not find, with the command that installs all that hopattn needs."""
    python, package = sys.executable or "python", str(error.name).partition(".")[0]
    return (
        f"{python} has no package '{shortened(package)}', which hopattn needs: activate the environment in which "
        f"hopattn is installed, or install it in the folder of its clone: {python} -m pip install ."
    )


def bounded(message: str) -> str:
    """A message with an end: at most `MAX_LINES` lines, each shortened to `MAX_LINE` characters."""
    lines = message.split("\n", MAX_LINES)[:MAX_LINES]
    return "\n".join(shortened(line, MAX_LINE) for line in lines)


def reject_unknown(
    what: str, given: Iterable[str], known: Mapping[str, object] | Iterable[str], kind: str = ""
) -> None:
    """Raise `InvalidInput` for the first name in `given` that is not `known`; kind: that of the names, as "option".

    >>> reject_unknown("Head", {"betta": 2.0}, {"beta": 1.0, "mask": "causal"}, "option")
    Traceback (most recent call last):
        ...
    hopattn.foundation.errors.InvalidInput: Head: option 'betta' is unknown; did you mean 'beta'? (choices: beta, mask)
    """
    choices = list(known)
    for word in given:
        if not isinstance(word, str) or word not in choices:
            raise InvalidInput(f"{what}: {kind}{' ' * bool(kind)}{unknown(word, choices)}")
