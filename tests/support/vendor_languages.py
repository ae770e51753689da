"""The statements that HNTES writes, by platform: rules for `vendor_grammar`, which explains the names of sources."""

JUNOS = """
top: firewall {} firewall | class-of-service {} cos | interfaces {} interfaces | policy-options {} policies
top: routing-options {} routing | routing-instances {} instances
# JR: `replace:` stands before a container; J: list policer, list three-color-policer, container family
firewall: replace: policer NAME {} policer | replace: three-color-policer NAME {} marker | family inet {} family4
firewall: family inet6 {} family6
# JR: MX 8000..2^64-1 bit/s, 1500..10^10 bytes
policer: if-exceeding {} limits | then {} out
limits: bandwidth-limit <8000-18446744073709551615> | burst-size-limit <1500-10000000000>
out: loss-priority LOSS | forwarding-class NAME | discard
# J: grouping three-color-policer-type; only `high` may be discarded
marker: action {} discard | single-rate {} one-rate | two-rate {} two-rates
discard: loss-priority high then discard
one-rate: color-blind | committed-information-rate <8000-18446744073709551615>
one-rate: committed-burst-size <1500-100000000000> | excess-burst-size <1500-100000000000>
two-rates: color-blind | committed-information-rate <8000-18446744073709551615>
two-rates: committed-burst-size <1500-100000000000> | peak-information-rate <8000-18446744073709551615>
two-rates: peak-burst-size <1500-100000000000>
# J: groupings inet_filter, inet6_filter; choice policer-choice, choice designation
family4: replace: filter NAME {} filter4
family6: replace: filter NAME {} filter6
filter4: term NAME {} term4 | fast-lookup-filter
filter6: term NAME {} term6 | fast-lookup-filter
term4: from {} from4 | then {} then | then accept
term6: from {} from6 | then {} then | then accept
from4: source-address P4 | destination-address P4
from6: source-address P6 | destination-address P6
then: policer NAME | three-color-policer {} colors | count NAME | forwarding-class NAME | accept | routing-instance NAME
then: next term
colors: single-rate NAME | two-rate NAME
# J: list drop-profiles, forwarding-classes list class (16 at most), scheduler-maps, schedulers, forwarding-policy
cos: drop-profiles {} profiles | forwarding-classes {} classes | interfaces {} cosports | scheduler-maps {} maps
cos: schedulers {} schedulers | forwarding-policy {} cbf
profiles: replace: NAME {} profile
profile: interpolate {} interpolate
interpolate: fill-level LEVELS | drop-probability LEVELS
classes: class NAME queue-num <0-7>
cosports: PORT {} cosport
cosport: scheduler-map NAME
maps: replace: NAME {} map
map: forwarding-class NAME scheduler NAME
schedulers: replace: NAME {} scheduler
scheduler: transmit-rate percent <1-100> | buffer-size percent <1-100> | priority PRIORITY
scheduler: drop-profile-map loss-priority LOSS protocol any drop-profile NAME | explicit-congestion-notification
cbf: replace: next-hop-map NAME {} nhmap
nhmap: forwarding-class NAME {} nhclass | forwarding-class-default {} nhdefault
# Juniper, Forwarding Policy Options Overview
nhdefault: non-lsp-next-hop
nhclass: lsp-next-hop NAME | non-lsp-next-hop
# J: junos-conf-interfaces, -policy-options, -routing-options, -routing-instances
interfaces: PORT {} port
port: unit <0-1073741823> {} unit
unit: family inet {} bind | family inet6 {} bind
bind: filter {} input
# J: choice of `input` and `input-list`; a list of HNTES and one of the operator's
input: input NAME | input-list [ NAME NAME ]
policies: replace: policy-statement NAME {} policy
policy: term NAME {} polterm
polterm: from {} polfrom | then cos-next-hop-map NAME
polfrom: route-filter P4 orlonger | route-filter P6 orlonger
routing: interface-routes {} ifroutes | rib-groups {} groups | forwarding-table {} table
ifroutes: rib-group {} ribgroup
ribgroup: inet NAME | inet6 NAME
groups: replace: NAME {} group
group: import-rib RIBS
table: export NAME
instances: replace: NAME {} instance
instance: instance-type forwarding | routing-options {} own
own: static {} static4 | rib NAME {} rib
rib: static {} static6
static4: route P4 next-hop V4 | route P4 {} route4
static6: route P6 next-hop V6 | route P6 {} route6
# Juniper, qualified-next-hop (Static Routes)
route4: next-hop V4 | qualified-next-hop V4 {} worse
route6: next-hop V6 | qualified-next-hop V6 {} worse
worse: preference <6-4294967295>
"""

