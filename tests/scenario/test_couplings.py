"""The couplings of a network: as an array of a run, and given by a file instead of a model."""

import numpy as np
import pytest

import hopattn as ha
from hopattn.scenario.checking import InvalidScenario
from tests.refusal import assert_says
from tests.texts import parsed

HEAD = 'schema = 1\ntitle = "t"\nkind = "memory"\n'
PATTERNS = [[1, -1, 1, -1, 1, 1], [1, 1, 1, -1, -1, -1]]
STORED = f"[memory]\npatterns = {PATTERNS}\n"
CUE = '[input]\ntokens = ["1"]\n'
PICTURES = f'{HEAD}[pictures]\nletters = "JRS"\n[memory]\npatterns = ["J", "R"]\n'
START = "[cue.start]\nstate = [1, 1, -1]\n"
TENTHS = "[memory]\ncouplings = [[0, 0.1, -0.1], [0.1, 0, 0.2], [-0.1, 0.2, 0]]\n"


def run(text, **options):
    return ha.run(parsed(text), **options).runs[0]


MODELS = [
    ('"hopfield"', ha.memories.hopfield(PATTERNS)),
    *((f'{{ name = "hopfield", rule = "{rule}" }}', ha.memories.hopfield(PATTERNS, rule=rule))
      for rule in ("covariance", "pseudo_inverse", "storkey", "perceptron")),
    ('"graded"', ha.memories.graded(PATTERNS)),
]  # fmt: skip


@pytest.mark.parametrize(("model", "memory"), MODELS)
def test_couplings_are_those_of_python_and_labelled_by_neurons(model, memory):
    one = run(f"{HEAD}{STORED}model = {model}\n{CUE}", explain=True)
    array = one.arrays["couplings"]
    np.testing.assert_array_equal(array.values, memory.couplings)
    assert (array.dims, array.labels) == (("to", "from"), (tuple("123456"),) * 2)
    assert "couplings" in one.shown and one.working[0].startswith("coupling from ")


def test_a_linear_memory_is_a_matrix_and_an_attention_is_none():
    linear = run(f'{HEAD}{STORED}model = "linear"\nvalues = [[1, 0, 0, 0, 0, 0], [0, 2, 0, 0, 0, 0]]\n{CUE}')
    np.testing.assert_array_equal(linear.arrays["couplings"].values[:2], [PATTERNS[0], 2 * np.array(PATTERNS[1])])
    assert "couplings" not in run(f'{HEAD}{STORED}model = "modern"\n{CUE}').arrays


def test_outer_products_are_hebbs_couplings_times_the_number_of_neurons_with_the_same_spins():
    one, hebb = (run(f'{HEAD}{STORED}model = {{ name = "hopfield", rule = "{rule}" }}\n{CUE}', explain=True)
                 for rule in ("outer_products", "hebb"))  # fmt: skip
    assert one.working[0] == "coupling from 3 to 1: 1×1 + 1×1 = 1 + 1 = 2"
    np.testing.assert_array_equal(one.arrays["couplings"].values, np.rint(6 * hebb.arrays["couplings"].values))
    np.testing.assert_array_equal(one.arrays["state"].values, hebb.arrays["state"].values)


@pytest.mark.parametrize("rule", ["hebb", "storkey"])
def test_the_arithmetic_gives_the_sum_of_an_entry_or_the_number_alone(rule):
    one = run(f'{HEAD}{STORED}model = {{ name = "hopfield", rule = "{rule}" }}\n{CUE}', explain=True)
    sums = "coupling from 3 to 1: 1×1 + 1×1 = 1 + 1 = 2, divided by 6: .3333"
    assert (one.working[0] == sums) == (rule == "hebb")


def test_the_sum_of_neurons_of_0_and_1_is_over_spins():
    stored = "[memory]\npatterns = [[0, 1, 1], [1, 0, 1]]\n"
    one = run(f'{HEAD}{stored}model = {{ name = "hopfield", activation = "step" }}\n{CUE}', explain=True)
    assert one.working[0] == "coupling from 2 to 1: −1×1 + 1×(−1) = −1 + (−1) = −2"


