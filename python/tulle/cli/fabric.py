"""``tulle fabric SPEC``: builds a fabric and says what it is."""

from typing import Annotated, Any

import typer

from tulle.cli.output import Json, Seed, print_fields, print_json

Spec = Annotated[str, typer.Argument(metavar="SPEC", help="A fabric, as slimfly:q=19; see tulle list fabrics.")]


def fabric(spec: Spec, seed: Seed = 0, json: Json = False) -> None:
    """Builds a fabric and prints its size, radix and distances; writes it to a file."""
    import tulle

    built = tulle.Fabric(spec, seed)
    fields: dict[str, Any] = {
        "spec": built.spec,
        "family": built.family,
        "parameters": built.parameters,
        "seed": built.seed,
        "faults": built.faults,
        "switches": built.num_switches,
        "endpoints": built.num_endpoints,
        "cables": built.num_cables,
        "network_radix": built.network_radix,
        "concentration": built.concentration,
        "radix": built.radix,
        "diameter": built.diameter,
        "average_path_length": built.average_path_length,
    }
    if json:
        print_json(fields)
    else:
        print_fields({name: value for name, value in fields.items() if name != "faults" or value})
