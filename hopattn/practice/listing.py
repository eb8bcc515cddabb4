"""What can be practised: the scenarios that come with hopattn and have a table [practice], with their questions."""

from collections.abc import Iterator
from typing import NamedTuple

from hopattn.practice.wording import question, texts
from hopattn.scenario.expectations.base import Numeric
from hopattn.scenario.files import by_group, read_text
from hopattn.scenario.loading import parse


class Practised(NamedTuple):
    """A scenario with practice problems. group: the folder that it comes from. questions: of its problems, in turn."""

    name: str
    group: str
    title: str
    questions: tuple[str, ...]


def practised(language: str = "en") -> Iterator[Practised]:
    """The scenarios with practice problems, group by group; raises `InvalidInput` for an unknown language."""
    words = texts(language)
    for group, files in by_group().items():
        for name, file in files.items():
            if "\n[practice" in (text := read_text(file)):
                runs = parse(text, str(file), name, ask=False).runs
                asked = [one for one in runs[""].expect if isinstance(one, Numeric) and one.asked]
                questions = dict.fromkeys(question(one, runs[one.variants[0]], words) for one in asked)
                yield Practised(name, group, runs[""].title, tuple(questions))
