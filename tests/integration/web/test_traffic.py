"""The figures of traffic: every number on the page is the command line's, and what is not known is said."""

import html
import re
from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest
from sqlalchemy import delete

from hntes.format import counted, gigabytes
from hntes.sql.engine import open_database
from hntes.sql.interface_loads import INTERFACE_LOAD, LOAD_DAY
from hntes.sql.load_profiles import LOAD_PROFILE
from tests.support.installation import Installation
from tests.support.prepared_nights import NIGHT, PreparedNights
from tests.support.review_page import Browser, browser, words_in

NEXT = "2026-11-21"
CELL = re.compile(r"<t[hd][^>]*>(.*?)</t[hd]>", re.DOTALL)
FIGURE = re.compile(r'<figure class="plot-of">.*?</figure>', re.DOTALL)


@pytest.fixture(scope="module")
def two_nights(tmp_path_factory: pytest.TempPathFactory, prepared_nights: PreparedNights) -> Installation:
    """The first night's rules are in force, r2's without them; the second night has run."""
    site = prepared_nights.site(tmp_path_factory.mktemp("traffic") / "site")
    for change in site.json("change", "list"):
        if change["router"] != "r2":
            of = ("--router", change["router"], "--day", NIGHT)
            site.run("change", "approve", *of, "--hash", change["candidate_hash"])
    site.run("nightly", "--day", NEXT)
    return site


@pytest.fixture(scope="module")
def page(two_nights: Installation) -> Callable[[str], str]:
    made: Browser = browser(two_nights.settings)
    assert made.log_in("anna").status_code == 303
    return lambda address: made.get(address).text


def figure(text: str, name: str) -> str:
    (found,) = (each for each in FIGURE.findall(text) if f"<figcaption>{name}" in each)
    return found


def rows(text: str) -> list[tuple[str, ...]]:
    """The cells of each row of a table's body."""
    return [
        tuple(html.unescape(re.sub(r"<[^>]+>", "", cell)).strip() for cell in CELL.findall(row))
        for row in re.findall(r"<tr>(.*?)</tr>", text.partition("<tbody>")[2], re.DOTALL)
    ]


@pytest.mark.parametrize("router", ["r1", "r2", "r3"])
def test_the_page_says_what_the_command_says(two_nights: Installation, page: Callable[[str], str], router: str) -> None:
    told = two_nights.run("router", "traffic", "--router", router).stdout
    text = page(f"/router/{router}")
    sentences, _, tables = told.partition("\nday ")
    seen = words_in(text)
    ports = {port["name"] for port in two_nights.json("router", "traffic", "--router", router)["ports"]}
    for sentence in sentences.splitlines():
        name, _, of_port = sentence.partition(": ")
        if name in ports:
            assert of_port in words_in(figure(text, f"Load of {name}"))
        else:
            assert sentence in seen
    assert ports
    days, _, going = tables.partition("\nages out")
    by_day = rows(figure(text, "Alpha traffic of 30 days"))
    assert [re.split(r"\s{2,}", line.strip()) for line in days.splitlines()[1:]] == [list(row) for row in by_day]
    assert len(by_day) == 2
    listed = rows(text.partition("The next rules to age out")[2].partition("</table>")[0])
    assert [row[0] for row in listed] == re.findall(r"^(\S+ > \S+)", going, re.MULTILINE)


def test_the_overview_draws_the_alpha_flows_of_all_routers(
    two_nights: Installation, page: Callable[[str], str]
) -> None:
    """One point for each that the routers' own reports have, in the same state; the largest are in the table."""
    drawn = figure(page("/"), f"Alpha flows of {NEXT}, all routers")
    singles = [two_nights.json("router", "traffic", "--router", name) for name in ("r1", "r2", "r3")]
    flows = [(each["state"], each["flow_bytes"], one["router"]) for one in singles for each in one["flows"]]
    assert {state for state, *_ in flows} == {"new", "rule"}
    for state in {state for state, *_ in flows}:
        (path,) = re.findall(rf'<path class="{state}" d="([^"]+)"', drawn)
        assert path.count("M") == sum(one == state for one, *_ in flows)
    ordered = sorted(flows, key=lambda each: -each[1])[:20]
    assert sorted((row[1], row[3]) for row in rows(drawn)) == sorted((of, gigabytes(size)) for _, size, of in ordered)


