"""`hopattn run --figures`: which figures, in which formats, sizes and styles; what is refused."""

import pytest
from PIL import Image

from tests.each import each


def test_run_draws_in_every_format_that_is_asked_for(hopattn, tmp_path):
    code, _, errors = hopattn("run", "quadratic", "--figures", "slides", "--format", "svg, png,gif")
    assert code == 0
    assert sorted(path.name for path in (tmp_path / "slides").iterdir()) == ["growth.png", "growth.svg"]
    assert "growth.png" in errors


def test_a_format_is_refused_before_anything_is_drawn(hopattn, tmp_path):
    code, _, errors = hopattn("run", "bank", "--figures", "--format", "svg,pgn")
    assert (code, "format: 'pgn' is unknown; did you mean 'png'?" in errors) == (2, True)
    code, _, errors = hopattn("run", "bank", "--format", "png")
    assert (code, "--format: is an option of figures; write --figures too; a handout of" in errors) == (2, True)
    code, _, errors = hopattn("run", "bank", "--explain", "--format", "pdf")
    assert (code, "a handout of --explain is md, html or tex" in errors) == (2, True)
    assert not [*tmp_path.iterdir()]


@pytest.mark.quick(0)
def test_the_named_figures_alone_are_drawn_in_a_size_and_a_style(hopattn, tmp_path):
    options = ("--size", "3.4x2.4", "--style", "paper", "--no-title", "--into", "column")
    code, _, _ = hopattn("run", "bank", "--figures", "moved,attention", *options)
    assert code == 0
    assert sorted(path.stem for path in (tmp_path / "column").iterdir()) == ["attention", "moved"]
    svg = (tmp_path / "column" / "moved.svg").read_text(encoding="utf-8")
    assert 'width="244.8pt" height="172.8pt"' in svg  # 72 points an inch
    assert "next to" not in "".join(svg.split("</metadata>")[1:]), "the title is left out of the picture"
    assert "<title>banks, next to 'financial'</title>" in svg.replace("&#x27;", "'").replace("&apos;", "'")


def test_a_run_is_chosen_by_its_name(hopattn, tmp_path):
    assert hopattn("run", "bank", "--figures", "attention", "--set", "figure.run=river")[0] == 0
    svg = (tmp_path / "bank-figures" / "attention.svg").read_text(encoding="utf-8")
    assert "muddy" in svg and "financial<" not in svg.split("</metadata>")[1]


@pytest.mark.quick(0)
def test_a_png_fills_a_projector_and_takes_other_shapes_and_finer_pixels(hopattn, tmp_path):
    for options, pixels in (
        ((), (1920, 1080)),
        (("--size", "4:3"), (1920, 1440)),
        (("--size", "16:9", "--dpi", "300"), (3840, 2160)),
        (("--style", "paper", "--size", "16 : 9"), (1020, 573)),
    ):
        code, _, errors = hopattn("run", "bank", "--figures", "attention", "--format", "png", "--into", "p", *options)
        assert code == 0, errors
        with Image.open(tmp_path / "p" / "attention.png") as picture:
            assert (picture.size[0], abs(picture.size[1] - pixels[1]) <= 1) == (pixels[0], True), options


@each(
    ("arguments", "message"),
    [
        (["--figures", "x.png"], "is the name of a file; a figure is written to FOLDER/moved.png"),
        (["--figures", "attention.pdf"], "write --figures attention --format pdf --into FOLDER"),
        (["--figures", "movd"], "did you mean 'moved'?"),
        (["--figures", "movd"], "for a folder of this name write ./movd"),
        (["--figures", "moved,atention"], "did you mean 'attention'?"),
        (["--figures", "slides", "--into", "b"], "is a folder, and so is --into"),
        (["--figures", "moved", "--size", "3by2"], "--size '3by2': expected width and height in inches, as in 3.4x2.4"),
        (["--figures", "moved", "--size", "0:9"], "a side has 0.5 to 40 inches, not 0"),
        (["--figures", "moved", "--lang", "fr"], "--lang: 'fr' is unknown (choices: de, en)"),
        (["--figures", "moved", "--dpi", "200"], "--dpi: only a PNG has pixels; write --format png too"),
        (["--figures", "moved", "--dpi", "600", "--size", "20x9", "--format", "png"], "at most 8,192 pixels"),
        (["--figures", "moved", "--size", "0x2"], "a side has 0.5 to 40 inches, not 0"),
        (["--figures", "moved", "--style", "papr"], "style: 'papr' is unknown; did you mean 'paper'?"),
        (["--no-title"], "--no-title: is an option of figures; write --figures too"),
        (["--figures", "induction"], "figure 'induction' cannot be drawn from 'bank'"),
        (["--figures", "moved", "--set", "figure.run=rivr"], "did you mean 'river'?"),
        (["--figures", "moved", "--set", 'figure.axes=["money", "rivr"]'], "did you mean 'river'?"),
        (["--figures", "moved", "--set", "figure.query=muddi"], "figure.query: 'muddi' is unknown"),
        (["--figures", "moved", "--format", ""], "format: '' is unknown"),
        (["--figures", "moved", "--set", 'figure.names=["a", "a"]'], "'a' is given 2 times"),
        (["--figures", "moved", "--set", 'figure.names=["a", "b", "c"]'], "holds 3 names; expected 1, for the"),
        (["--figures", "attention", "--set", "figure.head=2"], "there is no head 2 (heads: layer 1 head 1)"),
    ],
)
def test_a_wrong_choice_is_refused_and_nothing_is_drawn(hopattn, tmp_path, arguments, message):
    code, _, errors = hopattn("run", "bank", *arguments)
    assert (code, message in errors) == (2, True), errors
    assert not [*tmp_path.iterdir()]


def test_a_run_without_a_figure_says_so_and_names_the_sweep_that_has_one(hopattn, tmp_path, monkeypatch):
    monkeypatch.setattr("hopattn.figures.rendering.drawable", lambda result: iter(()))
    code, _, errors = hopattn("run", "capacity", "--figures")
    sweep = "`hopattn sweep capacity --out capacity.svg` draws it over its grid"
    assert (code, f"no figure can be drawn from one run of 'capacity'; {sweep}" in errors) == (0, True)
    assert list(tmp_path.iterdir()) == []


def test_a_file_in_the_place_of_the_folder_is_said(hopattn, tmp_path):
    (tmp_path / "afile").write_text("x", encoding="utf-8")
    for folder in ("afile", "afile/inside"):
        code, _, errors = hopattn("run", "bank", "--figures", "attention", "--into", folder)
        assert (code, "cannot be written: a file is where a folder is needed" in errors) == (3, True), errors
