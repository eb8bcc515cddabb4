"""Fuzzing: hostile scenarios, files, command lines, environments and calls, and a search for those that break the law.

`make fuzz` draws new cases for a minute. `tests/fuzz` executes each in a process of its own, and judges how it ended. A
case that breaks the law is made as small as possible and saved in `tests/fuzz/corpus`; the tests execute it again.

- `scenarios.py`, `array_files.py`, `command_lines.py`, `environments.py`: what cases are drawn from
- `search.py`: the search for cases that break the law, bounded in time
- `__main__.py`: `python -m tools.fuzz --seconds 60`
"""
