"""Scenario files: a TOML file states the input, the computation and the expected results.

- `grids.py`: the values of an axis of a grid, as a person writes them
- `files.py`: the folders of scenario files, and reading a file
- `language/`: lines, types, overrides, messages
- `practice/`: the table `[practice]`: pools of numbers, errors of students
- `crosstalk.py`: the signal of a cue's own pattern, and the crosstalk of the others
- `random_patterns.py`: random patterns and damaged cues
- `simulations.py`: the simulations of published numbers, by name
- `words/`: vocabulary, pictures, texts, damaged cues
- `parts/`: layers, projections and memories, as a file writes them
- `result.py`: the result of a run
- `explain/`: the arithmetic, as a lecture writes it
- `expectations/`: the expected results
- `kinds/`: the kinds of scenario; `templates/` has a small file of each to begin with
- `checking.py`: from a text to specifications, or to the list of its errors
- `schema.py`: the JSON Schema of a scenario file
- `loading.py`: from a file to a checked scenario
- `running.py`: from a checked scenario to its result
"""
