"""The sources of problems: files of heads, files of patterns, scenarios; and refusals of wrong ones."""

import numpy as np
import pytest
from safetensors.numpy import save_file

import hopattn as ha
from hopattn.experiments.comparison.compare import compare_problems
from hopattn.experiments.comparison.from_files import heads_of, holds_heads, patterns_of
from hopattn.experiments.comparison.from_scenario import problems_of
from hopattn.experiments.comparison.options import compared
from hopattn.foundation.errors import InvalidInput
from hopattn.scenario.loading import parse
from tests.each import each

RNG = np.random.default_rng(8)


def heads(*shape, dim=4, out=3):
    return {
        "q": RNG.normal(size=(*shape, dim)),
        "k": RNG.normal(size=(*shape, dim)),
        "v": RNG.normal(size=(*shape, out)),
    }


@pytest.mark.parametrize("shape", [(5,), (3, 5), (2, 3, 5)])
@pytest.mark.parametrize("spelling", [("q", "k", "v"), ("Query", "Key", "Value"), ("queries", "K", "values")])
def test_heads_of_any_shape_and_spelling_are_asked_one_by_one(tmp_path, shape, spelling):
    arrays = heads(*shape)
    np.savez(tmp_path / "a.npz", **dict(zip(spelling, arrays.values(), strict=True)))
    save_file(dict(zip(spelling, arrays.values(), strict=True)), tmp_path / "a.safetensors")
    flat = {name: array.reshape(-1, *array.shape[-2:]) for name, array in arrays.items()}
    for file in (tmp_path / "a.npz", tmp_path / "a.safetensors"):
        assert holds_heads(file)
        found = heads_of(file)
        assert len(found) == len(flat["q"])
        for i, problem in enumerate(found):
            assert np.array_equal(problem.cues, flat["q"][i])
            assert np.array_equal(problem.keys, flat["k"][i])
            assert np.array_equal(problem.values, flat["v"][i])
    assert found[-1].where == {1: "", 2: "head 3", 3: "text 2 head 3"}[len(shape)]


