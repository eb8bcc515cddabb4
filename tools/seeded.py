"""Seed faults into the package at random, one at a time, and count those that the tests find.

`python -m tools.seeded 100 --seed 7` draws 100 places in the code of `hopattn/` and changes each: another comparison,
sign, number, index, default, order of arguments, a condition turned round, a step left out. All tests run once in a
copy of the tree that notes which test reaches which place. Then the tests that reach a place run against its fault, the
cheap ones first: those of `make test`, and if they find nothing the slow ones. A fault outside of functions, such as a
default, is held against the tests that reach any function of its file. It prints a line for each fault, and a table.

A fault that no test finds is a missing law, or it changes nothing: read it, and say which.
"""

import argparse
import ast
import json
import os
import queue
import random
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PROBE = '(__import__("builtins").__dict__.get("_reached") or int)({})'
"""Notes that a place was reached; does nothing in processes that the tests start."""
LONGEST = 240
"""Seconds after which the tests of a fault are ended: the fault has made a loop endless."""
DEAREST = 90.0
"""Seconds of tests that are held against one fault at each speed."""
NO_TEST, USAGE = 5, 4
"""Exit codes of pytest."""

COMPARISONS = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "=="}
COMPARISONS |= {"is": "is not", "is not": "is", "in": "not in", "not in": "in"}
OPERATIONS = {"+": "-", "-": "+", "*": "/", "/": "*"}
SIGNS = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!=", ast.Is: "is"}
SIGNS |= {ast.IsNot: "is not", ast.In: "in", ast.NotIn: "not in"}
SIGNS |= {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/"}
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


@dataclass(frozen=True)
class Fault:
    """A change of one part of a file: from one offset of its text to another, and what stands there instead.

    probes: the lines before which a probe shows that the place is reached.
    """

    file: str
    start: int
    end: int
    text: str
    kind: str
    line: int
    probes: tuple[int, ...]

    def applied(self, source):
        return source[: self.start] + self.text + source[self.end :]


def changes(node, of):
    """Each way to change a node: what kind of change, the part that is replaced, and its new text."""
    match node:
        case ast.Compare(left=left, ops=[sign], comparators=[right]):
            yield "comparison", node, f"{of(left)} {COMPARISONS[SIGNS[type(sign)]]} {of(right)}"
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub() | ast.Mult() | ast.Div() as sign, right=right):
            yield "operation", node, f"({of(left)}) {OPERATIONS[SIGNS[type(sign)]]} ({of(right)})"
        case ast.UnaryOp(op=ast.Not() | ast.USub(), operand=operand):
            yield "sign or not", node, f"({of(operand)})"
        case ast.BoolOp(op=op, values=values):
            word = " or " if isinstance(op, ast.And) else " and "
            yield "and, or", node, f"({word.join(f'({of(value)})' for value in values)})"
        case ast.Constant(value=bool(value)):
            yield "truth", node, str(not value)
        case ast.Constant(value=int(value)):
            yield "number", node, repr(value + 1)
        case ast.Constant(value=float(value)):
            yield "number", node, repr(value * 1.1 + 0.01)
        case ast.Call(func=func, args=[first, second]) if not isinstance(second, ast.Starred):
            yield "order of arguments", node, f"{of(func)}({', '.join(map(of, [second, first, *node.keywords]))})"
        case ast.If(test=test) | ast.IfExp(test=test):
            yield "condition", test, f"(not ({of(test)}))"
        case ast.Return(value=ast.expr()):
            yield "result", node, "return None"
        case ast.Expr(value=ast.Call()) | ast.AugAssign() | ast.Raise():
            yield "step left out", node, "pass"


