"""Sends tagged frames between namespaces and tells where each arrives: run inside of a sandbox.

Input: JSON with ``ports`` (namespace, interface) and ``frames`` (port, destination's MAC address, VLAN). Output: per
frame the list of ports that it came out of, with its VLAN there.
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

AUXDATA = 8
KIND = 0x88B5
"""The EtherType of local experiments (IEEE 802)."""


def opened(namespace: str, port: str) -> socket.socket:
    """A socket at an interface of a namespace."""
    libc = ctypes.CDLL(None, use_errno=True)
    with Path("/run/netns", namespace).open() as place:
        if libc.setns(place.fileno(), 0x40000000):
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    wire = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))
    wire.bind((port, 0))
    wire.setsockopt(263, AUXDATA, 1)
    wire.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 22)
    return wire


def arrived(wire: socket.socket) -> tuple[int, int] | None:
    """The number of a frame of ours and its VLAN, of whatever is there."""
    data, more, _, address = wire.recvmsg(256, 256)
    if address[2] == socket.PACKET_OUTGOING:
        return None
    vlan = next((struct.unpack("IIIHHHH", row[2][:20])[5] & 0xFFF for row in more if row[0] == 263), 0)
    kind = data[12:14]
    if kind == b"\x81\x00":
        vlan, kind, data = int.from_bytes(data[14:16], "big") & 0xFFF, data[16:18], data[4:]
    return (int.from_bytes(data[14:18], "big"), vlan) if int.from_bytes(kind, "big") == KIND else None


def main() -> None:
    """All frames once, then until nothing has come for half a second."""
    given = json.load(sys.stdin)
    wires = [opened(*port) for port in given["ports"]]
    found: list[list[tuple[int, int]]] = [[] for _ in given["frames"]]
    for number, (port, mac, vlan) in enumerate(given["frames"]):
        header = bytes.fromhex(mac.replace(":", "")) + bytes(6) + b"\x81\x00" + vlan.to_bytes(2, "big")
        wires[port].send(header + KIND.to_bytes(2, "big") + number.to_bytes(4, "big") + bytes(60))
        if number % 16 == 0:
            time.sleep(0.001)
    until = time.monotonic() + 30
    while time.monotonic() < until:
        ready = select.select(wires, [], [], 0.5)[0]
        if not ready:
            break
        for wire in ready:
            one = arrived(wire)
            if one is not None:
                found[one[0]].append((wires.index(wire), one[1]))
    json.dump(found, sys.stdout)


main()