def test_grouped_heads_share_their_keys_and_causal_masks_hide_what_follows(tmp_path):
    arrays = {"q": RNG.normal(size=(4, 6, 2)), "k": RNG.normal(size=(2, 6, 2)), "v": RNG.normal(size=(2, 6, 2))}
    np.savez(tmp_path / "a.npz", **arrays)
    found = heads_of(tmp_path / "a.npz", "causal")
    for i, problem in enumerate(found):
        assert np.array_equal(problem.keys, arrays["k"][i // 2])
        assert np.array_equal(problem.mask, np.tri(6, dtype=bool))


def test_pytorchs_grouped_attention_is_the_first_step_of_each_head(tmp_path, torch):
    arrays = {"q": RNG.normal(size=(4, 6, 2)), "k": RNG.normal(size=(2, 6, 2)), "v": RNG.normal(size=(2, 6, 3))}
    np.savez(tmp_path / "a.npz", **arrays)
    q, k, v = (torch.tensor(array)[None] for array in arrays.values())
    referee = torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=True)[0].numpy()
    for i, one in enumerate(heads_of(tmp_path / "a.npz", "causal")):
        found = ha.attention(one.cues, one.keys, one.values, mask=one.mask)
        np.testing.assert_allclose(found, referee[i], atol=1e-12)


@each(
    ("arrays", "message"),
    [
        ({"q": np.ones((3, 2)), "k": np.ones((3, 2))}, "has no array called v or value or values; it holds q, k"),
        (
            {"q": np.ones((3, 2)), "Q": np.ones((3, 2)), "k": np.ones((3, 2)), "v": np.ones((3, 2))},
            "has 2 arrays called q",
        ),
        ({"q": np.ones((3, 2)), "k": np.ones((3, 4)), "v": np.ones((3, 2))}, "cues: dim 2 does not fit keys of dim 4"),
        ({"q": np.ones((3, 2)), "k": np.ones((3, 2)), "v": np.ones((4, 2))}, "values: 4 rows do not fit 3 keys"),
        (
            {"q": np.ones((2, 3, 2)), "k": np.ones((3, 3, 2)), "v": np.ones((3, 3, 2))},
            "the heads do not fit together",
        ),
        ({"q": np.ones(3), "k": np.ones((3, 2)), "v": np.ones((3, 2))}, r"queries: shape \(3,\); expected"),
        ({"q": np.full((3, 2), np.nan), "k": np.ones((3, 2)), "v": np.ones((3, 2))}, "nan is at 1, 1"),
        ({"q": np.array([["a"]]), "k": np.ones((3, 2)), "v": np.ones((3, 2))}, "expected real numbers"),
        ({"q": np.ones((1,) * 5), "k": np.ones((3, 2)), "v": np.ones((3, 2))}, "holds an array of shape"),
    ],
)
def test_heads_that_do_not_fit_are_refused(tmp_path, arrays, message):
    np.savez(tmp_path / "a.npz", **arrays)
    with pytest.raises(InvalidInput, match=message):
        heads_of(tmp_path / "a.npz")


def test_more_queries_than_keys_have_no_causal_mask(tmp_path):
    np.savez(tmp_path / "a.npz", q=np.ones((3, 2)), k=np.ones((2, 2)), v=np.ones((2, 2)))
    with pytest.raises(InvalidInput, match="mask: 3 queries are more than 2 keys"):
        heads_of(tmp_path / "a.npz", "causal")
    with pytest.raises(InvalidInput, match="mask: 'casual' is unknown; did you mean 'causal'"):
        heads_of(tmp_path / "a.npz", "casual")


def test_patterns_come_from_arrays_tables_and_pictures(tmp_path):
    patterns = np.arange(12.0).reshape(3, 4)
    np.save(tmp_path / "a.npy", patterns)
    np.savez(tmp_path / "a.npz", other=np.ones(2), patterns=patterns)
    np.savez(tmp_path / "one.npz", anything=patterns.reshape(3, 2, 2))
    save_file({"x": patterns.astype(np.float32)}, tmp_path / "a.safetensors")
    (tmp_path / "a.csv").write_text("\n".join(",".join(map(str, row)) for row in patterns))
    for name in ("a.npy", "a.npz", "one.npz", "a.safetensors", "a.csv"):
        assert not holds_heads(tmp_path / name)
        assert np.array_equal(patterns_of(tmp_path / name), patterns), name


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        (
            {"a": np.ones((2, 2)), "b": np.ones((2, 2))},
            "'x.npz' holds a, b; expected q, k and v of heads, or one array",
        ),
        ({"a": np.ones(3)}, "expected patterns, one a row"),
    ],
)
def test_what_holds_no_patterns_is_refused(tmp_path, arrays, message):
    np.savez(tmp_path / "x.npz", **arrays)
    with pytest.raises(InvalidInput, match=message):
        patterns_of(tmp_path / "x.npz")


@pytest.mark.parametrize("name", ["x.npz", "x.safetensors", "x.npy", "x.csv"])
def test_truncated_files_are_refused(tmp_path, name):
    (tmp_path / name).write_bytes(b"\x93torn")
    with pytest.raises(InvalidInput, match=r"truncated|UTF-8"):
        patterns_of(tmp_path / name)
    (tmp_path / name).unlink()
    with pytest.raises(InvalidInput, match="there is no file"):
        patterns_of(tmp_path / name)


def test_a_scenario_of_attention_asks_what_its_heads_asked():
    problems = problems_of(ha.load("bank"))
    arrays = ha.run(ha.load("bank")).arrays
    assert [(one.where, one.own_beta) for one in problems] == [("as written", 1.0), ("river", 1.0)]
    one = problems[0]
    assert one.left_out == 1  # the first word has no word before it
    assert np.array_equal(one.cues, arrays["layer 1 head 1 queries"].values[1:])
    assert np.array_equal(one.mask, np.tri(4, k=-1, dtype=bool)[1:])
    assert one.autoassociative


