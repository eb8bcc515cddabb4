"""The kind memory: the arrays of a file are those of Python, its arithmetic is that of the run."""

import re

import numpy as np
import pytest

import hopattn as ha
from hopattn.memories.models import named_memories
from hopattn.scenario.files import shipped
from hopattn.scenario.kinds import kinds
from tests.refusal import refused
from tests.texts import parsed

HEAD = (
    'schema = 1\ntitle = "t"\nsource = "ours"\nkind = "memory"\n[pictures]\nletters = "JRSVX12"\n[memory]\n'
    'patterns = ["J", "R", "S"]\n'
)
CUE = '[cue."torn J"]\nof = "J"\nflip = 0.1\n'
VALUES = 'values = ["1", "2", "V"]\n'
SPARSE = 'model = { name = "sdm", radius = 12, locations = 300 }\nvalues = ["J", "R", "S"]\n'


def run(memory, cue=CUE, head=HEAD, **options):
    (only,) = ha.run(parsed(head + memory + cue), **options).runs
    return only


def values(memory, cue=CUE, head=HEAD):
    return {name: array.values for name, array in run(memory, cue, head).arrays.items()}


ALONE = ("bam", "delta", "sdm", "input_driven")
"""They need more than patterns."""
MODELS = [  # what a file says of a model, and the arguments of the function of that name
    *((f'model = "{name}"', name, {}) for name in named_memories if name not in ALONE),
    (f'model = "bam"\n{VALUES}', "bam", {"read": "12V"}),
    (f'model = "delta"\n{VALUES}', "delta", {"read": "12V"}),
    (f'model = "linear"\n{VALUES}', "linear", {"read": "12V"}),
    (SPARSE, "sdm", {"radius": 12, "locations": 300, "read": "JRS"}),
    ('model = "input_driven"\ninput = "J"', "input_driven", {"input": "J"}),
    ('model = { name = "dense", n = 5, rectified = false }', "dense", {"n": 5, "rectified": False}),
    ('model = { name = "modern", beta = 2, sink = 1 }', "modern", {"beta": 2, "sink": 1}),
]


@pytest.mark.parametrize(("text", "name", "arguments"), MODELS)
def test_a_model_by_its_name_is_that_of_python(text, name, arguments):
    head = HEAD.replace("letters", 'magnitude = "unit"\nletters') if name == "spherical" else HEAD
    arrays = values(f"{text}\nmax_steps = 20\n", head=head)
    words = values('model = "nearest"\n', '[input]\ntokens = ["J", "R", "S", "1", "2", "V"]\n', head)["input"]
    letters = dict(zip("JRS12V", words, strict=True))
    options = {key: letters[value] if key == "input" else value for key, value in arguments.items() if key != "read"}
    read = [np.stack([letters[word] for word in arguments["read"]])] if "read" in arguments else []
    assert np.all(np.isfinite(arrays["state"])) and arrays["visits"].shape[0] == 1
    if "rng" not in named_memories[name].parameters:  # else the locations are drawn
        memory = getattr(ha.memories, name)(words[:3], *read, **options)
        np.testing.assert_allclose(arrays["step 1 field"], memory.field(arrays["input"]), rtol=1e-12, atol=1e-12)
        if "energy" not in arrays:
            refused(lambda: memory.energy(arrays["input"]), "energy")
        else:
            np.testing.assert_allclose(arrays["energy"][:, 0], memory.energy(arrays["input"]), rtol=1e-12)
            np.testing.assert_allclose(arrays["energy"][:, -1], memory.energy(arrays["state"]), rtol=1e-9)


def test_a_model_with_parameters_is_written_out_as_a_table_of_plain_values():
    """A variant changes what is written out; pydantic before 2.14 writes no table whose class was never built."""
    variant = '[[variant]]\nname = "cubic"\nset = { "memory.model.n" = 3 }\n'
    file = parsed(f'{HEAD}model = {{ name = "dense", n = 5 }}\n{CUE}{variant}')
    models = [run.written_out["memory"]["model"] for run in file.runs.values()]
    assert [model | {"name": "dense", "rectified": True} for model in models] == models
    assert [model["n"] for model in models] == [5, 3]


