"""`hopattn compare` on files of heads, files of patterns and scenarios: the rows of `ha.compare` on the same numbers.

And what a comparison costs is told from the sizes alone, before a number is read or drawn.
"""

import json
import os
import struct
import tracemalloc

import numpy as np
import pytest
from safetensors.numpy import save_file

import hopattn as ha
from tests.texts import GOOD

RNG = np.random.default_rng(8)
FEW = ("--models", "modern,linear", "--set", "max_steps=9")


@pytest.fixture
def rows(hopattn):
    """The rows of `hopattn compare`, and what it says of its subject."""

    def of(*arguments):
        code, out, err = hopattn("compare", *arguments, "--json")
        assert code == 0, err
        return (told := json.loads(out))["rows"], told["about"]

    return of


def heads(*shape, keys=None, n=5):
    """Queries, keys and values of heads of dim 4; values have 3 numbers."""
    own = {"q": RNG.normal(size=(*shape, n, 4)), "k": RNG.normal(size=(*(keys or shape), n, 4))}
    return {**own, "v": RNG.normal(size=(*(keys or shape), n, 3))}


def assert_same(rows, where, keys, cues, values, **more):
    """Rows of one place are those of `ha.compare`."""
    more = {"memories": ["modern", "linear"], "max_steps": 9, "rng": 0, **more}
    own = json.loads(ha.compare(keys, cues, values, **more).to_json())["rows"]
    assert [{**row, "named": []} for row in rows if row["where"] == where] == [{**row, "where": where} for row in own]


@pytest.mark.parametrize("shape", [(), (3,), (2, 3)])
@pytest.mark.parametrize("names", [("q", "k", "v"), ("Query", "Key", "Value"), ("queries", "K", "values")])
def test_heads_of_any_shape_and_spelling_are_asked_one_by_one(rows, tmp_path, shape, names):
    arrays = heads(*shape)
    np.savez(tmp_path / "a.npz", **dict(zip(names, arrays.values(), strict=True)))
    save_file(dict(zip(names, arrays.values(), strict=True)), tmp_path / "a.safetensors")
    for file in ("a.npz", "a.safetensors"):
        told, about = rows(file, *FEW)
        places = [*np.ndindex(shape)]
        assert len(told) == 2 * len(places) and about == f"{len(places)} head{'s' * (len(places) > 1)} of {file}"
        for place in places:
            where = " ".join(f"{kind} {i + 1}" for kind, i in zip(("text", "head")[-len(shape) :], place, strict=False))
            q, k, v = (array[place] for array in arrays.values())
            assert_same(told, where, k, q, v, beta=0.5)  # that of attention, 1/√4


