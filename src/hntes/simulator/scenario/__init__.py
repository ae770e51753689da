"""Scenarios as frozen dataclasses that mirror the engines' JSON, and the one place that writes and reads that JSON."""

from hntes.simulator.scenario.change import BufferShare, Change, LinkRate, MeterRate, RateShare
from hntes.simulator.scenario.conditioner import (
    Action,
    Actions,
    Car,
    Conditioner,
    Meter,
    RttAware,
    RttRtoAware,
    Srtcm,
    ToClass,
    TokenBucket,
    Trtcm,
    Tsw2cm,
    Tsw3cm,
)
from hntes.simulator.scenario.discipline import (
    Averages,
    Curve,
    Curves,
    Discipline,
    DropTail,
    Gred,
    HeuristicMarking,
    Marking,
    ProportionalIntegral,
    Ramp,
    Ramps,
    Red,
    ReferenceMarking,
    Rounds,
    Wred,
)
from hntes.simulator.scenario.document import from_document, to_document, to_json
from hntes.simulator.scenario.errors import ScenarioError
from hntes.simulator.scenario.flow import (
    Bursts,
    Congestion,
    Data,
    Endless,
    Flow,
    Interval,
    PingTraffic,
    TcpTraffic,
    Traffic,
    TrafficKind,
    Transfer,
    UdpOptions,
    UdpTraffic,
    Web,
    Writes,
)
from hntes.simulator.scenario.hash import scenario_hash
from hntes.simulator.scenario.network import Atm, DelayEmulator, Ethernet, Framing, Host, HostOptions, Link, Napi, Route
from hntes.simulator.scenario.parameters import Parameters, RouterParameters, overlaid
from hntes.simulator.scenario.port import (
    ClassGuarantees,
    Guarantees,
    Port,
    PriorityWfq,
    Queue,
    RoundRobin,
    Rule,
    Scheduler,
    StrictPartition,
)
from hntes.simulator.scenario.scenario import Scenario, Window
from hntes.simulator.scenario.tcp import LossRecovery, Tcp

__all__ = [
    "Action", "Actions", "Atm", "Averages", "BufferShare", "Bursts", "Car", "Change", "ClassGuarantees", "Conditioner",
    "Congestion", "Curve", "Curves", "Data", "DelayEmulator", "Discipline", "DropTail", "Endless", "Ethernet", "Flow",
    "Framing", "Gred", "Guarantees", "HeuristicMarking", "Host", "HostOptions", "Interval", "Link", "LinkRate",
    "LossRecovery", "Marking", "Meter", "MeterRate", "Napi", "Parameters", "PingTraffic", "Port", "PriorityWfq",
    "ProportionalIntegral", "Queue", "Ramp", "Ramps", "RateShare", "Red", "ReferenceMarking", "RoundRobin", "Rounds",
    "Route", "RouterParameters", "RttAware", "RttRtoAware", "Rule", "Scenario", "ScenarioError", "Scheduler", "Srtcm",
    "StrictPartition", "Tcp", "TcpTraffic", "ToClass", "TokenBucket", "Traffic", "TrafficKind", "Transfer", "Trtcm",
    "Tsw2cm", "Tsw3cm", "UdpOptions", "UdpTraffic", "Web", "Window", "Wred", "Writes", "from_document", "overlaid",
    "scenario_hash", "to_document", "to_json",
]  # fmt: skip
