"""The README and the pages show what one sees: files, the output of commands, tables of keys, examples that run."""

import importlib.util
import os
import re
import tomllib
from functools import cache
from pathlib import Path

import pytest
from matplotlib import pyplot

import hopattn as ha
from hopattn.experiments.certificate import rounding
from hopattn.figures import favourites
from hopattn.figures.figure import gallery
from hopattn.memories.models import named_memories
from hopattn.scenario.kinds import kinds
from hopattn.scenario.loading import parse
from hopattn.scenario.schema import schema
from tests import examples, own_registries
from tests.committed import differences
from tests.draws import count
from tests.networks.random_networks import RANDOM

ROOT = Path(__file__).parent.parent
SCENARIOS = (ROOT / "docs/reference/scenarios.md").read_text(encoding="utf-8")
_spec = importlib.util.spec_from_file_location("refresh", ROOT / "docs/refresh.py")
refresh = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(refresh)
refresh.schema = schema_once = cache(schema)
PAGES = {
    path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8")
    for path in [*refresh.PAGES, ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md"]
}


DEAR = {"figures", "course", "compare", "heads-of-a-model", "practice"}
"""Pages whose examples take a second or more."""


def test_every_figure_answers_a_question():
    groups = refresh.by_question()
    named = [name for names in groups.values() for name in names]
    assert sorted(named) == sorted(gallery())
    assert "More" not in groups, f"no question of docs/refresh.py names {groups.get('More')}"


@pytest.mark.parametrize(
    "page",
    [
        pytest.param(path, id=path.stem, marks=[pytest.mark.slow] * (path.stem == "compare"))  # all memories
        for path in refresh.PAGES
        if "```console" in path.read_text() or "<!-- " in path.read_text()
    ],
)
def test_files_commands_and_keys_are_up_to_date(page):
    for extra in ("torch", "jax") if page.stem == "defaults" or page.parent.name == "api" else ():
        pytest.importorskip(extra, reason=f"the page has the names of ha.{extra}")
    text = page.read_text(encoding="utf-8")
    assert differences(text, refresh.refreshed(text)) == [], "make docs"


def test_the_first_page_is_two_screens_long():
    assert PAGES["README.md"].count("\n") <= 140


def whole_scenarios(text):
    """The scenarios of a page without those that are files, which have tests of their own."""
    kept = re.sub(r"<!-- file: .*?-->\n\n```toml\n.*?```", "", text, flags=re.DOTALL)
    return [block for block in re.findall(r"```toml\n(.*?)```", kept, re.DOTALL) if "schema = 1" in block]


@pytest.mark.parametrize(
    "text",
    [block for page in PAGES.values() for block in whole_scenarios(page)],
    ids=lambda text: re.search('title = "(.*)"', text)[1],
)
def test_every_scenario_on_a_page_runs_and_meets_its_expectations(text):
    result = ha.run(parse(text, "page.toml", "page"))
    assert result.ok
    assert result.expectations


def test_the_part_of_a_scenario_about_figures_fits_the_scenario_that_it_is_for():
    (part,) = re.findall(r"```toml\n(.*?)```", PAGES["docs/howto/figures.md"], re.DOTALL)
    ha.run(ha.load("bank"), overrides=tomllib.loads(part))


# The pages on figures and on a course draw all that they show.
@pytest.mark.parametrize(
    "page",
    [
        pytest.param(name, marks=[pytest.mark.slow] * (Path(name).stem in DEAR))
        for name, text in PAGES.items()
        if examples.examples(text)
    ],
)
def test_every_example_of_a_page_runs(page, tmp_path, monkeypatch):
    for module in set(re.findall(r"^import (torch|jax)$", PAGES[page], re.MULTILINE)):
        pytest.importorskip(module, reason=f"the page shows arrays of {module}")
    own_registries.keep(monkeypatch)
    monkeypatch.chdir(tmp_path)
    drawable = favourites.drawable
    monkeypatch.setattr(
        favourites, "drawable", lambda result: [*drawable(result)][: count(None, 2)]
    )  # the gallery draws them all
    examples.run(PAGES[page], page)
    pyplot.close("all")


def test_a_failing_example_is_seen(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for block in ("```python\n>>> 1 + 1\n3\n```", "```python\nassert False\n```", "```sh\nhopattn run bnak\n```"):
        with pytest.raises(AssertionError):
            examples.run(block, "page")


def linked(page):
    """The links of a page: addresses, and files from the root of the repository."""
    for link in re.findall(r"\]\(([^)#`]+)(?:#[^)]*)?\)", re.sub(r"(`+).*?\1", "", PAGES[page], flags=re.DOTALL)):
        yield link if ":" in link else Path(os.path.normpath(Path(page).parent / link)).as_posix()


@pytest.mark.parametrize("page", PAGES)
def test_every_linked_file_is_there(page):
    for link in linked(page):
        assert link.startswith("https://") or (ROOT / link).exists(), link


def test_every_page_can_be_reached_from_the_first_one():
    """By links that every reader of Markdown follows, with no site built."""
    reached, new = set(), {"README.md"}
    while new:
        reached |= new
        new = {link for page in new for link in linked(page) if link in PAGES} - reached
    assert PAGES.keys() - reached == {"docs/index.md"}, "the first page of the site, which README is for the clone"
    assert [page for page, text in PAGES.items() if "{toctree}" in text] == []


def test_every_table_of_the_format_is_on_the_page():
    shown = set(re.findall(r"<!-- (?:keys|table): (\w+) -->", SCENARIOS))
    tables = schema_once()["$defs"]
    of_registries = [name for name in tables if name.endswith(("Table", "Model", "Update", "Pool", "Simulation"))]
    dynamic = {name for name in of_registries if "name" in tables[name]["properties"]}
    in_the_table_of_kinds = {kind.__name__ for kind in kinds.values()}
    assert set(tables) == shown | dynamic | in_the_table_of_kinds | {"Entry", "RandomWords", "Expectation"}


def test_every_key_says_what_it_means():
    for name in re.findall(r"<!-- keys: (\w+) -->", SCENARIOS):
        for key, entry in schema_once()["$defs"][name]["properties"].items():
            assert entry.get("description"), f"{name}.{key}"


def test_the_certificate_of_the_docs_is_whole_and_holds():
    page = (ROOT / "docs" / "ideas" / "certificate.md").read_text(encoding="utf-8")
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in page.splitlines() if line.startswith("| ")]
    table = [dict(zip(rows[0], row, strict=True)) for row in rows[2:]]
    assert {row["memory"] for row in table} == {*named_memories, *RANDOM}
    claimed = [row for row in table if row["claimed"] != "0"]
    assert len(claimed) > 30
    assert all(int(row["claimed"].replace(",", "")) >= 100_000 for row in claimed)
    assert all(float(row["largest rise"]) <= rounding("float64") for row in claimed)
    assert all(float(row.get("in float32", 0)) <= rounding("float32") for row in claimed)
    assert all(float(row["rises"].rstrip("%")) > 0 for row in table if row["not claimed"] != "0"), "no counter-example"
