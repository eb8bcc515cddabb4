"""Command lines: every command and option of hopattn with hostile values, doubled, without values, or unknown."""

from functools import cache

import click
from hypothesis import strategies as st

from hopattn.cli.main import cli
from hopattn.scenario.files import shipped
from tests.fuzz import values
from tests.fuzz.commands import in_pieces
from tests.fuzz.values import words
from tests.texts import GOOD

FILES = {
    **dict.fromkeys(("good.toml", "\x1b[31mred.toml", "not-utf8�.toml", "-.toml", "folder/x.toml", "語.toml"), GOOD),
    **{"bad.toml": GOOD + "x = 1\n", "empty.toml": "", "torn.jsonl": '{"torn'},
    **{"a.csv": "1,-1\n-1,1\n", "a.npy": "x", "a.npz": "PK"},
}
PATHS = (
    *FILES,
    *words("folder new new/deep/x o.svg o.csv o.npz o.json o.pdf o.png o.SVG o .svg o.svg.gz ~/x %s.svg $x$.svg . .."),
    *words("/dev/null /dev/full /dev/stdout /dev/zero /proc/self/mem /nonexistent/x.csv good.toml/x.svg"),
    *("", "\x1b[31mred.svg", "\x9b.csv", "not-utf8\udcff.csv", "n" * 300 + ".svg", "\u202egvs.o", "a\nb.csv"),
)
KEYS = (
    *words("layer.head.beta layer.1.head.mask mask beta input.tokens title figure.title ensemble.neurons memory.beta"),
    *words('. .. a..b layer.-1.head layer.99.head.beta [x] " vocabulary.words.a expect schema'),
    *("", 'cue."x".hide'),
)
GRIDS = (
    *words("1,2 0.1:1:3 1:2:log2 1 : :: 1:2:0 1:2:-1 1:2:10000000 nan,1 1e308,1e309 1:1:2 2:1:3 0:1:log3 a,b 1,1"),
    *("", "٣,1", "1_0,2"),
)
VALUES = ("causal", "'x'", "[1, 0]", "{a = 1}", "0.5", "true", "1\nschema = 2", "nan", "1e999", "[[[[]]]]")
"""Values of --set."""
COSTLY = {"--workers", "--processes", "--scheduler"}
"""Options that start processes or look for a cluster; they are left out."""
SMALL = {"--trials": "1", "--count": "2", "--steps": "2"}
"""Options that set how much is done, and a value with which it is little."""


@cache
def commands():
    """Every command of hopattn by its name."""
    context = click.Context(cli)
    return {name: cli.get_command(context, name) for name in cli.list_commands(context)}


def scenario_names():
    """Names of scenarios, mostly of some that are there."""
    usual = st.sampled_from(["bank", "letters", "capacity", "good.toml"])
    return st.one_of(*[usual] * 6, st.sampled_from([*PATHS, "bad.toml", *sorted(shipped())[:9]]), values.texts())


# fmt: off
USUAL = {
    "--set": "mask=causal layer.head.beta=2 title=x layer.head.separation=softmax memory.beta=1 beta=0 dim=8 "
    "load=0.5 noise=1 hidden=1 patterns=unit correlation=1e308 max_steps=9",
    "--over": "beta=1,2 layer.head.beta=0.1:10:log2 load=0.1,0.2 dim=8,16 noise=0,1 correlation=0,0.9",
    "--models": "modern,hopfield nearest sparse,entmax linear,dense,exponential,normmax",
    "--measure": "recalled steps overlap output entropy", "--as": "svg png svg,pdf gif",
    "--size": "3.4x2.4 1x1 0.5x100 100x100", "--style": "paper dark slide",
    "--figure": "moved attention words all", "--array": "weights q,k,v", "--mask": "none causal strict", **SMALL,
    "--seed": f"0 1 {2**63} {10**30}", "--points": "kept.jsonl torn.jsonl",
    "--out": "new/ o.svg o.csv new/o.npz o.json o.pdf -.md o.jpg",
}
# fmt: on
USUAL = {option: words(line) for option, line in USUAL.items()}
USUAL["--measure"].append("layer 1 head 1 weights[b, a]")
"""Values that an option takes, or might."""


@st.composite
def option_values(draw, option):
    """A value for an option: in three of four cases a usual one, else one for another option, or a hostile one."""
    name = option.opts[0]
    if draw(st.integers(0, 3)):
        return draw(st.sampled_from(USUAL.get(name, ("1", "x"))))
    if "=" in str(option.metavar):
        value = st.sampled_from(GRIDS) | values.texts() | st.sampled_from(VALUES)
        equals = st.sampled_from(["=", "=", "=", "", "==", " = "])
        return "".join(map(draw, (st.sampled_from(KEYS) | values.texts(), equals, value)))
    if isinstance(option.type, click.Path):
        return draw(st.sampled_from(PATHS))
    other = st.sampled_from([value for one in USUAL.values() for value in one])
    small = st.sampled_from(["0", "1", "2", "-1", "0.5", "1e308", "nan", "inf", "5e-324", "1_0", "٣", "9" * 5000])
    return draw(values.texts() | small | (small if name in SMALL else other | values.numbers().map(str)))


@st.composite
def cases(draw):
    """Cases of one command with any of its arguments and options, in any order and number."""
    name = draw(st.sampled_from(sorted(commands())))
    command = commands()[name]
    line = []
    for param in command.params:
        if isinstance(param, click.Argument):
            count = draw(st.sampled_from([1, 1, 1, 1, 1, 1, int(param.nargs == -1), 2, 3]))
            line += [draw(arguments(param)) for _ in range(count)]
    options = [one for one in command.params if isinstance(one, click.Option) and (one.opts[0] not in COSTLY)]
    for option in draw(st.lists(st.sampled_from(options), max_size=4)) if options else ():
        line.append(option.opts[0])
        if not option.is_flag and draw(st.integers(0, 9)):
            line.append(draw(option_values(option)))
    if draw(st.integers(0, 7)) == 0:
        odd = values.texts() | st.sampled_from(["--", "-", "--help", "-h", "--version", "--jsn", "--seed"])
        line.insert(draw(st.integers(0, len(line))), draw(odd))
    if any(param.nargs == -1 for param in command.params):  # without a name, `check` runs all scenarios
        line = ["-" if word == "--" else word for word in line]
    line = [name, *line, *small_work(name, line)]
    files = {file: text for file, text in FILES.items() if any(file.partition("/")[0] in word for word in line)}
    return {"files": files, "words": [in_pieces(word.replace("\0", "")) for word in line]}


def arguments(param):
    """Words for an argument of a command."""
    own = {
        "names": "neuron attention moved nonsense",
        "shell": "bash zsh fish x",
        "kind": "attention memory task x",
        "model": "two-layers x",
        "words": "critical-load newman-bound kinetic critical-laod",
    }
    if param.name in own:
        return st.sampled_from(words(own[param.name])) | values.texts()
    return st.sampled_from(PATHS) if isinstance(param.type, click.Path) else scenario_names()


def small_work(name, line):
    """Options that keep the work of a command small, where its line do not."""
    least = {"compare": {"--trials": "1", "--set": "dim=8"}, "sweep": {"--trials": "1", "--workers": "1"}}
    return [word for pair in least.get(name, {}).items() if pair[0] not in line for word in pair]
