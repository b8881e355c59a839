"""A real OBS on the tests' screen, with its WebSocket server on."""

from __future__ import annotations

import asyncio
import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fixtures_screen import XDisplay
from ports import free_port

PASSWORD = "correct horse 密码"


class Obs:
    """One OBS with a home of its own; may be ended and started again."""

    def __init__(self, display: XDisplay, home: Path) -> None:
        self.display = display
        self.home = home
        self.port = free_port()
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        folder = self.home / "obs-studio"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "global.ini").write_text(
            "[General]\nFirstRun=true\nEnableAutoUpdates=false\n"
            f"[OBSWebSocket]\nFirstLoad=false\nServerEnabled=true\nServerPort={self.port}\n"
            f"AuthRequired=true\nServerPassword={PASSWORD}\nAlertsEnabled=false\n",
            encoding="utf-8",
        )
        self.process = subprocess.Popen(
            ["obs", "--multi", "--disable-updater"],
            env={
                **os.environ,
                **self.display.env,
                "XDG_CONFIG_HOME": str(self.home),
                "HOME": str(self.home),
                "LIBGL_ALWAYS_SOFTWARE": "1",
                "QT_QPA_PLATFORM": "xcb",
            },
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        until = time.monotonic() + 120.0
        while time.monotonic() < until:
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", self.port)) == 0:
                    return
            assert self.process.poll() is None, "OBS ended while it started"
            time.sleep(0.2)
        raise AssertionError("OBS did not listen")

    def stop(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None

    def ask(self, request: str, data: dict[str, Any] | None = None) -> dict[str, Any]:
        """One request by a client of the test's own; waits until OBS is ready for it."""
        return asyncio.run(self._ask(request, data))

    async def _ask(self, request: str, data: dict[str, Any] | None) -> dict[str, Any]:
        import simpleobsws

        client = simpleobsws.WebSocketClient(f"ws://127.0.0.1:{self.port}", PASSWORD)
        await client.connect()
        assert await client.wait_until_identified(30)
        try:
            for _ in range(150):
                answer = await client.call(simpleobsws.Request(request, data), 30)
                if answer.requestStatus.code != 207:  # not ready yet
                    break
                await asyncio.sleep(0.2)
            assert answer.ok(), answer.requestStatus
            return answer.responseData or {}
        finally:
            await client.disconnect()


@pytest.fixture
def obs(x_display: XDisplay, tmp_path: Path) -> Iterator[Obs]:
    """OBS, listening."""
    if shutil.which("obs") is None:
        pytest.skip("no OBS here")
    found = Obs(x_display, tmp_path / "obs-home")
    found.start()
    yield found
    found.stop()