def test_there_is_a_scenario_for_every_model():
    texts = "\n".join(path.read_text(encoding="utf-8") for path in shipped().values() if path.parent.name == "memories")
    assert all(f'model = "{name}"' in texts or f'name = "{name}"' in texts for name in named_memories)


@pytest.mark.parametrize(
    ("memory", "update"),
    [
        ('model = "hopfield"', '"async"'),
        ('separation = "softmax"', '"sync"'),
        ('model = "graded"', '"graded"'),
        ('separation = "identity"\nactivation = "sign"', '"async"'),
    ],
)
def test_a_memory_of_a_file_has_the_update_of_its_recall_in_python(memory, update):
    cue = CUE.replace("0.1", "0.4")
    glauber = '{ name = "glauber", temperature = 9 }'
    of_model, same, other = (
        {name: array.to_dict() for name, array in run(f"{memory}\n{more}", cue).arrays.items()}
        for more in ("", f"update = {update}\n", f"update = {glauber if 'hop' in memory else update}\n")
    )
    assert of_model == same and (other != same) == ("hop" in memory)


def test_the_first_memory_is_the_network_of_the_paper_whose_neurons_do_not_couple_to_themselves():
    text = kinds["memory"].template()
    patterns = np.array([[1, -1, 1, -1, 1, -1], [1, 1, 1, -1, -1, -1]])
    couplings = patterns.T @ patterns / 6
    from_parts = 'separation = "identity"\nactivation = "sign"\nbeta = 0.16666666666666666'
    without = couplings - np.diag(np.diag(couplings))
    for document, matrix in ((text, without), (text.replace('model = "hopfield"', from_parts), couplings)):
        arrays = ha.run(parsed(document)).arrays
        state = arrays["state"].values[0]
        assert arrays["energy"].values[0][-1] == pytest.approx(-state @ matrix @ state / 2)


@pytest.mark.parametrize(
    ("memory", "expected"),
    [
        (f'{VALUES}model = "nearest"\nmax_steps = 1\n', {"recalls": ["1"]}),
        (f'{VALUES}model = "nearest"\n', {"recalls": ["1"], "steps": [1]}),
        (f'{VALUES}model = "delta"\n', {"steps": [1]}),
        (f'{VALUES}model = "bam"\n', {"recalls": ["J"], "answers": ["1"]}),
        (f'{VALUES}similarity = "cosine"\nseparation = "argmax"\nmax_steps = 1\n', {"recalls": ["1"]}),
        ('model = "nearest"\n', {"recalls": ["J"], "status": ["converged"]}),
        ('model = "log_sum_relu"\n', {"status": ["nothing near"]}),
        ('model = "hopfield"\nupdate = { name = "glauber", temperature = 9 }\n', {"status": ["limit"], "steps": [100]}),
    ],
)
def test_a_cue_leads_to_its_pattern_or_to_the_value_of_it(memory, expected):
    arrays = values(memory)
    assert {name: arrays[name].tolist() for name in expected} == expected


def test_a_reversed_pattern_and_a_mixture_are_named():
    arrays = values('model = "hopfield"\n', '[cue.a]\nof = "R"\nreverse = true\n[cue.b]\nmixture = ["J", "R", "S"]\n')
    assert arrays["spurious"].tolist() == ["reversed", "mixture"]
    assert arrays["of"].tolist() == ["R", "J + R + S"]


VECTORS = (
    'schema = 1\ntitle = "t"\nsource = "ours"\nkind = "memory"\n'
    'vocabulary = { axes = ["x", "y"], magnitude = "free", words = { plain = [1, -1], odd = ODD, cue = [0.5, 0.5] } }\n'
    'memory = { patterns = ["plain", "odd"], max_steps = 1 }\ninput = { tokens = ["odd"] }\n'
)


