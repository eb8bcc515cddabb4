"""Memories by the name of a model: the keys of a file, their effect, and refused values."""

import re

import numpy as np
import pytest

import hopattn as ha
from hopattn.memories.models import named_memories
from hopattn.results.labelled import Labelled
from hopattn.scenario.expectations.recalls import Ended
from hopattn.scenario.files import shipped
from hopattn.scenario.kinds import kinds
from hopattn.scenario.language.array_layout import ArrayLayout
from hopattn.scenario.loading import parse
from tests.each import each
from tests.refusal import assert_refused, problems

HEAD = """schema = 1
title = "t"
source = "ours"
kind = "memory"
[pictures]
letters = "JRSVX12"
[memory]
patterns = ["J", "R", "S"]
"""
CUE = """[cue."torn J"]
of = "J"
flip = 0.1
"""


def run(memory, cue=CUE):
    (only,) = ha.run(parse(HEAD + memory + cue, "file.toml", "file")).runs
    return only.arrays


NEEDS = {
    "bam": 'values = ["1", "2", "V"]',
    "delta": 'values = ["1", "2", "V"]',
    "sdm": 'values = ["J", "R", "S"]',
    "input_driven": 'input = "J"',
}
PARAMETERS = {"sdm": '{ name = "sdm", radius = 12, locations = 300 }'}


@pytest.mark.parametrize("name", named_memories)
def test_every_model_runs_by_its_name(name):
    unit = ("letters", 'magnitude = "unit"\nletters') if name == "spherical" else ("letters", "letters")
    model = PARAMETERS.get(name, f'"{name}"')
    text = HEAD.replace(*unit) + f"model = {model}\n{NEEDS.get(name, '')}\nmax_steps = 20\n" + CUE
    (only,) = ha.run(parse(text, "file.toml", "file")).runs
    assert np.all(np.isfinite(only.arrays["state"].values))
    assert only.arrays["visits"].values.shape[0] == 1
    assert ("energy" in only.arrays) == (not named_memories[name].energy.startswith("none") and name != "universal")


def test_there_is_a_scenario_for_every_model():
    texts = "\n".join(path.read_text(encoding="utf-8") for path in shipped().values() if path.parent.name == "memories")
    assert all(f'model = "{name}"' in texts or f'name = "{name}"' in texts for name in named_memories)


def test_the_first_memory_is_the_network_of_the_paper_whose_neurons_do_not_couple_to_themselves():
    text = kinds["memory"].template()
    (paper,) = ha.run(parse(text, "m.toml", "m")).runs
    from_parts = 'separation = "identity"\nactivation = "sign"\nbeta = 0.16666666666666666'
    (kept,) = ha.run(parse(text.replace('model = "hopfield"', from_parts), "m.toml", "m")).runs
    patterns = [[1, -1, 1, -1, 1, -1], [1, 1, 1, -1, -1, -1]]
    state = paper.arrays["state"].values[0]
    couplings = np.array(patterns).T @ patterns / 6
    assert kept.arrays["energy"].values[0][-1] == pytest.approx(-state @ couplings @ state / 2)
    np.fill_diagonal(couplings, 0)
    assert paper.arrays["energy"].values[0][-1] == pytest.approx(-state @ couplings @ state / 2)


def test_a_model_has_its_own_update_unless_the_file_gives_another():
    spec = parse(HEAD + 'model = "hopfield"\n' + CUE, "file.toml", "file").spec
    assert repr(spec.memory.update_rule()) == "Asynchronous(order='random')"
    cold = parse(HEAD + 'model = "hopfield"\nupdate = { name = "glauber", temperature = 0.2 }\n' + CUE, "f", "f").spec
    assert repr(cold.memory.update_rule()) == "Glauber(temperature=0.2, cooling=1.0)"
    plain = parse(HEAD + 'separation = "softmax"\n' + CUE, "file.toml", "file").spec
    assert repr(plain.memory.update_rule()) == "Synchronous()"


def test_parameters_reach_the_model():
    spec = parse(HEAD + 'model = { name = "dense", n = 5, rectified = false }\n' + CUE, "file.toml", "file").spec
    assert (
        repr(spec.memory.build_from_words(spec.vocabulary.vectors, np.random.default_rng(0)).separation)
        == "Power(beta=1.0, n=5)"
    )


