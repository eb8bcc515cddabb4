"""Wrong usage of every command: exit code 2, nothing printed or written, and a line that names what is wrong."""

import shlex

import numpy as np
import pytest

from tests.refusal import assert_says
from tests.texts import GOOD

SWEEP3 = "--over load=0.1,0.2 --over noise=0,0.1 --over hidden=0,0.1"
MESSAGES = [
    ("run", "name a scenario", "`hopattn run bank`", "`hopattn list`"),
    ("sweep", "name a scenario", "`hopattn sweep capacity`"),
    ("rnu", "", "'rnu' is unknown", "'run'"),
    ("bank", "", "'bank' is a scenario", "`hopattn run bank`"),
    ("run their-dog", "", "'their-dog'", "'induction'"),
    ("run none.toml", "none.toml: ", "no such file"),
    ("run .", "", "is a folder"),
    ("run /dev/null", "/dev/null: is a device"),
    ("run bad.toml", "bad.toml:14: layer.1.head.1.separation: ", "'softmx'", "'softmax'"),
    ("check bnak", "", "'bnak'", "'bank'"),
    ("new atention", "", "'atention'", "'attention'"),
    ("list capcity", "no scenario has 'capcity'", "'capacity'"),
    ("list --memories modern", "--memories: "),
    ("run bank --sed 1", "", "--seed"),
    ("run bank --seed -1", "", "'--seed'"),
    ("run bank --seed x", "", "'x'", "integer"),
    ("run bank --set x", "--set 'x': expected KEY=VALUE"),
    ("run bank --set layer.head.mask=nine", "--set layer.head.mask: 'nine' is unknown"),
    ("run bank --set mask causal", "--set takes KEY=VALUE: write --set mask=causal"),
    ("run bank --set mask = causal", "--set takes KEY=VALUE: write --set mask=causal"),
    ("run bank --json --set mask =causal", "--set takes KEY=VALUE: write --set mask=causal"),
    ("run --set mask causal bank", "--set takes KEY=VALUE: write --set mask=causal"),
    ("run bank --set title 'a b'", "--set takes KEY=VALUE: write --set 'title=a b'"),
    ("sweep phases --over load 0.1,0.2", "--over takes KEY=GRID: write --over load=0.1,0.2"),
    ("compare bank --over beta 0.1:32:log5", "--over takes AXIS=NUMBERS: write --over beta=0.1:32:log5"),
    ("run bank --set mask", "--set 'mask': expected KEY=VALUE, as in mask=causal"),
    ("run --set mask causal", "--set 'mask': expected KEY=VALUE, as in mask=causal"),
    ("run bank more --set mask=causal", "", "extra argument (more)"),
    ("compare bank --load 0.1", "--load: ", "scenario"),
    ("compare bank --over noise=0.1,0.2", "--over: noise ", "only beta"),
    ("compare --mask causal", "--mask: ", "random patterns"),
    ("compare --memories softmx", "memories: 'softmx' is unknown", "'softmax'"),
    ("compare --over bta=1,2", "--over: 'bta' is unknown", "'beta'"),
    ("compare --over beta", "--over 'beta': expected KEY=GRID"),
    ("compare --over beta=", "--over beta: ", "missing"),
    ("compare --over beta=1,x", "--over beta: 'x'"),
    ("compare --over beta=0,1", "beta: ", "positive", "not 0"),
    ("compare --over beta=1,2 --over beta=1,2", "--over beta: ", "twice"),
    ("compare bank --over beta=1,2 --beta 1", "beta: ", "as an axis"),
    ("compare --beta nan", "beta: ", "positive"),
    ("compare --patterns spin", "patterns: 'spin'", "'spins'"),
    ("compare --trials 0", "trials: ", "whole number"),
    ("compare --measure steps", "--measure: ", "--figure"),
    ("compare --measure step --figure a.svg", "--measure: 'step' is unknown", "'steps'"),
    ("compare --csv out.xlsx", "--csv: out.xlsx: ", ".csv"),
    ("compare --figure a.gif", "--figure: a.gif: ", ".svg, .pdf or .png"),
    (f"compare --trials 1 --dim 8 --memories nearest --figure a.png {SWEEP3}", "figure: ", "not load, noise, hidden"),
    ("compare semicolons.csv", "", "semicolons", "a point, not a comma"),
    ("sweep bank", "", "nothing to go over"),
    ("sweep phases --over load=2:1:3", "--over load: ", "from 2 to 1", "smaller end first"),
    ("sweep phases --over load=low", "load: 'low'"),
    ("sweep phases --over lod=1", "", "'load'"),
    ("sweep phases --over load=0.1 --measure overlp", "", "'overlap'"),
    ("sweep phases --out table.xls", "", ".csv"),
    ("sweep phases --trials 0", "", "--trials"),
    ("papers critical-laod", "no record has ", "'critical-laod'", "'critical-load'"),
    ("papers hopfield --figure x.svg", "--figure: ", "one record"),
    ("papers metastable-rate --figure x.svg", "--figure: ", "'metastable-rate'"),
    ("papers ''", "no record has ", "''"),
    ("papers critical-load --figure x.txt", "", "x.txt: ", ".svg, .pdf or .png"),
    ("practice", "practice: ", "name of a scenario"),
    ("practice capacity-by-size", "", "[practice]"),
    ("practice bank --count 0", "", "0 is not in the range"),
    ("practice bank --format pdf", "", "'pdf' is not one of"),
    ("practice bank --lang fr", "--lang: 'fr' is unknown"),
    ("practice bank --sheet x.md --key x.md", "--key: x.md"),
    ("practice bank --sheet x.tex --key x.md", "", "x.md: ", ".tex"),
    ("practice bank --sheet x.md --format html", "", "x.md: ", ".html"),
    ("certify modern", "", "'certify' is no command", "python -m hopattn.certify"),
    ("practice --check none.toml --lang de", "--check: takes the sheet from its file"),
    ("practice bank --json", "--json: ", "--check", "--format json"),
    ("practice bank --sheet x.pdf", "", "x.pdf: ", ".html, .ipynb, .json, .md, .tex, .xml or .zip"),
    ("run bank --figures --format svg,pgn", "", "format: 'pgn' is unknown", "'png'"),
    ("run bank --format png", "--format: ", "--figures", "handout"),
    ("run bank --explain --format pdf", "", "md, html or tex"),
    ("run bank --figures x.png", "", "FOLDER/words.png"),
    ("run bank --figures attention.pdf", "", "--figures attention --format pdf --into FOLDER"),
    ("run bank --figures wrods", "", "'words'", "./wrods"),
    ("run bank --figures slides --into b", "", "so is --into"),
    ("run bank --figures words --size 3by2", "--size '3by2': ", "3.4x2.4"),
    ("run bank --figures words --size 0:9", "", "0.5 to 40 inches, not 0"),
    ("run bank --figures words --size 0x2", "", "0.5 to 40 inches, not 0"),
    ("run bank --figures words --lang fr", "--lang: 'fr'", "de, en"),
    ("run bank --figures words --dpi 200", "--dpi: ", "--format png"),
    ("run bank --figures words --dpi 600 --size 20x9 --format png", "", "8,192 pixels"),
    ("run bank --figures words --style papr", "style: 'papr' is unknown", "'paper'"),
    ("run bank --no-title", "--no-title: ", "--figures"),
    ("run bank --figures induction", "figure 'induction' cannot be drawn from 'bank'"),
    ("run bank --figures words --set figure.run=rivr", "", "'river'"),
    ("""run bank --figures words --set 'figure.axes=["money", "rivr"]'""", "", "'river'"),
    ("run bank --figures words --set figure.query=muddi", "--set figure.query: 'muddi'"),
    ("""run bank --figures words --set 'figure.names=["a", "a"]'""", "", "'a' is given 2 times"),
    ("""run bank --figures words --set 'figure.names=["a", "b", "c"]'""", "", "3 names; expected 1"),
    ("run bank --figures attention --set figure.head=2", "", "no head 2", "layer 1 head 1"),
    ("run similarity --format tex", "--format tex: ", "--explain"),
    ("run similarity --explain --format tex,md", "", "stands alone"),
    ("run similarity --explain --json --format md", "", "--json"),
    ("heads nowhere", "'nowhere' is not there", ".npz"),
    ("heads page.md", "", "is another file"),
    ("heads two-layers --repeats 25by4", "--repeats: ", "'25by4'", "25x4"),
    ("heads two-layers --repeats 49x2", "--repeats: 49 ", "48"),
    ("heads two-layers --repeats 40x2", "tokens: got 80", "64"),
    ("heads two-layers --repeats 5x2 --long 9", "--long: "),
    ("heads two-layers --repeats 5x2 --ids page.md", "--ids: "),
    ("heads two-layers --ids page.md", "", "whole numbers"),
    ("separation a.csv --error 0.7", "--error: ", "0.5", "0.7"),
    ("separation a.csv --error 0.5", "--error: ", "0.5"),
    ("separation a.csv --error nan", "--error: "),
    ("separation odd.npz", "", "holds 2 arrays of 2 shapes: a, b", "q,k,v", "`--array NAME`"),
    ("separation odd.npz --array c", "'odd.npz': 'c' is unknown", "a, b"),
    ("separation a.csv --array c", "'a.csv' holds one table", "'c'"),
    ("separation .", "", "but a folder"),
    ("separation", "", "'FILE'"),
    ("separation words.csv", "", "the heading 'x,y'", "leave lines and columns of names out"),
    ("explore aaba", "", "cannot be explored: input.queries"),
    ("explore bank --out .", "", "is a directory"),
    ("train two-layer", "", "two-layers"),
]


