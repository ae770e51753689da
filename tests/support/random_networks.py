"""Random small scenarios for the packet engine: trees of routers, ports with queues and conditioners, mixed traffic."""

from typing import Any

from hypothesis import strategies as st

Scenario = dict[str, Any]
FULL_PACKET_BYTES = 1538


@st.composite
def scenarios(draw: st.DrawFn) -> Scenario:
    """A sound scenario of at most about 20,000 packets at its fastest link."""
    rate_bps = 10.0 ** draw(st.floats(6, 11))
    routers = draw(st.integers(1, 4))
    hosts = draw(st.integers(2, 6))
    links = _tree(draw, routers, hosts, rate_bps)
    flows = [_flow(draw, number, hosts, rate_bps) for number in range(draw(st.integers(1, 5)))]
    duration_s = min(5.0, draw(st.integers(100, 5000)) * FULL_PACKET_BYTES * 8 / rate_bps)
    for flow in flows:
        if flow["traffic"]["kind"] == "ping":
            flow["traffic"]["interval_s"] = max(1e-6, duration_s / 50)
        start, end = sorted(draw(st.tuples(st.floats(0, 1), st.floats(0, 1))))
        flow["intervals_s"] = [[start * duration_s, end * duration_s + duration_s]]
    return {
        "name": "random",
        "duration_s": duration_s,
        "interval_s": max(1e-6, duration_s / 10),
        "seed": draw(st.integers(0, 2**64 - 1)),
        "hosts": [_host(draw, number) for number in range(hosts)],
        "routers": [f"r{number}" for number in range(routers)],
        "links": links,
        "ports": draw(st.sampled_from([[], [_port(draw, links)]])),
        "tcp": _tcp(draw),
        "flows": flows,
    }


def _tree(draw: st.DrawFn, routers: int, hosts: int, rate_bps: float) -> list[dict[str, Any]]:
    """Each router but the first hangs on an earlier one, each host on any."""
    ends = [(f"r{draw(st.integers(0, number - 1))}", f"r{number}") for number in range(1, routers)]
    ends += [(f"r{draw(st.integers(0, routers - 1))}", f"h{number}") for number in range(hosts)]
    return [
        {
            "from": one,
            "to": other,
            "rate_bps": rate_bps * draw(st.sampled_from([0.1, 0.5, 1.0])),
            "delay_us": draw(st.one_of(st.just(0.0), st.floats(0, 2000))),
            "buffer_bytes": draw(st.integers(1, 300)) * FULL_PACKET_BYTES,
            "reopen_bytes": draw(st.sampled_from([0, 0, 20_000])),
            "loss_probability": draw(st.sampled_from([0.0, 0.0, 0.01, 0.3])),
        }
        for one, other in ends
    ]


def _host(draw: st.DrawFn, number: int) -> dict[str, Any]:
    return {
        "name": f"h{number}",
        "nic_queue_bytes": draw(st.sampled_from([20_000, 10_000_000])),
        "interrupt_gap_us": draw(st.sampled_from([0.0, 25.0])),
        "stalls_per_s": draw(st.sampled_from([0.0, 100.0])),
        "stall_us": 200.0,
    }


def _port(draw: st.DrawFn, links: list[dict[str, Any]]) -> dict[str, Any]:
    """A port of a router, with one to three queues and perhaps a conditioner."""
    link = draw(st.sampled_from(links))
    at, to = (link["from"], link["to"])
    if to.startswith("r") and draw(st.booleans()):
        at, to = to, at
    classes = ["gold", "silver", "bronze"][: draw(st.integers(1, 3))]
    names = st.sampled_from(classes)
    queues = [
        {
            "class": name,
            "rate_share_pct": draw(st.floats(0.5, 33)),
            "buffer_share_pct": draw(st.floats(0.5, 33)),
            "priority": draw(st.integers(0, 2)),
            "discipline": _discipline(draw),
        }
        for name in classes
    ]
    action = st.one_of(st.sampled_from(["pass", "drop"]), names.map(lambda name: {"to_class": name}))
    conditioner = {
        "class": draw(names),
        "aggregate": draw(st.sampled_from(["class", "flow"])),
        "meter": _meter(draw, link["rate_bps"] * draw(st.floats(0.02, 1))),
        "actions": {colour: draw(action) for colour in ("yellow", "red")},
    }
    return {
        "at": at,
        "to": to,
        "buffer_bytes": draw(st.integers(10, 1000)) * FULL_PACKET_BYTES,
        "scheduler": {"kind": draw(st.sampled_from(["priority_wfq", "strict_partition", "round_robin"]))},
        "queues": queues,
        "classifier": [{"class": draw(names), "protocol": draw(st.sampled_from(["tcp", "udp", "icmp"]))}],
        "default_class": draw(names),
        "conditioners": draw(st.sampled_from([[], [conditioner]])),
    }


