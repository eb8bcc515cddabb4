"""The README shows what one sees: its file, its commands' output, its Python."""

import doctest
import re
import shlex
from pathlib import Path

import pytest

from hopattn.cli import main
from hopattn.scenario.files import shipped

README = (Path(__file__).parent.parent / "README.md").read_text(encoding="utf-8")


def blocks(language):
    return re.findall(rf"```{language}\n(.*?)```", README, re.DOTALL)


def stripped(text):
    return "\n".join(line.rstrip() for line in text.strip().split("\n"))


def test_the_scenario_is_the_shipped_file():
    assert blocks("toml") == [shipped()["bank"].read_text(encoding="utf-8")]


@pytest.mark.parametrize("block", blocks("console"), ids=lambda block: block.split("\n")[0])
def test_each_command_prints_what_is_shown(block, capsys):
    command, _, shown = block.partition("\n")
    with pytest.raises(SystemExit):
        main(shlex.split(command.removeprefix("$ hopattn ")))
    assert stripped(capsys.readouterr().out) == stripped(shown)


def test_the_python_example_runs():
    (example,) = blocks("python")
    test = doctest.DocTestParser().get_doctest(example, {}, "README.md", None, 0)
    assert doctest.DocTestRunner(verbose=False).run(test).failed == 0


def test_every_linked_file_is_there():
    root = Path(__file__).parent.parent
    for link in re.findall(r"\]\(([^)#]+)\)", README):
        assert (root / link).exists(), link
