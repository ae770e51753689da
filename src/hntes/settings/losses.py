"""Causes for which flow records are no evidence of what an exporter sent (docs/concepts/completeness.md)."""

from typing import Literal

LossCause = Literal[
    "malformed_row", "no_address", "not_a_flow", "no_time", "end_before_start", "too_long", "in_future",
    "absurd_counter", "oversized_packets", "faster_than_port", "sampling_changed", "sampling_lowered", "former_factor",
    "other_domain_factor", "unannounced", "unused_sampler", "no_duration", "port_exceeded", "unclaimed",
    "lost_exports", "below_counters", "above_counters",
]  # fmt: skip
