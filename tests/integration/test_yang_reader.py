"""Texts checked against a small YANG model of our own; `tests/long/test_vendor_yang.py` relies on it."""

from pathlib import Path

import pytest

from tests.support.yang import cisco, junos
from tests.support.yang.cisco import Form
from tests.support.yang.schema import PYANG, Node, load

pytestmark = pytest.mark.skipif(PYANG is None, reason="pyang is not installed: pip install --no-deps pyang==2.7.1")

WORDS = """
module words {
  namespace "urn:words"; prefix w;
  extension cli-feature { argument name; }
  extension posix-pattern { argument pattern; }
}
"""
LAMPS = """
module lamps {
  namespace "urn:lamps"; prefix l;
  import words { prefix w; }
  typedef watts { type uint16 { range "1..200"; } }
  container configuration {
    container lamps {
      list lamp {
        key name;
        w:cli-feature "nokeyword";
        leaf name {
          w:cli-feature "nokeyword";
          type string { w:posix-pattern "!^((__.*)|(.{9,}))$"; }
        }
        leaf power { type watts { range "1..100"; } }
        leaf colour { type enumeration { enum warm; enum cold; } }
        leaf-list room { type string { pattern "[a-z]+"; } }
        leaf level { type union { type uint8 { range "0..10"; } type enumeration { enum full; } } }
        choice supply {
          leaf battery { type empty; }
          case mains { leaf socket { type uint8; mandatory true; } leaf fuse { type empty; } }
        }
      }
    }
    list fuses { key name; leaf name { w:cli-feature "nokeyword"; type string; } leaf limit { type uint8; } }
  }
}
"""
MORE = """
module more {
  namespace "urn:more"; prefix m;
  import lamps { prefix l; }
  augment /l:configuration { container lamps { leaf dimmed { type uint8; must ". < ../m:bright"; }
    leaf bright { type uint8; } container night { presence "night"; } } }
}
"""
FORMS = (
    Form("", "lamps", ("lamps",), "lamps"),
    Form("lamps", "{what} {value}", ("{what}={value}",)),
    Form("lamps", "{what}", ("{what}",)),
    Form("lamps", "lamp {name}(?: power {power})?", ("lamp[{name}]", "lamp[{name}]/power={power}"), "lamp"),
    Form("lamp", "{what} {values*}", ("{what}={values}",)),
)


@pytest.fixture(scope="module")
def top(tmp_path_factory: pytest.TempPathFactory) -> Node:
    folder = tmp_path_factory.mktemp("yang")
    for name, text in (("words", WORDS), ("lamps", LAMPS), ("more", MORE)):
        (folder / f"{name}.yang").write_text(text, encoding="utf-8")
    found = load(folder, ("lamps", "more")).named("configuration")
    assert found is not None
    return found


@pytest.mark.parametrize(
    "statement",
    [
        "desk { power 100; colour warm; room [ a b ]; level full; }",
        "desk { room a; room b; level 10; battery; }",
        "desk { socket 3; fuse; }",
        "desk socket 3 fuse;",
        "inactive: desk power 3; desk power 4;",
    ],
)
def test_braces_that_the_model_takes(top: Node, statement: str) -> None:
    assert junos.findings(f"lamps {{ {statement} }}", top) == []


@pytest.mark.parametrize(
    ("statement", "reason"),
    [
        ("desk { power 101; }", "/lamps/lamp[desk]/power does not take '101'"),
        ("desk { power x; }", "/lamps/lamp[desk]/power does not take 'x'"),
        ("desk { power; }", "/lamps/lamp[desk]/power lacks a value"),
        ("desk { colour hot; }", "/lamps/lamp[desk]/colour does not take 'hot'"),
        ("desk { room [ a 7 ]; }", "/lamps/lamp[desk]/room does not take '7'"),
        ("desk { level 11; }", "/lamps/lamp[desk]/level does not take '11'"),
        ("desk { weight 3; }", "/lamps/lamp[desk] does not know 'weight'"),
        ("desk { power 3; power 4; }", "/lamps/lamp[desk]/power is 3 already"),
        ("desk { battery 3; }", "/lamps/lamp[desk] does not know '3'"),
        ("desk { battery; socket 3; }", "/lamps/lamp[desk]: battery, mains of the choice supply exclude each other"),
        ("desk { fuse; }", "/lamps/lamp[desk] lacks socket"),
        ("__desk { power 3; }", "/lamps does not know '__desk'"),
        ("reading-lamp { power 3; }", "/lamps does not know 'reading-lamp'"),
    ],
)
def test_braces_that_the_model_does_not_take(top: Node, statement: str, reason: str) -> None:
    assert [each.reason for each in junos.findings(f"lamps {{ {statement} }}", top)] == [reason]


def test_entries_of_a_list_stand_in_its_block_or_behind_its_name(top: Node) -> None:
    assert junos.findings("fuses { replace: a { limit 3; } b limit 4; }\nfuses c limit 255;", top) == []
    found = junos.findings("fuses {\n    a { limit 3; }\n    b { limit 256; }\n}\n", top)
    assert [(each.line, each.statement) for each in found] == [(3, "limit 256")]


def test_commands_name_a_place_without_its_value(top: Node) -> None:
    assert junos.findings("# comment\ndelete lamps desk\nactivate lamps desk power\n", top) == []
    assert [each.line for each in junos.findings("delete lamps desk\ndelete lamps desk voltage\n", top)] == [2]


@pytest.mark.parametrize(
    "lines",
    ["lamps\n lamp desk power 3\n  room a b\n  no level 3\n !\n bright 3", "lamps\n bright 3\n dimmed 2\n night"],
)
def test_lines_that_the_model_takes(top: Node, lines: str) -> None:
    assert cisco.findings(lines, top, FORMS) == []


@pytest.mark.parametrize(
    ("lines", "line", "reason"),
    [
        ("lamps\n lamp desk power 101", 2, "/lamps/lamp[desk]/power does not take '101'"),
        ("lamps\n lamp desk\n  no level 11", 3, "/lamps/lamp[desk]/level does not take '11'"),
        ("lamps\n lamp desk\n  room a 7", 3, "/lamps/lamp[desk]/room does not take '7'"),
        ("lamps\n lamp desk\n bright 3 4", 3, "no statement of the mode 'lamps' reads so"),
        ("lamps\n bright", 2, "/lamps/bright does not take ''"),
        ("lamps\n weight 3", 2, "/lamps does not know 'weight'"),
        ("lamp desk", 1, "no statement of the mode 'configuration' reads so"),
        ("lamps\n bright 2\n dimmed 3", 0, "/lamps/dimmed: . < ../m:bright does not hold"),
    ],
)
def test_lines_that_the_model_does_not_take(top: Node, lines: str, line: int, reason: str) -> None:
    assert [(each.line, each.reason) for each in cisco.findings(lines, top, FORMS)] == [(line, reason)]


def test_a_folder_without_a_module_is_refused(tmp_path: Path) -> None:
    (tmp_path / "words.yang").write_text(WORDS, encoding="utf-8")
    with pytest.raises(ValueError, match="has no module lamps"):
        load(tmp_path, ("words", "lamps"))


def test_modules_that_do_not_hold_together_are_refused(tmp_path: Path) -> None:
    (tmp_path / "words.yang").write_text(WORDS, encoding="utf-8")
    (tmp_path / "lamps.yang").write_text(LAMPS.replace("type watts {", "type volts {"), encoding="utf-8")
    with pytest.raises(ValueError, match=r"do not hold together: .*TYPE_NOT_FOUND"):
        load(tmp_path, ("lamps",))
