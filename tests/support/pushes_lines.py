"""Pushes to an emulated router with a command line, asked in the test's own thread or over SSH."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from typing import Any, ClassVar

from hntes.platforms.cisco.channel import Channel, DeviceType, open_channel
from hntes.platforms.device import Device
from hntes.platforms.render import render
from hntes.settings.delivery import Access
from tests.support.devices.cisco.section import Section
from tests.support.devices.direct import DirectRouter
from tests.support.devices.farm import Farm
from tests.support.pushes import ANSWER_S, LOGIN_S, Bench, KilledError
from tests.support.qos_models import PAIRS, model

# For an answer of a router that is asked without a network: it is there at once, or not at all.
DIRECT_S = 0.05


def texts_of(platform: str) -> dict[str, str]:
    """The text before and the one after: between them everything changes that can."""
    return {
        "before": render(model(platform, pairs=PAIRS[:4])),
        "after": render(model(platform, "scavenger_policer", "next_hop", pairs=PAIRS[2:])),
    }


def served(router: Any, terminal: Callable[[Any, str], Any], farm: Farm | None) -> Any:
    """A router behind SSH with a farm, else asked in the test's own thread."""
    if farm is not None:
        return farm.serve(router, terminal=lambda user: terminal(router, user))
    return DirectRouter(router, lambda user: terminal(router, user))


@dataclass
class LinesBench(Bench):
    """One router with a command line; `device_type` is netmiko's name of its kind."""

    asking_at: ClassVar[int] = 0
    is_confirmed_by_any: ClassVar[bool] = False
    device_type: ClassVar[DeviceType]

    def opened(self) -> Device:
        channel = self._channel()
        channel.ask = partial(self._asked_channel, channel, channel.ask)  # type: ignore[method-assign]
        return self.device(channel)

    def device(self, channel: Channel) -> Device:
        """The platform's driver."""
        raise NotImplementedError

    @staticmethod
    def configured(name: str | None) -> Any:
        """A router with what is its operator's own and a text, by its name."""
        raise NotImplementedError

    @staticmethod
    def statements(root: Section) -> dict[str, list[str]]:
        """The lines of each section; in no order where it has no meaning."""
        raise NotImplementedError

    @property
    def is_on_trial(self) -> bool:
        """Whether the router goes back unless somebody confirms."""
        raise NotImplementedError

    @property
    def holds(self) -> str:
        self.router.settle()
        return self.name_of(self.router.running) + (" on trial" if self.is_on_trial else "")

    @classmethod
    def name_of(cls, root: Any) -> str:
        shown = cls.statements(root)
        return next((name for name in ("before", "after") if shown == cls._statements_of(name)), "neither")

    @classmethod
    @cache
    def _statements_of(cls, name: str) -> dict[str, list[str]]:
        return cls.statements(cls.configured(name).running)

    def shown(self) -> str:
        return "\n".join(self.router.running.lines())

    @classmethod
    def operators_own(cls) -> str:
        """What is left where HNTES never was, byte for byte."""
        return "\n".join(cls.configured(None).running.lines())

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
