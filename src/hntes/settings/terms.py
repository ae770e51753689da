"""Words that settings and rules share: platforms, scheduling priorities, traffic classes."""

from typing import Literal

Platform = Literal["junos", "iosxr", "iosxe"]
Priority = Literal["low", "medium-low", "medium-high", "high", "strict-high"]

ALPHA, BETA, SCAVENGER, NETWORK_CONTROL = "alpha", "beta", "scavenger", "network-control"
PREMIUM = "premium"
