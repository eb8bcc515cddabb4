"""The place of each file of the repository in the site, and the links between pages.

Pages link to each other, to scenarios and to figures as files of the repository, so that a link is right where the
repository is read. In the site a link leads to the page that the file has there.
"""

import posixpath
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

PAGES = {
    "README.md": "index.md",
    "CONTRIBUTING.md": "development/contributing.md",
    "CHANGELOG.md": "development/changelog.md",
    "benchmarks/RESULTS.md": "development/benchmarks.md",
    "figures/README.md": "gallery/figures.md",
    "scenarios/README.md": "gallery/index.md",
}
"""The pages that lie outside `docs/`, and their places in the site."""
REPLACED = ("README.md", "scenarios/README.md")
"""Those in whose place the site has a page of its own: its first one, and the gallery."""
_FENCED = re.compile(r"(^(`{3,})[^\n]*\n.*?^\2\n?)", re.MULTILINE | re.DOTALL)
_CODE_OR_LINK = re.compile(r"`+[^`]+`+|(\]\()([^)#\s]+)((?:#[^)\s]*)?\))")


def place(file: str) -> str:
    """The place in the site of a file of the repository; raises `LookupError` for a file that the site lacks."""
    if file in PAGES:
        return PAGES[file]
    if file.startswith("docs/"):
        return file.removeprefix("docs/")
    if match := re.fullmatch(r"scenarios/[^/]+/([^/]+)\.toml", file):
        return f"gallery/{match[1]}.md"
    if match := re.fullmatch(r"scenarios/([^/.]+)", file):
        return f"gallery/in-{match[1]}.md"
    if file == "CITATION.cff" or re.fullmatch(r"figures/[^/]+\.(svg|gif)", file):
        return file
    raise LookupError(f"{file} has no place in the site")


def in_the_site(text: str, file: str) -> str:
    """The text of a page, with each link leading to the place of its file in the site.

    file: the page, from the root of the repository. Raises `LookupError` for a link to a file that has no place.
    """
    home = posixpath.dirname(place(file))

    def moved(match: re.Match[str]) -> str:
        if match[2] is None or ":" in match[2]:  # code, or an address
            return match[0]
        target = posixpath.normpath(posixpath.join(posixpath.dirname(file), match[2]))
        return f"{match[1]}{posixpath.relpath(place(target), home or '.')}{match[3]}"

    parts = _FENCED.split(text)
    return "".join(
        _CODE_OR_LINK.sub(moved, part) if i % 3 == 0 else part if i % 3 == 1 else "" for i, part in enumerate(parts)
    )
