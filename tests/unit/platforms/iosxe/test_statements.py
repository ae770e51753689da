"""What of an IOS-XE router's configuration is HNTES' own, in whatever form the router lists it."""

import re

import pytest

from hntes.delivery.verify import check_effect
from hntes.platforms.device_errors import DeliveryError
from hntes.platforms.iosxe.dialect import DIALECT as IOSXE
from hntes.platforms.iosxe.startup_config import require_archive, unsaved
from hntes.platforms.iosxe.statements import ordered, owned
from hntes.platforms.render import render
from tests.support.qos_models import PLANS, model

MODEL = model("iosxe", "two_queue", "next_hop")
TEXT = render(MODEL)
OTHERS = "version 17.6\nip access-list extended guard\n 10 permit ip any any\nlogging host 192.0.2.9\n"


def listed(text: str) -> str:
    """As a release lists it that stores no numbers: IPv6 addresses in capitals, blanks at the ends."""
    lines = [re.sub(r"^ (sequence )?\d+ permit", " permit", line) for line in text.splitlines() if line[0] != "!"]
    return "".join(f"{re.sub(r'[0-9a-f:]*::[0-9a-f/]*', lambda each: each[0].upper(), line)} \n" for line in lines)


@pytest.mark.parametrize("plan", PLANS)
def test_a_rendered_text_is_the_part_that_a_router_lists(plan: str) -> None:
    text = render(model("iosxe", plan, "next_hop"))
    assert "2001:DB8:1::/64" in listed(text)
    assert owned(OTHERS + listed(text)) == IOSXE.part_of(text)
    assert IOSXE.part_of(text) != IOSXE.part_of(None) == owned(OTHERS)
    assert IOSXE.foreign(OTHERS + text) == IOSXE.foreign(OTHERS)


@pytest.mark.parametrize(
    ("old", "new", "shown"),
    [
        ("  bandwidth percent 55", "  bandwidth percent 50", "+ policy-map hntes-out-1000000k-a1649233"),
        (" match dscp cs6 cs7\n", "", "- class-map match-any hntes-queue-network-control match dscp cs6 cs7"),
        (" set ip next-hop 192.0.2.1\n", "", "- route-map hntes-alpha-v4-297dc006 permit 10 set ip next-hop"),
        (
            "permit ip host 198.18.10.7 host 203.0.113.9",
            "deny ip any any",
            "+ ip access-list extended hntes-alpha-v4 deny",
        ),
        (" service-policy input hntes-in-018a109e\n", "", "- interface TenGigabitEthernet0/0/2 service-policy input"),
    ],
)
def test_what_somebody_changed_is_shown(old: str, new: str, shown: str) -> None:
    changed = TEXT.replace(old, new)
    assert changed != TEXT
    found = owned(changed).differences(IOSXE.part_of(TEXT))
    assert [line for line in found if line.startswith(shown)]


def test_classes_in_another_order_are_another_part() -> None:
    queue = " class hntes-queue-alpha\n  bandwidth percent 55\n  queue-limit 4583 packets\n"
    control = " class hntes-queue-network-control\n  bandwidth percent 5\n  queue-limit 416 packets\n"
    text = TEXT.replace(queue + control, control + queue)
    assert owned(text).differences(IOSXE.part_of(TEXT)) == ["! the terms or classes are in another order"]


def test_a_list_that_was_numbered_anew_has_the_same_effect() -> None:
    ports = "".join(f"interface TenGigabitEthernet0/0/{n}\n mtu 9000\n" for n in (1, 2))
    check_effect(IOSXE, OTHERS + ports + listed(TEXT), TEXT, MODEL.interfaces)
    entries = [line for line in ordered(TEXT).splitlines() if line.startswith((" 10 ", " sequence 10 "))]
    assert len(entries) == 2
    with pytest.raises(DeliveryError, match="behaves differently from the text"):
        check_effect(IOSXE, listed(TEXT).replace("198.18.20.0", "198.18.21.0"), TEXT, MODEL.interfaces)


ARCHIVE = "version 17.6\narchive\n log config\n  logging enable\n path bootflash:backup\nhostname r1\n"


def test_a_router_that_could_not_go_back_is_refused() -> None:
    require_archive(ARCHIVE)
    for text in (ARCHIVE.replace(" path bootflash:backup\n", ""), "path x\n", "archive\nhostname r1\n path x\n"):
        with pytest.raises(DeliveryError, match="has no configuration archive"):
            require_archive(text)


def test_only_what_somebody_else_changed_counts_as_unsaved() -> None:
    certificate = "crypto pki certificate chain own\n certificate self-signed 01"
    running, stored = f"{OTHERS}{certificate}\n  3082\n", f"{OTHERS}{certificate} nvram:own.cer\n"
    assert unsaved(running + TEXT, stored) == []
    assert unsaved(running + "hostname new\n", stored + "hostname old\n") == ["+ hostname new", "- hostname old"]
    many = "".join(f"ip route 10.{n}.0.0 255.255.0.0 Null0\n" for n in range(30))
    assert unsaved(running + many, stored)[-1] == "and 20 more"
