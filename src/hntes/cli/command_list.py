"""Which commands there are, for the help of `hntes`: it is printed without loading any of them."""

from dataclasses import dataclass


@dataclass(frozen=True)
class ListedCommand:
    """A command's module in cli/commands, and the first sentence of its help; a test compares the two."""

    module: str
    help: str


SECTIONS: dict[str, dict[str, ListedCommand]] = {
    "One night": {
        "init": ListedCommand("init", "Begins a settings file from the flow files in or below folders."),
        "check": ListedCommand("check", "Checks the settings, the database, the engine and nfdump."),
        "nightly": ListedCommand("nightly", "Runs a whole night: the stages from ingest to judge."),
        "backfill": ListedCommand("backfill", "Runs the nights of many past days."),
    },
    "Stages": {
        "ingest": ListedCommand("stages", "Reads flow files into the lake: those of a day, or all."),
        "detect": ListedCommand("stages", "Finds the alpha flows of a day, and whether its data is complete."),
        "measure": ListedCommand("stages", "Measures a day's beta load of every interface."),
        "running-config": ListedCommand(
            "running", "Reads what a router is configured with, which changes are then proposed and judged beside."
        ),
        "propose": ListedCommand("stages", "Renders each router's candidate, with its diff and change set."),
        "judge": ListedCommand("judge", "Judges what a configuration would do to traffic, by simulating its text."),
        "deliver": ListedCommand(
            "deliver", "Puts approved configuration into output/ROUTER/approved, and onto routers that HNTES reaches."
        ),
        "delivered": ListedCommand(
            "deliver", "Records that the approved text was loaded on a router, or that the router runs it."
        ),
        "accept-transition": ListedCommand(
            "deliver", "Accepts the transition to what is approved, although another one was approved with it."
        ),
        "drift": ListedCommand("drift", "Compares what routers hold with what was delivered to them."),
        "counters": ListedCommand(
            "counters", "Reads what routers count of the pairs' packets, and which rules no packet has matched."
        ),
        "withdraw": ListedCommand("withdraw", "Removes all of HNTES, or one pair, from routers that HNTES reaches."),
        "withdrawal": ListedCommand("deliver", "Prints the commands that remove all of HNTES from a router."),
    },
    "Stage decide, by a person": {
        "changes": ListedCommand("decide", "Lists the change sets that wait for a decision."),
        "show": ListedCommand("decide", "Shows one change set: its pairs, the gate's verdict, the difference."),
        "review": ListedCommand(
            "review",
            "Goes through the change sets that wait for a decision, one after the other, then texts of reservations.",
        ),
        "acknowledge": ListedCommand("decide", "Acknowledges how many new pairs a held change set has."),
        "approve": ListedCommand("decide", "Approves exactly the candidate of that hash, if the gate has passed it."),
        "reject": ListedCommand("decide", "Rejects the candidate of that hash: what is in force stays."),
        "hold": ListedCommand(
            "decide", "Holds a change set that waits until a day: `hntes review` does not ask about it before."
        ),
        "take-back": ListedCommand("decide", "Takes back a change set that waits for a decision."),
        "web": ListedCommand("web", "Serves the review page: changes, pairs and the log in a browser, with decisions."),
        "web-user": ListedCommand("web", "Keeps the accounts of the review page."),
        "web-token": ListedCommand("web", "Keeps the tokens of programs that reserve by HTTP."),
    },
    "Overrule": {
        "pin": ListedCommand("overrule", "Keeps a prefix pair, seen or not, until the pin ends."),
        "exclude": ListedCommand("overrule", "Forbids rules for a prefix; wins over pins."),
    },
    "Reserve": {
        "reserve": ListedCommand(
            "reserve", "Promises a rate to transfers that are announced, and keeps the book of what is promised."
        ),
    },
    "Ask": {
        "alphas": ListedCommand("queries", "Lists the alpha flows found on a day."),
        "rules": ListedCommand("queries", "Lists the rules as of a day, and why each exists."),
        "why": ListedCommand("queries", "Explains a prefix pair: its rule, since when, why, the evidence."),
        "days": ListedCommand("queries", "Lists the days up to DAY, and how well flow files cover each."),
        "files": ListedCommand("queries", "Lists the flow files, and what became of each and of its records."),
        "shares": ListedCommand("shares", "Reports whether the alpha/beta split still fits, and which one would."),
        "backtest": ListedCommand(
            "backtest", "Replays past days: what the rules known the evening before would have queued."
        ),
        "audit": ListedCommand("audit", "Lists what happened, when, and by whom; verifies that record."),
        "metrics": ListedCommand("metrics", "Prints the state of every router in Prometheus' text form."),
    },
    "Upkeep": {
        "prune": ListedCommand("upkeep", "Removes what is older than [retention] in the settings says."),
        "forget": ListedCommand("upkeep", "Forgets the files of a flow folder that no router has any more."),
    },
    "Simulator": {
        "reproduce": ListedCommand(
            "reproduce", "Runs published experiments in the simulator and judges every published value."
        ),
        "simulate": ListedCommand(
            "simulate",
            "Runs a scenario of your own: hosts, routers, links, queues, conditioners and flows from a file.",
        ),
    },
}
# Former names, with all options, silently: scripts that use them go on working.
ALIASES = {"gate": "judge", "hand-over": "deliver"}
