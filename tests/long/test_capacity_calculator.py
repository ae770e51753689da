"""The capacity page's calculator, in a real browser: the numbers of the model."""

import math
import re
from collections.abc import Iterator

import pytest
from selenium.webdriver import Chrome
from selenium.webdriver.common.by import By

from benchmarks.capacity import PAGE, Model, Size, stored_model
from tests.support.chromium import CHROMIUM, DRIVER, started_chromium

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(not (CHROMIUM and DRIVER), reason="chromium and chromedriver are not installed"),
]


@pytest.fixture(scope="module")
def model() -> Model:
    return stored_model(PAGE.read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def chrome(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Chrome]:
    page = PAGE.read_text(encoding="utf-8")
    parts = [found[0] for found in re.finditer(r"<(form|script).*?</\1>", page, re.DOTALL)]
    file = tmp_path_factory.mktemp("capacity") / "page.html"
    script = (PAGE.parent.parent / "capacity.js").read_text(encoding="utf-8")
    file.write_text(
        f"<!doctype html><title>capacity</title>{''.join(parts)}<script>{script}</script>", encoding="utf-8"
    )
    with started_chromium() as browser:
        browser.get(file.as_uri())
        yield browser


@pytest.mark.parametrize("size", [Size(1000, 50_000_000, 5), Size(1, 400_000_000, 0), Size(3, 1_000, 7)])
@pytest.mark.parametrize("cores", [1, 16, 300])
def test_the_calculator_says_what_the_model_says(chrome: Chrome, model: Model, size: Size, cores: int) -> None:
    given = {"routers": size.routers, "records": size.records, "plans": size.new_plans, "cores": cores}
    for name, value in given.items():
        field = chrome.find_element(By.NAME, name)
        field.clear()
        field.send_keys(str(value))
    shown = chrome.find_element(By.NAME, "result").get_property("value")
    numbers = [int(number.replace(",", "")) for number in re.findall(r"\d[\d,]*", str(shown))]
    total = size.routers * size.records
    minutes = math.ceil(60 * model.hours(size, cores))
    wanted = [
        model.cpu_s(size), minutes, cores, model.memory_gib(size, cores),
        total * model.lake_bytes / 1e9, total * model.flow_file_bytes / 1e9,
    ]  # fmt: skip
    assert numbers == pytest.approx(wanted, abs=0.5)
