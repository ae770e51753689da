"""A router's running configuration as a file of the settings, and conflicts of a model with it."""

from pathlib import Path

from hntes.platforms.conflicts import check_conflicts
from hntes.rules.qos.model import RouterModel
from hntes.settings.model import Router
from hntes.workflow.errors import CommandError


def fitted(router: Router, model: RouterModel) -> RouterModel:
    """The model adapted to the router's running configuration; unchanged if none is configured.

    Raises:
        CollisionError: statements of the running configuration conflict with the model; lists their lines.
        CommandError: the file cannot be read.
    """
    if router.running_config is None:
        return model
    return check_conflicts(model, _text(router, router.running_config))


def running_text(router: Router) -> str | None:
    """The router's running configuration; None if the settings name none.

    Raises:
        CommandError: the file cannot be read.
    """
    return None if router.running_config is None else _text(router, router.running_config)


def judged_running(router: Router) -> str | None:
    """The running configuration that a candidate is judged together with; None if it is judged alone.

    Raises:
        CommandError: the file cannot be read.
    """
    if router.running_config is None or judged_alone(router):
        return None
    return _text(router, router.running_config)


def judged_alone(router: Router) -> str:
    """Why candidates are judged without the running configuration, shown with each verdict; "" if they are not."""
    if router.running_config is None:
        return "running_config is not set"
    return "" if router.simulate_with_running_config else "simulate_with_running_config = false"


def configuration_text(path: Path) -> str:
    """A configuration file as text: UTF-8, or Latin-1, in which descriptions of older routers are.

    Raises:
        CommandError: the file cannot be read.
    """
    try:
        return _decoded(path)
    except _UnreadableError as cause:
        raise CommandError(f"{path}: cannot be read ({cause}); write it as the router lists it") from cause


def _text(router: Router, path: Path) -> str:
    try:
        return _decoded(path)
    except _UnreadableError as cause:
        raise CommandError(
            f"{path}: the running configuration of router {router.name} cannot be read ({cause}); write it again, "
            "as the router lists it (`hntes router config --store`), or leave running_config out"
        ) from cause


class _UnreadableError(Exception):
    pass


def _decoded(path: Path) -> str:
    try:
        content = path.read_bytes()
    except OSError as cause:
        raise _UnreadableError(str(cause)) from cause
    if b"\0" in content:
        raise _UnreadableError(f"is not text: a zero byte in line {content[: content.index(0)].count(10) + 1}")
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:
        return content.decode("latin-1")
