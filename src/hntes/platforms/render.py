"""Rendering of a model as configuration text."""

from hntes.platforms.registry import platform_of
from hntes.platforms.validate import validate
from hntes.rules.qos.model import RouterModel


def render(model: RouterModel) -> str:
    """The configuration of one router, ending in a newline. Equal models give equal bytes.

    Raises:
        ModelError: the model must not be rendered; nothing is written.
        UnknownPlatformError, BrokenPlatformError: as `registry.platform_of`.
    """
    validate(model)
    return platform_of(model.platform).render(model)
