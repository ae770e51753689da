"""NETCONF sessions with an emulated SR OS router without a network between; see `direct_netconf`.

What the driver asks for is as ncclient has it (`platforms/sros/session.py`).
"""

from typing import Any

from tests.support.devices.direct_netconf import DirectNetconf


class DirectSros(DirectNetconf):
    """One session with the operations of RFC 6241 that the driver uses."""

    def get_config(self, source: str) -> str:
        return self.rpc(f"<get-config><source><{source}/></source></get-config>")

    def edit_config(self, target: str, config: str) -> str:
        return self.rpc(f"<edit-config><target><{target}/></target>{config}</edit-config>")

    def validate(self, source: str) -> str:
        return self.rpc(f"<validate><source><{source}/></source></validate>")

    def commit(  # type: ignore[override]
        self, *, confirmed: bool = False, timeout: str = "", persist: str = "", persist_id: str = ""
    ) -> str:
        wanted = f"<confirmed/><confirm-timeout>{timeout}</confirm-timeout>" if confirmed else ""
        wanted += f"<persist>{persist}</persist>" if persist else ""
        wanted += f"<persist-id>{persist_id}</persist-id>" if persist_id else ""
        return self.rpc(f"<commit>{wanted}</commit>")

    def cancel_commit(self, persist_id: str) -> str:
        return self.rpc(f"<cancel-commit><persist-id>{persist_id}</persist-id></cancel-commit>")

    def copy_config(self, source: str, target: str) -> str:
        return self.rpc(f"<copy-config><target><{target}/></target><source><{source}/></source></copy-config>")

    def get(self, **_: Any) -> str:
        return self.rpc("<get/>")
