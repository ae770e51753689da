"""What a platform reads of names and ports of a router from its configuration."""

from hntes.platforms import registry
from hntes.platforms.platform import Platform
from tests.contract.platform.case import PlatformCase, case_of
from tests.contract.platform.conftest import TOY_NAME


def test_ports_are_those_of_the_configuration(case: PlatformCase, implementation: Platform) -> None:
    found = implementation.inventory(case.running)
    assert found is not None
    assert found.ports
    for port in found.ports:
        assert port.name in case.ports
        assert port.rate_bps is None or port.rate_bps >= 10**8


def test_a_configuration_is_of_one_platform(platform: str, implementation: Platform) -> None:
    others = {*registry.installed_platforms(), TOY_NAME} - {platform}
    assert [name for name in others if implementation.inventory(case_of(name).running) is not None] == []
