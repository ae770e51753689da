"""Host settings for the sender of a reserved transfer: pacing, window, and the burst that the edge accepts."""

from collections.abc import Mapping

from hntes.format import gbps, rfc3339
from hntes.rules.reservations.gara import burst_bytes, queueing_time_ms
from hntes.rules.reservations.in_force import slowest_limit
from hntes.rules.reservations.reservation import Port, PortLimit, Reservation

# A full TCP packet with timestamps over Ethernet, and its payload.
_PACKET_BYTES, _PAYLOAD_BYTES = 1500, 1448


def host_sheet(reservation: Reservation, limits: Mapping[Port, PortLimit]) -> str:
    """The sheet as text. For a background transfer it has the floor: its rate changes with the calendar.

    Source: tc-fq(8) for `maxrate`; socket(7) and the kernel's include/uapi/asm-generic/socket.h for SO_MAX_PACING_RATE
    (bytes per second); tcp(7) for tcp_rmem, tcp_wmem and tcp_adv_win_scale.
    """
    limit = slowest_limit(reservation, limits)
    rate_bps = reservation.promised_bps
    window_bytes = burst_bytes(rate_bps, reservation.rtt_ms, limit.share, limit.served)
    payload_bytes = window_bytes * _PAYLOAD_BYTES // _PACKET_BYTES
    queueing_ms = float(queueing_time_ms(reservation.rtt_ms, limit.share, limit.served))
    lines = [
        f"Reservation {reservation.number}: {reservation.pair}",
        f"from {rfc3339(reservation.start_s * 1000)} until {rfc3339(reservation.end_s * 1000)}",
        f"{_promise(reservation)}; the edge polices to it",
        "",
        "Pace the sender: traffic above the rate and beyond the burst is out of profile.",
        f"  all flows of the host, one transfer at a time:  tc qdisc replace dev DEVICE root fq maxrate {rate_bps}bit",
        f"  or one socket:  setsockopt(fd, SOL_SOCKET, SO_MAX_PACING_RATE, {rate_bps // 8})   # bytes per second",
        "  maxrate applies per flow: with parallel streams divide it by their number.",
        "",
        f"Window: {window_bytes} bytes = rate x (round trip {reservation.rtt_ms} ms + queueing {queueing_ms:.4g} ms).",
        f"  The policer counts IP bytes: in packets of {_PACKET_BYTES} bytes that is {payload_bytes} bytes of payload.",
        "  Linux uses up to half of a buffer for overhead: the maximum of tcp_wmem here, and tcp_rmem at the receiver,",
        f"  must be {2 * window_bytes} bytes or more.",
        "",
        f"Burst: the edge accepts {window_bytes} bytes back to back.",
        "  Longer bursts, such as a larger window after a pause, are out of profile.",
    ]
    return "\n".join(lines) + "\n"


def _promise(reservation: Reservation) -> str:
    if reservation.kind == "foreground":
        return f"foreground, {gbps(reservation.rate_bps)}"
    return f"background, at least {gbps(reservation.floor_bps)} and at most {gbps(reservation.rate_bps)}"
