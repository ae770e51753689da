"""The keys of the lists in a configuration of SR OS, by which XML is written as MD-CLI text.

Facts of Nokia's YANG modules nokia-conf-* of releases 23.10 and 26.3: for each key, or keys in their order, the lists
that have it; rows end with semicolons. A list's name may stand in several rows; the names of an entry's first leaves
tell which one holds.
"""

from collections.abc import Sequence
from functools import cache

_ROWS = """\
aa-group-id: application-assurance-group group; aa-partition-id: partition; aarp-id: aarp; ac-template-name:
acceptance-criteria-template; address: ad-server backbone-mac-address cpe-check dest-ip destination-address endpoint
gateway-address ip mac mask-pattern neighbor peer secondary unicast-address; address port: controller destination;
address prefix-length: ipv4 ipv6; adv-config-policy-name: adv-config-policy; alias-name: alias; alt-class-pool-id:
class-pool; ancp-string customer-name customer-site-name: multi-service-site-entry; ancp-string sap-id: sap-entry;
apn-name: apn; app-group-name: app-group; app-profile-name: app-profile; app-profile-string: entry; application: ipv4
ipv6; application-group-name: app-group; application-id: application; application-name: application; arbiter-name:
arbiter; area-id: area; as-number: members; assoc-name: diversity policy; attribute-name: attribute;
backbone-vpls-service-name: backbone-vpls; bank-id: bank; bank-name: bank; bgp-instance: bgp mpls segment-routing-v6
vxlan; bin-group-id: bin-group; bin-metric: bin-type; bin-number: bin; binding-name: redirect-policy-binding;
block-name: block; brg-profile-name: brg-profile; bridge-name: bridge-identifier; bridge-name vlan: bridge-identifier;
bundle-name: bundle; ca-name: connectivity-association; ca-profile: trust-anchor; ca-profile-name: ca-profile
trust-anchor; candidate-path-name: candidate-path; category-map-name: category-map; category-name: category;
cert-prof-name: certificate-profile; cert-profile-name: cert-profile; certificate-file-name: certificate-auto-update;
cflash-id: cflash-cap-alarm-percent cflash-cap-warn-percent; characteristic-name: characteristic; charging-group-name:
charging-group; chassis-class chassis-number: chassis; cir-weight-profile-id: cir-weight-profile; class-id:
sched-class scheduling-class; class-number: class scheduling-class; cli-session-group-name: cli-session-group;
client-cipher-list-name: client-cipher-list; client-group-list-name: client-group-list; client-index: client;
client-port-id: port-map; client-profile-name: client-tls-profile; client-signature-list-name: client-signature-list;
cn-index: common-name; cn-list-name: common-name-list; collector-id: collector; community-name: route-target
route-target-list; community-string: community usm-community; connection-index: connection; connection-profile-id:
vlan; container-name: lsp-container; controller-id: of-controller; core-mvpn-service-name: core-mvpn; cpm-slot:
module; criteria-id direction: criteria; criterion-index: bgp-peers interfaces; custom-protocol-id: custom-protocol;
customer-name: customer; delay-template-name: delay-template; dest-ip-address: dest-ip; dest-mac-addr:
destination-mac-address; destination-address: destination; destination-string: int-dest-id; direction: action
avg-flr-event chli-event delay-event exclude-from-avg fd-avg hli-event ifdv-avg unavailability-event
undet-availability-event undet-unavailability-event; direction threshold-type: jitter-event latency-event loss-event;
diversity-name: diversity; dns-enrich-name: dns-enrich; dns-ip-cache-name: dns-ip-cache; dns-server-address:
trusted-server-address; dns-tracker-name: dns-tracker; domain-name: domain map-domain network-domain; dot1p-app-name:
application; dot1p-fc-map-name: dot1p-fc-map; dot1p-value: dot1p; downstream-index: downstream-nodes;
downstream-node-index: downstream-nodes; ds0-index: channel-group; ds1-index: ds1; ds3-index: ds3; dscp-app-name:
application; dscp-fc-map-name: dscp-fc-map; dscp-name: dscp dscp-map; dst-ip protocol dst-port: forward-entry;
duration: measurement-interval; e1-index: e1; e3-index: e3; ecdsa-public-key-id: ecdsa-key; egress-queue-group-name:
queue-group; egress-remark-policy-name: egress-remark-policy; entity: mark; entry: entry; entry-id: entry url-entry;
entry-name: named-entry; error-code-number: error-code; error-code-value: error-code; esa-id: esa; esa-id vapp-id:
vapp; esa-id vm: esa; esm-mac-sub-name: esm-mac; esm-sub-name: esm; ethernet-segment-name: ethernet-segment; event:
adp anysec application-assurance aps auto-prov bfd bgp bier calltrace cflowd chassis debug dhcp dhcps diameter dot1x
dynsvc efm-oam elmi ering eth-cfm etun filter gsmp igmp igmp-snooping ip ipsec isis l2tp lag ldap ldp li lldp logger
macsec mc-redundancy mcpath mgmt-core mirror mld mld-snooping mpls mpls-tp msdp nat ntp oam openflow ospf pcap pcep
pfcp pim pim-snooping port pppoe pppoe-clnt ptp python radius rip ripng route-policy rpki rsvp satellite security
sflow snmp sr-mpls sr-policy srv6 stp svcmgr system tls tree-sid user video vrrp vrtr wlan-gw wpp; event-log-name:
event-log; expr-index: expression; expression-string: expression; extension-range: extension; family: prefix-limit
prefix-limits; family-type: family; far-end-addr: far-end; fc-dot1p-map-name: fc-dot1p-map; fc-dscp-map-name:
fc-dscp-map; fc-lsp-exp-map-name: fc-lsp-exp-map; fc-name: fc; fc-name profile: fc; fec-prefix: fec-originate; fid:
ect-high-path-fid; field-name: field; field-value: match; file-policy-name: file; filter-id: dhcp-filter dhcp6-filter;
filter-name: filter ip-exception ip-filter ipv6-exception ipv6-filter mac-filter; filter-set-name: filter-set;
flex-algo-id: flex-algo; flex-algo-name: flex-algo; flex-id: flex; flow-attribute-name: flow-attribute;
flow-export-type: export-type; forwarding-service group-interface-name: forwarding-group-interface; fp-number: fp;
fp-resource-policy-name: fp-resource-policy; fpe-id: fpe; from to: map; from to nat-policy: address-map;
fs-template-name: frame-size-template; genome-list-set-name: genome-list-set; gre-tunnel-template-name:
gre-tunnel-template; group context security-model security-level: access; group-address: group; group-id: aps group
hs-wrr-group; group-index: group; group-interface-name: group-interface; group-ip-address source: group; group-name:
admin-group custom-statistics-group encryption-group exclude-group group group-name include-group portal-group
sdp-exclude sdp-group sdp-include; gtp-filter-name: gtp-filter; gtp-filter-name criteria direction: gtp-filter;
gtp-filter-name entry-id direction: gtp-filter-entry; hop-index: hop; host-name: host node source-host; host-port:
host-port; http-enrich-name: http-enrich; http-error-redirect-name: http-error-redirect; http-notification-name:
http-notification; http-redirect-name: http-redirect; http-tracker-name: http-tracker; id: adjacency-set client domain
encryption-keygroup entry evpn genome-list hs-wrr-group ike-policy ike-transform ipsec-domain ipsec-transform level
lns-group map-t-group nat-group override-counter policer port priority protected-object pw-port queue sdp
security-policy srrp-instance track-srrp tunnel-group tunnel-template wlan-gw-group; in-label: label-map; index:
binding-sid cipher dest-class destination-class entry host-key kex mac next-hop-group path-instances peer
pushed-labels route server sid-list source-class tls12-cipher tls13-cipher tls13-group tls13-signature;
ingress-classification-policy-name: ingress-classification-policy; ingress-queue-group-name: queue-group;
input-pin-number: alarm-contact-input; instance: segment-routing-v6; instance-name: primary-p2mp-instance; interface
ip-address: sham-link; interface-address srlg-group: interface; interface-name: aa-interface aarp-interface broadcast
dms-interface interface ip-mirror-interface member neighbor network-interface prefix-sids redundant-interface
subscriber-interface video-interface; ip mac: ipv4; ip-address: address egress-vtep host-unreachable indirect neighbor
next-hop peer peer-transport rpki-session server source-override trusted-server tunnel-termination umh-pe
video-interface vprn-next-hop; ip-address port: address collector server; ip-address router-instance: peer server;
ip-filter: ip; ip-group-prefix: group-prefix; ip-group-prefix source-prefix: group-prefix; ip-int-name: interface;
ip-interface-name: interface; ip-policy-id: transit-ip-policy; ip-prefix: aggregate fec-prefix group-prefix
group-range prefix prefix-exclude route-unknown source source-prefix spt-switchover summary-address to-prefix;
ip-prefix route-type: route; ip-prefix type: prefix; ip-prefix upto origin-as: static-entry; ip-prefix-length:
destination-prefix source-prefix; ip-prefix-list-name: ip-prefix-list; ip-prefix-mask: area-range; ipsec-tunnel-name:
ipsec-tunnel; ipt-id: ip-transport; ipv4-address: address ip-address server static-neighbor; ipv4-address rp-set-peer:
anycast; ipv4-prefix: group-prefix group-range subnet; ipv6-address: address ip-address server static-neighbor;
ipv6-address rp-set-peer: anycast; ipv6-filter: ipv6; ipv6-prefix: exclude-prefix group-prefix group-range
managed-route prefix prefix-exclude; isa-aa-group-stats-type: stats-type; isa-id: isa; isis-instance: isis; key-id:
authentication-key message-digest-key; keychain-entry-index: entry; keychain-name: keychain; label-block-name:
reserved-label-block; label-block-name user: label-block; lag-name: lag lag-port-down; lag-name number-down:
lag-port-down; lag-ports-down-weight: weight-down; level: priority priv-lvl; level-id: level; level-number: level;
link-group-name: link-group; link-map-profile-id: link-map-profile; list-name: dns-list list source-access-list
tls-fingerprint-list; local-port-id: port-topology; location-id: location; location-type: location; locator-name:
locator micro-segment-locator; log-id: log; log-name: snmp-trap-group; loopback-id: loopback; lsp-exp-fc-map-name:
lsp-exp-fc-map; lsp-exp-value: lsp-exp; lsp-name: lsp rsvp-p2mp-root static-lsp; lsp-name sender-address:
rsvp-p2mp-leaf; ma-admin-name: association; mac: mac-address; mac-address: device mac; mac-id: mac; mac-policy-id:
mac-policy; mac-reference: mrouter-destination; mac-type: dest-mac; manager-name: manager; mc-ep-id: mc-endpoint;
mcast-address source: channel; md-admin-name: domain; md-admin-name ma-admin-name mep-id: mep; mda-id: isa mda;
mda-slot: mda; member: member; mep-id: remote-mep; message-type direction: dhcp dhcp6 diameter gtpv1-c gtpv2-c pfcp
pppoe radius; mgmt-address-system-type: tx-mgmt-address; mid-pool-id: mid-pool; mst-inst-number: mst-instance;
multi-service-site-name: multi-service-site; multistream-id: multistream-spmsi; name: accounting-policy
acct-on-off-group accu-stats-policy admin-tag alternate-profile ancp-policy apn-policy as-path as-path-group
association authentication-policy backbone-mac-name bfd-template bgp-peering-policy cert-profile
certificate-update-profile classifier client-db community cpm-nat-policy credit-control-policy custom-proto damping
destination-group dhcpv4 dhcpv6 diameter-gx-policy diameter-gy-policy diameter-nasreq-policy dns-validate domain
endpoint epipe-sap-template est-profile event-count event-rate export-policy extended-community-set
fate-sharing-group-template firewall-policy flow-count flow-setup-rate group group-interface-template handler
host-lockout-policy host-tracking-policy hs-attachment-policy hs-pool-policy hs-port-pool-policy hs-scheduler-policy
http-redirect-policy hw-agg-shaper-scheduler-policy icmp-validate idle-timeout-policy igmp-policy interface
ipoe-session-policy ipsec-gateway ipsec-transport-mode-profile ipsec-tunnel isa-filter isa-policer isa-policy
l2tp-accounting-policy local-attachment-circuit local-user-db log-id mac mac-list mld-policy msap-policy
multi-chassis-shunt-interface multi-chassis-shunting-profile multicast-reporting-destination nat-policy netconf-client
of-switch oper-group pcp-server-policy peer-policy peer-profile pim-policy ping-template policy policy-acct-template
policy-statement pool port-policy port-scheduler-policy portal post-policer-mapping ppk-list ppp-policy
pppoe-client-policy pre-classifier-policy prefix-list profile proxy python-policy python-script
queue-group-redirect-list radius-accounting-policy radius-authentication-policy reflector remote-attachment-circuit
remote-ve ring-node rip-policy route-distinguisher-list route-downloader router-advertisement-policy sap-template
sensor-group server server-policy shcv-policy sla-profile source-event-count source-event-rate source-flow-count
source-flow-setup-rate srlg-group static-policy static-sa station steering-profile sub-ident-policy sub-mcac-policy
sub-profile subscription trace-profile transmission-profile trap-target trust-anchor-profile ts-list tunnel
tunnel-member-pool ue up-nat-policy vas-filter; name offset: filter; nat-group: nat-outside; nat-policy:
spf-nat-policy; network-ingress-policy-name: network-ingress; network-interconnect-vxlan-id:
network-interconnect-vxlan; network-policy-name: network; network-queue-policy: network-queue; number: ipv4-option
ipv6-option option; number-lag-port-down: number-down; number-of-lag-ports-down: number-down; of-switch offset:
openflow; offset: flowspec; oper-group: monitor-oper-group; option: scale-option; option-type: option; origin-host:
node; ospf-instance: ospf ospf3; owner-name test: owner; p2mp-id sender-address: ldp-p2mp-leaf ldp-p2mp-root;
p2mp-policy-name: p2mp-policy; packet-length-list-name: ip-packet-length-list ipv6-packet-length-list; parameter-name:
control; path: mount-point; path-id: path; path-index: path; path-name: path primary secondary; path-name to:
s2l-path; pcm-slot: power-connection-module; peer-ip-address: peer; peer-name: peer; peer-prefix: prefix; peq-slot:
peq; policer-control-policy-name: policer-control-policy; policer-id: policer; policer-name: anl-bandwidth-policer
dual-bucket-bandwidth-policer flow-bandwidth-policer flow-count-limit-policer flow-setup-rate-policer
local-monitoring-policer policer single-bucket-bandwidth-policer static-policer; policer-name direction: policer;
policy-id: accounting-policy policy; policy-name: bandwidth-policy class-forwarding-policy forwarding-policy
interface-policy maintenance-policy mld-import multicast-info-policy policy radius-policy replication-segment
route-admin-tag-policy security-termination-policy vlan-qos-policy; policy-name owner: script-policy; pool-id: pool;
pool-name: pool; port-id: link member monitor-port port port-down; port-list-name: port-list; port-number: port;
port-qos-policy-name: port-qos-policy; power-module-id: power-module; power-shelf-id: power-shelf; power-supply-id:
power-supply; power-zone: power-management; ppk-id: ppk; prec-value: prec; prefix: destination-prefix managed-route
subscribers; prefix mac: ipv6; prefix-length: prefix-length-threshold; prefix-list: lsp-bfd prefix-list-override;
prefix-list-name: ip-prefix-list ipv6-prefix-list; prefix-policy-id: transit-prefix-policy; primary-vlan: mip;
priority-level: level priority; profile-id: ecmp-profile path-profile sample-profile; profile-name: profile; protocol
option-number: custom-option; protocol-id: protocol; protocol-list-name: protocol-list; protocol-name: protocol;
psk-id: pre-shared-key; pw-port-id: pw-port; pw-template-name: pw-template pw-template-binding; pxc-id: pxc;
qset-size: size; queue-group-name: queue-group; queue-group-name instance-id: queue-group; queue-id: queue;
queue-mgmt-policy-name: queue-mgmt-policy; quic-tracker-name: quic-tracker; rad-acct-plcy-name:
radius-accounting-policy; range: vlan-range; range-entry-id: entry; range-id: range; rat-type-name: rat-type; rd:
rd-entry; record-type: record; redirect-policy-name: redirect-policy; reference-number: key; remote-address: neighbor;
remote-host-id: remote-host; repository-name: software-repository; ring-index: eth-ring; rmon-alarm-id: alarm;
rmon-event-id: event; rmon-hc-alarm-id: hc-alarm; root-pool-id: root-pool; route-type: advertise populate;
router-address: router-id; router-id transit-area: virtual-link; router-instance: router; router-instance
interface-name: broadcast broadcast-client; router-instance ip-address: collector; router-instance name: pool portal
radius-proxy-server; router-name: router; router-name interface-name: router; rsa-public-key-id: rsa-key; rule-name:
mapping-rule; s-tag c-tag-start: s-tag-c-tag; sampling-type: sampling; sap-egress-policy-name: sap-egress; sap-id:
access-point capture-sap sap; sap-ingress-policy-name: sap-ingress; sat-phys-port-id: port; satellite-id:
ethernet-satellite; schedule-name owner: schedule; scheduler-name: scheduler; scheduler-policy-name: scheduler-policy;
script-name owner: script; sctp-filter-name: sctp-filter; sctp-filter-name criteria direction: sctp-filter;
sctp-filter-name entry-id direction: sctp-filter-entry; sdp-bind-id: mesh-sdp spoke-sdp; sdp-id: sdp;
secondary-shaper-name: hs-secondary-shaper; security-association direction: keys; security-parameter-index:
security-association; seg-list-index: segment-list; segment-index: segment; sender lsp-name: lsp; sender
rsvp-session-name: p2mp-template-lsp p2p-template-lsp; server-cipher-list-name: server-cipher-list;
server-group-list-name: server-group-list; server-index: server; server-profile-name: server-tls-profile;
server-signature-list-name: server-signature-list; service-name: cpipe epipe ies ipipe mirror-dest mirror-source
router-instance service vpls vprn; service-name interface-name: ies-interface vprn-interface; service-name
network-interface-name: vprn-network-interface; service-name subscriber-interface-name group-interface-name:
ies-group-interface vprn-group-interface; session-filter-name: session-filter; session-filter-name criteria direction:
session-filter; session-filter-name entry-id direction: session-filter-entry; session-name: pcap session; sfm-slot:
sfm; shared-policer-name: policer; shared-queue-policy-name: shared-queue; shg-name: split-horizon-group; sid-index:
node-sid-map; sip-tracker-name: sip-tracker; site-name: bgp-mh-site; sla-profile-string: entry; slope-policy-name:
slope-policy; slot-number: card iom; socket-id: socket; source-address: source; source-class destination-class: map;
source-prefix: policy-map; source-prefix nat-policy: prefix-map; source-type: source; srh-mode protection:
end-x-auto-allocate ua-auto-allocate; srrp-id: srrp; start: evi isid q-tag qtag-range range s-tag service-id vc-id;
start end: address-range channel exclude-addresses group-range level opcode range sub-domain; start end source:
channel; start end step: group-range; start-address end-address: exclude; static-ip-address: static-address;
station-name: station; std-class-pool-id: class-pool; storm-traffic-type: traffic-type; stream-id: service-stream;
study-type: aa-sub-study; sub-port-id: sub-port; sub-profile-string: entry; subscriber-id: entry subscriber;
summer-time-zone: dst-zone; sync-tag: ring; syslog-name: syslog; table-id: flowtable; tag: admin-tag exclude include;
tcp-optimizer-name: tcp-optimizer; tcp-validate-name: tcp-validate; tcp-validate-name direction: tcp-validate;
te-class-number: te-class; template-id: template; template-map-name: peer-template-map; template-name: auto-lsp
lag-ip-measurement-template lsp-template measurement-template peer-template port-template template; test-name:
service-test; tier-id: tier; tls-client-filter-name: tls-client-filter; tls-tracker-name: tls-tracker;
tod-override-id: time-of-day-override; transit-aa-sub-name: static-aa-sub; transit-sub-name: transit;
trust-anchor-profile-name: trust-anchor-profile; ttl: expected-ttl; tunnel-group-id: mc-ipsec-non-forwarding
tunnel-group; tunnel-group-name: group; tunnel-name: ip-tunnel tunnel; type: event mask; type id: egress ingress;
upgrade-index: upgrade; url-filter-name: url-filter; url-list-name: deny-list url-list; usb-cflash: usb; user-name:
user; user-profile-name: profile; user-template-name: user-template; value: end end-x isid member packet-length port
ua; value-name: value; variable-name: name; video-group-id: video-group; view-name subtree: view; virtual-router-id:
vrrp; vlan-id: vlan; vlan-qos-policy-name: vlan-qos-policy; vlan-range: range; vm-id: vm; vpls-name: vpls; vport-name:
virtual-port; vxlan-instance: instance; wrr-group-id: wrr-group; wrr-weights-id: wrr-weights; xiom-slot: xiom; xpath:
path; zone-mcast-address zone-source: zone-channel
"""


def keys_of(name: str, first: Sequence[str]) -> tuple[str, ...]:
    """The keys of a list's entry by the names of its first leaves; () for a container.

    Example:
        >>> keys_of("entry", ["entry-id", "description"]), keys_of("filter", ["ip"])
        (('entry-id',), ())
    """
    found = [each for each in _keys().get(name, ()) if each == tuple(first[: len(each)])]
    return max(found, key=len, default=())


@cache
def _keys() -> dict[str, list[tuple[str, ...]]]:
    found: dict[str, list[tuple[str, ...]]] = {}
    for row in " ".join(_ROWS.split()).split("; "):
        keys, _, names = row.partition(": ")
        for name in names.split():
            found.setdefault(name, []).append(tuple(keys.split()))
    return found
