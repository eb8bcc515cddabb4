"""The words of other libraries and of the field for what is here, each with what to write instead.

A word is looked up without regard to capitals and underscores, before the nearest name is searched: an edit distance
does not know that `MultiheadAttention` is a `MultiHead`. A clause follows "…: 'word' is unknown; ". What stands between
its backticks is a place, or a line to copy once its names have values.
"""

from collections.abc import Callable, Mapping
from typing import TypeVar

CHECKPOINT = 'write `ha.Checkpoint("folder")`, for the folder of a model'
STORED = "a memory stores its patterns when it is made: `ha.Memory(patterns)` or `ha.memories.hopfield(patterns)`"
RECALLED = "write `memory.recall(cues).state`, or `memory.step(cues)` for one step"
DEVICE = "its arrays state the library and the device; make it of the arrays that you want"
TO_FILE = 'write `memory.save("memory.npz")`'
FROM_FILE = 'write `ha.load("memory.npz")`'
SIZES = "leave it out; the arrays state all sizes"
OF_ARRAYS = {"w_out": SIZES, "w_query": SIZES, "attention": SIZES, "dim": ""}
HEADS = "write heads=, a list of ha.Head; their arrays state all sizes"

T = TypeVar("T")


def plain(word: str) -> str:
    """A word without capitals and underscores."""
    return word.lower().replace("_", "")


def by_word(entries: Mapping[str, T]) -> dict[str, T]:
    """The entry of each word, plain; the words of one entry stand in one text."""
    return {plain(word): entry for words, entry in entries.items() for word in words.split()}


def clause_of(entries: Mapping[str, Mapping[str, str]], word: str, has: Callable[[str], bool], form: str) -> str:
    """What to write instead of a word, by the first place of its entry that is there; empty without one.

    form: the clause of a place that has none of its own, such as "write {}=".
    """
    for place, clause in entries.get(plain(word), {}).items():
        if has(place):
            return clause or form.format(place)
    return ""


