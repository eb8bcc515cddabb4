"""The scenarios that come with hopattn, as text: by what one wants to see, by group, and by word."""

import re
import tomllib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from rich.cells import cell_len, set_cell_size
from rich.text import Text

from hopattn.foundation.errors import InvalidInput, nearest, shortened
from hopattn.scenario.files import GROUPS, by_group, read_text
from hopattn.views.terminal import table
from hopattn.views.text_table import GAP, TextTable
from hopattn.views.visible import plain

FIRST = ("bank", "induction", "letters")
"""The scenarios to begin with."""
PRACTICE = "practice"
"""The word for the scenarios that draw worksheets, whatever else they show."""
QUESTIONS = {
    "meaning": (
        "a word's sense in its context: the bank of a river, of money",
        "bank bank-layers bank-mask bank-softmax bank-without practice-7-2 apple",
    ),
    "attention": (
        "attention by hand: similarity, softmax, weighted sum",
        "ling3804/ kim/ sheets/ aaba sharp-query self-attention",
    ),
    "prediction": (
        "which word comes next: induction heads, counted pairs",
        "cs371n/ circuits/ induction induction-angles induction-by-hand induction-readout induction-unseen",
    ),
    "transformer": (
        "inside a transformer: heads, masks, layers, translation",
        "at6/ encoder-decoder change-of-space two-spaces multi-head value-matrix key-value-cache quadratic batch "
        "padding feed-forward",
    ),
    "place": (
        "where a word stands: rotary, sinusoidal, learned, ALiBi",
        "positions/ positions practice-7-3 learned-positions position-probe position-probe-trained positions-joined",
    ),
    "recall": ("a network recalls a damaged pattern", "memories/ hopfield-beside-attention"),
    "neurons": (
        "Hopfield's network by hand: weights, fields, turns",
        "six-neurons weight-matrix neuron-by-neuron five-neurons practice-turns three-keys six-to-four",
    ),
    "capacity": (
        "how many patterns fit, and what papers print about it",
        "papers/ capacity capacity-by-size dense-capacity exponential crosstalk noise-and-load attraction "
        "sparse-coding",
    ),
    "wrong": (
        "where it goes wrong: traps, mixtures, lost patterns",
        "induction-trap induction-cures induction-without two-bigs vanishing-gradients lost-pattern spurious "
        "metastable two-cycle forgetting attends-itself birth-of-a-transformer",
    ),
    "energy": ("valleys, minima, basins and the passes between", "landscapes/ landscape valley barrier basins"),
    "physics": (
        "spins, magnets, temperature and phases",
        "ising-pair ising-patterns ising-ring magnetisation phases langevin heat-and-load re-entrance sphere-spinodal",
    ),
    "layers": ("networks of several layers of neurons", "networks/ threshold-layer sums-of-parts"),
    "sums": (
        "linear attention and fast weights: memories of sums",
        "linear linear-attention elu-features random-features superposed delta overwriting denoising",
    ),
    "programs": ("programs in heads, puzzles for networks, walks on graphs", "rasp/ optimisation/ note/"),
}
"""What one may want to see, and where it is: the names of scenarios, and the groups whose other scenarios it has."""
_QUESTION_OF = {word: key for key, (_, words) in QUESTIONS.items() for word in words.split()}


class Listed(NamedTuple):
    """A scenario in a list. group: the folder that it comes from. draws: whether it draws worksheets."""

    name: str
    kind: str
    title: str
    source: str
    group: str
    draws: bool

    @property
    def question(self) -> str:
        """The key of what it shows."""
        return _QUESTION_OF.get(self.name) or _QUESTION_OF[f"{self.group}/"]


def all_listed() -> list[Listed]:
    """The scenarios that come with hopattn, group by group."""
    files = ((group, *file) for group, files in by_group().items() for file in files.items())
    tables = ((group, name, tomllib.loads(read_text(path))) for group, name, path in files)
    return [
        Listed(name, one["kind"], one["title"], one["source"], group, PRACTICE in one) for group, name, one in tables
    ]


