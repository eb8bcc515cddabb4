"""From a file to a checked scenario."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path as FilePath
from typing import Any

from hopattn.scenario.checking import check
from hopattn.scenario.files import read_text, resolve
from hopattn.scenario.kinds.base import Spec
from hopattn.scenario.language.lines import Path


@dataclass(frozen=True, eq=False)
class Scenario:
    """A checked scenario: its text, and the specification of each of its runs.

    runs: by variant name; the scenario as it is written has the empty name.
    """

    name: str
    where: str
    text: str
    runs: Mapping[str, Spec]
    lines: Mapping[Path, int]
    void: frozenset[tuple[int, str]] = frozenset()
    """The expectations, by number and run, that a change from outside has left with nothing to speak of."""

    @property
    def spec(self) -> Spec:
        """The scenario as it is written."""
        return self.runs[""]


def load(path: Any) -> Scenario:
    """Read and check a scenario from a file, or by the name of one that comes with hopattn.

    path: a path to a TOML file, or a name such as "bank". Raises `InvalidScenario` (an `InvalidInput`) with all that
    is wrong in the file, one line a problem: file, line, key, what stands there, what was expected.

    >>> import hopattn as ha
    >>> ha.load("bank").spec.source
    'LING3804 Lecture Notes 7, 7.2'
    """
    file = resolve(path)
    return parse(read_text(file), str(file), FilePath(file).stem)


def parse(text: str, where: str, name: str, overrides: Mapping[str, Any] | None = None) -> Scenario:
    """A checked scenario from its text; overrides are made before it is checked.

    where: what a message calls the file; files that it names are looked for in the folder of that path.
    """
    checked = check(text, where, overrides or {})
    return Scenario(name, where, text, checked.runs, checked.lines, checked.void)
