"""What a router's hardware gives a plan where the settings say nothing: names and numbers that its platform knows."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from hntes.settings.terms import Priority


@dataclass(frozen=True)
class HardwareFit:
    """Defaults of one router's hardware.

    Attributes:
        name: As in `[[routers]] hardware`.
        port_buffer_ms: The buffer of the slowest-buffered core port; None: it has to be given.
        priorities: Of the classes of plans, in the words of `hntes.settings.terms`.
        control_queue: The queue in which the router itself has network control; None: that of the settings.
    """

    name: str
    port_buffer_ms: int | float | None
    priorities: Mapping[str, Priority] = field(default_factory=dict)
    control_queue: int | None = None
