"""The testbed's experiments, and the scenarios of their configurations."""

from dataclasses import dataclass

from hntes.simulator.scenario import (
    Action,
    Conditioner,
    Flow,
    Host,
    HostOptions,
    Link,
    Parameters,
    PingTraffic,
    Port,
    Queue,
    RouterParameters,
    Rule,
    Scenario,
    TcpTraffic,
    ToClass,
    Traffic,
    UdpTraffic,
    overlaid,
)
from hntes.simulator.testbed.files import (
    Configuration,
    ExperimentFile,
    ExperimentFlow,
    FlowChange,
    Testbed,
    TestbedLink,
    TestbedPolicer,
    Variant,
    load_experiment_file,
    load_parameters,
    load_testbed,
    published_parameters,
)
from hntes.simulator.testbed.port_plan import PortPlan, discipline, policer_conditioner, scheduler

GBPS = 1e9


@dataclass(frozen=True)
class Case:
    """One configuration of an experiment under one variant of its traffic; the variant may be empty."""

    experiment: "Experiment"
    configuration: str
    variant: str

    @property
    def name(self) -> str:
        """Such as `experiment3/2-queues/udp-1`."""
        return "/".join(part for part in (self.experiment.name, self.configuration, self.variant) if part)

    @property
    def experiment_name(self) -> str:
        """The number of the experiment, as text."""
        return str(self.experiment.number)

    def flows(self) -> dict[str, ExperimentFlow]:
        """The flows of this case by name, with the changes of configuration and variant."""
        changes = (self._configuration, self._variant)
        without = {name for change in changes for name in change.without}
        flows = {name: flow for name, flow in self.experiment.file.flows.items() if name not in without}
        for change in changes:
            for name, changed in change.flows.items():
                flows[name] = _changed(flows[name], changed)
        return flows

    def scenario(self, seed: int, parameters: Parameters | None = None, plan: PortPlan | None = None) -> Scenario:
        """The scenario for the engine.

        Args:
            seed: Seed of all random streams.
            parameters: In place of those of the published runs (`published_parameters`): hosts alike, those of another
                kernel (`load_parameters`), or a study's.
            plan: In place of the configuration's queues: the same flows through another port, of hosts alike.
        """
        parameters = parameters or (published_parameters() if plan is None else load_parameters())
        testbed, router = load_testbed(), parameters.router
        duration_s = float(self.experiment.file.duration_s)
        return Scenario(
            name=self.name if plan is None else f"{self.experiment.name}/plan",
            duration_s=duration_s,
            seed=seed,
            hosts=tuple(self._host(name, parameters) for name in testbed.hosts),
            routers=testbed.routers,
            links=tuple(_link(link, router) for link in testbed.links),
            ports=(self._port(testbed, router) if plan is None else self._planned_port(plan, router),),
            tcp=parameters.tcp,
            profiles=parameters.profiles,
            flows=tuple(_flow(name, flow, duration_s, parameters) for name, flow in self.flows().items()),
        )

    @property
    def _configuration(self) -> Configuration:
        return self.experiment.file.configurations[self.configuration]

    @property
    def _variant(self) -> Variant:
        return self.experiment.file.variants.get(self.variant, Variant())

    def _host(self, name: str, parameters: Parameters) -> Host:
        own = (parameters.hosts.get(name, HostOptions()), self._variant.hosts.get(name, HostOptions()))
        return Host(name=name, **vars(overlaid(parameters.host, *own)))

    def _port(self, testbed: Testbed, router: RouterParameters) -> Port:
        configuration, flows = self._configuration, self.flows()
        at, to = self.experiment.file.port
        policing = configuration.policing
        queues = tuple(
            Queue(
                class_=name,
                rate_share_pct=rate_share_pct,
                buffer_share_pct=configuration.buffer_shares[name],
                priority=testbed.priority[name],
                discipline=discipline(router, drops_marked=policing == "wred" and name == "alpha"),
            )
            for name, rate_share_pct in configuration.rate_shares.items()
        )
        single = "shared" if "shared" in configuration.rate_shares else None
        return Port(
            at=at,
            to=to,
            buffer_bytes=router.buffer_bytes,
            scheduler=scheduler(router, configuration.sharing),
            reopen_bytes=router.reopen_bytes,
            queues=queues,
            classifier=tuple(Rule(single or flow.class_, flow=name) for name, flow in flows.items()),
            default_class=single or "beta",
            conditioners=(_conditioner(testbed.policer, policing),) if policing else (),
        )

    def _planned_port(self, plan: PortPlan, router: RouterParameters) -> Port:
        at, to = self.experiment.file.port
        return plan.port(at, to, router, {name: flow.class_ for name, flow in self.flows().items()})


@dataclass(frozen=True)
class Experiment:
    """An experiment: its flows, its configurations, and the variants of its traffic."""

    number: int
    file: ExperimentFile

    @property
    def name(self) -> str:
        """Such as `experiment3`."""
        return f"experiment{self.number}"

    def cases(self) -> list[Case]:
        """All configurations under all variants."""
        variants = list(self.file.variants) or [""]
        return [
            Case(self, configuration, variant) for configuration in self.file.configurations for variant in variants
        ]

    def case(self, configuration: str, variant: str = "") -> Case:
        """One of them; raises KeyError for a name there is not."""
        if configuration not in self.file.configurations:
            raise KeyError(f"{self.name} has no configuration {configuration!r}")
        if variant and variant not in self.file.variants:
            raise KeyError(f"{self.name} has no variant {variant!r}")
        return Case(self, configuration, variant)


def load_experiment(number: int) -> Experiment:
    """One of the experiments 1 to 7."""
    return Experiment(number, load_experiment_file(number))


def _changed(flow: ExperimentFlow, change: FlowChange) -> ExperimentFlow:
    given = {name: value for name, value in vars(change).items() if value is not None}
    return ExperimentFlow(**{**vars(flow), **given})


def _link(link: TestbedLink, router: RouterParameters) -> Link:
    return Link(
        link.from_,
        link.to,
        link.rate_gbps * GBPS,
        link.delay_us,
        buffer_bytes=router.buffer_bytes,
        reopen_bytes=router.reopen_bytes,
    )


def _conditioner(policer: TestbedPolicer, policing: str) -> Conditioner:
    red: Action = "pass" if policing == "wred" else ToClass(policing)
    rate_bps = policer.rate_gbps * GBPS
    return policer_conditioner("alpha", rate_bps, policer.burst_bytes, per_flow=policer.per_flow, red=red)


def _flow(name: str, flow: ExperimentFlow, duration_s: float, parameters: Parameters) -> Flow:
    return Flow(
        name=name,
        from_=flow.from_,
        to=flow.to,
        intervals_s=flow.intervals_s or ((0, duration_s),),
        traffic=_traffic(flow, parameters),
    )


def _traffic(flow: ExperimentFlow, parameters: Parameters) -> Traffic:
    if flow.kind == "tcp":
        return TcpTraffic(flow.congestion, profile=flow.from_ if flow.from_ in parameters.profiles else None)
    if flow.kind == "udp":
        return UdpTraffic(rate_bps=flow.rate_gbps * GBPS, **vars(parameters.udp))
    return PingTraffic(flow.interval_s)
