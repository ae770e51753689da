"""An installation whose r1 is delivered to by FlowSpec, by the command line."""

from hntes.delivery.flowspec.nlri import Community
from tests.support.installation import Installation

COMMUNITY = Community(64512, 17)
SECTION = """
  [routers.flowspec]
  speaker = "127.0.0.1:50051"
  neighbor = "192.0.2.1"
  dscp = 10
  community = "64512:17"
"""
_KINDS = ("push", "loaded", "verified", "remove")


def approve(site: Installation) -> str:
    (entry,) = [each for each in site.json("change", "list") if each["router"] == "r1"]
    site.run("change", "approve", "--router", "r1", "--hash", entry["candidate_hash"], "--who", "anna")
    return str(entry["candidate_hash"])


def log(site: Installation) -> list[str]:
    events = site.json("audit", "--router", "r1")
    return [f"{each['kind']} {each['outcome']}".strip() for each in events if each["kind"] in _KINDS]
