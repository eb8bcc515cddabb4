"""The words of other libraries and of the field: each leads to a place that is there, or to a line that runs."""

import copy
import inspect
import pickle
import re
from itertools import chain

import numpy as np
import pytest

import hopattn as ha
from hopattn.dynamics.own_parts import REGISTRIES
from hopattn.foundation.other_words import ARGUMENTS, ATTRIBUTES, NAMES, VALUES, plain
from hopattn.foundation.shown_types import spelled_out
from hopattn.memories.models import named_memories
from hopattn.retrieval.masks import mask_rules
from tests.checkpoints.written import GPT2, state_of, write
from tests.foundation.test_boundary import CALLS, METHODS, in_loops
from tests.foundation.test_shown import CLASSES, ROOMS
from tests.refusal import refused

RNG = np.random.default_rng(0)
PATTERNS = np.sign(RNG.standard_normal((3, 8)))
X = RNG.standard_normal((5, 8))
HEAD = ha.Head(*RNG.standard_normal((3, 4, 8)), mask="causal")
TOKENS = np.array([1, 2, 3, 1, 2])
CODES = sorted(
    {
        code
        for clause in chain(NAMES.values(), *(entry.values() for entry in ATTRIBUTES.values()))
        for code in re.findall("`(.*?)`", clause)
    }
)
FIELDS = {field for kind in CLASSES for field in (*dir(kind), *getattr(kind, "__dataclass_fields__", ()))}


@pytest.fixture(scope="module")
def names(torch, tmp_path_factory):
    """A value of each name that a line to copy leaves open, in a folder with the files that it reads."""
    place = tmp_path_factory.mktemp("lines")
    (place / "folder").mkdir()
    write(place / "folder", GPT2, state_of(GPT2))
    np.save(place / "keys.npy", PATTERNS)
    memory = ha.memories.hopfield(PATTERNS)
    ha.Memory(PATTERNS).save(place / "memory.npz")
    ha.sweep(lambda point, seed: {"y": point["x"]}, {"x": [1, 2]}, workers=1, file=place / "points.jsonl")
    heads = [HEAD, HEAD]
    multi_head = ha.MultiHead(heads, RNG.standard_normal((8, 8)))
    block = ha.Block(multi_head)
    layer = torch.nn.TransformerEncoderLayer(8, 2, 8, 0.0, batch_first=True, dtype=torch.float64)
    return {
        **{"ha": ha, "np": np, "rng": RNG, "place": place, "memory": memory, "patterns": PATTERNS, "cues": PATTERNS},
        **{"states": PATTERNS, "keys": PATTERNS, "values": PATTERNS, "addresses": PATTERNS, "radius": 3, "field": X},
        **{"left": PATTERNS, "right": PATTERNS, "q": X, "k": X, "v": X, "a": X, "b": X, "x": X, "scores": X},
        **{"w_query": HEAD.w_query, "w_key": HEAD.w_key, "w_value": HEAD.w_value, "w_out": multi_head.w_out},
        **{
            "head": HEAD,
            "heads": heads,
            "attention": HEAD.trace(X).weights,
            "block": block,
            "upstream": np.ones((5, 8)),
        },
        **{
            "tokens": TOKENS,
            "ids": TOKENS,
            "w_ov": np.eye(8),
            "embed": X,
            "lengths": [1, 2],
            "positions": range(5),
            "n": 5,
            "dim": 8,
        },
        **{"layer": layer, "module": layer.self_attn, "temperature": 1.0, "multi_head": multi_head},
        "checkpoint": ha.Checkpoint(place / "folder"),
    }


@pytest.mark.parametrize("code", CODES)
def test_each_line_to_copy_runs(code, names, monkeypatch):
    monkeypatch.chdir(names["place"])
    scope = {**names, "attention": names["multi_head"]} if code == "ha.Block(attention)" else names
    if "fixed_points" in code or '"time"' in code:  # spins have neither
        scope = {**names, "memory": ha.Memory(PATTERNS)}
    if code == "ha.circuits.train()":  # minutes
        inspect.signature(ha.circuits.train).bind()
    elif code.endswith('.tokens("a text")'):
        inspect.signature(ha.Checkpoint.tokens).bind(None, "a text")  # the folder has no tokenizer
    else:
        eval(code, dict(scope))


