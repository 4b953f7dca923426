"""The one settings tree: each setting has its name, meaning and default in one place.

A setting is a dataclass field that carries its documentation and the environment variable
that overrides it. Programs build the values themselves; the command line reads them from the
environment with `load_settings`. Values are checked when they are made, so that a wrong one
is reported by its own name and not by a failure deep inside Spark.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from dataclasses import Field, dataclass, field, fields
from pathlib import Path
from typing import Any

from slackwater.errors import SetupError

SparkConf = tuple[tuple[str, str], ...]

_MASTER = re.compile(
    r"local(\[(\d+|\*)(,\d+)?\])?|local-cluster\[.+\]|yarn|(spark|k8s)://.+", re.IGNORECASE
)
_MEMORY = re.compile(r"[1-9][0-9]*[kmgt]b?", re.IGNORECASE)


def _conf(raw: str) -> SparkConf:
    """Read `key=value` entries; semicolons separate them because Java options hold spaces."""
    entries = [entry.strip() for entry in raw.split(";") if entry.strip()]
    for entry in entries:
        if not entry.partition("=")[0].strip() or "=" not in entry:
            raise ValueError(f"{entry!r} is not key=value; separate entries with semicolons")
    pairs = (entry.partition("=") for entry in entries)
    return tuple((key.strip(), value.strip()) for key, _, value in pairs)


def _count(raw: str) -> int:
    if not raw.strip().isdecimal():
        raise ValueError(f"{raw!r} is not a whole number")
    return int(raw)


def _about(env: str, doc: str, parse: Callable[[str], object]) -> dict[str, object]:
    """The metadata of a setting beside its name and default: its variable, meaning and reader."""
    return {"env": env, "doc": doc, "parse": parse}


@dataclass(frozen=True, slots=True)
class SparkSettings:
    """Settings of a Spark session that we start; a session the user brings is never changed."""

    master: str = field(
        default="local[*]",
        metadata=_about(
            "SLACKWATER_SPARK_MASTER",
            "Where Spark runs: `local[*]` uses every core of this machine.",
            str.strip,
        ),
    )
    shuffle_partitions: int | None = field(
        default=None,
        metadata=_about(
            "SLACKWATER_SPARK_SHUFFLE_PARTITIONS",
            "Partitions of a shuffle; by default the local cores, at least 2, or on a cluster "
            "what Spark chooses.",
            _count,
        ),
    )
    driver_memory: str = field(
        default="2g",
        metadata=_about(
            "SLACKWATER_SPARK_DRIVER_MEMORY",
            "Heap of the Spark driver, which on a local master is all of Spark.",
            str.strip,
        ),
    )
    conf: SparkConf = field(
        default=(),
        metadata=_about(
            "SLACKWATER_SPARK_CONF",
            "Further Spark properties as `key=value;key=value`; they win over our defaults.",
            _conf,
        ),
    )

    def __post_init__(self) -> None:
        """Refuse values that Spark would only refuse later and less clearly."""
        if not _MASTER.fullmatch(self.master):
            what = f"{self.master!r} is not a Spark master"
            raise _bad_value(self, "master", what, "Write local[*], spark://host:port or yarn.")
        if self.shuffle_partitions is not None and self.shuffle_partitions < 1:
            what = f"{self.shuffle_partitions} is not a number of partitions"
            raise _bad_value(self, "shuffle_partitions", what, "Give 1 or more.")
        if not _MEMORY.fullmatch(self.driver_memory):
            what = f"{self.driver_memory!r} is not an amount of memory"
            raise _bad_value(self, "driver_memory", what, "Write it as 512m or 4g.")


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything that can be configured."""

    cache_dir: Path = field(
        default=Path("~/.cache/slackwater"),
        metadata=_about(
            "SLACKWATER_CACHE_DIR",
            "Where generated data is kept between runs; it may be deleted at any time.",
            lambda raw: Path(raw.strip()),
        ),
    )
    prices: Path = field(
        default=Path("~/.config/slackwater/prices.json"),
        metadata=_about(
            "SLACKWATER_PRICES",
            "The file in which `slackwater calibrate` keeps what work costs here.",
            lambda raw: Path(raw.strip()),
        ),
    )
    metadata: str | None = field(
        default=None,
        # It may hold a password, which nothing that prints settings should show.
        repr=False,
        metadata=_about(
            "SLACKWATER_METADATA",
            "The address of the database that holds a project's metadata; wins over the project's.",
            str.strip,
        ),
    )
    spark: SparkSettings = field(default_factory=SparkSettings)

    def __post_init__(self) -> None:
        """Resolve `~`, so that no reader of a setting has to remember it."""
        for name in ("cache_dir", "prices"):
            object.__setattr__(self, name, getattr(self, name).expanduser())


def load_settings(environ: Mapping[str, str] | None = None) -> Settings:
    """The defaults with the overrides found in `environ`, which is `os.environ` unless given.

    An empty variable counts as unset, as shells make it hard to tell the two apart.
    """
    variables = os.environ if environ is None else environ
    spark = SparkSettings(**_overrides(SparkSettings, variables))
    return Settings(spark=spark, **_overrides(Settings, variables))


def _overrides(tree: type[Settings | SparkSettings], environ: Mapping[str, str]) -> dict[str, Any]:
    return {
        item.name: _read(item, environ[item.metadata["env"]])
        for item in fields(tree)
        if environ.get(item.metadata.get("env", ""), "").strip()
    }


def _read(item: Field[Any], raw: str) -> object:
    try:
        return item.metadata["parse"](raw)
    except ValueError as problem:
        raise SetupError(
            str(problem), where=f"{item.metadata['env']}={raw}", hint=item.metadata["doc"]
        ) from None


def _bad_value(tree: SparkSettings, name: str, what: str, hint: str) -> SetupError:
    variable = next(item.metadata["env"] for item in fields(tree) if item.name == name)
    return SetupError(what, where=f"setting {name} ({variable})", hint=hint)
