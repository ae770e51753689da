"""MD-CLI text to XML and back: through an emulated datastore that knows neither the templates nor the list of keys."""

import pytest
from lxml import etree

from hntes.platforms.device_errors import DeliveryError
from hntes.platforms.render import render
from hntes.platforms.sros.dialect import DIALECT
from hntes.platforms.sros.xml_form import CONFIGURATION, edits_of, text_of
from hntes.platforms.transition import removal, transition
from tests.contract.platform.models import all_models
from tests.support.devices.sros.device import SrosRouter
from tests.support.devices.sros.rpc import SrosSession
from tests.support.pushes_sros import OPERATORS_OWN
from tests.support.qos_models import PAIRS, model


def edited(router: SrosRouter, commands: str) -> None:
    session = SrosSession(router, "anna")
    for config in edits_of(commands):
        request = f'<rpc message-id="1"><edit-config><target><candidate/></target>{config}</edit-config></rpc>'
        assert "<ok/>" in session.answer(request).text
    assert "<ok/>" in session.answer('<rpc message-id="2"><commit/></rpc>').text


def shown(router: SrosRouter) -> str:
    request = '<rpc message-id="1"><get-config><source><running/></source></get-config></rpc>'
    answer = etree.fromstring(SrosSession(router, "anna").answer(request).text.encode())
    configure = next(answer.iter(f"{{{CONFIGURATION}}}configure"))
    return text_of(configure)


def test_every_text_is_loaded_and_withdrawn_by_xml() -> None:
    empty = SrosRouter.with_text("r1", OPERATORS_OWN).text()
    for name, made in all_models("sros"):
        router, text = SrosRouter.with_text("r1", OPERATORS_OWN), render(made)
        edited(router, transition("sros", None, text))
        assert DIALECT.owned(shown(router)) == DIALECT.part_of(text), name
        assert DIALECT.foreign(shown(router)) == DIALECT.foreign(empty), name
        edited(router, removal("sros", text))
        assert router.text() == empty, name


def test_a_listing_of_the_router_and_its_xml_say_the_same() -> None:
    router = SrosRouter.with_text("r1", OPERATORS_OWN, render(model("sros", pairs=PAIRS[:3])))
    for part in (DIALECT.owned, DIALECT.foreign):
        assert part(shown(router)) == part(router.text())


@pytest.mark.parametrize(
    "commands",
    ["system name elsewhere", "delete router Base bgp", "qos {\n    sap-ingress hntes {\n        queue 1\n    }\n}"],
)
def test_what_hntes_does_not_write_is_not_loaded(commands: str) -> None:
    with pytest.raises(DeliveryError, match="is no statement that HNTES loads"):
        edits_of(commands)


def test_an_empty_value_and_one_with_blanks_are_one_word() -> None:
    configure = etree.fromstring(
        f'<configure xmlns="{CONFIGURATION}"><system><name>a "b" {{</name><empty/></system></configure>'
    )
    assert text_of(configure) == 'configure {\n    system {\n        name "a \\"b\\" {"\n        empty\n    }\n}\n'
