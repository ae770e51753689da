"""Experiments as data: seven files, one table of parameters, and scenarios made from them."""

import tomllib
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from hntes.papers.hntes.paper import HNTES
from hntes.simulator.scenario import DelayEmulator, HostOptions, Tcp, TcpTraffic
from hntes.simulator.testbed.experiments import load_experiment
from hntes.simulator.testbed.files import SCENARIOS, load_parameters, published_parameters
from hntes.simulator.testbed.port_plan import PortPlan, QueuePlan
from tests.support.scenarios import document_of


def _table(name: str) -> dict[str, Any]:
    return tomllib.loads((SCENARIOS / f"{name}.toml").read_text(encoding="utf-8"))


DOCS = Path(__file__).parents[4] / "docs" / "reference"
NUMBERS = range(1, 8)
CASES = {1: 13, 2: 2, 3: 28, 4: 4, 5: 4, 6: 20, 7: 2}


@pytest.mark.parametrize("number", NUMBERS)
def test_an_experiment_has_all_its_cases(number: int) -> None:
    cases = load_experiment(number).cases()
    assert len(cases) == CASES[number]
    assert len({case.name for case in cases}) == len(cases)


@pytest.mark.parametrize("number", NUMBERS)
def test_every_published_cell_belongs_to_a_case(number: int) -> None:
    keys = {(case.configuration, case.variant) for case in load_experiment(number).cases()}
    cells = HNTES.cells(str(number))
    assert cells
    assert {(cell.configuration, cell.variant) for cell in cells} <= keys


@pytest.mark.parametrize("number", NUMBERS)
def test_no_experiment_sets_a_parameter_of_hosts_or_routers(number: int) -> None:
    text = (SCENARIOS / f"experiment{number}.toml").read_text(encoding="utf-8")
    names = {name for section in document_of(load_parameters()).values() for name in section}
    names |= {"segmentation_offload", "htcp_counts_acks", "offered_window_closes"}
    assert not {name for name in names if name in text}


@pytest.mark.parametrize(("profile", "page_name"), [("linux-2.6.33", "parameters"), ("linux-6", "linux-6")])
def test_every_parameter_stands_in_the_reference_page(profile: str, page_name: str) -> None:
    folder = DOCS
    page = (folder / f"simulator-{page_name}.md").read_text(encoding="utf-8")
    for section, values in _table("parameters" if profile == "linux-2.6.33" else profile).items():
        for name, value in values.items():
            line = next((line for line in page.splitlines() if f"`{section}.{name}`" in line), None)
            assert line is not None, f"{section}.{name} is not documented"
            shown = line.split("|")[2].strip()
            assert tomllib.loads(f"value = {shown}")["value"] == value, f"{section}.{name}: documented as {shown}"


def test_what_published_runs_have_besides_stands_in_the_reference_page() -> None:
    page = (DOCS / "simulator-parameters.md").read_text(encoding="utf-8")
    table = page.partition("## What the published runs have besides")[2]
    found = {
        cells[1].strip().strip("`"): tomllib.loads(f"value = {cells[2].strip()}")["value"]
        for cells in (line.split("|") for line in table.splitlines())
        if len(cells) > 3 and cells[1].strip().startswith("`")
    }
    published = _table("published")
    alike = {f"{name}.{key}": value for name in ("host", "udp", "tcp") for key, value in published[name].items()}
    apart = {
        f"{name}.{of}.{key}": value
        for name in ("hosts", "profiles")
        for of, values in published[name].items()
        for key, value in values.items()
    }
    assert found == {**alike, **apart}


