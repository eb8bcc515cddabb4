"""The bounds of a scenario: it is refused before it takes more than a file may, and time grows with its size alone."""

import re
import time
import tomllib
from pathlib import Path

import pytest

import hopattn as ha
from hopattn.scenario.checking import InvalidScenario
from hopattn.scenario.loading import parse
from tests.refusal import assert_refused, refused
from tests.scenario.scenarios_of_kinds import GRADIENTS, MAGNET, scenario
from tests.texts import GOOD, parsed

PAGE = (Path(__file__).parents[2] / "docs/reference/scenarios.md").read_text(encoding="utf-8")
SECTION = PAGE.partition("## How large a file may be")[2].partition("\n## ")[0]
LARGEST, MOST_DEPTH, MOST_VALUES, MOST_VARIANTS, MOST_CHANGED, MOST_AXES, MOST_POINTS, MOST_DRAWN = (
    int(bound.replace(",", "").replace(" MiB", "")) for bound in re.findall(r"\| ([\d,]+(?: MiB)?) \|$", SECTION, re.M)
)
MOST_PROBLEMS = int(re.search(r"stops after (\d+)", SECTION)[1])
LAST = GOOD.count("\n")
HEAD = "[[layer.head]]\n"
DEEP = {
    "arrays": lambda n: "x = " + n * "[" + n * "]",
    "tables in braces": lambda n: "x = " + n * "{a = " + "1" + n * "}",
    "key": lambda n: n * "a." + "a = 1",
    "key with spaces and quotes": lambda n: n * "'a' . " + "a = 1",
    "table": lambda n: "[" + n * "a." + "a]",
    "array of tables": lambda n: "[[" + n * "a." + "a]]",
    "key in a table": lambda n: "[a.b]\n" + (n - 1) * "a." + "a = 1",
    "key in braces in an array": lambda n: "x = [{" + (n - 2) * "a." + "a = 1}]",
    "array behind a comma": lambda n: "x = [[1], 1.5, " + (n - 1) * "[" + n * "]",
    "array behind a table": lambda n: "[a.b] # [[\n" + "s = '[[' # .\nx = " + (n - 1) * "[" + (n - 1) * "]",
}
MANY = {
    "numbers": (1, "1,\n"),
    "arrays": (2, "[],\n"),
    "tables in braces": (5, "{},\n"),
    "keys": (6, "{a=1},\n"),
    "dotted keys": (13, "{a.a.a=1},\n"),
}


def messages(text):
    with pytest.raises(InvalidScenario) as caught:
        parsed(text)
    return str(caught.value)


@pytest.mark.parametrize("deep", DEEP.values(), ids=DEEP)
def test_the_depth_is_bounded_by_one_law_in_every_form(deep, monkeypatch):
    assert tomllib.loads(deep(MOST_DEPTH))
    assert "nested too deeply" not in messages(f"{deep(MOST_DEPTH)}\n")
    monkeypatch.setattr(tomllib, "loads", lambda text: pytest.fail("it was read"))
    for depth in (MOST_DEPTH + 1, 100_000):
        place = f"{LAST + deep(1).count(chr(10)) + 1}: is nested too deeply"
        assert_refused(GOOD + deep(depth), place, f"at most {MOST_DEPTH} dots and brackets")


@pytest.mark.slow
@pytest.mark.parametrize(("each", "entry"), MANY.values(), ids=MANY)
def test_the_values_are_bounded_by_their_number(each, entry):
    most = MOST_VALUES // each - 2
    assert "values up to here" not in messages("x = [\n" + most * entry + "]")
    line, values = re.fullmatch(
        r"file\.toml:(\d+): more than (\S+) .*", messages(f"x = [\n{(most + 4) * entry}]")
    ).groups()
    assert most < int(line) <= most + 5 and values == f"{MOST_VALUES:,}"


