"""The interactive page, without a browser: its bytes, its policy, its state from scenarios, its command."""

import base64
import hashlib
import html
import json
import re
import webbrowser
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest
import scipy.stats
from scipy.special import softmax

import hopattn as ha
from benchmarks.explorer import scenario_of
from hopattn.foundation.errors import InvalidInput
from hopattn.foundation.sentences import sentences
from hopattn.learning import rules
from hopattn.retrieval.activation import activations
from hopattn.retrieval.masks import mask_rules
from hopattn.retrieval.separation import separations
from hopattn.retrieval.similarity import similarities
from hopattn.scenario.loading import parse
from hopattn.views.explorer.controls import controls, part
from hopattn.views.explorer.page import MATHS, MOST_BYTES, PAGE, phrases
from hopattn.views.explorer.start import DEFAULTS, started
from hopattn.views.explorer.weights_start import measures

EXPLORABLE = {"bank": "attention", "apple": "attention", "landscape": "energy", "modern": "energy"} | {
    "letters": "spins",
    "basins": "spins",
    "induction": "induction",
    "induction-cures": "induction",
}


@pytest.fixture(scope="module")
def bank():
    return ha.explore("bank")


def start_of(page):
    data = re.search(r'<script type="application/json" id="start">(.*?)</script>', page.html, re.DOTALL)[1]
    return json.loads(data)


def test_equal_scenarios_give_equal_bytes_below_the_limit(bank):
    assert ha.explore(ha.load("bank")).html == bank.html
    assert len(bank.html.encode()) < MOST_BYTES


