"""The scripts that set a host up and revert it, and a systemd unit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tulle.deploy.ethernet.host_modes import MODES
from tulle.deploy.ethernet.hosts.flowlets import FLOWLETS, HASH
from tulle.deploy.ethernet.hosts.network import MOST_SUBFLOWS
from tulle.deploy.ethernet.plan import HOST_INTERFACE as INTERFACE

if TYPE_CHECKING:
    from tulle.deploy.ethernet.plan import EthernetPlan, Host


def up(host: Host, mode: str) -> str:
    """The script that sets the host up and saves the earlier state for `undo`."""
    ids = " ".join(map(str, range(1, min(len(host.addresses), MOST_SUBFLOWS + 1))))
    return f"""\
#!/bin/sh
# Sets addresses, routes and the use of layers on {host.name}. Run as root there; running it again is harmless.
# The argument selects how layers are used: {", ".join(MODES)} or none; by default {mode}. INTERFACE names the port to
# the fabric, by default {INTERFACE}. If a step fails, everything is reverted; `undo` reverts it later.
set -eu
cd "$(dirname "$0")"
mode=${{1:-{mode}}}
interface=${{INTERFACE:-{INTERFACE}}}
case $mode in
    {"|".join(MODES)}|none) ;;
    *) echo "$0: '$mode' is not a mode; legal: {", ".join(MODES)}, none" >&2; exit 2 ;;
esac
batch() {{ sed "s/ dev {INTERFACE}/ dev $interface/" "$1.batch" | ip -batch -; }}
before=${{TULLE_STATE:-/run/tulle}}/{host.name}
trap 'INTERFACE=$interface ./undo' EXIT
mkdir -p "$before"
[ -e "$before/mac" ] || cat "/sys/class/net/$interface/address" > "$before/mac"
[ -e "$before/limits" ] || ip mptcp limits show > "$before/limits" 2> /dev/null || :
# Switches have a static neighbour entry with this address.
ip link set dev "$interface" address {host.mac}
ip link set dev "$interface" up
for file in addresses neighbours routes; do batch $file; done
# Remove the rules and endpoints of another mode.
for table in {FLOWLETS} {HASH}; do nft delete table {_family(host)} $table 2> /dev/null || :; done
for id in {ids}; do ip mptcp endpoint delete id $id 2> /dev/null || :; done
case $mode in
    mptcp) batch mptcp ;;
    flowlets|hash) sed "s/{INTERFACE}/$interface/" $mode.nft | nft -f - ;;
esac
trap - EXIT
"""


def undo(plan: EthernetPlan, host: Host) -> str:
    """The script that reverts `up`, even if `up` was interrupted."""
    width = plan.addressing.host_length
    version = "-6 " if plan.addressing.version == 6 else ""
    router = plan.addressing.router(host.switch)
    lines = [f"try nft delete table {_family(host)} {name}" for name in (FLOWLETS, HASH)]
    lines += [f"try ip mptcp endpoint delete id {layer}" for layer in range(1, len(host.addresses))][:MOST_SUBFLOWS]
    lines += [
        f'try ip {version}route delete {plan.addressing.layer_prefix(layer)} via {router} dev "$interface"'
        for layer in range(len(host.addresses))
    ]
    lines += [f'try ip neighbour delete {router} dev "$interface"']
    lines += [f'try ip address delete {address}/{width} dev "$interface"' for address in host.addresses]
    text = "\n".join(lines)
    return f"""\
#!/bin/sh
# Reverts what `up` set on {host.name}, even if `up` was interrupted. Run as root there; INTERFACE as for `up`.
set -u
interface=${{INTERFACE:-{INTERFACE}}}
before=${{TULLE_STATE:-/run/tulle}}/{host.name}
try() {{ "$@" 2> /dev/null || :; }}
{text}
if [ -s "$before/limits" ]; then try ip mptcp limits set $(cat "$before/limits"); fi
if [ -s "$before/mac" ]; then try ip link set dev "$interface" address "$(cat "$before/mac")"; fi
rm -rf "$before"
"""


def unit(host: Host) -> str:
    """The systemd unit, for the host's folder of the bundle installed at ``/etc/tulle``."""
    return f"""\
# Copy the folder of {host.name} to /etc/tulle and this file to /etc/systemd/system, then run
# systemctl enable --now tulle-host. /etc/default/tulle-host may set INTERFACE.
[Unit]
Description=Addresses and layers of {host.name}
Wants=network-pre.target
After=network-pre.target
Before=network.target

[Service]
Type=oneshot
RemainAfterExit=yes
EnvironmentFile=-/etc/default/tulle-host
ExecStart=/etc/tulle/up
ExecStop=/etc/tulle/undo

[Install]
WantedBy=multi-user.target
"""


def _family(host: Host) -> str:
    return "ip6" if ":" in host.addresses[0] else "ip"
