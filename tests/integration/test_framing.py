"""Link framing in both engines: whole ATM cells, and the engines agree on them."""

from typing import Any

import pytest

from hntes.simulator import NotApplicableError
from hntes.simulator.measures import mean_goodput_bps
from tests.support.scenarios import check, run

CELLS_BPS = 599.04e6  # what OC-12 leaves for cells
CELL_BYTES = 53


def _over_cells(traffic: dict[str, Any]) -> dict[str, Any]:
    """One flow from a link of 10 Gb/s into one of cells, for 20 s."""
    host = {"nic_queue_bytes": 100_000_000}
    into = {"from": "sender", "to": "r", "rate_bps": 10e9, "delay_us": 100}
    cells = {"from": "r", "to": "receiver", "rate_bps": CELLS_BPS, "delay_us": 5000, "buffer_bytes": 1_000_000}
    return {
        "name": "cells",
        "duration_s": 20.0,
        "seed": 1,
        "hosts": [{"name": "sender", **host}, {"name": "receiver", **host}],
        "routers": ["r"],
        "links": [into, {**cells, "framing": {"kind": "atm"}}],
        "tcp": {"initial_window_pkts": 10},
        "flows": [{"name": "flow", "from": "sender", "to": "receiver", "intervals_s": [[0, 100]], "traffic": traffic}],
    }


@pytest.mark.parametrize("engine", ["packet", "fluid"])
@pytest.mark.parametrize(("payload_bytes", "cells"), [(1472, 32), (500, 12), (440, 11)])
def test_a_full_link_carries_whole_cells(engine: Any, payload_bytes: int, cells: int) -> None:
    carried_bps = CELLS_BPS * payload_bytes / (cells * CELL_BYTES)
    udp = {"kind": "udp", "rate_bps": 1.2 * carried_bps, "datagram_bytes": payload_bytes}
    result = run({**_over_cells(udp), "duration_s": 3.0}, engine=engine)
    assert mean_goodput_bps(result, "flow", (1, 3)) == pytest.approx(carried_bps, rel=0.005)


def test_the_engines_agree_on_tcp_over_cells() -> None:
    scenario = _over_cells({"kind": "tcp", "congestion": "reno"})
    packet, fluid = (run(scenario, engine=engine) for engine in ("packet", "fluid"))
    span = (5.0, 20.0)
    assert mean_goodput_bps(fluid, "flow", span) == pytest.approx(mean_goodput_bps(packet, "flow", span), rel=0.02)
    # the buffer holds more than a round trip's worth, so that Reno keeps the link full
    carried_bps = CELLS_BPS * 1448 / (32 * CELL_BYTES)
    assert mean_goodput_bps(packet, "flow", span) == pytest.approx(carried_bps, rel=0.005)


def test_fragments_of_unlike_sizes_over_cells_are_left_to_the_packet_engine() -> None:
    udp = {"kind": "udp", "rate_bps": 1e8, "datagram_bytes": 8192}
    with pytest.raises(NotApplicableError, match=r"^links\[1\]\.framing: "):
        check(_over_cells(udp), engine="fluid")
    check(_over_cells({**udp, "datagram_bytes": 1472}), engine="fluid")
    check(_over_cells(udp), engine="packet")
