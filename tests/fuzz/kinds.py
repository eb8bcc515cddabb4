"""The table of the kinds. A kind is a module with these functions:

* `cases()` gives the Hypothesis strategy of its cases, which JSON can hold;
* `attempt(case)` executes one in the current folder, and may raise `SystemExit` and `HopattnError`;
* `asked(case)`, where a case may write files, gives their paths;
* `prepare()`, where cases share a long beginning, does it once.
"""

from tests.fuzz import array_files, command_lines, environments, scenarios, schemas, wrong_calls

_MODULES = (scenarios, schemas, array_files, command_lines, environments, wrong_calls)
KINDS = {one.__name__.rpartition(".")[2]: one for one in _MODULES}
