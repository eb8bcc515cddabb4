"""Attention heads: one head, heads in parallel, layers of heads, and the recurrent networks that came before them.

- `baselines.py`: simpler models to compare attention with: averages, n-grams
- `plain_attention.py`: independent softmax attention in NumPy and PyTorch, to check ours with
- `feed_forward.py`: maps of each word by itself: y = W x + b, of which heads are made too, and the feed-forward layer
- `nonlinearities.py`: the functions of the neurons of a feed-forward layer, and their derivatives
- `from_torch.py`: the names and arrays of PyTorch's states, the options of its modules
- `families.py`: the table of the known families of released models: their names of arrays and fields, and how they
  differ
- `scaled_dot_product.py`: one step for queries, keys and values that are given
- `linear_state.py`: attention without scores: sums that grow with the text, in an array that does not
- `delta_state.py`: the same with the delta rule: a word overwrites what its key stood for
- `heads.py`: one head
- `multi_head.py`: heads in parallel
- `interventions.py`: the worth of a token to a head: the output without its key, by a formula and measured
- `normalisation.py`: layer normalisation and RMS normalisation of word vectors
- `blocks.py`: the layer of a transformer, and layers one after the other
- `encoder_decoder.py`: one text is read, another is written and attends to it; greedy decoding
- `cache.py`: a text that grows word by word, with keys and values computed once
- `message_passing.py`: attention as messages along the edges of a graph of tokens
- `recurrent.py`: a recurrent network, and its decoder with attention
- `first_word.py`: how long the first word of a text is kept, with attention and without it
"""

from hopattn.foundation.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
