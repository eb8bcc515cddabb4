"""Words and their vectors: vocabulary, pictures, texts, damaged cues.

- `positions.py`: the positions of a text as vectors
- `vocabulary.py`: words as vectors, the named parts of a vector, the encoding of a text
- `text.py`: the input text: tokens, queries, padding, batch
- `sequences.py`: the sequences of a task and their answers
- `character_pictures.py`: pictures from characters, the letters that come with hopattn, and pictures as characters
- `picture_files.py`: pictures from images
- `pictures.py`: words that are pictures: letters, pictures drawn in the scenario, files
- `word_list.py`: the words of a memory, from its vocabulary and its pictures
- `damaged_cues.py`: cues made from words by damage or mixture
"""
