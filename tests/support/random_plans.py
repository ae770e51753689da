"""Random plans for one bottleneck."""

import random
from typing import Any

from hntes.simulator.testbed.files import TESTBED_PROFILE, load_parameters
from tests.support.scenarios import document_of

SHARINGS = ("one queue", *["two queues"] * 4, "partitioned", "two queues")
Plan = dict[str, Any]


def random_plan(number: int, rate_bps: float, duration_s: float, hosts: str = TESTBED_PROFILE) -> Plan:
    """A scenario for `simulator.run`: hosts around one router, 1 to 4 TCP flows, perhaps UDP, pings in each class.

    Round-trip times are 1 to 100 ms, buffers 5 to 150 ms of the rate; hosts are those of the experiments, with the TCP
    of a kernel. Pings are a Poisson process: at even times they would keep step with queues that close and reopen (RFC
    2330, 11.1).
    """
    chance = random.Random(f"plan {number}")
    parameters = document_of(load_parameters(hosts))
    sharing = chance.choice(SHARINGS)
    tcp = [f"tcp{n}" for n in range(chance.randint(1, 4))]
    udp = ["udp"] if chance.random() < 0.7 else []
    delays_us = {name: 500 * 10 ** chance.uniform(0, 2) for name in tcp} | {"udp": 200.0, "ping": 100.0}
    sources = [*tcp, *udp, "ping"]
    flows = [_tcp(name, chance, duration_s) for name in tcp]
    flows += [_udp(chance, rate_bps, duration_s) for _ in udp]
    classes = ["all"] if sharing == "one queue" else ["alpha", "beta"]
    ping = {"kind": "ping", "interval_s": 0.05, "poisson": True}
    flows += [_flow(f"ping-{name}", "ping", ping, duration_s) for name in classes]
    return {
        "name": f"plan {number}: {sharing}",
        "duration_s": duration_s,
        "seed": number,
        "hosts": [{"name": name, **parameters["host"]} for name in [*sources, "sink"]],
        "routers": ["router"],
        "links": [
            {"from": name, "to": "router", "rate_bps": rate_bps, "delay_us": delays_us[name] - 50} for name in sources
        ]
        + [{"from": "router", "to": "sink", "rate_bps": rate_bps, "delay_us": 50}],
        "ports": [_port(chance, sharing, rate_bps)],
        "tcp": parameters["tcp"],
        "flows": flows,
    }


def overloaded(plan: Plan) -> bool:
    """Whether fragmented datagrams come at more than their queue's share.

    8192 bytes of payload with 8 of UDP make six packets, each with 20 bytes of IP and 38 of Ethernet: 8548 bytes.
    """
    port = plan["ports"][0]
    share_pct = port["queues"][-1]["rate_share_pct"]
    rate_bps = plan["links"][-1]["rate_bps"] * share_pct / 100
    return any(flow["traffic"].get("rate_bps", 0) * 8548 / 8192 > rate_bps for flow in plan["flows"])


def _port(chance: random.Random, sharing: str, rate_bps: float) -> Plan:
    alpha_pct = chance.randint(20, 80)
    buffer_pct = chance.randint(20, 80) if chance.random() < 0.5 else alpha_pct
    shares = {"all": (100, 100)} if sharing == "one queue" else {"alpha": (alpha_pct, buffer_pct)}
    if sharing != "one queue":
        shares["beta"] = (100 - alpha_pct, 100 - buffer_pct)
    priority = {"all": 0, "alpha": 0, "beta": chance.choice((0, 1))}
    first = next(iter(shares))
    return {
        "at": "router",
        "to": "sink",
        "buffer_bytes": int(rate_bps / 8 * chance.uniform(0.005, 0.15)),
        "scheduler": {"kind": "strict_partition" if sharing == "partitioned" else "priority_wfq"},
        "reopen_bytes": chance.choice((0, 60000)),
        "queues": [
            {
                "class": name,
                "rate_share_pct": rate,
                "buffer_share_pct": buffer,
                "priority": priority[name],
            }
            for name, (rate, buffer) in shares.items()
        ],
        "classifier": [
            {"class": first, "protocol": "tcp"},
            {"class": first, "flow": f"ping-{first}"},
        ],
        "default_class": list(shares)[-1],
    }


def _tcp(name: str, chance: random.Random, duration_s: float) -> Plan:
    start = 0.0 if name == "tcp0" else round(chance.uniform(0, 0.3) * duration_s, 1)
    congestion = chance.choice(("htcp", "htcp", "reno"))
    return _flow(name, name, {"kind": "tcp", "congestion": congestion}, duration_s, start)


def _udp(chance: random.Random, rate_bps: float, duration_s: float) -> Plan:
    traffic = {"kind": "udp", "rate_bps": chance.uniform(0.05, 0.6) * rate_bps, "jitter": 0.2}
    start = round(chance.uniform(0, 0.5) * duration_s, 1)
    return _flow("udp", "udp", traffic, duration_s, start)


def _flow(name: str, source: str, traffic: Plan, duration_s: float, start_s: float = 0.0) -> Plan:
    return {"name": name, "from": source, "to": "sink", "intervals_s": [[start_s, duration_s]], "traffic": traffic}
