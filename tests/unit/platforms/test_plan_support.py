"""Each plan on each platform and hardware has a text that is read back, or a refusal with source and remedy."""

import re
from pathlib import Path

import pytest

from hntes.platforms.expected import effective_of
from hntes.platforms.hardware_fit import on_hardware
from hntes.platforms.parse import parse_config
from hntes.platforms.registry import platform_of
from hntes.platforms.render import render
from tests.contract.platform.case import case_of
from tests.contract.platform.models import supports
from tests.support.plan_support import COLUMNS, ROWS, model_for, refusals, section
from tests.support.qos_models import PLANS

ROOT = Path(__file__).parents[3]
GOLDEN = ROOT / "tests" / "golden"
# What a vendor wrote, or that no text of his was read; in the sentence's last brackets.
SOURCES = {
    "sros": r"nokia-(conf|types)-[a-z-]+, ",
    "eos": r"EOS( User Manual)?, ",
    "junos": r"Juniper ",
    "iosxr": r"Cisco |known, no public text was read for it",
}
REMEDY = re.compile(r"choose |use another plan|set \w+_priority")


def goldens(platform: str) -> set[str]:
    """The names of golden texts, whichever way their folders are spelled."""
    return {path.parent.name.replace("-", "_") for path in GOLDEN.glob(f"{platform}/*/expected.conf")}


@pytest.mark.parametrize(("platform", "hardware"), ROWS)
def test_a_plan_is_read_back_or_refused_with_source_and_remedy(platform: str, hardware: str) -> None:
    families = {each.name: each for each in platform_of(platform).capabilities.hardware}
    for name, plan in COLUMNS.items():
        refused = refusals(platform, hardware, plan)
        if not refused:
            made = model_for(platform, hardware, plan)
            found = parse_config(platform, render(made), made.interfaces)
            assert on_hardware(found, families.get(hardware)) == effective_of(made), name
        for each in refused:
            assert re.search(rf"\((?:[^()]*: )?(?:{SOURCES[platform]}).*\)", each), each
            assert REMEDY.search(each), each


@pytest.mark.parametrize("platform", sorted({platform for platform, _ in ROWS}))
def test_each_plan_of_the_suite_has_a_golden_text_or_is_refused(platform: str) -> None:
    """The cases say what is refused; they are compared with the code, and may name nothing else."""
    found = goldens(platform)
    for name, plan in PLANS.items():
        refused = refusals(platform, "", plan)
        assert bool(refused) is not supports(platform, name), name
        assert refused or f"{name}_none" in found, name
        said = case_of(platform).refused.get(name) or case_of(platform).refused.get(f"{name}-none")
        assert said is None or any(said in each for each in refused)


def test_the_table_of_the_reference_is_that_of_the_code() -> None:
    text = (ROOT / "docs" / "reference" / "plans.md").read_text(encoding="utf-8")
    _, _, below = text.partition("## Platforms\n")
    lines = section()
    start = below.index(lines[0])
    assert below[start:].split("\n\n## ")[0].rstrip().splitlines() == lines
