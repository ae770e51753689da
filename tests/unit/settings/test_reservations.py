"""The section [reservations]: off unless it is there, and what cannot be promised is refused."""

import re
from pathlib import Path

import pytest
from pydantic import ValidationError

from hntes.settings.reservations import PortCap, Reservations
from tests.support.settings_file import EXAMPLE, MINIMAL, load, refusal


def test_nothing_can_be_reserved_without_the_section(tmp_path: Path) -> None:
    assert load(tmp_path, MINIMAL).reservations is None


def test_the_examples_remarks_are_the_defaults(tmp_path: Path) -> None:
    section = EXAMPLE[EXAMPLE.index("# [reservations]") : EXAMPLE.index("# [[reservations.webhooks]]")]
    shown = re.sub(r"^# ", "", section, flags=re.MULTILINE)
    assert load(tmp_path, MINIMAL + shown).reservations == Reservations()


def test_the_examples_port_is_one(tmp_path: Path) -> None:
    section = EXAMPLE[EXAMPLE.index("# [[reservations.webhooks]]") : EXAMPLE.index("[gate]")]
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
        ("rtt_ms = 301", "rtt_ms 301 is above max_rtt_ms 300"),
        ('[[reservations.ports]]\nrouter = "r9"\ninterface = "a"\ncap_pct = 5', "r9:a is not an interface with queues"),
        ('ports = [{router = "r1", interface = "a", cap_pct = 5}, {router = "r1", interface = "a", cap_pct = 6}]',
         "port r1:a is given twice"),
    ],
)  # fmt: skip
def test_what_is_refused(tmp_path: Path, text: str, said: str) -> None:
    assert said in refusal(tmp_path, MINIMAL + "[reservations]\n" + text + "\n")


@pytest.mark.parametrize(
    ("url", "hosts", "said"),
    [
        ("https://hooks.example.net/x", ("hooks.example.net",), ""),
        ("https://HOOKS.example.net:8443/x?y=1", ("hooks.example.net",), ""),
        ("http://127.0.0.1:9000/x", (), ""),
        ("http://[::1]/x", (), ""),
        ("https://hooks.example.net/x", (), "not in webhook_hosts"),
        ("https://hooks.example.net.evil.example/x", ("hooks.example.net",), "not in webhook_hosts"),
        ("http://hooks.example.net/x", ("hooks.example.net",), "must be https"),
        ("http://127.0.0.1@hooks.example.net/x", ("hooks.example.net",), "must be https"),
        ("https://anna:secret@hooks.example.net/x", ("hooks.example.net",), "without a user"),
        ("https://hooks.example.net/x#y", ("hooks.example.net",), "without a user"),
        ("ftp://127.0.0.1/x", (), "must be https"),
        ("https:///x", (), "without a user"),
        ("https://hooks.example.net/a b", ("hooks.example.net",), "match pattern"),
    ],
)
def test_a_webhook_is_https_to_a_named_host_or_this_machine(url: str, hosts: tuple[str, ...], said: str) -> None:
    given = {"webhooks": [{"owner": "anna", "url": url}], "webhook_hosts": hosts}
    if not said:
        assert Reservations.model_validate(given).webhooks[0].url == url
        return
    with pytest.raises(ValidationError, match=said) as refused:
        Reservations.model_validate(given)
    assert all("secret" not in each["msg"] for each in refused.value.errors())
