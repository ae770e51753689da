"""Documents of OSCARS and SENSE, in the forms of their published classes."""

import json
from typing import Any

import pytest

from hntes.rules.reservations.published import Direction, PublishedError, published

CONNECTION: dict[str, Any] = {
    "connectionId": "CAST01", "begin": 1_795_521_600, "end": 1_795_528_800, "username": "anna", "phase": "RESERVED",
    "description": "weekly copy", "mode": "AUTOMATIC", "connection_mtu": 9000, "heldUntil": None,
    "pipes": [{"a": "star-cr6", "z": "wash-cr6", "azMbps": 3000, "zaMbps": 100, "protect": True, "ero": []}],
    "fixtures": [{"junction": "star-cr6", "port": "star-cr6:1/1/c32/1", "vlan": 122, "inMbps": 3000, "outMbps": 100}],
}  # fmt: skip
L2VPN: dict[str, Any] = {
    "name": "CAST02", "meta": {"username": "bert", "description": "run 7", "trackingId": "CAST02"},
    "schedule": {"beginning": 1795521600.0, "ending": 1795528800},
    "qos": {"mode": "GUARANTEED", "bandwidth": 1000, "excessAction": "SCAVENGER"}, "status": {"phase": "RESERVED"},
    "endpoints": [{"device": "star-cr6", "port": "1/1/c32/1", "vlan": 122, "tagged": True}],
}  # fmt: skip
INTENT: dict[str, Any] = {
    "service": "dnc", "service_instance_uuid": "0d0f630f",
    "data": {
        "type": "Site-L3 over P2P VLAN",
        "connections": [
            {
                "name": "Connection 1", "bandwidth": {"qos_class": "guaranteedCapped", "capacity": "1000"},
                "schedule": {"start": "2026-11-24T12:00:00Z", "end": "2026-11-24T14:00:00Z"},
                "terminals": [
                    {"uri": "urn:ogf:network:one", "ipv6_prefix_list": "2001:db8:1::/64", "vlan_tag": "any"},
                    {"uri": "urn:ogf:network:two", "ipv6_prefix_list": " 2001:db8:2::/64 "},
                ],
            }
        ],
    },
}  # fmt: skip
INSTANCE = {"alias": "copies", "owner": "anna", "state": "CREATE - READY", "intents": [{"id": "36", "json": INTENT}]}


def changed(document: dict[str, Any], path: str, value: object) -> dict[str, Any]:
    """The document with another value at `a.0.b`."""
    copy: dict[str, Any] = json.loads(json.dumps(document))
    *before, last = path.split(".")
    here: Any = copy
    for part in before:
        here = here[int(part)] if part.isdecimal() else here[part]
    here[last] = value
    return copy


def read(document: object, direction: Direction = "forward") -> Any:
    (found,) = published(json.dumps(document), direction)
    return found


def test_a_connection_of_oscars_has_a_rate_for_each_direction() -> None:
    found = read(CONNECTION)
    assert (found.external_id, found.owner, found.ticket) == ("oscars:CAST01:forward", "anna", "weekly copy")
    assert (found.rate_bps, found.start_s, found.end_s) == (3 * 10**9, 1_795_521_600, 1_795_528_800)
    assert (found.source, found.destination) == (None, None)
    back = read(CONNECTION, "reverse")
    assert (back.external_id, back.rate_bps) == ("oscars:CAST01:reverse", 10**8)
    assert read(changed(CONNECTION, "pipes", [{"mbps": 7}])).rate_bps == 7 * 10**6


def test_what_means_nothing_here_is_named_and_what_says_nothing_is_not() -> None:
    assert read(CONNECTION).ignored == (
        "mode", "connection_mtu", "pipes[0].a", "pipes[0].z", "pipes[0].zaMbps", "pipes[0].protect", "pipes[0].ero",
        "fixtures",
    )  # fmt: skip
    assert "colour" in read(CONNECTION | {"colour": "red"}).ignored
    assert read(INSTANCE).ignored == (
        "state", "intents[0].id", "intents[0].json.service", "intents[0].json.data.type",
        "intents[0].json.data.connections[0].terminals[0].uri",
        "intents[0].json.data.connections[0].terminals[0].vlan_tag",
        "intents[0].json.data.connections[0].terminals[1].uri",
    )  # fmt: skip