class Places(ast.NodeVisitor):
    """Every change of a file. A visit knows the statement, within a function, that it is in."""

    def __init__(self, file, source):
        self.file, self.raw, self.found, self.statement = file, source.encode(), [], None
        self.starts = [0]
        for line in source.split("\n"):
            self.starts.append(self.starts[-1] + len(line.encode()) + 1)
        tree = ast.parse(source)
        functions = [node for node in ast.walk(tree) if isinstance(node, FUNCTIONS)]
        bodies = [(node, node.body[ast.get_docstring(node) is not None :]) for node in functions]
        self.every = tuple(first_line(body[0]) for node, body in bodies if body and body[0].lineno > node.lineno)
        self.visit(tree)

    def span(self, part):
        return self.starts[part.lineno - 1] + part.col_offset, self.starts[part.end_lineno - 1] + part.end_col_offset

    def of(self, part):
        return self.raw[slice(*self.span(part))].decode()

    def visit(self, node):
        for kind, part, text in changes(node, self.of):
            start, end = (len(self.raw[:offset].decode()) for offset in self.span(part))
            probes = (first_line(self.statement),) if self.statement else self.every
            self.found.append(Fault(self.file, start, end, text, kind, part.lineno, probes))
        super().visit(node)

    def visit_FunctionDef(self, node):
        for part in [*node.decorator_list, *node.args.defaults, *filter(None, node.args.kw_defaults)]:
            self.visit(part)
        for part in node.body:
            self.within(part, part)

    visit_AsyncFunctionDef = visit_FunctionDef  # noqa: N815

    def visit_AnnAssign(self, node):
        if node.value:
            self.visit(node.value)

    def visit_Expr(self, node):
        if not isinstance(node.value, ast.Constant):  # a docstring
            self.generic_visit(node)

    def visit_JoinedStr(self, node):
        """The parts of a text have no places of their own before Python 3.12."""

    def generic_visit(self, node):
        for part in ast.iter_child_nodes(node):
            chained = isinstance(node, ast.If) and isinstance(part, ast.If) and self.of(part).startswith("elif")
            if self.statement and isinstance(part, ast.stmt) and not chained:
                self.within(part, part)
            else:
                self.visit(part)

    def within(self, statement, part):
        outer, self.statement = self.statement, statement
        self.visit(part)
        self.statement = outer


def first_line(statement):
    return min(part.lineno for part in [statement, *getattr(statement, "decorator_list", [])])


def another(fault, source):
    """Whether the changed file can be read and is another program."""
    try:
        return ast.dump(ast.parse(fault.applied(source))) != ast.dump(ast.parse(source))
    except SyntaxError:
        return False


def drawn(root, count, seed):
    """So many faults in the package, no two on one line; a file is drawn by its length."""
    rng, faults, places = random.Random(seed), {}, {}
    files = sorted(path for path in (root / "hopattn").rglob("*.py") if path.name != "__init__.py")
    texts = {path: path.read_text(encoding="utf-8") for path in files}
    while len(faults) < count:
        path = rng.choices(files, [texts[path].count("\n") for path in files])[0]
        if path not in places:
            places[path] = Places(path.relative_to(root).as_posix(), texts[path]).found
        if places[path] and another(fault := rng.choice(places[path]), texts[path]):
            faults.setdefault((fault.file, fault.line), fault)
    return list(faults.values())


PLUGIN = '''"""Notes which test reaches which probe, and how long it takes; what tests share counts for each of them."""
import builtins, functools, json, os, pytest, sys
NOW, SHARED = set(), {}
builtins._reached = NOW.add
def forget():
    for name, module in [*sys.modules.items()]:
        if name.partition(".")[0] in ("hopattn", "tests"):
            for value in [*vars(module).values()]:
                if isinstance(value, functools._lru_cache_wrapper):
                    value.cache_clear()
@pytest.hookimpl(wrapper=True)
def pytest_fixture_setup(fixturedef, request):
    before = {*NOW}
    NOW.clear()
    result = yield
    if fixturedef.scope != "function":
        SHARED.setdefault(fixturedef.argname, set()).update(NOW)
    NOW.update(before)
    return result
@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item, nextitem):
    NOW.clear()
    forget()
    before = sum(os.times()[:4])
    result = yield
    numbers = NOW.union(*(SHARED.get(name, ()) for name in item.fixturenames))
    row = [item.nodeid, sum(os.times()[:4]) - before, bool(item.get_closest_marker("slow")), sorted(numbers)]
    with open(f"{os.environ['REACHED']}.{os.environ.get('PYTEST_XDIST_WORKER', '0')}", "a") as file:
        file.write(json.dumps(row) + "\\n")
    return result
'''


def run_tests(tree, words, python, **more):
    """The exit code of pytest and what it prints; 1 where it has no end."""
    environment = {**os.environ, "PYTHONPATH": f"{tree}{os.pathsep}{tree.parent}", **more}
    command = [python, "-m", "pytest", "-q", "-p", "no:randomly", "-p", "no:cacheprovider", *words]
    seconds = None if more else LONGEST
    try:
        ran = subprocess.run(command, cwd=tree, env=environment, timeout=seconds, stdout=-1, stderr=-2, text=True)
    except subprocess.TimeoutExpired:
        return 1, "no end"
    return ran.returncode, ran.stdout


