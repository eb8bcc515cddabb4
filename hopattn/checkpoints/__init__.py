"""Released models: the attention heads of a folder of weights, read as memories; nothing is downloaded or executed.

- `folder.py`: the files of a checkpoint: its configuration, and its arrays by name
- `fields.py`: the fields of a configuration, each of which is used, changes no number, or is refused
- `plan.py`: the sizes and options of a model, from its configuration
- `parts.py`: the arrays of a model by their roles, as embeddings, layers and logits
- `texts.py`: a text as tokens: their ids and words, by the `tokenizer.json` of the folder
- `runs.py`: a layer with the words that reach it; the states and logits of a text
- `interventions.py`: what a layer computes is replaced or left out; the part of a logit that each head writes
- `checkpoint.py`: a checkpoint: its heads, its layers for a text, its logits, and their change by interventions
"""
