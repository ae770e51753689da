"""The toy, as a platform."""

import re
from collections.abc import Iterable, Iterator, Sequence
from ipaddress import ip_network

from hntes.platforms.capabilities import Capabilities, NameLengths
from hntes.platforms.conflict import Collision
from hntes.platforms.device import Device
from hntes.platforms.device_errors import UnreachableError
from hntes.platforms.dialect import Dialect
from hntes.platforms.effective import EffectiveModel
from hntes.platforms.lifelines import Lifeline
from hntes.platforms.proposal import Proposal
from hntes.platforms.running_ports import RunningPort, RunningRouter
from hntes.rules.qos.model import InterfaceBinding, RouterModel
from hntes.rules.qos.policer_rates import PolicerRates
from hntes.settings.delivery import Access
from tests.contract.platform.toy import dialect, expected, parser, render


class Toy:
    """Implements `hntes.platforms.platform.Platform`."""

    name = "toy"
    dialect: Dialect = dialect.DIALECT
    capabilities = Capabilities(
        commit_model="candidate",
        counters="pair",
        queues=8,
        queue_priorities=("low", "medium-low", "medium-high", "high", "strict-high"),
        burst_bytes=range(1_000, 1_000_000_001),
        redirect_kinds=frozenset({"next_hop"}),
        lsp_redirect_keys=(),
        policer_rates=PolicerRates((("kbps", 1_000),), 100_000_000),
        name_lengths=NameLengths(forwarding_class=24, filter=30, reservation=40),
        max_reservations=10,
        interface_name=re.compile(r"[a-z]+-[0-9/]+"),
        delivers=False,
    )

    def problems(self, _: RouterModel) -> Iterator[str]:
        yield from ()

    def render(self, model: RouterModel) -> str:
        return render.render(model)

    def render_marked(self, model: RouterModel, dscp: int) -> str:
        return render.render_marked(model, dscp)

    def parse(
        self,
        text: str,
        interfaces: Iterable[InterfaceBinding],
        *,
        is_whole: bool,
        is_merged: bool = False,  # noqa: ARG002 - the toy has no filters of an operator's
        keeps_classes: bool = False,  # noqa: ARG002 - nor classes
    ) -> EffectiveModel:
        return parser.parse(text, interfaces, is_whole=is_whole)

    def expected(self, model: RouterModel) -> EffectiveModel:
        return expected.expected(model)

    def conflicts(self, model: RouterModel, running: str) -> Iterator[Collision]:
        lines = list(enumerate(running.splitlines(), 1))
        for name in sorted({each.name for each in model.interfaces}):
            if not any(line.split()[:2] == ["port", name] for _, line in lines):
                yield Collision(0, f"port {name}", "is missing: is the file the router's whole configuration?")
        cores = {each.name for each in model.interfaces if each.is_core}
        for number, line in lines:
            if line.split()[0] == "own-queues" and line.split()[-1] in cores:
                yield Collision(number, line, "is in the place of HNTES's queues")

    def with_running(self, model: RouterModel, _: str) -> RouterModel:
        return model

    def proposals(self, running: str, cores: Sequence[str]) -> tuple[Proposal, ...]:  # noqa: ARG002
        return ()

    def lifelines(self, running: str) -> tuple[Lifeline, ...]:
        return tuple(
            Lifeline(ip_network(line.split()[1]), "loopback", number)
            for number, line in enumerate(running.splitlines(), 1)
            if line.startswith("loopback ")
        )

    def inventory(self, running: str) -> RunningRouter | None:
        named = [line.split()[1] for line in running.splitlines() if line.startswith("port ")]
        return RunningRouter("", frozenset(), tuple(map(RunningPort, named))) if named else None

    def kept_lines(self, running: str, _: str) -> list[str]:
        return ["" if line.startswith("hntes ") else line for line in running.split("\n")]

    def connect(self, access: Access, timeout_s: int) -> Device:
        raise UnreachableError(f"{access.address}: there is no such router ({timeout_s} s)")


PLATFORM = Toy()
