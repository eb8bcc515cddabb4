"""Scenario files: a TOML file states the input, the computation and the expected results.

- `grids.py`: the values of an axis of a grid, as a person writes them
- `files.py`: the folders of scenario files, and reading a file
- `arithmetic.py`: numbers and sums as a lecture writes them
- `language/`: lines, types, places of what is refused, changes, messages
- `arrays.py`: the labelled arrays of a run, and their names as data
- `words/`: vocabulary, pictures, texts, damaged cues
- `sweep_and_figure.py`, `practice_table.py`, `mistakes.py`: tables that every kind may have
- `result.py`: the result of a run
- `expectations/`: the expected results, which ask the arrays
- `kinds/`: the kinds of scenario; `templates/` has a small file of each to begin with
- `checking.py`: from a text to specifications, or to the list of its errors
- `schema.py`: the JSON Schema of a scenario file
- `loading.py`: from a file to a checked scenario
- `running.py`: from a checked scenario to its result
"""
