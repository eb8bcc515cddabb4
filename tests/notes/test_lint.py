"""`hopattn lint`: what a lecturer would write, with its findings, and what must be left alone."""

import json

import pytest

MARKDOWN = """# Shares

Attention weights of four words:

| | fig | pear | or | a |
|---|---|---|---|---|
| fig | .4 | .3 | .15 | .15 |
| or | .15 | .15 | .5 | .5 |
"""
TEX = r"""\begin{tabular}{lcccc}
 & fig & pear & or & a \\ \hline
fig & 0{,}4 & 0{,}3 & 0{,}15 & 0{,}15 \\
or & 0{,}15 & 0{,}15 & 0{,}5 & 0{,}5 \\
\end{tabular}
\caption{Attention weights}
"""


def lint(hopattn, tmp_path, name, text, *options):
    (tmp_path / name).write_text(text, encoding="utf-8")
    return hopattn("lint", str(tmp_path / name), *options)


@pytest.mark.parametrize(
    ("name", "text", "line", "title"), [("a.md", MARKDOWN, 8, " of four words"), ("a.tex", TEX, 4, "")]
)
def test_a_row_of_weights_that_sums_to_more_than_1_is_found_without_a_scenario(
    hopattn, tmp_path, name, text, line, title
):
    code, out, _ = lint(hopattn, tmp_path, name, text)
    assert code == 1
    assert out.splitlines()[0].startswith(f"{tmp_path / name}:{line}: Attention weights{title}, row or: ")
    assert " = 1.3; the weights of a softmax sum to 1" in out
    assert out.splitlines()[1:] == ["2 numbers compared, 1 agrees"]


@pytest.mark.parametrize(
    "text",
    [
        "If the weight from banks to financial is .9, the cosine rises.",
        "The sum of financial and markets is (0, 1.7, 0, .6).",
        "In 2008 banks (1, 2) failed; see https://example.org/banks=(1,2,3,4), p. 14.",
        "```\nbanks = (1, 2, 3, 4)\n```",
        "| | money | river | frequency |\n|---|---|---|---|\n| financial | 12 | 3 | 5 |\n| banks | 17 | 9 | 8 |",
        "The weight from banks to financial is at least .5, and .6–.9 at most.",
        "The attention weights are raw similarities: (.6, .8).",
    ],
)
def test_a_number_that_is_not_for_certain_the_runs_is_left_alone(hopattn, tmp_path, text):
    code, out, err = lint(hopattn, tmp_path, "a.md", f"<!-- hopattn: bank -->\n{text}\n")
    assert (code, out) == (2, "") and "nothing could be compared" in err


def test_json_has_the_findings_alone(hopattn, tmp_path):
    text = "Das Gewicht von banks auf markets beträgt 0,7.\n# hopattn: off\nbanks = (1, 2, 3, 4)"
    code, out, _ = lint(hopattn, tmp_path, "a.txt", text, "--scenario", "bank", "--json")
    (one,) = json.loads(out)["findings"]
    assert (code, one["line"], one["stands"], one["right"]) == (1, 1, "0,7", "0,6")


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ("x\n<!-- hopattn: bnak -->\nx", (), "a.md:2: there is no scenario or file 'bnak'; did you mean 'bank'?"),
        ("x", ("--scenario", "bank variant rivr"), "variant 'rivr' is unknown; did you mean 'river'?"),
    ],
)
def test_an_unknown_scenario_is_2(hopattn, tmp_path, text, options, message):
    code, out, err = lint(hopattn, tmp_path, "a.md", text, *options)
    assert (code, out) == (2, "") and message in err


def test_a_file_that_is_not_there_is_2(hopattn):
    assert hopattn("lint", "nowhere.md")[0] == 2
