"""Parts of a user's own: a registered class or the path of one works wherever a name of ours does."""

import json
import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import logsumexp, softmax

import hopattn as ha
from hopattn.experiments.certificate import certify_all
from tests import examples, own_registries
from tests.refusal import problems, refused
from tests.texts import parsed

PAGE = (Path(__file__).parents[2] / "docs/howto/own-parts.md").read_text(encoding="utf-8")
MODULE = PAGE.partition("## Use them")[0]
PATTERNS = np.random.default_rng(0).normal(size=(4, 8))
BANK = ha.load("bank")


@pytest.fixture(autouse=True)
def _module(tmp_path, monkeypatch):
    """The file `mymodule.py` of the page, in the current folder; what it registers is gone after the test."""
    own_registries.keep(monkeypatch)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    code = "\n".join(re.findall(r"```python\n(.*?)```", MODULE, re.DOTALL))
    code += "\n\ndef make(keys):\n    return ha.Memory(keys, separation=LogCosh())\n"
    (tmp_path / "mymodule.py").write_text(code)
    yield
    sys.modules.pop("mymodule", None)


@pytest.fixture
def own():
    """The module, with all its parts registered."""
    sys.path.append(str(Path.cwd()))
    import mymodule as found

    for part in (found.LogCosh, found.Near, found.Softsign, found.Part):
        assert ha.register(part) is part
    return found


def test_a_registered_class_is_an_entry_and_only_of_its_kind(own):
    assert ha.separations.log_cosh is own.LogCosh and "log_cosh" in ha.separations
    assert "log_cosh" not in ha.similarities
    assert ha.register(own.LogCosh) is own.LogCosh
    assert {"near", "softsign", "part"} <= {*ha.similarities, *ha.activations, *ha.updates}
    with pytest.raises(TypeError):
        ha.separations["log_cosh"] = own.LogCosh


def test_a_class_that_is_defined_again_takes_the_place_of_the_first(own):
    del sys.modules["mymodule"]
    import mymodule

    ha.register(mymodule.LogCosh)
    assert ha.separations.log_cosh is mymodule.LogCosh is not own.LogCosh


def test_a_path_stands_for_its_class_without_a_registration():
    memory = ha.Memory(PATTERNS, similarity="mymodule:Near", separation="mymodule:LogCosh", beta=0.5)
    assert [type(memory.similarity).__name__, memory.separation.beta] == ["Near", 0.5]
    assert ha.Head(np.eye(8), np.eye(8), np.eye(8), separation="mymodule:LogCosh", mask="causal")(PATTERNS).shape == (
        4,
        8,
    )
    assert ha.attention(PATTERNS, PATTERNS, PATTERNS, separation="mymodule:LogCosh").shape == (4, 8)
    recall = ha.Memory(PATTERNS, activation="mymodule:Softsign").recall(PATTERNS[0] / 9, update="mymodule:Part")
    assert recall.state.shape == (8,)
    assert "log_cosh" not in ha.separations and "part" not in ha.updates


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("mymodule:LogCsh", ["in mymodule, 'LogCsh' is unknown", "'LogCosh'?"]),
        ("mymodul:LogCosh", ["'mymodul' cannot be imported", "No module named 'mymodul'"]),
        ("mymodule:Near", ["'mymodule:Near' is not a subclass of Separation"]),
        ("mymodule:make", ["'mymodule:make' is not a subclass of Separation"]),
        ("os:system", ["'os:system' is not a subclass of Separation"]),
        ("broken:X", ["'broken' cannot be imported", "ZeroDivisionError: division by zero"]),
        ("my module:X", ["'my module:X' is neither a name nor a path such as 'mymodule:LogCosh'"]),
    ],
)
def test_a_path_that_leads_to_no_such_class_is_refused(path, words):
    Path("broken.py").write_text("1 / 0")
    for call in (lambda: ha.Memory(PATTERNS, separation=path), lambda: ha.separations.find(path)):
        refused(call, "separation", *words)


def test_a_class_with_weights_alone_computes_as_one_of_ours_does(own):
    """Their product with the values, the mask, and the energy are made from `potential` and `weights`."""
    memory = ha.Memory(PATTERNS, separation="log_cosh", beta=0.3)
    cues = PATTERNS[:2] + 0.1
    scores = cues @ PATTERNS.T
    np.testing.assert_allclose(memory.step(cues), np.tanh(0.3 * scores) @ PATTERNS, atol=1e-12)
    expected = 0.5 * (cues**2).sum(-1) - np.log(np.cosh(0.3 * scores)).sum(-1) / 0.3
    np.testing.assert_allclose(memory.energy(cues), expected, atol=1e-12)
    assert np.all(memory.weights(cues, [True, False, True, True])[:, 1] == 0)