def test_couplings_of_many_neurons_are_computed_only_when_asked():
    expected = '[[expect]]\nmatrix = "couplings"\nis = [[1]]\n'
    result = ha.run(parsed(f'{PICTURES}model = "hopfield"\n[input]\ntokens = ["J"]\n'))
    arrays = result.arrays
    assert "couplings" in arrays and "couplings" not in [*arrays]
    assert "couplings" not in result.to_dict()["runs"][0]["arrays"] and "couplings" in arrays.asked
    array, memory = arrays["couplings"], ha.memories.hopfield(arrays["patterns"].values)
    np.testing.assert_array_equal(array.values, memory.couplings)
    assert array.labels[0][0] == "row 1, column 1"
    with pytest.raises(InvalidScenario, match=r"the matrix has shape \(35, 35\)"):
        parsed(f'{PICTURES}model = "hopfield"\n[input]\ntokens = ["J"]\n{expected}')
    assert ha.plot(result, "recall") is not None


def test_couplings_of_a_file_are_the_network_of_python():
    one = run(f"{HEAD}{TENTHS}bias = [0.1, 0, 0]\n{START}")
    network = ha.Hopfield([[0, 0.1, -0.1], [0.1, 0, 0.2], [-0.1, 0.2, 0]], bias=[0.1, 0, 0])
    recall = network.recall([1, 1, -1])
    np.testing.assert_array_equal(one.arrays["state"].values[0], recall.state)
    np.testing.assert_allclose(one.arrays["energy"].values[0], recall.energies)
    assert "recalls" not in one.arrays and one.arrays["patterns"].values.shape[0] == 0


@pytest.mark.parametrize("bias", [0.1, -0.3, [0.1, -0.2, 0]])
def test_a_threshold_is_the_bias_with_the_other_sign(bias):
    threshold = (-np.array(bias)).tolist()
    for activation in ("sign", "step"):
        start = "[cue.start]\nstate = [1, 0, 1]\n" if activation == "step" else START
        text = f'{HEAD}{TENTHS}activation = "{activation}"\n'
        first, second = (
            run(f"{text}{key} = {value}\n{start}").arrays for key, value in (("bias", bias), ("threshold", threshold))
        )
        np.testing.assert_array_equal(first["state"].values, second["state"].values)
        np.testing.assert_array_equal(first["energy"].values, second["energy"].values)


LANDSCAPE = 'schema = 1\ntitle = "t"\nkind = "landscape"\n[memory]\ncouplings = [[0, 1, -1], [1, 0, 1], [-1, 1, 0]]\n'


def test_all_states_of_printed_couplings_are_searched_without_patterns():
    arrays = run(f"{LANDSCAPE}[states]\n").arrays
    states = np.array(np.meshgrid(*[[-1, 1]] * 3)).reshape(3, -1).T
    energy = states[:, 0] * states[:, 2] - states[:, 0] * states[:, 1] - states[:, 1] * states[:, 2]
    least = {"".join("+" if spin > 0 else "−" for spin in state) for state in states[energy == energy.min()]}
    assert {*arrays["energy"].labels[0]} == least and set(arrays["energy"].values) == {energy.min()}


def test_graded_neurons_of_printed_couplings_have_the_gain_that_is_asked():
    text = f'{LANDSCAPE}patterns = [[1, 1, 1], [1, 1, -1]]\nactivation = "tanh"\n[fixed_points]\nbeta = [0.5, 4]\n'
    count = run(text).arrays["count"]
    assert count.values[0, 0] == 1 < count.values[0, 1]  # one where β λ_max ≤ 1, as Hopfield (1984) has it; λ_max = 1


def test_words_may_name_neurons_and_states():
    words = (
        '[vocabulary]\naxes = ["a", "b", "c"]\nmagnitude = "free"\nwords = { all = [1, -1, -1], some = [1, 1, -1] }\n'
    )
    one = run(f'{HEAD}{words}{TENTHS}patterns = ["all"]\n[input]\ntokens = ["some"]\n')
    assert one.arrays["couplings"].labels[0] == ("a", "b", "c") and one.arrays["recalls"].values[0] == "all"


