"""Whatever is announced: no rule goes, none comes that NetFlow's own weak evidence would not give, order is nothing."""

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from ipaddress import ip_network

from hypothesis import given
from hypothesis import strategies as st

from hntes.etl.announced.attribute import attribute, day_sums
from hntes.etl.announced.lifecycle import Transfers
from hntes.etl.announced.source import Announcement
from hntes.rules.lifetime.evenings import Policy
from hntes.rules.lifetime.history import PrefixLengths
from hntes.rules.lifetime.rule_set import DayRules, Given
from hntes.rules.lifetime.stored_history import stored_history
from hntes.rules.pairs import PrefixPair
from hntes.sql.entries import ObservationEntry, WeakEvidence
from hntes.sql.host_totals import packed_day
from tests.support.entries import observation

FLOW = observation()
DAY = FLOW.day
MIDNIGHT_MS = int(datetime(DAY.year, DAY.month, DAY.day, tzinfo=UTC).timestamp()) * 1000
HOUR_MS = 3_600_000
HOSTS = st.integers(1, 4).map(lambda number: f"198.18.{number}.5")
PORTS = st.sampled_from([1, 2])


@st.composite
def observations(draw: st.DrawFn) -> list[ObservationEntry]:
    keys = draw(st.lists(st.tuples(HOSTS, HOSTS, PORTS, st.booleans(), st.booleans()), max_size=6, unique=True))
    found = {}
    for source, destination, port, is_weak, is_odd in keys:
        name = f"{source} {port} > {destination} 443 / 6"
        found[name] = replace(
            FLOW, flow_id=name, source=source, destination=destination, source_port=port, destination_port=443,
            protocol=6, borderline=is_weak, implausible=is_odd, threshold_bytes=10**9, window_s=60,
            peak_start_ms=MIDNIGHT_MS + 12 * HOUR_MS,
        )  # fmt: skip
    return list(found.values())


@st.composite
def announcements(draw: st.DrawFn) -> Announcement:
    source, destination, port = draw(HOSTS), draw(HOSTS), draw(PORTS)
    ports = draw(st.sampled_from([(port, 443, 6), (443, port, 6), None]))
    length = 32 if ports else draw(st.sampled_from([16, 24, 32]))
    start_ms = MIDNIGHT_MS + draw(st.sampled_from([11, 12, 13])) * HOUR_MS
    shape = draw(st.sampled_from(["start", "whole", "end"]))
    experiment = draw(st.integers(0, 2))
    begin_ms, end_ms = (start_ms if shape != "end" else None), (start_ms + 90_000 if shape != "start" else None)
    return Announcement(
        key=(source, destination, port, str(ports), length, experiment, begin_ms or 0, end_ms if shape == "end" else 0),
        sources=(ip_network(f"{source}/{length}", strict=False),),
        destinations=(ip_network(f"{destination}/{length}", strict=False),), ports=ports,
        both_ways=draw(st.booleans()) or ports is not None, start_ms=begin_ms, end_ms=end_ms, experiment=experiment,
        sent_bytes=draw(st.sampled_from([None, 0, 10**9, 10**13])),
    )  # fmt: skip


def rule_pairs(seen: list[ObservationEntry], policy: WeakEvidence) -> set[PrefixPair]:
    lengths = PrefixLengths((24, 24), (64, 64))
    history = stored_history([packed_day("r1", DAY, seen)] if seen else [], DAY, lengths)
    rules = DayRules(Given("r1", DAY, history, [DAY]), Policy(lengths, 30, policy, 100))
    return {rule.pair for rule in rules.evaluated()[0].rules}


@given(observations(), st.lists(announcements(), max_size=8))
def test_rules_lie_between_those_without_announcements_and_those_that_accept_weak_evidence(
    seen: list[ObservationEntry], said: list[Announcement]
) -> None:
    found = attribute("r1", DAY, seen, {"firefly": said}, 60_000)
    assert {flow.flow_id for flow in found.flows} <= {flow.flow_id for flow in seen}
    confirmed = [replace(flow, confirmed_bytes=found.confirmed_bytes.get(flow.flow_id)) for flow in seen]
    without, accepting = rule_pairs(seen, "second_sighting"), rule_pairs(seen, "accept")
    assert without <= rule_pairs(confirmed, "second_sighting") <= accepting
    named = {flow.flow_id: flow for flow in seen}
    assert all(named[name].borderline and not named[name].implausible for name in found.confirmed_bytes)


@given(st.lists(announcements(), max_size=12), st.randoms(use_true_random=False))
def test_repeated_and_reordered_messages_say_the_same(said: list[Announcement], chance: object) -> None:
    def merged(messages: list[Announcement]) -> list[Announcement]:
        transfers = Transfers(100, lambda _: False)
        for one in messages:
            transfers.add(one)
        return sorted(transfers.all(), key=repr)

    again = [*said, *said[::2]]
    chance.shuffle(again)  # type: ignore[attr-defined]
    assert merged(again) == merged(said)
    days: list[date] = [DAY - timedelta(days=1), DAY, DAY + timedelta(days=1)]
    transfers = {"firefly": [one for one in merged(said) if one.ports is not None]}
    counted = sum(each.transfers for day in days for each in day_sums(day, transfers))
    assert counted == len(transfers["firefly"]), "each transfer is of one day"
