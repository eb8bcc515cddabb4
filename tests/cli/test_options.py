"""One grammar: each option has one meaning in every command, and an ending names what is written; old ways go on."""

import csv
import json
import shlex

import click
import numpy as np
import pytest
from PIL import Image

import hopattn as ha
from docs.builder import commands as pages
from hopattn.cli.main import cli
from hopattn.cli.options import OLD, SHARED, in_new_ways
from hopattn.cli.output import FOLDER, WRITTEN, Out, dotted, endings
from tests.refusal import refused

COMMANDS = {name: cli.get_command(None, name) for name in cli.list_commands(None)}
OPTIONS = [(name, one) for name, command in COMMANDS.items() for one in command.params if isinstance(one, click.Option)]


def test_there_are_at_most_45_names_of_options():
    names = {opt for _, one in OPTIONS for opt in one.opts} | {"--help", "--version"}
    assert len(names) <= 45, sorted(names)


@pytest.mark.parametrize("name", sorted({opt for _, one in OPTIONS for opt in one.opts}))
def test_an_option_of_several_commands_is_a_shared_one_with_its_sentence(name):
    own = [(command, one) for command, one in OPTIONS if name in one.opts]
    if len(own) > 1:
        assert {one.help.startswith(SHARED[name][0]) for _, one in own} == {True}
        assert len({(one.is_flag, type(one.type)) for _, one in own}) == 1


def test_the_table_names_commands_and_their_out_says_what_is_in_it():
    assert {name for name, one in OPTIONS if "--out" in one.opts} == {*WRITTEN}
    for command, forms in WRITTEN.items():
        (out,) = [one for name, one in OPTIONS if name == command and "--out" in one.opts]
        assert all(f"{dotted(group)}: {what}" in out.help for group, what in forms.items())
        assert len(endings(command)) == len({*endings(command)})
        assert ("--style" in {opt for name, one in OPTIONS if name == command for opt in one.opts}) == (
            "svg" in endings(command)
        )
    assert pages.outputs().count("\n") == 1 + sum(map(len, WRITTEN.values()))


@pytest.mark.parametrize("command", WRITTEN)
def test_a_wrong_ending_names_the_endings_and_the_nearest(command, tmp_path):
    known = endings(command, file=True)
    for form in known:
        assert Out.of(tmp_path / f"a.{form.upper()}", command).form == form
        refused(lambda form=form: Out.of(tmp_path / f"a.{form}x", command), "--out ", f"did you mean '{form}'", *known)
    if FOLDER in endings(command):
        assert Out.of(tmp_path / "new", command).form == FOLDER


LINES = {
    "run bank --figures words,attention --into slides --format pdf,png": (
        "run bank --figure words,attention --out slides/ --as pdf,png"
    ),
    "run bank --figures": "run bank --figure all",
    "run bank --figures slides --format=gif": "run bank --figure all --out slides/ --as gif",
    "run bank --explain --format html": "run bank --explain --out -.html",
    "run bank --csv river/weights": "run bank --array river/weights --out -.csv",
    "figures words --format svg,gif --out slides": "figures words --as svg,gif --out slides",
    "compare --csv a.csv --figure a.svg --memories modern": "compare --out a.csv --out a.svg --models modern",
    "compare --n-patterns 5 --noise=0.1 --all": "compare --set n_patterns=5 --set noise=0.1 --long",
    "heads gpt2 --long 9 --all --save model --missing a=1": "heads gpt2 --length 9 --long --out model/ --set a=1",
    "heads gpt2 --long --json": "heads gpt2 --long --json",
    "papers a --figure a.svg": "papers a --out a.svg",
    "practice bank --format moodle": "practice bank --out -.xml",
    "practice bank --sheet a.xml --format moodle --language de": "practice bank --out a.xml --lang de",
    "practice --check a.toml": "practice --mark a.toml",
    "separation a.npy --all": "separation a.npy --long",
    "separation a.npy -- --all": "separation a.npy -- --all",
}


@pytest.mark.parametrize("line", LINES)
def test_an_old_way_is_read_as_the_new_one_and_that_is_said(line, capsys):
    command, *old = shlex.split(line)
    assert shlex.join([command, *in_new_ways(command, old)]) == LINES[line]
    said = capsys.readouterr().err.splitlines()
    assert bool(said) == (LINES[line] != line) and all("is now --" in one for one in said)