WRONG = [
    (f'[memory]\nmodel = "hopfield"\n{START}', "memory.patterns: is missing; give what is stored, or `couplings`"),
    (f'{TENTHS}model = "hopfield"\n{START}', "memory.model: does not go together with `couplings`"),
    (f"{TENTHS}sink = 1\n{START}", "memory.sink: does not go together"),
    (f"{TENTHS}values = [[1]]\npatterns = [[1, 1, 1]]\n{START}", "memory.values"),
    (f"{TENTHS}bias = 1\nthreshold = 1\n{START}", "memory.threshold: is the bias with the other sign"),
    (f"{TENTHS}threshold = [1, 2]\n{START}", "memory.threshold: needs 3 numbers, one for each of the 3 neurons"),
    (f"{STORED}bias = 1\n{CUE}", "memory.bias: belongs to `couplings`, and none are given"),
    (
        f"[memory]\ncouplings = [[0, 1], [1, 0], [1, 1]]\n{START}",
        "memory.couplings: every row needs 3 numbers, one for each of the 3 neurons",
    ),
    (f"{TENTHS}[cue.start]\nstate = [1, 1]\n", "cue.start.state: needs 3 numbers, one for each neuron, not 2"),
    (f'{TENTHS}activation = "softmax"\n{START}', "memory.activation"),
    (f"{TENTHS}[cue.start]\nstate = [1, 0.5, 1]\n", "'start' holds 0.5"),
]


@pytest.mark.parametrize(("text", "message"), WRONG)
def test_what_does_not_fit_is_refused_in_its_place(text, message):
    with pytest.raises(InvalidScenario) as error:
        parsed(HEAD + text)
    assert message in str(error.value)


def test_two_layers_and_spins_at_a_temperature_have_couplings():
    layers = ha.run("two-layers").arrays["couplings"]
    assert layers.dims == ("to", "from") and layers.labels[0] == ("hidden 1", "hidden 2", "hidden 3")
    ising = 'schema = 1\ntitle = "t"\nkind = "ising"\n[ising]\ncouplings = [[0, 1], [1, 0]]\ntemperatures = [1]\n'
    np.testing.assert_array_equal(run(ising).arrays["couplings"].values, [[0, 1], [1, 0]])


A, B = [[1, 0, 1, 0, 1, 0], [1, 1, 1, 0, 0, 0]], [[1, 1, 0, 0], [1, 0, 1, 0]]
M = [[2, 0, 0, -2], [0, -2, 2, 0], [2, 0, 0, -2], [-2, 0, 0, 2], [0, 2, -2, 0], [-2, 0, 0, 2]]
"""Kosko's (1988) two pairs, and the matrix that he prints."""
SIDES = f'{HEAD}[memory]\npatterns = {A}\nvalues = {B}\nmodel = {{ name = "bam", activation = "step" }}\n'
SPINS = f"{HEAD}[memory]\npatterns = {(2 * np.array(A) - 1).tolist()}\nvalues = {(2 * np.array(B) - 1).tolist()}\n"


def test_two_sides_of_different_lengths_have_koskos_matrix_and_its_products():
    one = run(f'{SIDES}[input]\ntokens = ["1", "value 2"]\n', explain=True)
    np.testing.assert_array_equal(one.arrays["couplings"].values.T, M)
    np.testing.assert_array_equal(one.arrays["step 1 field"].values[0, 6:], [4, 2, -2, -4])  # A1 M
    np.testing.assert_array_equal(one.arrays["state"].values, [A[0] + B[0], A[1] + B[1]])
    assert [one.arrays[name].values.tolist() for name in ("recalls", "answers")] == [["1", "2"], ["value 1", "value 2"]]
    assert one.arrays["energy"].values[:, -1].tolist() == [-6, -6]
    assert "  field of the second side, W x: (4, 2, −2, −4)" in one.working
    assert "  field of the first side, Wᵀ y: (2, −2, 2, −2, 2, −2)" in one.working


@pytest.mark.parametrize("text", [SIDES, f'{SPINS}model = "bam"\n'])
def test_either_or_both_sides_are_cues(text):
    silent, low = (0, "0") if text is SIDES else (-1, "-1")
    cues = (
        f"[cue.left]\nstate = [1, {low}, 1, {low}, 1, 1]\n"
        '[cue.right]\nof = "value 2"\nflip = 0.0\n'
        f'[cue.word]\nof = "2"\nanswer = [{low}, {low}, {low}, {low}]\n'
        f"[cue.numbers]\nanswer = [1, 1, {low}, {low}]\n"
    )
    arrays, left = run(text + cues).arrays, np.array([A[0], A[1], A[1], A[0]])
    np.testing.assert_array_equal(arrays["state"].values[:, :6], np.where(left == 0, silent, 1))
    assert arrays["answers"].values.tolist() == ["value 1", "value 2", "value 2", "value 1"]
    assert np.all(np.diff(arrays["energy"].values) <= 1e-9) and arrays["input"].values[3, :6].tolist() == [0] * 6


