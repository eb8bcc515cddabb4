"""Sentences in several languages: a template with slots, and for each language the file of its forms, `de.toml`.

A sentence is written once, in English, where it is said. A figure keeps its sentences, and `in_words` translates them
when it is drawn. A text that is written at once, such as the arithmetic of a run, is in the language that `language`
sets.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from numbers import Integral, Real
from pathlib import Path
from typing import Any, Self

LANGUAGES = ("de",)
"""The languages but English."""
_LANGUAGE: ContextVar[str] = ContextVar("language", default="en")
_NUMBERS = re.compile(r"(?<![\w.,])(?:(\d{1,3}(?:,\d{3})+)|(\d*)\.(\d+))(?=e[-−+]\d|(?![\w.]))")
"""A number with commas between its thousands, or with a decimal point."""


@contextmanager
def language(lang: str) -> Iterator[None]:
    """Write the sentences of `say`, and the numbers of `hopattn.foundation.writing`, in a language.

    >>> with language("de"):
    ...     say("{} of {} heads", 2, 4)
    '2 von 4 Köpfen'
    """
    token = _LANGUAGE.set(lang)
    try:
        yield
    finally:
        _LANGUAGE.reset(token)


def number(value: float, digits: int = 2) -> str:
    """A number as the lectures write it, with `digits` decimals at most: .58, −.2, 1."""
    text = f"{value:.{digits}f}"
    text = text.rstrip("0").rstrip(".") if "." in text else text
    text = "0" if text == "-0" else text.replace("-", "−")
    return text.replace("0.", ".", 1) if text.lstrip("−").startswith("0.") else text


def _written(part: Any) -> str:
    """A part of a sentence as a text: a number as figures write it."""
    if isinstance(part, Integral):
        return f"{part:,}"
    return number(float(part)) if isinstance(part, Real) else str(part)


class Sentence(str):
    """A text of hopattn's own: a template with slots `{}`, and what fills them. As a text, it is English.

    parts: texts, numbers, or sentences. A plain text is a name of the user's, which no language changes.
    """

    template: str
    parts: tuple[Any, ...]

    def __new__(cls, template: str, *parts: Any) -> Self:
        text = super().__new__(cls, template.format(*map(_written, parts)) if parts else template)
        text.template, text.parts = template, parts
        return text


def say(template: str, *parts: Any) -> str:
    """A sentence, in the language of the text that is being written.

    >>> say("{} of {} heads", 2, 4), say("cosine {}", 0.714), say("{} of {} heads", 2, 4).template
    ('2 of 4 heads', 'cosine .71', '{} of {} heads')
    """
    return in_words(Sentence(template, *parts), _LANGUAGE.get())


@cache
def sentences(lang: str) -> dict[str, str]:
    """The sentences of a language, by their English templates."""
    import tomllib  # which only texts in another language need

    return tomllib.loads(Path(__file__).with_name(f"{lang}.toml").read_text(encoding="utf-8"))


def in_words(text: str, lang: str) -> str:
    """A text in a language. A name of the user's stays as it is, and so does a sentence that the file does not hold.

    >>> in_words(say("{} of {} heads", 2, 4), "de"), in_words("mine: .25", "de")
    ('2 von 4 Köpfen', 'mine: .25')
    """
    if lang not in LANGUAGES or not isinstance(text, Sentence):
        return text
    parts = (in_words(part, lang) if isinstance(part, str) else in_comma(_written(part), lang) for part in text.parts)
    form = in_comma(sentences(lang).get(text.template, text.template), lang)
    return Sentence("{}", form.format(*parts) if text.parts else form)


def in_comma(text: str, lang: str | None = None) -> str:
    """A text with a decimal comma in its numbers, and points between thousands, where the language has them.

    lang: None for the language of the text that is being written.

    >>> in_comma("1,000 and .25 and 1.2e-05", "de")
    '1.000 and 0,25 and 1,2e-05'
    """
    if (lang or _LANGUAGE.get()) not in LANGUAGES:
        return text
    return _NUMBERS.sub(lambda found: found[1].replace(",", ".") if found[1] else f"{found[2] or 0},{found[3]}", text)
