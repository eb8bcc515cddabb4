"""The site: each link has a place, each public name and each scenario has a page, and all of it is built and linked."""

import html
import json
import re
import shutil
import subprocess
from html.parser import HTMLParser
from urllib.parse import unquote

import numpy as np
import pytest

import hopattn as ha
from docs.builder import api, commands
from docs.builder.layout import sources
from docs.builder.places import ROOT, in_the_site
from hopattn.experiments.sweeps.kept import kept_folder, kept_sweep
from hopattn.experiments.sweeps.of_scenario import sweep_scenario
from hopattn.experiments.sweeps.sizes import measured
from hopattn.scenario.files import shipped


@pytest.mark.parametrize("page", sources())
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
    assert "`--style slide\\|paper\\|dark`" in page


@pytest.mark.parametrize("points", sorted(kept_folder().glob("*.jsonl")), ids=lambda path: path.stem)
def test_the_kept_points_of_a_sweep_are_all_those_of_its_file_and_come_out_again(points):
    scenario = ha.load(points.stem)
    kept, table = kept_sweep(scenario), scenario.spec.sweep
    axes, _, sizes = measured(scenario.spec, table.axes, {})
    assert kept.axes == {name: tuple(values) for name, values in axes.items()}
    assert all(np.array_equal(kept.sizes[name], size) for name, size in sizes.items())
    everywhere = sizes.get("patterns", np.ones([*map(len, axes.values())])) > 0
    assert [*kept.values] == table.measures
    assert all(np.array_equal(np.isnan(rows).any(axis=-1), ~everywhere) for rows in kept.values.values())
    first = sweep_scenario(scenario, {name: values[:1] for name, values in table.axes.items()}, workers=1)
    place = tuple(kept.axes[name].index(value) for name, (value,) in first.axes.items())
    for name in kept.values:
        both = np.nansum(
            [np.ptp(first.interval(name)), np.ptp(kept.interval(name), axis=0)[place]]
        )  # two 95 % intervals
        assert np.abs(first.mean(name).item() - kept.mean(name)[place]) <= max(both, 0.02), name


@pytest.mark.parametrize(
    ("block", "copied"),
    [
        ("$ hopattn run a\n1 ... 2\n\n$ ls\n", "hopattn run a\nls"),
        (">>> for i in x:\n...     f(i)\n...\n7\n>>> y\n", "for i in x:\n    f(i)\n\ny"),
        ("a = 1\n\nb = 2\n", "a = 1\n\nb = 2"),
    ],
)
def test_a_block_of_code_is_copied_as_it_is_typed(block, copied):
    node = shutil.which("node") or pytest.skip("node is not installed")
    script = (ROOT / "docs/static/copy.js").read_text(encoding="utf-8")
    page = "const document = { addEventListener() {} };"
    code = f"{page}\n{script}\nconsole.log(JSON.stringify(typed({json.dumps(block)})))"
    assert json.loads(subprocess.run([node, "-e", code], capture_output=True, text=True, check=True).stdout) == copied


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


@pytest.mark.slow
def test_the_site_is_built_without_a_warning_and_every_link_leads_somewhere(site):
    assert sorted(faults(site)) == []
    for name in api.NAMES:
        assert f'id="hopattn.{name}"' in (site / f"reference/api/{api.stem(name)}.html").read_text(encoding="utf-8")
    for room in api.ROOMS:
        page = (site / f"reference/api/{room}.html").read_text(encoding="utf-8")
        assert [name for name, _ in api.names_in(room) if f'id="hopattn.{room}.{name}"' not in page] == []
    for name, path in shipped().items():
        page = html.unescape(re.sub(r"<[^>]+>", "", (site / f"gallery/{name}.html").read_text(encoding="utf-8")))
        assert path.read_text(encoding="utf-8").rstrip() in page and f"$ hopattn run {name}\n" in page
    assert sum(path.stat().st_size for path in site.rglob("*") if path.is_file()) < 60e6
    assert (site / "searchindex.js").exists()
