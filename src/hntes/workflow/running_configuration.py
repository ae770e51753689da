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


def judged_running(router: Router) -> str | None:
    """The running configuration that a candidate is judged together with; None if it is judged alone.

    Raises:
        CommandError: the file cannot be read.
    """
    if router.running_config is None or not router.simulate_with_running_config:
        return None
    return _text(router, router.running_config)


def _text(router: Router, path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as cause:
        raise CommandError(
            f"{path}: the running configuration of router {router.name} cannot be read ({cause}); write it again, "
            "as the router lists it (`hntes router config --store`), or leave running_config out"
        ) from cause
