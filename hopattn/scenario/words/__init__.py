"""Words and what they are made of: vocabulary, pictures, texts, damaged cues.

- `vocabulary.py`: words, parts of vectors, positions
- `text.py`: the text that goes in: words, queries, padding, batch
- `sequences.py`: the sequences of a task and their answers
- `character_pictures.py`: pictures as characters, and characters as pictures
- `letters.py`: the letters and digits that come with hopattn
- `picture_files.py`: patterns from images, arrays and tables of numbers
- `pictures.py`: words that are pictures: letters, drawings, files
- `word_list.py`: the words of a memory: vocabulary and pictures together
- `damaged_cues.py`: cues that are damaged words, or mixtures of several
"""
