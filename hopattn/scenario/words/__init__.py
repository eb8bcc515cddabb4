"""Words and their vectors: vocabulary, pictures, texts, damaged cues.

- `vocabulary.py`: words as vectors, the named parts of a vector, positions, the input text and its encoding
- `character_pictures.py`: pictures from characters, the letters that come with hopattn, and pictures as characters
- `pictures.py`: words that are pictures: letters, pictures drawn in the scenario, files
- `word_list.py`: the words of a memory, from its vocabulary and its pictures
- `damaged_cues.py`: cues made from words by damage or mixture
- `text.py`: the input text: tokens, queries, padding, batch
- `cues.py`: the words of a memory, from its vocabulary and its pictures; and cues made from words
"""
