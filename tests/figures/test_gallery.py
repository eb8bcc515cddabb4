"""The gallery equals the figures that the commands draw. Any tokens give a figure, with the same bytes each time."""

import re
from pathlib import Path

import matplotlib
import pytest

from hopattn.figures.gallery import plots
from hopattn.figures.kept_sweeps import every_figure
from hopattn.figures.rendering import FORMATS, drawable, rendered, rendered_figure, rendered_in_formats
from hopattn.figures.style import STYLES
from tests.committed import differences, figure_differences
from tests.draws import count
from tests.figures.reading import of_text, words
from tests.runs import drawing_of, result_of

GALLERY = Path(__file__).parents[2] / "figures"
MADE_WITH = re.search(r"<!-- made with matplotlib (\S+) -->", (GALLERY / "README.md").read_text(encoding="utf-8"))
KEPT = [name for name in every_figure if name not in plots]


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


def test_a_figure_in_several_formats_has_the_bytes_of_each_alone():
    files = rendered_in_formats(plots["heads"](), result_of("head-scores"), ["png", "svg"], STYLES["slide"])
    assert [*files] == ["png", "svg"] and files["svg"] == drawing_of("heads", "head-scores")[1:]
    assert files["png"][0].startswith(b"\x89PNG")


@pytest.mark.parametrize("name", count([*plots], [*plots][::7]))
def test_a_figure_is_drawn_from_each_result_that_has_data_for_it(name, results):
    plot = plots[name]()
    among = [results[one] for one in dict.fromkeys([*count([*results], [*results][::18]), plot.scenario])]
    suitable = [result for result in among if not plot.lacks(result)]
    listed = [result for result in among if name in {kind.name for kind in drawable(result)}]
    assert listed == suitable != []
    suitable.sort(key=lambda result: result.name != plot.scenario)
    for result in suitable[:: count(1, len(suitable))]:
        assert len(drawing_of(name, result.name).svg) > 1000, result.name


@pytest.mark.parametrize("name", KEPT)
def test_the_figures_of_kept_sweeps_equal_those_drawn_now_in_every_language(name, hopattn, tmp_path):
    svg, notes = rendered_figure(every_figure[name](), every_figure[name]().result())
    assert notes == () and (b"theory" in svg or name == "phases")
    if MADE_WITH and MADE_WITH[1] == matplotlib.__version__:
        assert figure_differences((GALLERY / f"{name}.svg").read_text("utf-8"), svg.decode()) == [], "make figures"
    code, out, _ = hopattn("figures", name, "--lang", "de", "--no-title")
    assert (code, Path(out.strip())) == (0, Path("figures") / f"{name}.svg")
    written = texts((tmp_path / out.strip()).read_text("utf-8"))
    assert not any("network" in text or "retrieval" in text for text in written)
    assert any("Versuche" in text for text in written)


def test_the_gallery_holds_every_figure():
    assert KEPT == ["capacity", "phases"]
    assert {path.stem for path in GALLERY.glob("*.svg")} == {*every_figure, "census"}  # drawn by `hopattn heads`


def test_a_glyph_that_the_font_lacks_is_noted_and_signs_of_markup_are_words():
    result = of_text(words(["$x_1$", "<script>", "日本"]), "odd <words> & $y_2$")
    svg, notes = rendered_figure(plots["attention"](), result)
    assert len(notes) == 2 and all("is not in the font" in note for note in notes)
    assert {"$x_1$", "&lt;script&gt;", "odd &lt;words&gt; &amp; $y_2$"} <= {*texts(svg.decode())}


def test_the_list_names_every_figure_and_what_it_shows(hopattn):
    code, out, err = hopattn("figures", "--list")
    assert (code, err) == (0, "")
    lines = {line.split()[0]: " ".join(line.split()) for line in out.splitlines()}
    assert all(
        plot.shows.split()[0] in lines[name] and plot.scenario in lines[name] for name, plot in every_figure.items()
    )


def test_run_draws_every_figure_that_it_can_into_a_folder_of_its_own(hopattn, tmp_path):
    name = count("bank", "similarity")
    assert hopattn("run", name, "--figures")[0] == 0
    assert [path.name for path in tmp_path.iterdir()] == [f"{name}-figures"]
    drawn = {path.stem for path in (tmp_path / f"{name}-figures").iterdir()}
    assert drawn == {plot.name for plot in drawable(result_of(name))}


def test_the_parts_of_a_figure_are_numbered_in_their_order():
    """Two rectangles that look the same, but differ in the last digit, give the same bytes."""

    def draw(figure, off):
        ax = figure.add_axes((0.1 + off, 0.1, 0.5, 0.5))
        ax.plot([0, 1], [0, 1], marker="o", clip_on=True)

    one, other = (rendered(lambda figure, off=off: draw(figure, off))[0] for off in (0.0, 1e-15))
    assert one == other
    assert b'clip-path="url(#part' in one and not re.search(rb"#[a-z][0-9a-f]{10}\b", one)
