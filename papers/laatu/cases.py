"""The paper's runs: four TCP flows marked one by one or together, before a bottleneck with too small or ample share."""

from typing import Any

from hntes.papers.stated import StatedCase, Table, complete_plainly, load_setup, plain_host

MARKED = ("per-flow", "aggregate")
_TCP = {"initial_window_pkts": 2, "fack": False, "undo": False, "disorder_burst_pkts": 0, "merge_segments": 1}


def setup() -> Table:
    """The numbers of `setup.toml`."""
    return load_setup(__file__)


def measured_flows() -> list[str]:
    """The flows that the tables are about."""
    return [f"tcp{number}" for number in range(1, setup()["flows"] + 1)]


class LaatuCase(StatedCase):
    """One way of marking (`per-flow`, `aggregate`) under one provisioning (`under`, `over`)."""

    paper = "laatu"

    def scenario(self, seed: int, parameters: Table | None = None) -> dict[str, Any]:
        """The scenario for the engine; `parameters` in place of what is assumed, for studies of sensitivity."""
        stated = setup()
        assumed = {**stated["assumed"], **(parameters or {})}
        hosts = ["background", "background-sink", "best-effort", "best-effort-sink"]
        hosts += [f"{end}{number}" for end in ("source", "sink") for number in range(1, stated["flows"] + 1)]
        return complete_plainly(
            {
                "name": self.name,
                "duration_s": stated["duration_s"],
                "seed": seed,
                "hosts": [plain_host(host) for host in hosts],
                "routers": ["edge1", "edge2", "edge3", "core1", "core2"],
                "links": _links(stated, assumed),
                "ports": [
                    _edge("edge1", "flow" if self.configuration == "per-flow" else "class", stated),
                    _edge("edge3", "class", stated),
                    _core(stated, assumed, assumed["assured_share_pct"][self.experiment_name]),
                ],
                "tcp": {
                    **_TCP,
                    **{name: stated[name] for name in ("segment_data_bytes", "header_bytes", "window_bytes")},
                    "clamped_window_bytes": stated["window_bytes"],
                    **assumed["tcp"],
                },
                "profiles": {"last": dict(assumed["last_flows_tcp"])} if assumed["last_flows_tcp"] else {},
                "flows": _flows(stated, assumed),
            }
        )


def _links(stated: Table, assumed: Table) -> list[dict[str, Any]]:
    pairs = [("edge1", "core1"), ("edge3", "core1"), ("core1", "core2"), ("core2", "edge2")]
    pairs += [
        ("background", "edge3"),
        ("edge2", "background-sink"),
        ("best-effort", "core1"),
        ("core2", "best-effort-sink"),
    ]
    for number in range(1, stated["flows"] + 1):
        pairs += [(f"source{number}", "edge1"), ("edge2", f"sink{number}")]
    return [
        {"from": one, "to": other, "rate_bps": stated["link_bps"], "delay_us": assumed["link_delay_us"]}
        for one, other in pairs
    ]


def _edge(router: str, aggregate: str, stated: Table) -> dict[str, Any]:
    """A marker before the link to the core; all its flows together in four times the rates of one."""
    rates = stated["rates_bps"][aggregate]
    packet_bytes = stated["segment_data_bytes"] + stated["header_bytes"]
    meter = {
        "kind": "trtcm",
        "committed_rate_bps": rates["committed"],
        "committed_burst_bytes": stated["burst_pkts"]["committed"] * packet_bytes,
        "peak_rate_bps": rates["peak"],
        "peak_burst_bytes": stated["burst_pkts"]["peak"] * packet_bytes,
    }
    return {
        "at": router,
        "to": "core1",
        "queues": [{"class": "assured", "rate_share_pct": 100, "buffer_share_pct": 100}],
        "default_class": "assured",
        "conditioners": [{"class": "assured", "aggregate": aggregate, "meter": meter}],
    }


def _core(stated: Table, assumed: Table, share_pct: float) -> dict[str, Any]:
    """The bottleneck: assured forwarding with GRED beside best effort, which takes what the other leaves."""
    gred = {
        "kind": "gred",
        "average_weight": stated["average_weight"],
        "averages": assumed["averages"],
        "curves": {colour: dict(curve) for colour, curve in stated["curves"].items()},
    }
    buffer_pct = assumed["assured_buffer_share_pct"]
    return {
        "at": "core1",
        "to": "core2",
        "buffer_bytes": stated["core_buffer_bytes"],
        "scheduler": {"kind": "round_robin"},
        "queues": [
            {"class": "assured", "rate_share_pct": share_pct, "buffer_share_pct": buffer_pct, "discipline": gred},
            {"class": "best-effort", "rate_share_pct": 100 - share_pct, "buffer_share_pct": 100 - buffer_pct},
        ],
        "classifier": [{"class": "best-effort", "flow": "best-effort"}],
        "default_class": "assured",
    }


def _flows(stated: Table, assumed: Table) -> list[dict[str, Any]]:
    greedy = {"kind": "tcp", "congestion": "reno", "window_bytes": stated["window_bytes"]}
    measured = [
        {"name": name, "from": f"source{number}", "to": f"sink{number}", "traffic": greedy}
        for number, name in enumerate(measured_flows(), 1)
    ]
    if assumed["last_flows_tcp"]:
        measured[-1]["traffic"] = {**greedy, "profile": "last"}
    background = [
        {"name": f"background{number}", "from": "background", "to": "background-sink", "traffic": greedy}
        for number in range(1, assumed["background_flows"] + 1)
    ]
    filling = {
        "kind": "udp", "rate_bps": stated["link_bps"], "datagram_bytes": assumed["best_effort_payload_bytes"],
        "jitter": 0.5,
    }  # fmt: skip
    best_effort = {"name": "best-effort", "from": "best-effort", "to": "best-effort-sink", "traffic": filling}
    return [*measured, *background, best_effort]