def test_the_policy_allows_only_the_own_script_and_style(bank):
    policy = html.unescape(re.search(r'Content-Security-Policy" content="([^"]*)"', bank.html)[1])
    for tag, directive in (("script", "script-src"), ("style", "style-src")):
        (text,) = re.findall(rf"<{tag}>(.*?)</{tag}>", bank.html, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"{directive} 'sha256-{digest}';" in policy
    assert policy.startswith("default-src 'none';")
    assert "unsafe" not in policy
    assert "http" not in policy


def test_the_page_names_no_address_but_that_of_svg(bank):
    assert set(re.findall(r"\w+://[^\s\"'`)]+", bank.html)) == {"http://www.w3.org/2000/svg"}
    assert not re.search(r"\s(?:src|href)=", bank.html.split("<script")[0])


def test_no_script_writes_html():
    folder = files("hopattn.views.explorer").joinpath("parts")
    for path in folder.iterdir():
        assert not re.search(r"innerHTML|outerHTML|insertAdjacent|document\.write|\beval\b", path.read_text()), path


@pytest.mark.parametrize(
    ("table", "key", "registry"),
    [
        ("head", "separation", separations),
        ("head", "similarity", similarities),
        ("head", "mask", mask_rules),
        ("head", "activation", activations),
        ("energy", "separation", separations),
        ("spins", "rule", rules),
        ("induction", "separation", separations),
        ("induction", "mask", mask_rules),
    ],
)
def test_the_choices_of_the_controls_are_names_of_the_package(table, key, registry):
    assert set(controls()[table][key]["choices"]) <= set(registry)


@pytest.mark.parametrize(("name", "view"), EXPLORABLE.items())
def test_a_scenario_opens_in_its_view(name, view):
    data = start_of(ha.explore(name))
    assert data["first"] == view
    assert data["views"][view]["name"] == name
    others = {other: default for other, default in DEFAULTS.items() if other != view}
    assert {other: data["views"][other]["name"] for other in others} == others


@pytest.mark.parametrize("name", ["bank", "bank-softmax"])
def test_the_presets_are_the_runs_with_their_words_and_the_states_that_numpy_computes(name):
    start, runs = started(ha.load(name)), ha.run(ha.load(name)).runs
    assert len(start.presets) == len(runs)
    for preset, run in zip(start.presets, runs, strict=True):
        weights = run.arrays["layer 1 head 1 weights"]
        assert start.presets[preset]["tokens"] == list(weights.labels[1]) and preset
        last = [one for one in run.arrays if re.fullmatch(r"layer \d+ state", one)][-1]
        assert np.array_equal(start.expected[preset]["state"], run.arrays[last].values)


def test_a_variant_that_the_view_lacks_is_left_out_with_the_reason():
    page = ha.explore("letters")
    assert len(page.left_out) == 1
    assert re.match(
        r"variant 'ten letters, softmax' is left out: memory: .*'identity'.*; this one has 'softmax'", page.left_out[0]
    )


def test_a_large_text_fits_and_a_larger_one_is_refused():
    page = ha.explore(parse(scenario_of(64), "large.toml", "large"))
    assert len(page.html.encode()) < MOST_BYTES
    with pytest.raises(InvalidInput, match="axes: there are 65; the page takes at most 64"):
        ha.explore(parse(scenario_of(65), "large.toml", "large"))


def test_words_of_a_scenario_cannot_end_the_script():
    text = ha.load("bank").text.replace("financial", "</script><b>").replace("</script><b> =", '"</script><b>" =')
    page = ha.explore(parse(text.replace("</script><b>'", "x'"), "own.toml", "own"))
    assert "</script><b>" not in page.html
    assert start_of(page)["views"]["attention"]["presets"][0][1]["words"][1][0] == "</script><b>"


def test_every_sentence_of_the_page_has_a_german_form():
    said = [*controls()["terms"].values(), *phrases("\n".join(part(f"{name}.js") for name in (*MATHS, *PAGE)))]
    tables = [table for view, table in controls().items() if view not in ("terms", "sizes")]
    said += [control["label"] for table in tables for control in table.values()]
    said += [text for text in re.findall(r"{{(.+?)}}", part("page.html")) if not text.islower()]
    assert len(said) > 250 and {*said} - {*sentences("de")} == set()


def test_a_german_page_is_that_of_the_scenario_with_other_words(bank):
    page = ha.explore("bank", lang="de")
    assert '<html lang="de"' in page.html and ">Link kopieren<" in page.html and '<html lang="en"' in bank.html
    english, german = start_of(bank), start_of(page)
    assert english["language"] == {"forms": {}, "comma": False} and german["language"]["comma"]
    assert german["language"]["forms"]["head {} of {}"] == "Kopf {} von {}"
    assert (german["views"]["attention"], german["cases"]) == (english["views"]["attention"], english["cases"])
    with pytest.raises(InvalidInput, match="lang: 'dee' is unknown; did you mean 'de'"):
        ha.explore("bank", lang="dee")


def test_the_page_of_the_docs_is_up_to_date(bank):
    """Its reference values may differ in the last digit on another processor."""
    page = (Path(__file__).parents[2] / "docs/howto/explore.html").read_text(encoding="utf-8")
    kept, now = (re.sub(r'id="start">.*?</script>', "", text, flags=re.DOTALL) for text in (page, bank.html))
    assert kept == now, "make docs"
    shown = re.search(r'id="start">(.*?)</script>', page, re.DOTALL)[1]
    assert _approximate(json.loads(shown)) == start_of(bank), "make docs"


def _approximate(value):
    if isinstance(value, dict):
        return {key: _approximate(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_approximate(each) for each in value]
    return pytest.approx(value, rel=1e-11, abs=1e-11) if isinstance(value, float) else value


def test_a_notebook_shows_the_page_in_a_frame(bank):
    shown = re.fullmatch(r'<iframe srcdoc="([^"]*)" title="bank" style="[^"]*"></iframe>', bank._repr_html_())
    assert html.unescape(shown[1]) == bank.html
    assert repr(bank) == f"Explorer('bank', {len(bank.html.encode()):,} bytes)"


@pytest.fixture
def opened(monkeypatch):
    """The addresses that a browser was asked to open."""
    addresses = []
    monkeypatch.setattr(webbrowser, "open", lambda address: addresses.append(address) or True)
    return addresses


def test_the_command_writes_the_page_and_opens_it(hopattn, opened, tmp_path, bank):
    assert hopattn("explore") == (0, "", "bank-explorer.html\n")
    file = tmp_path / "bank-explorer.html"
    assert file.read_text(encoding="utf-8") == bank.html
    assert opened == [file.as_uri()]


def test_the_command_only_writes_where_it_is_asked_to(hopattn, opened, tmp_path):
    code, out, err = hopattn("explore", "letters", "--no-open", "--out", "deep/page.html")
    assert (code, out) == (0, "")
    assert err.startswith("deep/page.html\nvariant 'ten letters, softmax' is left out")
    assert (tmp_path / "deep/page.html").exists()
    assert opened == []


def test_the_command_says_where_no_browser_was_found(hopattn, monkeypatch):
    monkeypatch.setattr(webbrowser, "open", lambda address: False)
    assert hopattn("explore") == (0, "", "bank-explorer.html\nno browser was found; open the file yourself\n")


WORDS = ["the", "cat", "saw", "the", "cat"]


def random_weights(rng, *shape):
    return rng.dirichlet(np.ones(shape[-1]), shape[:-1])


@pytest.mark.parametrize("ending", [".npy", ".npz", ".csv"])
def test_given_weights_are_on_the_page_from_an_array_and_from_a_file(tmp_path, ending):
    weights = random_weights(np.random.default_rng(0), 5, 5)
    file = tmp_path / f"mine{ending}"
    saved = {".npy": np.save, ".npz": lambda path, one: np.savez(path, other=[0], weights=one, tokens=WORDS)}
    saved.get(ending, lambda path, one: np.savetxt(path, one, delimiter=","))(file, weights)
    page = ha.explore(file, tokens=None if ending == ".npz" else WORDS)
    data = start_of(page)
    assert (page.name, data["first"], [*data["views"]]) == ("mine", "weights", ["weights"])
    view = data["views"]["weights"]
    assert (view["queries"], view["keys"], view["names"]) == (WORDS, WORDS, ["head 1"])
    assert view["heads"][0] == pytest.approx(weights, rel=5e-4)
    assert start_of(ha.explore(weights, tokens=WORDS))["views"]["weights"]["heads"] == view["heads"]


def test_a_scenario_of_given_weights_opens_in_the_view_of_weights():
    page = ha.explore("causal-mask")
    data = start_of(page)
    view = data["views"]["weights"]
    assert ([*data["views"]], page.left_out, view["title"]) == (["weights"], (), ha.load("causal-mask").spec.title)
    assert view["names"] == ["layer 1 head 1", "causal: layer 1 head 1"]
    assert view["heads"] == [
        [[0.91, 0.04, 0.05], [0.03, 0.74, 0.23], [0.01, 0.41, 0.58]],
        [[1, None, None], [0.03896, 0.961, None], [0.01, 0.41, 0.58]],
    ]


def test_a_variant_of_given_weights_with_other_words_is_left_out():
    text = ha.load("causal-mask").text.replace(
        'set = { "layer.head.mask" = "causal" }',
        'set = { "input.tokens" = ["the", "brown"], "layer.head.weights" = [[1, 0], [0.5, 0.5]] }',
    )
    page = ha.explore(parse(text[: text.index("[[expect]]")], "own.toml", "own"))
    assert page.left_out == ("variant 'causal' is left out: its words are others",)
    assert start_of(page)["views"]["weights"]["names"] == ["layer 1 head 1"]


def test_a_file_of_queries_and_keys_gives_softmax_attention(hopattn, tmp_path):
    q, k, v = np.random.default_rng(1).normal(size=(3, 2, 5, 4))
    np.savez(tmp_path / "heads.npz", q=q, k=k, v=v)
    line = ("explore", "heads.npz", "--mask", "causal", "--tokens", "a,b,c,d,e", "--no-open")
    assert hopattn(*line) == (0, "", "heads-explorer.html\n")
    view = start_of(ha.explore("heads.npz", mask="causal", tokens=list("abcde")))["views"]["weights"]
    scores = np.where(np.tri(5, dtype=bool), q @ k.swapaxes(1, 2) / 2, -np.inf)
    for head, expected in zip(view["heads"], softmax(scores, axis=-1), strict=True):
        assert [[p is None for p in row] for row in head] == (np.tri(5) == 0).tolist()
        assert np.array([[p or 0 for p in row] for row in head]) == pytest.approx(expected, rel=5e-4)


def test_the_averages_of_given_weights_are_those_of_scipy_and_of_the_scores_of_heads():
    weights = random_weights(np.random.default_rng(2), 3, 5, 5)
    for head, (spread, first, before, itself) in zip(weights, measures(weights), strict=True):
        assert spread == pytest.approx(scipy.stats.entropy(head, axis=1).mean())
        assert before == pytest.approx(ha.circuits.head_scores(head, WORDS)["previous token"])
        assert (first, itself) == pytest.approx((head[:, 0].mean(), np.trace(head) / 5))
    assert measures([np.array([[1.0, 0.0, 1.0]])]) == [[pytest.approx(np.log(2)), 1.0]]
