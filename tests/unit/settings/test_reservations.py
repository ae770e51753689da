"""The section [reservations]: off unless it is there, and what cannot be promised is refused."""

import re
from pathlib import Path

import pytest

from settings.reservations import PortCap, Reservations
from tests.unit.settings.test_settings import EXAMPLE, MINIMAL, load, refusal


def test_nothing_can_be_reserved_without_the_section(tmp_path: Path) -> None:
    assert load(tmp_path, MINIMAL).reservations is None


def test_the_examples_remarks_are_the_defaults(tmp_path: Path) -> None:
    section = EXAMPLE[EXAMPLE.index("# [reservations]") : EXAMPLE.index("# [[reservations.ports]]")]
    shown = re.sub(r"^# ", "", section, flags=re.MULTILINE)
    assert load(tmp_path, MINIMAL + shown).reservations == Reservations()


def test_the_examples_port_is_one(tmp_path: Path) -> None:
    section = EXAMPLE[EXAMPLE.index("# [[reservations.ports]]") : EXAMPLE.index("[gate]")]
    shown = re.sub(r"^# ", "", section, flags=re.MULTILINE)
    port = re.search(r'name = "(\S+)", role = "(?:core|both)"|name = "(\S+)"\s+role = "(?:core|both)"', MINIMAL)
    assert port, "the smallest settings have no port with queues"
    named = shown.replace("et-0/0/1", port[1] or port[2])
    found = load(tmp_path, MINIMAL + "[reservations]\n" + named).reservations
    assert found is not None
    assert found.ports == (PortCap(router="r1", interface=port[1] or port[2], cap_pct=50),)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("cap_pct = 99", "less than or equal to 98"),
        ("cap_pct = 0", "greater than or equal to 1"),
        ("rtt_ms = 0", "greater than or equal to 1"),
        ('[[reservations.ports]]\nrouter = "r9"\ninterface = "a"\ncap_pct = 5', "r9:a is no interface of these"),
        ('ports = [{router = "r1", interface = "a", cap_pct = 5}, {router = "r1", interface = "a", cap_pct = 6}]',
         "port r1:a is given twice"),
    ],
)  # fmt: skip
def test_what_is_refused(tmp_path: Path, text: str, said: str) -> None:
    assert said in refusal(tmp_path, MINIMAL + "[reservations]\n" + text + "\n")
