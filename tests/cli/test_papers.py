"""`hopattn papers`: a table, one number whole, a check that can fail."""

import json

import pytest

from hopattn.papers import records


@pytest.mark.parametrize("width", [50, 80, 120])
def test_the_table_fits_the_terminal_and_has_every_name(hopattn, monkeypatch, width):
    monkeypatch.setenv("COLUMNS", str(width))
    code, out, err = hopattn("papers")
    lines = out.splitlines()
    assert (code, err) == (0, "") and max(map(len, lines)) <= width
    assert {*records()} <= {line.split()[0] for line in lines if line}
    assert f"{len(records())} numbers of" in out


def test_one_number_is_shown_whole_and_computed(hopattn):
    code, out, _ = hopattn("papers", "critical-load")
    assert code == 0
    for text in (
        "Amit, Gutfreund & Sompolinsky 1987",
        "0.1379056",
        "check       the verdict holds",
        "a pattern stays (α_c, T_M)",
        "python -c 'import",
    ):
        assert text in out
    assert "N = 100, n" not in hopattn("papers", "hopfield-radius")[1]


def test_a_number_of_trials_has_its_standard_error_and_the_command_of_one(hopattn):
    out = hopattn("papers", "score-variance")[1]
    assert " ± " in out and "of 10 seeds" in out and "score_variance(np.random.default_rng(0), dim=64" in out


def test_words_choose_numbers(hopattn):
    out = hopattn("papers", "hopfield", "1982")[1]
    assert "hopfield-capacity" in out and "newman-bound" not in out
    rows = json.loads(hopattn("papers", "kinetic", "--json")[1])
    assert rows and {row["verdict"] for row in rows} == {"kinetic"} and "ours" not in rows[0]


def test_the_check_shows_what_fails_with_exit_code_1(hopattn, monkeypatch):
    names = ("critical-load", "newman-bound", "hopfield-radius")
    code, out, _ = hopattn("papers", *names, "--check", "--workers", "1")
    assert code == 0 and out == "3 numbers: 2 hold, 0 fail, 1 not checked; --long shows each\n"
    assert "0.1379056" in hopattn("papers", *names, "--check", "--workers", "1", "--long")[1]
    wrong = {**records(), "critical-load": records()["critical-load"].model_copy(update={"published": 0.15})}
    monkeypatch.setattr("hopattn.papers.checking.records", lambda: wrong)
    code, out, _ = hopattn("papers", *names, "--check", "--workers", "1")
    assert code == 1 and "critical-load: ours − the published number = −0.0121; tolerance 0.0005" in out
    assert "newman-bound" not in out and "1 hold, 1 fail, 1 not checked" in out
    code, out, _ = hopattn("papers", "critical-load", "--json")
    assert code == 1 and json.loads(out)[0]["holds"] is False


def test_the_figure_of_the_scenario_is_drawn(hopattn, tmp_path):
    code, _, err = hopattn("papers", "longest-cycle", "--figure", "cycle.svg")
    assert code == 0 and err.startswith("cycle.svg\n")
    assert b"<svg" in (tmp_path / "cycle.svg").read_bytes()[:600]