def copied(root, tree):
    left_out = shutil.ignore_patterns(".git", ".venv", "__pycache__", "_build", ".*_cache")
    return Path(shutil.copytree(root, tree, ignore=left_out))


def reached(root, scratch, faults):
    """For each fault the tests that reach it: seconds, name, whether it is slow."""
    tree, lines = copied(root, scratch / "probed" / "tree"), {}
    (scratch / "probed" / "seeded_probe.py").write_text(PLUGIN)
    for number, fault in enumerate(faults):
        for line in fault.probes:
            lines.setdefault(fault.file, {}).setdefault(line, []).append(number)
    for file, places in lines.items():
        text = (tree / file).read_text(encoding="utf-8").split("\n")
        for line in sorted(places, reverse=True):
            indent = text[line - 1][: len(text[line - 1]) - len(text[line - 1].lstrip())]
            text[line - 1 : line - 1] = [indent + PROBE.format(number) for number in places[line]]
        if "/compiled/" not in file:
            (tree / file).write_text("\n".join(text), encoding="utf-8")
    words = ["-n", "auto", "--dist", "worksteal", "-p", "seeded_probe", "-m", ""]
    sys.stderr.write(run_tests(tree, words, sys.executable, REACHED=str(scratch / "reached"))[1][-300:])
    tests = [[] for _ in faults]
    for path in scratch.glob("reached.*"):
        for name, seconds, slow, numbers in map(json.loads, path.read_text().splitlines()):
            for number in numbers:
                tests[number].append((seconds, name, slow))
    return [sorted(rows) for rows in tests]


def fails(tree, names, python):
    """Whether one of these tests fails; a test whose cases have other names here, as with an address, is left out."""
    listed = tree.parent / "names"
    while names:
        listed.write_text("\n".join(names))
        code, printed = run_tests(tree, ["-x", "-m", "", f"@{listed}"], python)
        missing = {line.split("/tree/", 1)[1] for line in printed.split("\n") if line.startswith("ERROR: not found: ")}
        if code != USAGE or not missing or "ERROR collecting" in printed:
            return code not in (0, NO_TEST)
        names = [name for name in names if name.partition("[")[0] not in missing]
    return False


def judged(tree, fault, tests, python):
    """How a fault ended: found by `make test`, by slow tests, by none."""
    path = tree / fault.file
    source = path.read_text(encoding="utf-8")
    path.write_text(fault.applied(source), encoding="utf-8")
    try:
        for slow, how in ((False, "make test"), (True, "slow tests")):
            names, spent = [], 0.0
            for seconds, name, of_slow in tests:
                if of_slow == slow and spent < DEAREST:
                    names, spent = [*names, name], spent + seconds
            if fails(tree, list(dict.fromkeys(names)), sys.executable if slow else python):
                return how
        return "nothing" if tests else "not reached"
    finally:
        path.write_text(source, encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(prog="python -m tools.seeded", description=__doc__.partition("\n")[0])
    parser.add_argument("count", type=int, help="how many faults")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--python", default=sys.executable, help="runs the tests of `make test`, as without the extras")
    parser.add_argument("--processes", type=int, default=os.cpu_count())
    parser.add_argument(
        "--least", type=float, nargs=2, default=(0, 0), help="the shares in percent to be found by each"
    )
    options = parser.parse_args()
    faults, ends, trees = drawn(ROOT, options.count, options.seed), Counter(), queue.Queue()
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(options.processes) as pool:
        tests = reached(ROOT, Path(folder), faults)
        for number in range(options.processes):
            trees.put(copied(ROOT, Path(folder, str(number), "tree")))

        def judge(fault, rows):
            tree = trees.get()
            try:
                return judged(tree, fault, rows, options.python)
            finally:
                trees.put(tree)

        for fault, rows, how in zip(faults, tests, pool.map(judge, faults, tests), strict=True):
            ends[how] += 1
            before = (ROOT / fault.file).read_text(encoding="utf-8")[fault.start : fault.end]
            change = f"{fault.kind}: {before[:70]!r} → {fault.text[:70]!r}"
            sys.stdout.write(f"{how:12} {fault.file}:{fault.line} {change} ({len(rows)} tests)\n")
            sys.stdout.flush()
    sys.stdout.writelines(f"{how}: {n} of {len(faults)}\n" for how, n in ends.most_common())
    quick, every = ends["make test"], ends["make test"] + ends["slow tests"]
    return any(100 * n < least * len(faults) for n, least in zip((quick, every), options.least, strict=True))


if __name__ == "__main__":
    sys.exit(main())
