"""Scenario files: a TOML file says what goes in, what is done, and what must come out.

- `files.py`: where scenario files lie; reading them
- `language/`: lines, types, overrides, messages
- `words/`: vocabulary, pictures, texts, damaged cues
- `parts/`: layers, projections and memories, as a file writes them
- `result.py`: the result of a run
- `explain/`: the arithmetic, as a lecture writes it
- `expectations/`: what must come out
- `kinds/`: the kinds of scenario
- `checking.py`: from a text to specifications, or to all that is wrong in it
- `schema.py`: the JSON Schema of a scenario file
- `loading.py`: from a file to a checked scenario
- `running.py`: from a checked scenario to its result
"""
