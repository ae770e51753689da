"""Whose TCP the hosts of the gate's runs have: kernels of which the simulator has a profile."""

from typing import Annotated, Literal, get_args

from pydantic import AfterValidator, Field

HostProfile = Literal["linux-2.6.33", "linux-6"]
# From the oldest kernel on.
HOST_PROFILES: tuple[HostProfile, ...] = get_args(HostProfile)


def _each_once(hosts: tuple[HostProfile, ...]) -> tuple[HostProfile, ...]:
    """In one order, whatever the file's: the same hosts make the same judgement."""
    if len(set(hosts)) < len(hosts):
        raise ValueError("names the same hosts twice; name each once")
    return tuple(each for each in HOST_PROFILES if each in hosts)


Hosts = Annotated[tuple[HostProfile, ...], Field(min_length=1), AfterValidator(_each_once)]
