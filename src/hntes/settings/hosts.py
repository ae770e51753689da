"""TCP of the hosts in the gate's runs: the kernels that the simulator models, and their congestion controls."""

from typing import Annotated, Literal, get_args

from pydantic import AfterValidator, Field

HostProfile = Literal["linux-2.6.33", "linux-6"]
# From the oldest kernel to the newest.
HOST_PROFILES: tuple[HostProfile, ...] = get_args(HostProfile)
# BBR needs this kernel, and CUBIC is its default; no hosts of 2010 are asked with either.
CUBIC_HOSTS: HostProfile = "linux-6"


def _each_once(hosts: tuple[HostProfile, ...]) -> tuple[HostProfile, ...]:
    """Sorted, so that the same hosts give the same judgement."""
    if len(set(hosts)) < len(hosts):
        raise ValueError("lists the same profile twice; list each once")
    return tuple(each for each in HOST_PROFILES if each in hosts)


Hosts = Annotated[tuple[HostProfile, ...], Field(min_length=1), AfterValidator(_each_once)]

CongestionControl = Literal["htcp", "cubic", "bbr"]
CONTROLS: tuple[CongestionControl, ...] = get_args(CongestionControl)


def _each_with_those_before(controls: tuple[CongestionControl, ...]) -> tuple[CongestionControl, ...]:
    """Sorted. All criteria are asked with H-TCP, and BBR joins CUBIC."""
    if len(set(controls)) < len(controls):
        raise ValueError("lists the same congestion control twice; list each once")
    wanted = tuple(each for each in CONTROLS if each in controls)
    if wanted != CONTROLS[: len(wanted)]:
        needed = CONTROLS[: CONTROLS.index(wanted[-1]) + 1]
        raise ValueError(f"{wanted[-1]} is asked beside those before it; list {', '.join(needed)}")
    return wanted


Controls = Annotated[tuple[CongestionControl, ...], Field(min_length=1), AfterValidator(_each_with_those_before)]
