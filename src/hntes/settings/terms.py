"""Words that settings and rules share: scheduling priorities, traffic classes."""

from typing import Literal

Priority = Literal["low", "medium-low", "medium-high", "high", "strict-high"]

ALPHA, BETA, SCAVENGER, NETWORK_CONTROL = "alpha", "beta", "scavenger", "network-control"
PREMIUM = "premium"
