"""`hopattn certify`: test whether the energy falls under every update for which that is claimed."""

import click

from hopattn.cli.code_pages import portable_json


@click.command(short_help="Check numerically where energies fall.")
@click.argument("memory", nargs=-1)
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
    """Test each named MEMORY, "network" or "energy_transformer" (all by default) under each update. Memories have
        random size, load and parameters, and start from random states. The energy must not rise where that is claimed.
        Exit code 1 if it does.

    A MEMORY mymodule:LogCosh is a separation, similarity or activation of your own, from mymodule.py.
    """
    from dataclasses import asdict

    from hopattn.experiments.certificate import certify_all
    from hopattn.experiments.random_networks import RANDOM
    from hopattn.foundation.errors import reject_unknown
    from hopattn.foundation.registry import is_path
    from hopattn.memories.models import named_memories

    reject_unknown("memory", [name for name in memory if not is_path(name)], [*named_memories, *RANDOM])
    certificates = list(certify_all([*dict.fromkeys(memory)], count, seed, processes, dtype))
    if as_json:
        from hopattn.results.files import json_text

        click.echo(portable_json(json_text([asdict(pair) for pair in certificates])))
    else:
        from hopattn.views.tables import show_certificates

        show_certificates(certificates)
    return 0 if all(pair.holds for pair in certificates) else 1
