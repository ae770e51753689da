"""Routers with an operator's class of service, and plans that keep it."""

from dataclasses import replace
from pathlib import Path
from typing import Any

from hntes.gate import Subject
from hntes.platforms.conflicts import check_conflicts
from hntes.platforms.render import render
from hntes.rules.changeset.candidate import Candidate
from hntes.rules.pairs import PrefixPair
from hntes.rules.qos.build import build_model
from hntes.rules.qos.model import RouterModel
from hntes.settings.model import Router
from hntes.settings.plans import TwoQueue
from hntes.workflow.stages.judge import candidate_subject

FOLDER = Path(__file__).parents[1] / "data" / "adopt"
LISTINGS = {path.stem: path.read_text(encoding="utf-8") for path in sorted(FOLDER.glob("*.conf"))}
PORTS = {
    "junos": ("xe-0/0/0", "xe-0/1/0"),
    "iosxr": ("TenGigE0/0/0/0", "TenGigE0/0/0/1"),
    "iosxe": ("TenGigabitEthernet0/0/0", "TenGigabitEthernet0/0/1"),
}
PAIRS = (
    PrefixPair.parse("198.18.10.0/24>203.0.113.0/24"),
    PrefixPair.parse("198.18.20.7/32>203.0.113.0/24"),
)
RATE_BPS = 10_000_000_000


def plan_of(platform: str = "junos", *, plan: dict[str, Any] | None = None, **router: Any) -> RouterModel:
    """A plan of two queues with two IPv4 pairs; `router` are further keys of `[[routers]]`, as `adopt`."""
    edge, core = PORTS[platform]
    made = Router.model_validate(
        {
            "name": "r1", "platform": platform, "flow_folder": "flows", "running_config": "r1.conf",
            "interfaces": [
                {"name": edge, "role": "edge", "rate_bps": RATE_BPS, "ip_versions": [4]},
                {"name": core, "role": "core", "rate_bps": RATE_BPS, "ip_versions": [4]},
            ],
            **router,
        }
    )  # fmt: skip
    return build_model(made, TwoQueue.model_validate({"kind": "two_queue", **(plan or {})}), PAIRS)


def subject_of(model: RouterModel, running: str) -> Subject:
    """What the gate judges of a plan beside a running configuration."""
    made = check_conflicts(model, running)
    return replace(candidate_subject(Candidate(made, render(made))), running=running)
