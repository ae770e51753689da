"""Addresses that no pair may hold, and names and ports, as an SR OS configuration has them."""

from hntes.platforms.registry import platform_of

TEXT = """\
configure {
    cflowd {
        collector 192.0.2.50 port 2055 {
        }
    }
    log {
        syslog "1" {
            address 192.0.2.51
        }
    }
    port 1/1/c1 {
        connector {
            breakout c4-10g
        }
    }
    port 1/1/c1/1 {
    }
    lag "lag-1" {
        port 1/1/c1/1 {
        }
        port 1/1/c1/2 {
        }
    }
    router "Base" {
        interface "system" {
            ipv4 {
                primary {
                    address 198.51.100.1
                    prefix-length 32
                }
            }
            ipv6 {
                address 2001:db8::1 {
                    prefix-length 128
                }
            }
        }
        interface "to-site" {
            description "site"
            port 1/1/c1/3:100
        }
        interface "both" {
            port lag-1
        }
        bgp {
            neighbor "192.0.2.52" {
                group "e"
            }
        }
    }
    service {
        vprn "RED" {
            bgp {
                neighbor "192.0.2.53" {
                }
            }
        }
    }
    system {
        name "r1"
        time {
            ntp {
                server 192.0.2.54 router-instance "Base" {
                }
            }
        }
        security {
            aaa {
                remote-servers {
                    tacplus {
                        server 1 {
                            address 192.0.2.55
                        }
                    }
                }
            }
        }
    }
}
"""


def test_lifelines_of_each_kind_are_found() -> None:
    found = {(str(each.prefix), each.what) for each in platform_of("sros").lifelines(TEXT)}
    assert found == {
        ("192.0.2.50/32", "flow collector"),
        ("192.0.2.51/32", "log server"),
        ("198.51.100.1/32", "loopback"),
        ("2001:db8::1/128", "loopback"),
        ("192.0.2.52/32", "BGP neighbor"),
        ("192.0.2.53/32", "BGP neighbor"),
        ("192.0.2.54/32", "time server"),
        ("192.0.2.55/32", "login server"),
    }


def test_ports_have_the_rate_of_their_connector_and_a_lag_that_of_its_ports() -> None:
    found = platform_of("sros").inventory(TEXT)
    assert found is not None
    assert found.name == "r1"
    assert [(each.name, each.unit, each.rate_bps, each.description, each.logical) for each in found.ports] == [
        ("1/1/c1/3", 100, 10_000_000_000, "site", "to-site"),
        ("lag-1", 0, 20_000_000_000, "", "both"),
    ]