def test_published_runs_have_hosts_of_their_own() -> None:
    scenario = document_of(load_experiment(7).case("1-queue").scenario(seed=1))
    hosts = {host["name"]: host for host in scenario["hosts"]}
    assert [name for name, host in hosts.items() if host.get("segmentation_offload")] == ["E2"]
    assert {host["stalls_per_s"] for host in hosts.values()} == {2.5}
    traffic = {flow["name"]: flow["traffic"] for flow in scenario["flows"]}
    assert {name: flow.get("profile") for name, flow in traffic.items()} == {
        "TCP1": None, "TCP2": "E1", "UDP": None, "ping": None,
    }  # fmt: skip
    assert scenario["profiles"] == {"E1": {"htcp_counts_acks": True}}
    assert scenario["tcp"]["offered_window_closes"]
    assert traffic["UDP"]["jitter"] == 0.3


@pytest.mark.parametrize("hosts", ["linux-2.6.33", "linux-6"])
def test_plans_and_other_kernels_have_hosts_alike(hosts: str) -> None:
    parameters = load_parameters(hosts)
    case = load_experiment(7).case("2-queues")
    plan = PortPlan((QueuePlan("alpha", 60, 60), QueuePlan("beta", 40, 40)), "alpha", "beta")
    for scenario in (case.scenario(1, parameters), case.scenario(1, parameters, plan)):
        assert all({**vars(host), "name": ""} == {**vars(parameters.host), "name": ""} for host in scenario.hosts)
        assert scenario.profiles == {}
        assert scenario.tcp == parameters.tcp
        assert {flow.traffic.profile for flow in scenario.flows if isinstance(flow.traffic, TcpTraffic)} == {None}
    planned = case.scenario(1, plan=plan)
    assert planned.hosts == case.scenario(1, load_parameters(), plan).hosts


def test_a_variant_changes_only_what_it_names() -> None:
    experiment = load_experiment(3)
    slow = experiment.case("2-queues", "udp-1").scenario(seed=1)
    fast = experiment.case("2-queues", "udp-3").scenario(seed=1)
    differing = [a.name for a, b in zip(slow.flows, fast.flows, strict=True) if a != b]
    assert differing == ["UDP"]
    assert {key for key, value in vars(slow).items() if value != getattr(fast, key)} == {"name", "flows"}


def test_a_flow_can_be_left_out() -> None:
    assert set(load_experiment(3).case("2-queues", "udp-0").flows()) == {"TCP1", "ping"}


def test_delay_is_added_by_an_emulator_at_the_named_host() -> None:
    experiment = load_experiment(5)
    near = experiment.case("2-queues", "similar-rtt").scenario(seed=1)
    far = experiment.case("2-queues", "different-rtt").scenario(seed=1)
    assert near.links == far.links
    emulators = {host.name: host.delay_emulator for host in far.hosts if host.delay_emulator}
    assert emulators == {"E1": DelayEmulator(50000, 1000)}
    assert not any(host.delay_emulator for host in near.hosts)


def test_unknown_names_are_refused() -> None:
    experiment = load_experiment(3)
    with pytest.raises(KeyError, match="no configuration 'golden'"):
        experiment.case("golden")
    with pytest.raises(KeyError, match="no variant 'udp-9'"):
        experiment.case("2-queues", "udp-9")


def test_a_profile_is_a_kernel_and_leaves_network_and_routers_alone() -> None:
    testbed, newer = load_parameters(), load_parameters("linux-6")
    assert set(document_of(testbed.tcp)) <= set(document_of(newer.tcp))
    assert newer.tcp.profile == "linux-6"
    assert {name for name, value in vars(testbed).items() if value != getattr(newer, name)} == {"tcp"}
    with pytest.raises(KeyError, match=r"no profile 'linux-7'; there are: linux-2\.6\.33, linux-6"):
        load_parameters("linux-7")


def test_published_parameters_are_those_of_all_hosts_and_what_the_file_has_besides() -> None:
    common, published = load_parameters(), published_parameters()
    assert published.host == replace(common.host, stalls_per_s=2.5)
    assert published.hosts == {"E2": HostOptions(segmentation_offload=True)}
    assert (published.router, published.profiles) == (common.router, {"E1": Tcp(htcp_counts_acks=True)})


def test_parameters_are_those_of_the_file() -> None:
    assert document_of(load_parameters()) == _table("parameters")
