"""Fuzzing: hostile scenarios, files, command lines, environments and calls, and the law that none of them may break.

`make fuzz` draws new cases for a minute. A case is data that JSON can hold. A process of its own executes it under
limits, and the law judges how it ended. A case that breaks the law is made as small as possible and saved in `corpus/`;
`make test` executes every case of that folder again.

- `judging.py`: the law: how a case may end
- `case_process.py`: the process of one case: its folders, its limits, its report
- `child.py`: the process that executes cases, one after another
- `worker.py`: the same process, as its user sees it
- `values.py`: hostile numbers, texts and lists
- `toml_text.py`: a document as the text of a TOML file
- `commands.py`: a case of a command: files in a folder, and the words of a command line
- `scenarios.py`, `schemas.py`, `array_files.py`, `command_lines.py`, `environments.py`: a kind of cases each
- `hostile.py`: values that hardly any parameter is meant for, by name
- `samples.py`, `calls.py`, `methods.py`: calls of every public name that work
- `wrong_calls.py`: the kind of cases in which such calls get hostile values
- `kinds.py`: the table of the kinds
- `corpus.py`: the cases that are kept, a small JSON file each
- `search.py`: the search for cases that break the law, bounded in time
- `__main__.py`: `python -m tests.fuzz --seconds 60`
"""
