"""Notes of a lecturer: the numbers of a text that stand beside a scenario's names, compared with its run.

- `numbers.py`: numbers as a text prints them
- `reading.py`: a text as tables and paragraphs with their lines
- `known.py`: the numbers of a run by the names that a text calls them by
- `claims.py`: a number of a text beside the right one
- `tables.py`: the cells of tables, and rows of weights that must sum to 1
- `prose.py`: vectors and sentences
- `checking.py`: a whole text
"""
