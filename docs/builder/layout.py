"""The folder of pages that Sphinx reads: pages of the repository, and generated ones.

A file is written only where it differs, so that Sphinx reads again only what has changed.
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from docs.builder import api, drawing, gallery
from docs.builder.drawing import Shown
from docs.builder.places import PAGES, REPLACED, ROOT, in_the_site, place

_SHOWN = re.compile(r"<!-- scenario: (\S+) -->")


def lay_out(folder: Path) -> None:
    """Write all pages and pictures into a folder, and remove what is no longer among them."""
    scenarios = drawing.shown(folder)
    generated = {**gallery.pages(scenarios), **api.pages()}
    files = {place: text.encode() for place, text in generated.items()}
    files |= {place: text.encode() for place, text in _pages(scenarios)}
    files |= {place(_name(path)): path.read_bytes() for path in _pictures()}
    files["CITATION.cff"] = (ROOT / "CITATION.cff").read_bytes()
    drawn = {one.file for each in scenarios.values() for one in each.pictures}
    for path in folder.rglob("*"):
        if path.is_file() and path.relative_to(folder).as_posix() not in files.keys() | drawn:
            path.unlink()
    for name, data in files.items():
        _write(folder / name, data)


def sources() -> list[Path]:
    """The pages of the repository that the site holds."""
    own = [path for path in sorted((ROOT / "docs").rglob("*.md")) if "_build" not in path.parts]
    return [*own, *(ROOT / name for name in PAGES if name not in REPLACED)]


def _name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def _pages(scenarios: Mapping[str, Shown]) -> Iterator[tuple[str, str]]:
    for path in sources():
        text = in_the_site(path.read_text(encoding="utf-8"), _name(path))
        if path.name == "index.md":
            text += _toctree(text)
        yield place(_name(path)), _with_scenarios(text, scenarios, "../" * place(_name(path)).count("/"))


def _toctree(text: str) -> str:
    """The pages below an index, for Sphinx: those that its list names, or else all of its folder."""
    pages = re.findall(r"^\* \**\[[^]]*\]\(([^):]+\.md)\)", text, re.MULTILINE)
    return "\n".join(["\n```{toctree}", ":hidden:", *([""] if pages else [":glob:", ""]), *(pages or ["*"]), "```\n"])


def _with_scenarios(text: str, scenarios: Mapping[str, Shown], to_root: str) -> str:
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


def _write(path: Path, data: bytes) -> None:
    if path.is_file() and path.read_bytes() == data:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
