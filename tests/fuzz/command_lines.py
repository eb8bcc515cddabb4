"""Command lines: every command and option of hopattn with hostile values, doubled, without values, or unknown."""

from functools import cache

import click
from hypothesis import strategies as st

from hopattn.cli.main import cli
from hopattn.scenario.files import shipped
from tests.fuzz import values
from tests.fuzz.commands import asked, attempt, in_pieces

__all__ = ["asked", "attempt", "cases"]

GOOD = """schema = 1
title = "t"
source = "ours"
kind = "attention"
[vocabulary]
axes = ["x", "y"]
[vocabulary.words]
a = [1, 0]
b = [0, 1]
[input]
tokens = ["a", "b"]
[[layer]]
[[layer.head]]
"""
FILES = {
    **dict.fromkeys(("good.toml", "\x1b[31mred.toml", "not-utf8�.toml", "-.toml", "folder/x.toml", "語.toml"), GOOD),
    **{
        "bad.toml": GOOD + "x = 1\n",
        "empty.toml": "",
        "torn.jsonl": '{"torn',
        "a.csv": "1,-1\n-1,1\n",
        "a.npy": "x",
        "a.npz": "PK",
    },
}
PATHS = (
    *(
        *FILES,
        "folder",
        "new",
        "new/deep/x",
        "o.svg",
        "o.csv",
        "o.npz",
        "o.json",
        "o.pdf",
        "o.png",
        "o.SVG",
        "o",
        ".svg",
        "o.svg.gz",
    ),
    *(
        "/dev/null",
        "/dev/full",
        "/dev/stdout",
        "/dev/zero",
        "/proc/self/mem",
        "/nonexistent/x.csv",
        ".",
        "..",
        "",
        "good.toml/x.svg",
    ),
    *(
        "\x1b[31mred.svg",
        "\x9b.csv",
        "not-utf8\udcff.csv",
        "n" * 300 + ".svg",
        "\u202egvs.o",
        "a\nb.csv",
        "~/x",
        "%s.svg",
        "$x$.svg",
    ),
)
KEYS = (
    *(
        "layer.head.beta",
        "layer.1.head.mask",
        "mask",
        "beta",
        "input.tokens",
        "title",
        "figure.title",
        "ensemble.neurons",
        "memory.beta",
    ),
    *(
        "",
        ".",
        "..",
        "a..b",
        "layer.-1.head",
        "layer.99.head.beta",
        "[x]",
        '"',
        "vocabulary.words.a",
        "expect",
        "schema",
        'cue."x".hide',
    ),
)
GRIDS = (
    "1,2",
    "0.1:1:3",
    "1:2:log2",
    "1",
    "",
    ":",
    "::",
    "1:2:0",
    "1:2:-1",
    "1:2:10000000",
    "nan,1",
    "1e308,1e309",
    "1:1:2",
    "2:1:3",
    "0:1:log3",
    "a,b",
    "1,1",
    "٣,1",
    "1_0,2",
)
COSTLY = {"--workers", "--processes", "--scheduler"}
"""Options that start processes or look for a cluster; they are given seldom, and a value that is quick to refuse."""
SMALL = {
    "--trials": "1",
    "--count": "2",
    "--dim": "8",
    "--n-patterns": "3",
    "--steps": "2",
    "--load": "0.2",
    "--max-steps": "9",
}
"""Options that set how much is done, and a value with which it is little."""


@cache
def commands():
    """Every command of hopattn by its name."""
    context = click.Context(cli)
    return {name: cli.get_command(context, name) for name in cli.list_commands(context)}


def scenario_names():
    return (
        st.sampled_from(
            ["bank", "bank", "letters", "capacity", "good.toml", "bad.toml", *PATHS, *sorted(shipped())[:9]]
        )
        | values.texts()
    )


@st.composite
def option_values(draw, option):
    """A value for an option: usual, fit for another option, or hostile."""
    name = option.opts[0]
    if name in SMALL and draw(st.integers(0, 3)):
        return SMALL[name]
    if "=" in str(option.metavar):
        value = (
            st.sampled_from(GRIDS)
            | values.texts()
            | st.sampled_from(["causal", "'x'", "[1, 0]", "{a = 1}", "0.5", "true", "1\nschema = 2"])
        )
        equals = st.sampled_from(["=", "=", "=", "", "==", " = "])
        return "".join(map(draw, (st.sampled_from(KEYS) | values.texts(), equals, value)))
    if isinstance(option.type, click.Path):
        return draw(st.sampled_from(PATHS))
    if isinstance(option.type, click.Choice):
        return draw(st.sampled_from([*map(str, option.type.choices), ""]) | values.texts())
    words = st.sampled_from(
        [
            "svg",
            "png",
            "svg,pdf",
            "3.4x2.4",
            "1x1",
            "paper",
            "dark",
            "moved",
            "spins",
            "unit",
            "causal",
            "none",
            "recalled",
            "modern,hopfield",
            "nearest",
            "layer 1 head 1 weights[b, a]",
        ]
    )
    numbers = values.numbers().map(str)
    small = st.sampled_from(["0", "1", "2", "-1", "0.5", "1e308", "nan", "inf", "5e-324", "1_0", "٣", "9" * 5000])
    return draw(words | values.texts() | (small if name in SMALL else numbers | small))


@st.composite
def cases(draw):
    """Cases of one command with any of its arguments and options, in any order and number."""
    name = draw(st.sampled_from(sorted(commands())))
    command = commands()[name]
    words = []
    for param in command.params:
        if isinstance(param, click.Argument):
            words += draw(st.lists(arguments(name, param), max_size=3 if param.nargs == -1 else 2, min_size=1))
    options = [one for one in command.params if isinstance(one, click.Option) and (one.opts[0] not in COSTLY)]
    for option in draw(st.lists(st.sampled_from(options), max_size=4)) if options else ():
        words.append(option.opts[0])
        if not option.is_flag and draw(st.integers(0, 9)):
            words.append(draw(option_values(option)))
    if draw(st.integers(0, 5)) == 0:
        words.insert(
            draw(st.integers(0, len(words))),
            draw(values.texts() | st.sampled_from(["--", "-", "--help", "-h", "--version", "--jsn", "--seed"])),
        )
    words = [name, *words, *small_work(name, words)]
    files = {file: text for file, text in FILES.items() if any(file.partition("/")[0] in word for word in words)}
    return {"files": files, "words": [in_pieces(word.replace("\0", "")) for word in words]}


def arguments(name, param):
    """Words for an argument of a command."""
    own = {
        "names": ["neuron", "attention", "moved", "nonsense"],
        "memory": ["modern", "bam", "hopfield", "nonsense"],
        "shell": ["bash", "zsh", "fish", "x"],
        "kind": ["attention", "memory", "task", "x"],
        "model": ["two-layers", "x"],
    }
    if param.name in own:
        return st.sampled_from(own[param.name]) | values.texts()
    return st.sampled_from(PATHS) if isinstance(param.type, click.Path) else scenario_names()


def small_work(name, words):
    """Options that keep the work of a command small, where its words do not."""
    least = {
        "compare": {"--trials": "1", "--dim": "8"},
        "sweep": {"--trials": "1", "--workers": "1"},
        "certify": {"--count": "2"},
    }
    return [word for pair in least.get(name, {}).items() if pair[0] not in words for word in pair]
