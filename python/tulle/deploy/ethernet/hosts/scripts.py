"""The scripts that set a host up and revert it, and a systemd unit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tulle.deploy.ethernet import saved_state
from tulle.deploy.ethernet.host_modes import MODES
from tulle.deploy.ethernet.hosts.flowlets import FLOWLETS, HASH, nft_table
from tulle.deploy.ethernet.hosts.network import MOST_SUBFLOWS
from tulle.deploy.ethernet.saved_state import PROTOCOL

if TYPE_CHECKING:
    from tulle.deploy.ethernet.plan import EthernetPlan, Host


# The shell functions of both scripts. `endpoints` lists the addresses of the planned MPTCP endpoints, and `shown` lists
# the kernel's MPTCP endpoints. `forget` deletes the endpoints whose addresses are in a file, by the ids that the kernel
# has assigned. `limit` reads one MPTCP limit from a file.
_ENDPOINTS = """
endpoints() { sed -n 's/^mptcp endpoint add \\([^ ]*\\) .*/\\1/p' mptcp.batch; }
shown() { ip mptcp endpoint show 2> /dev/null || :; }
forget() {
    shown | awk '!seen { is[$1]; next } $1 in is { for (i = 2; i < NF; i++) if ($i == "id") print $(i + 1) }' \\
        "$1" seen=1 - | while read -r id; do ip mptcp endpoint delete id "$id"; done
}
limit() { sed -n "s/.*$1 \\([0-9]*\\).*/\\1/p" "$2"; }
"""

_SAVE = """\
    # Save the MPTCP limits, and the MPTCP endpoints that this script may add: those in mptcp.batch that the kernel does
    # not have yet. `undo` deletes only these endpoints.
    shown > "$new/endpoints.before"
    endpoints | awk '!ours { is[$1]; next } !($1 in is)' "$new/endpoints.before" ours=1 - > "$new/endpoints"
    ip mptcp limits show > "$new/limits" 2> /dev/null || :"""

# Restore the limits only if they are still those that `up` has set. Otherwise the administrator has changed them since.
_RESTORE = """\
    forget "$saved/endpoints"
    accepted=$(limit add_addr_accepted "$saved/limits") subflows=$(limit subflows "$saved/limits")
    if [ -n "$subflows" ] && [ "$(ip mptcp limits show)" = "$(cat "$saved/limits.set" 2> /dev/null)" ]; then
        try ip mptcp limits set add_addr_accepted "$accepted" subflows "$subflows"
    fi"""


# For a server with several ports. All ports have routes for the same prefixes, so each port has its own routing table,
# and a rule per address selects the table: packets leave by the port whose address they have. The number of the table
# contains the number of the interface, so it is unique on the server. It is also the priority of the rules, and the
# metric of the port's routes in the main table, which packets without a source address use. Otherwise the routes of one
# port would replace those of another.
_ADD_RULES = """\
table=$((8400 + $(ip -o link show dev "$interface" | cut -d : -f 1)))
for file in addresses neighbours; do batch $file | ip -batch -; done
for where in metric table; do batch routes | sed "s/\\$/ $where $table/" | ip -batch -; done
batch addresses | sed -n "s/^address replace \\([^/ ]*\\).*/from \\1 lookup $table priority $table/p" > "$saved/rules"
while read -r rule; do
    # The words of the rule are separate arguments.
    ip FAMILY rule delete $rule 2> /dev/null || :
    ip FAMILY rule add $rule
done < "$saved/rules"
"""
_RESTORE_RULES = """
    [ ! -e "$saved/rules" ] || while read -r rule; do try ip FAMILY rule delete $rule; done < "$saved/rules"
"""


def up(plan: EthernetPlan, host: Host, mode: str) -> str:
    """The script that sets the host up and saves the earlier state for `undo`."""
    save = saved_state.save(
        "addresses.batch neighbours.batch routes.batch mptcp.batch",
        plan.addressing.version,
        plan.addressing.host_length,
        _SAVE,
    )
    load = "for file in addresses neighbours routes; do batch $file | ip -batch -; done"
    if host.server:
        load = _ADD_RULES.strip().replace("FAMILY", f"-{plan.addressing.version}")
    return f"""\
#!/bin/sh
# Sets the addresses and routes of {host.name}, and how it uses the layers. Run it as root; running it again is
# harmless. The argument selects how the host uses the layers: {", ".join(MODES)} or none; the default is {mode}.
# The environment variable INTERFACE names the port to the fabric; the default is {host.interface}.
# If a step fails, `undo` runs and restores the state before `up`.
set -eu
cd "$(dirname "$0")"
mode=${{1:-{mode}}}
interface=${{INTERFACE:-{host.interface}}}
case $mode in
    {"|".join(MODES)}|none) ;;
    *) echo "$0: '$mode' is not a mode; legal: {", ".join(MODES)}, none" >&2; exit 2 ;;
