"""Memory of IOS-XE routers: that of the processor, and IOS' own within it."""

from hntes.platforms.iosxe.load import LOAD
from hntes.platforms.load import Part, load_of

ANSWERS = {
    "cpmCPUTotal1minRev": {(7,): "3"},
    "cpmCPUMemoryUsed": {(7,): "4294967295"},
    "cpmCPUMemoryFree": {(7,): "0"},
    "cpmCPUMemoryHCUsed": {(7,): "6000000"},
    "cpmCPUMemoryHCFree": {(7,): "10000000"},
    "ciscoMemoryPoolUsed": {(1,): "200", (2,): "99", (20,): "6294304"},
    "ciscoMemoryPoolFree": {(1,): "800", (2,): "1", (20,): "824"},
}


def test_64_bits_count_where_there_are_some() -> None:
    assert load_of(LOAD, ANSWERS).memory == Part("cpmCPUMemoryHCUsed.7", 37.5)


def test_an_ios_that_is_full_counts_within_a_processor_that_is_not() -> None:
    full = {**ANSWERS, "ciscoMemoryPoolUsed": {(1,): "950"}, "ciscoMemoryPoolFree": {(1,): "50"}}
    assert load_of(LOAD, full).memory == Part("ciscoMemoryPoolUsed.1", 95)


def test_a_router_with_one_of_the_tables_alone_is_read() -> None:
    none: dict[tuple[int, ...], str] = {}
    pools = {name: rows if name[:3] != "cpm" or "Total" in name else none for name, rows in ANSWERS.items()}
    assert load_of(LOAD, pools).memory == Part("ciscoMemoryPoolUsed.1", 20)
