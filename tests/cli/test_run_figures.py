"""`hopattn run --figures --format`: every format of a figure, and formats that are refused before anything is drawn."""


def test_run_draws_in_every_format_that_is_asked_for(hopattn, tmp_path):
    code, _, errors = hopattn("run", "vanishing-gradients", "--figures", "slides", "--format", "svg, png,gif")
    assert code == 0
    assert sorted(path.name for path in (tmp_path / "slides").iterdir()) == ["gradients.png", "gradients.svg"]
    assert "gradients.png" in errors


def test_a_format_is_refused_before_anything_is_drawn(hopattn, tmp_path):
    code, _, errors = hopattn("run", "bank", "--figures", "--format", "svg,pgn")
    assert (code, "format: 'pgn' is unknown; did you mean 'png'?" in errors) == (2, True)
    code, _, errors = hopattn("run", "bank", "--format", "png")
    assert (code, "--format: is the format of figures; write --figures too" in errors) == (2, True)
    assert not [*tmp_path.iterdir()]
