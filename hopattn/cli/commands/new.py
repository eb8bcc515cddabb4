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
    from hopattn.foundation.errors import InvalidInput, unknown
    from hopattn.results.files import write_new
    from hopattn.scenario.files import read_text, schema_file, shipped
    from hopattn.scenario.kinds import kinds

    own, beside = shipped(), []
    if kind in kinds:
        body = kinds[kind].template()
    elif kind in own:
        body = read_text(own[kind]).partition("\n")[2]  # the first line names the JSON Schema
        beside = sorted(path for path in own[kind].parent.iterdir() if path.suffix != ".toml")
    else:
        raise InvalidInput(f"kind: {unknown(kind, kinds, own)}")
    text = f"#:schema {schema_file().as_posix()}\n{body}"
    if file is None:
        click.echo(portable(text), nl=False)
        return
    if file.exists():
        raise InvalidInput(f"{file}: is there already, and is left as it is; give another name")
    for arrays in beside:
        copy = file.parent / arrays.name
        if f'"{arrays.name}"' in text and not (copy.is_file() and copy.read_bytes() == arrays.read_bytes()):
            write_new(copy, arrays.read_bytes())
    write_new(file, text.encode())
