"""What the statements of an IOS-XE configuration can touch, beside those that IOS-XR has as well."""

from hntes.platforms.cisco.statement_table import GLOBAL, PORT, Rows, table
from hntes.platforms.unparsed import WAYS

_GLOBAL: Rows = {
    None: (
        *("boot-start-marker", "boot-end-marker", "multilink", "redundancy", "subscriber", "spanning-tree", "archive"),
        *("diagnostic", "memory", "platform", "vtp", "errdisable", "login", "transceiver", "parameter-map", "template"),
        *("privilege", "process", "exception", "file", "ip tcp", "ip ssh", "ip scp", "ip sla", "lacp", "mmi", "vdc"),
        *("mac", "cts", "fhrp", "l2", "dot1x", "authentication", "stackwise-virtual", "switch", "rmon", "macro"),
        *("platform qos port-channel-aggregate", "ip nbar", "udld", "wireless", "ap", "zone", "zone-pair", "menu"),
    ),
    WAYS: ("ip nat",),
}  # fmt: skip
# That input policies see a packet before its addresses are translated is known; no public text was read for it. Readers
# look into the route-maps of `ip policy`.
_PORT: Rows = {WAYS: ("ip nat", "ip policy", "ipv6 policy")}

STATEMENTS = table(GLOBAL, _GLOBAL)
PORT_STATEMENTS = table(PORT, _PORT)
