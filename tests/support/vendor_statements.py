"""Statements of the vendors' languages that no candidate of HNTES may hold, composed from words of their hierarchies.

The words are in `tests/data/vendor_statements.toml`; statements drawn from the vendors' models are in
`tests/data/vendor_paths.toml`. Every statement is put into a candidate on a line of its own.
"""

import random
import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

DATA = Path(__file__).resolve().parent.parent / "data" / "vendor_statements.toml"
DRAWN = DATA.with_name("vendor_paths.toml")
# Whose words are those of several platforms.
ROWS = {"iosxr": "cisco", "iosxe": "cisco"}
# What the tables call the port and the list of a candidate, and where statements of the top go if not to the end.
LINES = {
    "iosxr": {"port": "interface TenGigE0/0/0/1", "list": "ipv4 access-list hntes-alpha-v4"},
    "iosxe": {"port": "interface TenGigabitEthernet0/0/1", "list": "ip access-list extended hntes-alpha-v4"},
    "sros": {"": "configure {"},
    "eos": {"port": "interface Ethernet2/1"},
}
# Of statements at the top, and of those of a port.
MARGINS = {"sros": ("    ", ""), "eos": ("", "   ")}


@dataclass(frozen=True)
class Statement:
    """One statement, and the beginning of the candidate's line behind which it goes ("": the end)."""

    text: str
    after: str = ""

    def put_into(self, candidate: str) -> tuple[str, int]:
        """The candidate with the statement, and the line of it."""
        lines = candidate.splitlines()
        place = len(lines)
        if self.after:
            place = 1 + next(number for number, line in enumerate(lines) if line.startswith(self.after))
        return "\n".join([*lines[:place], self.text, *lines[place:]]) + "\n", place + 1


def statements(platform: str, count: int, seed: int) -> list[Statement]:
    """`count` statements of a platform, all different, chosen by the seed."""
    source = random.Random(seed)
    found: dict[Statement, None] = {}
    while len(found) < count:
        found.setdefault(_junos(source) if platform == "junos" else _behind_a_line(platform, source))
    return list(found)


def drawn(platform: str) -> list[Statement]:
    """The statements that were drawn from the vendor's model, all of them."""
    table, lines = tomllib.loads(DRAWN.read_text(encoding="utf-8")), LINES.get(platform, {})
    top, below = MARGINS.get(platform, ("", " "))
    of_port = [Statement(f"{below}{text}", lines["port"]) for text in table.get(f"{platform}_port", ())]
    return [Statement(f"{top}{text}", lines.get("", "")) for text in table[platform]] + of_port


@cache
def _table() -> dict[str, list[dict[str, Any]]]:
    return tomllib.loads(DATA.read_text(encoding="utf-8"))


def _with_argument(words: str, source: random.Random) -> str:
    number = str(source.randrange(2, 65_536))
    kinds = ("", number, f"x{number}", f"10.{source.randrange(256)}.0.0", f"evil {number}", "all", "inet.0")
    return f"{words} {source.choice(kinds)}".rstrip()


def _junos(source: random.Random) -> Statement:
    row = source.choice(_table()["junos"])
    return Statement(row["place"] % f"{_with_argument(source.choice(row['words']), source)};")


def _behind_a_line(platform: str, source: random.Random) -> Statement:
    row = source.choice(_table()[ROWS.get(platform, platform)])
    after = LINES[platform].get(row["after"], row["after"])
    return Statement(row["margin"] + _with_argument(source.choice(row["words"]), source), after)