def with_words(listed: Sequence[Listed], words: Sequence[str]) -> list[Listed]:
    """The scenarios of a group or a question, or those with all words in name and title, or else in the source too.

    Or else those of a question with all words in its line.

    Raises `InvalidInput` where there are none.
    """
    asked = [word.casefold() for word in words]
    belongs: dict[str, Callable[[Listed], bool]] = {
        **dict.fromkeys(QUESTIONS, lambda one: one.question == asked[0]),
        **dict.fromkeys(GROUPS, lambda one: one.group == asked[0]),
        PRACTICE: lambda one: one.draws,
    }
    if len(asked) == 1 and asked[0] in belongs:
        return sorted(filter(belongs[asked[0]], listed), key=lambda one: one.name not in asked)
    names = [f"{one.name} {one.title}" for one in listed]
    for texts in (names, [" ".join(map(str, one)) for one in listed], [QUESTIONS[one.question][0] for one in listed]):
        lines = zip(listed, map(str.casefold, texts), strict=True)
        if found := [one for one, text in lines if all(word in text for word in asked)]:
            return sorted(found, key=lambda one: one.name not in asked)
    known = {*belongs, *re.findall(r"\w{3,}", " ".join(names).casefold())}
    alone = [word for word in asked if not any(word in " ".join(map(str, one)).casefold() for one in listed)]
    guess = next((near for word in alone if (near := nearest(word, sorted(known)))), None)
    hint = f"; did you mean '{guess}'?" if guess else " (`hopattn list` shows what there is)"
    quoted = " and ".join(f"'{shortened(word)}'" for word in alone or asked)
    raise InvalidInput(f"no scenario has {quoted} in its name, title or source{hint}")


def overview(listed: Sequence[Listed], width: int) -> Iterator[Text | TextTable]:
    """The scenarios to begin with, what one may want to see, and how to go on: less than one screen."""
    yield Text(f"To begin with: hopattn run {FIRST[0]}", style="bold")
    yield from _lines([one for name in FIRST for one in listed if one.name == name], width)
    yield Text(f"All {len(listed)}, by what you want to see", style="bold")
    counts = Counter(one.question for one in listed)
    rows = [[key, f"{counts[key]}", about] for key, (about, _) in QUESTIONS.items()]
    yield TextTable(["", "", ""], rows, frozenset({1}))
    ways = {
        "hopattn list recall": "one line of these; or with a word, such as Kosko",
        f"hopattn list {PRACTICE}": f"the {sum(one.draws for one in listed)} that draw worksheets to fill in",
        "hopattn list --long": "all, with their sources",
    }
    yield table(["", ""], ways.items())


def headed(listed: Sequence[Listed], width: int, group: str = "", long: bool = False) -> Iterator[Text | TextTable]:
    """A line for each scenario, below headings: those of the questions, or that of the group or of all worksheets.

    group: the group, or the word for worksheets, whose scenarios these are. long: the source of each below it.
    """
    about = {PRACTICE: "worksheets to fill in: hopattn practice NAME draws one"} | GROUPS
    about |= {key: what for key, (what, _) in QUESTIONS.items()}
    alone = [group] if group in (*GROUPS, PRACTICE) else []
    for i, key in enumerate(alone or [key for key in QUESTIONS if any(one.question == key for one in listed)]):
        if i:
            yield Text("")
        yield Text(about[key], style="bold")
        yield from _lines([one for one in listed if alone or one.question == key], width, long)


def _lines(listed: Sequence[Listed], width: int, long: bool = False) -> Iterator[Text | TextTable]:
    """A line of at most `width` letters for each scenario: name and title. long: the whole title, and the source."""
    names = max(len(one.name) for one in listed)
    if long:
        rows = ((one.name, one.title, f"{one.kind}; {one.source}") for one in listed)
        yield table(["", ""], [row for name, *texts in rows for row in zip((name, ""), texts, strict=True)])
        return
    for one in listed:
        yield Text(f"{one.name:{names}}{GAP}{brief(plain(one.title), width - names - len(GAP))}")


def brief(text: str, width: int) -> str:
    """A text of at most `width` letters: a longer one ends with a whole word and an ellipsis.

    >>> brief("a head that expects the wrong word: the first word attends to itself", 40)
    'a head that expects the wrong word: …'
    """
    if cell_len(text) <= width:
        return text
    return f"{set_cell_size(text, max(width - 1, 1)).rpartition(' ')[0].rstrip()} …"
