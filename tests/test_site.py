"""The site: each link has a place, each public name and each scenario has a page, and all of it is built and linked."""

import html
import json
import re
import shutil
import subprocess
from dataclasses import replace
from html.parser import HTMLParser
from urllib.parse import unquote

import numpy as np
import pytest

import hopattn as ha
from docs.builder import api, commands, gallery, layout, markdown, picture_sizes
from docs.builder.chain import WIDTH, chain
from docs.builder.drawing import Picture, Shown, _shown
from docs.builder.layout import sources
from docs.builder.places import ROOT, in_the_site, place
from docs.builder.thumbnails import cropped
from hopattn.experiments.sweep.kept import kept_folder, kept_sweep
from hopattn.experiments.sweep.of_scenario import sweep_scenario
from hopattn.figures.palette import LIGHT
from hopattn.scenario.files import shipped
from tests.each import each


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
    page = f"extra/play/{name}.html" if name == "bank" else None
    return Shown(
        name, "attention", "a *title*", "ours", None, file, text, "output", pictures, ("moved",), (), page=page
    )


@pytest.mark.parametrize("points", sorted(kept_folder().glob("*.jsonl")), ids=lambda path: path.stem)
def test_the_kept_points_of_a_sweep_are_all_those_of_its_file_and_come_out_again(points):
    scenario = ha.load(points.stem)
    kept, table = kept_sweep(scenario), scenario.spec.sweep
    assert kept.axes == {name: tuple(values) for name, values in table.axes.items()}
    assert [*kept.values] == table.measures and not np.isnan([*kept.values.values()]).any()
    first = sweep_scenario(scenario, {name: values[:1] for name, values in kept.axes.items()}, workers=1)
    place = (slice(1),) * len(kept.axes)
    for name in kept.values:
        both = first.error(name) + kept.error(name)[place]  # 95 % intervals
        assert np.all(np.abs(first.mean(name) - kept.mean(name)[place]) <= np.fmax(both, 0.02)), name


def test_an_ensemble_shows_its_sweep_and_a_scenario_the_figure_that_it_names(tmp_path):
    names = "capacity-by-size", "capacity", "bank-mask"
    sweep, kept, masks = (_shown((name, shipped()[name], tmp_path, True)).pictures[0] for name in names)
    files = "figures/capacity-by-size-sweep.svg", "figures/capacity.svg", "figures/bank-mask-masks.svg"
    assert (sweep.file, kept.file, masks.file) == files
    assert sweep.command == "hopattn sweep capacity-by-size --out capacity-by-size.svg"
    assert kept.command == "hopattn sweep capacity --out capacity.svg"
    assert sweep.shows == "overlap over load and neurons"
    assert "theory" in (tmp_path / sweep.file).read_text() and "itself too" in (tmp_path / masks.file).read_text()


def test_every_scenario_has_a_page_with_its_file_and_its_output():
    scenarios = {name: a_scenario(name, path) for name, path in shipped().items()}
    pages = gallery.pages(scenarios)
    for name, path in shipped().items():
        page = pages[place(path.relative_to(ROOT).as_posix())]
        assert path.read_text(encoding="utf-8").rstrip() in page
        assert f"$ hopattn run {name}\noutput" in page
        assert page.startswith("# A \\*title\\*\n")
        assert f"```sh\nhopattn run {name} --figures moved\n```" in page
        assert ('src="../play/bank.html"' in page) == (name == "bank")
        assert f"![](../thumbnails/{name}-moved.svg) {name}]" in pages[f"gallery/in-{path.parent.name}.md"]
        assert f"({name}.md)" in pages[f"gallery/in-{path.parent.name}.md"]
    assert {path.parent.name for path in shipped().values()} == set(gallery.FOLDERS)


@each(
    ("title", "heading"),
    [("banks, next", "Banks, next"), ("a word", "A word"), ("x <- sgn(W x)", "x <- sgn(W x)"), ("AND", "AND")],
)
def test_the_title_of_a_scenario_heads_its_page_with_a_capital(title, heading):
    one = a_scenario("bank", shipped()["bank"])
    page = gallery.pages({"bank": replace(one, title=title)})["gallery/bank.md"]
    assert page.startswith(f"# {markdown.plain(heading)}\n")


def test_an_interactive_page_takes_the_place_of_the_picture_that_the_repository_shows():
    text = "a\n\n<!-- explore: bank -->\n![b](c.png)\n\nd"
    shown = layout._with_scenarios(text, {"bank": a_scenario("bank", shipped()["bank"])}, "../")
    assert 'src="../play/bank.html"' in shown
    assert "![b]" not in shown
    assert shown.endswith("\nd")
    with pytest.raises(LookupError, match="letters has no interactive page"):
        layout._with_scenarios(
            "<!-- explore: letters -->\n", {"letters": a_scenario("letters", shipped()["letters"])}, ""
        )


