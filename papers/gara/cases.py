"""The paper's runs: a transfer through a committed access rate, congestion with and without queues, a policed burst."""

from collections.abc import Sequence
from typing import Any

from hntes.papers.gara import manager
from hntes.papers.stated import StatedCase, Table, complete_plainly, load_setup, plain_host

_ROUTERS = ["edge1", "core", "edge2"]
_FAST_BPS = 155e6
_AMPLE_BYTES = 10_000_000
# The policed burst arrives so much faster than the link that it is a burst there.
_BURST_BPS = 1e9
BURST_FROM_S = 0.1
_PLAIN = {"framing_bytes": 0}


def setup() -> Table:
    """The numbers of `setup.toml`."""
    return load_setup(__file__)


class GaraCase(StatedCase):
    """One run of `car`, `congestion`, `queueing` or `manager`."""

    paper = "gara"

    def scenario(self, seed: int, parameters: Table | None = None) -> dict[str, Any]:
        """The scenario for the engine; `parameters` in place of what is assumed, for studies of sensitivity."""
        assumed = {**setup()["assumed"], **(parameters or {})}
        parts = {"car": _car, "congestion": _congestion, "queueing": _queueing, "manager": _manager}
        names = ("premium1", "premium2", "best-effort1", "best-effort2")
        hosts = [plain_host(name) for name in (manager.hosts(assumed) if self.experiment_name == "manager" else names)]
        common = {"name": self.name, "seed": seed, "hosts": hosts, "routers": _ROUTERS}
        return complete_plainly({**common, **parts[self.experiment_name](self.configuration, assumed)})


def configurations(experiment: str) -> Sequence[str]:
    """The configurations of an experiment."""
    stated = setup()
    return {
        "car": list(stated["car"]["burst_bytes"]),
        "congestion": ["fifo", *stated["congestion"]["premium_weight_pct"]],
        "queueing": list(stated["queueing"]["policed_share"]),
        "manager": list(manager.CONFIGURATIONS),
    }[experiment]


def _car(configuration: str, assumed: Table) -> dict[str, Any]:
    """A transfer whose packets above the committed rate the ingress drops; nothing else is in its way."""
    stated = setup()["car"]
    burst_bytes = stated["burst_bytes"][configuration]
    meter = {
        "kind": "car", "rate_bps": assumed["car_rate_bps"], "normal_burst_bytes": burst_bytes,
        "extended_burst_bytes": burst_bytes,
    }  # fmt: skip
    conditioner = {"class": "all", "meter": meter, "actions": {"red": "drop"}}
    data = {"kind": "transfer", "bytes": stated["transfer_bytes"]}
    return {
        "duration_s": 20,
        "links": _links(assumed, assumed["framing"]),
        "ports": [_port("edge1", "core", _AMPLE_BYTES, [_queue("all", 100, 100)], conditioners=[conditioner])],
        "tcp": _tcp(setup()["congestion"]["window_bytes"]),
        "flows": [_tcp_flow(data)],
    }