def test_the_overview_sums_the_routers(two_nights: Installation, page: Callable[[str], str]) -> None:
    told = two_nights.run("router", "traffic").stdout.splitlines()
    drawn = figure(page("/"), "Alpha traffic of 30 days")
    assert told[0] in words_in(drawn)
    flows, budgets, ageing = told[-3:]
    by_day = [re.split(r"\s{2,}", line.strip()) for line in told[2:-3]]
    assert by_day == [list(row) for row in rows(drawn)]
    shares = rows(figure(page("/"), "Effectiveness by day"))
    assert [(row[0], row[2], row[3]) for row in shares] == [(row[0], row[1], row[3]) for row in by_day]
    assert flows in words_in(figure(page("/"), f"Alpha flows of {NEXT}, all routers"))
    assert budgets in words_in(page("/"))
    assert ageing in words_in(page("/"))
    sums = two_nights.json("router", "traffic")
    singles = [two_nights.json("router", "traffic", "--router", name)["days"] for name in ("r1", "r2", "r3")]
    for number, day in enumerate(sums):
        for column in ("alpha_bytes", "queued_bytes"):
            assert day[column] == sum(each[number][column] for each in singles)
        assert day["routers"] == 3


def test_totals_are_the_sums_of_the_routers(two_nights: Installation) -> None:
    told = two_nights.run("router", "traffic").stdout
    singles = [two_nights.json("router", "traffic", "--router", name) for name in ("r1", "r2", "r3")]
    in_force = [each for each in singles if each["pairs_in_force"] is not None]
    pairs, terms = (sum(each[key] for each in in_force) for key in ("pairs_in_force", "term_budget"))
    assert f"{pairs} pairs in force of {terms} terms on {len(in_force)} routers" in told
    rules = sum(day["rules"] for each in singles for day in each["ageing"])
    assert re.search(rf"^{rules or 'no'} rules? ages? out within 7 complete days", told, re.MULTILINE)


def test_the_load_by_day_is_that_of_the_days(two_nights: Installation, page: Callable[[str], str]) -> None:
    """Each day's bytes are added up from the bins of that day's own report."""
    for name in ("r1", "r2"):
        found = two_nights.json("router", "traffic", "--router", name, "--day", NEXT)
        by_day = {each["name"]: each["days"] for each in found["port_days"]}
        for day in (NIGHT, NEXT):
            ports = two_nights.json("router", "traffic", "--router", name, "--day", day)["ports"]
            assert ports
            for port in ports:
                (sums,) = (each for each in by_day[port["name"]] if each["day"] == day)
                for kind in ("queued", "new", "beta"):
                    assert sums[f"{kind}_bytes"] == pytest.approx(sum(port[f"{kind}_bps"]) * 300 / 8)
                busiest = max(map(sum, zip(*(port[f"{kind}_bps"] for kind in ("queued", "new", "beta")), strict=True)))
                assert sums["busiest_bytes"] == pytest.approx(busiest * 300 / 8)
        told = two_nights.run("router", "traffic", "--router", name).stdout
        for port_name in by_day:
            drawn = figure(page(f"/router/{name}"), f"Mean load of {port_name} by day")
            listed = told.partition(f"day, {port_name}")[2].partition("\n\n")[0].splitlines()[1:]
            shown = [list(row) for row in rows(drawn)]
            assert [re.split(r"\s{2,}", line.strip()) for line in listed[: len(shown)]] == shown
            assert len(shown) == 2


def test_queued_bytes_are_those_of_flows_whose_pair_was_approved_before(two_nights: Installation) -> None:
    """r2 approved nothing, so that nothing was queued; the bytes are those that `hntes flows` lists."""
    for name in ("r1", "r2", "r3"):
        found = two_nights.json("router", "traffic", "--router", name)
        first, second = found["days"]
        for day in (first, second):
            flows = two_nights.json("flows", "--router", name, "--day", day["day"])
            assert day["alpha_bytes"] == sum(each["flow_bytes"] for each in flows if not each["implausible"])
        assert (first["queued_bytes"], first["pairs_in_force"]) == (0, 0)
        states = {flow["state"] for flow in found["flows"]}
        if name == "r2":
            assert (second["queued_bytes"], found["pairs_in_force"], states) == (0, None, {"new"})
            continue
        change = two_nights.json("change", "list", "--all", "--router", name)
        approved = next(each for each in change if each["day"] == NIGHT)
        assert second["pairs_in_force"] == found["pairs_in_force"] == approved["pairs_added"]
        queued = sum(flow["flow_bytes"] for flow in found["flows"] if flow["state"] == "rule")
        assert second["queued_bytes"] == queued > 0


