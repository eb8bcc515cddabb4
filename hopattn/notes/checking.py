"""A whole text: every number in it that stands beside a scenario's names, compared."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from hopattn.foundation.errors import placed
from hopattn.foundation.writing import counted
from hopattn.notes.claims import Claim
from hopattn.notes.known import Known, known
from hopattn.notes.prose import list_sums, prose_claims
from hopattn.notes.reading import Block, blocks
from hopattn.notes.tables import row_sums, table_claims
from hopattn.scenario.files import beside, read_text

KINDS = {".tex": "tex", ".ltx": "tex", ".latex": "tex", ".md": "md", ".markdown": "md", ".qmd": "md", ".rmd": "md"}
"""How a file is read, by its ending; any other is plain text."""
OFF = "off"
"""The word instead of a scenario after which nothing is compared."""


class Checked(NamedTuple):
    """The numbers of a text that were compared."""

    file: str
    claims: tuple[Claim, ...]

    @property
    def findings(self) -> list[Claim]:
        """Those that differ."""
        return [claim for claim in self.claims if claim.origin]


def check(file: Path, names: Sequence[str] = (), runs_of: Callable[[str], list[Known]] = known) -> Checked:
    """Compare the numbers of a text with the runs of scenarios.

    file: Markdown, LaTeX or plain text. names: scenarios that hold up to the first comment that names one, each as
    `bank` or `bank variant river`. runs_of: gives the runs of a name. Raises `InvalidInput` for a text that cannot be
    read and for an unknown scenario.
    """
    text = read_text(file, "text")
    own = [run for name in names for run in runs_of(name)]
    claims: list[Claim] = []
    for block in blocks(text, KINDS.get(file.suffix.lower(), "")):
        if block.naming is None:
            claims += _claims(block, own)
        elif block.naming[0] != OFF:
            with placed(f"{file}:{block.naming[1]}"):
                runs = runs_of(_beside(file, block.naming[0]))
            claims += _claims(block, runs)
    return Checked(str(file), tuple(sorted(claims, key=lambda claim: claim.line)))


def _beside(file: Path, name: str) -> str:
    """The name of a scenario; a file of that name in the folder of a text comes first."""
    place, variant, rest = name.partition(" variant ")
    return f"{beside(file, place)}{variant}{rest}" if place.endswith(".toml") else name


def _claims(block: Block, runs: Sequence[Known]) -> list[Claim]:
    """The numbers of a table or a paragraph; weights that stand beside no names are summed."""
    found = [] if block.is_code else prose_claims(block, runs)
    if block.rows:
        return found + (table_claims(block, runs) or row_sums(block))
    return found or ([] if block.is_code else [*list_sums(block)])


def total(checked: Sequence[Checked]) -> str:
    """How many numbers were compared, and how many agree, in a sentence."""
    claims = [claim for one in checked for claim in one.claims]
    if not claims:
        return "no number was compared: none stands for certain beside a name of a scenario"
    agree = sum(not claim.origin for claim in claims)
    return f"{counted(len(claims), 'number')} compared, {agree:,} agree{'s' if agree == 1 else ''}"