def test_an_l2vpn_of_oscars() -> None:
    found = read(L2VPN)
    assert (found.external_id, found.owner, found.ticket) == ("oscars:CAST02:forward", "bert", "run 7")
    assert (found.rate_bps, found.start_s, found.end_s) == (10**9, 1_795_521_600, 1_795_528_800)
    assert found.ignored == ("meta.trackingId", "qos.excessAction", "endpoints")


def test_an_instance_of_sense_has_prefixes_for_both_directions() -> None:
    found = read(INSTANCE)
    assert (found.external_id, found.owner) == ("sense:0d0f630f/Connection 1:forward", "anna")
    assert (found.source, found.destination, found.rate_bps) == ("2001:db8:1::/64", "2001:db8:2::/64", 10**9)
    assert (found.start_s, found.end_s, found.ticket) == (1_795_521_600, 1_795_528_800, "copies")
    back = read(INTENT, "reverse")
    assert (back.source, back.destination, back.owner) == ("2001:db8:2::/64", "2001:db8:1::/64", None)


def test_several_prefixes_of_a_terminal_are_not_chosen_from() -> None:
    path = "data.connections.0.terminals.0.ipv4_prefix_list"
    assert read(changed(INTENT, path, "198.18.10.0/24")).source is None


def test_a_list_holds_several() -> None:
    found = published(json.dumps([CONNECTION, L2VPN, INTENT]), "forward")
    assert [each.connection_id for each in found] == ["CAST01", "CAST02", "0d0f630f/Connection 1"]
    assert found[0].ignored[0] == "[0].mode"


CONNECTION_0 = "data.connections.0"
REFUSED: list[tuple[object, str]] = [
    ({}, "is not an OSCARS connection"),
    ([3], r"\[0\]: must be an object"),
    ([CONNECTION, CONNECTION], "occurs twice in the document"),
    (changed(CONNECTION, "phase", "ARCHIVED"), "its phase is ARCHIVED"),
    (changed(CONNECTION, "pipes", []), "has 0 pipes"),
    (changed(CONNECTION, "pipes", [{"a": "x"}]), "no rate for this direction"),
    (changed(CONNECTION, "pipes.0.azMbps", 1.5), r"pipes\[0\].azMbps: must be a whole number"),
    (changed(CONNECTION, "pipes.0.azMbps", True), "must be a whole number"),
    (changed(CONNECTION, "end", None), r"no end \(end\)"),
    (changed(CONNECTION, "end", "soon"), "end: 'soon'"),
    (changed(CONNECTION, "end", []), "end: must be a whole number"),
    (changed(CONNECTION, "pipes", {}), "pipes: must be a list"),
    (changed(CONNECTION, "username", 5), "username: must be a string"),
    (changed(L2VPN, "qos.mode", "SCAVENGER"), "qos.mode is SCAVENGER"),
    (changed(L2VPN, "status.phase", "HELD"), "its status.phase is HELD"),
    (changed(L2VPN, "schedule", 3), "schedule: must be an object"),
    (changed(L2VPN, "name", ""), "name: is missing"),
    (changed(INTENT, f"{CONNECTION_0}.bandwidth.qos_class", "bestEffort"), "its bandwidth.qos_class is bestEffort"),
    (changed(INTENT, f"{CONNECTION_0}.schedule", None), r"no end \(schedule.end\)"),
    (changed(INTENT, f"{CONNECTION_0}.schedule.end", "2026-11-24 14:00"), "with UTC offset"),
    (changed(INTENT, f"{CONNECTION_0}.terminals", [{}]), "has 1 terminals"),
    (changed(INTENT, "data.connections", []), "is empty"),
    (changed(INTENT, "service_instance_uuid", None), "are missing"),
]


@pytest.mark.parametrize(("document", "said"), REFUSED, ids=range(len(REFUSED)))
def test_what_cannot_be_a_reservation(document: object, said: str) -> None:
    with pytest.raises(PublishedError, match=said):
        published(json.dumps(document), "forward")


@pytest.mark.parametrize("text", ["", "{", "[" * 100_000, '{"connectionId": ' + "9" * 5000 + "}"], ids=range(4))
def test_what_is_no_json(text: str) -> None:
    with pytest.raises(PublishedError, match="not valid JSON"):
        published(text, "forward")


@pytest.mark.parametrize("number", ["NaN", "Infinity", "1e400"])
def test_numbers_that_are_none(number: str) -> None:
    text = json.dumps(CONNECTION).replace("1795528800", number)
    with pytest.raises(PublishedError, match="end: must be a whole number"):
        published(text, "forward")
