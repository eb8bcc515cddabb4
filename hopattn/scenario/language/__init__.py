"""The language of scenario files, without the models that they describe: lines, types, overrides, messages.

- `lines.py`: the tokens of a TOML text, and the line number of each key
- `syntax_faults.py`: how deep and how long a text may be, the likely cause of a text that is not TOML, decimal commas
- `table.py`: the types of the values in a scenario file, and the places of what is refused
- `paths.py`: the paths of values, their short forms and changes, and the keys that the schema allows
- `messages.py`: the errors of the schema as messages for the user
"""
