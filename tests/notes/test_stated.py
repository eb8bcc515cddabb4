"""What a text states by names: products, energies, single entries, titles of tables; and what follows from nothing."""

import pytest

from hopattn.notes.checking import check


@pytest.fixture
def checked(tmp_path):
    def check_text(text, name="a.md"):
        (tmp_path / name).write_text(text, encoding="utf-8")
        return check(tmp_path / name)

    return check_text


def found(one):
    return [(claim.line, claim.about, claim.stands, claim.right) for claim in one.findings]


def table(rows):
    return "\n".join(
        [f"| {' | '.join(rows[0])} |", "|---" * len(rows[0]) + "|", *(f"| {' | '.join(r)} |" for r in rows[1:])]
    )


QUERIES = "Q = [1 0; 0 1]\n\nK = [2 0; 0 3]\n\n"


@pytest.mark.parametrize("title", ["The scores QKᵀ are", "$Q K^T =$", "Scores $QK^\\top$:", "Q @ K.T ="])
def test_a_small_table_whose_title_states_the_formula(checked, title):
    """Q is the identity, so QKᵀ is Kᵀ. Two of four numbers are not 0, and one of these is wrong."""
    head = ["", "cat", "dog"]
    right = checked(QUERIES + title + "\n\n" + table([head, ["cat", "2", "0"], ["dog", "0", "3"]]))
    assert (len(right.claims), right.findings) == (4, [])
    wrong = checked(QUERIES + title + "\n\n" + table([head, ["cat", "2", "0"], ["dog", "0", "5"]]))
    ((line, about, stands, value),) = found(wrong)
    assert (line, about.endswith("row dog, column 2"), stands, value) == (10, True, "5", "3")


PATTERNS = "Consider the patterns $p^1 = (1, -1, 1)$ and $p^2 = (-1, 1, -1)$.\n\n"


def test_a_pair_of_wrong_couplings_below_the_formula(checked):
    """A public page prints this matrix for these patterns; p₂p₃ is −1 in both, so w₂₃ = −2."""
    formula = "Calculate the weights: $w_{ij} = p^1_i p^1_j + p^2_i p^2_j$\n\n"
    w = "The weight matrix is $W = \\begin{bmatrix} 0 & -2 & 2 \\\\ -2 & 0 & {0} \\\\ 2 & {0} & 0 \\end{bmatrix}$"
    assert checked(PATTERNS + formula + w.replace("{0}", "-2")).findings == []
    one = checked(PATTERNS + formula + w.replace("{0}", "2"))
    assert found(one) == [(5, "W, row 2, column 3", "2", "−2"), (5, "W, row 3, column 2", "2", "−2")]


def test_one_coupling_that_differs_from_its_mirror_image(checked):
    """(1, −1, 1) and (1, 1, −1): w₂₃ = −1 − 1 = −2, and w₁₂ = w₁₃ = 0; one of two numbers that are not 0 is wrong."""
    rows = table([["", "", ""], ["0", "0", "0"], ["0", "0", "−2"], ["0", "2", "0"]])
    one = checked("x^1 = (1, −1, 1) and x^2 = (1, 1, −1)\n\nW =\n\n" + rows)
    assert found(one) == [(9, "W, row 3, column 2", "2", "−2")]


NAMED = "A = [1 2; 3 4]\n\nB = [0 1; 1 0]\n\nv = (1, −1)\n\n"


@pytest.mark.parametrize(
    ("statement", "numbers", "wrong", "right"),
    [
        ("AB", "[2 1; 4 {}]", "4", "3"),  # B swaps the columns of A
        ("A @ B", "[2 1; 4 {}]", "4", "3"),
        ("A Bᵀ", "[2 1; 4 {}]", "4", "3"),  # B is symmetric
        ("A + 2 B", "[1 4; 5 {}]", "6", "4"),
        ("1/2 (A − B)", "[.5 .5; 1 {}]", "1", "2"),
        ("B A", "[3 4; 1 {}]", "4", "2"),
        ("A v", "(-1, {})", "1", "−1"),
        ("v v^T", "[1 -1; -1 {}]", "-1", "1"),
    ],
)
def test_a_product_of_named_matrices(checked, statement, numbers, wrong, right):
    line = f"{NAMED}`{statement}` = "
    assert checked(line + numbers.format(right)).findings == []
    assert len(checked(line + numbers.format(right)).claims) in (2, 4)
    assert [(one.stands, one.right) for one in checked(line + numbers.format(wrong)).findings] == [(wrong, right)]


