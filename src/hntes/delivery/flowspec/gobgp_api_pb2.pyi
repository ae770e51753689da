from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Family(_message.Message):
    __slots__ = ("afi", "safi")
    AFI_FIELD_NUMBER: _ClassVar[int]
    SAFI_FIELD_NUMBER: _ClassVar[int]
    afi: int
    safi: int
    def __init__(self, afi: _Optional[int] = ..., safi: _Optional[int] = ...) -> None: ...

class Path(_message.Message):
    __slots__ = ("is_withdraw", "family", "neighbor_ip", "nlri_binary", "pattrs_binary")
    IS_WITHDRAW_FIELD_NUMBER: _ClassVar[int]
    FAMILY_FIELD_NUMBER: _ClassVar[int]
    NEIGHBOR_IP_FIELD_NUMBER: _ClassVar[int]
    NLRI_BINARY_FIELD_NUMBER: _ClassVar[int]
    PATTRS_BINARY_FIELD_NUMBER: _ClassVar[int]
    is_withdraw: bool
    family: Family
    neighbor_ip: bytes
    nlri_binary: bytes
    pattrs_binary: _containers.RepeatedScalarFieldContainer[bytes]
    def __init__(self, is_withdraw: _Optional[bool] = ..., family: _Optional[_Union[Family, _Mapping]] = ..., neighbor_ip: _Optional[bytes] = ..., nlri_binary: _Optional[bytes] = ..., pattrs_binary: _Optional[_Iterable[bytes]] = ...) -> None: ...

class GetBgpRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class GetBgpResponse(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class ListPeerRequest(_message.Message):
    __slots__ = ("address",)
    ADDRESS_FIELD_NUMBER: _ClassVar[int]
    address: str
    def __init__(self, address: _Optional[str] = ...) -> None: ...

class PeerState(_message.Message):
    __slots__ = ("session_state",)
    SESSION_STATE_FIELD_NUMBER: _ClassVar[int]
    session_state: int
    def __init__(self, session_state: _Optional[int] = ...) -> None: ...

class Peer(_message.Message):
    __slots__ = ("state",)
    STATE_FIELD_NUMBER: _ClassVar[int]
    state: PeerState
    def __init__(self, state: _Optional[_Union[PeerState, _Mapping]] = ...) -> None: ...

class ListPeerResponse(_message.Message):
    __slots__ = ("peer",)
    PEER_FIELD_NUMBER: _ClassVar[int]
    peer: Peer
    def __init__(self, peer: _Optional[_Union[Peer, _Mapping]] = ...) -> None: ...

class ListPathRequest(_message.Message):
    __slots__ = ("table_type", "name", "family", "enable_only_binary")
    TABLE_TYPE_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    FAMILY_FIELD_NUMBER: _ClassVar[int]
    ENABLE_ONLY_BINARY_FIELD_NUMBER: _ClassVar[int]
    table_type: int
    name: str
    family: Family
    enable_only_binary: bool
    def __init__(self, table_type: _Optional[int] = ..., name: _Optional[str] = ..., family: _Optional[_Union[Family, _Mapping]] = ..., enable_only_binary: _Optional[bool] = ...) -> None: ...

class Destination(_message.Message):
    __slots__ = ("paths",)
    PATHS_FIELD_NUMBER: _ClassVar[int]
    paths: _containers.RepeatedCompositeFieldContainer[Path]
    def __init__(self, paths: _Optional[_Iterable[_Union[Path, _Mapping]]] = ...) -> None: ...

class ListPathResponse(_message.Message):
    __slots__ = ("destination",)
    DESTINATION_FIELD_NUMBER: _ClassVar[int]
    destination: Destination
    def __init__(self, destination: _Optional[_Union[Destination, _Mapping]] = ...) -> None: ...

class AddPathStreamRequest(_message.Message):
    __slots__ = ("paths",)
    PATHS_FIELD_NUMBER: _ClassVar[int]
    paths: _containers.RepeatedCompositeFieldContainer[Path]
    def __init__(self, paths: _Optional[_Iterable[_Union[Path, _Mapping]]] = ...) -> None: ...

class AddPathStreamResponse(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...