@given(st.integers(0, 10**6))
def test_the_mean_shift_goes_downhill_on_minus_the_logarithm_of_a_density(seed):
    rng = np.random.default_rng(seed)
    sys.path.append(str(Path.cwd()))
    import mymodule

    keys, beta = rng.normal(size=(rng.integers(1, 9), 3)) * 3, float(10 ** rng.uniform(-1, 1))
    memory = ha.Memory(keys, similarity=mymodule.Near(), beta=beta)
    states = rng.normal(size=(5, 3)) * 4

    def logarithms(x):
        return -0.5 * beta * ((x[:, None] - keys) ** 2).sum(-1)

    def energy(x):
        return -logsumexp(logarithms(x), axis=-1) / beta

    for _ in range(4):
        np.testing.assert_allclose(memory.energy(states), energy(states), rtol=1e-10, atol=1e-9)
        step = memory.step(states)
        np.testing.assert_allclose(step, softmax(logarithms(states), axis=-1) @ keys, rtol=1e-9, atol=1e-9)
        slope = [(energy(states + h) - energy(states - h)) / 2e-4 for h in 1e-4 * np.eye(3)]  # ∇E = x − x⁺, so that
        np.testing.assert_allclose(np.stack(slope, axis=-1), states - step, atol=1e-3)  # a step is one of descent
        assert np.all(memory.energy(step) <= memory.energy(states) + 1e-9)
        states = step
    moved, before = memory._step_with_energy(states)
    np.testing.assert_allclose(before, memory.energy(states), atol=1e-12)
    np.testing.assert_allclose(moved, memory.step(states), atol=1e-12)


def test_what_a_similarity_with_a_gradient_cannot_do_has_its_reason(own):
    memory = ha.Memory(PATTERNS, similarity="near", separation="log_cosh")
    assert "only where the weights sum to 1" in memory.why_not("energy")
    memory = ha.Memory(PATTERNS, similarity="near")
    assert not memory.why_not("energy") and "the dot product alone" in memory.why_not("single-neuron updates")
    assert not ha.Asynchronous().descends(memory) and ha.ConcaveConvex().descends(memory)
    assert "not the dot product" in ha.Memory(PATTERNS, similarity="euclidean").why_not("energy")


@pytest.mark.parametrize("part", ["log_cosh", "near", "softsign", "mymodule:LogCosh"])
def test_the_certificate_draws_memories_with_the_part(part, own):
    for update in ("sync", "graded", "concave_convex"):
        found = ha.certify(part, update, count=60, rng=0)
        assert found.holds and (found.claimed >= 60 or found.obstacle or found.refusal)
    assert ha.certify(part, "mymodule:Part", count=60, rng=0).refusal == "nobody has proved it"
    assert ha.certify(part, count=60, dtype="float32", rng=0).holds


def test_a_false_claim_is_found_by_the_certificate(own):
    @ha.register
    @dataclass(frozen=True)
    class Lying(ha.Similarity):
        def __call__(self, cues, keys):
            return np.tanh(cues @ keys.mT)

        def cue_term(self, cues):
            return 0 * cues.sum(-1)

    found = ha.certify("lying", count=200, rng=0)
    assert found.claimed >= 200 and not found.holds


def test_an_activation_without_an_inverse_has_no_continuous_time(own):
    @dataclass(frozen=True)
    class OneWay(own.Softsign):
        inverse = ha.Activation.inverse

    obstacle = ha.certify(ha.Memory(PATTERNS, activation=OneWay()), "graded", count=10, rng=0).obstacle
    assert obstacle == "graded neurons need an activation with an inverse, and 'one_way' has none"


@pytest.mark.slow
def test_a_comparison_takes_classes_functions_and_names(own):
    memories = ["modern", "log_cosh", "mymodule:Near", "mymodule:make", "softsign"]
    result = ha.experiments.compare_random(memories=memories, dim=16, trials=2, patterns="unit", rng=0)
    assert [row.memory for row in result.rows] == memories and all(not row.refusal for row in result.rows)
    named = ha.experiments.compare_random(memories={"mine": "mymodule:LogCosh"}, dim=16, trials=2, rng=0)
    assert [row.memory for row in named.rows] == ["mine"]
    refused(lambda: ha.experiments.compare_random(memories=["log_cash"], rng=0), "memories", "'log_cash'", "'log_cosh'")


def test_a_file_of_a_memory_names_a_registered_part_and_imports_none(own, monkeypatch):
    ha.Memory(PATTERNS, separation="log_cosh", beta=0.5, similarity="near", activation="softsign").save("own.npz")
    found = ha.load("own.npz")
    assert [found.separation, found.similarity, found.activation] == [own.LogCosh(beta=0.5), own.Near(), own.Softsign()]
    arrays = dict(np.load("own.npz"))
    header = json.loads(str(arrays["header"]))
    header["separation"]["part"] = "elsewhere:LogCosh"
    np.savez("evil.npz", **{**arrays, "header": json.dumps(header)})
    Path("elsewhere.py").write_text("1 / 0")
    refused(lambda: ha.load("evil.npz"), "", "'elsewhere:LogCosh' is unknown", "needs ha.register first")

    @dataclass(frozen=True)
    class Unknown(own.LogCosh):
        pass

    unknown = ha.Memory(PATTERNS, separation=Unknown())
    refused(lambda: unknown.save("own.npz"), "", "is not in a registry", "call ha.register(Unknown) first")


