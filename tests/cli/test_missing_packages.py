"""`python -m hopattn` in a Python for which its packages are not installed."""

import sys

from tests.processes import forked

MISSING = {"click": "--help", "numpy": "run bank", "pydantic": "run bank", "rich": "run bank"}


def test_a_package_that_is_missing_is_named_with_the_command_that_installs_it(tmp_path):
    start = "import sys; from hopattn.__main__ import main"
    scripts = [
        f"sys.modules[{name!r}] = None; sys.argv[1:] = {words.split()}; main()" for name, words in MISSING.items()
    ]
    for name, (code, out, err) in zip(MISSING, forked(tmp_path, start, scripts), strict=True):
        assert (code, out) == (3, "")
        assert err.startswith(f"{sys.executable} has no package '{name}'")
        assert err.endswith(f"{sys.executable} -m pip install .\n")
