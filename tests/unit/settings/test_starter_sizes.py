"""What ports carried, in the comments of a first settings file: in the unit that fits."""

from pathlib import Path

import pytest

from hntes.settings.starter import FoundPort, FoundRouter, router_blocks


@pytest.mark.parametrize(
    ("left_bytes", "entered_bytes", "words"),
    [
        (10_124_300_000, 78_589_900, "in the newest files 10.1 GB out and 78.6 MB in"),
        (12_345_678_900_000, 0, "in the newest files 12.3 TB out and 0 B in"),
        (999_600_000, 1_500, "in the newest files 1 GB out and 1.5 kB in"),
    ],
)
def test_what_a_port_carried_has_the_unit_that_fits(left_bytes: int, entered_bytes: int, words: str) -> None:
    port = FoundPort(501, left_bytes, entered_bytes)
    router = FoundRouter(Path("flows"), "192.0.2.1", 1, (port,), 300)
    lines = router_blocks([router], 300, is_table=False)
    (line,) = (each for each in lines if "snmp_index" in each)
    assert line.endswith(words)
