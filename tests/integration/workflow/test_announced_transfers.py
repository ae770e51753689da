"""Announcements beside NetFlow: sent over UDP, attributed at night, accounted by experiment; never a rule's reason."""

import json
from collections import Counter
from dataclasses import replace
from ipaddress import ip_address
from pathlib import Path
from random import Random
from typing import Any

import pytest

from hntes.settings.announced import Announced
from tests.support.counted_site import DAY, CountedSite, Records, alpha, host, midnight_ms, prefix_pair
from tests.support.fireflies import Sent, datagram, receiving, send_all, stamp
from tests.support.written_flow_files import FlowRecord

SECTION = """
[announced]
folder = "announced"
endpoints = "endpoints"
rucio_experiment = "dune"
shorten_wait = SHORTEN
"""
UNSAMPLED = '[[routers.sampling]]\nexporter = "127.0.0.11"\nfactor = 1\n'
BY_1000000 = '[[routers.sampling]]\nexporter = "127.0.0.11"\nfactor = 1_000_000\n'
NOON_S = midnight_ms(DAY) / 1000 + 43_200
FOLDER = "announced"


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> CountedSite:
    monkeypatch.chdir(tmp_path)
    return made_site(tmp_path, UNSAMPLED)


def made_site(folder: Path, sampling: str, shorten: str = "false") -> CountedSite:
    made = CountedSite(folder)
    made.set_up(SECTION.replace("SHORTEN", shorten), sampling)
    (folder / FOLDER).mkdir(exist_ok=True)
    (folder / "endpoints").write_text("# dune\n10.0.3.0/24 dst3.example.org\n172.0.3.9 src3.example.org\n")
    return made


def announced(record: FlowRecord, experiment: int, activity: int, sent_bytes: int, received_bytes: int = 0) -> Sent:
    """What the sending host says of a record's flow."""
    return Sent(
        str(ip_address(record.source)), str(ip_address(record.destination)), record.source_port,
        record.destination_port, record.first_ms, record.last_ms, experiment, activity, sent_bytes, received_bytes,
    )  # fmt: skip


def settings_of(site: CountedSite, **listen: int) -> Announced:
    given = {"port": 0, "per_sender_per_s": 100_000, "per_s": 100_000, **listen}
    return Announced.model_validate({"folder": site.folder / FOLDER, "listen": given})


def receive_all(site: CountedSite, datagrams: list[bytes], **listen: int) -> Counter[Any]:
    with receiving(settings_of(site, **listen), NOON_S) as (receiver, port):
        send_all(receiver, port, datagrams)
    return receiver.counts


def report(site: CountedSite) -> dict[str, Any]:
    return json.loads(site.run("data", "announced", "--day", str(DAY), "--json"))


def write(site: CountedSite, source: str, *messages: object, name: str = "a.log") -> None:
    path = site.folder / FOLDER / source / DAY.isoformat() / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{json.dumps(each)}\n" for each in messages))


def test_the_accounting_equals_what_was_sent_over_udp(site: CountedSite) -> None:
    """The oracle is the list of what was sent: each transfer's experiment, activity and bytes."""
    chance = Random(64)
    records = [alpha(DAY, pair, 3600.0 + 600 * pair, 1_200_000_000 + 10_000_000 * pair) for pair in range(1, 41)]
    sent = []
    for record in records[:30]:
        whose = chance.choice([(2, 20), (2, 16), (3, 4), (5, 13), (14, 1)])
        sent.append(announced(record, *whose, record.byte_count - chance.randrange(10**6), chance.randrange(10**7)))
    # transfers that NetFlow saw no alpha flow of
    small = [replace(sent[0], source_port=1000 + n, experiment=3, sent_bytes=10**6 + n) for n in range(25)]
    messages = [each for one in (*sent, *small) for each in one.messages()]
    chance.shuffle(messages)
    assert receive_all(site, [*messages, *messages[:40]]) == {"kept": len(messages) + 40}
    site.put(DAY, [], records)
    site.day(DAY)

    found = report(site)
    expected: Counter[tuple[int, int]] = Counter()
    netflow: Counter[tuple[int, int]] = Counter()
    totals: Counter[tuple[int, int]] = Counter()
    for one, record in zip(sent, records[:30], strict=True):
        expected[one.experiment, one.activity] += one.sent_bytes
        netflow[one.experiment, one.activity] += record.byte_count
    for one in (*sent, *small):
        totals[one.experiment, one.activity] += one.sent_bytes + one.received_bytes
    (of_router,) = found["routers"]
    assert {numbers(use): use["announced_bytes"] for use in of_router["uses"]} == expected
    assert {numbers(use): use["alpha_bytes"] for use in of_router["uses"]} == netflow
    assert of_router["unannounced_flows"] == 10
    assert of_router["unannounced_bytes"] == sum(record.byte_count for record in records[30:])
    assert {numbers(total): total["announced_bytes"] for total in found["totals"]} == totals
    assert sum(total["transfers"] for total in found["totals"]) == len(sent) + len(small)
    (counts,) = found["counts"]
    assert (counts["source"], counts["messages"], counts["malformed"]) == ("firefly", len(messages) + 40, 0)