def _discipline(draw: st.DrawFn) -> dict[str, Any]:
    def curve() -> dict[str, Any]:
        min_pkts = draw(st.floats(0, 50))
        return {
            "min_pkts": min_pkts,
            "max_pkts": min_pkts + draw(st.floats(0, 50)),
            "max_probability": draw(st.floats(0, 1)),
            "gentle": draw(st.booleans()),
        }

    weight = {"average_weight": draw(st.sampled_from([0.002, 0.1, 1.0]))}
    curves = {colour: curve() for colour in ("green", "yellow", "red")}
    averages = draw(st.sampled_from(["own", "better", "all"]))
    disciplines: list[dict[str, Any]] = [
        {"kind": "drop_tail"},
        {"kind": "wred", "step_pct": draw(st.sampled_from([0.0, 1.0]))},
        {"kind": "red", **weight, **curve()},
        {"kind": "gred", **weight, "averages": averages, "curves": curves, "ecn": draw(st.booleans())},
        {"kind": "pi", "a": 0.002, "b": 0.0019, "reference_pkts": draw(st.floats(0, 50)), "frequency_hz": 160},
    ]
    return draw(st.sampled_from(disciplines))


def _meter(draw: st.DrawFn, rate_bps: float) -> dict[str, Any]:
    bursts = st.integers(1500, 100_000)
    committed = {"committed_rate_bps": rate_bps, "committed_burst_bytes": draw(bursts)}
    peak_rate_bps = rate_bps * draw(st.floats(1, 3))
    aware = draw(st.booleans())
    window_s = draw(st.floats(0.01, 1))
    car = {"rate_bps": rate_bps, "normal_burst_bytes": draw(bursts), "extended_burst_bytes": draw(bursts)}
    meters: list[dict[str, Any]] = [
        {"kind": "token_bucket", "rate_bps": rate_bps, "burst_bytes": draw(bursts)},
        {"kind": "srtcm", **committed, "excess_burst_bytes": draw(bursts), "colour_aware": aware},
        {"kind": "trtcm", **committed, "peak_rate_bps": peak_rate_bps, "peak_burst_bytes": draw(bursts)},
        {"kind": "tsw2cm", "committed_rate_bps": rate_bps, "window_s": window_s},
        {"kind": "tsw3cm", "committed_rate_bps": rate_bps, "peak_rate_bps": peak_rate_bps, "window_s": window_s},
        {"kind": "car", **car},
    ]
    return draw(st.sampled_from(meters))


def _flow(draw: st.DrawFn, number: int, hosts: int, rate_bps: float) -> dict[str, Any]:
    source, goal = draw(st.permutations(range(hosts)))[:2]
    tcp: dict[str, Any] = {"kind": "tcp", "congestion": draw(st.sampled_from(["reno", "htcp"]))}
    udp: dict[str, Any] = {
        "kind": "udp",
        "rate_bps": rate_bps * draw(st.floats(0.05, 1.2)),
        "datagram_bytes": draw(st.integers(200, 20_000)),
        "jitter": draw(st.sampled_from([0.0, 0.2])),
        "poisson": draw(st.booleans()),
    }
    traffic: dict[str, Any] = draw(st.sampled_from([tcp, tcp, udp, {"kind": "ping", "poisson": draw(st.booleans())}]))
    return {"name": f"f{number}", "from": f"h{source}", "to": f"h{goal}", "traffic": dict(traffic)}


def _tcp(draw: st.DrawFn) -> dict[str, Any]:
    return {
        "merge_segments": draw(st.sampled_from([1, 8, 44])),
        "fack": draw(st.booleans()),
        "undo": draw(st.booleans()),
        "reordering_limit_pkts": draw(st.sampled_from([3, 127])),
        "window_bytes": draw(st.sampled_from([30_000, 1_000_000, 150_000_000])),
    }
