"""The site: each link has a place, each public name and each scenario has a page, and all of it is built and linked."""

import os
import re
import shutil
import subprocess
import sys
from html.parser import HTMLParser
from urllib.parse import unquote

import numpy as np
import pytest

import hopattn as ha
from docs.builder import api, commands, gallery, markdown
from docs.builder.drawing import SWEEPS, Picture, Shown, _shown
from docs.builder.layout import sources
from docs.builder.places import ROOT, in_the_site, place
from hopattn.experiments.sweep.of_scenario import sweep_scenario
from hopattn.scenario.files import shipped
from tests.each import each

HTML = ROOT / "docs" / "_build" / "html"


@each("page", sources())
def test_every_link_of_a_page_has_a_place_in_the_site(page):
    file = page.relative_to(ROOT).as_posix()
    assert in_the_site(page.read_text(encoding="utf-8"), file)


def test_links_lead_to_the_pages_of_their_files_and_code_stays_as_it_is():
    text = "[a](../../scenarios/ling3804/bank.toml#x) `[b](c)` [d](https://e.org)\n```sh\n[f](g)\n```\n![h](../../figures/moved.svg)"
    moved = in_the_site(text, "docs/ideas/energy.md")
    assert moved == (
        "[a](../gallery/bank.md#x) `[b](c)` [d](https://e.org)\n```sh\n[f](g)\n```\n![h](../figures/moved.svg)"
    )


def test_a_link_to_a_file_without_a_place_is_refused():
    with pytest.raises(LookupError, match=r"hopattn/x\.py has no place"):
        in_the_site("[a](../hopattn/x.py)", "docs/index.md")


def test_every_public_name_has_a_page_of_its_own_also_where_capitals_do_not_count():
    pages = api.pages()
    assert not re.search(r"<(function|class|factory)|0x[0-9a-f]{6}", "".join(pages.values()))
    assert '`ha.separations["argmax"]` is `ha.separations.argmax`' in pages["reference/api/separations.md"]
    for name in api.NAMES:
        assert f"hopattn.{name}" in pages[f"reference/api/{api.stem(name)}.md"]
    for room in api.ROOMS:
        page = pages[f"reference/api/{room}.md"]
        assert f"{{py:module}} hopattn.{room}" in page
        assert [name for name, _ in api.names_in(room) if f"## `ha.{room}.{name}`" not in page] == []
    assert len({page.lower() for page in pages}) == len(pages)


def test_every_command_and_every_option_is_on_the_page():
    page = commands.page()
    for name in commands.cli.list_commands(None):
        assert f"## `hopattn {name}`" in page
    assert "`--set KEY=VALUE`" in page
    assert "`--dtype [float64\\|float32]`" in page


def a_scenario(name, path):
    text = path.read_text(encoding="utf-8")
    pictures = (Picture(f"figures/{name}-moved.svg", "where words are", f"hopattn run {name} --figures moved"),)
    file = path.relative_to(ROOT).as_posix()
    return Shown(name, "attention", "a *title*", "ours", None, file, text, "output", pictures, ("moved",), ())


@pytest.mark.parametrize("points", sorted(SWEEPS.glob("*.jsonl")), ids=lambda path: path.stem)
def test_the_points_of_a_sweep_are_all_there_so_that_its_picture_needs_no_minute(points, tmp_path):
    copy = shutil.copy(points, tmp_path / points.name)
    swept = sweep_scenario(ha.load(points.stem), file=copy, workers=1)
    assert copy.read_bytes() == points.read_bytes()
    assert not any(np.isnan(swept.mean(name)).all() for name in swept.values)


def test_an_ensemble_shows_its_sweep_and_a_scenario_the_figure_that_it_names(tmp_path):
    (tmp_path / "figures").mkdir()
    sweep, masks = (_shown((name, shipped()[name], tmp_path)).pictures[0] for name in ("capacity", "bank-mask"))
    assert (sweep.file, masks.file) == ("figures/capacity-sweep.svg", "figures/bank-mask-masks.svg")
    assert sweep.command == "hopattn sweep capacity --out capacity.svg"
    assert sweep.shows == "overlap and recalled over load"
    assert "theory" in (tmp_path / sweep.file).read_text() and "itself too" in (tmp_path / masks.file).read_text()