def test_the_list_of_an_index_becomes_cards_with_the_first_pictures_of_its_pages(tmp_path):
    (tmp_path / "a.md").write_text("# A\n\n![x](../../figures/moved.svg)")
    (tmp_path / "b.md").write_text("# B\n\n![x](own.svg)")
    (tmp_path / "c.md").write_text("# C")
    text = "# I\n\n* [A](a.md): One.\n* [B](b.md): Two.\n"
    assert layout._with_cards(text, tmp_path, {}) == (
        "# I\n\n{.cards}\n* [![](../thumbnails/moved.svg) A](a.md) One.\n* [![](own.svg) B](b.md) Two.\n"
    )
    given = "\n\n* [![](figures/recall.svg) C](c.md): Three."
    assert layout._with_cards(given, tmp_path, {}).endswith("* [![](thumbnails/recall.svg) C](c.md) Three.")
    assert "\n\na.md\nb.md\n" in layout._toctree(text)
    assert "\n\nc.md\n" in layout._toctree(given)
    with pytest.raises(LookupError, match="no picture for its card: # C"):
        layout._with_cards("* [C](c.md): Three.", tmp_path, {})


SHEET = b'<svg width="900pt" height="500pt" viewBox="0 0 900 500">%s</svg>'


def panels(*boxes):
    frames = (
        b'<g id="axes_%d"> <g id="patch_2"> <path d="M %d %d L %d %d z"/></g></g>' % (i, *box)
        for i, box in enumerate(boxes, start=1)
    )
    return SHEET % b"".join(frames)


@each(
    ("boxes", "view"),
    [
        ([(10, 60, 310, 360), (400, 60, 700, 360)], "8 58 304 304"),  # panels that are alike: the first
        ([(10, 60, 310, 360), (10, 400, 310, 410)], "8 58 304 304"),  # a bar of colours is none
        ([(10, 60, 60, 110), (400, 60, 700, 360)], "8 58 694 304"),  # pictures and a chart: both
    ],
)
def test_a_thumbnail_shows_the_drawing_alone(boxes, view):
    assert f'viewBox="{view}"'.encode() in cropped(panels(*boxes))


def test_a_thumbnail_has_no_text_that_its_edge_cuts():
    svg = panels((10, 60, 310, 360)).replace(
        b"</svg>", b'<text x="20" y="59">cut</text><text x="20" y="99">whole</text></svg>'
    )
    assert re.findall(rb">(\w+)</text>", cropped(svg)) == [b"whole"]
    assert cropped(SHEET % b"") == SHEET % b""


def test_the_picture_of_the_one_idea_is_drawn_with_text_as_wide_as_a_phone():
    picture = (ROOT / "docs/ideas/chain.svg").read_text(encoding="utf-8")
    assert picture == chain(LIGHT), "make docs"
    assert WIDTH <= 420
    assert all(f">{part}</" in picture for part in ("similarity", "separation", "projection", "activation"))
    page = (ROOT / "docs/ideas/one-idea.md").read_text(encoding="utf-8")
    assert "](chain.svg)" in page
    assert [line for line in page.splitlines() if line.startswith("    ") and len(line) > 88] == []


@each("page", sources())
def test_a_long_listing_is_folded(page):
    text = page.read_text(encoding="utf-8")
    open_ones = re.sub(r"<details>.*?</details>", "", text, flags=re.DOTALL)
    listings = re.findall(r"^```console\n(.*?)^```", open_ones, re.MULTILINE | re.DOTALL)
    assert [listing.partition("\n")[0] for listing in listings if listing.count("\n") > 52] == []


def in_node(script, call, asked="letters"):
    """The result of an expression in a script of the site."""
    node = shutil.which("node")
    if node is None:
        pytest.skip("node is not installed")
    text = (ROOT / "docs/static" / script).read_text(encoding="utf-8")
    page = f"const document = {{ addEventListener() {{}} }}; const location = {{ search: '?q={asked}' }};"
    code = f"{page}\n{text}\nconsole.log(JSON.stringify({call}))"
    return json.loads(subprocess.run([node, "-e", code], capture_output=True, text=True, check=True).stdout)


@each(
    ("block", "copied"),
    [
        ("$ hopattn run a\n1 ... 2\n\n$ ls\n", "hopattn run a\nls"),
        (">>> for i in x:\n...     f(i)\n...\n7\n>>> y\n", "for i in x:\n    f(i)\n\ny"),
        ("a = 1\n\nb = 2\n", "a = 1\n\nb = 2"),
    ],
)
def test_a_block_of_code_is_copied_as_it_is_typed(block, copied):
    assert in_node("copy.js", f"typed({json.dumps(block)})") == copied


