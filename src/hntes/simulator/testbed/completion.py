"""The testbed's parameters for all that a scenario leaves out."""

from dataclasses import replace

from hntes.simulator.scenario import (
    Flow,
    Host,
    HostOptions,
    Link,
    Parameters,
    Port,
    PriorityWfq,
    RouterParameters,
    Scenario,
    UdpOptions,
    UdpTraffic,
    overlaid,
)
from hntes.simulator.testbed.files import TESTBED_PROFILE, load_parameters
from hntes.simulator.testbed.port_plan import scheduler


def completed(scenario: Scenario, parameters: Parameters | None = None) -> Scenario:
    """A copy in which every host, link, port and flow has the parameters that it does not give itself.

    `tcp.profile` chooses the TCP of hosts where `parameters` do not.

    Raises:
        KeyError: There is no such profile.
    """
    common = parameters or load_parameters(scenario.tcp.profile or TESTBED_PROFILE)
    return replace(
        scenario,
        tcp=overlaid(common.tcp, scenario.tcp),
        hosts=tuple(_host(host, common.host) for host in scenario.hosts),
        links=tuple(_link(link, common.router) for link in scenario.links),
        ports=tuple(_port(port, common.router) for port in scenario.ports),
        flows=tuple(_flow(flow, common.udp) for flow in scenario.flows),
    )


def _host(host: Host, common: HostOptions) -> Host:
    return Host(**{**vars(common), **{name: value for name, value in vars(host).items() if value is not None}})


def _link(link: Link, router: RouterParameters) -> Link:
    return replace(
        link,
        buffer_bytes=router.buffer_bytes if link.buffer_bytes is None else link.buffer_bytes,
        reopen_bytes=router.reopen_bytes if link.reopen_bytes is None else link.reopen_bytes,
    )


def _port(port: Port, router: RouterParameters) -> Port:
    usual = scheduler(router, "work_conserving")
    is_usual = port.scheduler is None or port.scheduler == PriorityWfq()
    return replace(
        port,
        scheduler=usual if is_usual else port.scheduler,
        buffer_bytes=router.buffer_bytes if port.buffer_bytes is None else port.buffer_bytes,
        reopen_bytes=router.reopen_bytes if port.reopen_bytes is None else port.reopen_bytes,
    )


def _flow(flow: Flow, common: UdpOptions) -> Flow:
    if not isinstance(flow.traffic, UdpTraffic):
        return flow
    given = {name: value for name, value in vars(flow.traffic).items() if value is not None}
    return replace(flow, traffic=UdpTraffic(**{**vars(common), **given}))
