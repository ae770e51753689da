"""Pushes to an emulated router with a command line, asked in the test's own thread or over SSH."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from hntes.platforms.cisco.channel import Channel, DeviceType, open_channel
from hntes.platforms.device import Device
from hntes.settings.delivery import Access
from tests.support.devices.direct import DirectRouter
from tests.support.pushes import ANSWER_S, LOGIN_S, Bench, KilledError

# For an answer of a router that is asked without a network: it is there at once, or not at all.
DIRECT_S = 0.05


@dataclass
class LinesBench(Bench):
    """One router with a command line; `device_type` is netmiko's name of its kind."""

    asking_at: ClassVar[int] = 0
    device_type: ClassVar[DeviceType]

    def opened(self) -> Device:
        channel = self._channel()
        channel.ask = partial(self._asked_channel, channel, channel.ask)  # type: ignore[method-assign]
        return self.device(channel)

    def device(self, channel: Channel) -> Device:
        """The platform's driver."""
        raise NotImplementedError

    def shown(self) -> str:
        return "\n".join(self.router.running.lines())

    def _channel(self) -> Channel:
        if isinstance(self.served, DirectRouter):
            return Channel(self.served.connect("hntes"), DIRECT_S)
        key = self.served.host_key
        access = Access(address=self.served.host, port=self.served.port, user="hntes", host_key=key)
        channel = open_channel(access, LOGIN_S, self.device_type)
        channel.timeout_s = ANSWER_S
        return channel

    def _asked_channel(self, channel: Channel, ask: Callable[..., str], *line: str) -> str:
        """A process that is killed says nothing more: its connection ends."""
        try:
            return str(self._asked(ask, *line))
        except KilledError:
            channel.close()
            raise
