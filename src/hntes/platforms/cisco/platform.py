"""The common platform class of IOS-XR and IOS-XE, parameterised by their differences."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from hntes.platforms.capabilities import Capabilities
from hntes.platforms.cisco.adopted import with_adopted_class
from hntes.platforms.cisco.carried import carrier_of
from hntes.platforms.cisco.expected import CiscoBehaviour
from hntes.platforms.cisco.inventory import running_inventory
from hntes.platforms.cisco.kept_lines import kept_lines
from hntes.platforms.cisco.lifelines import cisco_lifelines
from hntes.platforms.cisco.marked import marked_sections
from hntes.platforms.cisco.parser.reader import Bindings, read_cisco
from hntes.platforms.cisco.proposal import proposals
from hntes.platforms.cisco.syntax import CiscoSyntax
from hntes.platforms.conflict import Collision
from hntes.platforms.device import Device
from hntes.platforms.dialect import Dialect
from hntes.platforms.effective import EffectiveModel
from hntes.platforms.expected import assembled
from hntes.platforms.lifelines import Lifeline
from hntes.platforms.proposal import Proposal
from hntes.platforms.running_ports import RunningRouter
from hntes.platforms.section import Section, render_sections
from hntes.rules.qos.model import InterfaceBinding, RouterModel
from hntes.settings.delivery import Access


@dataclass(frozen=True)
class CiscoPlatform:
    """Implements `hntes.platforms.platform.Platform`.

    Attributes:
        limits: Implements `problems`.
        sections: The sections of a rendered text, in order.
        bindings: The interface statements that bind a program.
        behaviour: The expected behaviour of a model.
        collisions: Implements `conflicts`.
        opened: Implements `connect`.
        load_note: The instruction to load a text of queues alone.
    """

    capabilities: Capabilities
    dialect: Dialect
    syntax: CiscoSyntax
    limits: Callable[[RouterModel], Iterator[str]]
    sections: Callable[[RouterModel], list[Section]]
    bindings: Bindings
    behaviour: Callable[[RouterModel], CiscoBehaviour]
    collisions: Callable[[RouterModel, str], Iterator[Collision]]
    opened: Callable[[Access, int], Device]
    load_note: str

    @property
    def name(self) -> str:
        return self.dialect.platform

    def problems(self, model: RouterModel) -> Iterator[str]:
        return self.limits(model)

    def render(self, model: RouterModel) -> str:
        return render_sections(self.sections(model))

    def render_marked(self, model: RouterModel, dscp: int) -> str:
        return render_sections(marked_sections(self.sections(model), model, dscp, self.load_note))

    def parse(
        self,
        text: str,
        interfaces: Iterable[InterfaceBinding],
        *,
        is_whole: bool,
        is_merged: bool = False,
        keeps_classes: bool = False,
    ) -> EffectiveModel:
        return read_cisco(self.syntax, self.bindings, text, interfaces, is_whole, is_merged, keeps_classes)

    def expected(self, model: RouterModel) -> EffectiveModel:
        return assembled(model, self.behaviour(model), carrier_of(model))

    def conflicts(self, model: RouterModel, running: str) -> Iterator[Collision]:
        return self.collisions(model, running)

    def with_running(self, model: RouterModel, running: str) -> RouterModel:
        return with_adopted_class(model, running, self.syntax.default_match)

    def proposals(self, running: str, cores: Sequence[str]) -> Iterator[Proposal]:
        return proposals(running, cores, self.syntax.default_match, self.capabilities.queues)

    def lifelines(self, running: str) -> Iterator[Lifeline]:
        return cisco_lifelines(running)

    def inventory(self, running: str) -> RunningRouter | None:
        return running_inventory(running, self.syntax.lists.ipv4_head[0])

    def kept_lines(self, running: str, candidate: str) -> list[str]:  # noqa: ARG002 - nothing else is displaced
        return kept_lines(running)

    def connect(self, access: Access, timeout_s: int) -> Device:
        return self.opened(access, timeout_s)
