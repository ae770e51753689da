"""What Arista's own YANG says of values in EOS texts, for each release that is there.

Arista's modules are of a switch's state, with names of their own, and have no statement of the command line; so no text
can be judged by them. They do say which values queues and counters have. They are not part of HNTES: HNTES_YANG names a
folder with a folder per release below `eos`, as in aristanetworks/yang.
"""

import os
import re
from pathlib import Path

import pytest

from hntes.platforms.eos.limits import MAX_THRESHOLD_BYTES
from tests.support.yang.models import VARIABLE

pytestmark = pytest.mark.long

FOLDER = Path(os.environ.get(VARIABLE, "/nowhere")) / "eos"
MODELS = Path("experimental") / "eos" / "models"
RELEASES = sorted(path.name for path in FOLDER.glob("*") if (path / MODELS).is_dir())
BITS = {"uint8": 8, "uint32": 32, "uint64": 64}


@pytest.fixture(params=RELEASES or ["none"])
def models(request: pytest.FixtureRequest) -> Path:
    if not RELEASES:
        pytest.skip(f"{VARIABLE} names no folder with releases of Arista's models below eos")
    return FOLDER / str(request.param) / MODELS


def block(text: str, head: str) -> str:
    """What stands in the braces behind a statement such as `grouping X`."""
    start = text.index(f"{head} {{") + len(head) + 2
    depth = 1
    for at in range(start, len(text)):
        depth += {"{": 1, "}": -1}.get(text[at], 0)
        if not depth:
            return text[start:at]
    raise AssertionError(head)


def largest(text: str, leaf: str) -> int:
    """The largest number of a leaf of an unsigned type."""
    found = re.search(r"type (\w+);", block(text, f"leaf {leaf}"))
    assert found is not None
    return int(2 ** BITS[found[1]] - 1)


def test_a_queue_has_a_share_in_per_cent_and_is_round_robin_or_strict(models: Path) -> None:
    text = (models / "qos" / "arista-exp-eos-qos-config.yang").read_text()
    queue = block(block(text, "grouping Qos-IntfConfig"), "list txQueueConfig")
    assert "Qos::Percent" in block(queue, "leaf bandwidth")
    assert largest(queue, "bandwidth") >= 100
    assert "uses Qos-EcnWredConfig" in block(queue, "container wredConfig")
    kinds = set(re.findall(r"enum (\w+) ", block(text, "typedef Qos-TxQueuePriority")))
    assert {"priorityRoundRobin", "priorityStrict"} <= kinds


def test_thresholds_are_numbers_of_32_bits_in_bytes(models: Path) -> None:
    text = (models / "qos" / "arista-exp-eos-qos-config.yang").read_text()
    drops = block(text, "grouping Qos-EcnWredConfig")
    assert largest(drops, "minThd") == largest(drops, "maxThd") == MAX_THRESHOLD_BYTES
    assert largest(drops, "maxDroprate") >= 100
    assert "bytes" in re.findall(r"enum (\w+) ", block(text, "typedef Qos-QueueThresholdUnit"))


def test_rules_count_packets_and_octets(models: Path) -> None:
    text = (models / "arista-traffic-policy.yang").read_text()
    counted = block(text, "grouping traffic-policy-counter-data")
    assert largest(counted, "matched-packets") == largest(counted, "matched-octets") == 2**64 - 1
