"""Client of GoBGP 3 over gRPC: its table, the paths sent to a neighbor, and changes.

Source: GoBGP's api/gobgp.proto of version 3.10; gobgp_api.proto has the part that is used. Rules are exchanged in BGP
encoding (`nlri_binary`, `pattrs_binary`), so that both directions follow the RFC rather than the API.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import grpc
from google.protobuf.message import Message

from hntes.delivery.flowspec import gobgp_api_pb2 as api
from hntes.delivery.flowspec.nlri import AFI, SAFI
from hntes.delivery.flowspec.path import Change, Path
from hntes.platforms.device_errors import RefusedError, UnclearError, UnreachableError

_SERVICE = "/apipb.GobgpApi/"
_GLOBAL, _ADJ_OUT = 0, 3
_ESTABLISHED = 6
_CHUNK = 500
# The neighbor of paths that were added to the speaker locally.
_NO_NEIGHBOR = (b"", b"<nil>")
_SHOWN = 300
# Errors without certainty that nothing was done.
_UNREACHED = (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.DEADLINE_EXCEEDED)
# Never use a proxy: the speaker runs on this machine.
_OPTIONS = (("grpc.enable_http_proxy", 0),)


class GoBgp:
    """One speaker. Requests raise RefusedError (not done) or UnclearError (may be done)."""

    def __init__(self, address: str, timeout_s: float) -> None:
        """Connects. Raises UnreachableError if nothing answers at the address, or it is not GoBGP 3."""
        self._address, self._timeout_s = address, timeout_s
        self._channel = grpc.insecure_channel(address, options=_OPTIONS)
        try:
            self._ask("GetBgp", api.GetBgpRequest(), api.GetBgpResponse)
        except (RefusedError, UnclearError) as cause:
            self.close()
            raise UnreachableError(f"{cause}; is gobgpd (version 3) running there?") from cause

    def held(self, ip_version: int) -> list[Path]:
        """All FlowSpec paths of a family."""
        return self._paths(_GLOBAL, ip_version, "")

    def sent(self, ip_version: int, neighbor: str) -> list[Path]:
        """The paths sent to a neighbor, after export policies; empty without a session."""
        return self._paths(_ADJ_OUT, ip_version, neighbor)

    def has_session(self, neighbor: str) -> bool:
        """Whether the session with a neighbor is up.

        Raises:
            RefusedError: the speaker has no such neighbor.
        """
        for answer in self._stream("ListPeer", api.ListPeerRequest(address=neighbor), api.ListPeerResponse):
            return bool(answer.peer.state.session_state == _ESTABLISHED)
        raise RefusedError(f"BGP speaker {self._address}: no neighbor {neighbor}; configure it there")

    def change(self, changes: Sequence[Change]) -> None:
        """Announces and withdraws paths, in this order. After an error a part may have been done."""
        messages = [
            api.AddPathStreamRequest(paths=[_path(each) for each in changes[at : at + _CHUNK]])
            for at in range(0, len(changes), _CHUNK)
        ]
        call = self._channel.stream_unary(
            f"{_SERVICE}AddPathStream",
            api.AddPathStreamRequest.SerializeToString,
            api.AddPathStreamResponse.FromString,
        )
        try:
            call(iter(messages), timeout=self._timeout_s)
        except grpc.RpcError as cause:
            raise UnclearError(f"BGP speaker {self._address}: {_said(cause)}; call again") from cause

    def close(self) -> None:
        """Closes the connection; announcements stay."""
        self._channel.close()

    def _paths(self, table: int, ip_version: int, name: str) -> list[Path]:
        request = api.ListPathRequest(table_type=table, name=name, family=_family(ip_version), enable_only_binary=True)
        answers = self._stream("ListPath", request, api.ListPathResponse)
        return [each for answer in answers for each in _read(ip_version, answer)]

    def _ask(self, method: str, request: Message, answer: type[Message]) -> None:
        call = self._channel.unary_unary(f"{_SERVICE}{method}", type(request).SerializeToString, answer.FromString)
        try:
            call(request, timeout=self._timeout_s)
        except grpc.RpcError as cause:
            raise self._error(cause) from cause

    def _stream(self, method: str, request: Message, answer: type[Message]) -> list[Any]:
        call = self._channel.unary_stream(f"{_SERVICE}{method}", type(request).SerializeToString, answer.FromString)
        try:
            return list(call(request, timeout=self._timeout_s))
        except grpc.RpcError as cause:
            raise self._error(cause) from cause

    def _error(self, cause: Any) -> RefusedError | UnclearError:
        kind = UnclearError if cause.code() in _UNREACHED else RefusedError
        return kind(f"BGP speaker {self._address}: {_said(cause)}")


def _family(ip_version: int) -> api.Family:
    return api.Family(afi=AFI[ip_version], safi=SAFI)


def _path(change: Change) -> api.Path:
    """The API message of a change; one without attributes is a withdrawal."""
    return api.Path(
        family=_family(change.ip_version),
        nlri_binary=change.nlri,
        pattrs_binary=change.attributes,
        is_withdraw=not change.attributes,
    )


def _read(ip_version: int, answer: api.ListPathResponse) -> Iterator[Path]:
    for path in answer.destination.paths:
        yield Path(ip_version, path.nlri_binary, tuple(path.pattrs_binary), path.neighbor_ip in _NO_NEIGHBOR)


def _said(cause: Any) -> str:
    return " ".join(str(cause.details() or cause.code().name).split())[:_SHOWN]