@pytest.mark.parametrize("state", [[1, 0, 1, 0, 1, 0], [0, 1, 1, 0, 0, 0], [1, 1, 1, 1, 1, 0]])
def test_two_sides_end_as_the_memory_of_python(state):
    memory = ha.memories.bam(A, B, activation="step")
    one = run(f"{SIDES}[cue.start]\nstate = {state}\n").arrays
    recall = memory.recall(state)
    np.testing.assert_array_equal(one["state"].values[0, :6], recall.state)
    np.testing.assert_array_equal(one["answer"].values[0], memory.answer(recall.state))
    assert one["energy"].values[0, -1] == recall.energies[-1]


def test_outer_products_of_pairs_of_spins_are_koskos_matrix_too():
    spins = [2 * np.array(side) - 1 for side in (A, B)]
    memory = ha.memories.bam(*spins, rule="outer_products")
    np.testing.assert_array_equal(memory.couplings.T, M)
    np.testing.assert_array_equal(ha.memories.bam(*spins).couplings * 6, memory.couplings)


def test_words_of_the_second_side_have_axes_of_their_own():
    arrays = ha.run("six-to-four").arrays
    assert arrays["couplings"].labels == (("b1", "b2", "b3", "b4"), tuple(f"a{i}" for i in range(1, 7)))
    assert arrays["answer"].labels[1] == ("b1", "b2", "b3", "b4") and arrays["state"].labels[1][6] == "answer b1"


def test_pictures_may_lead_to_numbers_that_are_no_pictures():
    text = PICTURES + 'values = [[1, 1, -1], [-1, 1, 1]]\nmodel = "bam"\n[input]\ntokens = ["J", "value 2"]\n'
    result = ha.run(parsed(text), explain=True)
    (one,) = result.runs
    assert one.arrays["recalls"].values.tolist() == ["J", "R"] and one.arrays["couplings"].values.shape == (3, 35)
    assert all("answer" not in strip.names for strip in one.strips)
    assert ha.plot(result, "recall") is not None


ANSWER = '[vocabulary]\naxes = ["a", "b"]\nmagnitude = "free"\nwords = { A = [1, -1] }\n[vocabulary.answer]\n'
THREE = 'axes = ["x", "y", "z"]\nmagnitude = "free"\nwords = { B = [1, 1, -1] }\n[memory]\npatterns = ["A"]\n'
BAM = f'{ANSWER}{THREE}values = ["B"]\nmodel = "bam"\n'
UNFIT = [
    (
        f'{ANSWER}{THREE}model = "hopfield"\n[input]\ntokens = ["A"]\n',
        "model = \"bam\"; the model 'hopfield' has one side",
    ),
    (BAM.replace("{ B =", "{ A =") + '[input]\ntokens = ["A"]\n', "vocabulary.answer.words.A: 'A' is a word of the"),
    (f'{BAM}[cue.c]\nof = "A"\nanswer = "A"\n', "cue.c.answer: 'A' is unknown"),
    (f'{BAM}[cue.c]\nof = "A"\nanswer = [1]\n', "cue.c.answer: needs 3 numbers"),
    (f'{BAM}[cue.c]\nof = "B"\nanswer = "B"\n', "cue.c.answer: is the second side, and 'B' is of it already"),
    (f'{STORED}model = "hopfield"\n[cue.c]\nof = "1"\nanswer = "2"\n', "cue.c.answer: is for a memory whose"),
    (f"{BAM}[cue.c]\n", "cue.c: needs one of `of`, `state`, `mixture` and `answer`; none is given"),
    (f'{BAM}[cue.c]\nanswer = "B"\nflip = 0.5\n', "cue.c.flip: is for the first side"),
    (f'{BAM}[cue.c]\nof = "A"\n[[expect]]\nat = "c"\nanswers = "A"\n', "'A' is unknown (choices: B, nothing)"),
    (f'{BAM}[cue.c]\nof = "A"\n[[expect]]\nat = "c"\nrecalls = "B"\n', "'B' is unknown (choices: A, nothing)"),
    (f'{BAM}[input]\ntokens = ["C"]\n', "input.tokens.1: 'C' is unknown"),
    (BAM.replace('values = ["B"]', 'values = ["C"]') + '[input]\ntokens = ["A"]\n', "memory.values.1: 'C' is unknown"),
]