def test_values_are_recalled():
    arrays = run('values = ["1", "2", "V"]\nmodel = "nearest"\nmax_steps = 1\n')
    assert arrays["recalls"].values.tolist() == ["1"]
    both = run('values = ["1", "2", "V"]\nmodel = "bam"\n')
    assert (both["recalls"].values.tolist(), both["answers"].values.tolist()) == (["J"], ["1"])
    parts = run('values = ["1", "2", "V"]\nsimilarity = "cosine"\nseparation = "argmax"\nmax_steps = 1\n')
    assert parts["recalls"].values.tolist() == ["1"]


def test_the_working_is_that_of_the_run_whatever_the_seed():
    text = HEAD + 'model = { name = "sdm", radius = 12, locations = 300 }\nvalues = ["J", "R", "S"]\n' + CUE
    for seed in (1, 2):
        (only,) = ha.run(parse(text, "file.toml", "file"), rng=seed, explain=True).runs
        cue, field = (only.arrays[name].values[0] for name in ("input", "step 1 field"))
        against = int(np.sum(cue * field < 0))
        assert any(re.search(f": {against} (is|are) opposed to (its|their) field", line) for line in only.working)


def test_the_field_of_hebb_s_rule_is_worked_out_from_the_similarities():
    text = kinds["memory"].template()
    for model, says in (
        ('"hopfield"', "field of all neurons: (4×halves − 2×cue)/6 ≈ (.3333, .3333, 1, −.3333, −.3333, −.3333)"),
        ('{ name = "hopfield", self_coupling = true }', "field of all neurons: (.6667, .6667, .6667, −.6667, −.6667"),
        ('{ name = "hopfield", bias = 1 }', "field of all neurons: (1.3333, 1.3333, 2, .6667, .6667, .6667)"),
    ):
        (only,) = ha.run(parse(text.replace('"hopfield"', model, 1), "m.toml", "m"), explain=True).runs
        assert any(line.strip().startswith(says) for line in only.working), only.working
    (plain, *_) = ha.run(parse(text, "m.toml", "m"), explain=True).runs
    assert "  6 neurons: 1 is opposed to its field, 0 have zero field" in plain.working


def test_a_linear_or_nearest_memory_with_values_takes_one_step():
    values = 'values = ["1", "2", "V"]\n'
    assert run(values + 'model = "delta"\n')["steps"].values.tolist() == [1]
    assert run(values + 'model = "nearest"\n')["recalls"].values.tolist() == ["1"]
    assert run('model = "nearest"\n')["status"].values.tolist() == ["converged"]


def test_a_reversed_pattern_and_a_mixture_are_named():
    cues = '[cue.a]\nof = "R"\nreverse = true\n[cue.b]\nmixture = ["J", "R", "S"]\n'
    arrays = run('model = "hopfield"\n', cues)
    assert arrays["spurious"].values.tolist() == ["reversed", "mixture"]
    assert arrays["of"].values.tolist() == ["R", "J + R + S"]


def test_a_word_that_cannot_be_stored_is_named():
    text = HEAD.replace("[memory]", "[pictures.drawn]\nR2 = [" + ", ".join(['"....."'] * 7) + "]\n[memory]")
    model = 'model = { name = "hopfield", rule = "pseudo_inverse" }\n'
    text = text.replace('["J", "R", "S"]', '["J", "R", "J"]')
    assert_refused(text + model + CUE, "11: memory.model: patterns: 'J' depends on those before it")


EXTREME = """schema = 1
title = "t"
source = "ours"
kind = "memory"
[vocabulary]
axes = ["x", "y"]
magnitude = "free"
[vocabulary.words]
plain = [1, -1]
odd = [0, 0]
[memory]
patterns = ["plain", "odd"]
[input]
tokens = ["odd"]
"""


