"""Counters as routers print them. The samples have the form of recorded answers, with numbers of their own."""

import pytest
from lxml import etree

from hntes.platforms.counters import Counter
from hntes.platforms.device_errors import DeliveryError
from hntes.platforms.iosxe.counters import iosxe_counter
from hntes.platforms.iosxr.counters import iosxr_counter
from hntes.platforms.junos.counters import firewall_counters

JUNOS = """<rpc-reply xmlns="urn:ietf:params:xml:ns:netconf:base:1.0">
<firewall-information xmlns="http://xml.juniper.net/junos/22.1R1/junos-filter">
<filter-information><filter-name>guard</filter-name><counter><counter-name>ssh</counter-name>
<packet-count>7</packet-count><byte-count>420</byte-count></counter></filter-information>
<filter-information><filter-name>hntes-alpha-v4</filter-name>
<counter><counter-name>alpha-1</counter-name><packet-count>2</packet-count><byte-count>3000</byte-count></counter>
<counter><counter-name>alpha-2</counter-name><packet-count>0</packet-count><byte-count>0</byte-count></counter>
</filter-information></firewall-information></rpc-reply>"""
IOSXE = """ TenGigabitEthernet0/0/0.100

  Service-policy input: hntes-in-018a109e

    Class-map: hntes-alpha (match-any)
      83941 packets, 125911500 bytes
      5 minute offered rate 12000 bps, drop rate 0000 bps
      Match: access-group name hntes-alpha-v4
      QoS Set
        qos-group 4

    Class-map: class-default (match-any)
      12 packets, 960 bytes
"""
IOSXR = """
TenGigE0/0/0/0.100 input: hntes-in

Class hntes-alpha
  Classification statistics          (packets/bytes)     (rate - kbps)
    Matched             :            83941/125911500                  12
    Transmitted         :            83941/125911500                  12
    Total Dropped       :                   0/0                        0
Class class-default
  Classification statistics          (packets/bytes)     (rate - kbps)
    Matched             :                  12/960                      0
"""
XE, XR = "TenGigabitEthernet0/0/0.100", "TenGigE0/0/0/0.100"


def test_junos_counts_by_pair_in_the_filters_of_hntes() -> None:
    found = firewall_counters(etree.fromstring(JUNOS))
    assert found == (Counter("alpha-1", "", 2, 3000), Counter("alpha-2", "", 0, 0))


def test_junos_counts_by_interface_in_a_list_and_its_counters_are_added_up() -> None:
    """User Guide, "Configuring Lists of Firewall Filters": `xe-0/0/0.0-i`, and counters `NAME-xe-0/0/0.0-i`."""

    def listed(interface: str, **counted: tuple[int, int]) -> str:
        shown = "".join(
            f"<counter><counter-name>{name.replace('_', '-')}-{interface}-i</counter-name>"
            f"<packet-count>{packets}</packet-count><byte-count>{octets}</byte-count></counter>"
            for name, (packets, octets) in counted.items()
        )
        return f"<filter-information><filter-name>{interface}-i</filter-name>{shown}</filter-information>"

    answer = (
        "<rpc-reply><firewall-information>"
        + listed("xe-0/0/0.0", alpha_67f57fd0b6e2=(2, 3000), alpha_0badc0ffee00=(0, 0), spoofed=(9, 13))
        + listed("xe-0/0/1.100", alpha_67f57fd0b6e2=(5, 7000))
        + "<filter-information><filter-name>__default_bpdu_filter__</filter-name></filter-information>"
        + "</firewall-information></rpc-reply>"
    )
    assert firewall_counters(etree.fromstring(answer)) == (
        Counter("alpha-67f57fd0b6e2", "", 7, 10_000), Counter("alpha-0badc0ffee00", "", 0, 0),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("<byte-count>3000<", "<byte-count>3,000<", "'3,000' as <byte-count>"),
        ("<byte-count>3000</byte-count>", "", "without <byte-count>"),
        ("alpha-2", "alpha-1", "'alpha-1' twice"),
        (">3000<", ">39<", "2 packets cannot have 39 bytes"),
        (">3000<", f">{2**63}<", "not 63-bit numbers"),
    ],
)
def test_what_a_junos_router_cannot_have_counted_is_refused(old: str, new: str, said: str) -> None:
    with pytest.raises(DeliveryError, match=said):
        firewall_counters(etree.fromstring(JUNOS.replace(old, new)))


def test_cisco_counts_the_class_of_all_pairs_by_interface() -> None:
    assert iosxe_counter(IOSXE, XE) == (Counter("hntes-alpha", XE, 83941, 125911500),)
    assert iosxr_counter(IOSXR, XR) == (Counter("hntes-alpha", XR, 83941, 125911500),)


def test_without_the_class_nothing_is_counted() -> None:
    assert iosxe_counter("", XE) == ()
    assert iosxr_counter(f"{XR} direction input: Service Policy not installed\n", XR) == ()
    other = "campus (match-any)"
    assert iosxe_counter(IOSXE.replace("hntes-alpha (match-any)", other), XE) == ()


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        (IOSXE.replace("83941 packets", "83,941 packets"), "is no count"),
        (IOSXE + IOSXE, "2 times"),
        (IOSXE.replace("Class-map: hntes-alpha", "Class: hntes-alpha"), "cannot be parsed"),
        ("% Invalid input detected at '^' marker.\n", "refused to show"),
    ],
)
def test_words_of_an_iosxe_router_that_are_not_understood_are_refused(said: str, reason: str) -> None:
    with pytest.raises(DeliveryError, match=reason):
        iosxe_counter(said, XE)


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("Matched             :            83941/125911500 ", "Matched             :            N/A ", "is no count"),
        ("Classification", "Other", "cannot be parsed"),
        ("83941/125911500", "83941/1", "cannot have"),
    ],
)
def test_words_of_an_iosxr_router_that_are_not_understood_are_refused(old: str, new: str, reason: str) -> None:
    with pytest.raises(DeliveryError, match=reason):
        iosxr_counter(IOSXR.replace(old, new), XR)
