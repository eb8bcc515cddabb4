"""The names of scenarios as a type of argument, which a shell can complete."""

from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem


class ScenarioName(click.types.StringParamType):
    """The name of a shipped scenario, or a file; groups: or the name of a group of scenarios."""

    name = "scenario"

    def __init__(self, groups: bool = False) -> None:
        self.groups = groups

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> "list[CompletionItem]":
        """The scenario names, and the scenario files of this folder, that begin with the incomplete word.

        If there are none, the shell completes file names.
        """
        from pathlib import Path

        from click.shell_completion import CompletionItem

        from hopattn.scenario.files import GROUPS, own_files, shipped

        choices = [*(GROUPS if self.groups else ()), *shipped(), *(str(path) for path in own_files(Path()).values())]
        names = [CompletionItem(name) for name in choices if name.startswith(incomplete)]
        return names or [CompletionItem(incomplete, type="file")]