def test_a_scenario_takes_a_registered_name_and_a_change_takes_a_path(own):
    named = ("mymodule:LogCosh", "log_cosh", {"name": "mymodule:LogCosh"}, {"name": "log_cosh"})
    changes = [{"separation": name} for name in named] + [{"layer.head.separation": "mymodule:LogCosh"}]
    arrays = [ha.run(BANK, overrides=one).runs[0].arrays["layer 1 head 1 weights"].values for one in changes]
    assert all(np.array_equal(array, arrays[0]) for array in arrays)
    assert ha.run(parsed(BANK.text.replace('"identity"', '"log_cosh"'))).runs


def test_a_table_gives_the_parameters_of_a_class_that_is_registered_after_the_files_are_known():
    @ha.register
    @dataclass(frozen=True)
    class Steep(ha.Separation):
        gain: float = 1.0
        convex: ClassVar[bool] = True

        def potential(self, scores, where=None):
            return self.gain * self.beta * (scores**2).sum(-1) / 2

        def weights(self, scores, where=None):
            return self.gain * self.beta * scores

    def weights(gain):
        run = ha.run(BANK, overrides={"separation": {"name": "steep", "gain": gain}}).runs[0]
        return run.arrays["layer 1 head 1 weights"].values

    np.testing.assert_allclose(weights(2.0), 2 * weights(1.0))
    refused(lambda: ha.run(BANK, overrides={"separation": {"name": "steep", "gian": 1.0}}), "", "gian")
    for wrong, word in ((5, "got 5"), ({"gain": 1.0}, "name"), ("no_name", "'no_name'")):
        refused(lambda wrong=wrong: ha.run(BANK, overrides={"separation": wrong}), "--set separation", word)


PATH = '"elsewhere:LogCosh"'
BY_VARIANT = f'[[variant]]\nname = "own"\nset = {{ separation = {PATH} }}\n[[expect]]'
BY_SWEEP = '[sweep]\nover = { separation = "softmax,elsewhere:LogCosh" }\n[[expect]]'


@pytest.mark.parametrize("new", [f"separation = {PATH}", f"separation = {{name = {PATH}}}", BY_VARIANT, BY_SWEEP])
def test_a_scenario_file_imports_nothing(new):
    Path("elsewhere.py").write_text("raise SystemExit('imported')")
    old = "[[expect]]" if "[[expect]]" in new else 'separation = "identity"'
    told = " ".join(problems(BANK.text.replace(old, new, 1)))
    assert ("elsewhere" in told or "imports nothing" in told) and "elsewhere" not in sys.modules


@pytest.mark.parametrize("workers", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_sweeps_take_them_on_processes_that_have_not_seen_them(workers, own):
    over = {"separation": ["softmax", "log_cosh", "mymodule:LogCosh"]}
    entry = "layer 1 head 1 weights[banks, financial]"
    numbers = ha.experiments.sweep_scenario(BANK, over, workers=workers, measures=[entry]).mean(entry)
    assert numbers[1] == numbers[2] != numbers[0]
    few = {"overrides": {"separation": "log_cosh"}, "workers": workers, "measures": [entry]}
    assert numbers[1] == ha.experiments.sweep_scenario(BANK, {"beta": [1, 2]}, **few).mean(entry)[0]
    assert "part" in [one.update for one in certify_all(["modern"], 20, processes=workers)]


@pytest.mark.slow
def test_figures_and_tables_show_them(own):
    memory = ha.Memory(PATTERNS[:, :2], separation="log_cosh", similarity="near", beta=0.3)
    density = ha.Memory(PATTERNS[:, :2], similarity="near").recall(PATTERNS[:2, :2])
    axes = memory.recall(PATTERNS[:2, :2]).plot(), density.plot(), density.plot("recall")
    assert all(one is not None for one in axes)
    assert "LogCosh" in ha.html(memory) or "log_cosh" in ha.html(memory)


def test_the_commands_of_the_page_run():
    (commands,) = re.findall(r"```sh\n.*?```", PAGE, re.DOTALL)
    assert commands.count("mymodule:LogCosh") == 4
    examples.run(commands, "own-parts.md")


def test_a_command_that_names_no_class_ends_as_any_wrong_one(hopattn):
    code, out, err = hopattn("run", "bank", "--set", "separation=mymodule:LogCsh")
    assert (code, out) == (2, "") and "did you mean 'LogCosh'" in err
