"""The platform Arista EOS."""

from collections.abc import Iterable, Iterator, Sequence

from hntes.platforms.capabilities import Capabilities
from hntes.platforms.conflict import Collision
from hntes.platforms.device import Device
from hntes.platforms.dialect import Dialect
from hntes.platforms.effective import EffectiveModel
from hntes.platforms.eos import expected, limits
from hntes.platforms.eos.capabilities import CAPABILITIES
from hntes.platforms.eos.conflicts import eos_collisions
from hntes.platforms.eos.dialect import DIALECT
from hntes.platforms.eos.inventory import running_inventory
from hntes.platforms.eos.kept_lines import kept_lines
from hntes.platforms.eos.lifelines import eos_lifelines
from hntes.platforms.eos.parser.reader import read_eos
from hntes.platforms.eos.proposal import proposals
from hntes.platforms.eos.render import eos_sections
from hntes.platforms.lifelines import Lifeline
from hntes.platforms.proposal import Proposal
from hntes.platforms.running_ports import RunningRouter
from hntes.platforms.section import render_sections
from hntes.rules.qos.model import InterfaceBinding, ModelError, RouterModel
from hntes.settings.delivery import Access


class Eos:
    """Implements `hntes.platforms.platform.Platform`."""

    name = "eos"
    capabilities: Capabilities = CAPABILITIES
    dialect: Dialect = DIALECT

    def problems(self, model: RouterModel) -> Iterator[str]:
        return limits.problems(model)

    def render(self, model: RouterModel) -> str:
        return render_sections(eos_sections(model))

    def render_marked(self, model: RouterModel, dscp: int) -> str:  # noqa: ARG002 - whatever the model is
        raise ModelError([limits.NO_FLOWSPEC])

    def parse(
        self,
        text: str,
        interfaces: Iterable[InterfaceBinding],
        *,
        is_whole: bool,
        is_merged: bool = False,  # noqa: ARG002 - an edge has no traffic policy of the operator's
        keeps_classes: bool = False,  # noqa: ARG002 - classes are those of the hardware
    ) -> EffectiveModel:
        return read_eos(text, interfaces, is_whole)

    def expected(self, model: RouterModel) -> EffectiveModel:
        return expected.expected(model)

    def conflicts(self, model: RouterModel, running: str) -> Iterator[Collision]:
        return eos_collisions(model, running)

    def with_running(self, model: RouterModel, running: str) -> RouterModel:  # noqa: ARG002 - nothing stays behind
        return model

    def proposals(self, running: str, cores: Sequence[str]) -> Iterator[Proposal]:  # noqa: ARG002 - whatever it has
        return proposals()

    def lifelines(self, running: str) -> Iterator[Lifeline]:
        return eos_lifelines(running)

    def inventory(self, running: str) -> RunningRouter | None:
        return running_inventory(running)

    def kept_lines(self, running: str, candidate: str) -> list[str]:  # noqa: ARG002 - whatever the candidate is
        return kept_lines(running)

    def connect(self, access: Access, timeout_s: int) -> Device:
        from hntes.platforms.eos.session import open_eos

        return open_eos(access, timeout_s)


PLATFORM = Eos()
