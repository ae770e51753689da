"""Settings for removals from an emulated router, and the files that a delivery to it has left."""

import json

from hntes.files import write_text
from hntes.platforms.render import render
from hntes.rules.changeset.candidate import Candidate, write_candidate
from hntes.rules.pairs import PrefixPair
from hntes.settings import Settings
from tests.support.pushes import Bench
from tests.support.qos_models import PAIRS, model
from tests.support.qos_models import router as settings_router

DELIVERED = PAIRS[:4]


def settings_for(routed: Bench, platform: str) -> Settings:
    """Of the router `wr` alone, which is the emulated one."""
    access = {"address": routed.served.host, "port": routed.served.port, "user": "hntes"}
    router = settings_router(platform, delivery=access | {"host_key": routed.served.host_key})
    return Settings.model_validate(
        {
            "paths": {"output": routed.folder / "output"},
            "delivery": {"timeout_s": 60},
            "routers": [router.model_dump(exclude_unset=True)],
        }
    )


def less(platform: str, *gone: PrefixPair) -> Candidate:
    """The text before of the benches, less some of its pairs."""
    made = model(platform, pairs=[each for each in DELIVERED if each not in gone])
    return Candidate(made, render(made))


def hand_over(settings: Settings, platform: str) -> Candidate:
    """What a delivery leaves on disk of the text that the benches hold."""
    folder, candidate = settings.paths.output / "wr", less(platform)
    write_candidate(folder, candidate)
    write_text(folder / "approved" / f"{candidate.hash}.conf", candidate.text)
    manifest = {"platform": platform, "sha256": candidate.hash}
    write_text(folder / "approved" / "manifest.json", json.dumps(manifest))
    return candidate