@pytest.mark.parametrize("numbers", ["[0, 0]", "[5e-324, 5e-324]"])
def test_a_word_of_zeros_or_of_the_smallest_number_is_recalled_without_a_warning(numbers):
    (only,) = ha.run(parse(EXTREME.replace("[0, 0]", numbers), "file.toml", "file")).runs
    assert np.all(np.isfinite(only.arrays["state"].values))


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("[0, 0]", "[1e308, 1]", "11: memory.separation: keys: 'odd' holds a number of size 1e+308; expected at most"),
        ('"free"', '"normalise"', "10: vocabulary.words.odd: is zero and cannot be normalised"),
        ("[memory]", '[memory]\nmodel = "modern"', "12: memory.model: patterns: 'odd' is zero; nothing recalls it"),
    ],
)
def test_a_word_that_is_too_large_or_has_no_direction_is_named(old, new, message):
    assert_refused(EXTREME.replace(old, new), message)


def test_a_cue_that_only_a_run_refuses_is_named():
    text = EXTREME.replace("[memory]", '[memory]\nactivation = "unit"').replace("[1, -1]", "[0.6, 0.8]")
    text = text.replace("schema = 1", "schema = 1\nseed = 1")  # with this seed the cue is within the ball
    text = text.replace("[input]\ntokens", '[cue.torn]\nof = "plain"\nnoise = 1e-9\n[input]\ntokens')
    scenario = parse(text.replace('tokens = ["odd"]', 'tokens = ["odd", "torn"]'), "file.toml", "file")
    with pytest.raises(ha.InvalidInput, match=r"file\.toml:12: cues: 'torn' has magnitude 1; expected at most 1"):
        ha.run(scenario, rng=0)


def test_the_seed_draws_the_order_and_the_locations():
    text = HEAD + 'model = { name = "sdm", radius = 12, locations = 300 }\nvalues = ["J", "R", "S"]\n' + CUE
    scenario = parse(text, "file.toml", "file")
    assert ha.run(scenario, rng=1).to_json() == ha.run(scenario, rng=1).to_json()


@each(
    ("memory", "message"),
    [
        ('model = "hopfeld"', "9: memory.model: 'hopfeld' is unknown; did you mean 'hopfield'"),
        ('model = { name = "dense", m = 3 }', "9: memory.model.m: 'm' is unknown"),
        ('model = { name = "dense", n = 1 }', "9: memory.model: n: expected a whole number from 2"),
        ('model = "sdm"', "9: memory.model: 'sdm' needs more: write { name = \"sdm\", radius = … }"),
        (
            'model = "modern"\nbeta = 2',
            "10: memory.beta: is a part of the model 'modern'; write model = { name = \"modern\", beta = 2 }",
        ),
        (
            'model = { name = "spherical", beta = 2.5 }\nseparation = "softmax"',
            "10: memory.separation: is a part of the model 'spherical'; "
            'write model = { name = "spherical", beta = 2.5, separation = "softmax" }',
        ),
        (
            'model = { name = "modern", beta = 2.5 }\nbeta = 2',
            "10: memory.beta: is a part of the model 'modern'; leave one of them out",
        ),
        (
            'model = "modern"\nsimilarity = "cosine"',
            "10: memory.similarity: is a part of the model 'modern'; leave one of them out",
        ),
        ('model = "bam"', "7: memory: the model 'bam' needs values, one for each pattern"),
        ('model = "dense"\nvalues = ["1", "2", "V"]', "10: memory.values: the model 'dense' leads to its own patterns"),
        ('model = "bam"\nvalues = ["1"]', "10: memory.values: 1 words do not fit 3 patterns"),
        ('model = "bam"\nvalues = ["1", "2", "W"]', "10: memory.values.3: 'W' is unknown"),
        ('update = "asink"', "9: memory.update: 'asink' is unknown; did you mean 'async'"),
        ('update = "glauber"', "9: memory.update: 'glauber' needs more: write { name = \"glauber\", temperature = … }"),
        ('update = { name = "glauber", temperature = -1 }', "9: memory.update: temperature: expected"),
        (
            'update = { name = "async", order = "rndom" }',
            "9: memory.update: order: 'rndom' is unknown",
        ),
        ('similarity = "cosine"\nactivation = "sign"\nupdate = "async"', "11: memory.update: the similarity 'cosine'"),
        ('model = { name = "hopfield", rule = "heb" }', "9: memory.model.rule: 'heb' is unknown; did you mean 'hebb'"),
        (
            'model = { name = "universal", similarity = "manhatan" }',
            "9: memory.model.similarity: 'manhatan' is unknown",
        ),
    ],
)
def test_wrong_values_are_refused_with_their_line(memory, message):
    assert_refused(HEAD + memory + "\n" + CUE, message)


