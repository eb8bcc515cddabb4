"""The language of scenario files, before it has a subject: lines, types, overrides, messages.

- `lines.py`: the line on which each key of a TOML text stands
- `fields.py`: the types that scenario files are made of
- `overrides.py`: changing single values: `set` and `--set`
- `array_layout.py`: the arrays that a scenario will compute, known before it runs
- `messages.py`: from the findings of the schema to messages
- `sweep_table.py`: the numbers of a scenario that a sweep goes over
"""
