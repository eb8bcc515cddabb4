"""The gallery equals the figures that the commands draw. Any tokens give a figure, with the same bytes each time."""

import re
from pathlib import Path

import matplotlib
import pytest

from hopattn.cli.output import PICTURES
from hopattn.figures.favourites import drawable
from hopattn.figures.figure import gallery
from hopattn.figures.files import Picture, as_svg, rendered
from hopattn.figures.sheet import Panel, Points, Sheet
from tests.committed import differences, figure_differences
from tests.draws import count
from tests.figures.reading import of_text, words
from tests.runs import drawing_of, result_of

GALLERY = Path(__file__).parents[2] / "figures"
MADE_WITH = re.search(r"<!-- made with matplotlib (\S+) -->", (GALLERY / "README.md").read_text(encoding="utf-8"))
FIGURES = gallery()
DRAWN = {name: (name, figure.scenario) for name, figure in FIGURES.items() if figure.source is None}
DRAWN |= {path.stem: ("strip", path.stem.removesuffix("-strip")) for path in GALLERY.glob("*-strip.svg")}
"""The figures and their scenarios, by the names of the files."""


def texts(svg):
    return re.findall(r"<text[^>]*>([^<]*)</text>", svg)


@pytest.mark.parametrize("name", DRAWN)
def test_the_gallery_equals_the_figures_drawn_now(name):
    data = drawing_of(*DRAWN[name]).svg
    kept = (GALLERY / f"{name}.svg").read_text(encoding="utf-8")
    assert differences(*("\n".join(sorted(texts(svg))) for svg in (kept, data.decode()))) == []
    if MADE_WITH and MADE_WITH[1] == matplotlib.__version__:
        assert figure_differences(kept, data.decode()) == [], "make figures"


def test_the_gallery_has_at_most_33_figures_besides_those_for_specialists():
    assert len([figure for figure in FIGURES.values() if not figure.research]) <= 33


@pytest.mark.parametrize("format", count(PICTURES, ["svg", "png"]))
def test_the_same_figure_is_the_same_bytes(format):
    figure, result = FIGURES["recall"], result_of("graded")
    picture = [Picture.of(figure, result)]
    assert rendered(picture, format) == rendered(picture, format)


def test_odd_words_are_written_as_they_are_and_letters_that_the_font_lacks_are_named():
    result = of_text(words(["$x_1$", "<script>", "漢", "字"]), "odd <words> & $y_2$")
    sheet = FIGURES["attention"].sheet(result)
    svg, notes = as_svg(sheet)
    assert len(notes) == 2 and all("is not in the font" in note for note in notes)
    assert {"$x_1$", "&lt;script&gt;", "odd &lt;words&gt; &amp; $y_2$"} <= {*texts(svg.decode())}


def test_the_list_names_every_figure_and_what_it_shows(hopattn):
    code, out, err = hopattn("figures", "--list")
    assert (code, err) == (0, "")
    lines = {line.split()[0]: " ".join(line.split()) for line in out.splitlines()}
    for name, figure in FIGURES.items():
        assert figure.shows.split()[0] in lines[name] and figure.scenario in lines[name]


def test_run_draws_every_figure_that_it_can_into_a_folder(hopattn, tmp_path):
    name = count("bank", "similarity")
    assert hopattn("run", name, "--figure", "all")[0] == 0
    assert [path.name for path in tmp_path.iterdir()] == ["figures"]
    drawn = {path.stem for path in (tmp_path / "figures").iterdir()}
    assert drawn == {f"{name}-{figure.name}" for figure in drawable(result_of(name))}


def test_the_parts_of_a_figure_are_numbered_in_their_order():
    """Two pictures that look the same, but differ in the last digit, give the same bytes."""
    sheets = (
        Sheet([Panel([Points([[0.1 + off, 0.2], [0.5, 0.7]], ["a", "b"])], layout="plane")]) for off in (0, 1e-15)
    )
    one, other = (as_svg(sheet)[0] for sheet in sheets)
    assert one == other
    assert b'"#part' in one and not re.search(rb"#[a-z][0-9a-f]{10}\b", one)
