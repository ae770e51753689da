"""Scopes of API tokens: what a token may do. An operation needs exactly one."""

from collections.abc import Mapping
from typing import Literal

Scope = Literal["read", "reserve", "decide", "override", "backtest"]
SCOPES: Mapping[Scope, str] = {
    "read": "sees everything that the review page shows, of all routers and owners",
    "reserve": "makes, sees and cancels the reservations of its owner",
    "decide": "approves, rejects, defers and reopens changes",
    "override": "adds and withdraws pins and exclusions",
    "backtest": "starts back-tests",
}
# Of tokens that are older than scopes, and of those that are added without one.
DEFAULT_SCOPES: tuple[Scope, ...] = ("reserve",)
