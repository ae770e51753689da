"""The platform IOS-XR."""

from hntes.platforms.cisco.platform import CiscoPlatform
from hntes.platforms.device import Device
from hntes.platforms.iosxr.bindings import bindings
from hntes.platforms.iosxr.capabilities import CAPABILITIES
from hntes.platforms.iosxr.conflicts import conflicts
from hntes.platforms.iosxr.dialect import DIALECT
from hntes.platforms.iosxr.expected import IosXrBehaviour
from hntes.platforms.iosxr.limits import problems
from hntes.platforms.iosxr.render import iosxr_sections
from hntes.platforms.iosxr.syntax import SYNTAX
from hntes.settings.delivery import Access


def _opened(access: Access, timeout_s: int) -> Device:
    """Opens a session; the drivers are imported with the first one."""
    from hntes.platforms.iosxr.session import open_iosxr

    return open_iosxr(access, timeout_s)


PLATFORM = CiscoPlatform(
    capabilities=CAPABILITIES,
    dialect=DIALECT,
    syntax=SYNTAX,
    limits=problems,
    sections=iosxr_sections,
    bindings=bindings,
    behaviour=IosXrBehaviour,
    collisions=conflicts,
    opened=_opened,
    load_note="Load into the target configuration and commit once.",
)
