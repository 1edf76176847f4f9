"""Send packets whose time to live (TTL) expires on the way, and collect the ICMP answers."""

from __future__ import annotations

import errno
import select
import socket
import time
from contextlib import ExitStack
from typing import Any

from tulle.lab import kernel

_ROOM = 8 << 20
# After this many packets, answers are read before more packets are sent, so that no queue overflows.
_AT_ONCE = 64
_ROUNDS = 3
_PATIENCE = 0.3

# Sizes of headers in bytes.
_UDP = 8
_ICMP = 8


def run(job: dict[str, Any]) -> dict[str, Any]:
    """Send the probes, and return the answers, the number of packets sent, and the duration in seconds.

    ``answers`` has 18 bytes per probe: the address of the answering node (16 bytes; an IPv4 address is in the last
    four), the ICMP type and the ICMP code. The bytes are zeros if there was no answer.
    """
    six = job["version"] == 6
    length = job["length"]
    packets: bytes = job["packets"]
    count = len(packets) // length
    answers = bytearray(18 * count)
    began = time.monotonic()
    sent = 0
    with ExitStack() as opened:
        links = []
        for source in job["sources"]:
            with kernel.network(source["name"]):
                links.append((*_sockets(six, opened), source["first"], source["last"]))
        poll = select.epoll()
        opened.callback(poll.close)
        receivers = {}
        for _, receiver, _, _ in links:
            poll.register(receiver, select.EPOLLIN)
            receivers[receiver.fileno()] = receiver
        left = set(range(count))
        for _ in range(_ROUNDS):
            for sender, receiver, first, last in links:
                due = [probe for probe in range(first, last) if probe in left]
                for start in range(0, len(due), _AT_ONCE):
                    for probe in due[start : start + _AT_ONCE]:
                        packet = packets[probe * length : (probe + 1) * length]
                        sent += _send(sender, packet, six)
                    _drain(receiver, six, answers, left, count)
            while left and (ready := poll.poll(_PATIENCE)):
                for descriptor, _ in ready:
                    _drain(receivers[descriptor], six, answers, left, count)
            if not left:
                break
    return {"answers": bytes(answers), "sent": sent, "seconds": round(time.monotonic() - began, 3)}


def _sockets(six: bool, opened: ExitStack) -> tuple[socket.socket, socket.socket]:
    family = socket.AF_INET6 if six else socket.AF_INET
    sender = opened.enter_context(socket.socket(family, socket.SOCK_RAW, socket.IPPROTO_RAW))
    protocol = socket.IPPROTO_ICMPV6 if six else socket.IPPROTO_ICMP
    receiver = opened.enter_context(socket.socket(family, socket.SOCK_RAW, protocol))
    receiver.setblocking(False)
    force = 33  # SO_RCVBUFFORCE
    try:
        receiver.setsockopt(socket.SOL_SOCKET, force, _ROOM)
    except OSError:
        receiver.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, _ROOM)
    return sender, receiver


def _send(sender: socket.socket, packet: bytes, six: bool) -> int:
    address = (socket.inet_ntop(socket.AF_INET6, packet[24:40]), 0) if six else (socket.inet_ntoa(packet[16:20]), 0)
    try:
        sender.sendto(packet, address)
    except OSError as error:
        # If the kernel has no route or no buffer space, the probe counts as unanswered.
        if error.errno not in (errno.ENETUNREACH, errno.EHOSTUNREACH, errno.ENOBUFS, errno.EINVAL):
            raise
        return 0
    return 1


def _drain(receiver: socket.socket, six: bool, answers: bytearray, left: set[int], count: int) -> None:
    while True:
        try:
            packet, address = receiver.recvfrom(2048)
        except BlockingIOError:
            return
        if six:
            who, head = socket.inet_pton(socket.AF_INET6, address[0].partition("%")[0]), 0
        else:
            who, head = bytes(12) + packet[12:16], 4 * (packet[0] & 15)
        quoted = head + _ICMP
        # An ICMP error quotes the packet that caused it. Skip packets that do not quote a probe.
        payload = quoted + (40 if six else 20) + _UDP
        if len(packet) < payload + 8 or packet[payload + 4 : payload + 8] != b"tull":
            continue
        probe = int.from_bytes(packet[payload : payload + 4], "big")
        if probe < count and probe in left:
            left.discard(probe)
            answers[18 * probe : 18 * probe + 18] = who + packet[head : head + 2]
