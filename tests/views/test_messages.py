"""What the interactive page, a handout and a notebook cannot show is refused with the reason and its place."""

import numpy as np
import pytest

import hopattn as ha
from hopattn.views.handout import handout
from tests.refusal import refused
from tests.texts import parsed


def changed(name, *replacements):
    """A shipped scenario with some texts of its file replaced."""
    text = ha.load(name).text
    for old, new in replacements:
        assert old in text, old
        text = text.replace(old, new)
    return parsed(text)


SOFTMAX = ('separation = "identity"', 'separation = "softmax"\nbeta = 5000')
FREE = ('separation = "softmax"', 'separation = "softmax"\nsink = 0')


@pytest.mark.parametrize(
    ("scenario", "place", "words"),
    [
        ("aaba", "", ["aaba.toml: cannot be explored: input.queries"]),
        ("one-head", "", ["the attention view has heads alone"]),
        ("alibi", "", ["no rotary positions, no bias"]),
        ("learned-positions", "", ["the induction head of two layers"]),
        ("bam", "", ["Bidirectional"]),
        ("dense", "", ["'identity'", "'rectified_power'"]),
        ("graded", "", ["neurons of −1 and 1"]),
        ("sort", "", ["sort.toml: cannot be explored: kind 'program'", "'attention' and 'memory'"]),
        (("bank", SOFTMAX), "", ["beta is 5000", "from 0.05 to 1000"]),
        (("bank-softmax", FREE), "", ["no sink"]),
        (np.zeros((1, 2, 3, 3, 3)), "weights: ", ["shape"]),
        ([[1, 2], [3]], "weights", []),
        (None, "weights", []),
        ([[float("nan")]], "weights: ", ["not a number"]),
        (np.eye(65), "weights: queries: ", ["65", "64"]),
        (np.random.default_rng(0).random((90, 64, 64)), "", ["more than 2,000 kB"]),
        ((np.eye(3), {"tokens": ["a"]}), "tokens: ", ["1 words for 3 queries"]),
        ((np.eye(3), {"mask": "causal"}), "mask: ", ["queries, keys and values"]),
        (("bank", {"tokens": ["a"]}), "tokens: ", ["given weights"]),
        (("bank", {"mask": "causal"}), "mask: ", ["given weights"]),
        ("gone.npy", "", ["no file 'gone.npy'"]),
        (("heads.npz", {"mask": "strict"}), "", ["'strict'", "without a key"]),
        (("heads.npz", {"mask": "cusal"}), "", ["'causal'"]),
        ("long.npz", "'long.npz': weights: queries: ", ["65"]),
        ("two.npz", "'two.npz' holds a, b", ["called weights", "q, k and v"]),
    ],
)
def test_what_no_page_can_show_is_refused(scenario, place, words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    np.savez("heads.npz", **dict.fromkeys("qkv", np.eye(3)))
    np.savez("long.npz", **dict.fromkeys("qkv", np.ones((65, 1))))
    np.savez("two.npz", a=np.eye(3), b=np.eye(4))
    given, options = scenario if isinstance(scenario, tuple) else (scenario, {})
    given, options = (changed(given, options), {}) if isinstance(options, tuple) else (given, options)
    refused(lambda: ha.explore(given, **options), place, *words)


def test_what_is_no_thing_of_hopattn_and_no_format_is_refused():
    refused(lambda: ha.html(3), "html: ", "a memory", "a result", "not int")
    refused(lambda: handout(ha.run("similarity", explain=True), "htm"), "", "'html'")
