"""What the statements of an IOS-XR configuration can touch, beside those that IOS-XE has as well."""

from hntes.platforms.cisco.statement_table import GLOBAL, PORT, Rows, table
from hntes.platforms.unparsed import CONTROL_PLANE

_GLOBAL: Rows = {
    None: (
        *("tpa", "linux", "appmgr", "cli", "configuration", "group", "apply-group", "performance-mgmt", "nsr", "fpd"),
        *("health", "install", "interface preconfigure", "dhcp", "cef", "bundle", "lacp", "http", "secrets"),
    ),
    CONTROL_PLANE: ("control-plane", "lpts"),
}
# The reader looks for the group; what it brings counts as of the interfaces that its pattern fits.
_PORT: Rows = {None: ("apply-group", "exclude-group")}

STATEMENTS = table(GLOBAL, _GLOBAL)
PORT_STATEMENTS = table(PORT, _PORT)
