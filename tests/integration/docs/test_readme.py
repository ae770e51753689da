"""The configuration that README shows is what is rendered."""

import re
from pathlib import Path

from hntes.platforms.render import render
from hntes.rules.pairs import PrefixPair
from hntes.rules.qos.build import build_model
from hntes.settings.reader import read_settings

ROOT = Path(__file__).resolve().parents[3]


def test_the_excerpt_is_rendered_from_the_settings_of_the_demonstration() -> None:
    shown = re.search(r"^```\n( +/\* .*?)^```$", (ROOT / "README.md").read_text(encoding="utf-8"), re.DOTALL | re.M)
    assert shown
    settings = read_settings(ROOT / "demo" / "hntes.toml")
    router = settings.router("r1")
    pairs = [PrefixPair.parse("198.18.10.0/24>203.0.113.0/24")]
    text = render(build_model(router, settings.plans[router.plan], pairs))
    first, second = shown[1].split("...\n")
    assert first in text
    assert second in text
