"""The environment of systems that are no dependency of ours: made on demand, kept in the cache."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from slackwater.errors import SetupError
from slackwater.workloads.cache import generate_once

_REQUIREMENTS = Path(__file__).with_name("requirements.txt")


def ensure_environment(cache_dir: Path, say: Callable[[str], None]) -> Path:
    """The Python of the environment; another list of versions is another environment."""
    wanted = hashlib.sha256(_REQUIREMENTS.read_bytes() + sys.version.encode()).hexdigest()[:12]

    def install(folder: Path) -> None:
        say("installing Pathway into an environment of its own; this may take minutes")
        _run([sys.executable, "-m", "venv", str(folder)])
        pip = [str(folder / "bin" / "python"), "-m", "pip", "--disable-pip-version-check"]
        _run([*pip, "install", "--quiet", "--requirement", str(_REQUIREMENTS)])

    # The folder is renamed when it is complete; only scripts, which we do not use, mind.
    return generate_once(cache_dir / "peers" / wanted, install) / "bin" / "python"


def _run(command: list[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        lines = [line for line in done.stderr.splitlines() if line.startswith("ERROR")]
        reason = lines[-1].removeprefix("ERROR: ") if lines else "it gave no reason"
        raise SetupError(
            f"pip could not install Pathway: {reason}",
            hint="It needs a package index once; --only ours,duckdb,spark does without.",
        )
