"""A command with options of the form KEY=VALUE, which says how to write one whose = is missing or has spaces."""

import shlex

import click

from hopattn.foundation.errors import InvalidInput


class CommandWithPairs(click.Command):
    """A command that knows its options of pairs, such as --set, by the = in their metavar."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments; raises `InvalidInput` if one is left over because a pair is written as two words."""
        given = list(args)
        try:
            return super().parse_args(ctx, args)
        except click.MissingParameter as error:
            if getattr(error.param, "name", "") != "scenario":
                raise
            example = {"sweep": "capacity"}.get(ctx.info_name or "", "bank")
            advice = f"name a scenario, such as `{ctx.command_path} {example}`; `hopattn list` shows them"
            raise InvalidInput(advice) from None
        except click.UsageError as error:
            advice = self._advice(given) if type(error) is click.UsageError else ""
            if advice:
                raise InvalidInput(advice) from None
            raise

    def _advice(self, words: list[str]) -> str:
        """How to write the first pair whose parts are words of their own; empty if there is none."""
        forms = {name: param.metavar or "" for param in self.params for name in param.opts if "=" in str(param.metavar)}
        for i, name in enumerate(words):
            pair = _joined(words[i + 1 :]) if name in forms else ""
            if pair:
                return f"{name} takes {forms[name]}: write {name} {shlex.quote(pair)}"
        return ""


def _joined(words: list[str]) -> str:
    """The pair that the first words mean: `mask causal`, `mask = causal` or `mask =causal`; empty for a whole pair.

    >>> _joined(["mask", "causal"]), _joined(["mask", "=", "causal"]), _joined(["mask=", "causal"])
    ('mask=causal', 'mask=causal', 'mask=causal')
    >>> _joined(["mask=causal", "bank"]), _joined(["mask", "--json"])
    ('', '')
    """
    key, *rest = words or [""]
    if key.count("=") == 1 and key.endswith("="):
        key, rest = key[:-1], ["=", *rest]
    if rest[:1] == ["="]:
        rest = rest[1:]
    if not key or "=" in key or not rest or rest[0].startswith("--"):
        return ""
    return f"{key}={rest[0].removeprefix('=')}"
