"""The README and the pages show what one sees: files, the output of commands, tables of keys, examples that run."""

import doctest
import importlib.util
import re
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from matplotlib import pyplot

import hopattn as ha
from hopattn.experiments.certificate import Certificate, rounding
from hopattn.memories.models import named_memories
from hopattn.scenario.files import shipped
from hopattn.scenario.kinds import kinds
from hopattn.scenario.loading import parse
from hopattn.scenario.schema import schema
from tests.counts import FULL

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
SCENARIOS = (ROOT / "docs/scenarios.md").read_text(encoding="utf-8")
_spec = importlib.util.spec_from_file_location("refresh", ROOT / "docs/refresh.py")
refresh = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(refresh)
refresh.schema = schema_once = cache(schema)


def blocks(text, language):
    return re.findall(rf"```{language}\n(.*?)```", text, re.DOTALL)


@pytest.mark.parametrize("page", refresh.PAGES, ids=lambda page: page.name)
def test_files_commands_and_keys_are_up_to_date(page):
    text = page.read_text(encoding="utf-8")
    if not FULL:  # each scenario is run by its own test; `check` would run them all once more
        text = re.sub(r"```console\n\$ hopattn check\n.*?```", "", text, flags=re.DOTALL)
    assert refresh.refreshed(text) == text, "make docs"


def own_examples(page):
    """The examples of a page; in a quick run without those that are files, which have tests of their own."""
    kept = page if FULL else re.sub(r"<!-- file: .*?-->\n\n```toml\n.*?```", "", page, flags=re.DOTALL)
    return blocks(kept, "toml")


def test_the_list_of_scenarios_on_the_first_page_names_each_with_its_expectations():
    listed = dict(re.findall(r"^met  (\S+) +(\d+/\d+)  ", README, re.MULTILINE))
    assert listed.keys() == shipped().keys()


@pytest.mark.parametrize("text", own_examples(SCENARIOS), ids=lambda text: re.search('title = "(.*)"', text)[1])
def test_every_example_of_the_page_runs_and_meets_its_expectations(text):
    result = ha.run(parse(text, "page.toml", "page"))
    assert result.ok
    assert result.expectations


def test_the_python_examples_run(tmp_path, monkeypatch):
    shown, large, _ = blocks(README, "python")  # the last one needs a cluster: see test_cluster.py
    test = doctest.DocTestParser().get_doctest(shown, {}, "README.md", None, 0)
    assert doctest.DocTestRunner(verbose=False).run(test).failed == 0
    monkeypatch.chdir(tmp_path)
    patterns = np.random.default_rng(0).normal(size=(20, 64))
    np.save("patterns.npy", patterns)
    names = {"ha": ha, "cues": patterns}
    exec(large, names)
    assert names["found"].matched.tolist() == list(range(20))


def test_the_examples_of_figures_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    examples = blocks((ROOT / "docs/figures.md").read_text(encoding="utf-8"), "python")
    assert len(examples) == 11
    names = {}
    for example in examples:
        exec(example, names)
        pyplot.close("all")
    assert (tmp_path / "bank.pdf").stat().st_size > 1000


@pytest.mark.parametrize(
    "page",
    [
        "README.md",
        "docs/figures.md",
        "CONTRIBUTING.md",
        "docs/scenarios.md",
        "docs/architecture.md",
        "docs/conventions.md",
        "docs/dependencies.md",
    ],
)
def test_every_linked_file_is_there(page):
    for link in re.findall(r"\]\(([^)#]+)\)", (ROOT / page).read_text(encoding="utf-8")):
        assert link.startswith("https://") or (ROOT / page).parent.joinpath(link).exists(), link


def test_every_table_of_the_format_is_on_the_page():
    shown = set(re.findall(r"<!-- (?:keys|table): (\w+) -->", SCENARIOS))
    tables = schema_once()["$defs"]
    dynamic = {
        name for name in tables if name.endswith(("Table", "Model", "Update")) and "name" in tables[name]["properties"]
    }
    in_the_table_of_kinds = {kind.__name__ for kind in kinds.values()}
    assert set(tables) == shown | dynamic | in_the_table_of_kinds | {"Entry", "RandomWords", "Expectation"}


def test_every_key_says_what_it_means():
    for name in re.findall(r"<!-- keys: (\w+) -->", SCENARIOS):
        for key, entry in schema_once()["$defs"][name]["properties"].items():
            assert entry.get("description"), f"{name}.{key}"


def test_the_page_of_the_certificate_gets_a_column_for_float32():
    spec = importlib.util.spec_from_file_location("certify_page", ROOT / "docs/certify.py")
    page = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(page)
    pairs = [
        Certificate("bam", "sync", 9, rise, dtype=dtype) for rise, dtype in ((1e-16, "float64"), (1e-7, "float32"))
    ]
    assert list(page._rows(pairs)) == [["bam", "sync", "9", "1.0e-16", "1.0e-07", "0", "–", ""]]


def test_the_certificate_of_the_docs_is_whole_and_holds():
    page = (ROOT / "docs" / "certificate.md").read_text(encoding="utf-8")
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in page.splitlines() if line.startswith("| ")]
    table = [dict(zip(rows[0], row, strict=True)) for row in rows[2:]]
    assert {row["memory"] for row in table} == set(named_memories)
    claimed = [row for row in table if row["claimed"] != "0"]
    assert len(claimed) > 30
    assert all(int(row["claimed"].replace(",", "")) >= 100_000 for row in claimed)
    assert all(float(row["largest rise"]) <= rounding("float64") for row in claimed)
    assert all(float(row.get("in float32", 0)) <= rounding("float32") for row in claimed)
    assert all(float(row["rises"].rstrip("%")) > 0 for row in table if row["not claimed"] != "0"), "no counter-example"
