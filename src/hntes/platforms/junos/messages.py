"""ncclient's handler of Junos routers."""

from typing import Any

from ncclient.devices.junos import JunosDeviceHandler

from hntes.platforms.netconf.messages import BASE_1_1, WholeMessages


class JunosMessages(JunosDeviceHandler):  # type: ignore[misc]
    """ncclient's Junos handler, restricted to NETCONF 1.0."""

    def get_capabilities(self) -> list[str]:
        return [each for each in super().get_capabilities() if each != BASE_1_1]

    def get_xml_parser(self, session: Any) -> WholeMessages:
        return WholeMessages(session)
