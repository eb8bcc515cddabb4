"""`hopattn new`: write a small scenario to start from."""

from pathlib import Path

import click

from hopattn.cli.code_pages import portable


@click.command(short_help="Write a scenario to begin with.")
@click.argument("kind", metavar="[KIND|NAME]", default="attention")
@click.argument("file", required=False, type=click.Path(dir_okay=False, path_type=Path))
def command(kind: str, file: Path | None) -> None:
    """Write a small commented scenario of a KIND (attention by default) that runs, for you to change.

    The NAME of a scenario that comes with hopattn, such as positions or induction, gives that one to begin with.
    It goes to standard output, or into a new FILE; its arrays are copied to the same folder. A file that is there
    already is left as it is.

    \b
    hopattn new attention mine.toml
    hopattn new induction heads.toml
    hopattn run mine.toml
    """
    from hopattn.foundation.errors import InvalidInput
    from hopattn.results.files import write_new
    from hopattn.scenario.files import schema_file

    text = f"#:schema {schema_file().as_posix()}\n{_to_begin_with(kind)}"
    if file is None:
        click.echo(portable(text), nl=False)
        return
    if file.exists():
        raise InvalidInput(f"{file}: is there already, and is left as it is; give another name")
    for arrays in _read_by(kind, text):
        copy, data = file.parent / arrays.name, arrays.read_bytes()
        if not (copy.is_file() and copy.read_bytes() == data):
            write_new(copy, data)
    write_new(file, text.encode())


def _read_by(name: str, text: str) -> list[Path]:
    """The files beside a scenario that comes with hopattn which its text names; none for a kind."""
    from hopattn.scenario.files import shipped

    folder = shipped()[name].parent if name in shipped() else None
    beside = sorted(folder.iterdir()) if folder else []
    return [file for file in beside if file.suffix != ".toml" and f'"{file.name}"' in text]


def _to_begin_with(name: str) -> str:
    """The text of a scenario by its kind, or by the name of one that comes with hopattn, without its first line."""
    from hopattn.foundation.errors import InvalidInput, unknown
    from hopattn.scenario.files import read_text, shipped
    from hopattn.scenario.kinds import kinds

    if name in kinds:
        return kinds[name].template()
    if name not in (own := shipped()):
        raise InvalidInput(f"kind: {unknown(name, kinds, own)}")
    return read_text(own[name]).partition("\n")[2]  # the first line names the JSON Schema
