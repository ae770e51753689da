"""The paper's runs: a transfer through a committed access rate, congestion with and without queues, a policed burst."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from hntes.papers.gara import manager
from hntes.papers.gara.parts import Parts
from hntes.papers.gara.setup import Assumed, LinkFraming, setup
from hntes.papers.stated import Changes, StatedCase, changed, completed_plainly, plain_host, tcp_flow
from hntes.simulator.scenario import (
    Actions,
    Car,
    Conditioner,
    Data,
    Flow,
    Link,
    PingTraffic,
    Port,
    Queue,
    RoundRobin,
    Rule,
    Scenario,
    Tcp,
    TokenBucket,
    Traffic,
    Transfer,
    UdpTraffic,
    Writes,
)

_ROUTERS = ("edge1", "core", "edge2")
_FAST_BPS = 155e6
_AMPLE_BYTES = 10_000_000
# The policed burst arrives so much faster than the link that it is a burst there.
_BURST_BPS = 1e9
BURST_FROM_S = 0.1
_DROP_RED = Actions(red="drop")


_PLAIN = LinkFraming(framing_bytes=0)


class GaraCase(StatedCase):
    """One run of `car`, `congestion`, `queueing` or `manager`."""

    paper = "gara"

    def scenario(self, seed: int, parameters: Changes | None = None) -> Scenario:
        """The scenario for the engine; `parameters` in place of what is assumed, for studies of sensitivity."""
        assumed = changed(setup().assumed, parameters)
        parts = _PARTS[self.experiment_name](self.configuration, assumed)
        names = ("premium1", "premium2", "best-effort1", "best-effort2")
        hosts = manager.hosts(assumed) if self.experiment_name == "manager" else names
        return completed_plainly(
            Scenario(
                name=self.name,
                seed=seed,
                hosts=tuple(plain_host(name) for name in hosts),
                routers=_ROUTERS,
                **vars(parts),
            )
        )


def configurations(experiment: str) -> Sequence[str]:
    """The configurations of an experiment."""
    stated = setup()
    return {
        "car": list(stated.car.burst_bytes),
        "congestion": ["fifo", *stated.congestion.premium_weight_pct],
        "queueing": list(stated.queueing.policed_share),
        "manager": list(manager.CONFIGURATIONS),
    }[experiment]


def _car(configuration: str, assumed: Assumed) -> Parts:
    """A transfer whose packets above the committed rate the ingress drops; nothing else is in its way."""
    stated = setup().car
    burst_bytes = stated.burst_bytes[configuration]
    meter = Car(assumed.car_rate_bps, normal_burst_bytes=burst_bytes, extended_burst_bytes=burst_bytes)
    conditioner = Conditioner("all", meter, actions=_DROP_RED)
    port = _port("edge1", "core", _AMPLE_BYTES, [_queue("all", 100, 100)])
    duration_s = 20
    return Parts(
        duration_s=duration_s,
        links=_links(assumed, assumed.framing),
        ports=(replace(port, conditioners=(conditioner,)),),
        tcp=_tcp(setup().congestion.window_bytes),
        flows=(_tcp_flow(Transfer(stated.transfer_bytes), duration_s),),
    )


def _congestion(configuration: str, assumed: Assumed) -> Parts:
    """A program that writes as fast as the link carries, and best effort that comes later; in one queue or in two."""
    stated = setup().congestion
    every_ms = 1
    data = Writes(stated.writer_bytes_s * every_ms // 1000, every_ms)
    weight_pct = stated.premium_weight_pct.get(configuration)
    queues = [_queue("best-effort", 100, 100)]
    if weight_pct is not None:
        # the class' space goes by its weight, as the router hands it out
        queues = [_queue("premium", weight_pct, weight_pct), _queue("best-effort", 100 - weight_pct, 100 - weight_pct)]
    duration_s = 20
    udp = UdpTraffic(rate_bps=stated.best_effort_bps, datagram_bytes=stated.best_effort_payload_bytes, jitter=0.1)
    return Parts(
        duration_s=duration_s,
        interval_s=0.1,
        links=_links(assumed, assumed.framing),
        ports=(_port("core", "edge2", assumed.queue_bytes, queues, premium=("tcp", "ping")),),
        tcp=_tcp(stated.window_bytes),
        flows=(
            _tcp_flow(data, duration_s),
            Flow("ping", "premium1", "premium2", ((0, duration_s),), PingTraffic(0.02)),
            _best_effort(udp, stated.best_effort_from_s, duration_s),
        ),
    )


def _queueing(configuration: str, assumed: Assumed) -> Parts:
    """A policer passes a burst of bandwidth times round trip at once, and its rate from then on."""
    stated = setup().queueing
    share, link_bps = stated.policed_share[configuration], setup().link_bps
    burst_bytes = int(share * link_bps / 8 * assumed.queueing_round_trip_ms / 1e3)
    weight_pct = stated.premium_weight_pct
    queues = [_queue("premium", weight_pct, 50), _queue("best-effort", 100 - weight_pct, 50)]
    udp = UdpTraffic(rate_bps=0.9 * _BURST_BPS, datagram_bytes=472)
    filling = UdpTraffic(rate_bps=0.8 * link_bps, datagram_bytes=472)
    conditioner = Conditioner("premium", TokenBucket(share * link_bps, burst_bytes), actions=_DROP_RED)
    port = _port("edge1", "core", _AMPLE_BYTES, queues, premium=("burst",), quantum_bytes=500)
    until_s = BURST_FROM_S + 0.2
    duration_s = until_s + 0.05
    return Parts(
        duration_s=duration_s,
        interval_s=0.0001,
        links=_links(assumed, _PLAIN, access_bps=_BURST_BPS),
        ports=(replace(port, conditioners=(conditioner,)),),
        tcp=Tcp(),
        flows=(
            Flow("burst", "premium1", "premium2", ((BURST_FROM_S, until_s),), udp),
            _best_effort(filling, 0, duration_s),
        ),
    )


def _manager(configuration: str, assumed: Assumed) -> Parts:
    """Reservations that come and go beside best effort, in the channel that a manager shares."""
    tcp = _tcp(setup().congestion.window_bytes)
    return manager.scenario_parts(configuration, setup(), assumed, tcp)


_PARTS: dict[str, Callable[[str, Assumed], Parts]] = {
    "car": _car,
    "congestion": _congestion,
    "queueing": _queueing,
    "manager": _manager,
}


def _links(assumed: Assumed, framing: LinkFraming, access_bps: float = _FAST_BPS) -> tuple[Link, ...]:
    """Hosts, three routers, hosts; `framing` is that of the slow link between the routers."""
    link_bps = setup().link_bps
    delay_us = assumed.round_trip_ms * 1e3 / 2 / 4
    rates = {
        ("premium1", "edge1"): access_bps,
        ("best-effort1", "edge1"): access_bps,
        ("edge1", "core"): _FAST_BPS if access_bps == _FAST_BPS else link_bps,
        ("core", "edge2"): link_bps,
        ("edge2", "premium2"): access_bps,
        ("edge2", "best-effort2"): access_bps,
    }
    return tuple(
        Link(
            one,
            other,
            rate,
            delay_us,
            buffer_bytes=_AMPLE_BYTES,
            # of the others the paper says less, and none of them is full
            **vars(framing if rate == link_bps else _PLAIN),
        )
        for (one, other), rate in rates.items()
    )


def _queue(name: str, rate_share_pct: float, buffer_share_pct: float) -> Queue:
    return Queue(name, rate_share_pct, buffer_share_pct)


def _port(
    at: str, to: str, buffer_bytes: int, queues: Sequence[Queue], premium: Sequence[str] = (), quantum_bytes: int = 1696
) -> Port:
    has_premium = any(queue.class_ == "premium" for queue in queues)
    return Port(
        at=at,
        to=to,
        buffer_bytes=buffer_bytes,
        scheduler=RoundRobin(quantum_bytes),
        queues=tuple(queues),
        classifier=tuple(Rule("premium", flow=flow) for flow in premium) if has_premium else (),
        default_class=queues[-1].class_,
    )


def _tcp(window_bytes: int) -> Tcp:
    stated = setup()
    return Tcp(
        segment_data_bytes=stated.segment_data_bytes,
        header_bytes=stated.header_bytes,
        window_bytes=window_bytes,
        clamped_window_bytes=window_bytes,
        initial_window_pkts=2,
        fack=False,
        undo=False,
        merge_segments=1,
    )


def _tcp_flow(data: Data, duration_s: float) -> Flow:
    return tcp_flow("tcp", "premium1", "premium2", (0, duration_s), data)


def _best_effort(traffic: Traffic, from_s: float, until_s: float) -> Flow:
    return Flow("best-effort", "best-effort1", "best-effort2", ((from_s, until_s),), traffic)
