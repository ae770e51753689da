"""Nights after each of the known attacks on flow data: real datagrams, a real nfcapd, the commands of a night."""

from pathlib import Path

import pytest

from tests.support.attacks import ATTACKS, Night, attacks, night_after, true_flows

pytestmark = pytest.mark.long
# What of an attack is to be seen, wherever a person or a monitor looks.
SEEN = {
    "one_packet": "faster_than_port",
    "sampling_header": "sampling",
    "sampling_options": "sampling",
    "many_pairs": "implausible|beyond its rate",
    "overfilled_minute": "exceed the port's rate",
    "many_keys": "implausible|beyond its rate",
    "two_records": "implausible|beyond its rate",
    "long_records": "implausible|beyond its rate",
}
METRICS = {
    "one_packet": "day_set_aside_records",
    "sampling_header": "day_lowered_records",
    "sampling_options": "day_lowered_records",
    "many_pairs": "day_implausible_alpha_flows",
    "overfilled_minute": "day_implausible_minutes",
    "many_keys": "day_implausible_alpha_flows",
    "two_records": "day_implausible_alpha_flows",
    "long_records": "day_implausible_alpha_flows",
}

# Which flows are true while a port is overfilled nobody can tell: new pairs of these minutes wait for another day.
HELD_BACK = {"long_records"}

# What is to be seen of further records; "" where they leave no trace in the change.
FORGED = {
    "unknown_port": "beyond its rate",
    "overfull_offset": "beyond its rate",
    "full_minute": "exceed the port's rate",
    "martians": "",
    "future": "",
    "past": "",
    "one_large_packet": "oversized_packets",
    "largest_counters": "absurd_counter",
    "many_ports": "",
    "strangers_jumps": "exporter 127.0.0.9: sequence numbers jumped",
    "no_packets": "in no packets",
    "replays": "repeat others",
    "replays_of_another_engine": "repeat others",
    "other_metering_point": "",
    "guessed_flows": "counted without some of the records",
    "another_domain": "faster_than_port",
    "within_the_rate": "",
    "one_pair_of_much": "",
    "strangers_flow": "",
    "full_port": "exceed rate_bps",
}
# Not withstood. These could be true: each makes a rule of its own and no more. Interface counters, or the list of a
# router's exporters, keep them out.
OWN_RULES = {"within_the_rate": 1, "one_pair_of_much": 1, "strangers_flow": 1, "full_port": 2}
# True pairs that wait for another day: those of an overfilled minute; and all of the file with a sampling factor that a
# new exporter announces in another of its domains, since nothing says yet that it does not sample.
WAITING = {"overfull_offset": 6, "another_domain": 36}


@pytest.fixture(scope="module")
def clean(tmp_path_factory: pytest.TempPathFactory) -> Night:
    return night_after(tmp_path_factory.mktemp("clean") / "site", None)


def source(flow_id: str) -> str:
    """The first three parts of a flow's source: what a pair's prefix of 24 bits has of it."""
    return flow_id.partition(" ")[0].rpartition(".")[0]


def test_without_an_attack_the_true_flows_make_the_rules(clean: Night) -> None:
    assert clean.alpha_flows.keys() == true_flows()
    assert len(clean.pairs) == len({source(flow) for flow in true_flows()})
    assert clean.approved() == 0


@pytest.mark.parametrize("name", ATTACKS)
def test_an_attack_changes_no_rule_and_stops_no_approval(name: str, clean: Night, tmp_path: Path) -> None:
    night = night_after(tmp_path / "site", ATTACKS[name])
    assert true_flows() <= night.alpha_flows.keys()
    doubted = {source(flow_id) for flow_id in true_flows() if night.alpha_flows[flow_id]["implausible"]}
    assert night.pairs <= clean.pairs
    assert {pair.partition("/")[0].rpartition(".")[0] for pair in clean.pairs - night.pairs} == doubted
    assert bool(doubted) == (name in HELD_BACK)
    assert len(night.pairs) > len(clean.pairs) / 2
    believed = {flow_id for flow_id, flow in night.alpha_flows.items() if not flow["implausible"]}
    assert believed <= true_flows()
    assert any(word in night.told["change"] for word in SEEN[name].split("|")), night.told["change"]
    metric = f"hntes_{METRICS[name]}"
    values = [float(line.split()[-1]) for line in night.told["metrics"].splitlines() if line.startswith(metric)]
    assert max(values) > 0
    assert night.approved() == 0


def test_all_forged_records_are_listed_here() -> None:
    assert attacks().keys() == SEEN.keys() | FORGED.keys()


@pytest.mark.parametrize("name", FORGED)
def test_forged_records_stop_no_approval_and_make_at_most_their_own_rules(
    name: str, clean: Night, tmp_path: Path
) -> None:
    night = night_after(tmp_path / "site", attacks()[name])
    assert len(night.pairs - clean.pairs) == OWN_RULES.get(name, 0)
    assert len(clean.pairs - night.pairs) == WAITING.get(name, 0)
    assert FORGED[name] in night.told["change"], night.told["change"]
    assert night.approved() == 0
