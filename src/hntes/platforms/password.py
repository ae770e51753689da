"""The environment variable with the password of the account on routers."""

PASSWORD_VARIABLE = "HNTES_ROUTER_PASSWORD"  # noqa: S105 - a name
