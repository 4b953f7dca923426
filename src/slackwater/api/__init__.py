"""The public interface, and all that a command line or console needs: sessions, projects, results.

Everything a result carries has its name here.
"""

from slackwater.api.project import Project, open_project
from slackwater.api.session import Session, Source, View, open_home
from slackwater.catalog.definitions import SourceDefinition, ViewDefinition
from slackwater.catalog.goals import Goal
from slackwater.events import (
    Committed,
    Event,
    MergeCommitted,
    MergeStarted,
    Progress,
    Subscription,
    ViewDecided,
    Warned,
)
from slackwater.explain.cost_text import cost_lines, run_lines, view_lines
from slackwater.explain.explanations import (
    CostExplanation,
    ExplainedOperator,
    ExplainedState,
    ExplainedStep,
    Explanation,
    PlanExplanation,
    ProgramExplanation,
    SeenRows,
    StoredSize,
    WhyExplanation,
)
from slackwater.explain.query_explanation import (
    ExplainedColumn,
    LeftToSpark,
    QueryExplanation,
    explain_query,
)
from slackwater.explain.status import (
    ConsideredAction,
    HistoryRow,
    SourceStatus,
    Status,
    ViewStatus,
)
from slackwater.ingest.ingestion import IngestResult
from slackwater.maintenance.maintenance import Compaction
from slackwater.plan.forms import Engine
from slackwater.plan.view_plan import Refusal
from slackwater.planning.declare import NewSource, NewView
from slackwater.project.apply import Applied
from slackwater.project.example import write_example_project
from slackwater.project.load import is_project
from slackwater.project.take_in import Ingested
from slackwater.project.workspace import ProjectStatus, Refreshed
from slackwater.reading.answer_values import Answer, fetch_answer
from slackwater.reading.verify import VerifyResult
from slackwater.running.forecast import Estimates
from slackwater.running.results import FAILED, REPLANNED, RunResult, ViewRun
from slackwater.spark.metering import Metrics
from slackwater.spark.readable_failures import spark_error
from slackwater.state.metadata.collect import Removed, Retention

__all__ = [
    "FAILED",
    "REPLANNED",
    "Answer",
    "Applied",
    "Committed",
    "Compaction",
    "ConsideredAction",
    "CostExplanation",
    "Engine",
    "Estimates",
    "Event",
    "ExplainedColumn",
    "ExplainedOperator",
    "ExplainedState",
    "ExplainedStep",
    "Explanation",
    "Goal",
    "HistoryRow",
    "IngestResult",
    "Ingested",
    "LeftToSpark",
    "MergeCommitted",
    "MergeStarted",
    "Metrics",
    "NewSource",
    "NewView",
    "PlanExplanation",
    "ProgramExplanation",
    "Progress",
    "Project",
    "ProjectStatus",
    "QueryExplanation",
    "Refreshed",
    "Refusal",
    "Removed",
    "Retention",
    "RunResult",
    "SeenRows",
    "Session",
    "Source",
    "SourceDefinition",
    "SourceStatus",
    "Status",
    "StoredSize",
    "Subscription",
    "VerifyResult",
    "View",
    "ViewDecided",
    "ViewDefinition",
    "ViewRun",
    "ViewStatus",
    "Warned",
    "WhyExplanation",
    "cost_lines",
    "explain_query",
    "fetch_answer",
    "is_project",
    "open_home",
    "open_project",
    "run_lines",
    "spark_error",
    "view_lines",
    "write_example_project",
]