@pytest.mark.parametrize(("line", "place", "words"), [(line, place, words) for line, place, *words in MESSAGES])
def test_wrong_usage_is_2_with_a_line_that_names_it(hopattn, tmp_path, line, place, words):
    (tmp_path / "bad.toml").write_text(GOOD.replace('"softmax"', '"softmx"'))
    (tmp_path / "page.md").write_text("# A page\n")
    (tmp_path / "semicolons.csv").write_text("0,5;1,2\n0,7;2,5\n")
    (tmp_path / "words.csv").write_text("x,y\n1,2\n")
    (tmp_path / "a.csv").write_text("1,0\n0,1\n")
    np.savez(tmp_path / "odd.npz", a=np.eye(2), b=np.eye(3))
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    code, out, err = hopattn(*shlex.split(line))
    assert (code, out) == (2, "") and "Traceback" not in err
    assert_says(err.splitlines(), place, *words)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("compare --trials 1 --dim 8 --csv there/a.csv", ["a file is where a folder is needed"]),
        ("run bank --figures attention --into there", ["cannot be written", "a file is where a folder is needed"]),
        ("run bank --figures attention --into there/inside", ["a file is where a folder is needed"]),
        ("explore bank --out there/page.html --no-open", ["a file is where a folder is needed"]),
        ("sweep phases --points /proc/none/points.jsonl", ["cannot be written"]),
    ],
)
def test_a_file_that_cannot_be_written_is_3(hopattn, tmp_path, line, words):
    (tmp_path / "there").write_text("a file")
    code, _, err = hopattn(*line.split())
    assert code == 3
    assert_says(err.splitlines(), "", *words)
    assert [path.name for path in tmp_path.iterdir()] == ["there"]