NAMES = by_word(
    {
        "scaled_dot_product_attention sdpa dot_product_attention attention_scores get_attention_scores "
        "attention_weights compute_attention flash_attention": "write `ha.attention(q, k, v)`",
        "attention attn": (
            "write `ha.attention(q, k, v)`, or `ha.Head(w_query, w_key, w_value)` with its matrices; the synapse "
            "of a network is `ha.networks.Attention`"
        ),
        "self_attention attention_head single_head": "write `ha.Head(w_query, w_key, w_value)`",
        "cross_attention": (
            "write `ha.Head(w_query, w_key, w_value)`, and give the other text to the call: `head(x, source=x)`"
        ),
        "multi_head_attention multi_head_self_attention MHA grouped_query_attention GQA multi_query_attention": (
            "write `ha.MultiHead(heads, w_out)`, or `ha.MultiHead.from_torch(module)` for a module of PyTorch"
        ),
        "from_torch from_pytorch from_module": (
            "write `ha.MultiHead.from_torch(module)`, or `ha.Block.from_torch(layer)` for a whole layer"
        ),
        "transformer_block transformer_layer transformer_encoder_layer encoder_layer decoder_layer "
        "transformer_decoder_layer residual_block": (
            "write `ha.Block(attention)`, or `ha.Block.from_torch(layer)` for a layer of PyTorch"
        ),
        "transformer_encoder transformer_decoder transformer transformer_model decoder_only encoder_only gpt bert": (
            "write `ha.transformer.stack([block], x)` for a list of `ha.Block`"
        ),
        "lagrangian lagrangians": (
            "the Lagrangian of a layer is the potential of its activation or separation: "
            '`ha.activations["tanh"]().potential(field)`'
        ),
        "config configuration settings hyperparameters": (
            'there is no configuration: each call takes its options, and a scenario is a file, `ha.load("bank")`'
        ),
        "continuous continuous_time ode": 'write `memory.recall(cues, update="time")`',
        "to_dict to_json to_pandas to_csv": "the records have it: `memory.recall(cues).to_pandas()`",
        "seq2seq": "write `ha.transformer.EncoderDecoder`",
        "mlp ffn feedforward_network position_wise_feed_forward": "write `ha.transformer.FeedForward`",
        "cache past_key_values dynamic_cache": "write `ha.KeyValueCache([block])`",
        "linear_transformer performer retnet": "write `ha.transformer.linear_attention(q, k, v)`",
        "delta_net fast_weights fast_weight_programmer": (
            "write `ha.transformer.delta_attention(q, k, v)`, or `ha.memories.delta(keys, values)` for a memory"
        ),
        "mamba ssm": (
            "state-space models are not here; write `ha.transformer.linear_attention(q, k, v)` or "
            "`ha.transformer.Recurrent`"
        ),
        "rotary_embedding rotary_position_embedding rotary_positional_embedding apply_rotary_pos_emb": (
            "write `ha.positions.Rotary()`, or `ha.rope(x, positions)`"
        ),
        "positional_encoding position_encoding sinusoidal_positional_encoding positional_embedding position_embedding "
        "sinusoidal_encoding": "write `ha.sinusoidal(n, dim)`",
        "mask masks masking": (
            'write `ha.attention(q, k, v, mask="causal")`, or "strict" or "none"; the others are `ha.window(3)` '
            "and `ha.padding(lengths)`"
        ),
        "causal_mask attn_mask attention_mask tril triu look_ahead_mask subsequent_mask autoregressive_mask "
        "generate_square_subsequent_mask causal_attention": 'write `ha.attention(q, k, v, mask="causal")`',
        "padding_mask key_padding_mask pad_mask": "write `ha.padding(lengths)`",
        "sliding_window sliding_window_mask local_attention local_mask band_mask banded": "write `ha.window(3)`",
        "softmax softmax_weights": "write `ha.separations.softmax(beta=1.0).weights(scores)`",
        "logsumexp lse": "write `ha.separations.softmax(beta=1.0).potential(scores)`",
        "sparsemax": (
            "write `ha.separations.sparsemax().weights(scores)`; the memory is `ha.memories.sparse(patterns)`"
        ),
        "entmax entmax15 alpha_entmax": (
            "write `ha.separations.entmax(alpha=1.5).weights(scores)`; the memory is `ha.memories.sparse(patterns)`"
        ),
        "argmax hardmax winner_take_all wta one_hot": "write `ha.separations.argmax().weights(scores)`",
        "activation_function activation_functions nonlinearity nonlinearities tanh sign signum heaviside sigmoid "
        "logistic": 'the activations are `ha.activations`, such as `ha.activations["tanh"]`',
        "relu gelu swiglu silu": (
            "write `ha.transformer.FeedForward`, whose nonlinearities have it; as a separation it is "
            "`ha.separations.rectified_power(n=2)`"
        ),
        "cosine_similarity cosine_similarities cos_sim pairwise_cosine_similarity": "write `ha.cosine(a, b)`",
        "cosine_distance cosine_distances": "write `1 - ha.cosine(a, b)`",
        "similarity dot dot_product inner_product euclidean euclidean_distance manhattan hamming distance distances "
        "kernel kernels metric metrics cdist": (
            'the similarities are `ha.similarities`, such as `ha.similarities["dot"]`; their base is `ha.Similarity`'
        ),
        "normalize normalise l2_normalize unit_vector unit_norm norm": "write `ha.unit(x)`",
        "modern_hopfield modern_hopfield_network continuous_hopfield MHN modern_memory": (
            "write `ha.memories.modern(patterns, beta=8)`"
        ),
        "hopfield_layer": "write `ha.torch.HopfieldLayer(dim)`, a module of PyTorch",
        "hopfield_pooling": "write `ha.torch.HopfieldPooling(dim)`, a module of PyTorch",
        "hopfield_network discrete_hopfield classical_hopfield binary_hopfield newhop hopfield1982 hopfield_memory "
        "from_patterns hopfield_model train_hopfield": "write `ha.memories.hopfield(patterns)`",
        "dense_associative_memory DAM dense_hopfield dense_memory krotov_hopfield": (
            "write `ha.memories.dense(patterns)`"
        ),
        "associative_memory content_addressable_memory CAM auto_associative_memory "
        "key_value_memory memory_network models model hopfield_models": (
            "write `ha.Memory(patterns)`, or one of `ha.memories`"
        ),
        "sparse_distributed_memory kanerva kanerva_memory": "write `ha.memories.sdm(addresses, values, radius=2)`",
        "bidirectional bidirectional_associative_memory hetero_associative_memory kosko": (
            "write `ha.memories.bam(left, right)`"
        ),
        "boltzmann_machine RBM restricted_boltzmann_machine boltzmann_distribution gibbs": (
            "write `ha.networks.boltzmann(memory, temperature)`"
        ),
        "ising ising_model": (
            "write `ha.networks.curie_weiss(n, temperature)`, or `ha.networks.boltzmann(memory, temperature)` for"
            " couplings"
        ),
        "spin_glass sherrington_kirkpatrick": (
            "write `ha.networks.boltzmann(memory, temperature)`, or `ha.theory.replica_load` for the theory"
        ),
        "hebbian train_hebbian hebbian_learning hebb_rule hebbian_rule outer_product outer_product_rule "
        "weights_from_patterns": "write `ha.learning.hebb(patterns)`",
        "pinv projection_rule projection moore_penrose": "write `ha.learning.pseudo_inverse(patterns)`",
        "delta_rule widrow_hoff LMS": "write `ha.learning.delta(keys, values)`",
        "learning_rule learning_rules": (
            "the rules are in `ha.learning`, such as `ha.learning.hebb(patterns)`; a memory takes "
            '`ha.memories.hopfield(patterns, rule="storkey")`'
        ),
        "asynchronous_update async async_ sequential_update": 'write `memory.recall(cues, update="async")`',
        "synchronous sync synchronous_update parallel_update": 'write `memory.recall(cues, update="sync")`',
        "gibbs_sampling heat_bath": "write `ha.Glauber(temperature=0.5)`",
        "simulated_annealing annealing anneal": "write `ha.Glauber(temperature=2.0, cooling=0.9)`",
        "recall": "write `memory.recall(cues)`, which gives a `ha.Recall`",
        "retrieve retrieval_step query lookup reconstruct complete pattern_completion predict iterate converge "
        "infer recover": RECALLED,
        "store fit train_memory memorize memorise learn": STORED,
        "energy hopfield_energy energy_function lyapunov lyapunov_function hamiltonian": (
            "write `memory.energy(states)`"
        ),
        "attractor attractors find_attractors find_fixed_points stable_states equilibria minima": (
            "write `ha.landscapes.fixed_points(memory)`, or `ha.landscapes.spin_states(memory).minima` for spins"
        ),
        "basin basins basin_of_attraction basins_of_attraction basin_size attraction_radius": (
            "write `ha.landscapes.returns(memory)`, or for a few neurons `ha.landscapes.spin_states(memory).basins()`, "
            "which gives `ha.landscapes.Basins`"
        ),
        "landscape energy_landscape plot_landscape plot_energy": (
            "write `ha.landscapes.spin_states(memory)`, or see the rest of `ha.landscapes`"
        ),
        "capacity storage_capacity max_patterns critical_capacity memory_capacity capacity_limit alpha_c": (
            "the capacities are in `ha.theory`: `ha.theory.critical_load()` of Hopfield's network, "
            "`ha.theory.dense_capacity(neurons=100, n=3)` of dense memories"
        ),
        "overlaps magnetisation magnetization order_parameter": (
            "write `ha.theory.overlap(load=0.1)` for the theory, or `memory.recall(cues).similarity` for a recall"
        ),
        "induction_score prefix_matching_score induction_heads find_induction_heads detect_induction_heads "
        "induction_head": "write `ha.circuits.prefix_matching(attention, tokens)`",
        "previous_token_score previous_token_head prev_token_score previous_token_heads": (
            "write `ha.circuits.previous_token(attention)`"
        ),
        "copying_score copy_score ov_copying": "write `ha.circuits.copying(w_ov, embed)`",
        "duplicate_token_score": "write `ha.circuits.duplicate_token(attention, tokens)`",
        "attention_patterns head_metrics score_heads": "write `ha.circuits.head_scores(attention, tokens)`",
        "logit_lens logit_attribution direct_logit_attribution": (
            'write `ha.Checkpoint("folder").attribution(ids, token=1)`'
        ),
        "activation_patching patch patching path_patching run_with_hooks hook hooks": (
            'write `ha.Checkpoint("folder").patch("head", 1, 0)`, and give it to `ha.Checkpoint.run`'
        ),
        "ablate ablation head_ablation causal_tracing causal_mediation": "write `ha.Checkpoint.effects`",
        "from_pretrained load_model auto_model auto_model_for_causal_lm GPT2 gpt2_model gpt2_lm_head_model "
        "hooked_transformer transformer_lens llama pipeline pretrained load_pretrained load_checkpoint load_weights "
        "load_state_dict language_model": CHECKPOINT,
        "tokenizer auto_tokenizer tokenize encode": 'write `ha.Checkpoint("folder").tokens("a text")`',
        "load_npz from_file load_memory": FROM_FILE,
        "load_sweep read_sweep": 'write `ha.load("points.jsonl")`',
        "save save_memory dump to_file write": TO_FILE,
        "open read load_scenario read_scenario scenarios": 'write `ha.load("bank")`',
        "load_array memmap mapped load_patterns load_keys load_data": (
            'write `ha.load("keys.npy")`, which maps an array too large for the memory; `ha.Memory("keys.npy")` reads a'
            " file too"
        ),
        "Retrieval retrieval_rule single_step": (
            'one step of recall is `ha.Step("dot", "softmax", beta=8)`; its parts are in `ha.retrieval`'
        ),
        "seed manual_seed set_seed random_seed rng random_state default_rng": (
            "there is no global seed; give rng= to the call that draws: `memory.recall(cues, rng=0)`"
        ),
        "dataset datasets load_dataset load_mnist mnist random_patterns generate_patterns make_patterns random "
        "random_spins data pattern patterns": (
            "there are no data sets; patterns are any array, such as `np.where(rng.random((10, 64)) < 0.5, -1.0, 1.0)`"
        ),
        "corrupt corrupted noise noisy add_noise flip flip_bits damage perturb distort corrupt_patterns "
        "corrupt_pattern": (
            "write `np.where(rng.random(patterns.shape) < 0.2, -patterns, patterns)`, which turns a fifth of the spins"
        ),
        "nn module layers": "the layers are in `ha.transformer`, the memories in `ha.memories`",
        "functional special linalg math ops F": (
            "the functions are `ha.attention(q, k, v)`, `ha.cosine(a, b)` and `ha.unit(x)`; separations such as "
            "softmax are `ha.separations`"
        ),
        "optim optimize optimizer optimise adam sgd fine_tune": (
            "there is no optimizer; `ha.circuits.train()` trains a model, and PyTorch and JAX differentiate all "
            "functions"
        ),
        "grad autograd backprop no_grad": (
            "write `ha.gradients.backward(block, x, upstream)`; PyTorch and JAX differentiate all functions"
        ),
        "show figure draw visualize visualise plot_attention heatmap animate animation": "write `ha.plot`",
        "app gui dashboard interactive ui": "write `ha.explore()`",
        "version": "write `ha.__version__`",
        "benchmark evaluate": "write `ha.compare(keys, cues)`",
        "grid_search parameter_sweep experiment": "write `ha.sweep`",
    }
)
"""The clause of each name that is sought in the package or in a room."""
ARGUMENTS = by_word(
    {
        "random_state random_seed generator rng_key": {"rng": "", "seed": ""},
        "seed": {"rng": ""},
        "rng": {"seed": ""},
        "max_iter n_steps max_iterations n_iter iterations num_steps steps num_iterations n_iterations niter iters "
        "max_epochs": {"max_steps": ""},
        "epochs n_epochs num_epochs": {"sweeps": "", "max_sweeps": "", "steps": ""},
        "trajectory return_trajectory return_history history record return_states save_states output_hidden_states": {
            "keep": 'write keep=("trajectory",)'
        },
        "return_weights return_attention output_attentions need_weights": {"keep": 'write keep=("weights",)'},
        "return_energy return_energies track_energy": {"keep": "leave it out; each record has its energies"},
        "metric distance sim similarity_fn kernel score": {"similarity": ""},
        "inverse_temperature inv_temp inv_temperature softmax_scale scaling": {"beta": ""},
        "temperature": {"beta": "write beta=1/temperature"},
        "temp T": {"temperature": "", "beta": "write beta=1/temperature"},
        "num_heads n_heads n_head nhead num_attention_heads": {"n_heads": "", "w_out": HEADS, "heads": ""},
        "embed_dim d_model n_embd": OF_ARRAYS,
        "hidden_size head_dim d_head d_k": {"dim_head": ""} | OF_ARRAYS,
        "kdim stored_pattern_size": {"dim_keys": ""} | OF_ARRAYS,
        "vdim pattern_projection_size": {"dim_values": ""} | OF_ARRAYS,
        "pattern_size": {"dim_read": ""},
        "output_size": {"dim_out": ""},
        "n_neurons num_neurons n_units input_size": {"neurons": "", "keys": SIZES, "patterns": SIZES, "dim": ""},
        "quantity": {"n_queries": "", "n_patterns": ""},
        "update_steps_max": {"steps": "write steps=, which is update_steps_max + 1"},
        "update_steps_eps": {"tol": ""},
        "batch_first": {"dim_head": "leave it out; texts are (batch, n, dim)"},
        "add_zero_association add_zero_attn": {"sink": "write sink=0.0"},
        "theta": {"base": "", "threshold": "", "bias": ""},
        "rope_theta rotary_base": {"base": ""},
        "eps layer_norm_eps norm_eps": {"epsilon": "", "tol": ""},
        "tolerance atol rtol epsilon convergence_threshold": {"tol": ""},
        "synchronous parallel sync": {"update": 'write update="sync"'},
        "asynchronous sequential async_update": {"update": 'write update="async"'},
        "mode method dynamics update_rule update_mode": {"update": "", "rule": ""},
        "learning_rule learning": {"rule": ""},
        "learning_rate lr eta": {"rate": ""},
        "degree power exponent interaction_order": {"n": ""},
        "order": {"n": "", "update": 'write update=ha.Asynchronous(order="random")'},
        "weights W weight weight_matrix J coupling_matrix": {"couplings": ""},
        "patterns": {"keys": "write keys=, the first argument"},
        "X data memories stored stored_patterns memory_patterns": {
            "keys": "write keys=, the first argument",
            "patterns": "write patterns=, the first argument",
        },
        "query queries cue probe inputs input state initial_state x0 init": {
            "cues": "write cues=, the first argument",
            "states": "write states=, the first argument",
        },
        "softmax separation_fn sep": {"separation": ""},
        "nonlinearity activation_fn act activation_function": {"activation": ""},
        "threshold": {"bias": ""},
        "thresholds external_field field": {"threshold": "", "bias": ""},
        "attention_mask masking": {"mask": "write mask=, True = may attend"},
    }
)
"""A keyword, with our names that may take its place. The clause of the first that the call has is given."""
ATTRIBUTES = by_word(
    {
        "fit partial_fit fit_transform train learn store add add_pattern memorize memorise store_patterns "
        "train_weights from_patterns fit_patterns train_hebbian from_numpy": {"recall": STORED},
        "predict retrieve query lookup read complete reconstruct run iterate converge evolve retrieve_pattern recover "
        "restore denoise infer simulate": {"recall": RECALLED},
        "forward transform attend apply update call associate read_out": {
            "recall": "write `memory.step(cues)`, or `memory.recall(cues)` for all steps",
            "census": "write `checkpoint.run(ids)`",
            "trace": "call the object itself: `head(x)`",
        },
        "state_dict parameters named_parameters get_params": {
            "to_torch": "write .to_torch().state_dict()",
            "recall": TO_FILE,
        },
        "dump to_file save_pretrained write savez": {"recall": TO_FILE},
        "load from_file read_file load_state_dict": {"recall": FROM_FILE, "census": CHECKPOINT},
        "from_pretrained load_model": {"census": CHECKPOINT, "recall": FROM_FILE, "from_torch": CHECKPOINT},
        "to cuda cpu half double to_device device requires_grad requires_grad_ eval": {
            "recall": DEVICE,
            "trace": DEVICE,
        },
        "weights W weight weight_matrix J coupling_matrix w connections": {"couplings": ""},
        "attention_weights attention attn_weights attn attentions get_attention_weights": {
            "trace": "write `head.trace(x).weights`",
            "census": "write `checkpoint.run(ids)`",
            "weights": "",
        },
        "compute_energy get_energy energy_function hamiltonian lyapunov": {"energy": ""},
        "energy energy_history": {"energies": ""},
        "inverse_temperature inv_temp scale scaling": {"beta": ""},
        "temperature": {"beta": "write 1 / .beta"},
        "threshold thresholds external_field": {"bias": ""},
        "x states result output final final_state final_states last_state retrieved recalled": {
            "converged": "write .state"
        },
        "history path states_history trajectories": {"trajectory": ""},
        "n_iter n_iter_ n_steps nit iterations num_steps n_iterations": {"steps": ""},
        "success has_converged is_converged": {"converged": ""},
        "index match matches label labels winner pattern pattern_index": {"matched": ""},
        "cosine overlap_with_pattern": {"matched": "write .similarity"},
        "to_dataframe df to_df dataframe": {"to_pandas": "write .to_pandas()"},
        "encode tokenize tokenizer to_tokens": {"tokens": 'write `checkpoint.tokens("a text")`'},
        "ablate ablation run_with_hooks": {"effects": ""},
        "wte embed embed_tokens W_E": {"embedding": ""},
        "lm_head unembed W_U": {"unembedding": ""},
        "run_with_cache generate hidden_states": {"census": "write `checkpoint.run(ids)`"},
        "logit_lens logit_attribution": {"attribution": ""},
    }
)
"""An attribute that an object or a class lacks, with those that may take its place, as in `ARGUMENTS`."""
VALUES = {
    "memory": by_word(
        {
            "kosko bidirectional bidirectional_associative_memory hetero_associative": "write 'bam'",
            "kanerva sparse_distributed sparse_distributed_memory": "write 'sdm'",
            "hopfield1982 classical binary discrete discrete_hopfield": "write 'hopfield'",
            "hopfield1984 continuous_hopfield": "write 'graded'",
            "ramsauer softmax modern_hopfield attention": "write 'modern'",
            "krotov dense_associative_memory dam": "write 'dense'",
            "demircigil": "write 'exponential'",
        }
    ),
    "update": by_word(
        {
            "random": 'write ha.Asynchronous(order="random"), in a file { name = "async", order = "random" }',
            "sequential sequence serial one_by_one": "write 'async'",
            "parallel simultaneous batch": "write 'sync'",
            "gibbs heat_bath stochastic": "write 'glauber'",
            "mcmc metropolis_hastings": "write 'metropolis'",
            "cccp": "write 'concave_convex'",
            "continuous ode euler": "write 'time'",
        }
    ),
    "similarity": by_word(
        {
            "inner inner_product dot_product scaled_dot_product linear": "write 'dot'",
            "cos cosine_similarity angle": "write 'cosine'",
            "l2 distance squared_euclidean sqeuclidean gaussian rbf": "write 'euclidean'",
            "l1 cityblock taxicab": "write 'manhattan'",
        }
    ),
    "separation": by_word(
        {
            "hardmax max one_hot winner_take_all wta nearest": "write 'argmax'",
            "linear none": "write 'identity'",
            "polynomial poly dense": "write 'power'",
            "relu rectified": "write 'rectified_power'",
            "top_k topk": "write 'k_subsets'",
            "step heaviside": "write 'threshold'",
        }
    ),
    "activation": by_word(
        {
            "sigmoid expit": "write 'logistic'",
            "linear none": "write 'identity'",
            "signum": "write 'sign'",
            "heaviside": "write 'step'",
            "binary threshold": "write 'sign' for ±1, or 'step' for 0 and 1",
            "normalize normalise l2 sphere": "write 'unit'",
        }
    ),
    "mask": by_word(
        {
            "tril lower autoregressive decoder look_ahead triangular": "write 'causal'",
            "full all bidirectional encoder dense": "write 'none'",
        }
    ),
}
"""For each kind of named choice, the words that are no names of it, each with its clause."""
