"""The whole program in a world that goes wrong: its window, its commands, and disks to spoil."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import pytest
from fixtures_recordings import ASSETS

ROOT = Path(__file__).resolve().parents[1]
LIMIT_S = 60.0
BEST, WORST = "it was the best of times", "it was the worst of times"
T = TypeVar("T")


def until(ready: Callable[[], T], what: str) -> T:
    """What ``ready`` gives, once it gives something."""
    deadline = time.monotonic() + LIMIT_S
    while time.monotonic() < deadline:
        if value := ready():
            return value
        time.sleep(0.05)
    pytest.fail(f"{what} did not come")


def plain(text: str) -> str:
    """Small letters alone."""
    return " ".join("".join(c for c in text.lower() if c.isalpha() or c == " ").split())


def speech(folder: Path, seconds: float) -> Path:
    """The beginning of the demo recording: ``BEST`` ends at 2.9 s, ``WORST`` at 4.7 s."""
    import soundfile

    samples, rate = soundfile.read(ASSETS / "demo.wav", dtype="int16")
    path = folder / f"讲话 🎧 {seconds}.wav"
    soundfile.write(path, samples[: int(seconds * rate)], rate)
    return path


def settings_file(text: str = "version = 1\n") -> Path:
    """The user's own, with these contents."""
    from desktop_app.settings.store import default_path

    path = default_path()
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


class Window:
    """The program with its window (``fault_program.py``), until ``end``.

    Args:
        folder: for what it shows; not among what is spoilt.
        arguments: of its command line.
        more: of its environment.
    """

    def __init__(self, folder: Path, *arguments: object, **more: str) -> None:
        self._out = folder / f"shown-{time.monotonic_ns()}.jsonl"
        self._out.touch()
        runtime = folder / "run"
        runtime.mkdir(mode=0o700, exist_ok=True)
        env = os.environ | {"PYTHONPATH": str(ROOT), "XDG_RUNTIME_DIR": str(runtime)} | more
        program = str(ROOT / "tests" / "fault_program.py")
        self.process = subprocess.Popen(
            [sys.executable, program, str(self._out), *map(str, arguments)],
            env=env,
            cwd=ROOT,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
        )

    @property
    def shown(self) -> list[dict[str, Any]]:
        """All that was shown so far."""
        lines = self._out.read_text(encoding="utf-8").split("\n")[:-1]
        return [json.loads(line) for line in lines]

    def notices(self, code: str) -> list[dict[str, Any]]:
        """Those of a code."""
        return [each for each in self.shown if each.get("notice") == code]

    def says(self, text: str) -> float:
        """Wait for these words to be shown; when they were, monotonic."""

        def found() -> float:
            assert self.process.poll() is None, self.process.communicate()
            newest: dict[int, str] = {}
            for each in self.shown:
                if "id" in each:
                    newest[each["id"]] = each["text"]
                    if text in plain(" ".join(newest.values())):
                        return float(each["at"])
            return 0.0

        return until(found, f"{text!r} in the window")

    def is_up(self) -> None:
        """Wait for the window itself."""
        until(lambda: any("window" in each for each in self.shown), "the window")

    def end(self) -> list[str]:
        """Ask it to end, and see that it does; what it complained about."""
        self.process.send_signal(signal.SIGTERM)
        out, complaints = self.process.communicate(timeout=LIMIT_S)
        assert (self.process.returncode, out) == (143, "")
        return [line for line in complaints.splitlines() if "plugin does not support" not in line]

    def close(self) -> None:
        """However it stands."""
        if self.process.poll() is None:
            self.process.kill()
            self.process.communicate()


class Windows:
    """Makes them; none is left behind."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._made: list[Window] = []

    def open(self, *arguments: object, **more: str) -> Window:
        """One more."""
        self._made.append(Window(self.folder, *arguments, **more))
        return self._made[-1]

    def close(self) -> None:
        """All of them."""
        for each in self._made:
            each.close()


def command(*arguments: object, **more: str) -> subprocess.CompletedProcess[str]:
    """A command of the program, to its end."""
    return subprocess.run(
        [sys.executable, "-m", "desktop_app", *map(str, arguments)],
        env=os.environ | more,
        cwd=ROOT,
        capture_output=True,
        encoding="utf-8",
        timeout=LIMIT_S,
        check=False,
    )


def kept_lines() -> list[str]:
    """What the history holds, small letters alone."""
    from desktop_app.history.store import HistoryStore

    store = HistoryStore()
    records = [store.read(session.id) for session in store.sessions()]
    return [plain(line.text) for record in records for line in record.lines]


class FullDisk:
    """A disk of its own in place of a folder.

    Attributes:
        folder: where it is mounted.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def fill(self) -> None:
        """Not one byte is free."""
        with contextlib.suppress(OSError), (self.folder / "filling").open("wb") as file:
            while True:
                file.write(bytes(4096))
                file.flush()

    def empty(self) -> None:
        """There is room again."""
        (self.folder / "filling").unlink()


@contextlib.contextmanager
def small_disk(folder: Path) -> Iterator[FullDisk]:
    """Mount one of 400 kB; what the folder holds is hidden meanwhile."""
    with _mounted(folder, ["-t", "tmpfs", "-o", "size=400k", "tmpfs"]):
        yield FullDisk(folder)


@contextlib.contextmanager
def read_only(folder: Path) -> Iterator[None]:
    """Nothing below the folder can be changed."""
    if os.geteuid() == 0:
        with _mounted(folder, ["--bind", "-o", "ro", str(folder)]):
            subprocess.run(["mount", "-o", "remount,ro,bind", str(folder)], check=True)
            yield
        return
    folders = [folder, *(path for path in folder.rglob("*") if path.is_dir())]
    for each in folders:
        each.chmod(0o500)
    try:
        yield
    finally:
        for each in folders:
            each.chmod(0o700)


@contextlib.contextmanager
def _mounted(folder: Path, arguments: list[str]) -> Iterator[None]:
    if shutil.which("mount") is None or os.geteuid() != 0:
        pytest.skip("only root can mount a disk; tests/unit/test_history.py fills one by halves")
    done = subprocess.run(
        ["mount", *arguments, str(folder)], capture_output=True, text=True, check=False
    )
    if done.returncode:
        pytest.skip(f"no disk can be mounted here: {done.stderr.strip()}")
    try:
        yield
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)
