"""Building .venv: make it, install the locked requirements, say in one line what went wrong."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import setup_env
from setup_env import LOCK, LOG, PYTHON, REQUIREMENTS, STAMP, UNFINISHED, VENV, SetupError, say

_OFFLINE = re.compile(
    r"NewConnectionError|ConnectTimeout|ReadTimeout|Temporary failure in name resolution|"
    r"Network is unreachable|Connection refused|No route to host|getaddrinfo failed|"
    r"Cannot connect to proxy|Connection reset",
    re.IGNORECASE,
)
_DRAW_EVERY_S = 0.1


def build(stamp: dict[str, Any], locks: dict[str, str]) -> dict[str, str]:
    """Bring .venv to what the lock files say; the caller holds the lock and writes the stamp.

    Args:
        stamp: what the present .venv says it is.
        locks: the lock files to install, by name.

    Returns:
        The lock files that are installed afterwards.

    Raises:
        SetupError: it could not be done; .venv is then remade at the next try.
    """
    present: dict[str, str] = stamp.get("locks", {})
    # Two kinds of onnxruntime in one environment break each other: then it is made anew. Anything
    # else is brought up to date in place, also under a program that is running.
    same_runtime = _runtimes(present) <= _runtimes(locks)
    whole = setup_env.environment_ready(stamp, {})
    keep = (whole and same_runtime) or _made_by_hand(stamp)
    started = time.monotonic()
    try:
        UNFINISHED.touch()
        if not keep:
            _clear()
            _create()
        _install(list(locks), keep)
    except OSError as error:
        raise SetupError(_explain_os(error)) from error
    except SetupError:
        if keep:  # pip changes nothing before it has everything
            UNFINISHED.unlink(missing_ok=True)
        raise
    say(f"ready after {time.monotonic() - started:.0f} s")
    return {**present, **locks} if keep else locks


def _runtimes(locks: dict[str, str]) -> set[str]:
    return {"cpu.txt", "gpu.txt"}.intersection(locks)


def _made_by_hand(stamp: dict[str, Any]) -> bool:
    """Whether somebody else made a working .venv: it is completed, not thrown away."""
    if "python" in stamp or UNFINISHED.exists() or not PYTHON.exists():
        return False
    probe = "import pip, sys; sys.exit(sys.version_info < (3, 11))"
    try:
        return subprocess.run([PYTHON, "-c", probe], capture_output=True).returncode == 0
    except OSError:
        return False


def _clear() -> None:
    """Empty .venv, all but the lock that is being held and the mark that says unfinished."""
    STAMP.unlink(missing_ok=True)
    for child in VENV.iterdir():
        if child in (LOCK, UNFINISHED):
            continue
        if child.is_dir() and not child.is_symlink():
            shutil.rmtree(child)
        else:
            child.unlink()


def _create() -> None:
    if os.pathsep in str(VENV):
        raise SetupError(
            f"Python makes no environment in a folder with {os.pathsep!r} in its name: move"
            f" {setup_env.ROOT}"
        )
    say("making .venv")
    answer = subprocess.run(
        # Started by .venv's own Python, sys.executable has just been cleared away.
        [getattr(sys, "_base_executable", sys.executable), "-m", "venv", str(VENV)],
        close_fds=False,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    )
    if answer.returncode:
        LOG.write_text(answer.stdout, encoding="utf-8")
        if "ensurepip" in answer.stdout:
            version = f"{sys.version_info.major}.{sys.version_info.minor}"
            raise SetupError(
                "this Python cannot make environments: install its venv package (on Debian and"
                f" Ubuntu: sudo apt-get install -y python{version}-venv), then start again"
            )
        raise SetupError(f"python -m venv failed: {_last_line(answer.stdout)}")


def _install(names: list[str], keep: bool) -> None:
    command = [
        str(PYTHON), "-m", "pip", "install", "--require-hashes", "--only-binary=:all:",
        # Compiling all of Qt's modules costs as much as unpacking them; few are ever imported.
        "--no-compile", "--no-input", "--disable-pip-version-check", "--retries", "2",
    ]  # fmt: skip
    for name in names:
        command += ["-r", str(REQUIREMENTS / name)]
    size = "more than 2 GB, for the NVIDIA GPU" if "gpu.txt" in names else "about 160 MB"
    say("adding packages" if keep else f"installing packages ({size} to fetch, unless cached)")
    # A user-wide "install into my home" setting makes no sense inside an environment.
    environment = {**os.environ, "PIP_USER": "0", "PYTHONUTF8": "1"}
    environment.pop("PYTHONPATH", None)
    process = subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env=environment,
        encoding="utf-8",
        errors="replace",
        close_fds=False,
    )
    output = _watch(process)
    if process.wait():
        LOG.write_text(output, encoding="utf-8")
        raise SetupError(f"{_explain_pip(output)} (pip's own words: {LOG})")


def _watch(process: subprocess.Popen[str]) -> str:
    """Draw on one line of a terminal what pip is at; everything it said."""
    lines: list[str] = []
    live = sys.stderr.isatty()
    assert process.stdout is not None
    reader = threading.Thread(target=lines.extend, args=(process.stdout,), name="pip")
    reader.start()
    started = time.monotonic()
    try:
        while reader.is_alive():
            reader.join(_DRAW_EVERY_S)
            if live:
                at = next((line for line in reversed(lines) if _step(line)), "")
                elapsed = f"{time.monotonic() - started:4.0f} s"
                sys.stderr.write(f"\r  {elapsed}  {_step(at)}"[:78] + "\x1b[K")
                sys.stderr.flush()
    except KeyboardInterrupt:
        process.wait()  # pip got the same Ctrl-C
        raise
    finally:
        if live:
            sys.stderr.write("\r\x1b[K")
    return "".join(lines)


def _step(line: str) -> str:
    """What a line of pip's tells about where it is, or nothing."""
    found = re.match(r"(?:Collecting|Processing) (\S+?)(?:==\S*)?(?: \(|$)", line)
    if found:
        return f"fetching {Path(found[1]).name}"
    found = re.match(r"\s+(?:Downloading|Using cached) (\S+)(.*)", line)
    if found:
        return f"fetching {found[1].rpartition('/')[2].split('-')[0]}{found[2]}"
    return "unpacking" if line.startswith("Installing collected packages") else ""


