"""`hopattn new`: write a small scenario to start from."""

from pathlib import Path

import click

from hopattn.cli.code_pages import portable


@click.command(short_help="Write a scenario to begin with.")
@click.argument("kind", default="attention")
@click.argument("file", required=False, type=click.Path(dir_okay=False, path_type=Path))
def command(kind: str, file: Path | None) -> None:
    """Write a small commented scenario of a KIND (attention by default) that runs, for you to change.

    It goes to standard output, or into a new FILE; a file that is there already is left as it is.

    \b
    hopattn new attention mine.toml
    hopattn run mine.toml
    """
    from hopattn.foundation.errors import InvalidInput
    from hopattn.foundation.files import write_new
    from hopattn.scenario.files import schema_file
    from hopattn.scenario.kinds import kinds

    text = f"#:schema {schema_file().as_posix()}\n{kinds[kind].template}"
    if file is None:
        click.echo(portable(text), nl=False)
    elif file.exists():
        raise InvalidInput(f"{file}: is there already, and is left as it is; give another name")
    else:
        write_new(file, text.encode())
