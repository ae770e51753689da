"""The facts about one platform that the contract suite needs."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from importlib.metadata import distribution
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hntes.platforms.registry import GROUP

if TYPE_CHECKING:
    from hntes.platforms.load import RouterLoad
    from tests.support.devices.farm import Farm
    from tests.support.pushes import Bench
    from tests.support.snmp_agent import Objects


@dataclass(frozen=True)
class PlatformCase:
    """One platform's part of the suite.

    Attributes:
        name: The name of its entry point.
        ports: Interface names: an edge port, a core port, and one that is both.
        running: An operator's configuration with these ports, beside which every model of the suite can stand.
        in_the_way: Statements of an operator's that cannot stand beside a core port of HNTES: the second of the ports.
        delivered: The configuration that a router lists once a text was loaded into an operator's configuration.
        after: What a router holds after an operator's configuration and some transitions, by an emulation that knows
            no renderer; equal configurations give equal texts.
        unknown: Statements that no candidate has.
        damages: Texts of a candidate of plan two_queue, each with what takes its place so that it does something else.
        silent: A pattern of lines of a candidate that can be taken away without changing what it does.
        logical: The logical interfaces on the ports, where the platform names them apart.
        queue_numbers: `[routers.queues]` of the suite's routers, where the defaults do not fit.
        queues: The numbers of queues that a plan's classes may have, besides 0.
        refused: Plans that the platform does not support, each with what its refusal says; with all redirects, or those
            that `PLAN-REDIRECT` names.
        lsp: Keys of an LSP redirect in the settings, beside those of `tests.support.qos_models`.
        bench: An emulated router that holds `Bench.texts["before"]`; None where HNTES does not deliver.
        agent: Objects of an SNMP agent of such a router by their numbers, each with its type and value, and the load
            that they say, from the MIBs by hand; None where the platform names no objects.
        counted: Has the emulated router count 3 packets of 4,500 bytes; returns the counter's name and interface.
    """

    name: str
    ports: tuple[str, str, str]
    running: str
    in_the_way: str
    delivered: Callable[[str, str], str]
    after: Callable[..., str]
    unknown: tuple[str, ...]
    damages: tuple[tuple[str, str], ...]
    silent: str
    logical: tuple[str, str, str] | None = None
    queue_numbers: Mapping[str, int] = field(default_factory=dict)
    queues: range = range(1, 8)
    refused: Mapping[str, str] = field(default_factory=dict)
    lsp: Mapping[str, Any] = field(default_factory=dict)
    bench: "Callable[[Farm, Path], Bench] | None" = None
    agent: "tuple[Objects, RouterLoad] | None" = None
    counted: "Callable[[Bench], tuple[str, str]] | None" = None


def shipped_platforms() -> tuple[str, ...]:
    """The names of the platforms in HNTES' own distribution, in alphabetical order; the registry has others, too."""
    return tuple(sorted(each.name for each in distribution("hntes").entry_points.select(group=GROUP)))


def case_of(platform: str) -> PlatformCase:
    """The case of a platform; ModuleNotFoundError says which file is to be written."""
    found = import_module(f"tests.contract.platform.cases.{platform}").CASE
    assert isinstance(found, PlatformCase)
    assert found.name == platform
    return found
