"""Notes of a lecturer: the numbers of a text, compared with what follows from its others, and with a scenario's run.

- `numbers.py`: numbers as a text prints them
- `pages.py`: files of text, HTML and notebooks as lines
- `reading.py`: a text as tables and paragraphs with their lines
- `known.py`: the numbers of a run by the names that a text calls them by
- `claims.py`: a number of a text beside the right one
- `tables.py`: the cells of tables
- `prose.py`: vectors and sentences
- `products.py`: products and sums of names
- `matrices.py`: vectors and matrices with their names; energies and single entries
- `formulas.py`: what follows from what
- `inference.py`: what a text gives, computed anew from what else it gives; rows of weights that must sum to 1
- `checking.py`: a whole text
"""
