"""Senders in reservations beside overload of alpha and of best effort, through one port, as scenarios.

Each sender has a host, a link and a path of its own, so all of them meet in the port alone.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Literal

from hntes.simulator.scenario import (
    Flow,
    Host,
    HostOptions,
    Link,
    Parameters,
    PingTraffic,
    RouterParameters,
    Scenario,
    Tcp,
    TcpTraffic,
    Traffic,
    UdpTraffic,
    overlaid,
)
from hntes.simulator.testbed.premium_plan import FULL_IP_BYTES, PremiumPlan, ReservedPlan, total_bps
from hntes.simulator.testbed.traffic import segment_data_bytes

# `paced`: TCP by a card that sends at the promised rate. `greedy`: TCP that sends as fast as acknowledgements come, a
# whole window at first. `hasty`: the same on a shorter path, on which the window is for more than the rate. `bursts`: a
# window of datagrams at once, again and again, in all reservations at the same instants; what TCP sends when a whole
# window opens, and the most that a bucket lets by. `even`, `twice`: datagrams at the promised rate, at twice that.
# `none`: nothing.
Sending = Literal["paced", "greedy", "hasty", "bursts", "even", "twice", "none"]
Overload = Literal["alpha", "beta"]

LINK_BPS = 10_000_000_000
FULL_WIRE_BYTES = 1538  # link time of a full packet: 38 bytes of Ethernet
# Slow start of alpha flows and their recovery from it (experiment 4: all losses in the first 3 s).
START_UP_S = 5.0
# After so many windows senders are past their start, and so long, at least so many windows, they are looked at.
_SETTLING_WINDOWS = 4
_LEAST_S, _LEAST_WINDOWS = 10.0, 16
ALPHA_FLOWS, BETA_FLOW = ("alpha1", "alpha2"), "beta"
_OVERLOADING = {**dict.fromkeys(ALPHA_FLOWS, "alpha"), BETA_FLOW: "beta"}
# Payload of best effort: nearly a whole link, beside alpha flows that would fill one.
_BETA_BPS = 9.5e9
_ONE_WAY_S, _LAST_S = 1e-3, 1e-4
_PINGS_PER_WINDOW = 100
_UDP_BYTES = 28  # headers of IP and UDP
_ROUTER, _SINK = "R", "sink"


def ping_of(queue: str) -> str:
    """The name of the ping that goes through a queue."""
    return f"ping-{queue}"


def promised_share(plan: PremiumPlan) -> float:
    """The sum of reservations, x in GARA's rules, as a share of the link, in link time."""
    return total_bps(plan.reserved) * FULL_WIRE_BYTES / FULL_IP_BYTES / LINK_BPS


def path_s(reserved: ReservedPlan, plan: PremiumPlan) -> float:
    """The round trip, without queues, for which a window lasts if packets wait for the longest time of the rule.

    window / rate = rtt + qt with qt = rtt x / (S - x) gives rtt = window / rate (S - x) / S; 0 where x is not below S.
    """
    share = reserved.served_share
    return reserved.window_s * max(0.0, share - promised_share(plan)) / share


def span_s(reserved: Sequence[ReservedPlan]) -> tuple[float, float]:
    """From when to when goodputs are looked at: senders have started, and many windows of each are in it."""
    longest_s = max(each.window_s for each in reserved)
    begins_s = START_UP_S + _SETTLING_WINDOWS * longest_s
    return begins_s, begins_s + max(_LEAST_S, _LEAST_WINDOWS * longest_s)


def windows_sent(reserved: ReservedPlan, of_all: Sequence[ReservedPlan]) -> int:
    """The number of windows that a bursty sender sends from `START_UP_S` on."""
    return int((span_s(of_all)[1] - START_UP_S) / reserved.window_s)


