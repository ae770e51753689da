"""Every family of hardware: each fact has a source; its text means what is asked for, and is delivered."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from hntes.platforms.expected import effective_of
from hntes.platforms.hardware import Hardware
from hntes.platforms.hardware_findings import hardware_findings
from hntes.platforms.hardware_fit import hardware_of, on_hardware
from hntes.platforms.parse import parse_config
from hntes.platforms.registry import platform_of
from hntes.platforms.render import render
from hntes.platforms.structure import check_structure
from hntes.platforms.validate import problems
from tests.contract.platform.case import case_of
from tests.support import vendor_grammar
from tests.support.devices.farm import Farm
from tests.support.hardware import FAMILIES, hardware_model
from tests.support.qos_models import PAIRS

GOLDEN = Path(__file__).parent.parent.parent / "golden"


def family(platform: str, hardware: str) -> Hardware:
    found = hardware_of(platform, hardware)
    assert found is not None
    return found


@pytest.mark.parametrize(("language", "hardware"), FAMILIES)
def test_each_fact_names_its_source(language: str, hardware: str) -> None:
    found = family(language, hardware)
    assert found.stated <= set(found.sources)
    assert all(len(each) > 15 for each in found.sources.values())


def test_families_are_found_by_their_files_alone() -> None:
    root = Path(__file__).parents[3] / "src" / "hntes" / "platforms"
    files = {(path.parent.parent.name, path.stem) for path in root.glob("*/hardware/*.py") if path.stem != "__init__"}
    assert len(files) == len(FAMILIES) == len({name for _, name in FAMILIES})
    for path in root.glob("*.py"):
        named = [name for _, name in FAMILIES if re.search(rf"[\"']{name}[\"']", path.read_text(encoding="utf-8"))]
        assert named == [], path.name


@pytest.mark.parametrize(("language", "hardware"), FAMILIES)
def test_the_plan_in_the_form_of_the_hardware(
    language: str, hardware: str, golden: Callable[[Path, str], None]
) -> None:
    made = hardware_model(language, hardware)
    assert problems(made) == []
    text = render(made)
    golden(GOLDEN / language / f"hardware-{hardware}" / "expected.conf", text)
    vendor_grammar.parse(language, text)
    found = on_hardware(parse_config(language, text, made.interfaces), family(language, hardware))
    assert found == effective_of(made)
    assert list(hardware_findings(found, family(language, hardware))) == []
    assert check_structure(found, PAIRS, alpha_queue=4, port_buffer_ms=made.port_buffer_ms) == []


@pytest.mark.parametrize(("language", "hardware"), FAMILIES)
def test_its_text_is_delivered_and_taken_back(
    language: str, hardware: str, farm: Farm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HNTES_ROUTER_PASSWORD", "secret")
    bench = case_of(language).bench
    assert bench is not None
    routed, made = bench(farm, tmp_path), hardware_model(language, hardware)
    dialect = platform_of(language).dialect
    others = dialect.foreign(routed.shown())
    routed.texts = {"before": routed.texts["before"], "after": render(made)}  # type: ignore[misc]
    assert routed.push().outcome == "done"
    assert dialect.owned(routed.shown()) == dialect.part_of(routed.texts["after"])
    assert dialect.foreign(routed.shown()) == others
    assert routed.push(before="after", after="before").outcome == "done"
    assert dialect.owned(routed.shown()) == dialect.part_of(routed.texts["before"])
