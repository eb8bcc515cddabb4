"""Words that help: a message tells what a new user meant, and how that is written."""

import numpy as np
import pytest

import hopattn as ha
from hopattn.scenario.files import shipped
from hopattn.scenario.grids import axis_values
from tests.refusal import refused
from tests.texts import GOOD, parsed

SPINS = [[1, -1, 1, -1], [1, 1, -1, -1]]
HELP = [
    (lambda: ha.memories.hopfield([[0, 1, 1, 0]]), "", "row 0 holds 0", "2*x − 1"),
    (lambda: ha.memories.dense(np.array(SPINS) > 0), "", "2*x − 1"),
    (lambda: ha.Hopfield(SPINS), "", "(2, 4)", "`ha.memories.hopfield(patterns)`"),
    (lambda: ha.run("capacity", overrides={"ensemble.flip": 20}), "", "ensemble.flip: ", "write 0.2 for 20 %"),
    (lambda: ha.experiments.compare_random(dim=8, n_patterns=2, noise=20), "noise: ", "0 to 1", "for 20 %, give 0.2"),
    (lambda: parsed(GOOD.replace("schema = 1", "")), "", "schema: ", "write schema = 1"),
    (lambda: parsed("# nothing\n"), "", "empty", "`hopattn new`"),
    (lambda: ha.load("their-dog"), "", "'their-dog'", "'induction'"),
    (lambda: ha.load("banks"), "", "'bank'"),
    (lambda: ha.load("softmx"), "", "'bank-softmax'"),
    (lambda: ha.unit("0.6 0.8"), "unit: ", "not the text '0.6 0.8'", "ha.load"),
    (lambda: ha.attention("q.npy", SPINS, SPINS), "q: ", "[0.5, -1]", "not the text 'q.npy'"),
    (
        lambda: ha.memories.hopfield(SPINS).recall(SPINS, update="glauber"),
        "update 'glauber': ",
        "ha.updates.glauber(temperature=…)",
    ),
    (lambda: axis_values("0,05:0,2:3", "load"), "load: '0,05' ", "write 0.05"),
    (lambda: axis_values("0,1,0,2", "load"), "", "rising order", "write 0.1"),
]

