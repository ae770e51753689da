"""Transitions of random histories on platforms that prepare a change as a whole: SR OS in a candidate, EOS in a
configuration session.

Each line is taken, and none acts before the commit. After it the router holds the approved text, and packets of pairs,
walked through what it holds, are in the class of the text. A withdrawal leaves what was there, byte for byte.
"""

from collections.abc import Callable, Iterator

import pytest
from hypothesis import event, given
from hypothesis import strategies as st

from hntes.platforms.transition import removal, transition
from hntes.rules.qos.model import FilterTerm, InterfaceBinding, RouterModel
from tests.contract.platform.case import case_of
from tests.support.device_walker import eos_walk, sros_walk
from tests.support.devices.eos.cli import EosTerminal, typed
from tests.support.devices.eos.device import EosRouter
from tests.support.devices.sros.datastore import enter
from tests.support.devices.sros.device import SrosRouter
from tests.support.examples import examples
from tests.support.histories import histories
from tests.support.packet_walker import Packet, Walked


class SrosCandidate:
    """An SR OS router, changed over NETCONF's candidate."""

    def __init__(self, running: str) -> None:
        self.router = SrosRouter.with_text("wr", running)

    def shown(self) -> str:
        return self.router.text()

    def commit(self, commands: str) -> None:
        session, before = self.router.open("hntes"), self.shown()
        self.router.lock(session)
        for each in _statements(commands):
            enter(self.router.edited(session), each)
            assert self.shown() == before, f"acts before the commit: {each}"
        self.router.validate()
        self.router.commit(session)
        self.router.close(session)

    def walk(self, interface: InterfaceBinding, packet: Packet) -> Walked:
        assert interface.logical is not None
        return sros_walk(self.router.running, interface.logical, packet)


class EosSession:
    """An EOS router, changed over a configuration session."""

    def __init__(self, running: str) -> None:
        self.router = EosRouter("wr")
        typed(self.router, running)

    def shown(self) -> str:
        return "\n".join(self.router.running.lines())

    def commit(self, commands: str) -> None:
        terminal, before = EosTerminal(self.router, "hntes"), self.shown()
        for line in ("configure session hntes", *commands.splitlines()):
            assert "%" not in terminal.enter(line), f"not taken: {line}"
            assert self.shown() == before, f"acts before the commit: {line}"
        assert "%" not in terminal.enter("commit")
        self.router.sessions.clear()

    def walk(self, interface: InterfaceBinding, packet: Packet) -> Walked:
        unit = f".{interface.unit}" if interface.unit else ""
        return eos_walk(self.router.running, f"{interface.name}{unit}", packet)


CHANGED_AS_A_WHOLE: dict[str, Callable[[str], SrosCandidate | EosSession]] = {"sros": SrosCandidate, "eos": EosSession}


def _statements(commands: str) -> Iterator[str]:
    """The commands in pieces that can be entered alone: blocks of the top with all that they hold."""
    block: list[str] = []
    for line in commands.splitlines():
        block.append(line)
        if sum(each.rstrip().endswith("{") for each in block) == sum(each.strip() == "}" for each in block):
            yield "\n".join(block)
            block = []
    assert not block


def _packets(model: RouterModel) -> Iterator[tuple[InterfaceBinding, Packet, FilterTerm]]:
    """A packet of each term on each edge, and the term that decides over it: the first that it meets."""
    for interface in model.interfaces:
        for each in model.filters:
            if interface.is_edge and each.ip_version in interface.ip_versions:
                for term in each.all_terms:
                    source, destination = term.source[-1], term.destination[-1]
                    first = next(
                        one for one in each.all_terms if source in one.source and destination in one.destination
                    )
                    yield interface, (str(source), str(destination)), first


@pytest.mark.parametrize("platform", CHANGED_AS_A_WHOLE)
@given(data=st.data())
@examples(0.1)
def test_no_line_acts_before_the_commit_and_each_pair_is_then_where_its_text_has_it(
    platform: str, data: st.DataObject
) -> None:
    on = CHANGED_AS_A_WHOLE[platform](case_of(platform).running)
    start, delivered = on.shown(), None
    for approved in data.draw(histories(platform)):
        on.commit(transition(platform, delivered, approved.text))
        delivered = approved.text
        fresh = CHANGED_AS_A_WHOLE[platform](case_of(platform).running)
        fresh.commit(transition(platform, None, approved.text))
        assert sorted(on.shown().splitlines()) == sorted(fresh.shown().splitlines())
        assert approved.model is not None
        for interface, packet, term in _packets(approved.model):
            found = on.walk(interface, packet)
            wanted = approved.model.queue_for(term.forwarding_class) or 0
            assert (found.is_dropped, found.queue) == (False, wanted), (interface.name, packet)
        event(f"pairs: {bool(approved.pairs)}")
    assert delivered is not None
    on.commit(removal(platform, delivered))
    assert on.shown() == start
