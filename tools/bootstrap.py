"""Makes the virtual environment that every `make` target uses: `python tools/bootstrap.py`.

Needs nothing but Python's standard library. The stamp is written last and names what was
installed, so that a finished set-up is not repeated. One that was killed is started afresh:
pip takes a package that was half unpacked for installed.
"""

from __future__ import annotations

import fcntl
import hashlib
import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"
STAMP = VENV / ".slackwater-stamp"
UNFINISHED = VENV / ".slackwater-unfinished"
INPUTS = ("requirements.lock", "requirements-java.lock", "pyproject.toml")

HEARTBEAT_SECONDS = 15
TAIL_LINES = 15
NO_JAVA = (
    "Spark needs Java 17 or newer; none was found in JAVA_HOME or on the PATH, and none could be "
    "brought along. Install Java 17+ and run make again."
)
FIND_JAVA = """
from slackwater.errors import SetupError
from slackwater.spark.java import find_java
try:
    java = find_java()
except SetupError as problem:
    raise SystemExit(problem.render())
print(f"Java {java.version} ({java.origin})")
"""


class SetupFailedError(Exception):
    """A step failed; the message says which and what to do."""


def main() -> int:
    """Bring the environment up to date; 1 with a message where that is impossible."""
    lock = os.open(ROOT, os.O_RDONLY)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        set_up()
    except SetupFailedError as problem:
        say(f"set-up failed: {problem}", error=True)
        return 1
    except KeyboardInterrupt:
        say("set-up interrupted; run make again to go on", error=True)
        return 130
    finally:
        os.close(lock)
    return 0


def set_up() -> None:
    """All steps in order; nothing but a new date on the stamp where nothing has changed."""
    wanted = fingerprint()
    if STAMP.exists() and STAMP.read_text() == wanted and PYTHON.exists():
        STAMP.touch()
        return
    started = time.monotonic()
    make_environment()
    UNFINISHED.touch()
    pip("the locked packages (some 500 MB)", "--require-hashes", "-r", "requirements.lock")
    pip("slackwater itself", "--no-deps", "--no-build-isolation", "-e", ".")
    say(f"using {ensure_java()}")
    UNFINISHED.unlink()
    scratch = STAMP.with_suffix(".new")
    scratch.write_text(wanted)
    scratch.replace(STAMP)
    say(f"ready after {time.monotonic() - started:.0f} s")


def fingerprint() -> str:
    """What the environment is made from: its place and the content of the input files."""
    digests = (hashlib.sha256((ROOT / name).read_bytes()).hexdigest() for name in INPUTS)
    return "\n".join([str(ROOT), *digests]) + "\n"


def make_environment() -> None:
    """Create the virtual environment, unless a whole one made at this place is there."""
    if environment_works() and not UNFINISHED.exists():
        return
    if importlib.util.find_spec("venv") is None or importlib.util.find_spec("ensurepip") is None:
        raise SetupFailedError(
            f"{sys.executable} lacks the venv module.\n"
            "Install it (Debian, Ubuntu: apt install python3-venv), "
            "or name another Python: make setup PYTHON=/path/to/python3.12"
        )
    say(f"creating .venv with Python {sys.version.split()[0]}")
    shutil.rmtree(VENV, ignore_errors=True)
    run("creating .venv", [sys.executable, "-m", "venv", str(VENV)])


def environment_works() -> bool:
    """Whether `.venv` has a Python with pip that believes to live here: copies do not."""
    probe = "import sys, pip; assert sys.version_info >= (3, 11); print(sys.prefix)"
    try:
        done = subprocess.run(
            [str(PYTHON), "-c", probe], capture_output=True, text=True, check=False
        )
        script = (VENV / "bin" / "activate").read_text()
    except OSError:
        return False
    return done.returncode == 0 and done.stdout.strip() == str(VENV) and str(VENV) in script


def pip(what: str, *arguments: str) -> None:
    """Install quietly, with a sign of life now and then."""
    say(f"installing {what}")
    quiet = ("--quiet", "--disable-pip-version-check", "--no-input")
    run(f"installing {what}", [str(PYTHON), "-m", "pip", "install", *quiet, *arguments])


def ensure_java() -> str:
    """The Java that Spark will use, bringing one along where the machine has none."""
    found = find_java()
    if found is not None:
        return found
    try:
        pip(
            "a Java runtime, as the machine has no Java 17+",
            *("--require-hashes", "-r", "requirements-java.lock"),
        )
    except SetupFailedError as problem:
        raise SetupFailedError(f"{problem}\n{NO_JAVA}") from None
    found = find_java()
    if found is None:
        raise SetupFailedError(f"the installed Java runtime does not start\n{NO_JAVA}")
    return found


def find_java() -> str | None:
    """Ask the installed package which Java it would use."""
    done = subprocess.run(
        [str(PYTHON), "-c", FIND_JAVA], capture_output=True, text=True, check=False
    )
    return done.stdout.strip() if done.returncode == 0 else None


def run(what: str, command: list[str]) -> None:
    """Run a step silently; where it fails, the error carries the end of what it printed."""
    with tempfile.TemporaryFile("w+") as output:
        process = subprocess.Popen(command, cwd=ROOT, stdout=output, stderr=subprocess.STDOUT)
        try:
            status = wait_with_signs_of_life(process)
        except BaseException:
            process.kill()
            process.wait()
            raise
        output.seek(0)
        tail = output.read().splitlines()[-TAIL_LINES:]
    if status != 0:
        raise SetupFailedError("\n".join([what, *(f"  | {line}" for line in tail)]))


def wait_with_signs_of_life(process: subprocess.Popen[bytes]) -> int:
    """The exit status of a step; long ones say now and then that they go on."""
    started = time.monotonic()
    while True:
        try:
            return process.wait(HEARTBEAT_SECONDS)
        except subprocess.TimeoutExpired:
            say(f"  ... {time.monotonic() - started:.0f} s")


def say(text: str, *, error: bool = False) -> None:
    """One line to the user."""
    print(text, file=sys.stderr if error else sys.stdout, flush=True)


if __name__ == "__main__":
    sys.exit(main())
