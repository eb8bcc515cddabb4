"""What can be practised: the scenarios that come with hopattn and have a table [practice], with their questions."""

from collections.abc import Iterator
from typing import NamedTuple

from hopattn.practice.wording import question, texts
from hopattn.scenario.expectations.base import Numeric
from hopattn.scenario.files import GROUPS, read_text, shipped
from hopattn.scenario.loading import parse


class Practised(NamedTuple):
    """A scenario with practice problems. group: the folder that it comes from. questions: of its problems, in turn."""

    name: str
    group: str
    title: str
    questions: tuple[str, ...]


def practised(language: str = "en") -> Iterator[Practised]:
    """The scenarios with practice problems, group by group; raises `InvalidInput` for an unknown language."""
    words, files = texts(language), shipped()
    for name in sorted(with_problems(), key=lambda one: [*GROUPS].index(files[one].parent.name)):
        runs = parse(read_text(files[name]), str(files[name]), name, ask=False).runs
        asked = [one for one in runs[""].expect if isinstance(one, Numeric) and one.asked]
        questions = dict.fromkeys(question(one, runs[one.variants[0]], words) for one in asked)
        yield Practised(name, files[name].parent.name, runs[""].title, tuple(questions))


def with_problems() -> list[str]:
    """The names of the scenarios that come with hopattn and have practice problems."""
    return [name for name, file in shipped().items() if "\n[practice" in read_text(file)]