NAMES = {"atlas": 2, "cms": 3, "alice": 5, "xenon": 14}


def numbers(use: dict[str, Any]) -> tuple[int, int]:
    """Of the names that are shown without a registry file."""
    return NAMES[use["experiment"]], int(use["activity"].removeprefix("activity "))


def test_a_repeated_night_gives_the_same_and_a_removed_folder_a_note(site: CountedSite) -> None:
    record = alpha(DAY, 1, 3600.0)
    receive_all(site, announced(record, 2, 20, record.byte_count).messages())
    site.put(DAY, [], [record])
    first = site.day(DAY), report(site)
    assert (site.day(DAY), report(site)) == first
    (site.folder / FOLDER).rename(site.folder / "gone")
    assert "announcements were not read: " in site.day(DAY)["reason"]
    assert site.pairs(DAY) == {prefix_pair(1)}
    assert report(site)["routers"][0]["uses"] == []


def test_a_rule_says_what_it_was_announced_as(site: CountedSite) -> None:
    record = alpha(DAY, 1, 3600.0)
    other = alpha(DAY, 2, 7200.0)
    receive_all(site, announced(record, 2, 20, record.byte_count).messages())
    site.put(DAY, [], [record, other])
    site.day(DAY)
    pair = prefix_pair(1).replace(" ", "")
    assert "announced, not verified: atlas / activity 20 (firefly): 1 alpha flow, 1.500 GB, announced 1.500 GB" in (
        site.run("why", pair, "--router", "r1", "--day", str(DAY))
    )
    assert "announced" not in site.run("why", prefix_pair(2).replace(" ", ""), "--router", "r1", "--day", str(DAY))
    assert "announced, not verified: atlas / activity 20" in " ".join(site.run("rules", "--day", str(DAY)).split())
    (named,) = json.loads(site.run("rules", "--day", str(DAY), "--json"))["r1"]["announced"]
    assert f"{named['pair']['source']} > {named['pair']['destination']}" == prefix_pair(1)
    site.run("stage", "propose", "--day", str(DAY))
    shown = " ".join(site.run("change", "show", "--router", "r1", "--day", str(DAY)).split())
    assert f"announced, not verified: {prefix_pair(1)} atlas / activity 20" in shown


