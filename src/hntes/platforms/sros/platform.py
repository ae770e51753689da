"""The platform Nokia SR OS."""

from collections.abc import Iterable, Iterator, Sequence

from hntes.platforms.capabilities import Capabilities
from hntes.platforms.conflict import Collision
from hntes.platforms.device import Device
from hntes.platforms.dialect import Dialect
from hntes.platforms.effective import EffectiveModel
from hntes.platforms.lifelines import Lifeline
from hntes.platforms.proposal import Proposal
from hntes.platforms.running_ports import RunningRouter
from hntes.platforms.section import render_sections
from hntes.platforms.sros import expected, limits
from hntes.platforms.sros.capabilities import CAPABILITIES
from hntes.platforms.sros.conflicts import sros_collisions
from hntes.platforms.sros.dialect import DIALECT
from hntes.platforms.sros.embedding import with_operator_filters
from hntes.platforms.sros.inventory import running_inventory
from hntes.platforms.sros.kept_lines import kept_lines
from hntes.platforms.sros.lifelines import sros_lifelines
from hntes.platforms.sros.marked import marked_sections
from hntes.platforms.sros.parser.reader import read_sros
from hntes.platforms.sros.proposal import proposals
from hntes.platforms.sros.render import sros_sections
from hntes.rules.qos.model import InterfaceBinding, RouterModel
from hntes.settings.delivery import Access


class Sros:
    """Implements `hntes.platforms.platform.Platform`."""

    name = "sros"
    capabilities: Capabilities = CAPABILITIES
    dialect: Dialect = DIALECT

    def problems(self, model: RouterModel) -> Iterator[str]:
        return limits.problems(model)

    def render(self, model: RouterModel) -> str:
        return render_sections(sros_sections(model))

    def render_marked(self, model: RouterModel, dscp: int) -> str:
        return render_sections(marked_sections(model, dscp))

    def parse(
        self,
        text: str,
        interfaces: Iterable[InterfaceBinding],
        *,
        is_whole: bool,
        is_merged: bool = False,  # noqa: ARG002 - an operator's filter that embeds HNTES' own only drops
        keeps_classes: bool = False,  # noqa: ARG002 - classes are those of the hardware
    ) -> EffectiveModel:
        return read_sros(text, interfaces, is_whole)

    def expected(self, model: RouterModel) -> EffectiveModel:
        return expected.expected(model)

    def conflicts(self, model: RouterModel, running: str) -> Iterator[Collision]:
        return sros_collisions(model, running)

    def with_running(self, model: RouterModel, running: str) -> RouterModel:
        return with_operator_filters(model, running)

    def proposals(self, running: str, cores: Sequence[str]) -> Iterator[Proposal]:  # noqa: ARG002 - whatever it has
        return proposals()

    def lifelines(self, running: str) -> Iterator[Lifeline]:
        return sros_lifelines(running)

    def inventory(self, running: str) -> RunningRouter | None:
        return running_inventory(running)

    def kept_lines(self, running: str, candidate: str) -> list[str]:  # noqa: ARG002 - whatever the candidate is
        return kept_lines(running)

    def connect(self, access: Access, timeout_s: int) -> Device:
        from hntes.platforms.sros.session import open_sros

        return open_sros(access, timeout_s)


PLATFORM = Sros()
