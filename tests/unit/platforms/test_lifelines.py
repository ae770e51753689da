"""The lifelines that running configurations name."""

import pytest

from hntes.platforms.registry import platform_of
from tests.support.qos_models import PLATFORMS

JUNOS = """
groups { re0 { interfaces { fxp0 { unit 0 { family inet { address 10.255.1.7/24; } } } } } }
system {
    ntp { server 192.0.2.123 prefer; }
    syslog { host 192.0.2.14 { any notice; } }
    tacplus-server { 192.0.2.49 { secret "x"; } }
    name-server { 192.0.2.53; }
}
interfaces {
    xe-0/0/0 { unit 0 { family inet { address 198.51.100.1/31; } } }
    lo0 { unit 0 {
        family inet { address 127.0.0.1/32; address 192.0.2.1/32 { primary; } }
        family inet6 { address 2001:db8::1/128; address fe80::1/128; }
    } }
}
protocols { bgp { group core { type internal; neighbor 192.0.2.2; neighbor 2001:db8::2 { description peer; } } } }
snmp { trap-group ours { targets { 192.0.2.62; } } }
forwarding-options { sampling { instance i { family inet { output { flow-server 192.0.2.90 { port 2055; } } } } } }
"""
IOS_XR = """
ntp
 server vrf mgmt 192.0.2.123 prefer
!
logging 192.0.2.14 vrf default severity info
snmp-server host 192.0.2.62 traps version 2c ours
tacacs-server host 192.0.2.49 port 49
domain name-server 192.0.2.53
interface Loopback0
 ipv4 address 192.0.2.1 255.255.255.255
 ipv6 address 2001:db8::1/128
!
interface MgmtEth0/RSP0/CPU0/0
 ipv4 address 10.255.1.7 255.255.255.0
!
interface TenGigE0/0/0/0
 ipv4 address 198.51.100.1 255.255.255.254
!
router bgp 64512
 neighbor 192.0.2.2
  remote-as 64512
 !
 vrf ours
  neighbor 2001:db8::2
   remote-as 64513
  !
 !
!
flow exporter-map ours
 destination 192.0.2.90
!
"""
IOS_XE = """
ip name-server 192.0.2.53
interface Loopback0
 ip address 192.0.2.1 255.255.255.255
 ipv6 address 2001:DB8::1/128
interface GigabitEthernet0
 vrf forwarding Mgmt-intf
 ip address 10.255.1.7 255.255.255.0
interface TenGigabitEthernet0/0/0
 ip address 198.51.100.1 255.255.255.254
router bgp 64512
 neighbor 192.0.2.2 remote-as 64512
 neighbor 2001:DB8::2 remote-as 64513
ntp server vrf Mgmt-intf 192.0.2.123
logging host 192.0.2.14 vrf Mgmt-intf
snmp-server host 192.0.2.62 version 2c ours
tacacs server ours
 address ipv4 192.0.2.49
flow exporter ours
 destination 192.0.2.90
"""
SR_OS = """
configure {
    cflowd {
        collector 192.0.2.90 port 2055 {
        }
    }
    log {
        snmp-trap-group "ours" {
            trap-target "ours" {
                address 192.0.2.62
            }
        }
        syslog "ours" {
            address 192.0.2.14
        }
    }
    router "Base" {
        bgp {
            neighbor "192.0.2.2" {
                group "core"
            }
        }
        interface "system" {
            ipv4 {
                primary {
                    address 192.0.2.1
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
            ipv4 {
                primary {
                    address 198.51.100.1
                    prefix-length 31
                }
            }
        }
    }
    service {
        vprn "ours" {
            bgp {
                neighbor "2001:db8::2" {
                }
            }
        }
    }
    system {
        security {
            aaa {
                remote-servers {
                    tacplus {
                        server 1 {
                            address 192.0.2.49
                        }
                    }
                }
            }
        }
        time {
            ntp {
                server 192.0.2.123 router-instance "management" {
                    prefer true
                }
            }
        }
    }
}
"""
EOS = """
logging vrf MGMT host 192.0.2.14 514
!
ip name-server vrf MGMT 192.0.2.53
!
ntp server vrf MGMT 192.0.2.123 prefer
!
snmp-server host 192.0.2.62 vrf MGMT version 2c ours
!
tacacs-server host 192.0.2.49 vrf MGMT
!
sflow destination 192.0.2.90
!
interface Ethernet1
   no switchport
   ip address 198.51.100.1/31
!
interface Loopback0
   ip address 192.0.2.1/32
   ipv6 address 2001:db8::1/128
!
interface Management1
   vrf MGMT
   ip address 10.255.1.7/24
!
router bgp 64512
   neighbor 192.0.2.2 remote-as 64512
   !
   vrf ours
      neighbor 2001:db8::2 remote-as 64513
!
"""
RUNNING = {"junos": JUNOS, "iosxr": IOS_XR, "iosxe": IOS_XE, "sros": SR_OS, "eos": EOS}
# What a router keeps elsewhere: on SR OS the boot options (`bof`) have the management port and the name servers.
ELSEWHERE = {"sros": {"management", "name server"}}
# by hand, from the texts above
EXPECTED = {
    ("192.0.2.1/32", "loopback"),
    ("2001:db8::1/128", "loopback"),
    ("10.255.1.0/24", "management"),
    ("192.0.2.2/32", "BGP neighbor"),
    ("2001:db8::2/128", "BGP neighbor"),
    ("192.0.2.123/32", "time server"),
    ("192.0.2.14/32", "log server"),
    ("192.0.2.49/32", "login server"),
    ("192.0.2.53/32", "name server"),
    ("192.0.2.62/32", "SNMP manager"),
    ("192.0.2.90/32", "flow collector"),
}


@pytest.mark.parametrize("platform", PLATFORMS)
def test_lifelines_are_found_by_kind_and_line(platform: str) -> None:
    running = RUNNING[platform]
    found = list(platform_of(platform).lifelines(running))
    wanted = {each for each in EXPECTED if each[1] not in ELSEWHERE.get(platform, ())}
    assert {(str(each.prefix), each.what) for each in found} == wanted
    lines = running.split("\n")
    for each in found:
        assert str(each.prefix.network_address)[:-1] in lines[each.line - 1].lower(), each


@pytest.mark.parametrize("platform", PLATFORMS)
def test_a_configuration_without_them_has_none(platform: str) -> None:
    assert list(platform_of(platform).lifelines("")) == []
