"""Attention heads: one head, heads in parallel, layers of heads, and the recurrent networks that came before them.

- `positions/`: positions: on circles, as rotations of queries and keys, as biases of scores
- `baselines.py`: simpler models to compare attention with: averages, n-grams
- `plain_attention.py`: independent softmax attention in NumPy and PyTorch, to check ours with
- `torch_words.py`: PyTorch's words for options, each with ours
- `affine.py`: y = W x + b, of which the rest is made
- `attention.py`: one step for queries, keys and values that are given
- `linear_attention.py`: attention without scores: sums that grow with the text, in an array that does not
- `delta_attention.py`: the same with the delta rule: a word overwrites what its key stood for
- `head_bias.py`: the bias of scores that a head has of its own
- `heads.py`: one head
- `from_torch.py`: weights in PyTorch's terms
- `torch_modules.py`: what a module of PyTorch has beside its arrays
- `multi_head.py`: heads in parallel
- `layers.py`: layers of attention heads, one after the other
- `feed_forward.py`: the layer that maps each word by itself
- `normalisation.py`: the size of word vectors brought to 1
- `blocks.py`: the layer of a transformer
- `full_layers.py`: the same layer with every array that it computes
- `encoder_decoder.py`: one text is read, another is written and attends to it
- `cache.py`: a text that grows word by word, with keys and values computed once
- `greedy.py`: a text is written word by word, each time the likeliest word
- `message_passing.py`: attention as messages along the edges of a graph of tokens
- `recurrent.py`: a recurrent network, and its decoder with attention
- `first_word.py`: how long the first word of a text is kept, with attention and without it
- `gradients/`: how much of a change of the output reaches the input and the weights
"""
