"""A whole text: every number in it that stands beside a scenario's names, compared."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from hopattn.foundation.errors import placed
from hopattn.foundation.writing import counted
from hopattn.notes.claims import Claim
from hopattn.notes.inference import Inference, Reading
from hopattn.notes.known import Known, known
from hopattn.notes.pages import read_page
from hopattn.notes.prose import prose_claims
from hopattn.notes.reading import NAMING, Block, blocks
from hopattn.notes.tables import table_claims
from hopattn.scenario.files import beside

OFF = "off"
"""The word instead of a scenario after which nothing is compared."""
SHOWN = 8
"""The most matrices that a message names."""
WANTED = (
    "patterns and their W; W, a state, and its energy, the field or the state after it; words X with W_Q, W_K, W_V; "
    "Q, K, V with scores, weights, outputs; vectors of words with their products or cosines; products, sums; rows of "
    "softmax weights; and names of a scenario that --scenario or a comment names"
)
"""What is looked for."""


class Checked(NamedTuple):
    """The numbers of a text that were compared.

    readings: how its matrices were read. matrices: those that it has, each with its line. places: of its lines, in the
    file.
    """

    file: str
    claims: tuple[Claim, ...]
    readings: tuple[Reading, ...]
    matrices: tuple[str, ...]
    places: tuple[str, ...]

    @property
    def findings(self) -> list[Claim]:
        """Those that differ."""
        return [claim for claim in self.claims if claim.origin]

    def place(self, line: int) -> str:
        """The file and the place in it of a line of its text."""
        return f"{self.file}:{self.places[line - 1]}"

    @property
    def nothing(self) -> str:
        """What was looked for and what was found, where nothing could be compared."""
        more = f" and {len(self.matrices) - SHOWN} more" * (len(self.matrices) > SHOWN)
        found = f"the matrices {', '.join(self.matrices[:SHOWN])}{more}" if self.matrices else "no matrix with a name"
        return f"{self.file}: nothing could be compared. Found: {found}. Looked for: {WANTED}"


def check(file: Path, names: Sequence[str] = (), runs_of: Callable[[str], list[Known]] = known) -> Checked:
    """Compare the numbers of a text with the runs of scenarios, and with what else the text gives.

    file: Markdown, LaTeX, plain text, HTML or a notebook. names: scenarios that hold up to the first comment that
    names one, each as `bank` or `bank variant river`. runs_of: gives the runs of a name. Raises `InvalidInput` for a
    text that cannot be read and for an unknown scenario.
    """
    page = read_page(file)
    own = [run for name in names for run in runs_of(name)]
    claims: list[Claim] = []
    text = "\n".join(_compared(page.text.split("\n")))
    parts = blocks(text, page.kind)
    for block in parts:
        if block.naming is None:
            claims += _claims(block, own)
        else:
            with placed(f"{file}:{page.places[block.naming[1] - 1]}"):
                runs = runs_of(_beside(file, block.naming[0]))
            claims += _claims(block, runs)
    inference = Inference(text, page.places, [block for block in parts if block.rows])
    for words in inference.words():
        pairs = [claim for block in parts if not block.is_code for claim in prose_claims(block, [words], True)]
        claims += [one._replace(origin=words.run, is_inferred=True) if one.origin else one for one in pairs]
    known_at = {at for claim in claims for at in ((claim.line, claim.stands), claim.line)}
    claims += [
        claim  # the sum of a row says nothing where its numbers are known
        for claim in inference.claims
        if (claim.line if " = " in claim.stands else (claim.line, claim.stands)) not in known_at
    ]
    ordered = tuple(sorted(claims, key=lambda claim: claim.line))
    return Checked(str(file), ordered, tuple(inference.readings), tuple(inference.names()), page.places)


def _compared(lines: Sequence[str]) -> Iterator[str]:
    """The lines of a text, with spaces instead of those after a comment that turns comparing off."""
    is_off = False
    for line in lines:
        if naming := NAMING.match(line):
            is_off = naming[1] == OFF
        yield " " * len(line) if is_off else line


def _beside(file: Path, name: str) -> str:
    """The name of a scenario; a file of that name in the folder of a text comes first."""
    place, variant, rest = name.partition(" variant ")
    return f"{beside(file, place)}{variant}{rest}" if place.endswith(".toml") else name


def _claims(block: Block, runs: Sequence[Known]) -> list[Claim]:
    """The numbers of a table or a paragraph beside those of runs."""
    return ([] if block.is_code else prose_claims(block, runs)) + (table_claims(block, runs) if block.rows else [])


def total(checked: Sequence[Checked]) -> str:
    """How many numbers were compared, and how many agree, in a sentence."""
    claims = [claim for one in checked for claim in one.claims]
    agree = sum(not claim.origin for claim in claims)
    return f"{counted(len(claims), 'number')} compared, {agree:,} agree{'s' if agree == 1 else ''}"
