"""The commands in the groups of ``tulle --help``. Each command, or group of commands, has a file and a line here.

This module imports nothing, because ``tulle --help`` needs only it.
"""

# Group -> command -> the module and function that run it, and what it does in one short clause. `tulle --help` shows a
# clause on one line of 80 columns.
GROUPS = {
    "Build": {
        "fabric": ("network.fabric:fabric", "builds a fabric, prints its sizes and distances, writes it"),
        "import": ("network.import_network:import_network", "reads an existing network as a fabric"),
    },
    "Route and prove": {
        "route": ("routing.route:route", "routes a fabric, proves deadlock freedom, reroutes failures"),
        "path": ("routing.path:path", "prints the paths between two switches, and their backups"),
        "tune": ("routing.tune:tune", "chooses a routing for a fabric, and gives the reasons"),
        "features": ("reference.features:features", "compares the features of the routing schemes"),
    },
    "Analyse": {
        "analyze": ("analysis.analyze:analyze", "measures distances, disjoint paths, cuts and other metrics"),
        "throughput": ("analysis.throughput:throughput", "bounds the maximum throughput of a traffic matrix"),
        "resilience": ("analysis.resilience:resilience", "measures a fabric after cable and switch failures"),
        "stress": ("analysis.stress:stress", "searches for a workload that stresses a routing"),
        "plot": ("plot.group:plot", "draws networks, paths, loads and results of other commands"),
    },
    "Simulate": {
        "simulate": ("simulation.simulate:simulate", "simulates flow completion times packet by packet"),
        "flit": ("simulation.flit:flit", "simulates lossless networks cycle by cycle"),
        "exchange": ("simulation.exchange:exchange", "simulates collectives and other exchanges of messages"),
    },
    "Design": {
        "design": ("design.design:design", "finds networks for a number of endpoints and a switch"),
        "compare": ("design.compare:compare", "compares a few networks: price, power, paths, throughput"),
        "layout": ("network.layout:layout", "places a network in racks; cable lengths, bill of materials"),
        "prices": ("design.prices:prices", "lists, shows and copies price lists"),
    },
    "Deploy": {
        "cabling": ("network.cabling:cabling", "plans every cable from port to port, verifies the wiring"),
        "deploy": ("deploy.group:deploy", "writes, verifies and repairs a network's configuration"),
        "lab": ("lab.group:lab", "runs a deployment in network namespaces of this machine"),
        "export": ("schedulers.group:export", "describes a network to Slurm, topograph and Kubernetes"),
    },
    "Studies": {
        "demo": ("study.demo:demo", "compares a Slim Fly with a fat tree, and draws a picture"),
        "run": ("study.run:run", "runs a study, and compares it with a paper's results"),
        "report": ("reference.report:report", "shows results in one HTML file"),
        "studies": ("study.studies:studies", "lists the studies that tulle includes, and copies them"),
    },
    "Reference": {
        "list": ("reference.list:list_kind", "lists components, their parameters, papers and limitations"),
        "help": ("reference.help:show_help", "explains a command or a component"),
        "completion": ("reference.completion:completion", "prints the completion script of a shell"),
    },
}

# Command -> the module and function that run it, in the order of the help.
COMMANDS = {name: place for commands in GROUPS.values() for name, (place, _) in commands.items()}
