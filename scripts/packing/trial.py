"""The packaged application on a machine as strangers have it: no Python, no models, no network."""

from __future__ import annotations

import contextlib
import os
import pkgutil
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
_LIMIT_S = 300.0
_PARTS = {"sources": "engine/sources", "families": "engine/recognizers", "sinks": "engine/sinks"}
_NO_PARTS = {"base", "inventory", "platforms"}


class TrialError(Exception):
    """What does not work, in one line."""


def try_out(application: Path) -> None:
    """Run its self-test from a folder with a difficult name, and print what it says.

    Raises:
        TrialError: something in it does not work, or is not in it.
    """
    with tempfile.TemporaryDirectory(prefix="captionglass trial ü ") as folder:
        place = Path(folder)
        moved = place / "App ü"
        application.rename(moved)
        try:
            with _screen() as screen:
                said = _self_test(moved, place, screen)
            _command_line(moved, place)
        finally:
            moved.rename(application)
    for part, package in _PARTS.items():
        _all_found(part, package, said.get(part, ""))


def _self_test(application: Path, place: Path, screen: dict[str, str]) -> dict[str, str]:
    done = _run([program(application), "--self-test"], place, screen)
    print(done.stdout.rstrip())
    if done.returncode:
        raise TrialError(f"the self-test failed ({_last(done.stderr) or done.returncode})")
    lines = (line.split(maxsplit=1) for line in done.stdout.splitlines())
    # "ok  name  detail": a name of two words is none of those that are looked at.
    found = (line[1].split(maxsplit=1) for line in lines if len(line) == 2)
    return {each[0]: each[1] for each in found if len(each) == 2}


def _command_line(application: Path, place: Path) -> None:
    """What the self-test does not see from inside: the program's own front door, and its pip."""
    own = program(application)
    for arguments, expected in (
        (["--version"], "captionglass "),
        (["models", "list"], "moonshine-tiny-en"),
        (["--run-module", "models.own_pip", "--version"], "pip "),
    ):
        done = _run([own, *arguments], place, {})
        if done.returncode or expected not in done.stdout:
            raise TrialError(f"{' '.join(arguments)} fails: {_last(done.stderr)}")


def program(application: Path) -> Path:
    """The file that is started, with its words in the terminal."""
    if sys.platform == "win32":
        return application / "captionglass-console.exe"
    return application / "captionglass"


def _all_found(part: str, package: str, said: str) -> None:
    """What lies in the checkout has to be in the application too."""
    names = {
        each.name
        for each in pkgutil.iter_modules([str(ROOT / package)])
        if not each.name.startswith("_") and each.name not in _NO_PARTS
    }
    found = set(said.split(", "))
    if part == "families":
        # Beside the families their helpers lie in the same folder; a family has a ``load``.
        names = {name for name in names if _loads(ROOT / package / f"{name}.py")}
    if missing := names - found:
        raise TrialError(f"{part} are missing: {', '.join(sorted(missing))}")


def _loads(path: Path) -> bool:
    return "\ndef load(" in path.read_text(encoding="utf-8")


def _run(
    command: list[Path | str], place: Path, more: dict[str, str]
) -> subprocess.CompletedProcess[str]:
    home = place / "home"
    home.mkdir(exist_ok=True)
    variables = {
        "HOME": str(home),
        "USERPROFILE": str(home),
        "APPDATA": str(home / "appdata"),
        "LOCALAPPDATA": str(home / "localappdata"),
        "LANG": "C.UTF-8",
        "PATH": "/usr/bin:/bin" if os.name == "posix" else os.environ.get("SYSTEMROOT", ""),
        # Whoever asks the network gets an error at once.
        "HTTPS_PROXY": "http://127.0.0.1:9",
        "HTTP_PROXY": "http://127.0.0.1:9",
        **{name: os.environ[name] for name in ("SYSTEMROOT", "TEMP") if name in os.environ},
        **more,
    }
    # Its pip ends when its standard input does.
    theirs, ours = os.pipe()
    try:
        return subprocess.run(
            command,
            cwd=place,
            env=variables,
            stdin=theirs,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=_LIMIT_S,
            check=False,
        )
    finally:
        os.close(theirs)
        os.close(ours)


@contextlib.contextmanager
def _screen() -> Iterator[dict[str, str]]:
    """An X server of its own where one is installed; the variables that lead to it."""
    server = shutil.which("Xvfb")
    if sys.platform != "linux" or server is None:
        yield {}
        return
    ours, theirs = os.pipe()
    process = subprocess.Popen(
        [server, "-displayfd", str(theirs), "-screen", "0", "1280x800x24", "-nolisten", "tcp"],
        pass_fds=(theirs,),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    os.close(theirs)
    try:
        with os.fdopen(ours) as number:
            display = number.readline().strip()
        yield {"DISPLAY": f":{display}"} if display else {}
    finally:
        process.terminate()
        process.wait()


def _last(text: str) -> str:
    lines = text.strip().splitlines()
    return lines[-1][:200] if lines else ""
