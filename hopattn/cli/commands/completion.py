"""`hopattn completion`: print the code with which a shell completes commands, options and scenario names."""

import click

from hopattn.cli.completing import VARIABLE


@click.command(short_help="Print what makes a shell complete commands and names.")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def command(ctx: click.Context, shell: str) -> None:
    """Print the lines that make a SHELL complete commands, options and scenario names.

    \b
    bash:  eval "$(hopattn completion bash)"          in ~/.bashrc
    zsh:   eval "$(hopattn completion zsh)"           in ~/.zshrc
    fish:  hopattn completion fish | source           in ~/.config/fish/config.fish
    """
    from click.shell_completion import get_completion_class

    script = get_completion_class(shell)
    if script is None:  # pragma: no cover - click has these three
        raise click.UsageError(f"{shell} is not supported by this version of click")
    click.echo(script(ctx.find_root().command, {}, "hopattn", VARIABLE).source())