def premium_scenario(
    plan: PremiumPlan,
    sending: Sending,
    parameters: Parameters,
    seed: int,
    *,
    unlike: Mapping[str, Sending] | None = None,
    overload: Collection[Overload] = ("alpha", "beta"),
) -> Scenario:
    """The scenario for the engine: reservations are used from `START_UP_S` on, the overload is there all the time.

    A ping goes through each queue of reservations, past the policers. Paths are as long as the windows are meant for
    (`path_s`); of a greedy sender as long as the window lasts, which is then no more than it needs.

    Args:
        plan: The port with its reservations.
        sending: How they are used.
        parameters: Hosts and routers, as `load_parameters` gives them.
        seed: Seed of all random streams.
        unlike: Reservations by name that are used another way.
        overload: What fills the port beside them: alpha flows, best effort.
    """
    ways = {each: (unlike or {}).get(each.name, sending) for each in plan.reserved}
    used = {each: way for each, way in ways.items() if way != "none"}
    until_s = span_s(plan.reserved)[1] + max(each.window_s for each in plan.reserved)
    pings = {ping_of(queue): queue for queue in sorted({each.queue for each in plan.reserved})}
    others = {flow: name for flow, name in _OVERLOADING.items() if name in overload}
    port = plan.engine_port(_ROUTER, _SINK, parameters.router, others, pings)
    present = {*others, *pings, *(each.name for each in used)}
    port = replace(port, classifier=tuple(rule for rule in port.classifier if rule.flow in present))
    return Scenario(
        name=f"premium/{sending}",
        duration_s=until_s,
        interval_s=0.1,
        seed=seed,
        hosts=tuple(_hosts(used, (*others, *pings), parameters)),
        routers=(_ROUTER,),
        links=tuple(_links(plan, used, (*others, *pings), parameters.router)),
        ports=(port,),
        tcp=parameters.tcp,
        profiles={each.name: Tcp(initial_window_pkts=_window_pkts(each)) for each in used},
        flows=(
            *(_flow(name, 0, until_s, _overload(name, parameters)) for name in others),
            *(_flow(name, 0, until_s, _ping(plan.reserved)) for name in pings),
            *(_reserved_flow(each, plan, way, until_s, parameters) for each, way in used.items()),
        ),
    )


def without_reservations(scenario: Scenario, plan: PremiumPlan) -> Scenario:
    """A scenario without traffic in reservations, through the port as it would be without their queues.

    Queues that alpha or best effort share stay. The share of the others is free for all queues.
    """
    shared = {plan.port.alpha_queue, plan.port.beta_queue}
    gone = {each.queue for each in plan.reserved} - shared
    pings = {ping_of(each.queue) for each in plan.reserved}
    (port,) = scenario.ports
    names = {each.name for each in plan.port.queues} - gone
    bare = replace(
        port,
        queues=tuple(queue for queue in port.queues if queue.class_ in names),
        classifier=tuple(rule for rule in port.classifier if rule.flow not in pings),
        conditioners=tuple(each for each in port.conditioners if each.class_ in names),
    )
    return replace(
        scenario,
        name="premium/without",
        ports=(bare,),
        hosts=tuple(host for host in scenario.hosts if host.name not in pings),
        links=tuple(link for link in scenario.links if link.from_ not in pings),
        flows=tuple(flow for flow in scenario.flows if flow.name not in pings),
    )


def _host(name: str, parameters: Parameters, nic_queue_bytes: int | None = None) -> Host:
    options = overlaid(parameters.host, HostOptions(nic_queue_bytes=nic_queue_bytes))
    return Host(name=name, **vars(options))


def _window_pkts(reserved: ReservedPlan) -> int:
    return reserved.window_bytes // FULL_IP_BYTES


def _card_bytes(reserved: ReservedPlan) -> int:
    """Room for a window and what grows beyond it: what a host drops before its own card is no matter of routers."""
    return 2 * reserved.window_bytes + 100_000


