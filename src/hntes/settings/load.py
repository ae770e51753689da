"""Limits on a router's processor and memory, which a delivery watches by SNMP."""

from typing import Annotated

from pydantic import Field

from hntes.settings.section import Section
from hntes.settings.snmp import SnmpAccess


class LoadLimits(Section):
    """A router's processor and memory are read before a push, on trial, and while the canary has to run.

    Above a limit a push does not begin, a trial is not confirmed, and the others do not follow the canary. The agent is
    `snmp` of [routers.delivery] or [routers.flowspec]; with this section, routers without it have their address in
    [counters.snmp.routers]. Access is [delivery.load.snmp], else [counters.snmp], else version 2c.
    """

    max_cpu_pct: Annotated[int, Field(ge=1, le=100)] = 85
    """highest load of the busiest processor that the router names, %"""
    max_memory_pct: Annotated[int, Field(ge=1, le=100)] = 90
    """highest use of the fullest memory that the router names, %"""
    every_s: Annotated[int, Field(ge=5, le=60)] = 15
    """time between two readings; of three in a row one must be within both limits"""
    snmp: SnmpAccess | None = None
