"""`python -m hopattn.certify mymodule:LogCosh`: test what parts of your own claim about the energy; as `ha.certify`."""

import sys

import click

from hopattn.cli.code_pages import portable_json


@click.command(context_settings={"help_option_names": ["--help", "-h"]})
@click.argument("memory", nargs=-1, required=True)
@click.option("--count", type=click.IntRange(min=1), default=1000, show_default=True, help="Updates of each pair.")
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Random seed.")
@click.option(
    "--dtype",
    type=click.Choice(["float64", "float32"]),
    default="float64",
    show_default=True,
    help="Type of the numbers.",
)
@click.option(
    "--processes", type=click.IntRange(min=1), default=1, show_default=True, help="Number of worker processes."
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON only.")
def command(memory: tuple[str, ...], count: int, seed: int, dtype: str, processes: int, as_json: bool) -> int:
    """Test whether the energy falls under every update for which that is claimed. Exit code 1 if it rises.

    A MEMORY such as mymodule:LogCosh is a separation, similarity or activation of your own, from mymodule.py, or a
    function that draws a memory; or it is the name of a named memory. Random memories are drawn with it, and each
    starts from random states under each update.
    """
    from dataclasses import asdict

    from hopattn.experiments.certificate import certify_all

    certificates = list(certify_all([*dict.fromkeys(memory)], count, seed, processes, dtype))
    if as_json:
        from hopattn.results.files import json_text

        click.echo(portable_json(json_text([asdict(pair) for pair in certificates])))
    else:
        from hopattn.views.tables import show_certificates

        show_certificates(certificates)
    return 0 if all(pair.holds for pair in certificates) else 1


if __name__ == "__main__":
    from hopattn.cli.main import main

    main(command=command, name="python -m hopattn.certify")
else:
    from hopattn.experiments.certificate import certify

    sys.modules[__name__] = certify  # type: ignore[assignment] # the attribute `certify` of the package stays the function