@pytest.mark.parametrize(
    ("expected", "message"),
    [
        ('spurious = "mix"', "15: expect.1.spurious: 'mix' is unknown; did you mean 'mixture'"),
        ('answers = "1"', "15: expect.1.answers: there is no array 'answers' here"),
        ('visits = ["J", "Q"]', "15: expect.1.visits.2: 'Q' is unknown"),
        ("visits = []", "15: expect.1.visits: is empty"),
    ],
)
def test_expectations_are_checked_before_the_run(expected, message):
    assert_refused(HEAD + 'model = "hopfield"\n' + CUE + f'[[expect]]\nat = "torn J"\n{expected}\n', message)


@pytest.mark.parametrize(
    "expected", ['spurious = "mixture"', 'visits = ["J"]', 'answers = "2"', 'visits = ["nothing", "R"]']
)
def test_expectations_can_be_missed(expected):
    memory = 'values = ["1", "2", "V"]\nmodel = "bam"\n'
    scenario = parse(HEAD + memory + CUE + f'[[expect]]\nat = "torn J"\n{expected}\n', "file.toml", "file")
    assert not ha.run(scenario).ok


@pytest.mark.parametrize(("cue", "met"), [("rests", True), ("falls", True), ("rises", False)])
def test_an_energy_falls_if_it_does_not_rise_even_where_a_cue_rests_already(cue, met):
    energies = {"rests": [-1.0, -1.0], "falls": [0.0, -1.0], "rises": [-1.0, -0.5, -2.0]}[cue]
    expected = Ended.model_validate({"at": "x", "energy": "falls"})
    arrays = {"energy": Labelled(np.array([energies]), ("cue", "step"), (("x",), tuple(map(str, energies))))}
    assert expected.judge(arrays, ArrayLayout(rows=("x",))).met is met


def test_a_stored_pattern_that_rests_meets_the_expectation_of_its_energy():
    text = HEAD + 'model = "hopfield"\n[input]\ntokens = ["J"]\n[[expect]]\nat = "J"\nenergy = "falls"\n'
    result = ha.run(parse(text, "file.toml", "file"))
    assert result.ok and result.arrays["steps"].values.tolist() == [1]


BARRIER = (
    (shipped()["barrier"].read_text(encoding="utf-8"))
    .partition("[[variant]]")[0]
    .replace('names = ["power n = 2", "n = 3", "n = 5", "n = 10"]', "")
)


def test_the_line_between_two_patterns_has_the_energy_of_the_memory():
    run = ha.run(parse(BARRIER, "b.toml", "b")).runs[0]
    stripes, halves = np.array([1, -1] * 4), np.array([1] * 4 + [-1] * 4)
    memory = ha.memories.dense([stripes, halves], n=2)
    for place, energy in zip(run.arrays["between"].labels[0], run.arrays["between"].values, strict=True):
        share = float(place)
        assert energy == pytest.approx(float(memory.energy((1 - share) * stripes + share * halves)))
    assert float(run.arrays["barrier"].values) == pytest.approx(16)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (('between = ["stripes", "halves"]', 'between = ["stripes", "halfs"]'), "did you mean 'halves'"),
        (('between = ["stripes", "halves"]', 'between = ["stripes"]'), "between"),
        (('{ name = "dense", n = 2 }', '"sequence"'), "between: there is no energy"),
    ],
)
def test_a_line_that_cannot_be_drawn_is_reported(change, message):
    assert any(message in line for line in problems(BARRIER.replace(*change)))


def test_a_pattern_that_is_stored_twice_is_named_with_its_number():
    text = MEMORY_WITH_A_PATTERN_TWICE
    with pytest.raises(ha.InvalidInput, match="'halves' occurs 2 times; write halves#1 or halves#2"):
        parse(text.format(pattern="halves"), "file.toml", "file")
    result = ha.run(parse(text.format(pattern="halves#2"), "file.toml", "file"))
    assert result.ok