def test_a_scenario_of_memory_asks_with_its_cues_and_knows_whose_they_are():
    (one, *_) = problems_of(ha.load("modern"))
    spec = ha.load("modern").spec
    stored = [spec.vocabulary.vectors[word] for word in spec.memory.patterns]
    assert np.array_equal(one.keys, stored)
    assert one.own_beta == 0.5
    letters = problems_of(ha.load("letters"))[0]
    scenario = ha.load("letters").spec
    made_of = [scenario.cue[name].of if name in scenario.cue else name for name in scenario.tokens]
    assert [scenario.memory.patterns[i] for i in letters.targets if i >= 0] == [
        word for word in made_of if word in scenario.memory.patterns
    ]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("similarity", "the kind 'cue' has no keys; expected attention or memory"),
        ("softmax-table", "no head has scores"),
    ],
)
def test_a_scenario_without_keys_is_refused(name, message):
    with pytest.raises(InvalidInput, match=message):
        problems_of(ha.load(name))


def test_the_answer_of_each_word_is_named_and_a_tie_is_a_tie():
    # Two unit keys a right angle apart, β = 1: from any cue the softmax ends between them (tanh(d/2) = d has only 0),
    # where both cosines are √½; a word that sees one other only comes to it; linear scores of 0 come to nothing.
    problems = problems_of(ha.load("bank"))
    found = compare_problems(problems[:1], "bank", {"memories": ["modern", "linear", "nearest"]})
    named = {row.memory: {cue: (key, cosine) for cue, key, cosine in row.named} for row in found.rows}
    assert named["modern"]["markets"] == ("in = financial", pytest.approx(0.5**0.5, abs=1e-9))
    assert named["modern"]["financial"] == ("in", pytest.approx(1.0))
    assert named["linear"]["financial"] == ("nothing", 0.0)
    assert named["nearest"]["banks"] == ("financial", pytest.approx(1.0))
    assert {one["cue"] for one in found.table()[0]["named"]} == {"financial", "markets", "banks"}
    assert "markets: in = financial" in found.to_csv()


PARAMETERS = {"rectified_power": {"n": 3}, "power": {"n": 4}, "threshold": {"t": 1.0}, "k_subsets": {"k": 2}}
"""Parameters for which β has an effect if it has one at all: a threshold of 0 has none."""


@pytest.mark.parametrize("name", ha.separations)
def test_a_separation_is_tempered_exactly_if_beta_changes_the_ratios_of_its_weights(name):
    scores = np.array([[0.1, 0.6, 1.3], [-0.4, 2.0, 0.9]])
    make, parameters = ha.separations[name], PARAMETERS.get(name, {})
    soft, sharp = (make(beta=beta, **parameters).weights(scores) for beta in (0.5, 4.0))
    ratio = (soft * sharp).sum() / (soft * soft).sum()  # the factor that brings them nearest, by least squares
    assert make.tempered == (not np.allclose(sharp, ratio * soft, rtol=1e-9)), (soft, sharp)


HEAD = """schema = 1
title = "t"
source = "ours"
kind = "attention"
[vocabulary]
axes = ["x", "y"]
magnitude = "free"
[vocabulary.words]
a = [1, 0]
b = [0, 2]
[input]
tokens = ["a", "b"]
[[layer]]
[[layer.head]]
"""


@pytest.mark.parametrize(
    ("separation", "beta"),
    [
        ('"softmax"', 4.0),
        ('"sparsemax"', 4.0),
        ('"exponential"', 4.0),
        ('{ name = "k_subsets", k = 2 }', 4.0),
        ('{ name = "entmax", alpha = 1.5 }', 4.0),
        ('"identity"', 1.0),
        ('"argmax"', 1.0),
    ],
)
def test_a_head_is_compared_at_its_own_beta_unless_that_only_scales_its_weights(separation, beta):
    (one,) = problems_of(parse(f"{HEAD}separation = {separation}\nbeta = 4\n", "t.toml", "t"))
    assert one.own_beta == beta


def test_the_rows_of_a_sparsemax_head_are_at_its_beta(tmp_path):
    file = tmp_path / "head.toml"
    file.write_text(f'{HEAD}separation = "sparsemax"\nbeta = 4\n')
    assert {row.point["beta"] for row in compared(str(file), {}).rows} == {4.0}
