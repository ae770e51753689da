"""Limits of the gate that are looser than the defaults; shown with every verdict."""

from hntes.settings.model import Gate

# Keys whose larger values are looser, and keys whose smaller values are.
_UPPER = (
    *("delay_increase_ms", "delay_sd_ms", "out_of_sequence_pkts", "beta_loss_pct", "beta_delay_increase_ms"),
    *("max_policer_drops_pkts", "reach_pct", "reach_space_pct"),
    *("burst_delay_increase_ms", "burst_delay_sd_ms", "burst_delay_p99_ms", "burst_loss_pct"),
    "class_delay_increase_ms",
)
_LOWER = (
    "throughput_pct",
    "jain_index",
    "beta_peak_pct",
    "premium_rate_pct",
    "burst_peak_factor",
    "burst_host_pct",
    "class_rate_pct",
)


def loosened(gate: Gate) -> tuple[str, ...]:
    """The limits that are looser than the default, each with both values; none if none is.

    Example:
        >>> loosened(Gate(delay_increase_ms=5))
        ('delay_increase_ms 5 (default 1)',)
    """
    default = Gate()
    looser = [name for name in _UPPER if getattr(gate, name) > getattr(default, name)]
    looser += [name for name in _LOWER if getattr(gate, name) < getattr(default, name)]
    named = [f"{name} {getattr(gate, name):g} (default {getattr(default, name):g})" for name in looser]
    if max(gate.beta_loads_pct) < max(default.beta_loads_pct):
        named.append(f"beta_loads_pct up to {max(gate.beta_loads_pct):g} (default {max(default.beta_loads_pct):g})")
    if kernels := [hosts for hosts in default.tcp_profiles if hosts not in gate.tcp_profiles]:
        named.append(f"hosts without {', '.join(kernels)} (default {', '.join(default.tcp_profiles)})")
    if left_out := [control for control in default.congestion if control not in gate.congestion]:
        named.append(f"congestion without {', '.join(left_out)} (default {', '.join(default.congestion)})")
    if max(gate.round_trips_ms) < max(default.round_trips_ms):
        most = f"up to {max(gate.round_trips_ms):g} (default {max(default.round_trips_ms):g})"
        named.append(f"round_trips_ms {most}")
    return tuple(named)
