"""Send frames between network namespaces and report where each frame is seen; this script runs inside a sandbox.

Input: JSON with ``ports`` (namespace, interface), ``frames`` (index of the sending port, the frame's first bytes as
hexadecimal digits) and optionally ``rows`` (the minimum number of rows to wait for). Output: for each frame, one row
per port that saw the frame: index of the port, whether the port sent (true) or received (false) the frame, and the
frame's VLAN (0 for none).
"""

import ctypes
import json
import os
import select
import socket
import struct
import sys
import time
from pathlib import Path

from patience import PATIENCE

SOL_PACKET, PACKET_AUXDATA = 263, 8
MARK = b"tulle's frame "
"""This marker precedes the frame's number. It can be at any position in the frame."""


def opened(namespace: str, port: str) -> socket.socket:
    """Return a raw socket on an interface of a network namespace."""
    libc = ctypes.CDLL(None, use_errno=True)
    with Path("/run/netns", namespace).open() as place:
        if libc.setns(place.fileno(), 0x40000000):
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    wire = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))
    wire.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 22)
    wire.setsockopt(SOL_PACKET, PACKET_AUXDATA, 1)
    wire.bind((port, 0))
    return wire


def seen(wire: socket.socket) -> tuple[int, bool, int] | None:
    """Return a frame's number, whether the port sent it, and its VLAN; None if another program sent the frame."""
    data, more, _, address = wire.recvmsg(512, 256)
    at = data.find(MARK)
    if at < 0:
        return None
    vlan = next((struct.unpack_from("IIIHHH", row[2])[5] & 0xFFF for row in more if row[0] == SOL_PACKET), 0)
    if data[12:14] == b"\x81\x00":
        vlan = int.from_bytes(data[14:16], "big") & 0xFFF
    return int(data[at + len(MARK) : at + len(MARK) + 8]), address[2] == socket.PACKET_OUTGOING, vlan


def main() -> None:
    """Send each frame once, then listen until all wanted rows are there and no frame has arrived for half a second."""
    given = json.load(sys.stdin)
    wires = [opened(*port) for port in given["ports"]]
    places = {wire.fileno(): place for place, wire in enumerate(wires)}
    events = select.epoll()
    for wire in wires:
        events.register(wire, select.EPOLLIN)
    found: list[list[tuple[int, bool, int]]] = [[] for _ in given["frames"]]

    def take(patience: float) -> bool:
        ready = events.poll(patience)
        for number, _ in ready:
            one = seen(wires[places[number]])
            if one is not None:
                found[one[0]].append((places[number], *one[1:]))
        return bool(ready)

    for number, (port, begin) in enumerate(given["frames"]):
        wires[port].send(bytes.fromhex(begin) + MARK + b"%08d" % number)
        while take(0):
            pass
    until = time.monotonic() + PATIENCE
    # On a busy machine, daemons that forward frames can stop for more than half a second.
    while (take(0.5) or sum(map(len, found)) < given.get("rows", 0)) and time.monotonic() < until:
        pass
    json.dump(found, sys.stdout)


main()
