"""A second start speaks to the first: its commands, its limits, and what a killed one leaves."""

from __future__ import annotations

import contextlib
import json
import os
import socket
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from fixtures_session import FakeStart
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from desktop_app import single_instance
from desktop_app.application import app as overlay_app
from desktop_app.application import starting
from desktop_app.application.app import OverlayOptions
from desktop_app.application.caption_app import CaptionApp
from desktop_app.cli import main as cli
from desktop_app.settings.store import SettingsStore
from desktop_app.single_instance import COMMANDS, InstanceError, SingleInstance, own_address

pytestmark = [
    pytest.mark.skipif(sys.platform == "win32", reason="the tests speak to a POSIX socket"),
    pytest.mark.qt_log_ignore("^This plugin does not support", extend=True),
]
ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def runtime_folder(tmp_path_factory: pytest.TempPathFactory, monkeypatch: Any) -> Path:
    """A folder for the socket that is as private as a real one."""
    folder = tmp_path_factory.mktemp("run")
    folder.chmod(0o700)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(folder))
    return folder


@pytest.fixture
def running(qtbot: QtBot) -> Iterator[SingleInstance]:
    del qtbot
    instance = SingleInstance()
    assert instance.claim()
    yield instance
    instance.close()


def spoken(qtbot: QtBot, sent: bytes) -> bytes:
    """What the one that runs answers, as a client outside Qt hears it; nothing if cut off."""
    heard: list[bytes] = []

    def speak() -> None:
        with socket.socket(socket.AF_UNIX) as client:
            client.settimeout(10.0)
            client.connect(own_address())
            answer = b""
            with contextlib.suppress(ConnectionError):
                client.sendall(sent)
                while part := client.recv(64):
                    answer += part
            heard.append(answer)

    thread = threading.Thread(target=speak, name="client")
    thread.start()
    qtbot.waitUntil(lambda: bool(heard), timeout=12_000)
    thread.join()
    return heard[0]


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_arrives(command: str, running: SingleInstance, qtbot: QtBot) -> None:
    asked: list[str] = []
    running.asked.connect(asked.append)
    assert spoken(qtbot, f"{command}\n".encode()) == b"done\n"
    assert asked == [command]


@pytest.mark.parametrize("sent", [b"exec rm\n", b"\n", b"\xff\xfe\n", b"x" * 4000, b"show" * 900])
def test_anything_else_is_refused(sent: bytes, running: SingleInstance, qtbot: QtBot) -> None:
    asked: list[str] = []
    running.asked.connect(asked.append)
    assert spoken(qtbot, sent) in (b"unknown\n", b"")
    assert asked == []
    assert spoken(qtbot, b"hide\n") == b"done\n"


def test_one_that_says_nothing_is_let_go(
    running: SingleInstance, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    del running
    monkeypatch.setattr(single_instance, "_TIMEOUT_MS", 100)
    assert spoken(qtbot, b"") == b""
    assert spoken(qtbot, b"hide\n") == b"done\n"


def test_only_its_user_can_reach_it(running: SingleInstance) -> None:
    del running
    mode = stat.S_IMODE(Path(own_address()).stat().st_mode)
    assert mode & 0o077 == 0


def test_other_settings_are_another_captionglass(monkeypatch: pytest.MonkeyPatch) -> None:
    before = own_address()
    monkeypatch.setenv("XDG_CONFIG_HOME", "/elsewhere")
    assert own_address() != before


def test_a_folder_that_others_can_enter_is_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    open_to_all = tmp_path / "open"
    open_to_all.mkdir()
    open_to_all.chmod(0o777)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(open_to_all))
    monkeypatch.setattr("tempfile.gettempdir", lambda: str(tmp_path))
    own = tmp_path / f"captionglass-{os.getuid()}"
    assert Path(own_address()).parent == own
    own.chmod(0o755)
    with pytest.raises(InstanceError, match="not yours alone"):
        own_address()


