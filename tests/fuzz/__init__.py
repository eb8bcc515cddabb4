"""Hostile cases and the law that none of them may break: how a command or a call may end, whatever it is given.

A case is data that JSON can hold. A process of its own executes it under limits, and the law judges how it ended. The
search of `tools/fuzz` keeps cases that break the law in `corpus/`; the tests execute each of these again.

- `judging.py`: the law: how a case may end
- `case_process.py`, `child.py`, `worker.py`: the process of one case; of cases, one after another; as its user sees it
- `commands.py`: a case of a command: files in a folder, and the words of a command line
- `corpus.py`: the cases that are kept, a small JSON file each
- `values.py`: hostile numbers, texts and lists
- `toml_text.py`: a document as the text of a TOML file
- `schemas.py`: documents that are drawn from the JSON Schema
- `hostile.py`: values that hardly any parameter is meant for
- `calls.py`, `methods.py`: calls of every public name that work
- `wrong_calls.py`: the kind of cases in which such calls get hostile values
"""