def test_each_new_way_has_options_that_the_command_has():
    for command, ways in OLD.items():
        known = {opt for name, one in OPTIONS if name == command for opt in one.opts}
        for way in ways.values():
            assert {word for word in way.split() if word.startswith("--")} <= known
        assert not {way.split()[0] for way in ways if way != "--long [0-9]+"} & known


def test_an_old_way_works_and_its_line_is_on_standard_error(hopattn, tmp_path):
    code, out, err = hopattn("run", "bank", "--figures", "attention", "--into", "slides", "--json")
    assert code == 0 and out.startswith("{")
    assert err.splitlines()[:2] == [
        "--figures attention: is now --figure attention; the old way goes with the next release",
        "--into slides: is now --out slides/; the old way goes with the next release",
    ]
    assert [path.name for path in (tmp_path / "slides").iterdir()] == ["bank-attention.svg"]


PICTURES = (
    "figures projection",
    "compare --trials 1 --set dim=8 --models nearest,linear",
    "sweep phases --over load=0.1,0.2 --trials 1 --set ensemble.neurons=20",
    "heads one-layer --repeats 4x2",
    "papers gardner-load",
)


@pytest.mark.parametrize("line", ["run similarity", *(pytest.param(line, marks=pytest.mark.slow) for line in PICTURES)])
def test_every_picture_takes_the_options_of_pictures(hopattn, tmp_path, line):
    look = ("--title", "Mine", "--size", "3x2", "--style", "paper", "--dpi", "50", "--transparent")
    code, _, err = hopattn(*line.split(), "--out", "a.svg", "--out", "new/a.png", "--out", "a.pdf", *look)
    assert code == 0 and {"a.svg", "new/a.png", "a.pdf"} <= {*err.splitlines()}
    svg = (tmp_path / "a.svg").read_text()
    assert 'width="216pt" height="144pt"' in svg and "Mine" in svg.split("</metadata>")[1]
    with Image.open(tmp_path / "new/a.png") as picture:
        assert picture.size == (150, 100)
    assert (tmp_path / "a.pdf").read_bytes().startswith(b"%PDF")


def test_a_folder_of_numbers_has_all_forms_of_the_table_and_the_pictures(hopattn, tmp_path):
    line = "compare --trials 1 --set dim=8 --models nearest,linear --as svg,pdf --out all/ --out b.csv --out b.json"
    assert hopattn(*line.split())[0] == 0
    forms = ("csv", "json", "npz", "pdf", "svg")
    assert {file.name for file in (tmp_path / "all").iterdir()} == {
        *(f"comparison.{form}" for form in forms),
        "provenance.json",
    }
    assert (tmp_path / "all/comparison.csv").read_bytes() == (tmp_path / "b.csv").read_bytes()
    assert json.loads((tmp_path / "all/provenance.json").read_text())["command"] == f"hopattn {line}"
    assert json.loads(hopattn(*line.split()[:7], "--json")[1]) == json.loads((tmp_path / "b.json").read_text())


def test_an_array_is_the_same_in_each_form_and_in_python(hopattn, tmp_path):
    outs = [part for form in ("csv", "json", "npz") for part in ("--out", f"w.{form}")]
    assert hopattn("run", "bank", "--array", "weights", "--array", "river/state", *outs)[0] == 0
    result = ha.run("bank")
    shown = result.shown("weights", "river/state")
    assert (tmp_path / "w.csv").read_text() == shown.to_csv() and (tmp_path / "w.npz").read_bytes() == shown.to_npz()
    rows = list(csv.DictReader((tmp_path / "w.csv").read_text().splitlines()))
    own = [row for row in rows if (row["run"], row["row"], row["column"]) == ("river", "banks", "rivers")]
    assert [float(row["value"]) for row in own] == [result.arrays["river/layer 1 head 1 weights"].values[3, 2]]
    with np.load(tmp_path / "w.npz") as arrays:
        assert {*arrays} == {"layer 1 head 1 weights", "river/layer 1 head 1 weights", "river/layer 1 state"}
    runs = json.loads((tmp_path / "w.json").read_text())["runs"]
    assert [run["name"] for run in runs] == ["", "river"] and len(runs[1]["arrays"]) == 2
    one = result.shown("river/weights").table()
    assert "run" not in one[0] and [row["query"] for row in one] == ["in", "muddy", "rivers", "banks"]
