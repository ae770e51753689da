"""Rendered texts are accepted by emulated routers that do not share code with the renderer."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.devices.cisco.iosxe import XeRouter
from tests.support.devices.cisco.iosxe_cli import XeTerminal
from tests.support.devices.cisco.iosxr import XrRouter
from tests.support.devices.cisco.iosxr_cli import XrTerminal
from tests.support.devices.eos.cli import EosTerminal
from tests.support.devices.eos.device import EosRouter
from tests.support.devices.junos.device import JunosRouter
from tests.support.devices.sros.datastore import enter
from tests.support.devices.sros.device import SrosRouter
from tests.support.qos_models import PLATFORMS

GOLDEN = Path(__file__).resolve().parents[2] / "golden"
# The operator's filter that one of the texts lists behind its own.
OPERATORS_FILTER = "firewall { family inet { filter CUSTOMERS { term all { then accept; } } } }"


TEXTS = [path for each in PLATFORMS for path in sorted((GOLDEN / each).glob("*/expected.conf"))]


def complaints(
    terminal: XeTerminal | XrTerminal | EosTerminal, path: Path, mode: str = "configure terminal"
) -> list[str]:
    """Lines behind which a router prints more than its prompt."""
    terminal.enter(mode)
    return [line for line in path.read_text(encoding="utf-8").splitlines() if "\n" in terminal.enter(line)]


def _loaded_on_junos(path: Path) -> None:
    router = JunosRouter.with_text("r1", OPERATORS_FILTER)
    session = router.open("hntes")
    assert router.load(session, path.read_text(encoding="utf-8"), "replace") == []
    router.commit(session)
    again = router.open("hntes")
    assert router.load(again, path.read_text(encoding="utf-8"), "replace") == []
    assert router.compared(again) == ""


def _typed_on_iosxe(path: Path) -> None:
    router = XeRouter("r1")
    terminal = XeTerminal(router, "hntes")
    assert complaints(terminal, path) == []
    once = list(router.running.lines())
    terminal.enter("end")
    assert complaints(terminal, path) == []
    assert list(router.running.lines()) == once


def _committed_on_iosxr(path: Path) -> None:
    router = XrRouter("r1")
    terminal = XrTerminal(router, "hntes")
    assert complaints(terminal, path) == []
    assert "%" not in terminal.enter("commit")
    terminal.enter("abort")
    assert complaints(terminal, path) == []
    changes = terminal.enter("show commit changes diff").splitlines()
    assert not [line for line in changes if line.startswith(("+", "-"))]


def _committed_on_sros(path: Path) -> None:
    router = SrosRouter.with_text("r1", "")
    session = router.open("hntes")
    enter(router.edited(session), path.read_text(encoding="utf-8"))
    router.validate()
    router.commit(session)
    once = router.text()
    enter(router.edited(session), path.read_text(encoding="utf-8"))
    router.commit(session)
    assert router.text() == once


def _committed_on_eos(path: Path) -> None:
    router = EosRouter("r1")
    terminal = EosTerminal(router, "hntes")
    assert complaints(terminal, path, "configure session once") == []
    assert terminal.enter("commit") == "r1#"
    once = list(router.running.lines())
    assert complaints(terminal, path, "configure session again") == []
    assert terminal.enter("commit") == "r1#"
    assert list(router.running.lines()) == once


# What a router of each platform is asked: to take a text, and to take it again without a change.
TAKEN: dict[str, Callable[[Path], None]] = {
    "junos": _loaded_on_junos,
    "iosxe": _typed_on_iosxe,
    "iosxr": _committed_on_iosxr,
    "sros": _committed_on_sros,
    "eos": _committed_on_eos,
}


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: f"{path.parent.parent.name}-{path.parent.name}")
def test_a_router_takes_it_and_changes_nothing_the_second_time(path: Path) -> None:
    TAKEN[path.parent.parent.name](path)


def test_each_platform_has_such_texts() -> None:
    assert min(sum(path.is_relative_to(GOLDEN / each) for path in TEXTS) for each in PLATFORMS) >= 9