@pytest.mark.parametrize(
    "text",
    [
        NAMED + "A * B = [0 2; 3 0]",  # entry by entry, as NumPy writes it
        NAMED + "A ∘ B = [0 2; 3 1]",
        NAMED + "C D = [1 1; 1 1]",
        NAMED + "The inverse of AB = [3 -1; -4 2]/2, A^2 = [7 10; 15 22], relu(A B) = [1 1; 1 1]",
        NAMED + "The rows of AB = [1 2; 3 4]",
        NAMED + "a product of other numbers is A·B·C = [1 1; 1 1]",
        "king = (.8, .6)\nman = (.7, .5)\nwoman = (.6, .7)\n\nking − man + woman ≈ queen = (.72, .81)",
    ],
)
def test_what_is_no_product_of_the_named_matrices_is_left_alone(checked, text):
    one = checked(text)
    assert (one.findings, [reading for reading in one.readings if reading.is_wrong]) == ([], [])


@pytest.mark.parametrize(
    ("cosine", "product", "finds"), [("0.99", "0.73", 0), ("0.93", "0.73", 1), ("0.99", "0.63", 1)]
)
def test_vectors_of_words_with_two_decimals(checked, cosine, product, finds):
    """a·b = .0264 + .1085 + .5994 = .7343; |a| = .8906, |b| = .8319, so the cosine is .9911."""
    words = "The word vectors:\n\ncat = (0.12, 0.35, 0.81)\ndog = (0.22, 0.31, 0.74)\n\n"
    one = checked(f"{words}The cosine of cat and dog is {cosine}. The dot product of cat and dog is {product}.")
    assert (len(one.claims), len(one.findings)) == (2, finds)


def test_vectors_of_words_that_were_rounded_may_be_off(checked):
    """The product of .99 and .11 is .1089; with .005 less each it is .1034, which rounds to .10."""
    words = "The word vectors:\n\ncat = (0.99, 0)\ndog = (0.11, 1)\n\n"
    assert checked(f"{words}The dot product of cat and dog is 0.10.").findings == []
    assert len(checked(f"{words}The dot product of cat and dog is 0.13.").findings) == 1


COUPLINGS = "W = [0 1 -1; 1 0 1; -1 1 0]\n\n"
"""Σ_{i<j} w s s is 1 of (1, 1, 1): 1 − 1 + 1; of (1, −1, 1): −1 − 1 − 1 = −3; so the energies are −1 and 3."""


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("s = (1, -1, 1)\n\nE = {}", "3"),
        ("s = (1, -1, 1)\n\nenergy: {}", "3"),
        ("s = (1, -1, 1)\n\n$E = -\\frac{{1}}{{2}} s^T W s = {}$", "3"),
        ("s(0) = (1, 1, 1)\n\ns(1) = (1, -1, 1)\n\nE(s(0)) = {}", "−1"),
        ("$E(1, -1, 1) = {}$", "3"),
        ("The state (1, −1, 1) has energy {}.", "3"),
        ("The energy of (1, −1, 1) is {}.", "3"),
        ("ξ^1 = (1, 1, 1)\n\nξ^2 = (1, -1, 1)\n\nE(ξ^2) = {}", "3"),
        ("x_1 = (1, 1, 1)\n\nx_2 = (1, -1, 1)\n\n$E(x_1) = -1$, $E(x_2) = {}$", "3"),
        ("| state | energy |\n|---|---|\n| (1, −1, 1) | {} |", "3"),
        ("θ = (1, 0, 1)\n\ns = (1, 1, 1)\n\nE(s) = {}", "1"),  # −1 + 1 + 1
    ],
)
def test_a_stated_energy(checked, text, right):
    one = checked(COUPLINGS + text.format(right))
    assert (bool(one.claims), one.findings) == (True, [])
    (wrong,) = checked(COUPLINGS + text.format("7")).findings
    assert (wrong.stands, wrong.right) == ("7", right)


def test_a_sheet_of_two_patterns(checked):
    """The patterns are those of a public exercise sheet: x₁x₂ᵀ is −1 − 1 = −2 for neurons 1, 2 and for 3, 4."""
    rows = [["0", "-2", "0", "0"], ["-2", "0", "0", "0"], ["0", "0", "0", "-2"], ["0", "0", "-2", "0"]]
    matrix = r" \\ ".join(" & ".join(row) for row in rows)
    text = (
        f"$x_1 = (-1, +1, -1, +1)$, $x_2 = (+1, -1, -1, +1)$\n\nDie Gewichtsmatrix W =\n\n$$\\begin{{pmatrix}}{matrix}"
    )
    text += "\\end{pmatrix}$$\n\nDie Energie von (-1, 1, -1, 1) ist {}."
    assert (len(checked(text.replace("{}", "-4")).claims), checked(text.replace("{}", "-4")).findings) == (17, [])
    assert found(checked(text.replace("{}", "-3"))) == [(7, "Energie von (-1, 1, -1, 1)", "-3", "−4")]