def _congestion(configuration: str, assumed: Table) -> dict[str, Any]:
    """A program that writes as fast as the link carries, and best effort that comes later; in one queue or in two."""
    stated = setup()["congestion"]
    every_ms = 1
    data = {"kind": "writes", "bytes": stated["writer_bytes_s"] * every_ms // 1000, "every_ms": every_ms}
    weight_pct = stated["premium_weight_pct"].get(configuration)
    queues = [_queue("best-effort", 100, 100)]
    if weight_pct is not None:
        # the class' space goes by its weight, as the router hands it out
        queues = [_queue("premium", weight_pct, weight_pct), _queue("best-effort", 100 - weight_pct, 100 - weight_pct)]
    duration_s = 20
    ping = {"kind": "ping", "interval_s": 0.02}
    udp = {
        "kind": "udp", "rate_bps": stated["best_effort_bps"], "datagram_bytes": stated["best_effort_payload_bytes"],
        "jitter": 0.1,
    }  # fmt: skip
    best_effort = _flow("best-effort", "best-effort1", "best-effort2", udp)
    return {
        "duration_s": duration_s,
        "interval_s": 0.1,
        "links": _links(assumed, assumed["framing"]),
        "ports": [_port("core", "edge2", assumed["queue_bytes"], queues, premium=("tcp", "ping"))],
        "tcp": _tcp(stated["window_bytes"]),
        "flows": [
            _tcp_flow(data),
            _flow("ping", "premium1", "premium2", ping),
            {**best_effort, "intervals_s": [[stated["best_effort_from_s"], duration_s]]},
        ],
    }


def _queueing(configuration: str, assumed: Table) -> dict[str, Any]:
    """A policer passes a burst of bandwidth times round trip at once, and its rate from then on."""
    stated = setup()["queueing"]
    share, link_bps = stated["policed_share"][configuration], setup()["link_bps"]
    burst_bytes = int(share * link_bps / 8 * assumed["queueing_round_trip_ms"] / 1e3)
    meter = {"kind": "token_bucket", "rate_bps": share * link_bps, "burst_bytes": burst_bytes}
    weight_pct = stated["premium_weight_pct"]
    queues = [_queue("premium", weight_pct, 50), _queue("best-effort", 100 - weight_pct, 50)]
    udp = {"kind": "udp", "rate_bps": 0.9 * _BURST_BPS, "datagram_bytes": 472}
    filling = {"kind": "udp", "rate_bps": 0.8 * link_bps, "datagram_bytes": 472}
    conditioner = {"class": "premium", "meter": meter, "actions": {"red": "drop"}}
    until_s = BURST_FROM_S + 0.2
    return {
        "duration_s": until_s + 0.05,
        "interval_s": 0.0001,
        "links": _links(assumed, _PLAIN, access_bps=_BURST_BPS),
        "ports": [
            _port(
                "edge1", "core", _AMPLE_BYTES, queues, premium=("burst",), quantum_bytes=500, conditioners=[conditioner]
            )
        ],
        "tcp": {},
        "flows": [
            {**_flow("burst", "premium1", "premium2", udp), "intervals_s": [[BURST_FROM_S, until_s]]},
            _flow("best-effort", "best-effort1", "best-effort2", filling),
        ],
    }


def _manager(configuration: str, assumed: Table) -> dict[str, Any]:
    """Reservations that come and go beside best effort, in the channel that a manager shares."""
    tcp = _tcp(setup()["congestion"]["window_bytes"])
    return {**manager.scenario_parts(configuration, setup(), assumed), "tcp": tcp}


def _links(assumed: Table, framing: Table, access_bps: float = _FAST_BPS) -> list[dict[str, Any]]:
    """Hosts, three routers, hosts; `framing` has the keys of the link between the routers that is the slow one."""
    link_bps = setup()["link_bps"]
    delay_us = assumed["round_trip_ms"] * 1e3 / 2 / 4
    rates = {
        ("premium1", "edge1"): access_bps,
        ("best-effort1", "edge1"): access_bps,
        ("edge1", "core"): _FAST_BPS if access_bps == _FAST_BPS else link_bps,
        ("core", "edge2"): link_bps,
        ("edge2", "premium2"): access_bps,
        ("edge2", "best-effort2"): access_bps,
    }
    return [
        {
            "from": one,
            "to": other,
            "rate_bps": rate,
            "delay_us": delay_us,
            "buffer_bytes": _AMPLE_BYTES,
            # of the others the paper says less, and none of them is full
            **(framing if rate == link_bps else _PLAIN),
        }
        for (one, other), rate in rates.items()
    ]


def _queue(name: str, rate_share_pct: float, buffer_share_pct: float) -> dict[str, Any]:
    return {"class": name, "rate_share_pct": rate_share_pct, "buffer_share_pct": buffer_share_pct}


def _port(
    at: str,
    to: str,
    buffer_bytes: int,
    queues: Sequence[Table],
    premium: Sequence[str] = (),
    quantum_bytes: int = 1696,
    conditioners: Sequence[Table] = (),
) -> dict[str, Any]:
    has_premium = any(queue["class"] == "premium" for queue in queues)
    return {
        "at": at,
        "to": to,
        "buffer_bytes": buffer_bytes,
        "scheduler": {"kind": "round_robin", "quantum_bytes": quantum_bytes},
        "queues": list(queues),
        "classifier": [{"class": "premium", "flow": flow} for flow in premium] if has_premium else [],
        "default_class": queues[-1]["class"],
        "conditioners": list(conditioners),
    }


def _tcp(window_bytes: int) -> dict[str, Any]:
    stated = setup()
    return {
        "segment_data_bytes": stated["segment_data_bytes"], "header_bytes": stated["header_bytes"],
        "window_bytes": window_bytes, "clamped_window_bytes": window_bytes, "initial_window_pkts": 2, "fack": False,
        "undo": False, "merge_segments": 1,
    }  # fmt: skip


def _flow(name: str, source: str, sink: str, traffic: Table) -> dict[str, Any]:
    return {"name": name, "from": source, "to": sink, "traffic": dict(traffic)}


def _tcp_flow(data: Table) -> dict[str, Any]:
    return _flow("tcp", "premium1", "premium2", {"kind": "tcp", "congestion": "reno", "data": dict(data)})