@pytest.mark.parametrize("numbers", ["[0, 0]", "[5e-324, 5e-324]"])
def test_a_word_of_zeros_or_of_the_smallest_number_is_recalled_without_a_warning(numbers):
    (only,) = ha.run(parsed(VECTORS.replace("ODD", numbers))).runs
    assert np.all(np.isfinite(only.arrays["state"].values))


@pytest.mark.parametrize(
    ("expected", "met"),
    [
        ('spurious = "none"', True),
        ('spurious = "mixture"', False),
        ('visits = ["nothing", "J"]', True),
        ('visits = ["J"]', False),
        ('visits = ["nothing"]', True),
        ('visits = ["J", "R"]', False),
        ('answers = "1"', True),
        ('answers = "2"', False),
        ('recalls = "J"\nstatus = "converged"', True),
        ('recalls = "J"\nstatus = "cycle"', False),
        ('energy = "falls"', True),
        ('energy = "rises"', False),
    ],
)
def test_the_end_of_a_recall_is_expected(expected, met):
    text = f'{HEAD}{VALUES}model = "bam"\n{CUE}[[expect]]\nat = "torn J"\n{expected}\n'
    (outcome,) = ha.run(parsed(text)).expectations
    assert outcome.met is met
    assert outcome.expectation == ", ".join(re.findall(r"(\w+) =", expected)) + " of torn J"


def test_an_energy_falls_if_no_step_raises_it(results):
    """Also where a cue rests already; an annealed recall raises it."""
    runs = {name: results["spurious"].arrays[f"{name}/energy".strip("/")] for name in ("", "annealed")}
    text, falls = ha.load("spurious").text, []
    for name, energies in runs.items():
        for cue, row in zip(energies.labels[0], energies.values, strict=True):
            falls.append(bool((np.diff(row) <= 1e-9).all()))
            for word in ("falls", "rises"):
                text += f'[[expect]]\nat = "{cue}"\nenergy = "{word}"\n' + f'variant = "{name}"\n' * bool(name)
    outcomes = ha.run(parsed(text)).expectations[-2 * len(falls) :]
    assert len({*falls}) == 2
    assert [outcome.met for outcome in outcomes] == [met for one in falls for met in (one, not one)]
    first = runs[""].values[0]
    assert outcomes[0].computed == f"{first[0]:.4g} → {first[-1]:.4g}"
    rests = HEAD + 'model = "hopfield"\n[input]\ntokens = ["J"]\n[[expect]]\nat = "J"\nenergy = "falls"\n'
    assert ha.run(parsed(rests)).ok and ha.run(parsed(rests)).arrays["steps"].values.tolist() == [1]


def test_the_line_between_two_patterns_has_the_energy_of_the_memory(results):
    stripes, halves = np.array([1, -1] * 4), np.array([1] * 4 + [-1] * 4)
    for power, only in zip((2, 3, 5, 10), results["barrier"].runs, strict=True):
        memory = ha.memories.dense([stripes, halves], n=power)
        shares = np.array([*map(float, only.arrays["between"].labels[0])])[:, None]
        energies = memory.energy((1 - shares) * stripes + shares * halves)
        assert (shares[0], shares[-1], len(shares) > 10) == (0, 1, True)
        np.testing.assert_allclose(only.arrays["between"].values, energies, rtol=1e-12)
        assert only.arrays["ends"].values.tolist() == ["stripes", "halves"]
        height = energies.max() - max(energies[0], energies[-1])
        assert float(only.arrays["barrier"].values) == pytest.approx(float(height))


def test_a_pattern_that_is_stored_twice_has_a_number():
    text = VECTORS.replace("ODD", "[1, 1]").replace('"odd"], max', '"odd", "plain"], max')
    result = ha.run(
        parsed(text + '[[expect]]\nweight = { from = "odd", to = "plain#2" }\nis = 0.1065\nwithin = 1e-4\n')
    )
    assert result.ok  # 1 / (2 + e²)
    assert result.arrays["step 1 weights"].labels[1] == ("plain#1", "odd", "plain#2")


