"""Environments: variables that Python, the libraries, the terminal or hopattn read, with values that they may not like.

Each case starts a process of its own, since such variables are read when a process begins.
"""

from pathlib import Path

from hypothesis import strategies as st

from tests.fuzz import commands
from tests.fuzz.commands import attempt

__all__ = ["asked", "attempt", "cases"]

FILES = {"f.toml": 'schema = 1\ntitle = "t\\u001b[31m 語"\nsource = "ours"\nkind = "attention"\n'}
COMMANDS = (
    *(["list"], ["--help"], ["--version"], ["run", "bank"], ["run", "bank", "--explain"], ["run", "bank", "--json"]),
    *(
        ["run", "f.toml"],
        ["run", "語"],
        ["check", "bank", "letters"],
        ["figures", "neuron"],
        ["completion", "bash"],
        ["schema"],
    ),
    *(["compare", "--trials", "1", "--dim", "8"], ["explore", "--no-open"], ["certify", "bam", "--count", "2"]),
    ["sweep", "bank", "--over", "layer.head.beta=1,2", "--workers", "2"],
)
ODD = (
    "",
    "0",
    "1",
    "-1",
    "abc",
    "1e9",
    "999999999999",
    "\x1b[31m",
    "語",
    "/nonexistent",
    "/dev/null",
    "/dev/full",
    "a" * 5000,
    "1,2",
    " ",
)
VARIABLES = {
    "MPLBACKEND": ("agg", "svg", "tkagg", "module://nonsense", "nonsense"),
    "MPLCONFIGDIR": ("/nonexistent", "/dev/null", "."),
    "MATPLOTLIBRC": ("/nonexistent", "f.toml"),
    "LOKY_MAX_CPU_COUNT": ("1", "0", "2.5"),
    "LOKY_PICKLER": ("pickle", "abc", "cloudpickle"),
    "LOKY_MAX_DEPTH": ("1", "0"),
    "JOBLIB_START_METHOD": ("spawn", "loky"),
    "JOBLIB_MULTIPROCESSING": ("0", "1"),
    "JOBLIB_TEMP_FOLDER": ("/nonexistent", "."),
    "HOPATTN_KERNELS": ("numpy", "compiled", "nonsense"),
    "HOPATTN_TRACEBACK": ("0", "1"),
    "HOPATTN_FULL": ("1",),
    "_HOPATTN_COMPLETE": ("bash_source", "zsh_complete", "nonsense"),
    "NUMBA_DISABLE_JIT": ("1",),
    "NUMBA_CACHE_DIR": ("/nonexistent", "/dev/null"),
    "NUMBA_NUM_THREADS": ("1", "0"),
    "OMP_NUM_THREADS": ("0", "1", "2,2"),
    "OPENBLAS_NUM_THREADS": ("0", "1"),
    "OPENBLAS_CORETYPE": ("nonsense", "Haswell"),
    "NO_COLOR": ("1",),
    "COLUMNS": ("0", "1", "2", "20", "100000", "-5"),
    "LINES": ("0", "1"),
    "TERM": ("dumb", "xterm-256color", "nonsense"),
    "COLORTERM": ("truecolor",),
    "LANG": ("C", "de_DE.UTF-8", "nonsense"),
    "LC_ALL": ("C", "POSIX", "ja_JP.SJIS"),
    "PYTHONIOENCODING": ("ascii", "utf-8:strict"),
    "PYTHONUTF8": ("0", "1"),
    "PYTHONWARNINGS": ("error", "always", "default"),
    "PYTHONDEVMODE": ("1",),
    "PYTHONOPTIMIZE": ("2",),
    "PYTHONHASHSEED": ("0", "1"),
    "PYTHONUNBUFFERED": ("1",),
    "HOME": (".", "/dev/null"),
    "XDG_CACHE_HOME": ("/nonexistent",),
    "TMPDIR": ("/nonexistent", "."),
    "SOURCE_DATE_EPOCH": ("0", "-1"),
    "NPY_DISABLE_CPU_FEATURES": ("AVX512F", "AVX2"),
    "SCIPY_ARRAY_API": ("1",),
    "NETWORKX_BACKEND_PRIORITY": ("nonsense",),
    "TZ": ("nonsense",),
    "PATH": ("", "."),
    "BROWSER": ("nonsense",),
    "DISPLAY": (":99",),
    "DASK_CONFIG": ("/nonexistent",),
}
PYTHON_READS = {"PYTHONIOENCODING", "PYTHONUTF8", "PYTHONHASHSEED", "PYTHONDEVMODE", "PYTHONWARNINGS", "TZ"}
"""Variables that Python itself checks, or that ask it to print warnings: they have usual values only."""
KEEPING = {"HOME": (".cache", ".config"), "XDG_CACHE_HOME": ("matplotlib",), "XDG_CONFIG_HOME": ("matplotlib",)}
"""Variables with a folder in which libraries keep files of their own, and the folders that they make there."""


def asked(case):
    """The paths that a command is asked for, and those in which libraries then keep files of their own."""
    given = case.get("environment", {})
    kept = [Path(given[name], inner) for name, own in KEEPING.items() if given.get(name) for inner in own]
    return [*commands.asked(case), *kept]


@st.composite
def cases(draw):
    """Cases of a command with up to three changed variables, and seldom with a closed stream."""
    changes = {}
    for name in draw(st.lists(st.sampled_from(sorted(VARIABLES)), min_size=1, max_size=3, unique=True)):
        usual = st.sampled_from([*VARIABLES[name], None])
        changes[name] = draw(usual if name in PYTHON_READS else usual | st.sampled_from(ODD))
    case = {"files": FILES, "words": draw(st.sampled_from(COMMANDS)), "environment": changes}
    return case | (
        {"closed": draw(st.sampled_from([[0], [1], [2], [0, 1, 2]]))} if draw(st.integers(0, 9)) == 0 else {}
    )
