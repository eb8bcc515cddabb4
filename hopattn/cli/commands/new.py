"""`hopattn new`: write a small scenario to start from."""

from pathlib import Path

import click

from hopattn.cli.code_pages import portable

PRACTICE = "practice"
"""The word that asks for a table [practice] in a scenario that is there."""


@click.command(short_help="Write a scenario to begin with.")
@click.argument("kind", metavar="[KIND|NAME|practice]", default="attention")
@click.argument("file", required=False, type=click.Path(dir_okay=False, path_type=Path))
def command(kind: str, file: Path | None) -> None:
    """Write a small commented scenario of a KIND (attention by default) that runs, for you to change.

    With the word practice, add a first table [practice] at the end of your FILE: an expectation that problems ask for,
    what they draw anew, and the mistakes behind their wrong answers. Nothing else in the file changes.

    The NAME of a scenario that comes with hopattn, such as positions or induction, gives that one to begin with.
    It goes to standard output, or into a new FILE; its arrays are copied to the same folder. A file that is there
    already is left as it is.

    \b
    hopattn new attention mine.toml
    hopattn new induction heads.toml
    hopattn new practice mine.toml
    hopattn run mine.toml
    """
    from hopattn.foundation.errors import InvalidInput, unknown
    from hopattn.results.files import write_new
    from hopattn.scenario.files import read_text, shipped
    from hopattn.scenario.kinds import kinds

    if kind == PRACTICE:
        _add_practice(file)
        return
    own, beside = shipped(), []
    if kind in kinds:
        text = kinds[kind].template()
    elif kind in own:
        text = read_text(own[kind]).partition("\n")[2]  # the first line names the JSON Schema of its folder
        beside = sorted(path for path in own[kind].parent.iterdir() if path.suffix != ".toml")
    else:
        raise InvalidInput(f"kind: {unknown(kind, kinds, [*own, PRACTICE])}")
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


def _add_practice(file: Path | None) -> None:
    """Add a first table [practice] at the end of a scenario, and print what was added."""
    from hopattn.foundation.errors import InvalidInput
    from hopattn.practice.beginning import first_table
    from hopattn.results.files import write_after
    from hopattn.scenario.files import read_text, shipped
    from hopattn.scenario.loading import parse

    if file is None:
        raise InvalidInput("practice: needs the file of your scenario, as in `hopattn new practice mine.toml`")
    if str(file) in shipped() and not file.exists():
        raise InvalidInput(f"{file}: comes with hopattn; `hopattn new {file} mine.toml` makes a file of your own of it")
    added = first_table(parse(read_text(file), str(file), file.stem))
    write_after(file, added)
    click.echo(portable(added.lstrip("\n")), nl=False)
    click.echo(f"{file}: the lines above stand at its end; `hopattn practice {file}` draws problems", err=True)
