"""Where the password of the account on routers comes from."""

PASSWORD_VARIABLE = "HNTES_ROUTER_PASSWORD"  # noqa: S105 - a name