def test_every_scenario_has_a_page_with_its_file_and_its_output():
    scenarios = {name: a_scenario(name, path) for name, path in shipped().items()}
    pages = gallery.pages(scenarios)
    for name, path in shipped().items():
        page = pages[place(path.relative_to(ROOT).as_posix())]
        assert path.read_text(encoding="utf-8").rstrip() in page
        assert f"$ hopattn run {name}\noutput" in page
        assert r"a \*title\*" in page
        assert f"({name}.md)" in pages[f"gallery/in-{path.parent.name}.md"]
    assert {path.parent.name for path in shipped().values()} == set(gallery.FOLDERS)


def test_a_docstring_becomes_paragraphs_formulas_and_examples():
    doc = "One *line*.\n\n    s = K x\n\nkeys: `(n, dim)`; values: rows. cue: [0, 1].\n\n>>> 1 + 1\n2"
    assert markdown.from_docstring(doc, ["keys", "values"]) == (
        "One \\*line\\*.\n\n```text\ns = K x\n```\n\n**keys**: `(n, dim)`; **values**: rows. cue: \\[0, 1\\].\n\n"
        "```python\n>>> 1 + 1\n2\n```"
    )


class Page(HTMLParser):
    """The anchors of a page, its links, and what it loads."""

    def __init__(self, path):
        super().__init__()
        self.ids, self.links, self.loaded = set(), set(), set()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        self.ids |= {given[key] for key in ("id", "name") if given.get(key)}
        if tag == "a" and given.get("href"):
            self.links.add(given["href"])
        elif tag in ("script", "img", "source", "iframe") or given.get("rel") in ("stylesheet", "icon"):
            self.loaded |= {given[key] for key in ("href", "src") if given.get(key)}


def faults(folder):
    """The links and the loaded files of a built site that lead nowhere, or into the network."""
    pages = {path: Page(path) for path in folder.rglob("*.html")}
    for path, page in pages.items():
        for link in page.loaded:
            if re.match(r"(https?:)?//", link) or not (path.parent / link.split("?")[0]).exists():
                yield f"{path.name} loads {link}"
        for link in page.links:
            file, _, anchor = unquote(link).partition("#")
            if re.match(r"[a-z]+:", link):
                continue
            target = (path.parent / file).resolve() if file else path
            if not target.exists() or (anchor and target in pages and anchor not in pages[target].ids):
                yield f"{path.name} links to {link}"


def test_a_wrong_link_a_wrong_anchor_and_an_address_that_is_loaded_are_faults(tmp_path):
    (tmp_path / "a.html").write_text(
        '<p id="x"><a href="#x"></a><a href="#y"></a><a href="b.html"></a><a href="https://e.org"></a>'
        '<script src="https://e.org/s.js"></script><img src="c.svg">'
    )
    assert sorted(faults(tmp_path)) == [
        "a.html links to #y",
        "a.html links to b.html",
        "a.html loads c.svg",
        "a.html loads https://e.org/s.js",
    ]


def test_the_site_is_built_without_a_warning_and_every_link_leads_somewhere():
    pytest.importorskip("sphinx", reason="the site needs the extra docs")
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    built = subprocess.run(
        [sys.executable, "-m", "docs.builder"], cwd=ROOT, env=environment, capture_output=True, text=True
    )
    assert built.returncode == 0, built.stderr
    assert sorted(faults(HTML)) == []
    for name in api.NAMES:
        assert f'id="hopattn.{name}"' in (HTML / f"reference/api/{api.stem(name)}.html").read_text(encoding="utf-8")
    for room in api.ROOMS:
        page = (HTML / f"reference/api/{room}.html").read_text(encoding="utf-8")
        assert [name for name, _ in api.names_in(room) if f'id="hopattn.{room}.{name}"' not in page] == []
    assert all((HTML / f"gallery/{name}.html").exists() for name in shipped())
    assert sum(path.stat().st_size for path in HTML.rglob("*") if path.is_file()) < 60e6
    assert (HTML / "searchindex.js").exists()
