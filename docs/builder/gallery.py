"""A page for each scenario, one for each folder of scenarios, and one for all folders."""

import re
import tomllib
from collections.abc import Iterable, Mapping
from html import escape

from docs.builder.drawing import Picture, Shown
from docs.builder.markdown import fenced, plain, table
from hopattn.scenario.files import GROUPS, shipped

FOLDERS = GROUPS
"""The folders of scenarios in the order of the gallery, with their headings."""
_ON_CARDS = ("rope", "sort")
"""Scenarios whose pictures stand for their folders; other folders have the first one with a figure of the gallery."""


def pages(scenarios: Mapping[str, Shown]) -> dict[str, str]:
    """The pages of the gallery by their places. scenarios: by name."""
    grouped: dict[str, list[Shown]] = {folder: [] for folder in FOLDERS}
    for one in scenarios.values():
        grouped[one.file.split("/")[1]].append(one)
    own = {f"gallery/{one.name}.md": _page(one) for one in scenarios.values()}
    folders = {f"gallery/in-{folder}.md": _folder(folder, members) for folder, members in grouped.items()}
    return {**own, **folders, "gallery/index.md": _index(grouped)}


def listing() -> str:
    """The scenarios with their files, folder by folder, for those who read them in the repository."""
    files = shipped()
    parts = []
    for folder, heading in FOLDERS.items():
        own = {name: path for name, path in files.items() if path.parent.name == folder}
        titles = {name: tomllib.loads(path.read_text(encoding="utf-8"))["title"] for name, path in own.items()}
        rows = [[f"[`{name}`]({folder}/{path.name})", plain(titles[name])] for name, path in own.items()]
        parts.append(f"## {plain(heading)}\n\n{table(['scenario', 'title'], rows)}")
    return "\n\n".join(parts)


def verdicts(one: Shown) -> str:
    """How many expectations of a scenario are met, in words."""
    met = sum(outcome.met is True for outcome in one.expectations)
    return f"{met} of {len(one.expectations)} expectations met"


def picture(one: Picture, base: str) -> str:
    """A figure, with the description for those who do not see it."""
    return f"![{plain(one.shows)}]({base}{one.file})"


def interactive(one: Shown, base: str) -> str:
    """The interactive page of a scenario in a frame, which is loaded when it comes into view, and a link to it."""
    if one.page is None:
        raise LookupError(f"{one.name} has no interactive page")
    address = f"{base}{one.page.removeprefix('extra/')}"
    return (
        f'<iframe class="interactive" src="{address}" title="interactive page of {escape(one.name)}" loading="lazy">'
        f'</iframe>\n<p><a href="{address}">The same page in a window of its own</a>, to keep or to hand on. '
        f"It works without a network.</p>"
    )


def stated(one: Shown) -> str:
    """A table of the numbers that the source of a scenario prints beside those that are computed; empty if none are."""
    rows = [
        [plain(outcome.expectation), f"`{outcome.computed}`", plain(outcome.note.removeprefix("the source prints "))]
        for outcome in one.expectations
        if outcome.note.startswith("the source prints ")
    ]
    return table(["number", "computed", "the source prints"], rows) if rows else ""


def _index(grouped: Mapping[str, list[Shown]]) -> str:
    count = sum(len(members) for members in grouped.values())
    toctree = "\n".join(["```{toctree}", ":hidden:", "", "figures", *(f"in-{folder}" for folder in grouped), "```"])
    head = (
        f"# Gallery\n\nEvery scenario that comes with hopattn, {count} of them, with its picture, file and "
        "output. All [figures](figures.md) are on one page, by the question they answer."
    )
    cards = [_folder_card(folder, members) for folder, members in grouped.items() if members]
    everyone = sorted((one for members in grouped.values() for one in members), key=lambda one: one.name)
    rows = [[f"[`{one.name}`]({one.name}.md)", plain(one.title)] for one in everyone]
    listed = table(["scenario", "title"], rows)
    return "\n\n".join([head, "{.cards}\n" + "\n".join(cards), "## All by name", listed, toctree, ""])


def _folder_card(folder: str, members: list[Shown]) -> str:
    """The card of a folder, with the picture of a scenario from which a figure of the gallery is drawn."""
    drawn = [one for one in members if any(f"/{one.name}-" not in shown.file for shown in one.pictures)]
    chosen = [one for one in members if one.name in _ON_CARDS]
    one = (chosen or drawn or members)[0]
    return f"- [{_thumbnail(one)} {plain(FOLDERS[folder])}](in-{folder}.md) {len(members)} scenarios"


def _folder(folder: str, members: Iterable[Shown]) -> str:
    """The page of a folder: a card for each scenario."""
    cards = [_card(one) for one in members]
    # In the side bar a scenario has its name: its title, which heads its page, is a sentence.
    listed = [f"{one.name} <{one.name}>" for one in members]
    toctree = "\n".join(["```{toctree}", ":hidden:", "", *listed, "```"])
    return "\n\n".join([f"# {plain(FOLDERS[folder])}", "{.cards}\n" + "\n".join(cards), toctree, ""])


def _card(one: Shown) -> str:
    return f"- [{_thumbnail(one)} {one.name}]({one.name}.md) {plain(one.title)}"


def _thumbnail(one: Shown) -> str:
    return f"![](../{one.pictures[0].thumbnail})" if one.pictures else ""


def _page(one: Shown) -> str:
    """The page of a scenario: its title, where it comes from, its pictures, what to play with, its output and file."""
    note = [plain(one.note)] if one.note else []
    pictures = [f"{picture(shown, '../')}\n\n{fenced(shown.command, 'sh')}" for shown in one.pictures]
    more = ", ".join(f"`{name}`" for name in one.fits)
    fitting = [f"Figures that fit it: {more}."] if len(one.fits) > 1 else []
    play = ["## Play with it", interactive(one, "../")] if one.page else []
    others = ["## More figures"] if play and (pictures[1:] or fitting) else []
    parts = [
        f"# {plain(_as_heading(one.title))}",
        f"`{one.name}`. Source: {plain(one.source)}",
        *note,
        *pictures[:1],
        *play,
        *others,
        *pictures[1:],
        *fitting,
        "## What it gives",
        fenced(f"$ hopattn run {one.name}\n{one.output}", "console"),
        "## The file",
        f"`{one.file}`, of the [kind](../reference/scenarios.md) `{one.kind}`:",
        fenced(one.text, "toml"),
    ]
    return "\n\n".join([*parts, ""])


def _as_heading(title: str) -> str:
    """The title with a capital, where it begins with a word; a symbol such as x keeps its own form."""
    return title[0].upper() + title[1:] if re.match(r"a |[a-z]{2,}\b", title) else title