def test_grouped_heads_share_their_keys_and_causal_masks_hide_what_follows(rows, tmp_path, torch):
    arrays = heads(4, keys=(2,), n=6)
    np.savez(tmp_path / "a.npz", **arrays)
    told, _ = rows("a.npz", "--mask", "causal", *FEW)
    q, k, v = (torch.tensor(array)[None] for array in arrays.values())
    referee = torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=True)[0].numpy()
    for i in range(4):
        keys, values = arrays["k"][i // 2], arrays["v"][i // 2]
        assert_same(told, f"head {i + 1}", keys, arrays["q"][i], values, beta=0.5, mask="causal")
        own = ha.attention(arrays["q"][i], keys, values, mask=ha.causal.array(6))
        np.testing.assert_allclose(own, referee[i], atol=1e-12)


def test_patterns_come_from_arrays_tables_and_pictures(rows, tmp_path):
    patterns = np.sign(RNG.normal(size=(3, 12)))
    np.save(tmp_path / "a.npy", patterns)
    np.savez(tmp_path / "a.npz", other=np.ones(2), Patterns=patterns)
    np.savez(tmp_path / "one.npz", anything=patterns.reshape(3, 2, 6))
    np.savez(tmp_path / "two.npz", one=patterns, other=np.ones(2))
    save_file({"x": patterns.astype(np.float32)}, tmp_path / "a.safetensors")
    (tmp_path / "a.csv").write_text("\n".join(",".join(map(str, row)) for row in patterns))
    more = {"memories": ["modern", "linear"], "max_steps": 9, "trials": 3, "noise": 0.3, "rng": 0}
    expected = json.loads(ha.experiments.compare_patterns(patterns, **more).to_json())["rows"]
    assert expected[0]["n_cues"] == 9
    for name in ("a.npy", "a.npz", "one.npz", "a.safetensors", "a.csv", "two.npz --array one"):
        told, about = rows(*name.split(), *FEW, "--trials", "3", "--set", "noise=0.3")
        assert told == expected and about == "3 patterns of dim 12, 4 of the entries reversed, 3 draws", name


@pytest.mark.parametrize("name", ["bank", "multi-head", "rope", "induction"])
def test_a_scenario_of_attention_asks_what_its_heads_asked(rows, name):
    told, about = rows(name, *FEW)
    runs, wheres, left_out = ha.run(ha.load(name)).runs, [], 0
    for one in runs:
        places = [key.removesuffix(" queries") for key in one.arrays if key.endswith(" queries")]
        for place in places:
            run = one.name or ("as written" if len(runs) > 1 else "")
            wheres.append(": ".join(filter(None, [run, place if len(places) > 1 else ""])))
            cues, keys, values, mask = (
                one.arrays[f"{place} {part}"].values for part in ("queries", "keys", "values", "mask")
            )
            seen = mask.astype(bool).any(axis=1)
            left_out += int((~seen).sum())
            beta = next(row["beta"] for row in told if row["where"] == wheres[-1])
            assert_same(told, wheres[-1], keys, cues[seen], values, beta=beta, mask=mask[seen].astype(bool))
    assert [row["where"] for row in told[::2]] == wheres
    assert about.startswith(f"scenario {name}: {ha.load(name).spec.title}")
    assert (f"; {left_out} cue" in about) == (left_out > 0)


# Of an identity β only scales the weights: the default stands, √35 / 35 of 35 pixels and 1/√8 for 8 neurons.
@pytest.mark.parametrize(
    ("name", "beta"), [("letters", 35**-0.5), ("lost-pattern", 8**-0.5), ("modern", 0.5), ("spherical", 30.0)]
)
def test_a_scenario_of_memory_asks_with_its_cues_and_knows_whose_they_are(rows, name, beta):
    (told, *_), _ = rows(name, "--models", "modern")
    arrays, spec = ha.run(ha.load(name)).arrays, ha.load(name).spec
    labels, cues = arrays["patterns"].labels[0], arrays["input"].labels[0]
    of = [spec.cue[cue].of if cue in spec.cue else cue for cue in cues]
    assert name != "letters" or (cues, of) == (("half of R", "torn X", "white S"), ["R", "X", "S"])
    own = {"rng": 0, "beta": told["beta"], "targets": [labels.index(one) if one in labels else -1 for one in of]}
    keys, asked = arrays["patterns"].values, arrays["input"].values
    (same,) = json.loads(ha.compare(keys, asked, memories="modern", **own).to_json())["rows"]
    assert [one["cue"] for one in told["named"]] == [*cues]
    assert told == {**same, "where": told["where"], "named": told["named"]}
    assert told["beta"] == pytest.approx(beta)


def test_the_answer_of_each_word_is_named_and_a_tie_is_a_tie(rows, hopattn, tmp_path):
    # Two unit keys a right angle apart, β = 1: from any cue the softmax ends between them (tanh(d/2) = d has only 0),
    # where both cosines are √½; a word that sees one other only comes to it; linear scores of 0 come to nothing.
    told, _ = rows("bank", "--models", "modern,linear,nearest")
    named = {row["memory"]: {one["cue"]: one for one in row["named"]} for row in told[:3]}
    shown = [
        ("modern", "markets", "in = financial", 0.5**0.5),
        ("modern", "financial", "in", 1.0),
        ("linear", "financial", "nothing", 0.0),
        ("nearest", "banks", "financial", 1.0),
    ]
    for memory, cue, key, cosine in shown:
        assert named[memory][cue]["nearest"] == key and named[memory][cue]["cosine"] == pytest.approx(cosine, abs=1e-9)
    assert [*named["linear"]] == ["financial", "markets", "banks"]
    hopattn("compare", "bank", "--out", "a.csv")
    assert "financial: in; markets: in = financial; banks: financial" in (tmp_path / "a.csv").read_text()


@pytest.mark.parametrize("name", ha.separations)
def test_a_separation_is_tempered_exactly_if_beta_changes_the_ratios_of_its_weights(name):
    scores = np.array([[0.1, 0.6, 1.3], [-0.4, 2.0, 0.9]])
    more = {"rectified_power": {"n": 3}, "power": {"n": 4}, "threshold": {"t": 1.0}, "k_subsets": {"k": 2}}
    soft, sharp = (ha.separations[name](beta=beta, **more.get(name, {})).weights(scores) for beta in (0.5, 4.0))
    ratio = (soft * sharp).sum() / (soft * soft).sum()  # the factor that brings them nearest, by least squares
    assert ha.separations[name].tempered == (not np.allclose(sharp, ratio * soft, rtol=1e-9)), (soft, sharp)


@pytest.mark.parametrize(
    ("separation", "beta"),
    [
        *(('"softmax"', 4.0), ('"sparsemax"', 4.0), ('"exponential"', 4.0), ('"identity"', 1.0), ('"argmax"', 1.0)),
        *(('{ name = "k_subsets", k = 2 }', 4.0), ('{ name = "entmax", alpha = 1.5 }', 4.0)),
    ],
)
def test_a_head_is_compared_at_its_own_beta_unless_that_only_scales_its_weights(rows, tmp_path, separation, beta):
    (tmp_path / "head.toml").write_text(GOOD.replace('"softmax"', f"{separation}\nbeta = 4"))
    assert [row["beta"] for row in rows("head.toml", "--models", "sparse")[0]] == [beta]


@pytest.fixture
def a_machine_of(monkeypatch):
    """A machine with so many bytes of memory."""
    return lambda size: monkeypatch.setattr(os, "sysconf", {"SC_PAGE_SIZE": 1, "SC_PHYS_PAGES": size}.get)


def sparse(file, **shapes):
    """A `.safetensors` of arrays of int8, whose numbers are a hole in the file."""
    header, end = {}, 0
    for name, shape in shapes.items():
        start, end = end, end + int(np.prod(shape))
        header[name] = {"dtype": "I8", "shape": list(shape), "data_offsets": [start, end]}
    text = json.dumps(header).encode()
    with file.open("wb") as stream:
        stream.write(struct.pack("<Q", len(text)) + text)
        stream.truncate(8 + len(text) + end)


WIDE, PAIRS, TOGETHER = {"patterns": (2**23, 1)}, {"patterns": (300, 64)}, ("q", "k", "v")
HEADS = dict(zip(TOGETHER, ((2, 2000, 4), (2, 10**6, 4), (2, 10**6, 4)), strict=True))


@pytest.mark.parametrize(
    ("shapes", "arguments", "message"),
    [
        # 120 (.01 + 2^23 · 100 (230e-9 + 18e-9)) s = 6.9 h; 6 · 2^23 · 100 + 3 · 2^24 … numbers are 37.9 GiB
        (WIDE, (), "8,388,608 keys × 100 cues of dim 1 × 120 recalls would take about 7 hours and 37.9 GiB; take"),
        # 40 times as long, since a grid has two points and a comparison one memory and 20 trials each
        (WIDE, ("--models", "linear", "--over", "beta=1,2"), "of dim 1 × 40 recalls would take about 2 hours and"),
        # .01 + 2·10⁹ (230e-9 + 4 · 18e-9) s = 10.07 min for each of the two heads
        (
            HEADS,
            ("--models", "nearest"),
            "1,000,000 keys × 2,000 cues of dim 4, the largest of 2 problems, × 1 recall would",
        ),
        (HEADS, ("--models", "nearest"), "would take about 20 minutes and 89.8 GiB; take fewer rows"),
        # 120 (.01 + 20 000 · 100 (230e-9 + 2000 · 18e-9)) s = 2.4 h
        (
            None,
            ("--set", "dim=2000", "--set", "n_patterns=20000"),
            "20,000 keys × 100 cues of dim 2,000 × 120 recalls would take",
        ),
        (
            None,
            ("--set", "dim=2000", "--set", "n_patterns=20000"),
            "would take about 2 hours and 7.0 GiB; take fewer rows, tri",
        ),
    ],
)
def test_a_long_comparison_is_refused_before_a_number_is_read(
    hopattn, tmp_path, a_machine_of, shapes, arguments, message
):
    a_machine_of(2**40)
    if shapes:
        sparse(tmp_path / "wide.safetensors", **shapes)
    tracemalloc.start()
    code, out, err = hopattn("compare", *["wide.safetensors"] * bool(shapes), *arguments)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert (code, out) == (2, "") and "compare: " in err and message in err and "begin it with --anyway" in err
    assert peak < 2**23, "the numbers, at least 8 MiB, were read or drawn"


def test_an_array_of_gigabytes_is_refused_by_its_header(hopattn, tmp_path):
    sparse(tmp_path / "huge.safetensors", patterns=(2**27, 64))
    assert (tmp_path / "huge.safetensors").stat().st_size > 8 * 10**9
    said = "'huge.safetensors': 'patterns' holds 8,589,934,592 numbers; at most 8,388,608 can be read\n"
    assert hopattn("compare", "huge.safetensors") == (2, "", said)
    sparse(tmp_path / "far.safetensors", q=(2, 4, 4), k=(2, 4, 4), v=(2**30, 4))
    assert "'v' holds 4,294,967,296 numbers" in hopattn("compare", "far.safetensors")[2]


def test_what_no_memory_has_room_for_is_refused_whatever_is_said(hopattn, tmp_path, a_machine_of):
    sparse(tmp_path / "heads.safetensors", q=(10_000, 1), k=(100_000, 1), v=(100_000, 1))
    for bytes_, anyway, gib in ((2**34, (), "45.1 GiB"), (2**33, ("--anyway",), "14.9 GiB")):
        a_machine_of(bytes_)
        err = hopattn("compare", "heads.safetensors", "--models", "linear", *anyway)[2]
        assert f"compare: 100,000 keys × 10,000 cues of dim 1 would take {gib}; this machine has" in err
    a_machine_of(2**30)
    with pytest.raises(ha.InvalidInput, match=r"compare: 20,000 keys × 20,000 cues of dim 1 would take 6\.0 GiB"):
        ha.compare(np.ones((20_000, 1)), np.ones((20_000, 1)), rng=0)


def test_a_long_comparison_is_announced_and_begun_if_it_is_wanted(hopattn):
    # Its memory cannot take part, so that it is over at once: 2,001 recalls of .01 s, and ten for each of 16 points.
    few = ("compare", "--set", "patterns=unit", "--set", "dim=2", "--models", "hopfield", "--trials")
    assert hopattn(*few, "99")[2].splitlines() == []
    assert hopattn(*few, "2001")[2].splitlines() == ["compare: 2,001 recalls take about 20 seconds"]
    # 16 recalls of .01 + 9,000 · 100 (230e-9 + 3000 · 18e-9) s = 13 min
    long = (*few[:4], "dim=3000", "--set", "n_patterns=9000", *few[5:], "16", "--anyway")
    assert "would take about 13 minutes and" in hopattn(*long[:-1])[2]


@pytest.mark.slow
def test_a_comparison_by_distance_does_not_hold_all_differences():
    keys = np.sign(np.random.default_rng(0).normal(size=(600, 128)))
    tracemalloc.start()
    (row,) = ha.compare(keys, keys[:480], targets=np.arange(480), memories="nearest", max_steps=2, rng=0).rows
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert row.recalled == row.effective_keys == 1.0
    assert peak < 2 * 8 * 480 * 600 * 128, "all differences, and two arrays as large, at once"
