"""Junos: all that HNTES owns lies in one group, which a load replaces as a whole and a withdrawal deletes.

The router inherits the group's statements (`apply-groups`). What only an earlier text had leaves with the group, as do
the empty containers that single `delete` statements would leave, of which `family inet6` would keep IPv6 switched on.
"""

GROUP = "hntes"
_TAG = "replace: "


def junos_text(approved: str) -> list[str]:
    """The approved statements as one group, for `load replace`; empty without statements."""
    lines = [line for line in approved.splitlines() if not line.startswith("##")]
    body = [f"{' ' * 8}{line.replace(_TAG, '', 1) if line.lstrip().startswith(_TAG) else line}" for line in lines]
    return ["groups {", f"    replace: {GROUP} {{", *body, "    }", "}", f"apply-groups {GROUP};"]


def junos_removal() -> list[str]:
    """The commands that delete the group, for `load set`."""
    return [f"delete apply-groups {GROUP}", f"delete groups {GROUP}"]