def test_the_load_over_the_day_adds_up_to_the_measured_load(two_nights: Installation) -> None:
    engine = open_database(two_nights.database_url)
    for name in ("r1", "r2", "r3"):
        for port in two_nights.json("router", "traffic", "--router", name)["ports"]:
            with engine.connect() as connection:
                loads = connection.execute(
                    INTERFACE_LOAD.select().where(
                        INTERFACE_LOAD.c.router == name, INTERFACE_LOAD.c.day == date.fromisoformat(NEXT)
                    )
                )
                known = {(row.alpha_bytes + row.beta_bytes): row for row in loads}
            row = known[port["queued_bytes"] + port["new_bytes"] + port["beta_bytes"]]
            assert (port["queued_bytes"] if name != "r2" else port["new_bytes"]) == row.alpha_bytes > 0
            assert (port["new_bytes"] if name != "r2" else port["queued_bytes"]) == 0
            carried = sum(port["queued_bps"]) * 300 / 8
            assert round(carried) == port["queued_bytes"]
    engine.dispose()


def test_what_ages_out_is_what_the_rules_say(two_nights: Installation) -> None:
    for name in ("r1", "r3"):
        ageing = two_nights.json("router", "traffic", "--router", name)["ageing"]
        left = [
            int(found[1])
            for rule in two_nights.json("rules", "--router", name)[name]["rules"]
            if (found := re.search(r"ages out after (\d+) (?:complete|more)", rule["why"])) and int(found[1]) <= 7
        ]
        assert {each["days_left"]: each["rules"] for each in ageing} == {n: left.count(n) for n in range(1, 8)}
        assert left


def test_an_excluded_flow_is_told_apart(tmp_path: Path, prepared_nights: PreparedNights) -> None:
    site = prepared_nights.site(tmp_path / "site", router="r1")
    found = site.json("router", "traffic", "--router", "r1")["flows"]
    assert {flow["state"] for flow in found} == {"new"}
    source = found[0]["source"]
    prefix = f"{source.rpartition('.')[0]}.0/24"
    by = ("--owner", "anna", "--reason", "maintenance", "--from-day", NIGHT, "--until", "2099-12-31")
    site.run("override", "exclude", "add", prefix, "--side", "source", "--router", "r1", *by)
    now = {
        (flow["source"], flow["first_ms"]): flow["state"]
        for flow in site.json("router", "traffic", "--router", "r1")["flows"]
    }
    for (host, _), state in now.items():
        assert state == ("excluded" if host.startswith(prefix.removesuffix("0/24")) else "new")
    assert "excluded" in now.values()


def test_a_day_without_a_load_is_said_and_costs_nothing_else(tmp_path: Path, prepared_nights: PreparedNights) -> None:
    site = prepared_nights.site(tmp_path / "site", router="r1")
    made = browser(site.settings)
    assert made.log_in("vera").status_code == 303
    assert "Load of xe-0/1/0" in made.get("/router/r1").text
    engine = open_database(site.database_url)
    for table, said in ((LOAD_PROFILE, "is not known by time of day"), (LOAD_DAY, "was not measured")):
        with engine.begin() as connection:
            connection.execute(delete(table))
        text = made.get("/router/r1")
        assert text.status_code == 200
        assert said in words_in(text.text)
        assert said in site.run("router", "traffic", "--router", "r1").stdout
        assert "Alpha flows of" in text.text
    engine.dispose()
    for part in site.lake.rglob("*.parquet"):
        part.unlink()
    assert made.get("/router/r1").status_code == 200
    assert made.get("/").status_code == 200


def test_before_the_first_night_there_is_nothing_to_draw(tmp_path: Path, prepared_nights: PreparedNights) -> None:
    site = prepared_nights.site(tmp_path / "site", router="r1")
    made = browser(site.settings)
    assert made.log_in("vera").status_code == 303
    text = made.get("/router/r2").text
    assert '<svg class="plot"' not in text
    assert "no night has run" in text


