"""NETCONF sessions whose answers a test alters, or gives although nothing was done."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from lxml import etree

from tests.support.devices.junos.device import JunosRouter
from tests.support.devices.junos.rpc import Answer, NetconfSession

_REPLY = re.compile(r"(<rpc-reply[^>]*>)(.*)(</rpc-reply>)", re.DOTALL)


@dataclass
class Altered:
    """By operation: how the body of an answer is altered, and the body that is given while nothing is done.

    Operations are named as in the request; of `commit-configuration` they are `check`, `trial` and `confirm`.
    """

    bodies: dict[str, Callable[[str], str]] = field(default_factory=dict)
    idle: dict[str, str] = field(default_factory=dict)


class AlteredSession(NetconfSession):
    """One session."""

    def __init__(self, router: JunosRouter, user: str, altered: Altered) -> None:
        super().__init__(router, user)
        self._altered = altered

    def answer(self, request: str) -> Answer:
        name = _operation(request)
        if (body := self._altered.idle.get(name)) is not None:
            return self._reply(request, body)
        answer = super().answer(request)
        alter = self._altered.bodies.get(name)
        found = _REPLY.fullmatch(answer.text)
        if alter is None or found is None:
            return answer
        return Answer(f"{found[1]}{alter(found[2])}{found[3]}", answer.closes)


def _operation(request: str) -> str:
    rpc = etree.fromstring(request.encode())
    if etree.QName(rpc).localname != "rpc":
        return ""
    name = etree.QName(rpc[0]).localname
    if name != "commit-configuration":
        return name
    return (
        "check" if rpc[0].find("check") is not None else "trial" if rpc[0].find("confirmed") is not None else "confirm"
    )