@pytest.mark.parametrize("room", ROOMS, ids=lambda room: room.__name__)
def test_each_word_is_answered_by_its_clause_in_every_room(room):
    if (extra := room.__name__.rpartition(".")[2]) in ("torch", "jax"):
        pytest.importorskip(extra, reason=f"ha.{extra} has no names without it")
    for word, clause in NAMES.items():
        if word in {*room.__all__, *vars(room)}:  # a name of its own, or a module of the room
            continue
        with pytest.raises(AttributeError) as caught:
            getattr(room, word)
        assert str(caught.value) == f"{room.__name__}: '{word}' is unknown; {clause}"
        assert caught.value.obj is None  # so that Python adds no nearest name of the room


@pytest.mark.parametrize("word", ["MultiheadAttention", "multihead_attention", "MULTI_HEAD_ATTENTION"])
def test_capitals_and_underscores_do_not_count(word):
    with pytest.raises(AttributeError, match=r"ha\.MultiHead\(heads, w_out\)"):
        getattr(ha, word)


def test_a_word_that_is_a_name_of_ours_leads_to_this_name_too():
    for name in {name for room in ROOMS for name in room.__all__ if plain(name) in NAMES}:
        assert re.search(rf"\.{name}\b", NAMES[plain(name)]), name


EVERY = {name: call for name, call in {**CALLS, **METHODS}.items() if not in_loops(call)}
TAKEN = {name: spelled_out(inspect.signature(call)).parameters for name, call in EVERY.items()}


@pytest.mark.parametrize("word", ARGUMENTS)
def test_each_keyword_is_answered_in_a_call_that_has_our_word(word):
    earlier = {word}
    for place, clause in ARGUMENTS[word].items():
        able = [name for name, taken in TAKEN.items() if place in taken and not earlier & {*taken}]
        if not able and not ha.torch.__all__:
            pytest.skip("PyTorch is not installed (the extra 'torch'), and only its layers have our word")
        answer = f"option '{word}' is unknown; {clause or f'write {place}='}"
        assert any(answered(name, word).endswith(answer) for name in able), (place, able)
        earlier.add(place)


def answered(name, word):
    try:
        EVERY[name](*[None] * ("self" in TAKEN[name]), **{word: 1})
    except ha.InvalidInput as error:
        return str(error)


@pytest.mark.parametrize("word", ATTRIBUTES)
def test_each_attribute_leads_to_one_that_is_there(word):
    assert {*ATTRIBUTES[word]} <= FIELDS
    for place, clause in ATTRIBUTES[word].items():
        assert {*re.findall(r"(?:^|[^\w`])\.(\w+)", clause)} - {"state_dict"} <= FIELDS, (place, clause)


@pytest.mark.parametrize("registry", [*REGISTRIES, mask_rules], ids=lambda registry: registry.what)
def test_each_value_leads_to_a_name_of_its_registry(registry):
    for word, clause in VALUES.get(registry.what, {}).items():
        assert word not in map(plain, registry)
        entries = re.findall(r"write '(\w+)'", clause) or ["async"]
        assert all(entry in registry for entry in entries)
        for ask in (registry.find, registry.make):
            with pytest.raises(ha.InvalidInput) as caught:
                ask(word)
            assert f"{registry.what}: '{word}' is unknown; {clause} (choices: " in str(caught.value)
    with pytest.raises(ha.InvalidInput, match=r"write \['dot'\] in place of \('dot'\)"):
        registry("dot")


