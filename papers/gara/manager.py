"""Three foreground reservations and one background transfer in a channel of the slow link, as a manager shares it.

The simulator knows no manager. `granted.toml` has what that of HNTES (`rules/reservations`) answers to the requests of
`setup.toml`: what the background transfer gets from edge to edge, and each bucket; a test asks it again.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from hntes.papers.gara.parts import Parts
from hntes.papers.gara.setup import Assumed, Request, Setup
from hntes.papers.stated import read_setup
from hntes.simulator.scenario import (
    Actions,
    Change,
    Conditioner,
    Flow,
    Link,
    LinkRate,
    MeterRate,
    Port,
    Queue,
    RoundRobin,
    Rule,
    Tcp,
    TcpTraffic,
    TokenBucket,
    UdpTraffic,
)

FOREGROUND = ("foreground1", "foreground2", "foreground3")
BACKGROUND = "background"
BEST_EFFORT = "best-effort"
# `manager`: as it should be. `unadapted`: the background transfer sends at its highest rate all the time, though it is
# policed to its part. `none`: nothing is reserved, and all share one queue.
CONFIGURATIONS = ("manager", "unadapted", "none")
_ACCESS_BPS, _TRUNK_BPS = 1e9, 155e6
_AMPLE_BYTES = 10_000_000


@dataclass(frozen=True)
class Step:
    """What the background transfer is granted from one edge of the calendar to the next."""

    start_s: int
    end_s: int
    background_bps: int


@dataclass(frozen=True)
class Granted:
    """What the manager answers: what the background transfer gets, and the largest bucket of each transfer."""

    steps: tuple[Step, ...]
    buckets_bytes: Mapping[str, int]


@cache
def granted() -> Granted:
    """The numbers of `granted.toml`."""
    return read_setup(Granted, __file__, "granted.toml")


def requests(assumed: Assumed) -> dict[str, Request]:
    """What is asked for, by transfer."""
    foreground = dict(zip(FOREGROUND, assumed.manager.foreground, strict=True))
    return {**foreground, BACKGROUND: Request(assumed.manager.background.most_bps, 0, assumed.manager.duration_s)}


def scenario_parts(configuration: str, stated: Setup, assumed: Assumed, tcp: Tcp) -> Parts:
    """The parts of the scenario."""
    asked = requests(assumed)
    is_reserved = configuration != "none"
    core = _core(stated, assumed.queue_bytes, is_reserved=is_reserved)
    return Parts(
        duration_s=assumed.manager.duration_s,
        interval_s=0.5,
        links=_links(asked, stated, assumed),
        ports=(_edge(asked), core) if is_reserved else (core,),
        tcp=tcp,
        flows=(*(_transfer(name, each, stated) for name, each in asked.items()), _best_effort(stated, assumed)),
        changes=_changes(adapts=configuration == "manager") if is_reserved else (),
    )


def hosts(assumed: Assumed) -> list[str]:
    """Each transfer has a host of its own, whose card paces it."""
    return [*requests(assumed), BEST_EFFORT, "sink", "best-effort-sink"]


def _links(asked: Mapping[str, Request], stated: Setup, assumed: Assumed) -> tuple[Link, ...]:
    rates = {
        **{(name, "edge1"): each.rate_bps for name, each in asked.items()},
        (BEST_EFFORT, "edge1"): _ACCESS_BPS,
        ("edge1", "core"): _TRUNK_BPS,
        ("core", "edge2"): stated.link_bps,
        ("edge2", "sink"): _ACCESS_BPS,
        ("edge2", "best-effort-sink"): _ACCESS_BPS,
    }
    delay_us = assumed.round_trip_ms * 1e3 / 2 / 4
    return tuple(
        Link(one, other, bps, delay_us, framing_bytes=0, buffer_bytes=_AMPLE_BYTES)
        for (one, other), bps in rates.items()
    )


def _edge(asked: Mapping[str, Request]) -> Port:
    """The ingress: each reservation is policed by itself; its link is never full."""
    names = [*asked, BEST_EFFORT]
    share = 100 / len(names)
    return Port(
        at="edge1",
        to="core",
        buffer_bytes=_AMPLE_BYTES,
        queues=tuple(Queue(name, rate_share_pct=share, buffer_share_pct=share) for name in names),
        classifier=tuple(Rule(name, flow=name) for name in asked),
        default_class=BEST_EFFORT,
        conditioners=tuple(
            Conditioner(
                name,
                TokenBucket(each.rate_bps, granted().buckets_bytes[name]),
                actions=Actions(red="drop"),
            )
            for name, each in asked.items()
        ),
    )


def _core(stated: Setup, queue_bytes: int, *, is_reserved: bool) -> Port:
    """The slow link. Best effort has most of the space for packets, as the paper advises."""
    weight_pct = stated.manager.premium_weight_pct
    shared = (Queue(BEST_EFFORT, rate_share_pct=100, buffer_share_pct=100),)
    apart = (
        Queue("premium", rate_share_pct=weight_pct, buffer_share_pct=20),
        Queue(BEST_EFFORT, rate_share_pct=100 - weight_pct, buffer_share_pct=80),
    )
    premium = (*FOREGROUND, BACKGROUND) if is_reserved else ()
    return Port(
        at="core",
        to="edge2",
        buffer_bytes=queue_bytes,
        scheduler=RoundRobin(1500),
        queues=apart if is_reserved else shared,
        classifier=tuple(Rule("premium", flow=name) for name in premium),
        default_class=BEST_EFFORT,
    )


def _changes(*, adapts: bool) -> tuple[Change, ...]:
    """At each edge the policer of the background transfer gets its new rate, and its sender, if it adapts."""
    found: list[Change] = []
    for step in granted().steps[1:]:
        at_s, rate_bps = step.start_s, step.background_bps
        if adapts:
            found.append(LinkRate(at_s, BACKGROUND, "edge1", rate_bps))
        found.append(MeterRate(at_s, "edge1", "core", BACKGROUND, rate_bps))
    return tuple(found)


def _transfer(name: str, asked: Request, stated: Setup) -> Flow:
    window_bytes = granted().buckets_bytes[name] // stated.packet_bytes * stated.segment_data_bytes
    return Flow(name, name, "sink", ((asked.start_s, asked.end_s),), TcpTraffic("reno", window_bytes))


def _best_effort(stated: Setup, assumed: Assumed) -> Flow:
    udp = UdpTraffic(
        rate_bps=stated.manager.best_effort_bps,
        jitter=0.1,
        datagram_bytes=stated.congestion.best_effort_payload_bytes,
    )
    return Flow(BEST_EFFORT, BEST_EFFORT, "best-effort-sink", ((0, assumed.manager.duration_s),), udp)
