"""The interface of a platform.

A platform is one package, found by an entry point of the group `hntes.platforms` (see `registry`). The name of the
entry point is the platform's name in settings, stored models and rendered texts.
"""

from collections.abc import Iterable, Sequence
from typing import Protocol, runtime_checkable

from hntes.platforms.capabilities import Capabilities
from hntes.platforms.conflict import Collision
from hntes.platforms.device import Device
from hntes.platforms.dialect import Dialect
from hntes.platforms.effective import EffectiveModel
from hntes.platforms.lifelines import Lifeline
from hntes.platforms.proposal import Proposal
from hntes.platforms.running_ports import RunningRouter
from hntes.rules.qos.model import InterfaceBinding, RouterModel
from hntes.settings.delivery import Access


@runtime_checkable
class Platform(Protocol):
    """One router operating system: its limits, its configuration language, and its sessions.

    A model names classes as the settings do. A platform with fixed class names renders its own name for a class's
    queue, and uses it in `expected`, as `parse` does.
    """

    @property
    def name(self) -> str:
        """The name of the entry point."""

    @property
    def capabilities(self) -> Capabilities: ...

    @property
    def dialect(self) -> Dialect: ...

    def problems(self, model: RouterModel) -> Iterable[str]:
        """One line for each part of a valid model that the platform does not support, beyond its capabilities."""

    def render(self, model: RouterModel) -> str:
        """The text of a valid model, ending in a newline. Equal models give equal bytes."""

    def render_marked(self, model: RouterModel, dscp: int) -> str:
        """The queues alone, for a router with FlowSpec delivery: the DSCP selects the alpha queue.

        Raises:
            ModelError: the platform takes no FlowSpec, as `problems` says of a model with it.
        """

    def parse(
        self,
        text: str,
        interfaces: Iterable[InterfaceBinding],
        *,
        is_whole: bool,
        is_merged: bool = False,
        keeps_classes: bool = False,
    ) -> EffectiveModel:
        """The effective model of a text, independent of `render`. Arguments and errors as `parse.parse_config`."""

    def expected(self, model: RouterModel) -> EffectiveModel:
        """The effective model that `parse` must find in the text of a model, computed from the model alone."""

    def conflicts(self, model: RouterModel, running: str) -> Iterable[Collision]:
        """Each statement of a running configuration that conflicts with a model's text. Raises ParseError."""

    def with_running(self, model: RouterModel, running: str) -> RouterModel:
        """The model adapted to a running configuration without conflicts: with the filters that stay behind its own."""

    def proposals(self, running: str, cores: Sequence[str]) -> Iterable[Proposal]:
        """Settings by which the router could keep its class of service on core ports, the preferred first.

        Each is only tried: `conflicts` decides. Raises ParseError.
        """

    def lifelines(self, running: str) -> Iterable[Lifeline]:
        """The addresses in a running configuration that no pair may hold. Raises ParseError."""

    def inventory(self, running: str) -> RunningRouter | None:
        """The name, addresses and ports of a router by its configuration; None if the text is not of this platform."""

    def kept_lines(self, running: str, candidate: str) -> list[str]:
        """The lines of a running configuration that stay in force after a candidate is loaded; the others are empty.

        Raises:
            ParseError: the lines of an earlier delivery cannot be distinguished from others.
        """

    def connect(self, access: Access, timeout_s: int) -> Device:
        """A session with a router. Imports the drivers. Raises UnreachableError, or ImportError if they are missing."""