IOSXR = """
# XR: list sequence 1..2147483643 in both families; nexthop1 with the family's own word
top: no ipv4 access-list ACL | no ipv6 access-list ACL | ipv4 access-list ACL {} acl4 | ipv6 access-list ACL {} acl6
acl4: <1-2147483643> permit ipv4 A4 A4 | <1-2147483643> permit ipv4 A4 A4 nexthop1 ipv4 V4
acl6: <1-2147483643> permit ipv6 A6 A6 | <1-2147483643> permit ipv6 A6 A6 nexthop1 ipv6 V6
# XR: container class-map; match-qos-group 0..512; names of 63 characters
top: class-map match-any CLASS {} cmap | class-map type traffic match-any CLASS {} trafficmap
cmap: match access-group ipv4 ACL | match access-group ipv6 ACL | match dscp cs6 cs7 | match qos-group <0-512>
# XR: match-traffic-class, match-precedence; known: 8 traffic classes on NCS 5500 and 8000
cmap: match traffic-class <0-7> | match precedence <0-7>
cmap: end-class-map
trafficmap: match access-group ipv4 ACL | match access-group ipv6 ACL | end-class-map
# XR: grouping qos-actions, police-actions, pbr-actions; XRC: the order of the words of `police rate`
top: policy-map NAME {} pmap | policy-map type pbr NAME {} pbr
pmap: class CLASS {} class | end-policy-map
class: set qos-group <0-512> | priority level <1-7> | bandwidth percent <1-100> | queue-limit <1-4294967295> ms
# XR: set-traffic-class, mpls experimental imposition; bandwidth-remaining; units of queue-limit and random-detect
class: set traffic-class <0-7> | set mpls experimental imposition <0-7> | bandwidth remaining percent <1-100>
class: queue-limit <1-4294967295> bytes
class: random-detect discard-class <0-7> <0-1073741823> bytes <last-1073741823> bytes
class: random-detect discard-class <0-7> <0-1073741823> ms <last-1073741823> ms | police rate percent <1-100> {} share
class: random-detect ecn
class: police rate <1-4294967295> UNIT burst <1-4294967295> bytes {} police
class: police rate <1-4294967295> UNIT burst <1-4294967295> bytes peak-burst <1-4294967295> bytes {} police
class: police RATE PEAK {} police
police: conform-action transmit | conform-action set qos-group <0-512>
police: exceed-action DROP | exceed-action set qos-group <0-512> | exceed-action set discard-class <0-7>
police: violate-action DROP | violate-action set qos-group <0-512> | violate-action set discard-class <0-7>
pbr: class type traffic CLASS {} pbrclass | end-policy-map
pbrclass: set forward-class <1-7>
# ASR 9000 MPLS configuration guide: `forward-class` of a tunnel; known: the other statements of an interface
top: interface PORT {} port
port: service-policy input NAME | service-policy output NAME | service-policy type pbr input NAME
port: ipv4 access-group ACL ingress | ipv6 access-group ACL ingress | forward-class <1-7>
""".replace(
    "RATE PEAK",
    "rate <1-4294967295> UNIT burst <1-4294967295> bytes peak-rate <1-4294967295> UNIT peak-burst <1-4294967295> bytes",
)

IOSXE = """
# XE: ipv4-ext-acl-grouping 1..2147483647, wildcards only; ipv6-acl-grouping 1..4294967294
top: ip access-list extended ACL {} acl4 | ipv6 access-list ACL {} acl6
acl4: <1-2147483647> permit ip W4 W4
acl6: sequence <1-4294967294> permit ipv6 A6 A6
# XE: set qos-group 0..99; known: class-map names of 40 characters
top: class-map match-any CLASS40 {} cmap
cmap: match access-group name ACL | match dscp cs6 cs7 | match qos-group <0-99>
top: policy-map NAME {} pmap
pmap: class CLASS40 {} class
class: set qos-group <0-99> | priority percent <1-100> | bandwidth percent <1-100> | queue-limit <1-8192000> packets
class: random-detect discard-class-based | random-detect exponential-weighting-constant <1-16>
class: random-detect discard-class <0-7> <1-512000000> <above-512000000> <1-65535> | random-detect ecn
class: police cir <8000-64000000000> bc <1000-512000000> {} police2
class: police cir <8000-64000000000> bc <1000-512000000> be <1000-512000000> {} police3
class: police cir <8000-64000000000> bc <1000-512000000> pir <8000-64000000000> be <1000-512000000> {} police3
police2: conform-action transmit | conform-action set-qos-transmit <0-99>
police2: exceed-action DROP | exceed-action set-qos-transmit <0-99> | exceed-action set-discard-class-transmit <0-7>
police3: conform-action transmit | exceed-action set-discard-class-transmit <0-7>
police3: violate-action DROP | violate-action set-discard-class-transmit <0-7>
top: route-map NAME permit <0-65535> {} rmap
rmap: match ip address ACL | match ipv6 address ACL | set ip next-hop V4 | set ipv6 next-hop V6 | set interface TUNNEL
# known: statements of an interface
top: interface PORT {} port
port: service-policy input NAME | service-policy output NAME | ip policy route-map NAME | ipv6 policy route-map NAME
"""

