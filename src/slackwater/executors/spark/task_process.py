"""What a worker process of Spark's keeps from task to task: an engine, and prepared programs."""

from __future__ import annotations

import os
import pickle
import tempfile
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from slackwater.executors.driver.engine import CORES, LocalEngine
from slackwater.executors.driver.frames import MACHINE_BYTES
from slackwater.executors.driver.program_run import Tools
from slackwater.executors.driver.zones import Zone
from slackwater.executors.spark.prepared_blocks import PreparedBlock, Types, prepare_blocks
from slackwater.executors.spark.shipped_files import Layouts
from slackwater.plan.placed import PlacedProgram
from slackwater.state.spill import Room

_MOST_PROGRAMS = 16
_MEMORY_VARIABLE = "PYSPARK_EXECUTOR_MEMORY_MB"
_FOLDERS_VARIABLE = "SPARK_LOCAL_DIRS"


@dataclass(frozen=True, slots=True)
class ShippedProgram:
    """A placed program with all that is needed to prepare it."""

    placed: PlacedProgram
    parts: dict[str, int]
    types: Types
    layouts: Layouts
    zone: Zone
    """The session's time zone, if any statement needs it."""


@dataclass(frozen=True, slots=True)
class Loaded:
    """A program that this process can take blocks of."""

    blocks: tuple[PreparedBlock, ...]
    placed: PlacedProgram
    layouts: Layouts
    tools: Tools


_programs: OrderedDict[str, Loaded] = OrderedDict()
_tools: dict[Zone, Tools] = {}


def load(digest: str, content: Callable[[], bytes]) -> Loaded:
    """The program of that digest; prepared from its pickled form if it is not known here."""
    if digest not in _programs:
        shipped: ShippedProgram = pickle.loads(content())
        blocks = prepare_blocks(shipped.placed, shipped.parts, shipped.types)
        _programs[digest] = Loaded(
            blocks, shipped.placed, shipped.layouts, _tools_for(shipped.zone)
        )
        if len(_programs) > _MOST_PROGRAMS:
            _programs.popitem(last=False)
    _programs.move_to_end(digest)
    return _programs[digest]


def _tools_for(zone: Zone) -> Tools:
    """An engine, with a share of the machine's memory that leaves as much to other tasks."""
    if zone not in _tools:
        for each in _tools.values():
            each.engine.close()
        _tools.clear()
        _programs.clear()
        memory, folder = _memory(), _scratch()
        engine = LocalEngine(f"{memory // 6}B", folder, zone=lambda: zone, cores=1)
        _tools[zone] = Tools(engine, None, Room(folder, memory // 12))
    return _tools[zone]


def _memory() -> int:
    """The bytes that are this process's to use, as far as Spark says."""
    told = os.environ.get(_MEMORY_VARIABLE)
    return int(told) << 20 if told else MACHINE_BYTES // CORES


def _scratch() -> Path:
    """A folder that Spark deletes in the end."""
    folders = os.environ.get(_FOLDERS_VARIABLE, "").split(",")
    return Path(tempfile.mkdtemp(prefix="slackwater-", dir=folders[0] or None))
