"""IOS-XR, as a platform."""

from collections.abc import Iterable, Iterator

from hntes.platforms.capabilities import Capabilities
from hntes.platforms.cisco.kept_lines import kept_lines
from hntes.platforms.cisco.marked import marked_sections
from hntes.platforms.conflict import Collision
from hntes.platforms.device import Device
from hntes.platforms.dialect import Dialect
from hntes.platforms.effective import EffectiveModel
from hntes.platforms.iosxr import conflicts, dialect, expected, limits, parser
from hntes.platforms.iosxr.capabilities import CAPABILITIES
from hntes.platforms.iosxr.render import iosxr_sections
from hntes.platforms.section import render_sections
from hntes.rules.qos.model import InterfaceBinding, RouterModel
from hntes.settings.delivery import Access

_MARKED_NOTE = "Load into the target configuration and commit once."


class IosXr:
    """Implements `hntes.platforms.platform.Platform`."""

    name = "iosxr"
    capabilities: Capabilities = CAPABILITIES
    dialect: Dialect = dialect.DIALECT

    def problems(self, model: RouterModel) -> Iterator[str]:
        return limits.problems(model)

    def render(self, model: RouterModel) -> str:
        return render_sections(iosxr_sections(model))

    def render_marked(self, model: RouterModel, dscp: int) -> str:
        return render_sections(marked_sections(iosxr_sections(model), model, dscp, _MARKED_NOTE))

    def parse(self, text: str, interfaces: Iterable[InterfaceBinding], *, is_whole: bool) -> EffectiveModel:
        return parser.parse(text, interfaces, is_whole=is_whole)

    def expected(self, model: RouterModel) -> EffectiveModel:
        return expected.expected(model)

    def conflicts(self, model: RouterModel, running: str) -> Iterator[Collision]:
        return conflicts.conflicts(model, running)

    def with_running(self, model: RouterModel, running: str) -> RouterModel:  # noqa: ARG002 - nothing stays behind
        return model

    def kept_lines(self, running: str, candidate: str) -> list[str]:  # noqa: ARG002 - nothing else is displaced
        return kept_lines(running)

    def transition(self, delivered: str | None, approved: str | None) -> str:
        return dialect.transition(delivered, approved)

    def connect(self, access: Access, timeout_s: int) -> Device:
        from hntes.platforms.iosxr.session import open_iosxr

        return open_iosxr(access, timeout_s)


PLATFORM = IosXr()
