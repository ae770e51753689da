"""Writes what the gate finds with hosts of each kind into docs/reference/gate-hosts.md: a table, and what it says.

`python -m scripts.compare_gate_hosts scripts/gate_hosts.toml`, after a change of the simulator or the gate; takes
minutes. The file lists the texts. Runs are kept in var/simulations. tests/long compares.
"""

import argparse
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from hntes.gate import BetaPeak, JudgedPlan, Lab, Verdict, judge_plans, planned_ports
from hntes.gate.criteria import BETA, DELAY, FAIRNESS, ORDER, THROUGHPUT, SimulatedCriterion
from hntes.gate.verdict import value_words
from hntes.gate.verdict_figure import WORDS
from hntes.platforms.parse import parse_config
from hntes.settings.hosts import HOST_PROFILES, HostProfile
from hntes.settings.model import Gate
from hntes.settings.plans import Plan, ScavengerPolicer, SingleQueue, TwoQueue, WredPolicer
from hntes.simulator import RunFolder
from tests.support.gate_subjects import ROOT, SIMULATIONS, small_model, subject_of

PAGE = ROOT / "docs" / "reference" / "gate-hosts.md"
BEGIN, END = "<!-- verdicts: begin -->\n", "<!-- verdicts: end -->\n"
# Short runs: what is harmful shows within seconds. Shares do not, and are left out: of criterion 6 there remains what
# is discarded on purpose, which only marking does.
# Beta's loss beside criterion 3's loads is that of criterion 5 at the same load.
GATE = Gate(run_s=20, fairness_run_s=40, beta_loads_pct=(30.0,), round_trips_ms=(2.0,))
LEFT_OUT = ("jain_index", "longer_path_share", "beta_loss_beside_30_pct")
# Policers do not touch beta: with them its delay and loss are those of two queues.
CRITERIA: Mapping[str, tuple[SimulatedCriterion, ...]] = {
    "two_queue": (THROUGHPUT, ORDER, DELAY, BETA),
    "single_queue": (THROUGHPUT, ORDER, DELAY, BETA),
    "scavenger_policer": (THROUGHPUT, ORDER),
    "wred_policer": (THROUGHPUT, ORDER, FAIRNESS),
}
PLANS: Mapping[str, Plan] = {
    "two_queue": TwoQueue(kind="two_queue"),
    "single_queue": SingleQueue(kind="single_queue"),
    "scavenger_policer": ScavengerPolicer(kind="scavenger_policer"),
    "wred_policer": WredPolicer(kind="wred_policer"),
}
HEADER = ("plan", "text", "measure", "hosts of 2010", "hosts of today")


@dataclass(frozen=True)
class Text:
    """A plan as a platform renders it, and what the table calls that text."""

    plan: str
    platform: str
    words: str


def main() -> None:
    """Judges all plans with both kinds of hosts, a minute of processor time, and writes the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("texts", type=Path, help="a file such as scripts/gate_hosts.toml")
    texts = read_texts(parser.parse_args().texts)
    page = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(with_verdicts(page, compared(texts, Lab(RunFolder(SIMULATIONS), workers=1))), encoding="utf-8")


def with_verdicts(page: str, text: str) -> str:
    """The page with the text between its markers."""
    before, found, rest = page.partition(BEGIN)
    _, closed, after = rest.partition(END)
    if not (found and closed):
        raise ValueError(f"{PAGE.name} lacks the markers {BEGIN.strip()} and {END.strip()}")
    return f"{before}{BEGIN}\n{text}\n{END}{after}"


def read_texts(path: Path) -> list[Text]:
    """The texts of a file; each plan is one of PLANS."""
    return [Text(**each) for each in tomllib.loads(path.read_text(encoding="utf-8"))["texts"]]


def compared(texts: Iterable[Text], lab: Lab) -> str:
    """The table in Markdown, then the sentences on measures whose outcome is another with other hosts."""
    rows, told = [HEADER, ("---",) * len(HEADER)], []
    for text in texts:
        of_hosts = [_verdicts(text, (hosts,), lab) for hosts in HOST_PROFILES]
        for old, new, worse in zip(*of_hosts, _verdicts(text, HOST_PROFILES, lab), strict=True):
            differs = old.outcome != new.outcome
            measure = f"{old.criterion}: {old.measure.replace('_', ' ')}"
            rows.append((text.plan, text.words, measure, _cell(old, differs=differs), _cell(new, differs=differs)))
            if differs:
                told.append(f"- `{text.plan}`, {text.words}: {worse.sentence}")
    return "\n".join([f"| {' | '.join(row)} |" for row in rows] + ["", *told]) + "\n"


def _verdicts(text: Text, hosts: tuple[HostProfile, ...], lab: Lab) -> Iterator[Verdict]:
    subject = subject_of(small_model(text.platform, PLANS[text.plan]))
    model = parse_config(subject.platform, subject.text, subject.interfaces)
    (port,) = planned_ports(model, subject.pairs, alpha_queue=subject.alpha_queue, port_buffer_ms=100)
    gate = GATE.model_copy(update={"tcp_profiles": hosts})
    judged = JudgedPlan(port, gate, BetaPeak(gate.beta_peak_pct, is_measured=True))
    return (each for each in judge_plans([judged], lab, CRITERIA[text.plan]) if each.measure not in LEFT_OUT)


def _cell(verdict: Verdict, *, differs: bool) -> str:
    told = ", ".join(filter(None, (WORDS[verdict.outcome], value_words(verdict.value, verdict.unit))))
    return f"**{told}**" if differs else told


if __name__ == "__main__":
    main()
