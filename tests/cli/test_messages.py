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
    ("compare bank --over beta 0.1:32:log5", "--over takes KEY=GRID: write --over beta=0.1:32:log5"),
    ("run bank --set mask", "--set 'mask': expected KEY=VALUE, as in mask=causal"),
    ("run --set mask causal", "--set 'mask': expected KEY=VALUE, as in mask=causal"),
    ("run bank bnak --set mask=causal", "", "'bnak'", "'bank'"),
    ("compare bank --set load=0.1", "--set load: ", "scenario"),
    ("compare bank --over noise=0.1,0.2", "--over: noise ", "only beta"),
    ("compare --mask causal", "--mask: ", "random patterns"),
    ("compare --models softmx", "memories: 'softmx' is unknown", "'softmax'"),
    ("compare --over bta=1,2", "--over: 'bta' is unknown", "'beta'"),
    ("compare --over beta", "--over 'beta': expected KEY=GRID"),
    ("compare --over beta=", "--over beta: ", "missing"),
    ("compare --over beta=1,x", "--over beta: 'x'"),
    ("compare --over beta=0,1", "beta: ", "positive", "not 0"),
    ("compare --over beta=1,2 --over beta=1,2", "--over beta: ", "twice"),
    ("compare bank --over beta=1,2 --set beta=1", "beta: ", "as an axis"),
    ("compare --set beta=nan", "beta: ", "positive"),
    ("compare --set bta=1", "--set: 'bta' is unknown", "'beta'"),
    ("compare --set patterns=spin", "patterns: 'spin'", "'spins'"),
    ("compare --trials 0", "", "'--trials'", "0 is not in the range"),
    ("compare --measure steps", "--measure: ", "--out compare.svg"),
    ("compare --measure step --out a.svg", "--measure: 'step' is unknown", "'steps'"),
    ("compare --out out.xlsx", "--out 'out.xlsx': ending 'xlsx' is unknown", "csv"),
    ("compare --out a.gif", "--out 'a.gif': ending 'gif' is unknown", "svg"),
    (f"compare --trials 1 --set dim=8 --models nearest --out a.png {SWEEP3}", "figure: ", "not load, noise, hidden"),
    ("compare semicolons.csv", "", "semicolons", "a point, not a comma"),
    ("sweep bank", "", "nothing to go over"),
    ("sweep phases --over load=2:1:3", "--over load: ", "from 2 to 1", "smaller end first"),
    ("sweep phases --over load=low", "load: 'low'"),
    ("sweep phases --over lod=1", "", "'load'"),
    ("sweep phases --over load=0.1 --measure overlp", "", "'overlap'"),
    ("sweep phases --out table.xls", "--out 'table.xls': ", "csv"),
    ("sweep phases --trials 0", "", "--trials"),
    ("papers critical-laod", "no record has ", "'critical-laod'", "'critical-load'"),
    ("papers hopfield --out x.svg", "--out: ", "one record"),
    ("papers metastable-rate --out x.svg", "--out: ", "'metastable-rate'"),
    ("papers ''", "no record has ", "''"),
    ("papers critical-load --out x.txt", "--out 'x.txt': ending 'txt' is unknown", "svg"),
    ("practice", "practice: ", "name of a scenario"),
    ("practice capacity-by-size", "", "[practice]"),
    ("practice bank --count 0", "", "0 is not in the range"),
    ("practice bank --out -.pdf", "--out '-.pdf': ending 'pdf' is unknown", "md"),
    ("practice bank --lang fr", "--lang: language 'fr' is unknown"),
    ("practice bank --out x.md --key x.md", "--key: x.md"),
    ("practice bank --out x.tex --key x.md", "", "x.md: ", ".tex"),
    ("certify modern", "", "'certify' is no command", "python -m hopattn.certify"),
    ("practice --mark none.toml --lang de", "--mark: takes the sheet from its file"),
    ("practice bank --json", "--json: ", "--mark", "--out -.json"),
    ("practice bank --out x.pdf", "--out 'x.pdf': ", "html, ipynb, json, md, tex, xml, zip"),
    ("practice bank --out x/", "--out ", ".md, .html, .tex, .ipynb"),
    ("run bank --figure words --as svg,pgn", "--as: ", "'pgn' is unknown", "'png'"),
    ("run bank --as png", "--as: ", "--out run.svg"),
    ("run bank --out a.svg --as png", "--as: ", "FOLDER/"),
    ("run bank --out bank.jpg", "--out 'bank.jpg': ending 'jpg' is unknown", "svg"),
    ("run bank --out page.md", "page.md: ", "something else than hopattn writes"),
    ("run bank --out a.svg --out ./a.svg", "--out 'a.svg': is given twice"),
    ("run bank --out -.csv --out -.md", "--out '-.md': something else is printed already"),
    ("run bank --json --out -.csv", "--out '-.csv': something else is printed already"),
    ("run bank --out -.npz", "--out '-.npz': npz is not a text"),
    ("run bank letters --out a.svg", "--out 'a.svg': holds one picture, not 2", ".pdf", "FOLDER/"),
    ("run bank letters --out a.csv", "--out 'a.csv': holds one run, not 2", "write a FOLDER/"),
    ("run bank --out a.csv", "a.csv: ", "something else than hopattn writes"),
    ("run bank letters --json", "--json: ", "one scenario"),
    ("run bank --figure words,attention --out a.png", "--out 'a.png': holds one picture, not 2"),
    ("run bank --array weights", "--array: ", "--out weights.csv"),
    ("run bank --array wieghts --out a.csv", "--array: ", "'weights'"),
    ("run bank --figure wrods", "", "'wrods' is unknown", "'words'"),
    ("run quadratic --out a.gif", "", "does not move"),
    ("run bank --out a.svg --frames", "", "does not move"),
    ("run quadratic --out a.gif --frames", "--frames: ", "holds all frames"),
    ("run bank --out a.svg --title x --no-title", "--no-title: "),
    ("figures words attention --out a.svg", "--out 'a.svg': holds one picture, not 2"),
    ("sweep phases --style paper", "--style: ", "--out sweep.svg"),
    ("train two-layers --out a.svg", "--out 'a.svg': ", "FOLDER/"),
    ("explore --out page.pdf", "--out 'page.pdf': ", "html"),
    ("run bank --figure words --size 3by2", "--size '3by2': ", "3.4x2.4"),
    ("run bank --figure words --size 0:9", "", "0.5 to 40 inches, not 0"),
    ("run bank --figure words --size 0x2", "", "0.5 to 40 inches, not 0"),
    ("run bank --figure words --lang fr", "--lang: language 'fr'", "de, en"),
    ("run bank --figure words --dpi 200", "--dpi: ", "write a .png"),
    ("run bank --figure words --dpi 600 --size 20x9 --as png", "", "8,192 pixels"),
    ("run bank --figure words --style papr", "style: 'papr' is unknown", "'paper'"),
    ("run bank --no-title", "--no-title: ", "--out run.svg"),
    ("run bank --figure induction", "figure 'induction' cannot be drawn from 'bank'"),
    ("run bank --figure words --set figure.run=rivr", "", "'river'"),
    ("""run bank --figure words --set 'figure.axes=["money", "rivr"]'""", "", "'river'"),
    ("run bank --figure words --set figure.query=muddi", "--set figure.query: 'muddi'"),
    ("""run bank --figure words --set 'figure.names=["a", "a"]'""", "", "'a' is given 2 times"),
    ("""run bank --figure words --set 'figure.names=["a", "b", "c"]'""", "", "3 names; expected 1"),
    ("run bank --figure attention --set figure.head=2", "", "no head 2", "layer 1 head 1"),
    ("heads nowhere", "'nowhere' is not there", ".npz"),
    ("heads page.md", "", "is another file"),
    ("heads two-layers --repeats 25by4", "--repeats: ", "'25by4'", "25x4"),
    ("heads two-layers --repeats 49x2", "--repeats: 49 ", "48"),
    ("heads two-layers --repeats 40x2", "tokens: got 80", "64"),
    ("heads two-layers --repeats 5x2 --length 9", "--length: "),
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
    ("explore bank --out .", "--out '.': ", "expected .html"),
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
        ("compare --trials 1 --set dim=8 --out there/a.csv", ["--out 'there/a.csv': nothing can be written into"]),
        ("run bank --figure attention --out there/inside", ["--out 'there/inside': nothing can be written into"]),
        ("explore bank --out there/page.html --no-open", ["--out 'there/page.html': nothing can be written into"]),
        ("sweep phases --points /proc/none/points.jsonl", ["cannot be written"]),
    ],
)
def test_a_file_that_cannot_be_written_is_3(hopattn, tmp_path, line, words):
    (tmp_path / "there").write_text("a file")
    code, _, err = hopattn(*line.split())
    assert code == 3
    assert_says(err.splitlines(), "", *words)
    assert [path.name for path in tmp_path.iterdir()] == ["there"]