ROWS = [[1, 1, -1], [1, -1, 1], [-1, 1, 1]]
OF_NUMBERS = f"""schema = 1
title = "t"
source = "ours"
kind = "memory"
[memory]
beta = 9
patterns = {ROWS}
(more)
[cue.torn]
of = "2"
flip = 0.34
[input]
tokens = ["torn", "3"]
"""


def test_patterns_of_numbers_are_stored_as_they_stand_and_called_by_their_numbers():
    text = OF_NUMBERS.replace("(more)", 'between = ["2", "3"]')
    expected = '[[expect]]\nat = "torn"\nrecalls = "nothing"\n[[expect]]\nat = "3"\nnearest = "3"\n'
    without = '[[without]]\npattern = "1"\n[[expect]]\nvariant = "without 1"\nat = "3"\nrecalls = "3"\n'
    result = ha.run(parsed(text + expected + without), explain=True)
    whole, left = (run.arrays for run in result.runs)
    assert result.ok and len(result.expectations) == 3
    memory = ha.Memory(ROWS, beta=9)
    assert whole["input"].values[1].tolist() == ROWS[2] and whole["input"].labels[1] == ("1", "2", "3")
    np.testing.assert_allclose(whole["step 1 weights"].values, memory.weights(whole["input"].values), rtol=1e-12)
    np.testing.assert_allclose(left["step 1 weights"].values, memory.without(0).weights(whole["input"].values))
    assert (whole["step 1 weights"].labels[1], left["step 1 weights"].labels[1]) == (("1", "2", "3"), ("2", "3"))
    assert any("similarity to 3: " in line for line in result.runs[1].working)


def test_values_may_be_numbers_and_stand_beside_words():
    text = OF_NUMBERS.replace("(more)", f'model = "bam"\nvalues = {ROWS[::-1]}').replace("beta = 9\n", "")
    arrays = ha.run(parsed(text)).arrays
    assert arrays["answers"].values[1] == "value 3" and arrays["answer"].values[1].tolist() == ROWS[0]
    words = '[vocabulary]\naxes = ["x", "y", "z"]\nmagnitude = "free"\nwords = { w = [1, 1, 1] }\n[memory]'
    text = OF_NUMBERS.replace("(more)", "").replace("[-1, 1, 1]]", '"w"]').replace('"3"', '"w"')
    arrays = ha.run(parsed(text.replace("[memory]", words))).arrays
    assert arrays["step 1 weights"].labels[1] == ("1", "2", "w") and arrays["input"].labels[1] == ("x", "y", "z")


RANDOM = (
    'schema = 1\nkind = "memory"\ntitle = "t"\nsource = "ours"\nseed = {seed}\n[vocabulary]\nmagnitude = "free"\n'
    'axes = ["a", "b", "c", "d"]\nwords = {{ x = [1, 1, -1, -1], y = [-1, 1, 1, -1] }}\n[memory]\n'
    'patterns = ["x", "y"]\nvalues = ["x", "y"]\nmax_steps = 2\n'
    'model = {{ name = "sdm", radius = {radius}, locations = {locations} }}\n[input]\ntokens = ["x"]\n'
)


@pytest.mark.parametrize("radius, locations", [(0, 24), (2, 2)])
def test_a_run_has_the_random_memory_that_the_check_has_seen(radius, locations):
    """Of 60 seeds, a memory that cannot be drawn is refused where the file is read, and all others run."""
    refused = 0
    for seed in range(60):
        text = RANDOM.format(seed=seed, radius=radius, locations=locations)
        try:
            scenario = parsed(text)
        except ha.InvalidInput as error:
            refused += "no location lies within" in str(error)
        else:
            assert ha.run(scenario).runs
    assert 0 < refused < 40


