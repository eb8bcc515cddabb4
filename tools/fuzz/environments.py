"""Environments: variables that Python, the libraries, the terminal or hopattn read, with values that they may not like.

Each case starts a process of its own, since such variables are read when a process begins.
"""

from hypothesis import strategies as st

from tests.fuzz.values import words

FILES = {"f.toml": 'schema = 1\ntitle = "t\\u001b[31m 語"\nsource = "ours"\nkind = "attention"\n'}
COMMANDS = [
    words(line)
    for line in (
        *("list", "--help", "--version", "run bank", "run bank --explain", "run bank --json", "run f.toml", "run 語"),
        *("check bank letters", "figures neuron", "completion bash", "schema", "compare --trials 1 --set dim=8"),
        *("explore --no-open", "sweep bank --over layer.head.beta=1,2 --workers 2"),
    )
]
ODD = ("", "a" * 5000, " ", *words("0 1 -1 abc 1e9 999999999999 \x1b[31m 語 /nonexistent /dev/null /dev/full 1,2"))
# fmt: off
VARIABLES = {
    "MPLBACKEND": "agg svg tkagg module://nonsense nonsense", "MPLCONFIGDIR": "/nonexistent /dev/null .",
    "MATPLOTLIBRC": "/nonexistent f.toml", "LOKY_MAX_CPU_COUNT": "1 0 2.5", "LOKY_PICKLER": "pickle abc cloudpickle",
    **dict.fromkeys(("LOKY_MAX_DEPTH", "NUMBA_NUM_THREADS"), "1 0"), "JOBLIB_START_METHOD": "spawn loky",
    **dict.fromkeys(("JOBLIB_MULTIPROCESSING", "HOPATTN_TRACEBACK", "OPENBLAS_NUM_THREADS", "LINES", "PYTHONUTF8",
        "PYTHONHASHSEED"), "0 1"),
    **dict.fromkeys(("JOBLIB_TEMP_FOLDER", "TMPDIR"), "/nonexistent ."), "HOPATTN_KERNELS": "numpy compiled nonsense",
    **dict.fromkeys(("NUMBA_DISABLE_JIT", "NO_COLOR", "PYTHONDEVMODE", "PYTHONUNBUFFERED",
        "SCIPY_ARRAY_API"), "1" ),
    "_HOPATTN_COMPLETE": "bash_source zsh_complete nonsense", "NUMBA_CACHE_DIR": "/nonexistent /dev/null",
    "OMP_NUM_THREADS": "0 1 2,2", "OPENBLAS_CORETYPE": "nonsense Haswell", "COLUMNS": "0 1 2 20 100000 -5",
    "TERM": "dumb xterm-256color nonsense", "COLORTERM": "truecolor", "LANG": "C de_DE.UTF-8 nonsense",
    "LC_ALL": "C POSIX ja_JP.SJIS", "PYTHONIOENCODING": "ascii utf-8:strict", "PYTHONWARNINGS": "error always default",
    "PYTHONOPTIMIZE": "2", "HOME": ". /dev/null", **dict.fromkeys(("XDG_CACHE_HOME", "DASK_CONFIG"), "/nonexistent"),
    "SOURCE_DATE_EPOCH": "0 -1", "NPY_DISABLE_CPU_FEATURES": "AVX512F AVX2",
    **dict.fromkeys(("NETWORKX_BACKEND_PRIORITY", "TZ", "BROWSER"), "nonsense"), "PATH": " .", "DISPLAY": ":99",
}
# fmt: on
VARIABLES = {name: words(line) for name, line in VARIABLES.items()}
PYTHON_READS = {"PYTHONIOENCODING", "PYTHONUTF8", "PYTHONHASHSEED", "PYTHONDEVMODE", "PYTHONWARNINGS", "TZ"}
"""Variables that Python itself checks, or that ask it to print warnings: they have usual values only."""


@st.composite
def cases(draw):
    """Cases of a command with up to three changed variables, and seldom with a closed stream."""
    changes = {}
    for name in draw(st.lists(st.sampled_from(sorted(VARIABLES)), min_size=1, max_size=3, unique=True)):
        usual = st.sampled_from([*VARIABLES[name], None])
        changes[name] = draw(usual if name in PYTHON_READS else usual | st.sampled_from(ODD))
    case = {"files": FILES, "words": draw(st.sampled_from(COMMANDS)), "environment": changes}
    closed = {"closed": draw(st.sampled_from([[0], [1], [2], [0, 1, 2]]))}
    return case | closed if draw(st.integers(0, 9)) == 0 else case
