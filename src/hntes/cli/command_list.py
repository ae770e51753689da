"""Which commands there are, for the help of `hntes`: it is printed without loading any of them."""

from dataclasses import dataclass


@dataclass(frozen=True)
class ListedCommand:
    """Where a command is (`module:function` in cli/commands), and the first sentence of its help; a test compares."""

    target: str
    help: str


@dataclass(frozen=True)
class Family:
    """A noun and the commands that are its verbs."""

    help: str
    commands: dict[str, ListedCommand]


SECTIONS: dict[str, dict[str, ListedCommand | Family]] = {
    "Every night": {
        "init": ListedCommand("init:init", "Writes a first settings file from the flow files in or below folders."),
        "check": ListedCommand("check:check", "Checks the settings, the database, the flow files and nfdump."),
        "nightly": ListedCommand("nightly:nightly", "Runs a night: the stages from ingest to judge."),
        "stage": Family(
            "Runs one stage of a night by itself.",
            {
                "ingest": ListedCommand("stages:ingest", "Reads flow files into the lake: those of a day, or all."),
                "detect": ListedCommand(
                    "stages:detect", "Finds the alpha flows of a day, and whether its data is complete."
                ),
                "measure": ListedCommand("stages:measure", "Measures the beta load of every interface on a day."),
                "propose": ListedCommand(
                    "stages:propose", "Renders the candidate configuration of each router, with its diff and change."
                ),
                "judge": ListedCommand(
                    "judge:judge", "Judges what a configuration would do to traffic, by simulating its text."
                ),
            },
        ),
        "data": Family(
            "Shows and maintains what has been read and stored.",
            {
                "days": ListedCommand("queries:days", "Lists the days up to DAY, and how well flow files cover each."),
                "files": ListedCommand(
                    "queries:files", "Lists the flow files, and the outcome of each and of its records."
                ),
                "backfill": ListedCommand("backfill:backfill", "Runs the nights of many past days."),
                "forget-folder": ListedCommand(
                    "upkeep:forget_folder", "Forgets the files of a flow folder that no router has any more."
                ),
                "prune": ListedCommand("upkeep:prune", "Deletes data older than the limits in [retention]."),
            },
        ),
    },
    "Review": {
        "change": Family(
            "Lists, shows and decides changes.",
            {
                "list": ListedCommand("decide:changes", "Lists the changes that wait for a decision."),
                "show": ListedCommand("decide:show", "Shows one change: its pairs, the verdict of the gate, the diff."),
                "review": ListedCommand("review:review", "Goes through the changes that wait for a decision."),
                "acknowledge": ListedCommand(
                    "decide:acknowledge", "Acknowledges the number of new pairs of a change that is held for it."
                ),
                "approve": ListedCommand(
                    "decide:approve", "Approves exactly the candidate with this hash, if the gate has passed it."
                ),
                "reject": ListedCommand("decide:reject", "Rejects the candidate with this hash."),
                "defer": ListedCommand("decide:defer", "Defers a change until a day."),
                "withdraw": ListedCommand("decide:withdraw", "Withdraws a change that waits for a decision."),
            },
        ),
        "web": ListedCommand("web:web", "Serves the review page: changes, pairs, the audit log, decisions."),
        "user": Family(
            "Manages the accounts of the review page.",
            {
                "add": ListedCommand("web:user_add", "Adds an account, or changes its role and password."),
                "remove": ListedCommand("web:user_remove", "Removes an account and ends its sessions."),
                "list": ListedCommand("web:user_list", "Lists the accounts and their roles."),
            },
        ),
        "token": Family(
            "Manages API tokens for the reservation API.",
            {
                "add": ListedCommand("web:token_add", "Makes a token, and prints it once."),
                "remove": ListedCommand("web:token_remove", "Removes a token."),
                "list": ListedCommand("web:token_list", "Lists the names and owners of the tokens."),
            },
        ),
    },
    "Routers": {
        "router": Family(
            "Delivers configuration to routers and compares them with it.",
            {
                "config": ListedCommand(
                    "running:config", "Fetches a router's running configuration; later changes are checked against it."
                ),
                "deliver": ListedCommand(
                    "deliver:deliver",
                    "Writes approved configuration to output/ROUTER/approved, and loads it on routers with delivery.",
                ),
                "loaded": ListedCommand(
                    "deliver:loaded", "Records that approved configuration was loaded on a router."
                ),
                "verified": ListedCommand(
                    "deliver:verified", "Records that a router was seen to run the approved configuration."
                ),
                "approve-transition": ListedCommand(
                    "deliver:approve_transition", "Approves a changed transition to the approved configuration."
                ),
                "drift": ListedCommand("drift:drift", "Compares what routers hold with what was delivered to them."),
                "counters": ListedCommand(
                    "counters:counters", "Reads the routers' packet counters per pair, and lists rules without a match."
                ),
                "queue-advice": ListedCommand(
                    "shares:shares", "Reports whether the alpha/beta split still fits, and which one would."
                ),
                "remove": ListedCommand("withdraw:remove", "Removes all of HNTES, or one pair, from routers."),
            },
        ),
        "reserve": ListedCommand(
            "reserve:reserve", "Reserves rates for announced transfers, and lists what is reserved."
        ),
        "override": Family(
            "Pins and excludes prefix pairs.",
            {
                "pin": ListedCommand("overrule:pin", "Pins prefix pairs so that they never age out."),
                "exclude": ListedCommand("overrule:exclude", "Forbids rules for a prefix; wins over pins."),
            },
        ),
    },
    "Queries": {
        "flows": ListedCommand("queries:flows", "Lists the alpha flows found on a day."),
        "rules": ListedCommand("queries:rules", "Lists the rules as of a day, and why each exists."),
        "why": ListedCommand("queries:why", "Explains a prefix pair: its rule, since when, why, the evidence."),
        "backtest": ListedCommand(
            "backtest:backtest", "Replays past days: what the rules known the evening before would have queued."
        ),
        "audit": ListedCommand("audit:audit", "Shows or verifies the audit log."),
        "metrics": ListedCommand("metrics:metrics", "Prints the state of every router in Prometheus text format."),
    },
    "Simulator": {
        "reproduce": ListedCommand(
            "reproduce:reproduce", "Runs published experiments in the simulator and compares every published value."
        ),
        "simulate": ListedCommand(
            "simulate:simulate",
            "Runs a scenario of your own: hosts, routers, links, queues, conditioners and flows from a file.",
        ),
    },
}