def test_the_bound_of_values_is_exact():
    assert "values up to here" not in messages(f"x = [\n{(MOST_VALUES - 2) * '1,'}\n1]")
    assert_refused(f"x = [\n{(MOST_VALUES - 2) * '1,'}\n1,]", f"3: more than {MOST_VALUES:,} values")
    tables = "".join(f"[t{i}]\n" for i in range(MOST_VALUES // 4 + 1))  # a table counts as four
    assert_refused(tables, f"{MOST_VALUES // 4 + 1}: more than {MOST_VALUES:,} values")


@pytest.mark.parametrize("quote", ['"', "'", '"""', "'''"])
def test_what_stands_in_a_text_or_a_comment_or_a_number_counts_for_nothing(quote):
    inside = MOST_VALUES * "[,{=." + "#"
    lines = f"note = {quote}{inside}{quote}\nn = [{1000 * '1.5, '}] # {inside}\n"
    assert_refused(GOOD.replace("[vocabulary]\n", f"{lines}[vocabulary]\n"), "6: n: 'n' is unknown")
    assert_refused(f"x = {quote}{inside}", "1: not TOML: ", "no closing quote")


def test_problems_are_searched_up_to_a_bound_and_the_message_says_so():
    few, many = (GOOD + "".join(f"k{i} = 1\n" for i in range(n)) for n in (50, 20 * MOST_PROBLEMS))
    assert messages(few).endswith("\n… and 10 more")
    assert messages(many).endswith(f"\n… and at least {MOST_PROBLEMS - 40} more")
    words = "".join(f"k{i} = [2, 0]\n" for i in range(20 * MOST_PROBLEMS))
    reported = messages(GOOD.replace("[input]", f"{words}[input]"))
    assert "vocabulary.words.k0: has magnitude 2; expected 1, here and in 3,999 more vectors" in reported


def variants(n, text=GOOD):
    each = '[[variant]]\nname = "{0}"\nset = {{ "layer.head.beta" = {0} }}\n'
    return text + "".join(each.format(i) for i in range(1, n + 1))


def test_variants_are_bounded_by_their_number_and_by_their_changes_times_the_file():
    place = f"{LAST + 1}: variant"
    assert_refused(variants(MOST_VARIANTS + 1), place, "1,001 variants", "at most 1,000")
    large = GOOD.replace("b = [0.6, 0.8]", "b = [0.6, 0.8]\n" + "\n".join(f"w{i} = [0, 1]" for i in range(9000)))
    n = MOST_CHANGED // 27_026 + 1
    assert_refused(variants(n, large), f"{LAST + 9001}: variant", f"{n} changes", "27,026 values", f"{MOST_CHANGED:,}")


@pytest.mark.slow
def test_the_check_of_many_variants_takes_time_in_proportion():
    """8 times as many variants: time that grows with the square would be 64 times as much."""

    def seconds(n):
        start = time.process_time()
        parsed(variants(n))
        return time.process_time() - start

    seconds(10)
    few, many = (min(seconds(n) for _ in range(3)) for n in (50, 400))
    assert many < 20 * few


def swept(*counts):
    axes = "".join(f"k{i} = {[*range(count)]}\n" for i, count in enumerate(counts))
    return f"{GOOD}[sweep.over]\n{axes}"


def drawn(n_values, n_asked):
    vary = "".join(f'"vocabulary.words.w{i}" = "unit-tenths"\n' for i in range(n_values))
    words = "".join(f"w{i} = [0.6, 0.8]\n" for i in range(n_values))
    asked = '[[expect]]\nat = "a"\nis = [1, 0]\nasked = true\n' * n_asked
    errors = ["word-itself-counted", "all-words-alike", "largest-alone"]
    text = GOOD.replace("a = [1, 0]", f"{words}a = [1, 0]")
    return f"{text}{asked}[practice]\nerrors = {errors}\n[practice.vary]\n{vary}"


@pytest.mark.parametrize(
    ("make", "most", "place"),
    [
        (lambda n: swept(*[1] * n), MOST_AXES, "sweep.over: has"),
        (lambda n: swept(10, 10, -(-n // 100)), MOST_POINTS, "sweep.over: the grid has"),
        (lambda n: drawn(n, 1), MOST_DRAWN, "practice.vary: has"),
        (lambda n: drawn(1, n), MOST_DRAWN, f"expect.{MOST_DRAWN + 2}.asked: is number {MOST_DRAWN + 1}"),
    ],
    ids=["axes", "points", "values", "asked"],
)
def test_what_a_sweep_goes_over_and_what_a_problem_draws_are_bounded(make, most, place):
    """One more than the most is refused at its place; as many are not."""
    assert_refused(make(most + 1), "", place, f"at most {most:,}")
    try:
        parsed(make(most))
    except InvalidScenario as error:  # the axes have no key
        assert place not in str(error)


def test_a_file_is_refused_from_its_largest_size_on(tmp_path):
    path = tmp_path / "large.toml"
    text = GOOD.encode()
    path.write_bytes(text + b"#" * (LARGEST * 2**20 - len(text)))
    assert ha.load(path).spec.title == "a title"
    path.write_bytes(text + b"#" * (LARGEST * 2**20 - len(text) + 1))
    refused(lambda: ha.load(path), f"{path}: is larger than {LARGEST} MiB")


@pytest.mark.slow
@pytest.mark.parametrize("text", [GOOD.replace(HEAD, 600 * HEAD), variants(700)], ids=["heads", "variants"])
def test_arithmetic_that_nobody_reads_is_refused(text):
    scenario = parsed(text)
    refused(lambda: ha.run(scenario, explain=True), "file.toml: the arithmetic has more than 10,000 lines; explain")


def test_a_sequence_stops_when_it_comes_round_and_says_so():
    run = ha.run("sequence", overrides={"memory.max_steps": 80_000}, explain=True).runs[0]
    assert run.arrays["status"].values.tolist() == ["cycle"]
    assert run.arrays["period"].values.tolist() == [8] and len(run.working) < 1000
    assert "in a cycle of 8 after 16 steps" in run.strips[0].sentence


def test_arithmetic_beyond_the_numbers_is_refused():
    text = GOOD.replace("[1, 0]", "[1e200, 0]").replace("[vocabulary]", '[vocabulary]\nmagnitude = "free"')
    scenario = parsed(text.replace('mask = "causal"', 'similarity = "cosine"'))
    refused(lambda: ha.run(scenario, explain=True), "file.toml: the arithmetic, squares included, grows out of range")


@pytest.mark.parametrize(
    ("text", "place", "words"),
    [
        (f"{GRADIENTS}[gradients.stack]\nlayers = 100\ndraws = 100\ndim = 256\n", "7: gradients.stack", "too long"),
        (f"{GRADIENTS}scores = [1, 2]\nn_scores = 3\n", "8: gradients.n_scores", "`scores` are given"),
        (scenario("forgetting", "[forgetting]\nnames = 99999\nlengths = [9]\n"), "5: forgetting", "1 GiB"),
        (f"{MAGNET}sweeps = 99999\n", "8: ising.sweeps", "updates"),
    ],
)
def test_a_run_without_a_check_before_it_is_bounded_too(text, place, words):
    refused(lambda: ha.run(parse(text, "file.toml", "file", ask=False)), f"file.toml:{place}: ", words)
