"""Send commands to an Open vSwitch daemon: one JSON list (command, arguments) per input line, one answer per line.

The script replaces ``ovs-appctl``, which needs a new process for each command. It runs inside a sandbox; its argument
is the path of the daemon's control socket.
"""

import json
import socket
import sys
from typing import Any, TextIO


def main() -> None:
    """Send all commands over one connection."""
    with socket.socket(socket.AF_UNIX) as wire:
        wire.connect(sys.argv[1])
        answers = wire.makefile("r", encoding="utf-8")
        for number, line in enumerate(sys.stdin):
            command, *arguments = json.loads(line)
            wire.sendall(json.dumps({"id": number, "method": command, "params": arguments}).encode())
            answer = whole(answers)
            print(json.dumps(answer["result"] if answer["error"] is None else f"error: {answer['error']}"))


def whole(answers: TextIO) -> dict[str, Any]:
    """Read and return the next answer. Answers are JSON objects that follow each other without a separator."""
    text, depth, quoted, escaped = [], 0, False, False
    while letter := answers.read(1):
        text.append(letter)
        if quoted:
            quoted, escaped = escaped or letter != '"', not escaped and letter == "\\"
        elif letter == '"':
            quoted = True
        else:
            depth += (letter == "{") - (letter == "}")
        if not depth and text:
            found: dict[str, Any] = json.loads("".join(text))
            return found
    raise SystemExit("the daemon has gone")


main()