def test_where_no_lock_can_be_made_it_starts_all_the_same(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    del qtbot
    monkeypatch.setattr(single_instance, "_lock_path", lambda _: "/nowhere/at/all.lock")
    instance = SingleInstance()
    assert instance.claim()
    instance.close()


def test_what_a_killed_one_left_is_in_nobodys_way(qtbot: QtBot) -> None:
    del qtbot
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(own_address())
    assert Path(own_address()).exists()
    instance = SingleInstance()
    assert instance.claim()
    instance.close()


@pytest.fixture
def captions(qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[CaptionApp]:
    monkeypatch.setattr(starting, "start_session", FakeStart())
    made = CaptionApp(OverlayOptions(), SettingsStore(tmp_path / "settings.toml"))
    qtbot.addWidget(made.overlay, before_close_func=lambda widget: widget.hide())
    made.begin()
    yield made
    made.shut_down()


def test_the_window_does_what_it_is_asked(
    captions: CaptionApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    ended: list[bool] = []
    monkeypatch.setattr(QApplication, "quit", lambda: ended.append(True))
    done: dict[str, Callable[[], bool]] = {
        "hide": lambda: not captions.overlay.isVisible(),
        "show": captions.overlay.isVisible,
        "toggle": lambda: not captions.overlay.isVisible(),
        "pause": lambda: captions._paused,
        "quit": lambda: bool(ended),
    }
    for command, is_so in done.items():
        assert not is_so() or command == "show"
        overlay_app.perform(captions, command)
        assert is_so(), command
    style = captions.settings
    overlay_app.perform(captions, "next-preset")
    assert captions.settings != style
    monkeypatch.setattr(captions, "toggle_lock", lambda: ended.append(False))
    overlay_app.perform(captions, "lock")
    assert ended == [True, False]
    monkeypatch.setattr(captions, "show_first_run", lambda: ended.append(True))
    overlay_app.perform(captions, "first-run")
    assert ended == [True, False, True]
    monkeypatch.setattr("desktop_app.ui.choice_editors.list_devices", list)
    overlay_app.perform(captions, "settings")
    opened = captions.windows.opened("settings")
    assert opened is not None
    assert opened.isVisible()
    overlay_app.perform(captions, "use-preset lecture")
    assert captions.applying.current_preset() == "Lecture"
    assert {*done, "next-preset", "lock", "first-run", "settings"} == set(COMMANDS)


@pytest.mark.parametrize("option", ["--toggle", "--pause", "--show", "--hide", "--lock", "--quit"])
def test_where_none_runs_one_line_says_so(
    option: str, qtbot: QtBot, capsys: pytest.CaptureFixture[str]
) -> None:
    del qtbot
    assert cli.run([option]) == 1
    captured = capsys.readouterr()
    assert captured.out == ""
    assert (
        captured.err == "captionglass: Captionglass is not running: start it with: captionglass\n"
    )


def command(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "desktop_app", *arguments],
        cwd=ROOT,
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=False,
    )


def window() -> subprocess.Popen[str]:
    """The whole overlay, with an engine that says one line."""
    process = subprocess.Popen(
        [sys.executable, str(ROOT / "tests" / "overlay_window.py"), json.dumps([[0, "hello", ""]])],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    )
    until = time.monotonic() + 60.0
    while not _answers():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < until
        time.sleep(0.05)
    return process


def _answers() -> bool:
    with socket.socket(socket.AF_UNIX) as probe:
        return probe.connect_ex(own_address()) == 0


@pytest.mark.slow
def test_a_second_start_brings_the_first_to_the_front_and_one_after_a_kill_opens() -> None:
    first = window()
    try:
        second = command()
        assert (second.returncode, second.stderr) == (0, "")
        assert second.stdout.startswith("Captionglass is open already")
        assert command("--hide", "--pause").returncode == 0
    finally:
        first.kill()
        first.communicate()
    assert Path(own_address()).exists(), "a killed one leaves its socket"
    assert command("--toggle").returncode == 1
    again = window()
    try:
        assert command("--quit").returncode == 0
        out, _ = again.communicate(timeout=60)
    finally:
        again.kill()
        again.communicate()
    assert (again.returncode, out) == (0, "stopped\n")