WORKS = ""
"""The guess is right: it gives what was meant."""
GUESSES = {
    # PyTorch
    "ha.attention(q, k, v, attn_mask=None)": "write mask=",
    "ha.attention(q, k, v, scale=0.5)": "write beta=",
    "ha.attention(q, k, v, dropout_p=0.1)": "there is no dropout",
    "ha.attention(q, k, v, 0.5, 'causal')": "write beta=, mask=",
    "ha.MultiHead(embed_dim=8, num_heads=2)": "the arrays state all sizes",
    "ha.MultiHead(num_heads=2)": "write heads=, a list of ha.Head",
    "ha.nn.MultiheadAttention(8, 2)": "`ha.transformer`",
    "ha.from_torch(module)": "`ha.MultiHead.from_torch(module)`",
    "ha.MultiHead.from_torch(module)(x)": "give torch.asarray(x)",
    "ha.functional.softmax(q, dim=-1)": "`ha.separations`",
    "ha.softmax(q, axis=-1)": "`ha.separations.softmax(beta=1.0).weights(scores)`",
    "ha.Softmax(beta=2)": "ha.separations.softmax",
    "ha.scaled_dot_product_attention(q, k, v)": "`ha.attention(q, k, v)`",
    "ha.MultiheadAttention(8, 2)": "`ha.MultiHead(heads, w_out)`",
    "ha.MultiHeadAttention": "ha.MultiHead.from_torch",
    "ha.LayerNorm": "ha.transformer.LayerNorm",
    "ha.TransformerBlock": "`ha.Block(attention)`",
    "ha.TransformerLayer": "`ha.Block(attention)`",
    "ha.TransformerEncoderLayer": "`ha.Block(attention)`",
    "ha.cosine_similarity": "`ha.cosine(a, b)`",
    "ha.manual_seed(0)": "rng=0",
    "ha.seed": "rng=0",
    "ha.tril(5)": 'mask="causal"',
    "ha.masks.causal(5)": 'mask="causal"',
    "ha.window(2)": WORKS,
    "ha.RotaryEmbedding(8)": "`ha.positions.Rotary()`",
    "ha.rotary": "ha.positions.Rotary",
    "ha.RoPE": "'rope'",
    "ha.PositionalEncoding(8)": "`ha.sinusoidal(n, dim)`",
    "ha.kv_cache": "KeyValueCache",
    "ha.KVCache": "KeyValueCache",
    "ha.linear_attention": "ha.transformer.linear_attention",
    "ha.train": "ha.circuits.train",
    "memory.forward(cue)": "`memory.step(cues)`",
    "memory.state_dict()": '`memory.save("memory.npz")`',
    # scikit-learn
    "memory.fit(patterns)": "`ha.Memory(patterns)`",
    "memory.transform(cues)": "`memory.step(cues)`",
    "memory.query(cues)": "`memory.recall(cues).state`",
    "memory.retrieve(cues)": "`memory.recall(cues).state`",
    "memory.attend(cues)": "`memory.step(cues)`",
    "memory.predict(cues)": "`memory.recall(cues).state`",
    "ha.Memory(patterns, n_neurons=32)": "the arrays state all sizes",
    "ha.Memory(patterns, seperation='softmax')": "did you mean 'separation'?",
    "ha.Memory(patterns, separation='softmx')": "did you mean 'softmax'?",
    "ha.Memory(patterns, None, 'dot', 'softmax', 'sign', 2.0)": "similarity=, separation=, activation=, beta=",
    "ha.Memory(patterns, inverse_temperature=8)": "write beta=",
    "ha.Memory(patterns, temperature=0.1)": "write beta=1/temperature",
    "ha.Memory(patterns, metric='cosine')": "write similarity=",
    "memory.recall(cues, random_state=0)": "write rng=",
    "memory.recall(cue, max_iter=5)": "write max_steps=",
    "memory.recall(cue, n_steps=5)": "write max_steps=",
    "memory.recall(cue, return_trajectory=True)": 'write keep=("trajectory",)',
    "ha.cosine_distances(patterns, cues)": "`1 - ha.cosine(a, b)`",
    "ha.datasets.load_mnist()": "there are no data sets",
    "ha.similarity": "`ha.similarities`",
    # SciPy and NumPy
    "ha.special.logsumexp(q)": "`ha.separations`",
    "ha.logsumexp(q)": ".potential(scores)`",
    "ha.corrupt(patterns, 0.2, rng=0)": "`np.where(rng.random(patterns.shape) < 0.2",
    "ha.add_noise(patterns, 0.2, seed=0)": "`np.where(",
    "ha.flip(patterns, 0.2)": "`np.where(",
    "ha.random_patterns(10, 64)": "`np.where(rng.random((10, 64))",
    # transformers
    "ha.AutoModel.from_pretrained('gpt2')": '`ha.Checkpoint("folder")`',
    "ha.Checkpoint.from_pretrained('gpt2')": '`ha.Checkpoint("folder")`',
    "ha.from_pretrained('gpt2')": '`ha.Checkpoint("folder")`',
    "ha.load_model('gpt2')": '`ha.Checkpoint("folder")`',
    "ha.GPT2": '`ha.Checkpoint("folder")`',
    "ha.GPT2LMHeadModel": '`ha.Checkpoint("folder")`',
    "ha.load('scenario.toml')": "there is no such file",
    "ha.get_attention_scores": "`ha.attention(q, k, v)`",
    # toolboxes of Hopfield networks
    "ha.Network.from_patterns(patterns)": "ha.networks.Network",
    "ha.networks.Network.from_patterns(patterns)": "`ha.memories.hopfield(patterns)`",
    "ha.Hopfield.from_patterns(patterns)": "`ha.memories.hopfield(patterns)`",
    "ha.Hopfield(patterns)": "`ha.memories.hopfield(patterns)`",
    "ha.ModernHopfield": "`ha.memories.modern(patterns, beta=8)`",
    "ha.HopfieldNetwork": "`ha.memories.hopfield(patterns)`",
    "ha.DenseAssociativeMemory": "`ha.memories.dense(patterns)`",
    "ha.modern": "ha.memories.modern",
    "ha.dense": "ha.memories.dense",
    "ha.BAM": "ha.memories.bam",
    "ha.bam": "ha.memories.bam",
    "ha.memories.Hopfield": "ha.Hopfield",
    "ha.networks.Hopfield": "ha.Hopfield",
    "ha.Network": "ha.networks.Network",
    "ha.Layer": "ha.networks.Layer",
    "ha.newhop(patterns)": "`ha.memories.hopfield(patterns)`",
    "ha.train_hebbian(patterns)": "`ha.learning.hebb(patterns)`",
    "ha.hebb": "ha.learning.hebb",
    "ha.hebbian(patterns)": "`ha.learning.hebb(patterns)`",
    "ha.hopfield_energy(w, cue)": "`memory.energy(states)`",
    "ha.energy": "`memory.energy(states)`",
    "ha.recall": "`memory.recall(cues)`",
    "ha.retrieve": "`memory.recall(cues).state`",
    "spins.energy(cue)": WORKS,
    "spins.train(patterns)": "`ha.memories.hopfield(patterns)`",
    "spins.weights": "write .couplings",
    "spins.recall(cues, update='asynchronous')": "did you mean 'async'?",
    "spins.recall(cues, update='random', rng=0)": 'write ha.Asynchronous(order="random")',
    "spins.recall(cues, synchronous=True)": 'write update="sync"',
    "spins.recall(cues, update=ha.Asynchronous(order='random'), rng=0)": WORKS,
    "ha.updates.glauber": WORKS,
    "ha.learning.rules": WORKS,
    "ha.learning.hebbian(patterns)": "`ha.learning.hebb(patterns)`",
    "ha.learning.pinv(patterns)": "`ha.learning.pseudo_inverse(patterns)`",
    "ha.pseudoinverse(patterns)": "ha.learning.pseudo_inverse",
    "ha.BoltzmannMachine(32)": "`ha.networks.boltzmann(memory, temperature)`",
    "ha.Boltzmann": "ha.networks.Boltzmann",
    "ha.capacity": "`ha.theory.critical_load()`",
    "ha.critical_capacity": "`ha.theory.critical_load()`",
    "ha.overlap(patterns, cues)": "ha.theory.overlap",
    "ha.fixed_points": "ha.landscapes.fixed_points",
    "ha.basins": "ha.landscapes.Basins",
    # ours
    "ha.separations.softmax": WORKS,
    "ha.separations['softmax']": WORKS,
    "ha.separations('softmax')": "write ['softmax']",
    "ha.retrieval.softmax": "`ha.separations.softmax(beta=1.0).weights(scores)`",
    "ha.transformer.Attention(8)": "`ha.Head(w_query, w_key, w_value)`",
    "ha.transformer.Head": "ha.Head",
    "ha.prefix_matching": "ha.circuits.prefix_matching",
    "ha.induction_score": "`ha.circuits.prefix_matching(attention, tokens)`",
    "ha.circuits.induction_score": "`ha.circuits.prefix_matching(attention, tokens)`",
    "ha.circuits.find_induction_heads": "`ha.circuits.prefix_matching(attention, tokens)`",
    "ha.induction_heads": "`ha.circuits.prefix_matching(attention, tokens)`",
    "ha.plot_energy(memory)": "`ha.landscapes.spin_states(memory)`",
    "ha.plot(memory)": "expected a Result, a Recall",
    "ha.save(memory, 'm.npz')": '`memory.save("memory.npz")`',
    "memory.save('m.npz')": WORKS,
    "ha.Memory.load('m.npz')": '`ha.load("memory.npz")`',
    "ha.Head(8, 8)": "missing 1 required positional argument: 'w_value'",
    "ha.Head(w, w, w, mask=None)(x)": WORKS,
    "ha.Block(w, w)": "expected a MultiHead",
    "ha.EnergyTransformer": "ha.networks.EnergyTransformer",
    "ha.version": "`ha.__version__`",
}
"""What a user of another library tries first, with the words that the answer must hold."""