MEMORY_WITH_A_PATTERN_TWICE = """
schema = 1
title = "a pattern twice"
source = "ours"
kind = "memory"
[vocabulary]
axes = ["1", "2", "3", "4"]
magnitude = "free"
[vocabulary.words]
stripes = [1, -1, 1, -1]
halves = [1, 1, -1, -1]
damaged = [1, 1, 1, -1]
[memory]
patterns = ["halves", "stripes", "halves"]
separation = "identity"
activation = "sign"
beta = 0.25
[input]
tokens = ["damaged"]
[[expect]]
at = "damaged"
recalls = "halves"
[[expect]]
weight = {{ from = "damaged", to = "{pattern}" }}
is = 0.5
"""


SPARSE = """schema = 1
kind = "memory"
title = "t"
source = "ours"
seed = {seed}
[vocabulary]
magnitude = "free"
axes = ["a", "b", "c", "d"]
[vocabulary.words]
x = [1, 1, -1, -1]
y = [-1, 1, 1, -1]
[memory]
patterns = ["x", "y"]
values = ["x", "y"]
model = {{ name = "sdm", radius = {radius}, locations = {locations} }}
max_steps = 2
[input]
tokens = ["x"]
"""


@each("radius, locations", [(0, 24), (2, 2)])
def test_a_run_has_the_random_memory_that_the_check_has_seen(radius, locations):
    """Of 60 seeds, a memory that cannot be drawn is refused where the file is read, and all others run."""
    refused = 0
    for seed in range(60):
        text = SPARSE.format(seed=seed, radius=radius, locations=locations)
        try:
            scenario = parse(text, "file.toml", "file")
        except ha.InvalidInput as error:
            refused += "no location lies within" in str(error)
        else:
            assert ha.run(scenario).runs
    assert 0 < refused < 40


def test_the_arithmetic_is_that_of_the_memory_that_recalled():
    """The fields of the working are those of the run: with the file's seed, another one, and one for each variant."""
    scenario, seen = parse(SPARSE.format(seed=1, radius=2, locations=2), "file.toml", "file"), set()
    for seed in range(20):
        try:
            (only,) = ha.run(scenario, rng=seed, explain=True).runs
        except ha.InvalidInput:
            continue
        field = tuple(int(entry) for entry in only.arrays["step 1 field"].values[0])
        reported = "(" + ", ".join(str(entry).replace("-", "−") for entry in field) + ")"
        assert f"  field of all neurons: {reported}" in only.working
        seen.add(field)
    assert len(seen) > 1


def test_random_locations_are_not_shown_as_patterns():
    (only,) = ha.run(parse(SPARSE.format(seed=1, radius=2, locations=2), "file.toml", "file"), explain=True).runs
    assert "step 1 weights" not in only.arrays
    assert any("similarity to x: " in line and line.endswith("= 4") for line in only.working)  # x·x, of the value x


@pytest.mark.parametrize(
    "memory, message",
    [
        ('model = "input_driven"\n', "the model 'input_driven' needs an input: write input = \"a word\""),
        ('model = "input_driven"\ninput = "Q"\n', "'Q' is unknown"),
        ('model = "hopfield"\ninput = "J"\n', "is for a model with couplings that an input weighs, 'input_driven'"),
    ],
)
def test_a_wrong_input_of_the_couplings_is_named(memory, message):
    with pytest.raises(ha.InvalidInput, match=re.escape(message)):
        run(memory)


def test_the_working_of_a_memory_with_a_range_names_what_is_near():
    def explained(beta):
        text = HEAD + f'model = {{ name = "log_sum_relu", beta = {beta} }}\n' + CUE
        return ha.run(parse(text, "file.toml", "file"), explain=True).runs[0]

    far, near = explained(1.0), explained(0.1)
    assert far.arrays["status"].values.tolist() == ["nothing near"]
    assert any("no stored pattern is near enough" in line for line in far.working)
    assert any(re.search(r"distance to J: [\d.]+, near: below √\(2/β\) ≈ 4.4721", line) for line in near.working)
    assert any("the step leads to the mean of J" in line for line in near.working)
