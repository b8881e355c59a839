"""The whole program, whose recogniser crashes in the middle of speech: the window stays, what was
said before stays on the disk, and captions go on."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest
from fixtures_recordings import Recordings

from desktop_app.history.store import HistoryStore
from engine.bench.metrics import normalised, score
from models import own_program

pytestmark = pytest.mark.slow
LIMIT_S = 60.0


def until(ready: Callable[[], object]) -> None:
    deadline = time.monotonic() + LIMIT_S
    while not ready():
        assert time.monotonic() < deadline
        time.sleep(0.05)


@pytest.fixture
def program(tmp_path: Path, recordings: Recordings) -> Iterator[subprocess.Popen[bytes]]:
    config = tmp_path / "config" / "captionglass"
    config.mkdir(parents=True)
    (config / "settings.toml").write_text("version = 1\n", encoding="utf-8")
    environment = own_program.environment() | {
        "QT_QPA_PLATFORM": "offscreen",
        "XDG_CONFIG_HOME": str(tmp_path / "config"),
        "XDG_DATA_HOME": str(tmp_path / "data"),
        "XDG_STATE_HOME": str(tmp_path / "state"),
        "XDG_RUNTIME_DIR": str(tmp_path),
        "CAPTIONGLASS_MODELS": os.environ["CAPTIONGLASS_MODELS"],
    }
    path = recordings.named("ljspeech_LJ001-0022").path
    command = [sys.executable, "-P", "-m", "desktop_app", "--new", "--source", str(path)]
    with subprocess.Popen(command, env=environment) as process:
        yield process
        process.send_signal(signal.SIGTERM)
        process.wait(LIMIT_S)


def test_a_crash_takes_neither_window_nor_transcript(
    program: subprocess.Popen[bytes], tmp_path: Path, recordings: Recordings
) -> None:
    def recognisers() -> list[psutil.Process]:
        found = []
        for each in psutil.Process(program.pid).children():
            with contextlib.suppress(psutil.Error):
                if "engine.isolation.host" in " ".join(each.cmdline()):
                    found.append(each)
        return found

    def text() -> str:
        store = HistoryStore(tmp_path / "data" / "captionglass" / "history")
        records = [store.read(session.id) for session in store.sessions()]
        return " ".join(line.text for record in records for line in record.lines)

    until(recognisers)
    until(text)
    before = text()
    (first,) = recognisers()
    first.send_signal(signal.SIGSEGV)
    until(lambda: recognisers() not in ([], [first]))
    assert program.poll() is None
    recording = recordings.named("ljspeech_LJ001-0022")
    wanted = normalised(recording.transcript)
    until(lambda: normalised(text())[-1:] == wanted[-1:])
    assert text().startswith(before)
    assert score(wanted, normalised(text())).errors <= 0.4 * len(wanted)
    assert program.poll() is None