def test_the_chain_names_each_part(page: Callable[[str], str]) -> None:
    text = page("/")
    strip = re.search(r'<dl class="chain".*?</dl>', text, re.DOTALL)
    assert strip is not None
    parts = re.findall(r'class="(well|unwell|unknown)"><dt>(.*?)</dt><dd>(.*?)</dd>', strip[0])
    assert [name for _, name, _ in parts] == ["Last night", "Flow files", "Exporters", "Drift", "Deliveries"]
    states = {name: state for state, name, _ in parts}
    # HNTES reaches none of these routers: that none has drifted is not known.
    assert (states["Last night"], states["Drift"], states["Deliveries"]) == ("well", "unknown", "unwell")
    anchors = re.findall(r'href="#(\w+)"', strip[0])
    assert anchors == ["undelivered"]
    assert all(f'id="{anchor}"' in text for anchor in anchors)


def test_explored_traffic_is_that_of_the_listed_flows(two_nights: Installation, page: Callable[[str], str]) -> None:
    """The sums are added up here from the flows that `hntes flows` lists, by their hosts' /16."""
    for by, key in (("source", ("source",)), ("destination", ("destination",)), ("pair", ("source", "destination"))):
        sums: dict[str, list[int]] = {}
        for day in (NIGHT, NEXT):
            for flow in two_nights.json("flows", "--router", "r1", "--day", day):
                if not flow["implausible"]:
                    name = " > ".join(f"{'.'.join(flow[side].split('.')[:2])}.0.0/16" for side in key)
                    group = sums.setdefault(name, [0, 0])
                    group[0] += flow["flow_bytes"]
                    group[1] += 1
        told = two_nights.json("flows", "--router", "r1", "--since", NIGHT, "--day", NEXT, "--by", by)
        assert {each["name"]: [each["alpha_bytes"], each["flows"]] for each in told["groups"]} == sums
        seen = page(f"/explore?router=r1&by={by}&since={NIGHT}&until={NEXT}").partition('id="groups"')[2]
        assert {row[0]: [row[1], row[3]] for row in rows(seen)} == {
            name: [gigabytes(carried), str(flows)] for name, (carried, flows) in sums.items()
        }


def test_explored_hosts_are_those_that_the_search_finds(two_nights: Installation, page: Callable[[str], str]) -> None:
    flows = [
        flow
        for day in (NIGHT, NEXT)
        for flow in two_nights.json("flows", "--router", "r1", "--day", day)
        if not flow["implausible"] and flow["source"].startswith("198.18.10.")
    ]
    text = page(f"/explore?router=r1&by=source&q=198.18.10.0/24>&since={NIGHT}&until={NEXT}")
    days = len({flow["day"] for flow in flows})
    assert f"{gigabytes(sum(flow['flow_bytes'] for flow in flows))} on {counted(days, 'day')} from" in words_in(text)


def test_explored_routers_are_the_sums_of_their_flows(two_nights: Installation, page: Callable[[str], str]) -> None:
    told = two_nights.json("flows", "--since", NIGHT, "--day", NEXT, "--by", "router")
    text = page(f"/explore?since={NIGHT}&until={NEXT}").partition('id="groups"')[2]
    listed = {row[0]: row[1] for row in rows(text)}
    for name in ("r1", "r2", "r3"):
        flows = [each for day in (NIGHT, NEXT) for each in two_nights.json("flows", "--router", name, "--day", day)]
        carried = sum(flow["flow_bytes"] for flow in flows if not flow["implausible"])
        (group,) = (each for each in told["groups"] if each["name"] == name)
        assert (group["alpha_bytes"], listed[name]) == (carried, gigabytes(carried))


@pytest.mark.parametrize(
    "asked", ["by=x", "since=2026-11-21&until=2026-11-20", "since=2020-01-01", "by=pair&q=nothing", "until=x"]
)
def test_a_period_that_cannot_be_explored_is_refused(two_nights: Installation, asked: str) -> None:
    made = browser(two_nights.settings)
    made.log_in("anna")
    assert made.get(f"/explore?{asked}").status_code == 400
