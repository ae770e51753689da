"""Every measure of the testbed experiments in words."""

import re

MEASURES = {
    "tcp_gbps": "payload of all TCP flows that arrived, in Gb/s, mean over the whole run",
    "first_second_gbps": "payload of TCP1 that arrived in the first second, in Gb/s",
    "tcp_gbps_median": "payload of TCP1 that arrived, in Gb/s, median of the seconds past its first five",
    "udp_gbps_each": "payload rate of a UDP flow behind the bottleneck, in Gb/s, by packets that came through",
    "ping_mean_ms": "mean round-trip time of ping, in ms",
    "ping_sd_ms": "standard deviation of the round-trip time, in ms",
    "ping_min_ms": "shortest round-trip time, in ms",
    "ping_max_ms": "longest round-trip time, in ms",
    "ping_ms_during": "median round-trip time while TCP is on, past its first five seconds, in ms",
    "bottleneck_pkts": "packets that the bottleneck link carried",
    "udp_loss_pct_during": "share of UDP datagrams lost while TCP is on, past its first five seconds, in per cent",
    "udp_loss_pct_outside": "share of UDP datagrams lost while TCP is off, in per cent",
    "lost_pkts": "TCP segments dropped",
    "startup_lost_pkts": "segments of TCP1 dropped in the first three seconds",
    "later_lost_pkts": "segments of TCP1 dropped after the first three seconds",
    "out_of_sequence_pkts": "TCP segments that came after one of a higher sequence number, as tcptrace counts",
    "out_of_sequence_runs": "the same, counted after the receiving host has merged neighbouring segments",
    "retransmitted_pkts": "TCP segments sent again",
    "later_retransmitted_pkts": "segments of TCP1 sent again after its first five seconds",
    "jain_51_151": "Jain's fairness index of the flows' mean rates from 51 to 151 s; 1 is equal",
    "geometric_mean_factor": "how far the policed cells are from the published ones on average, as a factor",
    "rises_with_udp": "steps from one UDP rate to the next at which TCP throughput rises",
    "share_of_2_queues_at_2.5": "largest share of the two-queues throughput at 2.5 and 3 Gb/s of UDP",
}

_QUANTITIES = {
    "gbps": "payload of {} that arrived, in Gb/s, mean",
    "gbps_min": "payload of {} that arrived in a second, in Gb/s, least",
    "gbps_median": "payload of {} that arrived in a second, in Gb/s, median",
    "gbps_max": "payload of {} that arrived in a second, in Gb/s, most",
    "mean_ms": "mean round-trip time of {}, in ms",
    "min_ms": "shortest round-trip time of {}, in ms",
    "median_ms": "median round-trip time of {}, in ms",
    "max_ms": "longest round-trip time of {}, in ms",
    "loss_pct": "share of {} datagrams lost, in per cent",
    "retransmitted_pkts": "segments of {} sent again",
}
_OF_ONE_FLOW = re.compile(rf"(tcp\d|udp|ping)_({'|'.join(_QUANTITIES)})(?:_(\d+)_(\d+))?")


def explain(measure: str) -> str:
    """The definition of a measure; empty without one.

    Measures of one flow may end in a span in seconds, such as `tcp1_gbps_51_151`.
    """
    found = _OF_ONE_FLOW.fullmatch(measure)
    if measure in MEASURES or found is None:
        return MEASURES.get(measure, "")
    flow, quantity, start, end = found.groups()
    span = f", from {start} to {end} s" if start else ""
    return _QUANTITIES[quantity].format(flow.upper() if flow != "ping" else flow) + span
