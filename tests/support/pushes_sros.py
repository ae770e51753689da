"""Pushes to an emulated SR OS router."""

from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from random import Random
from typing import Any, ClassVar

import pytest

from hntes.platforms.device import Device
from hntes.platforms.render import render
from hntes.platforms.sros.session import open_sros
from hntes.settings.delivery import Access
from tests.support.devices.farm import Farm
from tests.support.devices.sros.datastore import enter
from tests.support.devices.sros.device import DeniedError, SrosRouter
from tests.support.devices.sros.rpc import SrosSession
from tests.support.pushes import ANSWER_S, LOGIN_S, Bench
from tests.support.qos_models import PAIRS, model
from tests.support.waiting import wait_until

# What an operator has there: ports, interfaces, a policy of his own and a filter on egress.
OPERATORS_OWN = """
configure {
    filter {
        ip-filter "guard" {
            default-action accept
            entry 10 {
                match {
                    src-ip {
                        address 192.0.2.0/24
                    }
                }
                action {
                    drop
                }
            }
        }
    }
    port 1/1/c1/1 {
        description "to the campus, hntes-alpha"
        ethernet {
            encap-type dot1q
        }
    }
    port 1/1/c2/1 {
        admin-state enable
    }
    port 1/1/c3/1 {
    }
    qos {
        network-queue "own" {
            fc ef {
                queue 6
            }
            queue 6 {
                mbs 10.0
            }
        }
    }
    router "Base" {
        interface "to-site" {
            port 1/1/c1/1:100
            egress {
                filter {
                    ip "guard"
                }
            }
        }
        interface "core-1" {
            port 1/1/c2/1
        }
        interface "peer-1" {
            port 1/1/c3/1
        }
    }
    system {
        name "r1"
    }
}
"""
BEFORE, AFTER = model("sros", pairs=PAIRS[:4]), model("sros", pairs=PAIRS[2:])
TEXTS = {"before": render(BEFORE), "after": render(AFTER)}


@dataclass
class SrosBench(Bench):
    """An SR OS router that holds the text before, behind NETCONF."""

    texts: ClassVar[dict[str, str]] = TEXTS
    stores_apart: ClassVar[bool] = True
    alices_own: ClassVar[str] = "qos network-queue hntes queue 5 rate cir 50"
    alices_own_shown: ClassVar[str] = r"- .*rate cir 55\n\+ .*rate cir 50"
    alices_elsewhere: ClassVar[str] = "system name elsewhere"

    def drawn_request(self, draw: Random) -> int:
        """Of a push or, since an undisturbed one has fewer, after it."""
        return draw.randint(1, 20)

    def changed_by_alice(self, lines: str) -> None:
        """What somebody else commits and saves, once the router has noticed that the session before has ended."""
        wait_until(lambda: self.router.lock_holder is None, "nobody has the router's configuration locked")
        session = self.router.open("alice")
        enter(self.router.edited(session), f"configure {{\n{lines}\n}}")
        self.router.commit(session)
        self.router.save()
        self.router.close(session)

    def alice_commits(self) -> None:
        """Somebody else would commit during a trial, and is refused."""
        with pytest.raises(DeniedError):
            self.router.commit(self.router.open("alice"))

    def opened(self) -> Device:
        key = self.served.host_key
        access = Access(address=self.served.host, port=self.served.port, user="hntes", host_key=key)
        device = open_sros(access, LOGIN_S)
        device._client.timeout = ANSWER_S
        device._ask = partial(self._asked, device._ask)  # type: ignore[method-assign]
        return device

    @property
    def holds(self) -> str:
        return self.name_of(self.router.running) + (" on trial" if self.router.pending else "")

    @property
    def starts_with(self) -> str:
        return self.name_of(self.router.startup)

    def shown(self) -> str:
        return str(self.router.text())

    @staticmethod
    def operators_own() -> str:
        return SrosRouter.with_text("r1", OPERATORS_OWN).text()

    def commits(self) -> list[Any]:
        return [self.router.running, *self.router.history]

    @staticmethod
    def name_of(root: Any) -> str:
        return next((name for name in TEXTS if root == _configured(name).committed), "neither")


def sros_bench(farm: Farm, folder: Path) -> SrosBench:
    """A router that holds the text before, and what is its operator's own."""
    router = SrosRouter.with_text("r1", OPERATORS_OWN, TEXTS["before"])
    return SrosBench(folder, router, farm.serve(router, netconf=lambda user: SrosSession(router, user)))


@cache
def _configured(name: str) -> SrosRouter:
    return SrosRouter.with_text("r1", OPERATORS_OWN, TEXTS[name])