def test_schedulers_and_circuits_explain_what_no_host_announced(site: CountedSite) -> None:
    records = [alpha(DAY, pair, 3600.0 * pair) for pair in range(1, 6)]
    site.put(DAY, [], records)
    by_fts, by_rucio, by_sense, by_oscars, by_firefly = records
    fts = {
        "tr_id": "2026-11-24-0100__a__b__1", "vo": "cms", "src_hostname": str(ip_address(by_fts.source)),
        "dst_url": f"davs://{ip_address(by_fts.destination)}:443/store/file", "timestamp_tr_st": by_fts.first_ms,
        "timestamp_tr_comp": str(by_fts.last_ms), "tr_bt_transfered": 1_400_000_000, "file_metadata": "text",
    }  # fmt: skip
    write(site, "fts", {"data": fts, "metadata": {}}, {**fts, "timestamp_tr_st": 0, "tr_id": "x"}, {"tr_id": "y"})
    rucio = {
        "event_type": "transfer-done",
        "payload": {
            "request-id": "b4ccdac3a01146a7859bd5458da9808e", "src-url": "root://src2.example.org:1094//a",
            "dst-url": "root://DST2.example.org//b", "bytes": 1_450_000_000,
            "started_at": stamp(by_rucio.first_ms)[:26],
            "transferred_at": stamp(by_rucio.last_ms)[:19].replace("T", " "),
        },
    }  # fmt: skip
    (site.folder / "endpoints").write_text(
        f"{ip_address(by_rucio.source)} src2.example.org\n10.0.2.0/24 dst2.example.org.\n"
        f"10.0.4.0/24 star-cr6:xe-0\n172.0.4.0/24 sunn-cr6:xe-1\n"
    )
    write(site, "rucio", rucio, {"event_type": "transfer-queued"})
    between = [{"ipv4_prefix_list": "10.0.3.0/24, 10.0.9.0/24"}, {"ipv4_prefix_list": "172.0.3.0/24"}]
    schedule = {"start": stamp(by_sense.first_ms), "end": stamp(by_sense.last_ms)}
    connections = [{"name": "one", "terminals": between, "schedule": schedule}]
    uuid = "82a78498-6303-4c41-9482-8f1c7283948b"
    intent = {"json": {"service_instance_uuid": uuid, "data": {"connections": connections}}}
    write(site, "sense", [{"intents": [intent]}], name="instances.json")
    write(site, "oscars", {
        "connectionId": "C7WG", "phase": "RESERVED", "begin": by_oscars.first_ms // 1000,
        "end": by_oscars.last_ms // 1000 + 1, "fixtures": [{"port": "sunn-cr6:xe-1"}, {"port": "star-cr6:xe-0"}],
    })  # fmt: skip
    # the host's own word counts before the scheduler's
    hosts = {
        "src_hostname": str(ip_address(by_firefly.source)),
        "dst_url": f"https://{ip_address(by_firefly.destination)}/",
    }
    more = {
        **fts,
        **hosts,
        "tr_id": "z",
        "timestamp_tr_st": by_firefly.first_ms,
        "timestamp_tr_comp": by_firefly.last_ms,
    }
    write(site, "fts", more, name="b.log")
    write(site, "firefly", announced(by_firefly, 4, 1, 5).document("end"))
    site.day(DAY)
    uses = report(site)["routers"][0]["uses"]
    assert {use["source"]: (use["experiment"], use["activity"], use["announced_bytes"]) for use in uses} == {
        "fts": ("cms", "", 1_400_000_000),
        "rucio": ("dune", "", 1_450_000_000),
        "sense": ("experiment unknown", "", None),
        "oscars": ("experiment unknown", "", None),
        "firefly": ("lhcb", "activity 1", 5),
    }


def test_contradicting_announcements_are_disputed_and_count_for_nobody(site: CountedSite) -> None:
    record = alpha(DAY, 1, 3600.0)
    true, forged = announced(record, 2, 20, 1_500_000_000), announced(record, 3, 4, 1_500_000_000)
    receive_all(site, [*true.messages(), *forged.messages()])
    site.put(DAY, [], [record])
    site.day(DAY)
    (use,) = report(site)["routers"][0]["uses"]
    assert (use["experiment"], use["alpha_bytes"], use["announced_bytes"]) == ("disputed", 1_500_000_000, None)


def weak(pair: int, at_s: float = 3600.0) -> Records:
    """Two sampled packets of 1500 bytes, 1 in 1,000,000: 3 GB, with an error bar below the threshold."""
    return [replace(alpha(DAY, pair, at_s), packets=2, byte_count=3000)]


