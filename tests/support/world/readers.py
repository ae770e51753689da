"""What platforms read in texts, remembered: nights and deliveries of all worlds read the same texts over and over.

A reader is a function of its text, the interfaces and how it is asked. A test has a world without this beside it.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import cache, lru_cache
from typing import Any

from hntes.platforms.registry import platform_of

# The functions of a dialect whose result is nothing but what the text says.
_OF_DIALECT = ("owned", "foreign", "listed")
# Of each reader. A world has some dozens of texts.
_MOST = 500


@contextmanager
def remembering_readers(platforms: Iterable[str]) -> Iterator[None]:
    """Within it, these platforms' readers are asked once about each text. A text that is refused is asked anew."""
    replaced: list[tuple[Any, str, Any]] = []
    for name in sorted(set(platforms)):
        platform = platform_of(name)
        for of, attribute in ((platform, "parse"), *((platform.dialect, each) for each in _OF_DIALECT)):
            replaced.append((of, attribute, getattr(of, attribute)))
            # a frozen object takes it no other way
            object.__setattr__(of, attribute, _remembering(name, attribute, getattr(of, attribute)))
    try:
        yield
    finally:
        for of, attribute, before in replaced:
            object.__setattr__(of, attribute, before)


@cache
def _remembering(_platform: str, attribute: str, ask: Callable[..., Any]) -> Callable[..., Any]:
    if attribute != "parse":
        return lru_cache(_MOST)(ask)

    @lru_cache(_MOST)
    def asked(text: str, interfaces: tuple[Any, ...], options: tuple[tuple[str, bool], ...]) -> Any:
        return ask(text, interfaces, **dict(options))

    def parse(text: str, interfaces: Iterable[Any], **options: bool) -> Any:
        return asked(text, tuple(interfaces), tuple(sorted(options.items())))

    return parse