def scored(pages, asked):
    return in_node("scorer.js", f'{json.dumps(pages)}.map(page => Scorer.score([page, "", "", null, 5]))', asked)


def test_a_search_finds_the_page_of_that_name_then_explanations_then_scenarios():
    pages = ["gallery/letters", "ideas/energy", "lectures/kim", "gallery/bank", "start/uv", "development/changelog"]
    scores = scored(pages, "letters")
    assert scores == sorted(scores, reverse=True)
    assert len(set(scores)) == len(scores)


@each("asked", ["beta", "β", "inverse+temperature"])
def test_a_search_for_beta_finds_the_pages_that_explain_it(asked):
    pages = ["ideas/separations", "ideas/one-idea", "ideas/energy", "gallery/letters"]
    scores = scored(pages, asked)
    assert scores == sorted(scores, reverse=True)
    assert scores[1] > scores[2] + 50


def test_a_picture_loads_late_and_keeps_its_room():
    svg = b'<svg role="img" width="921.6pt" height="518.4pt" viewBox="0 0 921.6 518.4">'
    pictures = {"a b.svg": svg, "c.gif": b"GIF89a" + bytes([0, 2, 44, 1]), "d.webp": b"RIFF"}
    page = picture_sizes.with_sizes(
        '<img alt="x" src="a%20b.svg" /><img src="c.gif" /><img src="d.webp" />', pictures.get
    )
    assert page == (
        '<img loading="lazy" width="1229" height="691" alt="x" src="a%20b.svg" />'
        '<img loading="lazy" width="512" height="300" src="c.gif" /><img src="d.webp" />'
    )
    assert picture_sizes.size((ROOT / "docs/howto/explore.png").read_bytes())[0] > 100


def test_code_that_only_looks_like_a_command_is_no_link():
    assert {"run", "explore"} <= set(commands.names())
    assert "bank" not in commands.names()


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


def without_help(folder):
    """The parts that a built site lacks: a start, pictures with sizes, dark sheets, scripts, a short side bar."""
    start = re.sub(r"<(?!iframe)[^>]+>", "", (folder / "index.html").read_text(encoding="utf-8"))
    first, _, rest = start.partition('src="play/bank.html"')
    if "pip install ." in first or not ("pip install ." in rest and 'ha.run("bank")' in html.unescape(rest)):
        yield "the start page has no interactive page before the install line and code"
    for path in folder.rglob("*.html"):
        pictures = re.findall(
            r"<img (?![^>]*_static/)[^>]*>", path.read_text(encoding="utf-8").partition("<article")[2]
        )
        yield from (f"{path.name}: {one}" for one in pictures if 'loading="lazy" width="' not in one)
    for name in (".", "ideas", "lectures"):
        page = (
            (folder / name / "index.html")
            .read_text(encoding="utf-8")
            .partition('class="cards')[2]
            .partition("</ul>")[0]
        )
        yield from (card for card in re.findall(r"<li>.*?</li>", page, re.DOTALL) if "only-dark" not in card)
    bank = (folder / "gallery/bank.html").read_text(encoding="utf-8")
    if not bank.count("only-dark") == bank.count("only-light") > 0:
        yield "a figure has no dark sheet"
    if "copy.js" not in bank or "score: ([page" not in (folder / "_static/language_data.js").read_text(
        encoding="utf-8"
    ):
        yield "a script is missing"
    if "practice-7-1" not in bank or "sort-by-frequency" in bank:
        yield "the side bar holds more or less than the branch of the page"
    if len(list((folder / "play").iterdir())) < 30:
        yield "scenarios have no interactive page"


def test_the_site_is_built_without_a_warning_and_every_link_leads_somewhere(site):
    assert sorted(faults(site)) == []
    for name in api.NAMES:
        assert f'id="hopattn.{name}"' in (site / f"reference/api/{api.stem(name)}.html").read_text(encoding="utf-8")
    for room in api.ROOMS:
        page = (site / f"reference/api/{room}.html").read_text(encoding="utf-8")
        assert [name for name, _ in api.names_in(room) if f'id="hopattn.{room}.{name}"' not in page] == []
    assert all((site / f"gallery/{name}.html").exists() for name in shipped())
    assert list(without_help(site)) == []
    assert sum(path.stat().st_size for path in site.rglob("*") if path.is_file()) < 60e6
    assert (site / "searchindex.js").exists()
