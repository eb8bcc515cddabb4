"""The figure of a program: its selections, its sequences, and what it leaves out."""

import hopattn as ha
from hopattn.figures.gallery import plots
from tests.figures import finished
from tests.runs import result_of


def drawn(result):
    return finished.drawn(lambda figure: plots["program"]().draw(figure, result))


def written(figure):
    return [text.get_text() for ax in figure.axes for text in ax.texts] + [ax.get_title() for ax in figure.axes]


def test_it_shows_each_selection_with_its_rule_and_each_sequence():
    figure = drawn(result_of("reverse"))
    images = [ax.images[0].get_array().tolist() for ax in figure.axes if ax.images]
    n = 5
    assert images == [[[True] * n] * n, [[j == n - 1 - i for j in range(n)] for i in range(n)]]
    titles = [ax.get_title() for ax in figure.axes]
    assert titles == ["1  all\nevery key", "4  mirror\nkey indices = opposite", ""]
    values = [text.get_text() for text in figure.axes[-1].texts]
    assert values == [*"Hello", *["all"] * n, *["5"] * n, *"43210", *(f"→ {letter}" for letter in "olleH"), *"olleH"]
    names = [tick.get_text() for tick in figure.axes[-1].get_yticklabels()]
    assert names == ["tokens", "1  all", "2  length", "3  opposite", "4  mirror", "5  reversed"]


def test_it_says_what_it_leaves_out():
    long = ha.run(ha.load("two-brackets"), overrides={"input.tokens": ["("] * 15})
    assert drawn(long).get_supxlabel() == (
        "blue: the query (row) selects the key (column) · not shown: 4 sequences, 3 last words\n1 of 3 runs"
    )
    one = ha.run(ha.load("reverse"), overrides={"variant": [], "expect": []})
    assert drawn(one).get_supxlabel() == "blue: the query (row) selects the key (column)"


def test_small_and_large_numbers_are_not_written_as_0():
    result = ha.run(ha.load("sort"), overrides={"input.tokens": [-1e7, 0.001, 2]})
    assert {"−1.0e+07", "1.0e-03".replace("-", "−"), "2"} <= set(written(drawn(result)))


def test_a_word_with_a_sign_for_numbers_is_written_whole():
    result = ha.run(ha.load("reverse"), overrides={"input.tokens": ["C#", "D", "C#"], "expect": []})
    names = [tick.get_text() for tick in drawn(result).axes[0].get_xticklabels()]
    assert names == ["C#", "D", "C#"]


def test_other_results_have_no_program():
    assert plots["program"]().lacks(result_of("bank"))
    assert not plots["program"]().lacks(result_of("histogram"))