def _explain_pip(output: str) -> str:
    if "No space left on device" in output or "not enough space on the disk" in output:
        return f"the disk is full: free some space on the disk that holds {VENV}, then start again"
    if "DO NOT MATCH THE HASHES" in output:
        return (
            "a package came with another hash than the locked one and was refused: start again;"
            " if it stays so, your package index serves a changed file"
        )
    if _OFFLINE.search(output):
        return (
            "the package index cannot be reached: connect to the network (or set pip up for a"
            " mirror), then start again"
        )
    absent = re.search(r"No matching distribution found for (\S+)", output)
    if absent:
        version = f"{sys.version_info.major}.{sys.version_info.minor}"
        return (
            f"{absent[1]} is not to be had for Python {version} on this system: the README says"
            " which systems there are packages for; check pip's own settings as well"
        )
    return f"pip failed: {_last_line(output)}"


def _explain_os(error: OSError) -> str:
    if sys.platform == "win32" and isinstance(error, PermissionError):
        return f"{error.filename} is in use: close Captionglass and start again"
    return f"{error.filename or VENV} cannot be written ({error.strerror})"


def _last_line(output: str) -> str:
    errors = [line for line in output.splitlines() if line.startswith("ERROR:")]
    lines = errors or [line for line in output.splitlines() if line.strip()] or ["no reason given"]
    return lines[-1].removeprefix("ERROR:").strip()
