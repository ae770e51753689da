"""The interface that a platform implements.

A platform is one package. It is found by an entry point of the group `hntes.platforms` (see `registry`), whose name is
the platform's name in settings, stored models and rendered texts.
"""

from collections.abc import Iterable
from typing import Protocol, runtime_checkable

from hntes.platforms.capabilities import Capabilities
from hntes.platforms.conflict import Collision
from hntes.platforms.device import Device
from hntes.platforms.dialect import Dialect
from hntes.platforms.effective import EffectiveModel
from hntes.rules.qos.model import InterfaceBinding, RouterModel
from hntes.settings.delivery import Access


@runtime_checkable
class Platform(Protocol):
    """One router operating system: its limits, its configuration language, and how its routers are reached.

    A model names classes as the settings do. A platform whose class names are fixed renders its own name of a class's
    queue, and says in `expected` what `parse` finds.
    """

    @property
    def name(self) -> str:
        """The name of the entry point."""

    @property
    def capabilities(self) -> Capabilities: ...

    @property
    def dialect(self) -> Dialect: ...

    def problems(self, model: RouterModel) -> Iterable[str]:
        """One line for each thing in a valid model that the platform cannot take, beyond what its capabilities say."""

    def render(self, model: RouterModel) -> str:
        """The text of a model without problems, ending in a newline. Equal models give equal bytes."""

    def render_marked(self, model: RouterModel, dscp: int) -> str:
        """Queues alone, for a router to which pairs are announced by FlowSpec: the DSCP chooses the alpha queue."""

    def parse(self, text: str, interfaces: Iterable[InterfaceBinding], *, is_whole: bool) -> EffectiveModel:
        """What a text does; written apart from `render`. Arguments and errors are those of `parse.parse_config`."""

    def expected(self, model: RouterModel) -> EffectiveModel:
        """What the text of a model ought to do, from the model alone: `parse` of the text must give the same."""

    def conflicts(self, model: RouterModel, running: str) -> Iterable[Collision]:
        """Each statement of a running configuration that is in the way of a model's text. Raises ParseError."""

    def with_running(self, model: RouterModel, running: str) -> RouterModel:
        """The model as it stands in a running configuration without conflicts: with what stays behind its filters."""

    def kept_lines(self, running: str, candidate: str) -> list[str]:
        """The lines of a running configuration that stay in force once a candidate is loaded; the others are empty.

        Raises:
            ParseError: the lines of an earlier delivery cannot be told from others.
        """

    def connect(self, access: Access, timeout_s: int) -> Device:
        """A session with a router. Loads the drivers; raises UnreachableError, ImportError where they are missing."""
