"""Identify ports by their names, aliases and descriptions."""

from __future__ import annotations

import re
from collections import defaultdict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tulle.cabling.live.port_record import Announced

_NUMBERED = re.compile(r"([A-Za-z][A-Za-z-]*?)[\s-]?(\d[\d/.:]*)$")
# Interface type -> vendors' abbreviations, for example in NX-OS Eth1/47, IOS Te1/0/1, EOS Et47.
_LONG = {
    "ethernet": ("et", "eth"),
    "fastethernet": ("fa",),
    "gigabitethernet": ("gi", "gig", "gige"),
    "twogigabitethernet": ("tw",),
    "fivegigabitethernet": ("fi",),
    "tengigabitethernet": ("te", "ten", "tengige", "tengig", "xge"),
    "twentyfivegige": ("twe", "tf", "twentyfivegigabitethernet"),
    "fortygigabitethernet": ("fo", "fortygige"),
    "fiftygige": ("fi-ge", "fiftygigabitethernet"),
    "hundredgige": ("hu", "hundredgigabitethernet"),
    "twohundredgige": ("th", "twohundredgigabitethernet"),
    "fourhundredgige": ("fh", "fou", "f", "fourhundredgigabitethernet"),
    "eighthundredgige": ("eh", "eighthundredgigabitethernet"),
    "management": ("ma", "mgmt"),
    "port-channel": ("po", "portchannel"),
}
_WORDS = {short: long for long, shorts in _LONG.items() for short in shorts}


def plain(port: str) -> str:
    """Normalize a port name, so that vendors' abbreviations of one name become equal.

    ``eth0`` is not changed, because it is a Linux interface, and SONiC has both ``eth0`` and ``Ethernet0``.
    """
    match = _NUMBERED.match(port)
    if match is None or (port.startswith("eth") and match[1] == "eth" and "/" not in match[2]):
        return port.casefold()
    word = match[1].casefold()
    return _WORDS.get(word, word) + match[2]


class Ports:
    """The ports of a device, which can be found by all their known names."""

    def __init__(self) -> None:
        self.names: set[str] = set()
        self._forms: set[str | None] = set()
        self._plain: dict[str, set[str]] = defaultdict(set)
        self._aliases: dict[str, set[str]] = defaultdict(set)
        self._learnt: dict[str, set[str]] = defaultdict(set)

    def add(self, name: str) -> None:
        """Add a port by its name."""
        if name and name not in self.names:
            self.names.add(name)
            self._forms.add(form(name))
            self._plain[plain(name)].add(name)

    def alias(self, name: str, aliases: tuple[str, ...]) -> None:
        """Add other names of a port."""
        self.add(name)
        for text in aliases:
            self._aliases[text].add(name)

    def learn(self, text: str, name: str) -> None:
        """Record that the port `name` announces itself as `text`. The two reports of a cable show this."""
        self._learnt[text].add(name)

    def find(self, announced: Announced) -> tuple[str | None, bool]:
        """Return the port that an announcement means (None if unknown), and whether the port ID identifies it."""
        identity, described = announced.port_id, announced.port_description
        by_alias = _only(self._aliases, identity)
        by_name = identity if identity in self.names else None
        first, second = (by_alias, by_name) if announced.port_kind in ("local", "ifalias") else (by_name, by_alias)
        sure = announced.port_kind == "ifname" or by_alias is not None
        if (found := first or second) is not None:
            return found, sure
        if (found := _only(self._plain, plain(identity))) is not None:
            return found, sure
        if described in self.names:
            return described, False
        found = _only(self._aliases, described) or _only(self._plain, plain(described)) or _only(self._learnt, identity)
        if found is not None:
            return found, False
        # Files do not list ports without a neighbour, so the port may be missing here. An announced interface name is
        # accepted as it is, any other text only if it resembles known port names.
        if announced.port_kind == "ifname":
            return identity or None, True
        texts = (described,) if announced.port_kind in ("local", "mac") else (identity, described)
        return next((text for text in texts if self._is_like(text)), None), False

    def _is_like(self, text: str) -> bool:
        """Return whether a text resembles known port names: it has the same word, and numbers in the same places."""
        return form(text) is not None and form(text) in self._forms


def form(name: str) -> str | None:
    """Return a port name with every number replaced by 0; None if the text is not a word followed by numbers."""
    match = _NUMBERED.match(name)
    return re.sub(r"\d+", "0", plain(name)) if match else None


def _only(table: dict[str, set[str]], text: str) -> str | None:
    found = table.get(text) if text else None
    return next(iter(found)) if found and len(found) == 1 else None
