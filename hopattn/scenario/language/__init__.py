"""The language of scenario files, without the models that they describe: lines, types, overrides, messages.

- `lines.py`: the tokens of a TOML text, and the line number of each key
- `bounds.py`: how deep and how long a text may be
- `fields.py`: the types of the values in a scenario file
- `paths.py`: the paths of values, such as layer.head.mask, their short forms, and the keys that the schema allows
- `stopped.py`: the place where `tomllib` stopped reading a text
- `syntax_faults.py`: the likely cause of a text that is not TOML
- `overrides.py`: changes of single values, for `set` and `--set`
- `refused.py`: a document without the values that the schema refused
- `decimal_commas.py`: hints for numbers with a decimal comma, and for texts instead of numbers
- `occurrence.py`: the tokens of a text with their labels, as data: `their#2`
- `common_problems.py`: problems that many tables have
- `array_name.py`: the name of an array of a run, as data
- `array_layout.py`: the names, shapes and labels of the arrays that a scenario will compute
- `messages.py`: the errors of the schema as messages for the user
- `sweep_table.py`: the table `[sweep]`: axes, trials and measures
- `figure_table.py`: the table `[figure]`: titles, axes, words that stand out
"""
