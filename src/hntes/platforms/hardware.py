"""What families of routers of one platform can do, as data; each fact names its source.

A family is a module in the folder `hardware` of its platform with one object `HARDWARE`; nothing else lists it.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from importlib import import_module
from pkgutil import iter_modules
from types import ModuleType

from hntes.rules.qos.model import Carrier
from hntes.settings.terms import Priority


@dataclass(frozen=True)
class Ranking:
    """How a port serves queues of different priorities.

    Attributes:
        levels: Priorities that are served alike, the first served first. A priority in none of them does not exist.
        is_strict: A level is served before all below it as long as it has packets. Otherwise only within the guaranteed
            rate of its queues.
    """

    levels: tuple[tuple[Priority, ...], ...]
    is_strict: bool = False

    def level_of(self, priority: Priority) -> int | None:
        """The place of a priority, 0 first; None: the hardware does not have it."""
        return next((place for place, level in enumerate(self.levels) if priority in level), None)


@dataclass(frozen=True)
class Hardware:
    """One family of routers, or of line cards.

    Attributes:
        name: As in `[[routers]] hardware`.
        models: What it is, for sentences.
        recognized: Lines of a listing or of its head that name it; None: no listing does.
        queues: How many numbers of queues there are, from 0: hardware queues, traffic classes, or QoS groups.
        ranking: What priorities mean; None: all but strict-high rank alike.
        priorities: The defaults of the classes of plans, where they are not those of the plan.
        buffers_ms: Up to a rate of the port in bit/s, how long a queue of it may grow; ascending. Empty: not published.
        max_terms: Terms of filters, or lines of access lists, by IP version.
        carrier: What carries a class from input to output (Cisco).
        control_queue: The queue in which the router itself has network control; None: none of its own.
        has_strict_high: A queue of strict-high priority with a limit, as HNTES writes it.
        moves_classes: A policer can change the class of packets.
        continues: A filter's term can continue with the next (`next term`).
        redirects_classified: A filter's term can both classify and redirect to a routing instance.
        clears_exp: Where an access list classifies, the EXP of an imposed label is 0 unless a class sets it.
        sources: Attribute -> where it is said.
    """

    name: str
    models: str
    sources: Mapping[str, str]
    recognized: re.Pattern[str] | None = None
    queues: int = 8
    ranking: Ranking | None = None
    priorities: Mapping[str, Priority] = field(default_factory=dict)
    buffers_ms: tuple[tuple[int, float], ...] = ()
    max_terms: Mapping[int, int] = field(default_factory=dict)
    carrier: Carrier = "qos-group"
    control_queue: int | None = None
    has_strict_high: bool = True
    moves_classes: bool = True
    continues: bool = True
    redirects_classified: bool = True
    clears_exp: bool = False

    def buffer_ms(self, rate_bps: int) -> float | None:
        """The buffer of a port of that rate; None: not published."""
        return next((each for most_bps, each in self.buffers_ms if rate_bps <= most_bps), None)

    @property
    def stated(self) -> frozenset[str]:
        """The attributes that differ from their defaults, apart from names: facts that need a source."""
        own = ("name", "models", "sources", "recognized")
        return frozenset(
            each.name for each in fields(self) if each.name not in own and getattr(self, each.name) != _default(each)
        )


def _default(attribute: object) -> object:
    default, factory = attribute.default, attribute.default_factory  # type: ignore[attr-defined]
    return factory() if callable(factory) else default


def hardware_in(folder: ModuleType) -> tuple[Hardware, ...]:
    """The families of a platform: those of the modules in its folder, by name."""
    return tuple(sorted(_found(folder), key=lambda each: each.name))


def _found(folder: ModuleType) -> Iterator[Hardware]:
    for module in iter_modules(folder.__path__):
        found = import_module(f"{folder.__name__}.{module.name}").HARDWARE
        assert isinstance(found, Hardware), module.name  # noqa: S101 - for the type checker
        yield found
