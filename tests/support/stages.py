"""The seven stages and where their names occur: the table that holds commands, functions, tasks and log together."""

from dataclasses import dataclass


@dataclass(frozen=True)
class StageNames:
    """One stage: how it is called, logged and shown. `tasks` are pairs of DAG and task id."""

    stage: str
    commands: tuple[str, ...]
    function: str
    tasks: tuple[tuple[str, str], ...]
    log: str
    heading: str


# In Airflow the task propose of a night detects, measures and judges, too, that of a backfill measures and judges, day
# after day; a person decides by command or in Airflow.
STAGE_NAMES = (
    StageNames(
        stage="ingest",
        commands=("stage ingest",),
        function="hntes.workflow.stages.ingest.ingest",
        tasks=(("hntes_nightly", "router_night.ingest"), ("hntes_backfill", "ingest")),
        log="ingest",
        heading="-- ingest",
    ),
    StageNames(
        stage="detect",
        commands=("stage detect",),
        function="hntes.workflow.stages.detect.detect",
        tasks=(("hntes_backfill", "router_days.detect"),),
        log="detect",
        heading="-- detect",
    ),
    StageNames(
        stage="measure",
        commands=("stage measure",),
        function="hntes.workflow.stages.measure.measure",
        tasks=(),
        log="measure",
        heading="-- measure",
    ),
    StageNames(
        stage="propose",
        commands=("stage propose",),
        function="hntes.workflow.stages.propose.propose",
        tasks=(("hntes_nightly", "router_night.propose"), ("hntes_backfill", "router_days.propose")),
        log="propose",
        heading="-- propose",
    ),
    StageNames(
        stage="judge",
        commands=("stage judge",),
        function="hntes.workflow.stages.judge.judge",
        tasks=(),
        log="judge",
        heading="-- judge",
    ),
    StageNames(
        stage="decide",
        commands=("change approve", "change reject"),
        function="hntes.workflow.review.decide.decide",
        tasks=(("hntes_review", "router_review.decide"),),
        log="decide",
        heading="-- decide",
    ),
    StageNames(
        stage="deliver",
        commands=("router deliver",),
        function="hntes.workflow.delivery.deliver.deliver",
        tasks=(("hntes_review", "router_review.deliver"),),
        log="deliver",
        heading="-- deliver",
    ),
)
