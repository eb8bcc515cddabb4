"""The folder of pages that Sphinx reads: pages of the repository, and generated ones.

A file is written only where it differs, so that Sphinx reads again only what has changed.
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from docs.builder import api, drawing, gallery
from docs.builder.drawing import Shown, write
from docs.builder.places import PAGES, REPLACED, ROOT, in_the_site, place

_SHOWN = re.compile(r"<!-- scenario: (\S+) -->")
_INTERACTIVE = re.compile(r"<!-- explore: (\S+) -->\n(?:\n?!\[[^\n]*\n)?")
"""The place of an interactive page, with the picture that is shown where the repository is read."""
_LISTED = re.compile(r"^\* \[(?:!\[\]\([^)]+\))?[^]]*\]\(([^):]+\.md)\)", re.MULTILINE)
_CHILD = re.compile(r"^\* \[(?:!\[\]\(([^)]+)\) )?([^]]*)\]\(([^):]+\.md)\): ", re.MULTILINE)
_FIGURE = re.compile(r"figures/(\w+)\.\w+$")
_PICTURED = re.compile(r"!\[[^]]*\]\(([^)]+)\)|<!-- scenario: (\S+) -->")
CARDS = ("docs/index.md", "docs/ideas/index.md", "docs/lectures/index.md")
"""The indexes whose pages have cards."""


def lay_out(folder: Path, drawn: bool = True) -> None:
    """Write all pages and pictures into a folder, and remove what is no longer among them. drawn: as for `shown`."""
    scenarios = drawing.shown(folder, drawn)
    generated = {**gallery.pages(scenarios), **api.pages()}
    files = {place: text.encode() for place, text in generated.items()}
    files |= {place: text.encode() for place, text in _pages(scenarios)}
    files |= {place(_name(path)): path.read_bytes() for path in _pictures()}
    files["CITATION.cff"] = (ROOT / "CITATION.cff").read_bytes()
    kept = files.keys() | {file for one in scenarios.values() for file in one.written}
    for path in folder.rglob("*"):
        if path.is_file() and path.relative_to(folder).as_posix() not in kept:
            path.unlink()
    for name, data in files.items():
        write(folder / name, data)


def sources() -> list[Path]:
    """The pages of the repository that the site holds."""
    own = [path for path in sorted((ROOT / "docs").rglob("*.md")) if "_build" not in path.parts]
    return [*own, *(ROOT / name for name in PAGES if name not in REPLACED)]


def _name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def _pages(scenarios: Mapping[str, Shown]) -> Iterator[tuple[str, str]]:
    for path in sources():
        name = _name(path)
        text = path.read_text(encoding="utf-8")
        own = place(name)
        moved = in_the_site(text, name)
        if path.name == "index.md":
            moved = (_with_cards(moved, path.parent, scenarios) if name in CARDS else moved) + _toctree(moved)
        yield own, _with_scenarios(moved, scenarios, "../" * own.count("/"))


def _toctree(text: str) -> str:
    """The pages below an index, for Sphinx: those that its list names, or else all of its folder."""
    pages = _LISTED.findall(text)
    return "\n".join(["\n```{toctree}", ":hidden:", *([""] if pages else [":glob:", ""]), *(pages or ["*"]), "```\n"])


def _with_cards(text: str, folder: Path, scenarios: Mapping[str, Shown]) -> str:
    """The text of an index with its first list as cards, each with its own picture or the first one of its page."""

    def card(match: re.Match[str]) -> str:
        own, name, page = match.groups()
        image = own or _first_picture((folder / page).read_text(encoding="utf-8"), scenarios)
        small = _FIGURE.sub(r"thumbnails/\1.svg", image)
        return f"* [![]({small}) {name}]({page}) "

    return _CHILD.sub(card, text).replace("\n\n* [", "\n\n{.cards}\n* [", 1)


def _first_picture(text: str, scenarios: Mapping[str, Shown]) -> str:
    """The first picture of a page of a folder of `docs/`, from that folder; raises `LookupError` if it has none."""
    found = _PICTURED.search(text)
    if found is None:
        raise LookupError(f"a page has no picture for its card: {text.splitlines()[0]}")
    if found[2]:
        return f"../{scenarios[found[2]].pictures[0].thumbnail}"
    return found[1].removeprefix("../")


def _with_scenarios(text: str, scenarios: Mapping[str, Shown], to_root: str) -> str:
    text = _INTERACTIVE.sub(lambda match: gallery.interactive(scenarios[match[1]], to_root) + "\n", text)
    return _SHOWN.sub(lambda match: _scenario(scenarios[match[1]], to_root), text)


def _scenario(one: Shown, to_root: str) -> str:
    """A scenario in a page about its source: its picture, its title, what the source prints."""
    parts = [
        *(gallery.picture(picture, to_root) for picture in one.pictures[:1]),
        f"[`{one.name}`]({to_root}gallery/{one.name}.md): {gallery.verdicts(one)}.",
        gallery.stated(one),
    ]
    return "\n\n".join(part for part in parts if part)


def _pictures() -> Iterator[Path]:
    """The pictures of the gallery, and what lies beside pages: pictures, an interactive page, a notebook."""
    for path in sorted([*(ROOT / "figures").iterdir(), *(ROOT / "docs").rglob("*.*")]):
        if path.suffix in (".svg", ".gif", ".png", ".html", ".ipynb") and "_build" not in path.parts:
            yield path