@pytest.mark.parametrize(("text", "message"), UNFIT)
def test_sides_that_do_not_fit_are_refused_in_their_place(text, message):
    with pytest.raises(InvalidScenario) as error:
        parsed(HEAD + text)
    assert message in str(error.value)


@pytest.mark.parametrize("update", ["sync", "async"])
def test_two_neurons_of_printed_couplings_need_no_pattern(update):
    text = f'{HEAD}[memory]\ncouplings = [[0, 1], [1, 0]]\nupdate = "{update}"\n[cue.s]\nstate = [1, 1]\n'
    (run,) = ha.run(parsed(text), explain=True).runs
    assert run.arrays["state"].values.tolist() == [[1, 1]]


def test_the_working_says_what_a_coupling_of_a_neuron_to_itself_counts():
    text = f"{HEAD}[memory]\ncouplings = [[1, 0.5], [0.5, 1]]\n[cue.s]\nstate = [1, -1]\n"
    for activation, share in (("sign", "none"), ("step", "half")):
        state = "[1, -1]" if activation == "sign" else "[1, 0]"
        wording = text.replace("[memory]", f'[memory]\nactivation = "{activation}"').replace("[1, -1]", state)
        working = "\n".join(ha.run(parsed(wording), explain=True).runs[0].working)
        assert f"{share} of a neuron's coupling to itself counts" in working


def test_the_cure_for_patterns_of_0_and_1_names_the_model_of_the_file():
    text = f'{HEAD}[memory]\npatterns = [[1, 0, 1]]\nvalues = [[1, 0]]\nmodel = "bam"\n[input]\ntokens = ["1"]\n'
    with pytest.raises(InvalidScenario, match=r'model = \{ name = "bam", activation = "step" \}'):
        parsed(text)


PRINTED = f"""{HEAD}[memory]
couplings = [[0, -1, 2], [-1, 0, 1], [2, 1, 0]]
threshold = [0.5, 0, 1]
activation = "step"
update = {{ name = "async", order = [3, 1, 2] }}
[cue]
a = {{ state = [1, 1, 0] }}
b = {{ state = [1, 1, 1] }}
c = {{ state = [1, 0, 1] }}
[[expect]]
"""
"""Three neurons of 0 and 1; E = x1 x2 − 2 x1 x3 − x2 x3 + x1/2 + x3, so that E(110) = 1.5, E(111) = E(101) = −.5."""


@pytest.mark.parametrize(
    "expected",
    [
        'matrix = "energy"\ncolumns = ["0"]\nis = [1.5, -0.5, -0.5]',
        'matrix = "energy"\ncolumns = ["0"]\nis = [[1.5], [-0.5], [-0.5]]',
        'matrix = "energy"\nat = "a"\ncolumns = ["0", "1"]\nis = [1.5, -0.5]',
        'matrix = "turns"\nat = "a"\ncolumns = ["energy"]\nis = [-0.5, -0.5, -0.5]',
        'matrix = "turns"\nat = "a"\ncolumns = ["field"]\nis = [2, 0.5]\nstated = [2, 0.5]',
        'matrix = "steps"\nis = [2, 1, 1]',
    ],
)
def test_the_energies_of_printed_states_are_expected_as_a_list(expected):
    assert ha.run(parsed(f"{PRINTED}{expected}\n")).ok


def test_an_energy_with_thresholds_is_written_as_two_sums():
    working = run(PRINTED.replace("[[expect]]\n", ""), explain=True).working
    assert [line.strip() for line in working if "of the cue" in line][:3] == [
        "x·W x of the cue: 1×(−1) + 1×(−1) + 0×3 = −1 + (−1) + 0 = −2",
        "b·x of the cue: −.5×1 + 0×1 + (−1)×0 = −.5 + 0 + 0 = −.5",
        "energy of the cue: −½×(−2) − (−.5) = 1.5",
    ]


