"""The platform Junos."""

from collections.abc import Iterable, Iterator, Sequence

from hntes.platforms.capabilities import Capabilities
from hntes.platforms.conflict import Collision
from hntes.platforms.device import Device
from hntes.platforms.dialect import Dialect
from hntes.platforms.effective import EffectiveModel
from hntes.platforms.junos import expected, limits
from hntes.platforms.junos.adopted import with_adopted_class
from hntes.platforms.junos.capabilities import CAPABILITIES
from hntes.platforms.junos.conflicts import junos_collisions
from hntes.platforms.junos.dialect import DIALECT
from hntes.platforms.junos.input_filters import with_operator_filters
from hntes.platforms.junos.inventory import running_inventory
from hntes.platforms.junos.kept_lines import kept_lines
from hntes.platforms.junos.lifelines import junos_lifelines
from hntes.platforms.junos.marked import marked_sections
from hntes.platforms.junos.parser.reader import read_junos
from hntes.platforms.junos.proposal import proposals
from hntes.platforms.junos.render import junos_sections
from hntes.platforms.lifelines import Lifeline
from hntes.platforms.proposal import Proposal
from hntes.platforms.running_ports import RunningRouter
from hntes.platforms.section import render_sections
from hntes.rules.qos.model import InterfaceBinding, RouterModel
from hntes.settings.delivery import Access


class Junos:
    """Implements `hntes.platforms.platform.Platform`."""

    name = "junos"
    capabilities: Capabilities = CAPABILITIES
    dialect: Dialect = DIALECT

    def problems(self, model: RouterModel) -> Iterator[str]:
        return limits.problems(model)

    def render(self, model: RouterModel) -> str:
        return render_sections(junos_sections(model))

    def render_marked(self, model: RouterModel, dscp: int) -> str:
        return render_sections(marked_sections(model, dscp))

    def parse(
        self,
        text: str,
        interfaces: Iterable[InterfaceBinding],
        *,
        is_whole: bool,
        is_merged: bool = False,
        keeps_classes: bool = False,
    ) -> EffectiveModel:
        return read_junos(text, interfaces, is_whole, is_merged, keeps_classes)

    def expected(self, model: RouterModel) -> EffectiveModel:
        return expected.expected(model)

    def conflicts(self, model: RouterModel, running: str) -> Iterator[Collision]:
        return junos_collisions(model, running)

    def with_running(self, model: RouterModel, running: str) -> RouterModel:
        return with_adopted_class(with_operator_filters(model, running), running)

    def proposals(self, running: str, cores: Sequence[str]) -> Iterator[Proposal]:
        return proposals(running, cores)

    def lifelines(self, running: str) -> Iterator[Lifeline]:
        return junos_lifelines(running)

    def inventory(self, running: str) -> RunningRouter | None:
        return running_inventory(running)

    def kept_lines(self, running: str, candidate: str) -> list[str]:
        return kept_lines(running, candidate)

    def connect(self, access: Access, timeout_s: int) -> Device:
        from hntes.platforms.junos.session import open_junos

        return open_junos(access, timeout_s)


PLATFORM = Junos()
