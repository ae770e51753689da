"""Processor and memory of EOS routers.

Sources: HOST-RESOURCES-MIB (RFC 2790): hrProcessorLoad, how busy a processor was in the last minute, per cent;
hrStorageTable, rows of type hrStorageRam. EOS lists the main memory as "RAM", whose use includes buffers and the page
cache, and both again as rows of their own, whose memory the kernel gives back on demand.
"""

from collections.abc import Iterator

from hntes.platforms.load import Answers, LoadObjects, Part, number, percents

_STORAGE = (1, 3, 6, 1, 2, 1, 25, 2, 3, 1)
_RAM_TYPE = "1.3.6.1.2.1.25.2.1.2"
_MAIN, _GIVEN_BACK = "RAM", ("RAM (Buffers)", "RAM (Cache)")


def _processors(answers: Answers) -> Iterator[Part]:
    return (part for _, part in percents(answers, "hrProcessorLoad"))


def _memory(answers: Answers) -> Iterator[Part]:
    """The main memory without what the kernel gives back; rows have the same unit."""
    used, size = {}, {}
    for index, kind in answers["hrStorageType"].items():
        taken, whole = (number(answers[column].get(index, "")) for column in ("hrStorageUsed", "hrStorageSize"))
        if kind == _RAM_TYPE and taken is not None and whole:
            name = answers["hrStorageDescr"].get(index, "")
            used[name], size[name] = taken, whole
    if _MAIN in used:
        taken = used[_MAIN] - sum(used.get(name, 0) for name in _GIVEN_BACK)
        yield Part(_MAIN, 100 * max(0, taken) / size[_MAIN])


LOAD = LoadObjects(
    columns={
        "hrProcessorLoad": (1, 3, 6, 1, 2, 1, 25, 3, 3, 1, 2),
        "hrStorageType": (*_STORAGE, 2),
        "hrStorageDescr": (*_STORAGE, 3),
        "hrStorageSize": (*_STORAGE, 5),
        "hrStorageUsed": (*_STORAGE, 6),
    },
    cpu=_processors,
    memory=_memory,
)
