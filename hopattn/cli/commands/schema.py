"""`hopattn schema`: print the JSON Schema of scenario files."""

import click

from hopattn.cli.code_pages import portable_json


@click.command(short_help="Print the JSON Schema of scenario files.")
def command() -> None:
    """Print the JSON Schema of scenario files.

    Editors complete and check a scenario whose first line names it: `#:schema scenario.schema.json`.
    """
    from hopattn.scenario.schema import schema_text

    click.echo(portable_json(schema_text()), nl=False)