def test_the_arithmetic_is_that_of_the_memory_that_recalled():
    """The fields of the working are those of the run: with the file's seed, and with another one."""
    scenario, seen = parsed(RANDOM.format(seed=1, radius=2, locations=2)), set()
    for seed in (None, *range(20)):
        try:
            (only,) = ha.run(scenario, rng=seed, explain=True).runs
        except ha.InvalidInput:
            continue
        field = ", ".join(f"{int(entry)}".replace("-", "−") for entry in only.arrays["step 1 field"].values[0])
        assert f"  field of all neurons: ({field})" in only.working
        assert "step 1 weights" not in only.arrays  # random locations are not shown as patterns
        assert any("similarity to x: " in line and line.endswith("= 4") for line in only.working)  # x·x, of the value x
        seen.add(field)
    assert len(seen) > 1
    opposed = []
    for seed in (1, 2):
        only = run(SPARSE, rng=seed, explain=True)
        against = int(np.sum(only.arrays["input"].values[0] * only.arrays["step 1 field"].values[0] < 0))
        opposed += [
            line for line in only.working if f": {against} is opposed" in line or f": {against} are opp" in line
        ]
    assert len(opposed) == 2
    assert run(SPARSE, rng=1).arrays["state"].to_dict() == run(SPARSE, rng=1).arrays["state"].to_dict()


TEMPLATE = kinds["memory"].template()
IN_STEPS = VECTORS.replace("ODD", "[0.6, 0.8]").replace("[1, -1]", "[1, 0]").replace('["odd"] }', '["cue"] }')
NEAR = f'{HEAD}model = {{ name = "log_sum_relu", beta = 0.1 }}\n{CUE}'


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        (TEMPLATE, ["field of all neurons: (4×halves − 2×cue)/6 ≈ (.3333, .3333, 1, −.3333, −.3333, −.3333)",
                    "  sweep 1, one neuron after the other in the order 1, 2, 3, 4, 5, 6:",
                    "    neuron 3: .3333×1 + 0×1 + (−.3333)×(−1) + 0×(−1) + (−.3333)×(−1) ≈ .3333 + 0 + .3333 + 0 + "
                    ".3333 ≈ 1, −1 → 1, energy −2.3333\n", "  sweep 2, no neuron changes:\n    neuron 1: ",
                    "x·h of the cue: 1×.3333 + 1×.3333 + (−1)×1 + (−1)×(−.3333) + (−1)×(−.3333) + (−1)×(−.3333)",
                    "energy of the cue: −½×.6667 ≈ −.3333"]),
        (TEMPLATE.replace('"hopfield"', '"hopfield"\nupdate = "sync"', 1),
         ["  6 neurons: 1 is opposed to its field, 0 have zero field"]),
        (TEMPLATE.replace('"hopfield"', '{ name = "hopfield", self_coupling = true }', 1),
         ["field of all neurons: (.6667, .6667, .6667, −.6667, −.6667"]),
        (TEMPLATE.replace('"hopfield"', '{ name = "hopfield", bias = 1 }', 1),
         ["field of all neurons: (1.3333, 1.3333, 2, .6667, .6667, .6667)"]),
        (IN_STEPS, ["similarity to plain: .5×1 + .5×0 = .5 + 0 = .5",
                    "energy of the cue: ½×.5 − log(e^.5 + e^.7) ≈ .25 − 1.2981 ≈ −1.0481"]),
        (IN_STEPS.replace("max", 'beta = 2, separation = "identity", max'),
         ["½×.5 − ½×2×(.5² + .7²) = .25 − .74 = −.49"]),
        (IN_STEPS.replace("max", 'separation = { name = "power", n = 3 }, max'),
         ["½×.5 − ((.5)^3 + (.7)^3)/3 = .25 − .156 = .094"]),
        (NEAR, ["near: below √(2/β) ≈ 4.4721", "the step leads to the mean of J"]),
        (NEAR.replace("0.1 }", "1.0 }"), ["no stored pattern takes part"]),
    ],
)  # fmt: skip
def test_a_recall_is_worked_out(text, lines):
    working = "\n".join(ha.run(parsed(text), explain=True).runs[0].working)
    assert [line for line in lines if line not in working] == [], working


def test_a_potential_that_is_no_sum_has_no_arithmetic_of_the_energy():
    text = IN_STEPS.replace("max", 'separation = "sparsemax", max')
    assert "energy of" not in "\n".join(ha.run(parsed(text), explain=True).runs[0].working)
