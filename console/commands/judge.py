"""The command that judges a configuration: a standing change set's candidate, or any text."""

import hashlib
from datetime import date
from functools import partial
from pathlib import Path
from typing import Any, cast

import click

from console import output
from console.options import DAY, chosen, json_option, routers_option, with_context
from gate import Judgement, Verdict, judge
from gate.report import WORDS, Heading, outcome_word, value_words, write_report
from pipeline.context import Context
from pipeline.errors import FINISHED_WITH_PROBLEMS, CommandError
from pipeline.judge import Judged, file_subject, judge_change, lab_of
from pipeline.night import decide_rules
from settings.model import Router
from settings.terms import Platform
from sql import change_sets as change_table
from sql.session import reading

PLATFORMS = ("junos", "iosxr", "iosxe")


@click.command()
@routers_option
@click.option("--day", type=DAY, default=None, help="Day of the change set. Default: the latest.")
@click.option(
    "--file", "path", type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="Judge this text instead, as if it were --router's configuration; nothing is stored.",
)  # fmt: skip
@click.option("--platform", type=click.Choice(PLATFORMS), default=None, help="Its language. Default: the router's.")
@click.option("--out", type=click.Path(path_type=Path, file_okay=False), help="Folder for the report of --file.")
@json_option
@with_context
def gate(
    context: Context, router_names: tuple[str, ...], day: date | None, path: Path | None, platform: str | None,
    out: Path | None, as_json: bool,
) -> None:  # fmt: skip
    """Judges what a configuration would do to traffic, by simulating the text before anyone approves it.

    The text is read back, and the published testbed experiments run through the ports that it describes. Only what
    passed all criteria can be approved. Exit status 3: something did not pass.
    """
    if path is not None:
        judged = [_judge_file(context, router_names, day, path, platform, out)]
    elif platform is not None or out is not None:
        raise click.UsageError("--platform and --out go with --file")
    else:
        judged = _judge_changes(context, chosen(context, router_names), day)
    if as_json:
        output.as_json([judged_document(each) for each in judged])
    else:
        for each in judged:
            print_judged(each)
    if not all(each.judgement.is_passing for each in judged):
        raise click.exceptions.Exit(FINISHED_WITH_PROBLEMS)


def judged_document(judged: Judged) -> dict[str, Any]:
    """A judgement for machines."""
    return {
        "router": judged.router,
        "candidate_hash": judged.candidate_hash,
        "passes": judged.judgement.is_passing,
        "verdicts": judged.judgement.verdicts,
        "files": judged.files,
    }


def print_judged(judged: Judged) -> None:
    """A judgement for people: each measure with its limit, then what is to be known of those that did not pass."""
    judgement = judged.judgement
    output.line(gate_line(judged))
    output.table(
        ("criterion", "measure", "found", "limit", "verdict"),
        [
            (v.criterion, v.measure.replace("_", " "), value_words(v.value, v.unit), value_words(v.limit, v.unit),
             WORDS[v.outcome])
            for v in judgement.verdicts
        ],
    )  # fmt: skip
    for sentence in objections(judgement):
        output.line(f"  {sentence}")
    if judged.files:
        output.line(f"  report: {', '.join(str(file) for file in judged.files.values())}")


def gate_line(judged: Judged) -> str:
    """A judgement in one line."""
    return f"{judged.router}: gate: {outcome_word(judged.judgement)}, candidate {judged.candidate_hash[:12]}"


def objections(judgement: Judgement) -> list[str]:
    """Why a text did not pass, each reason once."""
    return list(dict.fromkeys(_objection(each) for each in judgement.verdicts if not each.is_passing))


def _objection(verdict: Verdict) -> str:
    return f"{verdict.criterion} {WORDS[verdict.outcome]}: {verdict.sentence}"


def _judge_changes(context: Context, routers: list[Router], day: date | None) -> list[Judged]:
    lab, judged = lab_of(context), []
    for router in routers:
        of_day = day or _latest_day(context, router.name)
        with output.share_progress() as progress:
            tell = partial(progress, f"simulating {router.name}")
            judged.append(judge_change(context, router, of_day, lab=lab, progress=tell))
    return judged


def _judge_file(
    context: Context, names: tuple[str, ...], day: date | None, path: Path, platform: str | None, out: Path | None
) -> Judged:
    if len(names) != 1:
        raise click.UsageError("--file needs exactly one --router, whose interfaces, plan and pairs it is judged by")
    (router,) = chosen(context, names)
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError as cause:
        raise CommandError(f"{path}: is no text in UTF-8 ({cause.reason} at byte {cause.start})") from cause
    decided = decide_rules(context, router, day or _latest_day(context, router.name))
    pairs = tuple(rule.pair for rule in decided.selection.kept)
    subject = file_subject(context, router, cast(Platform, platform or router.platform), text, pairs)
    lab = lab_of(context)
    with output.share_progress() as progress:
        judgement = judge(subject, context.settings.gate, lab, partial(progress, f"simulating {path.name}"))
    digest = hashlib.sha256(text.encode()).hexdigest()
    heading = Heading(router.name, path.name, digest)
    files = write_report(out, heading, judgement, context.settings.gate, lab) if out is not None else {}
    return Judged(router.name, digest, judgement, files)


def _latest_day(context: Context, router: str) -> date:
    with reading(context.database) as session:
        found = change_table.change_sets(session, router)
    if not found:
        raise CommandError(f"router {router} has no change set; run `hntes nightly` first")
    return found[-1].day
