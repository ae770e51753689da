"""The commands of the review page: server, accounts, API tokens."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import click

from hntes.cli import output
from hntes.cli.options import FREE_TEXT, json_option
from hntes.web.api.scopes import DEFAULT_SCOPES, SCOPES, Scope

_NEEDED = ("argon2", "fastapi", "uvicorn")
_name = click.argument("name")


def _with_settings(command: Callable[..., None]) -> Callable[..., None]:
    """Gives a command the settings path and section [web]; expected errors become message and status 1."""

    @click.pass_context
    @functools.wraps(command)
    def run(ctx: click.Context, *args: Any, **kwargs: Any) -> None:
        from hntes.workflow.context import settings_of
        from hntes.workflow.errors import FAILED, CommandError, expected, message

        path = ctx.find_root().obj
        try:
            if missing := [name for name in _NEEDED if find_spec(name) is None]:
                raise CommandError(f"the review page needs {', '.join(missing)}: install hntes[web]")
            command(path, settings_of(path).web, *args, **kwargs)
        except expected() as problem:
            output.note(f"hntes: {message(problem)}")
            raise click.exceptions.Exit(FAILED) from problem

    return run


@click.command()
@_with_settings
def web(path: Any, chosen: Any) -> None:
    """Serves the review page: changes, pairs, the audit log, decisions.

    Listens on the address in [web]. Stop it with Ctrl-C.
    """
    from hntes.web.accounts import read_accounts
    from hntes.web.serve import serve
    from hntes.workflow.context import opened
    from hntes.workflow.errors import CommandError

    if chosen.oidc is not None and find_spec("joserfc") is None:
        raise CommandError("[web.oidc] of the settings needs joserfc: install hntes[oidc]")
    with opened(path):
        pass  # an unusable database is reported now, not by the first request
    if not read_accounts(chosen.accounts) and not chosen.trusted_proxies and chosen.oidc is None:
        output.note(
            "no login is possible yet: add an account with `hntes user add`, or set [web.oidc] or [web] trusted_proxies"
        )
    output.note(f"review page at {chosen.origins[0]}, listening on {chosen.listen} port {chosen.port}")
    serve(path, chosen)


@click.command()
@_name
@click.option("--role", type=click.Choice(["viewer", "operator"]), default="viewer", show_default=True,
              help="A viewer reads, an operator also decides.")  # fmt: skip
@json_option
@_with_settings
def user_add(_path: Any, chosen: Any, name: str, role: Any, as_json: bool) -> None:
    """Adds an account, or changes its role and password.

    Prompts for the password, or reads it from the first line of standard input if that is not a terminal. Ends all
    sessions of the account.
    """
    from hntes.web.accounts import add_account

    if sys.stdin.isatty():
        password = click.prompt("password", hide_input=True, confirmation_prompt=True)
    else:
        password = sys.stdin.readline().rstrip("\n")
    add_account(chosen.accounts, name, role, password)
    words = f"account {name}, {role}, in {chosen.accounts}"
    output.result({"name": name, "role": role, "file": chosen.accounts}, words, as_json=as_json)


@click.command()
@_name
@json_option
@_with_settings
def user_remove(_path: Any, chosen: Any, name: str, as_json: bool) -> None:
    """Removes an account and ends its sessions."""
    from hntes.web.accounts import remove_account

    remove_account(chosen.accounts, name)
    words = f"account {name} removed from {chosen.accounts}"
    output.result({"name": name, "file": chosen.accounts}, words, as_json=as_json)


@click.command()
@json_option
@_with_settings
def user_list(_path: Any, chosen: Any, as_json: bool) -> None:
    """Lists the accounts and their roles."""
    from hntes.web.accounts import read_accounts

    found = read_accounts(chosen.accounts)
    if as_json:
        output.as_json([{"name": each.name, "role": each.role} for each in found.values()])
        return
    output.table(("name", "role"), [(each.name, each.role) for each in found.values()], empty="there is no account")


@click.command()
@_name
@click.option("--owner", type=FREE_TEXT, required=True,
              help="Person that it acts for, and owner of its reservations.")  # fmt: skip
@click.option("--scope", "scopes", type=click.Choice(list(SCOPES)), multiple=True, default=DEFAULT_SCOPES,
              show_default=True, help="What it may do; may be repeated.")  # fmt: skip
@click.option("--prefix", "prefixes", multiple=True, metavar="PREFIX",
              help="With reserve: allowed source or destination prefix; may be repeated. Default: any.")  # fmt: skip
@json_option
@_with_settings
def token_add(
    _path: Any, chosen: Any, name: str, owner: str, scopes: tuple[Scope, ...], prefixes: tuple[str, ...], as_json: bool
) -> None:  # fmt: skip
    """Creates a token and prints it once.

    \b
      --scope read      sees everything that the review page shows
      --scope reserve   makes, sees and cancels the owner's reservations
      --scope decide    approves, rejects, defers and reopens changes
      --scope override  adds and withdraws pins and exclusions
      --scope backtest  starts back-tests

    Give each program its own token, with as few scopes as it needs. A decision is recorded as token:NAME; where two
    people must approve, it counts as the owner's. A reservation also polices its pair, so limit such a token to the
    prefixes of its own hosts.
    """
    from hntes.web.api.tokens import add_token

    secret = add_token(chosen.tokens, name, owner, prefixes, scopes)
    if "reserve" in scopes and not prefixes:
        output.note("it may reserve, and so police, any pair; limit it to its own hosts with --prefix")
    output.note(f"token {name} of {owner} for {', '.join(scopes)}, in {chosen.tokens}; it is shown this once:")
    document = {"name": name, "owner": owner, "scopes": scopes, "prefixes": prefixes, "token": secret}
    output.result(document, secret, as_json=as_json)


@click.command()
@_name
@json_option
@_with_settings
def token_remove(_path: Any, chosen: Any, name: str, as_json: bool) -> None:
    """Removes a token."""
    from hntes.web.api.tokens import remove_token

    remove_token(chosen.tokens, name)
    words = f"token {name} removed from {chosen.tokens}"
    output.result({"name": name, "file": chosen.tokens}, words, as_json=as_json)


@click.command()
@json_option
@_with_settings
def token_list(_path: Any, chosen: Any, as_json: bool) -> None:
    """Lists the tokens with their owners, scopes and prefixes."""
    from hntes.web.api.tokens import read_tokens

    found = read_tokens(chosen.tokens)
    if as_json:
        output.as_json([
            {"name": each.name, "owner": each.owner, "scopes": each.scopes, "prefixes": each.prefixes}
            for each in found.values()
        ])  # fmt: skip
        return
    rows = [
        (each.name, each.owner, ", ".join(each.scopes),
         ", ".join(each.prefixes) or ("any pair" if "reserve" in each.scopes else ""))
        for each in found.values()
    ]  # fmt: skip
    output.table(("name", "owner", "scopes", "prefixes"), rows, empty="no tokens")
