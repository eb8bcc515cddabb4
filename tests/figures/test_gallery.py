"""The gallery equals the figures that the commands draw. Any tokens give a figure, with the same bytes each time."""

import re
from pathlib import Path

import matplotlib
import pytest

import hopattn as ha
from hopattn.cli.main import main
from hopattn.figures.gallery import plots
from hopattn.figures.rendering import FORMATS, drawable, rendered, rendered_figure, rendered_in_formats
from hopattn.figures.style import STYLES
from hopattn.scenario.loading import parse
from tests.committed import differences, figure_differences
from tests.counts import count, spread
from tests.runs import drawing_of, result_of

GALLERY = Path(__file__).parents[2] / "figures"
MADE_WITH = re.search(r"<!-- made with matplotlib (\S+) -->", (GALLERY / "README.md").read_text(encoding="utf-8"))
ODD = ["$x_1$", "<script>", "[no]", "ψ", "é" * 60, "日本"]


def texts(svg):
    return re.findall(r"<text[^>]*>([^<]*)</text>", svg)


@pytest.mark.parametrize("name", plots)
def test_the_gallery_equals_the_figures_drawn_now(name):
    _, data, notes = drawing_of(name, plots[name].scenario)
    kept = (GALLERY / f"{name}.svg").read_text(encoding="utf-8")
    assert notes == ()
    assert differences(*("\n".join(sorted(texts(svg))) for svg in (kept, data.decode()))) == []
    if MADE_WITH and MADE_WITH[1] == matplotlib.__version__:
        assert figure_differences(kept, data.decode()) == [], "make figures"


@pytest.mark.parametrize("format", count([format for format in FORMATS if format != "mp4"], ["svg"]))
def test_the_same_figure_is_the_same_bytes(format, results):
    """With quick counts test_moving.py makes the GIF, and test_sweep.py PDF and PNG."""
    plot, result = plots["animation"](), results["graded"]
    again = drawing_of("animation", "graded")[1:] if format == "svg" else rendered_figure(plot, result, format)
    assert rendered_figure(plot, result, format) == again


def test_several_formats_are_one_drawing_with_the_bytes_of_each_alone():
    drawn = []

    class Seen(plots["heads"]):
        def draw(self, figure, result):
            drawn.append(figure)
            super().draw(figure, result)

    files = rendered_in_formats(Seen(), result_of("head-scores"), ["png", "svg"], STYLES["slide"])
    assert len(drawn) == 1 and [*files] == ["png", "svg"]
    assert files["svg"] == drawing_of("heads", "head-scores")[1:]


@pytest.mark.quick(4)
@pytest.mark.parametrize("name", spread(plots, 8))
def test_a_figure_is_drawn_from_each_result_that_has_data_for_it(name, results):
    plot = plots[name]()
    among = [results[one] for one in dict.fromkeys([*spread(results, 10), plot.scenario])]
    suitable = [result for result in among if not plot.lacks(result)]
    listed = [result for result in among if name in {kind.name for kind in drawable(result)}]
    assert listed == suitable != []
    suitable.sort(key=lambda result: result.name != plot.scenario)
    for result in spread(suitable[:: max(1, len(suitable) // 3)], 1):
        assert len(drawing_of(name, result.name).svg) > 1000, result.name


# It draws every figure of attention.
@pytest.mark.quick(0)
def test_odd_words_do_not_break_a_figure():
    words = "\n".join(f'"{word}" = [{i}, 1]' for i, word in enumerate(ODD))
    tokens = ", ".join(f'"{word}"' for word in ODD)
    text = f"""schema = 1
title = "odd <words> & $y_2$"
source = "none"
kind = "attention"
[vocabulary]
axes = ["a", "b"]
magnitude = "free"
[vocabulary.words]
{words}
[input]
tokens = [{tokens}]
[[layer]]
[[layer.head]]
mask = "none"
"""
    result = ha.run(parse(text, "odd.toml", "odd"))
    formats = ("svg", "pdf", "png")
    for i, plot in enumerate(drawable(result)):
        some = formats[:1] if plot.name == "attention" else formats[i % 3 : i % 3 + 1]
        for format in count(formats, some):
            data, notes = rendered_figure(plot, result, format)
            assert all("is not in the font" in note for note in notes)
            if (plot.name, format) == ("attention", "svg"):
                written = texts(data.decode())
    assert "$x_1$" in " ".join(written)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["figures", "atention"], "did you mean 'attention'"),
        (["figures", "attention", "--format", "svg,pgn"], "did you mean 'png'"),
        (["figures", "attention", "--format", "gif"], "does not move"),
    ],
)
def test_a_wrong_name_or_format_is_an_error_with_a_message(arguments, message, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == 2
    assert message in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_a_folder_that_cannot_be_written_is_an_error_with_a_message(capsys, tmp_path):
    (tmp_path / "file").write_text("here")
    with pytest.raises(SystemExit) as ended:
        main(["figures", "attention", "--out", str(tmp_path / "file")])
    assert ended.value.code == 3
    assert "cannot be written" in capsys.readouterr().err
    assert (tmp_path / "file").read_text() == "here"


def test_the_list_names_every_figure_and_what_it_shows(hopattn):
    code, out, err = hopattn("figures", "--list")
    assert (code, err) == (0, "")
    lines = {line.split()[0]: " ".join(line.split()) for line in out.splitlines()}
    assert all(plot.shows.split()[0] in lines[name] and plot.scenario in lines[name] for name, plot in plots.items())


def test_run_draws_every_figure_that_it_can_into_a_folder_of_its_own(hopattn, tmp_path):
    name = count("bank", "similarity")
    assert hopattn("run", name, "--figures")[0] == 0
    assert [path.name for path in tmp_path.iterdir()] == [f"{name}-figures"]
    drawn = {path.stem for path in (tmp_path / f"{name}-figures").iterdir()}
    assert drawn == {plot.name for plot in drawable(result_of(name))}


def test_a_result_without_data_for_a_figure_is_refused():
    with pytest.raises(ha.InvalidInput, match="figure 'attention' cannot be drawn from 'similarity'"):
        rendered_figure(plots["attention"](), result_of("similarity"))


def test_the_parts_of_a_figure_are_numbered_in_their_order():
    """Two rectangles that look the same, but differ in the last digit, give the same bytes."""

    def draw(figure, off):
        ax = figure.add_axes((0.1 + off, 0.1, 0.5, 0.5))
        ax.plot([0, 1], [0, 1], marker="o", clip_on=True)

    one, other = (rendered(lambda figure, off=off: draw(figure, off))[0] for off in (0.0, 1e-15))
    assert one == other
    assert b'clip-path="url(#part' in one and not re.search(rb"#[a-z][0-9a-f]{10}\b", one)
