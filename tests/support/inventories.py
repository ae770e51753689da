"""One network of two routers as inventories tell of it: walks, a table, configurations, a NetBox that answers."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

# By exporter: name, what sysDescr says, what NetBox calls the platform, ports (index, name, Mbit/s, description).
NETWORK = {
    "198.19.251.1": (
        "west1", "Juniper Networks, Inc. mx480 internet router, kernel JUNOS 18.4R3", "juniper-junos",
        ((501, "xe-0/1/0", 10_000, "to campus"), (16, "lo0", 0, "")),
    ),
    "198.19.252.1": (
        "east1", "Cisco IOS XR Software (ASR9K), Version 6.5.3[Default]", "cisco-ios-xr",
        ((502, "TenGigE0/0/0/2", 10_000, "core; north \"ring\""),),
    ),
}  # fmt: skip


def walk_file(folder: Path, exporter: str, *, numeric: bool = False) -> Path:
    """As `snmpwalk -v2c -c ... EXPORTER .1.3.6.1.2.1` prints it, with names or (-On) with numbers."""
    name, system, _, ports = NETWORK[exporter]
    lines = [("SNMPv2-MIB::sysDescr", ".1.3.6.1.2.1.1.1", "0", "STRING", f"{system}\nCopyright (c) a vendor")]
    lines.append(("SNMPv2-MIB::sysUpTime", ".1.3.6.1.2.1.1.3", "0", "Timeticks", "(123) 0:00:01.23"))
    lines.append(("SNMPv2-MIB::sysName", ".1.3.6.1.2.1.1.5", "0", "STRING", f"{name}.example.net"))
    for index, port, megabits, description in ports:
        row = str(index)
        lines.append(("IF-MIB::ifDescr", ".1.3.6.1.2.1.2.2.1.2", row, "STRING", port))
        lines.append(("IF-MIB::ifName", ".1.3.6.1.2.1.31.1.1.1.1", row, "STRING", port))
        lines.append(("IF-MIB::ifHighSpeed", ".1.3.6.1.2.1.31.1.1.1.15", row, "Gauge32", str(megabits)))
        lines.append(("IF-MIB::ifAlias", ".1.3.6.1.2.1.31.1.1.1.18", row, "STRING", description))
    lines.append(("IP-MIB::ipAdEntIfIndex", ".1.3.6.1.2.1.4.20.1.2", exporter, "INTEGER", "16"))
    lines.append(("IP-MIB::ipAdEntIfIndex", ".1.3.6.1.2.1.4.20.1.2", "127.0.0.1", "INTEGER", "16"))
    path = folder / f"{name}.walk"
    said = [
        f"{number if numeric else mib}.{index} = {kind}: {_value(kind, value, numeric)}\n"
        for mib, number, index, kind, value in lines
    ]
    path.write_text("".join(said))
    return path


def _value(kind: str, value: str, numeric: bool) -> str:
    return f'"{value}"' if numeric and kind == "STRING" else value


def table_file(folder: Path) -> Path:
    """The same as a table of ports."""
    path = folder / "inventory.csv"
    rows = ["router,exporter,snmp_index,name,rate_bps"]
    for exporter, (name, _, _, ports) in NETWORK.items():
        rows += [f"{name},{exporter},{index},{port},{megabits}M" for index, port, megabits, _ in ports if megabits]
    path.write_text("\n".join(rows) + "\n")
    return path


# The same as the routers list it; the lines of ifIndex are those of the commands that print them.
CONFIGURATIONS = {
    "west1": """\
## Last commit: 2026-11-20 08:00:00 UTC by anna
version 18.4R3;
system { host-name west1; }
interfaces {
    xe-0/1/0 {
        description "to campus";
        unit 0 { family inet { address 192.0.2.1/30; } }
    }
    xe-0/1/1 { gigether-options { 802.3ad ae0; } }
    et-0/2/0 { disable; unit 0 { family inet; } }
    fxp0 { unit 0 { family inet { address 198.51.100.1/24; } } }
    lo0 { unit 0 { family inet { address 198.19.251.1/32; address 127.0.0.1/32; } } }
}
""",
    "east1": """\
Building configuration...
!! IOS XR Configuration 6.5.3
hostname east1
interface Loopback0
 ipv4 address 198.19.252.1 255.255.255.255
!
interface MgmtEth0/RSP0/CPU0/0
 ipv4 address 198.51.100.2 255.255.255.0
!
interface TenGigE0/0/0/2
 description core; north "ring"
 ipv4 address 192.0.2.2/30
!
interface TenGigE0/0/0/3
 shutdown
 ipv4 address 192.0.2.6 255.255.255.252
!
end
""",
}
INDEXES = {
    "west1": "# ifName.16 = lo0\n# ifName.501 = xe-0/1/0\n",
    "east1": "ifName : TenGigE0_0_0_2    ifIndex : 502\n",
}


def configuration_file(folder: Path, router: str, *, indexes: bool = True) -> Path:
    """A router's configuration, perhaps with its ifIndex."""
    path = folder / f"{router}.conf"
    path.write_text(CONFIGURATIONS[router] + (INDEXES[router] if indexes else ""))
    return path


@contextmanager
def netbox(token: str) -> Iterator[str]:
    """The address of a server that answers as NetBox 4 does for the requests that are made of it."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if self.headers.get("Authorization") != f"Token {token}":
                return self._answer({"detail": "Invalid token"}, 403)
            url = urlsplit(self.path)
            return self._answer(_netbox_document(url.path, parse_qs(url.query)), 200)

        def _answer(self, document: object, status: int) -> None:
            body = json.dumps(document).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("API-Version", "4.2")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


def _netbox_document(path: str, query: dict[str, list[str]]) -> object:
    exporters = list(NETWORK)
    if path == "/api/ipam/ip-addresses/":
        exporter = query["address"][0]
        if exporter not in NETWORK:
            return _listed([])
        number = exporters.index(exporter) + 1
        device = {"id": number, "url": "", "display": NETWORK[exporter][0], "name": NETWORK[exporter][0]}
        assigned = {"id": 100 + number, "url": "", "display": "lo0", "device": device, "name": "lo0"}
        return _listed(
            [{"id": number, "url": "", "address": f"{exporter}/32", "assigned_object_type": "dcim.interface",
              "assigned_object": assigned}]
        )  # fmt: skip
    if path.startswith("/api/dcim/devices/"):
        number = int(path.rstrip("/").rpartition("/")[2])
        name, _, slug, _ = NETWORK[exporters[number - 1]]
        platform = {"id": number, "url": "", "display": slug, "name": slug, "slug": slug}
        return {"id": number, "url": "", "name": name, "platform": platform}
    assert path == "/api/dcim/interfaces/", path
    number = int(query["device_id"][0])
    return _listed(
        [
            {"id": 1000 * number + index, "url": "", "name": port, "speed": None, "description": description,
             "type": {"value": f"{megabits // 1000}gbase-x-sfpp" if megabits else "virtual", "label": "x"},
             "custom_fields": {"snmp_index": index}}
            for index, port, megabits, description in NETWORK[exporters[number - 1]][3]
        ]
    )  # fmt: skip


def _listed(results: list[object]) -> dict[str, object]:
    return {"count": len(results), "next": None, "previous": None, "results": results}
