"""Check the messages about probed paths that differ from the plan; no lab runs."""

from __future__ import annotations

from ipaddress import ip_address

import pytest

import tulle
from tulle.deploy.ethernet.plan import plan_of
from tulle.lab.probe import Wrong, _name


@pytest.mark.parametrize(
    ("seen", "hop", "planned", "text"),
    [
        (
            ("s0 (network unreachable)", "-"),
            0,
            ("s0",),
            "hop 1 s0 answers 'network unreachable', expected 'time exceeded'",
        ),
        (("s0", "-"), 1, ("s1", "s2"), "hop 2 does not answer, expected s1 or s2"),
        (("s0", "s3"), 1, ("s1",), "hop 2 is s3, expected s1"),
        (
            ("s0", "h1 (host unreachable)"),
            1,
            ("h1",),
            "hop 2 h1 answers 'host unreachable', expected 'port unreachable'",
        ),
        (
            ("s0", "s9 (ICMP type 12 code 1)"),
            1,
            ("s1",),
            "hop 2 s9 answers 'ICMP type 12 code 1', expected 'time exceeded' from s1",
        ),
    ],
)
def test_messages_are_words(seen: tuple[str, ...], hop: int, planned: tuple[str, ...], text: str) -> None:
    wrong = Wrong(1, "h0", "h1", seen, hop, planned)
    assert wrong.text == f"layer 1, h0 to h1: {text} (path: {' '.join(seen)})"


@pytest.mark.parametrize(
    ("ipv6", "message", "name"),
    [
        (False, (3, 0), "network unreachable"),
        (False, (3, 13), "prohibited"),
        (False, (12, 1), "ICMP type 12 code 1"),
        (True, (1, 0), "no route"),
    ],
)
def test_answers_have_names(ipv6: bool, message: tuple[int, int], name: str) -> None:
    plan = plan_of(tulle.route("clique:degree=3", "minimal"), ipv6=ipv6)
    answer = ip_address(plan.addressing.router(2)).packed.rjust(16, b"\0") + bytes(message)
    assert _name(plan, {}, answer, b"", 0) == f"s2 ({name})"
