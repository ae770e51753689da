"""Answers of a hostile router whose XML entities grow tenfold with each level ("billion laughs")."""

import re
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from hntes.platforms.junos.session import JunosDevice
from hntes.platforms.sros.session import SrosDevice
from hntes.platforms.sros.xml_form import CONFIGURATION

# 10^LEVELS words where all are expanded; few, since the XML library itself refuses what grows beyond megabytes.
LEVELS = 2
_ENTITIES = "".join(f"<!ENTITY e{n} '{f'&e{n - 1};' * 10}'>" for n in range(1, LEVELS + 1))
DTD = f"<!DOCTYPE rpc-reply [<!ENTITY e0 'laughs '>{_ENTITIES}]>"


def on_junos(text: str) -> str:
    answer = f"{DTD}<rpc-reply><configuration-text>{text}</configuration-text></rpc-reply>"
    client: Any = SimpleNamespace(rpc=lambda _: answer)
    return JunosDevice(client).running()


def on_sros(text: str) -> str:
    inner = f'<configure xmlns="{CONFIGURATION}"><system><name>{text}</name></system></configure>'
    answer = f"{DTD}<rpc-reply><data>{inner}</data></rpc-reply>"
    client: Any = SimpleNamespace(get_config=lambda **_: answer)
    return SrosDevice(client).running()


@pytest.mark.parametrize(("read", "text"), [(on_junos, "system { host-name x; }"), (on_sros, "x")])
def test_an_answer_with_a_document_type_is_read(read: Callable[[str], str], text: str) -> None:
    assert re.search(r"name[ \"]+x", read(text))


@pytest.mark.parametrize("read", [on_junos, on_sros])
def test_its_entities_are_not_expanded(read: Callable[[str], str]) -> None:
    found = read(f"system {{ host-name x; }} &e{LEVELS};")
    assert "host-name x" in found
    assert "laughs" not in found