SROS = """
top: configure {} configure
configure: filter {} filters | port SROSPORT {} sport | qos {} sqos | router Base {} base
# N: entry-id 1..2097151; rate-limit: pir in kbit/s up to 2000000000, mbs up to 268435456; choices of action
filters: ip-filter NAME {} filter4 | ipv6-filter NAME {} filter6
filter4: default-action accept | entry <1-2097151> {} entry4 | scope embedded
filter6: default-action accept | entry <1-2097151> {} entry6 | scope embedded
entry4: description NAME | match {} match4 | action {} action4
entry6: description NAME | match {} match6 | action {} action6
match4: src-ip {} end4 | dst-ip {} end4
match6: src-ip {} end6 | dst-ip {} end6
end4: address P4
end6: address P6
action4: fc FC | accept | rate-limit {} limit | forward {} forward4
action6: fc FC | accept | rate-limit {} limit | forward {} forward6
limit: pir <0-2000000000> | mbs <0-268435456>
forward4: lsp NAME | next-hop {} hop4
forward6: lsp NAME | next-hop {} hop6
hop4: nh-ip {} nh4
hop6: nh-ip {} nh6
nh4: address V4 | indirect true
nh6: address V6 | indirect true
# N: network-queue-queue-id 1..16, mbs 0.00..100.00, pir 1..100, cir 0..100, hierarchy-level 1..8, weight 0..100
sqos: network-queue ITEM {} nq | port-scheduler-policy ITEM {} scheduler
scheduler: max-rate max
nq: fc FC {} nqclass | queue <1-16> {} nqueue
nqclass: queue <1-16>
nqueue: mbs DECIMAL | rate {} nqrate | port-parent {} nqparent
nqrate: pir <1-100> | cir <0-100>
nqparent: level <1-8> | weight <0-100> | cir-level <0-8> | cir-weight <0-100>
sport: ethernet {} ethernet
ethernet: egress {} egress | network {} network
egress: port-scheduler-policy {} bound
bound: policy-name ITEM
network: egress {} netegress
netegress: queue-policy ITEM
base: interface ITEM {} interface
interface: ingress {} ingress
ingress: filter {} binding
binding: ip NAME | ipv6 NAME
"""

EOS = """
# A: rules with prefixes and actions; known: groups of type ip have next hops of both families, 8 traffic classes, and
# the ranges of `police` and `entry`
top: nexthop-group NAME type ip {} hops | traffic-policies {} policies
hops: fec hierarchical | entry <0-1023> nexthop V4 | entry <0-1023> nexthop V6
policies: traffic-policy NAME {} policy
policy: match NAME ipv4 {} rule4 | match NAME ipv6 {} rule6
rule4: source prefix P4 | destination prefix P4 | actions {} actions
rule6: source prefix P6 | destination prefix P6 | actions {} actions
actions: count | set traffic class <0-7> | redirect next-hop group NAME
actions: police rate <1-200000000> kbps burst-size <256-128000000> bytes
# A: tx-queues of a profile; known: 7 is the router's own, thresholds in bytes
top: qos profile NAME {} profile
profile: tx-queue <0-6> {} txqueue
txqueue: no priority | bandwidth percent <1-100>
txqueue: random-detect drop minimum-threshold <1-4294967295> bytes MAXIMUM
top: interface PORT {} port
port: traffic-policy input NAME | service-profile NAME
""".replace("MAXIMUM", "maximum-threshold <above-4294967295> bytes drop-probability 100")
