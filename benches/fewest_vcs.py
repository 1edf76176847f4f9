"""Measure the processor time that each deadlock scheme takes to count the virtual channels of a routing.

    python benches/fewest_vcs.py

`tulle.routing.fewest_vcs` tries `dfsssp` last if a routing has more than a million paths. The script prints processor
seconds of each scheme on such routings, and the ratios of `dfsssp` to `hops` and `lash`. `one-vc` and `colouring` may
fail; their time then is the time until they fail.
"""

from time import process_time

import tulle

SCHEMES = ("one-vc", "lash", "colouring", "hops", "dfsssp")
CASES = (
    ("slimfly:q=13", "random:layers=9,rho=0.6"),
    ("slimfly:q=19", "spread:layers=2"),
    ("slimfly:q=19", "random:layers=9,rho=0.6"),
    ("jellyfish:switches=1024,degree=16", "random:layers=2,rho=0.8"),
    ("fattree:k=32", "minimal"),
)


def seconds(routing: tulle.Routing, scheme: str) -> tuple[float, str]:
    """Return the processor seconds of a scheme, and the number of virtual channels."""
    before = process_time()
    try:
        needed = str(routing.assign_vcs(scheme).needed_vcs)
    except tulle.TulleError:
        needed = "fails"
    return process_time() - before, needed


def main() -> None:
    """Print a line per routing and scheme."""
    for spec, scheme in CASES:
        fabric = tulle.Fabric(spec)
        routing = tulle.route(fabric, scheme, seed=1)
        print(f"{spec} {scheme}: {routing.num_layers * fabric.num_switches**2:,} paths", flush=True)
        found = {}
        for each in SCHEMES:
            found[each], needed = seconds(routing, each)
            print(f"  {each:<10} {found[each]:8.2f} s  VCs: {needed}", flush=True)
        ratios = [f"{found['dfsssp'] / found[other]:.1f} times {other}" for other in ("hops", "lash")]
        print(f"  dfsssp: {', '.join(ratios)}", flush=True)


if __name__ == "__main__":
    main()
