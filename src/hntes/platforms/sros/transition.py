"""Transitions on SR OS: commands in the context `/configure` of a candidate.

Objects of HNTES of the text before are deleted and those of the text after follow, in one candidate: what is committed
is the difference. Bindings that only the text before has are deleted, too. Source: MD-CLI User Guide, "Deleting
configuration elements"; statements in braces are accepted as the router lists them.
"""

from collections.abc import Iterator

from hntes.platforms.owned_config import OwnedConfig, Statement
from hntes.platforms.sros.statements import own_depth, owned

DELETE = "delete "
_INDENT = 4


def sros_commands(delivered: str | None, approved: str | None) -> list[str]:
    """The commands between two texts; None is nothing of HNTES."""
    after = owned(approved).statements if approved is not None else ()
    before = owned(delivered).statements if delivered is not None else ()
    return [*_deleted(before, after), *(_body(approved) if approved is not None else ())]


def _deleted(before: tuple[Statement, ...], after: tuple[Statement, ...]) -> Iterator[str]:
    """Bindings first: SR OS does not delete what is in use. A binding that stays is only said again."""
    stays = {each[: own_depth(each)] for each in after}
    objects = list(dict.fromkeys(each[: own_depth(each)] for each in before))
    bindings = [each for each in objects if len(each) > 3]
    for each in bindings:
        if each not in stays:
            # a binding is a leaf of the operator's object; an embedded filter an entry of it
            yield f"{DELETE}{' '.join(each if each[0] == 'filter' else each[:-1])}"
    for each in objects:
        if each not in bindings:
            yield f"{DELETE}{' '.join(each)}"


def _body(approved: str) -> Iterator[str]:
    """The statements below `configure`, as they are entered in that context."""
    lines = [line for line in approved.splitlines() if not line.startswith("#")]
    yield from (line[_INDENT:] for line in lines[1:-1])


def held_text(part: OwnedConfig) -> str:
    """An owned part as text, from which it can be removed."""
    return "".join(f"{' '.join(each)}\n" for each in part.statements)