KEYS = {
    "update": ("letters", "memory.update"),
    "similarity": ("letters", "memory.similarity"),
    "separation": ("letters", "memory.separation"),
    "activation": ("letters", "memory.activation"),
    "mask": ("bank", "layer.1.head.1.mask"),
    "memory": ("weight-matrix", "memory.model"),
}
"""A scenario, and its key that has a value of the kind."""


@pytest.mark.parametrize("kind", VALUES)
def test_each_value_is_answered_in_a_file_as_in_python(kind):
    name, key = KEYS[kind]
    word, clause = next(iter(VALUES[kind].items()))
    forms = [word, {"name": word}] if kind in ("update", "separation", "mask") else [word]
    for form in forms:
        refused(lambda form=form: ha.run(name, overrides={key: form}), "", f"{key}: '{word}' is unknown; {clause} (")


def test_every_kind_of_value_is_that_of_a_registry():
    assert {*VALUES} <= {registry.what for registry in (*REGISTRIES, mask_rules, named_memories)}
    for word, clause in VALUES["memory"].items():
        assert word not in named_memories and clause.removeprefix("write ").strip("'") in named_memories


@pytest.mark.parametrize("kind", CLASSES, ids=CLASSES.get)
def test_an_attribute_that_is_not_there_stays_an_attribute_error(kind):
    thing = object.__new__(kind)
    for word in ("zz", "__array__", "__torch_function__", "_repr_latex_", "__deepcopy__", *ATTRIBUTES):
        if word not in dir(kind):
            assert getattr(kind, word, 3) == 3
            assert not hasattr(thing, word)
    with pytest.raises(AttributeError) as caught:
        _ = thing.zz
    assert str(caught.value) == f"'{kind.__name__}' object has no attribute 'zz'"
    assert caught.value.name == "zz" and caught.value.obj is thing  # from which Python takes the nearest attribute


class Shy(ha.Memory):
    @property
    def own(self):
        raise AttributeError("its own words")


def test_our_words_hide_no_other_error_and_objects_are_copied_pickled_and_compiled(torch):
    memory = ha.Memory(PATTERNS)
    with pytest.raises(AttributeError, match=r"^its own words$"):
        _ = Shy(PATTERNS).own
    for again in (copy.copy(memory), copy.deepcopy(memory), pickle.loads(pickle.dumps(memory))):
        assert np.array_equal(again.step(PATTERNS), memory.step(PATTERNS))
    cues = torch.asarray(PATTERNS)
    tensors = ha.Memory(cues)

    def step(cues):
        return tensors.step(cues) if getattr(tensors, "fit", None) is None and not hasattr(tensors, "zz") else cues

    compiled = torch.compile(step, fullgraph=True, backend="eager")
    assert torch.equal(compiled(cues), tensors.step(cues))


@pytest.mark.parametrize(
    ("kind", "word", "line"),
    [
        (ha.Checkpoint, "from_pretrained", 'ha.Checkpoint("folder")'),
        (ha.Memory, "load", 'ha.load("memory.npz")'),
        (ha.Memory, "fromPatterns", "ha.memories.hopfield(patterns)"),
        (ha.Hopfield, "from_patterns", "ha.memories.hopfield(patterns)"),
        (ha.networks.Network, "from_patterns", "ha.memories.hopfield(patterns)"),
        (ha.MultiHead, "from_pretrained", 'ha.Checkpoint("folder")'),
        (ha.Memory(PATTERNS), "forward", "memory.step(cues)"),
        (HEAD, "forward", "head(x)"),
        (ha.memories.hopfield(PATTERNS), "weights", "write .couplings"),
        (ha.memories.hopfield(PATTERNS), "attention_weights", ""),
        (ha.Memory(PATTERNS), "attention_weights", "write .weights"),
        (ha.Memory(PATTERNS).recall(PATTERNS), "final_state", "write .state"),
        (ha.Memory(PATTERNS), "temperature", "write 1 / .beta"),
    ],
)
def test_an_object_and_a_class_answer_with_what_they_have(kind, word, line):
    with pytest.raises(AttributeError) as caught:
        getattr(kind, word)
    assert line in str(caught.value)