def test_an_energy_without_the_half_is_right_too(checked):
    one = checked(COUPLINGS + "E(1, 1, 1) = −2, where E = −sᵀWs.")
    assert (len(one.claims), one.findings) == (1, [])


@pytest.mark.parametrize(
    "text",
    [
        "s = (1, -1, 1)\n\nE(x) = 7",
        "s = (1, -1, 1)\n\nΔE = 7, and the energy difference is 7. The energy falls by 7.",
        "s = (1, -1, 1)\n\nEach neuron has a bias of 2.\n\nE = 7",
        "s = (1, -1, 1)\n\nz = (1, 1, 1)\n\nE = 7",
        "(2, 0, 1) has energy 7.",
        "Now let W be an attention's: W = [1 0 0; 0 1 0; 0 0 1]\n\nx = (1, 0, 1)\n\nThe width is E = 512.",
        "s = (1, -1, 1)\n\nIf another were stored, E = 7",
    ],
)
def test_another_energy_is_left_alone(checked, text):
    assert checked(COUPLINGS + text).findings == []


def test_single_entries_of_a_printed_matrix(checked):
    entries = "The weights $w_{12} = .2$, $w_{13} = -.4$, $w_{23} = {}$.\n\nW = [0 .2 -.4; .2 0 .3; -.4 .3 0]"
    assert [len(checked(entries.replace("{}", text)).claims) for text in (".3", ".1")] == [3, 3]
    assert checked(entries.replace("{}", ".3")).findings == []
    assert found(checked(entries.replace("{}", ".1"))) == [(1, "w_23", ".1", ".3")]


def test_single_entries_that_follow_from_a_pattern(checked):
    """A public page stores (0 1 1 0 1) and prints W₁₃ = 1; 2p − 1 is (−1, 1, 1, −1, 1), so W₁₂ = W₁₃ = −1."""
    text = "The pattern p = (0, 1, 1, 0, 1).\n\nW_12 = (-1)·(1) = -1\n\nW_13 = (-1)·(1) = {}\n\nW_23 = (1)·(1) = 1"
    assert checked(text.format("-1")).findings == []
    assert found(checked(text.format("1"))) == [(5, "W_13", "1", "−1")]


def test_entries_of_another_network_are_left_alone(checked):
    text = "W = [.15 .2; .25 .3]\n\nAfter the update w_11 = .17, w_12 = .24, w_21 = .25."
    assert checked(text).findings == []


def test_a_matrix_most_of_which_is_wrong_is_told_with_its_entries(hopattn, tmp_path):
    """The signs are all turned: w₁₂ = 1 · (−1)."""
    (tmp_path / "a.md").write_text("ξ^1 = (1, -1, 1)\n\nW = Σ ξ ξ^T = [0 1 -1; 1 0 1; -1 1 0]", encoding="utf-8")
    code, out, err = hopattn("lint", str(tmp_path / "a.md"))
    assert (code, err) == (1, "")
    says = "a.md:3: W does not follow from what the text gives, in any form that is tried. By Σ ξξᵀ, diagonal 0 of ξ^1"
    assert says in out
    assert "6 of 9 numbers differ: row 1, column 2: 1 instead of −1; row 1, column 3: -1 instead of 1; " in out


def test_a_matrix_that_most_of_does_not_follow_is_told_alone_where_no_formula_is_stated(hopattn, tmp_path):
    rows = table([["", "a", "b"], ["a", "3", "5"], ["b", "1", "7"]])
    (tmp_path / "a.md").write_text(f"Q = [1 2; 3 4]\n\nK = [1 0; 0 1]\n\nScores:\n\n{rows}", encoding="utf-8")
    code, out, err = hopattn("lint", str(tmp_path / "a.md"))
    assert code == 2 and "nothing could be compared" in err
    assert "By the nearest, Q·Kᵀ of Q (line 1) and K (line 3), 4 of 4 numbers differ" in out


def test_scores_of_weights_that_are_not_printed_are_no_alarm(checked):
    """A notebook that prints softmax of scores that it does not print."""
    weights = "softmax(attn_scores) = [.5 .3 .2; .1 .8 .1; .2 .2 .6]"
    one = checked("inputs = [1 0; 0 1; 1 1]\n\n" + weights)
    assert (one.findings, one.readings) == ([], ())