def _hosts(used: Collection[ReservedPlan], others: Collection[str], parameters: Parameters) -> Iterator[Host]:
    yield from (_host(name, parameters) for name in (*others, _SINK))
    yield from (_host(each.name, parameters, _card_bytes(each)) for each in used)


def _links(
    plan: PremiumPlan, used: Mapping[ReservedPlan, Sending], others: Collection[str], router: RouterParameters
) -> Iterator[Link]:
    yield from (_link(name, LINK_BPS, _ONE_WAY_S - _LAST_S, router) for name in others)
    yield from (_reserved_link(each, plan, way, router) for each, way in used.items())
    yield _link(_SINK, LINK_BPS, _LAST_S, router)


def _reserved_link(reserved: ReservedPlan, plan: PremiumPlan, sending: Sending, router: RouterParameters) -> Link:
    rtt_s = reserved.window_s if sending == "greedy" else path_s(reserved, plan)
    paced_bps = reserved.rate_bps * FULL_WIRE_BYTES / FULL_IP_BYTES
    return _link(reserved.name, paced_bps if sending == "paced" else LINK_BPS, max(0.0, rtt_s / 2 - _LAST_S), router)


def _link(host: str, rate_bps: float, delay_s: float, router: RouterParameters) -> Link:
    return Link(
        host, _ROUTER, rate_bps, delay_s * 1e6, buffer_bytes=router.buffer_bytes, reopen_bytes=router.reopen_bytes
    )


def _flow(name: str, start_s: float, end_s: float, traffic: Traffic) -> Flow:
    return Flow(name, name, _SINK, ((start_s, end_s),), traffic)


def _overload(name: str, parameters: Parameters) -> Traffic:
    if name == BETA_FLOW:
        return UdpTraffic(rate_bps=_BETA_BPS, **vars(parameters.udp))
    return TcpTraffic("htcp")


def _ping(reserved: Sequence[ReservedPlan]) -> PingTraffic:
    # by chance, so that they meet bursts at all their stages
    return PingTraffic(min(each.window_s for each in reserved) / _PINGS_PER_WINDOW, poisson=True)


def _reserved_flow(
    reserved: ReservedPlan, plan: PremiumPlan, sending: Sending, until_s: float, parameters: Parameters
) -> Flow:
    if sending == "bursts":
        # Until shortly before one more window would begin.
        end_s = START_UP_S + (windows_sent(reserved, plan.reserved) - 0.01) * reserved.window_s
        return _flow(reserved.name, START_UP_S, end_s, _datagrams(reserved))
    if sending == "even":
        return _flow(reserved.name, 0, until_s, _evenly(reserved.rate_bps))
    if sending == "twice":
        return _flow(reserved.name, START_UP_S, until_s, _evenly(2 * reserved.rate_bps))
    data_bytes = _window_pkts(reserved) * segment_data_bytes(parameters.tcp)
    tcp = TcpTraffic("htcp", window_bytes=data_bytes, profile=reserved.name)
    return _flow(reserved.name, START_UP_S, until_s, tcp)


def _datagrams(reserved: ReservedPlan) -> UdpTraffic:
    """A window at once, then nothing until its time is over."""
    line_bps = LINK_BPS * FULL_IP_BYTES / FULL_WIRE_BYTES
    on_s = _window_pkts(reserved) * FULL_IP_BYTES * 8 / line_bps
    return replace(_evenly(line_bps), on_off_s=(on_s, reserved.window_s - on_s))


def _evenly(ip_bps: float) -> UdpTraffic:
    """Full packets of datagrams at a rate in IP bytes."""
    return UdpTraffic(rate_bps=payload_bps(ip_bps), datagram_bytes=FULL_IP_BYTES - _UDP_BYTES, jitter=0.0)


def payload_bps(ip_bps: float) -> float:
    """The payload of full packets of datagrams at a rate in IP bytes, bit/s."""
    return ip_bps * (FULL_IP_BYTES - _UDP_BYTES) / FULL_IP_BYTES
