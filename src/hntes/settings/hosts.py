"""TCP profiles of the hosts in the gate's runs: the kernels that the simulator models."""

from typing import Annotated, Literal, get_args

from pydantic import AfterValidator, Field

HostProfile = Literal["linux-2.6.33", "linux-6"]
# From the oldest kernel to the newest.
HOST_PROFILES: tuple[HostProfile, ...] = get_args(HostProfile)


def _each_once(hosts: tuple[HostProfile, ...]) -> tuple[HostProfile, ...]:
    """Sorted, so that the same hosts give the same judgement."""
    if len(set(hosts)) < len(hosts):
        raise ValueError("lists the same profile twice; list each once")
    return tuple(each for each in HOST_PROFILES if each in hosts)


Hosts = Annotated[tuple[HostProfile, ...], Field(min_length=1), AfterValidator(_each_once)]
