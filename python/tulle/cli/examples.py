"""Examples of the commands, which their help ends with. An example fits on one line of 80 columns."""

# Command -> commands that show its use.
EXAMPLES: dict[str, tuple[str, ...]] = {
    "fabric": ("tulle fabric slimfly:q=19", "tulle fabric dragonfly:p=8 --fail links=5% --write damaged.json"),
    "import": ("tulle import ibnetdiscover subnet.txt -o fabric.json", "tulle import lldp leaf*.json -o fabric.json"),
    "route": (
        "tulle route slimfly:q=5 spread:layers=4 --deadlock dfsssp:vcs=8",
        "tulle route slimfly:q=5 spread:layers=4 --fail links=2 -o repaired",
    ),
    "path": ("tulle path slimfly:q=5 spread:layers=4 0 7",),
    "tune": ("tulle tune slimfly:q=5 --layers 4 --vcs 8",),
    "features": ("tulle features minimal spread ksp",),
    "analyze": ("tulle analyze slimfly:q=19 disjoint-paths:hops=3", "tulle analyze slimfly:q=5 diameter"),
    "throughput": (
        "tulle throughput slimfly:q=5 all-to-all",
        "tulle throughput slimfly:q=5 spread:layers=4 longest-matching",
    ),
    "resilience": (
        "tulle resilience slimfly:q=5 --shares 0%,5% --kinds links",
        "tulle resilience slimfly:q=5 --campaign --failures 20",
    ),
    "stress": ("tulle stress slimfly:q=5 minimal permutation:bytes=1MiB -o worse.csv",),
    "plot": ("tulle plot fabric slimfly:q=5 -o slimfly.svg",),
    "plot fabric": ("tulle plot fabric slimfly:q=5 -o slimfly.svg",),
    "plot adjacency": ("tulle plot adjacency dragonfly:p=2 -o adjacency.svg",),
    "plot paths": ("tulle plot paths slimfly:q=5 spread:layers=4 '(0,0,0)' '(0,0,1)' -o paths.svg",),
    "plot load": ("tulle plot load dragonfly:p=3 minimal -o load.svg",),
    "plot cdf": ("tulle plot cdf minimal=minimal.csv spread=spread.csv -o cdf.svg",),
    "plot fct-by-size": ("tulle plot fct-by-size spread.csv -o fct-by-size.svg",),
    "plot timeseries": ("tulle plot timeseries links.csv -o timeseries.svg",),
    "plot latency-load": ("tulle plot latency-load runs.csv -o latency-load.svg",),
    "plot resilience": ("tulle plot resilience resilience.json -o resilience.svg",),
    "plot layout": ("tulle plot layout slimfly:q=7 -o floor.svg",),
    "simulate": (
        "tulle simulate slimfly:q=9 -r spread:layers=20 -t skewed:bytes=1MiB",
        "tulle simulate fattree:k=8 -r ecmp -t permutation:bytes=64KiB -o flows.csv",
        "tulle simulate dragonfly:p=2 --transport dcqcn --deadlock dfsssp",
    ),
    "flit": ("tulle flit slimfly:q=5 --load 0.1:0.9:0.2", "tulle flit torus:dims=4x4 --saturation"),
    "exchange": ("tulle exchange slimfly:q=5 -t all-to-all:bytes=1KiB",),
    "design": ("tulle design --endpoints 2k --radix 32", "tulle design --radix 36"),
    "compare": ("tulle compare slimfly:q=9 fattree:k=16", "tulle compare --endpoints 500 --radix 24"),
    "layout": ("tulle layout slimfly:q=9 --prices example-400gbe",),
    "prices": ("tulle prices list",),
    "prices list": ("tulle prices list",),
    "prices show": ("tulle prices show example-400gbe",),
    "prices new": ("tulle prices new quotes.toml",),
    "cabling": ("tulle cabling plan slimfly:q=5 -o plan",),
    "cabling plan": ("tulle cabling plan slimfly:q=5 -o plan --prices example-400gbe",),
    "cabling verify": ("tulle cabling verify plan --live ibnetdiscover.txt",),
    "deploy": ("tulle deploy linux slimfly:q=3 spread:layers=2 -o bundle",),
    "deploy verify": ("tulle deploy verify bundle --fib routes/",),
    "deploy repair": ("tulle deploy repair bundle --dead-cable s0-0-0:s0-0-1 --dry-run",),
    "deploy rollback": ("tulle deploy rollback bundle --to 1",),
    "deploy versions": ("tulle deploy versions bundle",),
    "export": ("tulle export slurm slimfly:q=5 -o topology",),
    "deploy watch": (
        "tulle deploy watch bundle --live-command ibnetdiscover --every 60",
        "tulle deploy watch bundle --live-command 'ssh {switch} ip -json link'",
    ),
    "lab": ("tulle lab up bundle",),
    "lab up": ("tulle lab up bundle --rate 50Mbps",),
    "lab probe": ("tulle lab probe bundle --layer 0",),
    "lab traffic": ("tulle lab traffic bundle s0-0-0-h1:s1-2-2-h1 --by tcp --by mptcp",),
    "lab fail": ("tulle lab fail bundle s0-0-0:s0-0-1 --silent",),
    "lab load": ("tulle lab load bundle",),
    "lab fib": ("tulle lab fib bundle -o routes",),
    "lab exec": ("tulle lab exec bundle s0-0-0-h1 ip route",),
    "lab down": ("tulle lab down bundle",),
    "demo": ("tulle demo",),
    "report": ("tulle report compare.json -o report.html",),
    "run": (
        "tulle run quickstart",
        'tulle run fatpaths/figure-2 --case "SF, as published" --seed 2',
        "tulle run my-study.toml --threads 2 --out results",
    ),
    "studies": ("tulle studies", "tulle studies --copy studies"),
    "list": ("tulle list fabrics", "tulle list fabrics slimfly"),
    "help": ("tulle help simulate", "tulle help slimfly", "tulle help selectors recycle"),
    "completion": ("source <(tulle completion bash)",),
}


def examples(command: str) -> tuple[str, ...]:
    """Return the examples of a command, for example of ``lab up``.

    The targets of ``tulle deploy`` and the schedulers of ``tulle export`` are plug-ins. Their commands take the same
    arguments.
    """
    if command in EXAMPLES:
        return EXAMPLES[command]
    group, _, name = command.partition(" ")
    if group == "export":
        return (f"tulle export {name} dragonfly:p=2 minimal -o topology",)
    # SONiC needs the speeds of ports, so its example sets --link. The routing `minimal` has a short name, so that the
    # line has at most 78 characters.
    rest = "minimal --link all:rate=100Gbps" if name == "sonic" else "spread:layers=4"
    return (f"tulle deploy {name} slimfly:q=5 {rest} -o bundle",) if group == "deploy" else ()