@pytest.mark.parametrize(("shorten", "sent_bytes", "is_disputed", "is_rule"), [
    ("true", 1_500_000_000, False, True),
    ("false", 1_500_000_000, False, False),
    ("true", 900_000_000, False, False),
    ("true", 1_500_000_000, True, False),
])  # fmt: skip
def test_a_sender_s_word_ends_the_wait_of_weak_evidence_only_where_it_may(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shorten: str, sent_bytes: int, is_disputed: bool, is_rule: bool
) -> None:
    monkeypatch.chdir(tmp_path)
    site = made_site(tmp_path, BY_1000000, shorten)
    (record,) = weak(1)
    others = [announced(record, 3, 4, sent_bytes)] if is_disputed else []
    # announced with more bytes, but never seen by NetFlow; and announced for another time
    unseen = announced(alpha(DAY, 9, 3600.0), 2, 20, 10**13)
    late = announced(alpha(DAY, 2, 50_000.0), 2, 20, 10**13)
    receive_all(
        site, [m for one in (announced(record, 2, 20, sent_bytes), unseen, late, *others) for m in one.messages()]
    )
    site.put(DAY, [], [*weak(1), *weak(2)])
    site.day(DAY)
    assert site.pairs(DAY) == ({prefix_pair(1)} if is_rule else set())
    flows = {flow["source"]: flow for flow in json.loads(site.run("flows", "--day", str(DAY), "--json"))}
    assert all(flow["borderline"] for flow in flows.values())
    assert len(flows) == 2
    if is_rule:
        assert flows[str(ip_address(host(1, 0)))]["confirmed_bytes"] == sent_bytes


def test_a_slow_transfer_of_many_bytes_confirms_no_window(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """10 GB in 10 hours are 17 MB per window of a minute."""
    monkeypatch.chdir(tmp_path)
    site = made_site(tmp_path, BY_1000000, "true")
    (record,) = weak(1)
    slow = replace(announced(record, 2, 20, 10**10), end_ms=record.first_ms + 36_000_000)
    receive_all(site, slow.messages())
    site.put(DAY, [], weak(1))
    site.day(DAY)
    assert site.pairs(DAY) == set()


def test_a_flood_changes_no_rule_and_leaves_the_true_announcements(site: CountedSite) -> None:
    records = [alpha(DAY, pair, 3600.0 * pair) for pair in range(1, 5)]
    site.put(DAY, [], records)
    site.day(DAY)
    before = site.pairs(DAY)
    flood = [
        datagram(replace(announced(records[0], 2, 20, 10**15), source=f"198.18.{n >> 8}.{n & 255}").document("end"))
        for n in range(3000)
    ]
    garbage = [b"", b"{", b"\xff" * 1400, b"{" * 1400, datagram({"version": 1}), b"<134>1 - - - - - - " + b"[" * 900]
    true = [m for record in records for m in announced(record, 3, 4, record.byte_count).messages()]
    toml = site.folder / "hntes.toml"
    toml.write_text(toml.read_text().replace('folder = "announced"', 'folder = "announced"\nmax_transfers = 100'))
    counts = receive_all(site, [*flood, *garbage, *true])
    assert counts == {"kept": 3000 + len(true), "malformed": len(garbage)}
    status = site.day(DAY)
    assert site.pairs(DAY) == before == {prefix_pair(pair) for pair in range(1, 5)}
    assert "firefly: 2900 over the limit" in status["reason"]
    (use,) = report(site)["routers"][0]["uses"]
    assert (use["experiment"], use["flows"]) == ("cms", 4)


def test_whatever_is_announced_no_rule_goes_and_none_comes_but_of_weak_evidence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """tests/property/test_announced_properties.py has the general case."""
    monkeypatch.chdir(tmp_path)
    site = made_site(tmp_path, BY_1000000, "true")
    strong = [replace(weak(pair, 3600.0 * pair)[0], packets=20, byte_count=30_000) for pair in (1, 2)]
    site.put(DAY, [], [*strong, *weak(3, 10_800.0), *weak(4, 14_400.0)])
    site.day(DAY)
    assert site.pairs(DAY) == {prefix_pair(1), prefix_pair(2)}
    chance = Random(46)
    claims = []
    for _ in range(300):
        pair = chance.randint(1, 9)
        flow = alpha(DAY, pair, 3600.0 * pair + chance.choice([0, 0, 40_000]))
        experiment = 2 if pair < 4 else chance.randint(1, 14)
        claims.append(announced(flow, experiment, 1, chance.choice([10**9 + 1, 10**13])).document("end"))
    write(site, "firefly", *claims)
    site.day(DAY)
    assert site.pairs(DAY) == {prefix_pair(1), prefix_pair(2), prefix_pair(3)}
