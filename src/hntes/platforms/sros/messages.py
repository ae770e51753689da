"""ncclient's handler of SR OS routers."""

from typing import Any

from ncclient.devices.default import DefaultDeviceHandler

from hntes.platforms.netconf.messages import BASE_1_1, WholeMessages


class SrosMessages(DefaultDeviceHandler):  # type: ignore[misc]
    """ncclient's plain handler, restricted to NETCONF 1.0, which SR OS speaks as well."""

    def get_capabilities(self) -> list[str]:
        return [each for each in super().get_capabilities() if each != BASE_1_1]

    def get_xml_parser(self, session: Any) -> WholeMessages:
        return WholeMessages(session)
