"""Shell functions with which ``up`` saves the state of a machine, and ``undo`` restores exactly this state.

A machine may have addresses, routes, MPTCP endpoints and settings of its site. Therefore ``up`` saves whatever it is
about to change, and ``undo`` removes only what ``up`` added. The scripts run in the folder with the batch files.
"""

from __future__ import annotations

PROTOCOL = 84
"""The protocol number of tulle's routes in the kernel's tables (rtnetlink, ``rtm_protocol``), which identifies them."""

# The kernel deletes even permanent neighbours when an interface goes down, changes its MAC address or loses its last
# address.
_LINKS = r"""
keep_neighbours() {
    others=$(ip -4 neighbour show dev "$1" nud permanent; ip -6 neighbour show dev "$1" nud permanent)
    port=$1
    shift
    "$@"
    echo "$others" | while read -r address _ mac _; do
        [ -z "$mac" ] || ip neighbour replace "$address" lladdr "$mac" dev "$port" nud permanent
    done
}

set_mac() {
    case $(ip -o link show dev "$1") in
        *" $2 "*) ;;
        *) keep_neighbours "$1" ip link set dev "$1" address "$2" ;;
    esac
}
"""

# $state has a numbered folder per save. `up` saves again if its files differ from those of the last save, for example
# in the bundle of a repair. A folder gets its number when it is complete, so an interrupted save is repeated. Routes
# are saved by `ip route save`, because `ip route add` cannot read everything that `ip route show` prints.
_SAVE = r"""
save() {
    sum=$(cat FILES | cksum)" $ports"
    mkdir -p "$state"
    rm -rf "$state/new"
    last=$(ls "$state" | sort -n | tail -n 1)
    [ -z "$last" ] || [ "$(cat "$state/$last/sum")" != "$sum" ] || return 0
    new=$state/new
    mkdir "$new" "$new/routes"
    echo "$sum" > "$new/sum"
    for port in $ports; do
        shown=$(ip -o link show dev "$port")
        case $shown in *[\<,]UP[\>,]*) up=up ;; *) up=down ;; esac
        echo "$port $up $(echo "$shown" | sed 's/.*link\/[^ ]* \([0-9a-f:]*\).*/\1/')"
        ip -o address show dev "$port" | awk '{ print $2, $4, $3, $6 }' >> "$new/present"
    done > "$new/links"
    batch addresses | awk '!ours { is[$2 " " $1]; next } !(($3 " " $5) in is) { print $3, $5 }' \
        "$new/present" ours=1 - > "$new/addresses"
    batch neighbours | awk '{ print $3, $7 }' > "$new/neighbours"
    ip FAMILY neighbour show nud permanent | awk '!shown { is[$0]; next } ($1 " " $3) in is { print $1, $3, $5 }' \
        "$new/neighbours" shown=1 - > "$new/neighbours.before"
    save_settings > "$new/settings"
    batch routes | awk '{ sub("/LENGTH$", "", $3); print $3 }' > "$new/prefixes"
    ip FAMILY -o route show table main | awk '!shown { is[$1]; next } / proto PROTOCOL( |$)/ { next }
        { prefix = $1 ~ /^(unreachable|blackhole|prohibit|throw)$/ ? $2 : $1; if (prefix in is) print prefix }' \
        "$new/prefixes" shown=1 - | sort -u | while read -r prefix; do
        ip FAMILY route save exact "$prefix" > "$new/routes/$(echo "$prefix" | tr / _)"
    done
SAVE_MORE
    mv "$new" "$state/$((${last:-0} + 1))"
}

save_settings() {
    [ -e sysctl.conf ] || return 0
    for conf in /proc/sys/net/IPVERSION/conf/all /proc/sys/net/IPVERSION/conf/default /proc/sys/net/IPVERSION/conf/*; do
        # Save these two settings of every interface, because the kernel changes them when the global setting for
        # forwarding changes.
        for setting in "$conf/forwarding" "$conf/accept_redirects"; do echo "$setting $(cat "$setting")"; done
    done
    sed -n 's/^\([^#= ]*\) *=.*/\1/p' sysctl.conf | while read -r key; do
        case $key in */*) ;; *) key=$(echo "$key" | tr . /) ;; esac
        [ ! -e "/proc/sys/$key" ] || echo "/proc/sys/$key $(cat "/proc/sys/$key")"
    done
}
"""

# In the file `settings`, settings that change others come first, for example forwarding of all interfaces.
_RESTORE = r"""
restore() {
    while read -r address port; do try ip neighbour delete "$address" dev "$port"; done < "$saved/neighbours"
    while read -r address port mac; do
        try ip neighbour replace "$address" lladdr "$mac" dev "$port" nud permanent
    done < "$saved/neighbours.before"
    while read -r address port; do
        try keep_neighbours "$port" ip address delete "$address" dev "$port"
    done < "$saved/addresses"
    while read -r port up mac; do
        [ "$port" = lo ] || try set_mac "$port" "$mac"
        [ "$up" = up ] || try keep_neighbours "$port" ip link set dev "$port" down
    done < "$saved/links"
    # Add IPv6 addresses again, because an interface that goes down loses them.
    while read -r port address version scope; do
        [ "$version $scope" != "inet6 global" ] || try ip address add "$address" dev "$port" nodad
    done < "$saved/present"
    while read -r setting value; do
        [ ! -e "$setting" ] || [ "$(cat "$setting")" = "$value" ] || echo "$value" > "$setting"
    done < "$saved/settings"
    for routes in "$saved"/routes/*; do [ ! -e "$routes" ] || try ip route restore < "$routes"; done
RESTORE_MORE
}

try() { "$@" 2> /dev/null || :; }
"""

_UNDO = r"""
[ -d "$state" ] || { echo "$0: nothing to revert, because up has not run here since the machine started" >&2; exit 0; }
REMOVE
for number in $(ls "$state" | grep -v new | sort -rn); do
    saved=$state/$number
    restore
    rm -rf "$saved"
done
rm -rf "$state"
"""


def save(files: str, version: int, host_length: int, more: str) -> str:
    """Return the shell function ``save``.

    It needs the shell variables ``state`` and ``ports``, and the function ``batch``, which prints a batch file.

    Parameters
    ----------
    files
        The files of the folder that determine what ``up`` changes, separated by spaces.
    version, host_length
        The IP version, and the length in bits of a prefix that is a single address.
    more
        Further commands, which save to the folder ``$new``.
    """
    return _filled(
        _LINKS + _SAVE,
        {"FILES": files, "SAVE_MORE": more, "LENGTH": str(host_length), "PROTOCOL": str(PROTOCOL)},
        version,
    )


def undo(version: int, remove: str, more: str) -> str:
    """Return the commands of ``undo``, which need the shell variable ``state``.

    Parameters
    ----------
    version
        The IP version.
    remove
        Commands that run first and remove what only tulle uses, such as routes with its protocol number.
    more
        Further commands, which restore from the folder ``$saved``.
    """
    return _filled(_LINKS + _RESTORE, {"RESTORE_MORE": more}, version) + _filled(_UNDO, {"REMOVE": remove}, version)


def _filled(text: str, values: dict[str, str], version: int) -> str:
    for name, value in {**values, "FAMILY": f"-{version}", "IPVERSION": f"ipv{version}"}.items():
        text = text.replace(name, value)
    return text
