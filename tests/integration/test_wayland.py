"""On Wayland captions come through XWayland where there is one, since X can place a window and keep
it on top, and natively elsewhere; what is told of the screen is what the window uses."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from faults import BEST, Windows, command, settings_file, speech, until

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("weston") is None, reason="weston is not installed"),
]

Start = Callable[..., dict[str, str]]


@pytest.fixture
def weston(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Start]:
    """Starts a compositor without a screen; what a program has to have in its environment."""
    running: list[subprocess.Popen[bytes]] = []

    def start(*, xwayland: bool) -> dict[str, str]:
        folder = tmp_path_factory.mktemp("wl")
        folder.chmod(0o700)
        log = folder / "log"
        options = ["--backend=headless-backend.so", "--width=1280", "--height=800", "--no-config"]
        more = ["--xwayland"] if xwayland else []
        with log.open("wb") as said:
            running.append(
                subprocess.Popen(
                    ["weston", *options, "--idle-time=0", "--socket=wl", *more],
                    env=os.environ | {"XDG_RUNTIME_DIR": str(folder)},
                    stdout=said,
                    stderr=said,
                    start_new_session=True,
                )
            )
        until((folder / "wl").exists, "the compositor")
        display = ""
        if xwayland:
            pattern = r"xserver listening on display (:\d+)"
            found = until(lambda: re.search(pattern, log.read_text("utf-8")), "XWayland")
            display = found[1]
        return {
            "WAYLAND_DISPLAY": str(folder / "wl"),
            "DISPLAY": display,
            "QT_QPA_PLATFORM": "",
            "XDG_SESSION_TYPE": "wayland",
        }

    yield start
    for process in running:
        os.killpg(process.pid, signal.SIGTERM)
        process.wait()


@pytest.fixture
def windows(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Windows]:
    made = Windows(tmp_path_factory.mktemp("w"))
    yield made
    made.close()


@pytest.mark.usefixtures("own_folders")
def test_where_there_is_xwayland_it_is_used(
    weston: Start, windows: Windows, tmp_path: Path
) -> None:
    there = weston(xwayland=True)
    settings_file()
    assert "Qt on xcb" in command("doctor", **there).stdout
    window = windows.open("--source", speech(tmp_path, 6.0), **there)
    window.says(BEST)
    asked = ["xwininfo", "-display", there["DISPLAY"], "-root", "-tree"]
    tree = subprocess.run(asked, capture_output=True, text=True, check=True).stdout
    widths = [int(found) for found in re.findall(r'"Captionglass": .*?  (\d+)x\d+\+', tree)]
    assert max(widths) > 300, tree
    assert window.end() == []


@pytest.mark.usefixtures("own_folders")
def test_where_there_is_none_the_window_is_waylands_own(
    weston: Start, windows: Windows, tmp_path: Path
) -> None:
    there = weston(xwayland=False)
    settings_file()
    said = command("doctor", **there).stdout
    assert "Qt on wayland" in said
    assert "Wayland, which places windows and keeps them on top as it likes" in said
    window = windows.open("--source", speech(tmp_path, 6.0), **there)
    window.is_up()
    window.says(BEST)
    assert window.end() == []
