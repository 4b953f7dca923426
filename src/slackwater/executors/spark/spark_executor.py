"""Runs a program as one Spark job: every step a lazy DataFrame, all state changes its writers."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from pyspark.sql import DataFrame

from slackwater.events import Progress, Tell
from slackwater.executors.collated import handles_collations
from slackwater.executors.spark.run_sessions import RunSessions
from slackwater.executors.spark.spark_frames import Access, SparkFrames
from slackwater.executors.written import RunPlace, Written
from slackwater.plan.forms import LookUps, choose_forms
from slackwater.plan.observations import Observed
from slackwater.plan.prices import SPARK, Rates
from slackwater.plan.program import AppendStep, Program
from slackwater.spark.failures import SPARK_FAILURES, execution_error
from slackwater.spark.frame_plans import plan_now
from slackwater.spark.metering import Meter
from slackwater.state.segments import SegmentFile


class SparkExecutor:
    """Takes all steps of a program in tasks."""

    def __init__(self, sessions: RunSessions, rates: Rates, look_ups: LookUps, tell: Tell):
        """`tell` hears how far a run is."""
        self._sessions = sessions
        self._rates = rates
        self._look_ups = look_ups
        self._tell = tell

    def run(
        self,
        program: Program,
        place: RunPlace,
        meter: Meter,
        needed: Mapping[str, frozenset[str]],
    ) -> Written:
        """One Spark job: the collection of what the writers of all state report."""
        collated = handles_collations(program, place, place.fragments)
        session = self._sessions.session_for(place.moved_rows, collated=collated)
        self._tell(Progress(f"planning {len(program.steps)} steps in Spark"))
        with meter.phase("building"):
            access = Access(
                choose_forms(program, place.sizes, self._rates, self._look_ups),
                needed,
                self._sessions.user,
                meter.read_in_workers,
            )
        frames = SparkFrames(session, place, program, access)
        try:
            with meter.phase("building"):
                writers = [writer for step in program.steps if (writer := frames.take(step))]
                if not writers:
                    return Written({})
                reports = _union(writers)
                # Spark would plan only now, with the first row that is asked for.
                plan_now(reports)
            self._tell(Progress("running the Spark job"))
            with meter.phase("computing"):
                manifest = reports.collect()
        except SPARK_FAILURES as problem:
            raise execution_error(problem) from problem
        finally:
            frames.release()
        segments: dict[str, list[SegmentFile]] = {}
        for row in manifest:
            values = row.asDict()
            directory = values.pop("directory")
            segments.setdefault(Path(directory).name, []).append(SegmentFile(**values))
        found = {name: tuple(files) for name, files in segments.items()}
        counted = meter.read_in_workers.value.steps
        return Written(found, SPARK, _observed(program, found, counted))


def _observed(
    program: Program,
    written: Mapping[str, tuple[SegmentFile, ...]],
    counted: Mapping[str, tuple[int, int]],
) -> dict[str, Observed]:
    """The rows that workers counted; statements between two of them are not known apart."""
    found: dict[str, Observed] = {}
    for step in program.steps:
        if isinstance(step, AppendStep) and f"+{step.name}" in counted:
            rows_in = counted[f"+{step.name}"][0]
            rows = sum(file.rows for file in written.get(step.name, ()))
            found[f"+{step.name}"] = Observed(rows_in, rows)
        elif step.name in counted:
            found[step.name] = Observed(*counted[step.name])
    return found


def _union(frames: list[DataFrame]) -> DataFrame:
    """All rows of all frames; in pairs, because Spark analyses each union from its root down."""
    while len(frames) > 1:
        pairs = zip(frames[::2], frames[1::2], strict=False)
        odd = frames[-1:] if len(frames) % 2 else []
        frames = [*(left.unionAll(right) for left, right in pairs), *odd]
    return frames[0]