@pytest.mark.parametrize(
    ("expected", "said"),
    [
        (
            "is = [1.5, -0.5, -0.5]",
            r"shape \(3,\); the matrix has shape \(3, 3\), with the columns 0, 1, 2; `columns` names",
        ),
        ('columns = ["0", "1"]\nis = [[1, 2, 3], [1, 2, 3]]', r"shape \(3, 2\); write its transpose"),
        ("is = 3", "got 3; expected an array"),
        ("is = [1, [2]]", "expected a number"),
    ],
)
def test_numbers_that_do_not_fit_a_matrix_are_told_what_would(expected, said):
    with pytest.raises(InvalidScenario, match=said):
        parsed(f'{PRINTED}matrix = "energy"\n{expected}\n')


def test_numbers_where_a_name_belongs_are_told_where_they_stand():
    memory = f'{HEAD}[memory]\npatterns = [[1, -1, 1], [1, 1, -1]]\nmodel = "hopfield"\n'
    ones = memory + '[input]\ntokens = [[1, 1, -1], 2, "2"]\n'
    with pytest.raises(InvalidScenario) as caught:
        parsed(ones)
    array, number = caught.value.problems
    assert_says(array, "file.toml", "input.tokens.1", "expected a text", "[cue.a]: state = [1, 1, -1]")
    assert_says(number, "file.toml", "input.tokens.2", "expected a text", 'write "2"')
    cure = ones.replace("[input]", "[cue.a]\nstate = [1, 1, -1]\n[input]").replace("[[1, 1, -1], 2", '["a", "2"')
    assert ha.run(parsed(cure)).arrays["state"].values.tolist() == [[1, 1, -1]] * 3
    letter = f'{memory}[input]\ntokens = ["1"]\n[[expect]]\nmatrix = "W"\nis = [[1]]\n'
    with pytest.raises(InvalidScenario, match="there is no array 'W' here; write 'couplings'"):
        parsed(letter)


def test_the_numbers_of_the_other_side_are_told_where_it_is():
    text = f'{HEAD}[memory]\npatterns = [[1, -1, 1, -1]]\nvalues = [[1, 1, -1]]\nmodel = "bam"\n[cue.a]\n'
    text += 'state = [1, -1, 1, -1]\n[[expect]]\nat = "a"\nis = [1, 1, -1]\n'
    with pytest.raises(InvalidScenario, match=r'3 numbers do not fit the 4 elements .*; `in = "answer"` is the part'):
        parsed(text)
    assert ha.run(parsed(f'{text}in = "answer"\n')).ok


def test_a_printed_bam_of_four_pairs_is_a_file_of_twenty_lines():
    """GeeksforGeeks, Bidirectional Associative Memory (BAM) Implementation from Scratch: W is printed as Σ a bᵀ."""
    left = [[1] * 6, [-1] * 6, [1, 1, -1, -1, 1, 1], [-1, -1, 1, 1, -1, -1]]
    right = [[1, 1, 1], [-1, -1, -1], [1, -1, 1], [-1, 1, -1]]
    printed = np.array([[4, 0, 4], [4, 0, 4], [0, 4, 0], [0, 4, 0], [4, 0, 4], [4, 0, 4]])
    text = f'{HEAD}[memory]\npatterns = {left}\nvalues = {right}\nmodel = {{ name = "bam", rule = "outer_products" }}\n'
    text += '[input]\ntokens = ["1", "2", "3", "4", "value 1", "value 2", "value 3", "value 4"]\n'
    for i, (one, other) in enumerate(zip(left, right, strict=True), start=1):
        text += f'[[expect]]\nat = "{i}"\nin = "answer"\nis = {other}\n[[expect]]\nat = "value {i}"\nis = {one}\n'
    result = ha.run(parsed(f'{text}[[expect]]\nmatrix = "couplings"\nis = {printed.T.tolist()}\n'))
    assert result.ok and len(result.expectations) == 9
    with pytest.raises(
        InvalidScenario, match=r"has shape \(6, 3\); the matrix has shape \(3, 6\); write its transpose"
    ):
        parsed(f'{text}[[expect]]\nmatrix = "couplings"\nis = {printed.tolist()}\n')
