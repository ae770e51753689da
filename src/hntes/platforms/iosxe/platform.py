"""The platform IOS-XE."""

from hntes.platforms.cisco.platform import CiscoPlatform
from hntes.platforms.device import Device
from hntes.platforms.iosxe.bindings import bindings
from hntes.platforms.iosxe.capabilities import CAPABILITIES
from hntes.platforms.iosxe.conflicts import conflicts
from hntes.platforms.iosxe.dialect import DIALECT
from hntes.platforms.iosxe.expected import IosXeBehaviour
from hntes.platforms.iosxe.limits import problems
from hntes.platforms.iosxe.render import iosxe_sections
from hntes.platforms.iosxe.syntax import SYNTAX
from hntes.settings.delivery import Access


def _opened(access: Access, timeout_s: int) -> Device:
    """Opens a session; the drivers are imported with the first one."""
    from hntes.platforms.iosxe.session import open_iosxe

    return open_iosxe(access, timeout_s)


PLATFORM = CiscoPlatform(
    capabilities=CAPABILITIES,
    dialect=DIALECT,
    syntax=SYNTAX,
    limits=problems,
    sections=iosxe_sections,
    bindings=bindings,
    behaviour=IosXeBehaviour,
    collisions=conflicts,
    opened=_opened,
    load_note="Type line by line in configuration mode.",
)
