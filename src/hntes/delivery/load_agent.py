"""One reading of a router's processor and memory from its SNMP agent."""

import asyncio

from hntes.etl.counters.snmp_session import NoAnswerError, SnmpSession
from hntes.platforms.load import LoadObjects, LoadUnknownError, RouterLoad, load_of
from hntes.settings.snmp import SnmpAccess

_WHOLE_S = 30
# Rows of a column: a chassis has some hundred parts.
_MOST_ROWS = 5_000


def read_load(objects: LoadObjects, access: SnmpAccess, address: str) -> RouterLoad:
    """Asks an agent, by its address, for the objects of its platform; takes 30 s at most.

    Raises:
        LoadUnknownError: it does not answer, or not with these objects.
        CounterSourceError: pysnmp is not installed, or a secret is missing.
    """
    session = SnmpSession(access)
    try:
        answers = asyncio.run(_answers(session, objects, address))
    except (NoAnswerError, TimeoutError) as cause:
        words = str(cause) or f"not done within {_WHOLE_S} s"
        raise LoadUnknownError(f"its SNMP agent {address} gives no answer: {words}") from cause
    return load_of(objects, answers)


async def _answers(
    session: SnmpSession, objects: LoadObjects, address: str
) -> dict[str, dict[tuple[int, ...], str]]:  # fmt: skip
    with session.opened() as agents:
        async with asyncio.timeout(_WHOLE_S):
            target = await agents.target(address)
            return {name: await agents.column(target, column, _MOST_ROWS) for name, column in objects.columns.items()}
