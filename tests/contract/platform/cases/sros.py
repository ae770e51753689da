"""Nokia SR OS."""

from pathlib import Path

from hntes.platforms.load import Part, RouterLoad
from hntes.platforms.sros.dialect import DIALECT
from tests.contract.platform.case import PlatformCase
from tests.support.devices.sros.datastore import enter, shown

PORTS = ("1/1/c1/1", "1/1/c2/1", "1/1/c3/1")
LOGICAL = ("to-site", "core-1", "peer-1")
RUNNING = """\
# TiMOS-B-26.3.R1 both/x86_64 Nokia 7750 SR-1
configure {
    port 1/1/c1 {
        connector {
            breakout c1-10g
        }
    }
    port 1/1/c1/1 {
        admin-state enable
        description "to the site, hntes-alpha"
        ethernet {
            mode hybrid
            encap-type dot1q
        }
    }
    port 1/1/c2/1 {
        admin-state enable
        ethernet {
            mtu 9212
        }
    }
    port 1/1/c3/1 {
        admin-state enable
    }
    qos {
        network "wan" {
            policy-id 10
            ingress {
                default-action {
                    fc be
                    profile out
                }
                dscp nc1 {
                    fc h1
                    profile in
                }
            }
        }
    }
    router "Base" {
        interface "to-site" {
            port 1/1/c1/1:100
            ipv4 {
                primary {
                    address 192.0.2.21
                    prefix-length 30
                }
            }
            ipv6 {
                address 2001:db8:fffe::1 {
                    prefix-length 64
                }
            }
            qos {
                network-policy "wan"
            }
        }
        interface "core-1" {
            port 1/1/c2/1
            ipv4 {
                primary {
                    address 192.0.2.13
                    prefix-length 30
                }
            }
            qos {
                network-policy "wan"
            }
        }
        interface "peer-1" {
            port 1/1/c3/1
            qos {
                network-policy "wan"
            }
        }
    }
    system {
        name "wr"
    }
}
"""
_LIMITS = "rate-limit"
_SLOPES = "nokia-conf-qos, network-queue"


def _after(running: str, *transitions: str) -> str:
    data: dict[object, object] = {}
    for each in (running, *transitions):
        enter(data, each)
    return "\n".join(shown(data))


def _delivered(running: str, text: str) -> str:
    return f"{_after(running, DIALECT.transition(None, text))}\n"


def _bench(farm: object, folder: Path) -> object:
    from tests.support.pushes_sros import sros_bench

    return sros_bench(farm, folder)


def _counted(bench: object) -> tuple[str, str]:
    from tests.support.pushes_sros import BEFORE

    bench.router.counted["hntes-alpha-v4", "20"] = (3, 4500)  # type: ignore[attr-defined]
    return BEFORE.filters[0].terms[1].counter, ""


_SYSTEM = "1.3.6.1.4.1.6527.3.1.2.1.1"
# 1 of 4 GB is in use; beside it stand the older objects, which 32 bits of bytes bound.
_AGENT = {
    f"{_SYSTEM}.1.0": ("gauge", 17),
    f"{_SYSTEM}.2.0": ("gauge", 4_294_967_295),
    f"{_SYSTEM}.3.0": ("gauge", 4_294_967_295),
    f"{_SYSTEM}.9.0": ("gauge", 1_000_000),
    f"{_SYSTEM}.10.0": ("gauge", 3_000_000),
}

CASE = PlatformCase(
    name="sros",
    ports=PORTS,
    logical=LOGICAL,
    running=RUNNING,
    in_the_way=f"/configure port {PORTS[1]} ethernet network egress queue-policy own\n",
    delivered=_delivered,
    after=_after,
    unknown=(
        "/configure system name elsewhere",
        "configure {\n    log {\n    }\n}",
        "bof {\n    console speed 9600\n}",
    ),
    damages=(
        ("address 198.18.10.7/32", "address 198.18.10.8/32"),
        ("cir 55", "cir 54"),
        ("fc h2 {", "fc ef {"),
        ("queue-policy hntes\n", "\n"),
    ),
    silent=r"#.*",
    # h1 and nc, 6 and 7, are of the router's own packets
    queue_numbers={"premium": 2},
    queues=range(1, 6),
    refused={
        "scavenger_policer": _LIMITS,
        "wred_policer": _SLOPES,
        "three_color_marker": "three-color marker",
        "two_queue_ecn": _SLOPES,
        "premium_best_effort-none": _LIMITS,
        **{f"other {plan}": _LIMITS for plan in ("scavenger", "wred")},
    },
    bench=_bench,
    agent=(_AGENT, RouterLoad(Part("sgiCpuUsage.0", 17), Part("sgiKbMemoryUsed.0", 25))),
    counted=_counted,
)
