"""What the statements of an IOS-XE configuration can touch, beside those that IOS-XR has as well."""

from hntes.platforms.cisco.statement_table import GLOBAL, PORT, Rows, table

_GLOBAL: Rows = {
    None: (
        *("boot-start-marker", "boot-end-marker", "multilink", "redundancy", "subscriber", "spanning-tree", "archive"),
        *("diagnostic", "memory", "platform", "vtp", "errdisable", "login", "transceiver", "parameter-map", "template"),
        *("privilege", "process", "exception", "file", "ip tcp", "ip ssh", "ip scp", "ip sla", "lacp", "mmi", "vdc"),
        *("mac", "cts", "fhrp", "l2", "dot1x", "authentication", "stackwise-virtual", "switch", "rmon", "macro"),
        *("platform qos port-channel-aggregate", "ip nbar", "udld", "wireless", "ap", "zone", "zone-pair", "menu"),
    ),
}  # fmt: skip

STATEMENTS = table(GLOBAL, _GLOBAL)
PORT_STATEMENTS = table(PORT)