BAM = r"""$$
W &= \begin{bmatrix}1 \\ 1 \\ -1\end{bmatrix}\begin{bmatrix}1 & 1\end{bmatrix} \\
&\quad + \begin{bmatrix}-1 \\ 1 \\ -1\end{bmatrix}\begin{bmatrix}-1 & 1\end{bmatrix} \\
&= \begin{bmatrix}2 & 0 \\ 0 & {} \\ 0 & -2\end{bmatrix}
$$"""


def test_a_sum_over_two_lines(checked):
    """(1, 1, −1)ᵀ(1, 1) + (−1, 1, −1)ᵀ(−1, 1): the second row is (1 − 1, 1 + 1)."""
    assert (len(checked(BAM.replace("{}", "2")).claims), checked(BAM.replace("{}", "2")).findings) == (6, [])
    assert [(one.stands, one.right) for one in checked(BAM.replace("{}", "1")).findings] == [("1", "2")]


def test_rows_of_latex_with_spaces_are_no_table(checked):
    q = "$$Q = \\begin{bmatrix}\n1 & 0 \\\\\n0 & 1\n\\end{bmatrix}$$\n\n"
    scores = "$$Q Q^T = \\begin{bmatrix}\n1 & 0    \\\\\n0    & 1\n\\end{bmatrix}$$"
    one = checked(q + scores)
    assert (len(one.claims), one.findings) == (4, [])


FACTORS = "$W = [0 2; 2 1]$\n\n$V = [1 1; 0 1]$\n\n"


@pytest.mark.parametrize("other", ["W'", "W′", "W''", r"\tilde{W}", r"\hat W", r"W^{\prime}", "W̃", "W^*", r"W^{\ast}"])
def test_a_prime_or_an_accent_makes_another_name(checked, other):
    """The rows of V are (1, 1) and (0, 1): WV = (0, 2; 2, 3), and of ones it is (1, 2; 1, 2)."""
    text = f"{FACTORS}${other} = [1 1; 1 1]$\n\n$W V = [0 2; 2 3]$\n\n${other} V = [1 2; 1 {{}}]$"
    one, wrong = checked(text.replace("{}", "2")), checked(text.replace("{}", "3"))
    assert (len(one.claims), one.findings, one.readings[0].is_wrong) == (8, [], False)
    assert [(claim.line, claim.stands, claim.right) for claim in wrong.findings] == [(9, "3", "2")]


@pytest.mark.parametrize("sign", ["∘", "⊙", "⊗", r"\odot", r"\circ", r"\otimes", "*"])
def test_a_product_of_entries_defines_nothing(checked, sign):
    text = f"{FACTORS}$W {sign} W = [0 4; 4 1]$\n\n$W {sign} V = [0 2; 0 1]$\n\n$W V = [0 2; 2 3]$"
    one = checked(text)
    assert (len(one.claims) >= 4, one.findings, [each for each in one.readings if each.is_wrong]) == (True, [], [])


def test_a_product_with_an_at_sign_is_compared(checked):
    """The rows of W are (0, 2) and (2, 1): W W = (4, 2; 2, 5)."""
    assert (len(checked(FACTORS + "W @ W = [4 2; 2 5]").claims)) == 4
    assert [one.right for one in checked(FACTORS + "W @ W = [4 2; 2 6]").findings] == ["5"]


RIGHT = "A = [1 2; 3 4]\n\nB = [0 1; 1 0]\n\nAB = [2 1; 4 3]\n\n"


@pytest.mark.parametrize(
    "text",
    [
        "Suppose now AB = [2 1; 4 9].",
        "If we had A = [1 2; 3 9], the product would differ.",
        "Here AB = [2 1; 4 9] is wrong. AB = [2 1; 4 8]?",
        "Suppose now AB =\n\n[2 1; 4 9]",
        "It is wrong that AB = [2 1; 4 9]. Is AB = [2 1; 5 3]?",
        "Suppose now A = [1 2; 3 9]. Then AB = [2 1; 9 3].",
    ],
)
def test_what_is_only_supposed_is_not_compared(checked, text):
    one = checked(f"{RIGHT}{text}\n\nBA = [3 4; 1 2]")
    assert (len(one.claims) >= 8, one.findings, [each for each in one.readings if each.is_wrong]) == (True, [], [])
    assert "that" not in " ".join(one.matrices)
    assert [(claim.stands, claim.right) for claim in checked(f"{RIGHT}{text}\n\nBA = [3 4; 1 7]").findings] == [
        ("7", "2")
    ]


