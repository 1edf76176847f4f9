"""Send commands to an Open vSwitch daemon: one JSON list (command, arguments) per input line, one answer per line.

The script replaces ``ovs-appctl``, which needs a new process for each command. It runs inside a sandbox; its argument
is the path of the daemon's control socket.
"""

import json
import socket
import sys
from typing import Any


def main() -> None:
    """Send all commands over one connection."""
    with socket.socket(socket.AF_UNIX) as wire:
        wire.connect(sys.argv[1])
        for number, line in enumerate(sys.stdin):
            command, *arguments = json.loads(line)
            wire.sendall(json.dumps({"id": number, "method": command, "params": arguments}).encode())
            answer = whole(wire)
            print(json.dumps(answer["result"] if answer["error"] is None else f"error: {answer['error']}"))


def whole(wire: socket.socket) -> dict[str, Any]:
    """Read and return the only answer that the daemon sends now. Its JSON object may arrive in several parts."""
    text = b""
    while part := wire.recv(1 << 20):
        text += part
        if part.rstrip().endswith(b"}"):
            try:
                found: dict[str, Any] = json.loads(text)
            except ValueError:
                continue
            return found
    raise SystemExit("the daemon has gone")


main()