esac
{_state(host)}
ports=$interface
batch() {{ sed "s/ dev {host.interface}/ dev $interface/" "$1.batch"; }}
{_ENDPOINTS}{save}
# Adds the planned MPTCP endpoints that are missing, at most as many as the kernel accepts. Raises the MPTCP limits to
# {MOST_SUBFLOWS} if they are lower.
mptcp() {{
    ip mptcp limits show > "$saved/limits.now"
    for limit in add_addr_accepted subflows; do
        [ "$(limit $limit "$saved/limits.now")" -ge {MOST_SUBFLOWS} ] || ip mptcp limits set $limit {MOST_SUBFLOWS}
    done
    ip mptcp limits show > "$saved/limits.set"
    shown > "$saved/endpoints.now"
    room=$(({MOST_SUBFLOWS} - $(wc -l < "$saved/endpoints.now")))
    endpoints | awk '!ours {{ is[$1]; next }} !($1 in is)' "$saved/endpoints.now" ours=1 - > "$saved/endpoints.add"
    head -n "$((room > 0 ? room : 0))" "$saved/endpoints.add" | while read -r address; do
        ip mptcp endpoint add "$address" dev "$interface" signal
    done
    missing=$(($(wc -l < "$saved/endpoints.add") - room))
    [ "$missing" -le 0 ] ||
        echo "$0: $missing layers are not announced: the kernel has at most {MOST_SUBFLOWS} MPTCP endpoints" >&2
}}

trap './undo' EXIT
save
saved=$state/$(ls "$state" | sort -n | tail -n 1)
# Switches may have a static neighbour entry with this MAC address.
set_mac "$interface" {host.mac}
ip link set dev "$interface" up
{load}
# Remove the nftables rules and MPTCP endpoints that an earlier run of this script with another mode has added.
for table in {nft_table(FLOWLETS, host)} {nft_table(HASH, host)}; do
    [ "$table" = "{nft_table("tulle-$mode", host)}" ] || nft delete table {_family(host)} $table 2> /dev/null || :
done
cat "$state"/*/endpoints > "$saved/ours"
[ "$mode" = mptcp ] || forget "$saved/ours"
case $mode in
    mptcp) mptcp ;;
    flowlets|hash) sed "s/\\"{host.interface}\\"/\\"$interface\\"/" $mode.nft | nft -f - ;;
esac
trap - EXIT
"""


def undo(plan: EthernetPlan, host: Host) -> str:
    """The script that restores the state before `up`, even if `up` was interrupted."""
    version = plan.addressing.version
    remove = [f"try nft delete table {_family(host)} {nft_table(name, host)}" for name in (FLOWLETS, HASH)]
    remove += [
        'for port in $(cat "$state"/*/links | cut -d " " -f 1 | sort -u); do',
        f'    try ip -{version} route flush dev "$port" proto {PROTOCOL}{" table all" if host.server else ""}',
        "done",
    ]
    restore = saved_state.undo(version, "\n".join(remove), _RESTORE + (_RESTORE_RULES.rstrip() if host.server else ""))
    return f"""\
#!/bin/sh
# Restores the state of {host.name} before `up`, even if `up` was interrupted. Run it as root on this host.
set -u
{_state(host)}
{_ENDPOINTS}{restore}"""


def _state(host: Host) -> str:
    return f"state=${{TULLE_STATE:-/run/tulle}}/{host.name}"


def unit_name(host: Host) -> str:
    """The name of the systemd unit. The ports of a server have different units."""
    return f"tulle-host-{host.name}" if host.server else "tulle-host"


def unit(host: Host) -> str:
    """The systemd unit, for the host's folder of the bundle installed below ``/etc/tulle``."""
    name, folder = unit_name(host), f"/etc/tulle/{host.name}" if host.server else "/etc/tulle"
    several = "# The server has several ports: install the folders of all of them in this way.\n" if host.server else ""
    return f"""\
# Copy the folder of {host.name} to {folder} and this file to /etc/systemd/system, then run
# systemctl enable --now {name}. The file /etc/default/{name} can set INTERFACE, the port to the fabric.
{several}[Unit]
Description=Addresses and layers of {host.name}
Wants=network-pre.target
After=network-pre.target
Before=network.target

[Service]
Type=oneshot
RemainAfterExit=yes
EnvironmentFile=-/etc/default/{name}
ExecStart={folder}/up
ExecStop={folder}/undo

[Install]
WantedBy=multi-user.target
"""


def _family(host: Host) -> str:
    return "ip6" if ":" in host.addresses[0] else "ip"
