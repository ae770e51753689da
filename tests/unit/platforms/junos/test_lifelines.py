"""Lifelines are found in each form in which a router lists its configuration."""

import pytest

from hntes.platforms.junos.lifelines import junos_lifelines

CURLY = """interfaces { lo0 { unit 0 { family inet { address 192.0.2.1/32; } } } }
protocols { bgp { group a { neighbor 192.0.2.9; } } }
"""
AS_SET = """set interfaces lo0 unit 0 family inet address 192.0.2.1/32
set protocols bgp group a neighbor 192.0.2.9
"""


@pytest.mark.parametrize("text", [CURLY, AS_SET], ids=["curly", "set"])
def test_they_are_found_in_each_form(text: str) -> None:
    found = {(str(each.prefix), each.what) for each in junos_lifelines(text)}
    assert found == {("192.0.2.1/32", "loopback"), ("192.0.2.9/32", "BGP neighbor")}