@pytest.fixture(scope="module")
def guessed(torch):
    """The names that the guesses use."""
    rng = np.random.default_rng(0)
    patterns = np.sign(rng.standard_normal((4, 32)))
    q, k, v = rng.standard_normal((3, 5, 8))
    memory, spins = ha.Memory(patterns), ha.memories.hopfield(patterns)
    module = torch.nn.MultiheadAttention(8, 2, batch_first=True, dtype=torch.float64)
    return {
        **{"ha": ha, "patterns": patterns, "cues": patterns[:3], "cue": patterns[0], "memory": memory, "spins": spins},
        **{"q": q, "k": k, "v": v, "x": q, "w": rng.standard_normal((8, 8)), "module": module},
    }


@pytest.mark.parametrize("guess", GUESSES)
def test_a_guess_ends_at_the_right_place_or_at_words_that_name_it(guess, guessed, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    if GUESSES[guess] == WORKS:
        eval(guess, dict(guessed))
    else:
        with pytest.raises((ha.InvalidInput, AttributeError, TypeError)) as caught:
            eval(guess, dict(guessed))
        assert GUESSES[guess] in str(caught.value)


@pytest.mark.parametrize(("call", "place", "words"), [(call, place, words) for call, place, *words in HELP])
def test_a_message_tells_what_was_meant(call, place, words):
    refused(call, place, *words)


def test_words_of_very_many_titles_lead_nowhere():
    titles = [ha.load(name).spec.title.split() for name in shipped()]
    assert sum("and" in title for title in titles) > 10
    with pytest.raises(ha.InvalidInput, match=r"no scenario or file 'and' \("):
        ha.load("and")