@pytest.mark.parametrize("power", ["P^2", "$P^{2}$", "P²"])
def test_a_power_of_a_square_matrix_is_a_product(checked, power):
    """P² is (1 + 6, 2 + 8; 3 + 12, 6 + 16), Pᵀ P is (1 + 9, 2 + 12; 14, 4 + 16), and P² x has 17 and 37."""
    text = f"P = [1 2; 3 4]\n\n{power} = [7 10; 15 {{}}]\n\nP^T P = [10 14; 14 20]\n\nx = (1, 1)\n\nP x = (3, 7)"
    text += f"\n\n{power} x = (17, 37)"
    one = checked(text.replace("{}", "22"))
    assert (len(one.claims) >= 10, one.findings, [each for each in one.readings if each.is_wrong]) == (True, [], [])
    assert [(each.stands, each.right) for each in checked(text.replace("{}", "23")).findings] == [("23", "22")]


def test_rows_of_a_power_are_no_patterns(checked):
    text = "P = [0 1; 1 0]\n\nP^2 = [1 0; 0 1]\n\nP^T P = [1 0; 0 1]\n\nW = [0 5; 5 0]"
    one = checked(text)
    assert (len(one.claims), one.findings, [each for each in one.readings if each.is_wrong]) == (8, [], [])


SETTLED = "ξ^1 = (1, −1, 1), ξ^2 = (1, 1, −1)\n\nW = [0 0 0; 0 0 -2; 0 -2 0]\n\n"
"""The products of neurons 2 and 3 are −1 in both patterns: w₂₃ = −2."""


@pytest.mark.parametrize(
    ("text", "right"),
    [
        (SETTLED + "So w_23 = {}.", "-2"),
        (SETTLED + "So $w_{{12}} = 0$ and $w_{{23}} = {}$.", "-2"),
        ("W = [[0, 1, 2], [1, 0, 3], [2, 3, 0]]\n\nThen w_13 = {}.", "2"),
    ],
)
def test_a_single_entry_of_a_printed_network_is_compared(checked, text, right):
    assert checked(text.format(right)).findings == []
    (wrong,) = checked(text.format("7")).findings
    assert (wrong.stands, wrong.right.replace("−", "-")) == ("7", right)


@pytest.mark.parametrize(
    "text",
    [
        "After a third pattern is stored, w_23 = 7.",
        "The entries of the next network: w_12 = 5, w_13 = 6, w_23 = 7.",
        "ξ^3 = (1, 1, 1)\n\nw_23 = 7",
        "W = [0 1 1; 1 0 7; 1 7 0]\n\nw_23 = 7",
        "If it were stored twice, w_23 = 7.",
        "As in Python, W[0][1] = 0 and W[1][2] = -2.",
    ],
)
def test_a_single_entry_of_another_network_is_left_alone(checked, text):
    assert [one for one in checked(SETTLED + text).findings if one.about == "w_23"] == []


@pytest.mark.parametrize("again", ["W x = (3, {})", "Then, W x = (3, {})", "later W x = (3, {})"])
def test_each_statement_of_a_field_is_compared(checked, again):
    """The rows of W times (1, 1) are 3 and 7."""
    text = f"W = [1 2; 3 4]\n\nx = (1, 1)\n\nW x = (3, 7)\n\n{again}"
    assert (len(checked(text.format(7)).claims), checked(text.format(7)).findings) == (4, [])
    assert [(one.line, one.stands, one.right) for one in checked(text.format(8)).findings] == [(7, "8", "7")]


def test_a_product_of_three_factors_entry_by_entry(checked):
    one = checked(FACTORS + "W * V * V = [0 2; 0 1]")
    assert (one.findings, [each for each in one.readings if each.is_wrong]) == ([], [])


def test_forms_and_names_are_never_empty_or_spaced(hopattn, tmp_path):
    text = f"{SETTLED}s = (1, 1, -1)\n\nE = -4\n\nw_12 = 0, w_23 = -2\n\nP = [1 2; 3 4]\n\n$P^T  P = [10 14; 14 21]$"
    (tmp_path / "a.md").write_text(text, encoding="utf-8")
    code, out, _ = hopattn("lint", str(tmp_path / "a.md"))
    assert (code, "; ;" in out, "  " in out, "Pᵀ P" in out) == (1, False, False, True)


def test_rows_of_latex_without_spaces_are_no_decimals(checked):
    text = (
        r"$P = \begin{pmatrix}0&1\\1&0\end{pmatrix}$" + "\n\n" + r"$P^2 = P P = \begin{pmatrix}1&0\\0&1\end{pmatrix}$"
    )
    assert (len(checked(text).claims), checked(text).findings) == (4, [])
