"""Memory of IOS-XR routers: 64 bits where the release has them, and the processor's pools alone."""

from hntes.platforms.iosxr.load import LOAD
from hntes.platforms.load import Part, load_of

POOL, IMAGE = (2, 1), (2, 3)
NARROW = {
    "cpmCPUTotal1minRev": {(2,): "3"},
    "cempMemPoolType": {POOL: "2", IMAGE: "12"},
    "cempMemPoolUsed": {POOL: "900", IMAGE: "50"},
    "cempMemPoolFree": {POOL: "100", IMAGE: "0"},
    "cempMemPoolHCUsed": {},
    "cempMemPoolHCFree": {},
}


def test_a_release_without_64_bits_is_read() -> None:
    assert load_of(LOAD, NARROW).memory == Part("cempMemPoolUsed.2.1", 90)


def test_where_32_bits_are_too_few_they_do_not_count() -> None:
    full = {POOL: str(2**32 - 1)}
    wide = {"cempMemPoolHCUsed": {POOL: "30000000000"}, "cempMemPoolHCFree": {POOL: "2000000000"}}
    answers = {**NARROW, "cempMemPoolUsed": full, "cempMemPoolFree": {POOL: "2000000000"}, **wide}
    assert load_of(LOAD, answers).memory == Part("cempMemPoolHCUsed.2.1", 93.75)
