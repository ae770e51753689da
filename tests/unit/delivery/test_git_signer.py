"""The names by which the signer of a merge may be known."""

import pytest

from hntes.delivery.git_repository import Introduced


@pytest.mark.parametrize(
    ("signer", "names"),
    [
        ("anna@example.net", ("anna@example.net",)),
        ("*@example.net", ("*@example.net",)),
        ("Anna Berg (noc) <anna@example.net>", ("Anna Berg (noc) <anna@example.net>", "anna@example.net")),
        ("<anna@example.net>", ("<anna@example.net>", "anna@example.net")),
        ("Bert <bert@example.net> <anna@example.net>", ("Bert <bert@example.net> <anna@example.net>",)),
        ("anna@example.net <bert@example.net>", ("anna@example.net <bert@example.net>",)),
        ("<anna@example.net> Bert", ("<anna@example.net> Bert",)),
    ],
)
def test_only_the_one_address_of_a_user_id_is_a_name_and_fingerprints_come_first(
    signer: str, names: tuple[str, ...]
) -> None:
    merge = Introduced("1" * 40, (), "anna@example.net", "G", signer, ("SUBKEY", "PRIMARY"))
    assert merge.signer_names == ("SUBKEY", "PRIMARY", *names)
