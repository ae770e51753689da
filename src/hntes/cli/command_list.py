"""The list of commands for the help of `hntes`, which is printed without loading them."""

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
    "Set-up": {
        "init": ListedCommand("init:init", "Writes a first settings file from the flow files in or below folders."),
        "check": ListedCommand("check:check", "Checks the settings, the database, the flow files and nfdump."),
        "demo": ListedCommand("demo:demo", "Runs the demonstration: four nights of real flow files, five routers."),
    },
    "Every night": {
        "nightly": ListedCommand("nightly:nightly", "Runs a night: the stages from ingest to judge."),
        "stage": Family(
            "Runs one stage of a night by itself.",
            {
                "ingest": ListedCommand("stages:ingest", "Reads flow files into the lake: those of a day, or all."),
                "detect": ListedCommand(
                    "stages:detect", "Finds the alpha flows of a day and checks its data for completeness."
                ),
                "measure": ListedCommand("stages:measure", "Measures the beta load of every interface on a day."),
                "propose": ListedCommand(
                    "stages:propose", "Renders each router's candidate configuration, its diff and change."
                ),
                "judge": ListedCommand(
                    "judge:judge", "Judges a configuration's effect on traffic by simulating its text."
                ),
            },
        ),
        "data": Family(
            "Shows and maintains stored data.",
            {
                "days": ListedCommand("queries:days", "Lists the days up to DAY and how well flow files cover each."),
                "files": ListedCommand(
                    "queries:files", "Lists the flow files with the outcome of each and of its records."
                ),
                "backtests": ListedCommand(
                    "backtest:stored", "Lists the stored back-tests, or shows the results of one."
                ),
                "announced": ListedCommand(
                    "announced:report", "Sums a day's alpha flows by announced experiment and activity."
                ),
                "listen": ListedCommand(
                    "announced:listen", "Receives SciTags fireflies over UDP and writes them to files of the day."
                ),
                "consume": ListedCommand(
                    "fetch:consume", "Consumes a topic of Kafka with JSON flows into files, until it is stopped."
                ),
                "fetch-flows": ListedCommand(
                    "fetch:fetch_flows", "Fetches a day's flows from Akvorado's ClickHouse into Parquet files."
                ),
                "backfill": ListedCommand("backfill:backfill", "Runs the nights of past days."),
                "forget-folder": ListedCommand(
                    "upkeep:forget_folder", "Forgets the files of a flow folder that no router uses any more."
                ),
                "migrate": ListedCommand("migrate:migrate", "Brings the database schema to this version's."),
                "poll-counters": ListedCommand(
                    "poll:poll_counters", "Polls interface counters of the routers by SNMP, until it is stopped."
                ),
                "prune": ListedCommand("upkeep:prune", "Deletes data older than the limits in [retention]."),
                "verify": ListedCommand("verify:verify", "Verifies the parts of the lake against the ledger."),
            },
        ),
    },
    "Review": {
        "change": Family(
            "Lists changes, shows them, and approves or rejects them.",
            {
                "list": ListedCommand("changes:changes", "Lists the changes that wait for a decision."),
                "show": ListedCommand("changes:show", "Shows one change: its pairs, the gate's verdict, the diff."),
                "review": ListedCommand("review:review", "Goes through the changes that wait for a decision."),
                "acknowledge": ListedCommand(
                    "decide:acknowledge", "Acknowledges the number of new pairs of a held change."
                ),
                "approve": ListedCommand(
                    "decide:approve", "Approves the candidate with this hash, if it passed the gate."
                ),
                "reject": ListedCommand("decide:reject", "Rejects the candidate with this hash."),
                "defer": ListedCommand("decide:defer", "Defers a change until a day."),
                "reopen": ListedCommand(
                    "decide:reopen", "Takes back a rejection or a deferral: the change waits for a decision again."
                ),
                "withdraw": ListedCommand("decide:withdraw", "Withdraws a change that waits for a decision."),
                "sync-git": ListedCommand(
                    "sync_git:sync_git",
                    "Publishes waiting changes as branches of a git repository, and approves merged ones.",
                ),
                "notify": ListedCommand(
                    "notify:notify", "Tells operators what happened since the last message: by e-mail, chat or webhook."
                ),
            },
        ),
        "web": ListedCommand("web:web", "Serves the review page: changes, pairs, the audit log, decisions."),
        "user": Family(
            "Manages the accounts of the review page and the API tokens.",
            {
                "add": ListedCommand("web:user_add", "Adds an account, or changes its role and password."),
                "remove": ListedCommand("web:user_remove", "Removes an account and ends its sessions."),
                "list": ListedCommand("web:user_list", "Lists the accounts and their roles."),
                "add-token": ListedCommand("web:token_add", "Creates a token and prints it once."),
                "remove-token": ListedCommand("web:token_remove", "Removes a token."),
                "list-tokens": ListedCommand(
                    "web:token_list", "Lists the tokens with their owners, scopes and prefixes."
                ),
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
                    "Writes approved configuration to output/ROUTER/approved and loads it on routers with delivery.",
                ),
                "loaded": ListedCommand(
                    "deliver:loaded", "Records that approved configuration was loaded on a router."
                ),
                "verified": ListedCommand(
                    "deliver:verified", "Records that a router was verified to run the approved configuration."
                ),
                "approve-transition": ListedCommand(
                    "deliver:approve_transition", "Approves a changed transition to the approved configuration."
                ),
                "drift": ListedCommand("drift:drift", "Compares running configurations with what was delivered."),
                "counters": ListedCommand(
                    "counters:counters", "Reads the routers' packet counters per pair and lists rules without a match."
                ),
                "traffic": ListedCommand(
                    "traffic:traffic", "Shows a router's traffic, what of it had a rule, and which rules age out."
                ),
                "queue-advice": ListedCommand(
                    "shares:shares", "Checks the alpha/beta queue split against the load and suggests a better one."
                ),
                "remove": ListedCommand("withdraw:remove", "Removes all of HNTES, or one pair, from routers."),
            },
        ),
        "reserve": ListedCommand("reserve:reserve", "Reserves rates for announced transfers."),
        "override": Family(
            "Pins and excludes prefix pairs, and sets minutes aside.",
            {
                "pin": ListedCommand("override:pin", "Pins prefix pairs so that they never age out."),
                "exclude": ListedCommand("override:exclude", "Forbids rules for a prefix; wins over pins."),
                "minute": ListedCommand(
                    "override:minute", "Sets one minute of a port aside: it counts in no load and in no beta peak."
                ),
            },
        ),
    },
    "Queries": {
        "flows": ListedCommand("queries:flows", "Lists the alpha flows found on a day."),
        "rules": ListedCommand("queries:rules", "Lists the rules as of a day with their reasons."),
        "why": ListedCommand("queries:why", "Explains a prefix pair: its rule, its age, the reason, the evidence."),
        "backtest": ListedCommand(
            "backtest:backtest", "Replays past days with the rules known on the evening before each."
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
            "Simulates a scenario file: hosts, routers, links, queues, conditioners and flows.",
        ),
    },
}
