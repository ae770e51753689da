"""Every source of announcements with one message as its documentation has it, and what that says."""

from dataclasses import dataclass
from typing import Any

from tests.support.fireflies import Sent

START_MS, END_MS = 1_795_514_400_000, 1_795_514_460_000
ENDPOINTS = "198.51.100.7 src.example.org sunn-cr6:xe-1\n203.0.113.0/24 DST.example.org star-cr6:xe-0\n"
FIREFLY = Sent("198.51.100.7", "203.0.113.9", 40_000, 1094, START_MS, END_MS, 3, 4, 1_500_000_000, 7_000_000)


@dataclass(frozen=True)
class Sample:
    """A message, whose times are START_MS to END_MS, and what it says.

    `broken`: changes of it that are malformed, as (path, value). `others`: messages that announce nothing.
    """

    message: dict[str, Any]
    source: str
    destination: str
    experiment: int
    sent_bytes: int | None
    both_ways: bool
    broken: tuple[tuple[tuple[str | int, ...], Any], ...]
    others: tuple[dict[str, Any], ...] = ()


def _lifecycle(name: str) -> tuple[str, str]:
    return ("flow-lifecycle", name)


def _flow(name: str) -> tuple[str, str]:
    return ("flow-id", name)


SAMPLES: dict[str, Sample] = {
    "firefly": Sample(
        FIREFLY.document("end"), "198.51.100.7/32", "203.0.113.9/32", 3, 1_500_000_000, True,
        broken=(
            (("version",), 2), (("version",), True), (("version",), 1.0),
            (_lifecycle("state"), "ended"), (_lifecycle("state"), ["end"]), (_lifecycle("end-time"), "yesterday"),
            (_lifecycle("end-time"), "1969-12-31T23:59:59Z"), (_lifecycle("end-time"), "2199-01-01T00:00:00Z"),
            (_lifecycle("end-time"), "2020-01-01T00:00:00Z"), (_lifecycle("start-time"), -5),
            (_flow("afi"), "ipv6"), (_flow("src-ip"), "198.51.100.0/24"), (_flow("src-ip"), "2001:db8::1"),
            (_flow("src-ip"), "fe80::1%eth0"), (_flow("src-ip"), "٣.1.1.1"), (_flow("src-ip"), 1),
            (_flow("protocol"), "sctp"), (_flow("src-port"), 0), (_flow("src-port"), 65_536),
            (_flow("dst-port"), "x"), (_flow("dst-port"), 10**400), (_flow("dst-port"), -1),
            (("context", "experiment-id"), 512), (("context", "experiment-id"), 0), (("context", "activity-id"), 64),
            (("context",), None), (("context",), []), (("usage", "sent"), -1), (("usage", "sent"), 2**63),
            (("usage", "sent"), 1e30), (("usage",), "many"),
        ),
    ),
    "fts": Sample(
        {
            "tr_id": "2026-11-24-1000__src__dst__1", "vo": "CMS", "src_hostname": "src.example.org",
            "src_url": "davs://other.example.org:443/a", "dst_url": "davs://dst.example.org:443/store/b",
            "timestamp_tr_st": START_MS, "timestamp_tr_comp": str(END_MS), "tr_bt_transfered": 1_500_000_000,
            "file_metadata": {"activity": "Production Input"}, "t_final_transfer_state": "Ok",
        },
        "198.51.100.7/32", "203.0.113.0/24", 3, 1_500_000_000, False,
        broken=(
            (("tr_id",), ""), (("tr_id",), "a b"), (("tr_id",), "<script>"), (("tr_id",), "a\nb"), (("tr_id",), "é"),
            (("vo",), 7), (("timestamp_tr_st",), -1), (("timestamp_tr_comp",), 1), (("timestamp_tr_comp",), 10**30),
            (("timestamp_tr_comp",), START_MS - 1), (("tr_bt_transfered",), "1e9"), (("src_hostname",), {}),
        ),
        others=({"tr_id": "x", "timestamp_tr_st": 0}, {"tr_id": "x"}),
    ),
    "rucio": Sample(
        {
            "event_type": "transfer-done", "created_at": "2026-11-24 10:01:07.235625",
            "payload": {
                "request-id": "b4ccdac3a01146a7859bd5458da9808e", "activity": "Data Challenge", "bytes": 1_500_000_000,
                "src-url": "root://src.example.org:1094//a", "dst-url": "root://dst.example.org:1094//b",
                "started_at": "2026-11-24 10:00:00", "transferred_at": "2026-11-24 10:01:00",
            },
        },
        "198.51.100.7/32", "203.0.113.0/24", 8, 1_500_000_000, False,
        broken=(
            (("payload",), None), (("payload",), "x"), (("payload", "request-id"), None),
            (("payload", "started_at"), None), (("payload", "started_at"), "2026-13-01"),
            (("payload", "transferred_at"), "2026-11-24 09:59:59"), (("payload", "bytes"), -7), (("event_type",), 5),
        ),
        others=({"event_type": "transfer-queued", "payload": {}}, {}),
    ),
    "oscars": Sample(
        {
            "connectionId": "C7WG", "phase": "RESERVED", "begin": START_MS // 1000, "end": END_MS // 1000,
            "fixtures": [{"port": "sunn-cr6:xe-1"}, {"port": "star-cr6:xe-0"}],
        },
        "198.51.100.7/32", "203.0.113.0/24", 0, None, True,
        broken=(
            (("connectionId",), None), (("connectionId",), "../../etc"), (("begin",), -1), (("end",), "soon"),
            (("fixtures",), []), (("fixtures",), None), (("fixtures",), {}), (("fixtures",), [{"port": "x"}]),
            (("fixtures",), ["x", "y"]), (("fixtures",), [{"port": "x"}] * 101),
        ),
        others=(
            {"connectionId": "C7WG", "phase": "ARCHIVED", "fixtures": []},
        ),
    ),
    "sense": Sample(
        {
            "intents": [{"json": {
                "service_instance_uuid": "82a78498-6303-4c41-9482-8f1c7283948b",
                "data": {"connections": [{
                    "name": "Connection 1",
                    "schedule": {"start": "2026-11-24T10:00:00.000Z", "end": "2026-11-24T10:01:00.000Z"},
                    "terminals": [
                        {"uri": "sunn-cr6:xe-1"},
                        {"uri": "urn:ogf:network:x", "ipv4_prefix_list": "203.0.113.0/24"},
                    ],
                }]},
            }}],
        },
        "198.51.100.7/32", "203.0.113.0/24", 0, None, True,
        broken=(
            (("intents",), {}), (("intents", 0, "json"), None), (("intents", 0, "json", "service_instance_uuid"), ""),
            (("intents", 0, "json", "data", "connections", 0, "terminals"), []),
            (("intents", 0, "json", "data", "connections", 0, "terminals", 1, "ipv4_prefix_list"), "203.0.113.9/24"),
            (("intents", 0, "json", "data", "connections", 0, "schedule", "end"), "never"),
        ),
        others=({"intents": []}, {}),
    ),
}  # fmt: skip
