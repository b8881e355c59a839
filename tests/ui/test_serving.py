"""The window serves too: what is asked of the control port happens to the window's session."""

from __future__ import annotations

import asyncio
import http.client
import json
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from fixtures_session import FakeSession, caption
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from desktop_app import secrets
from desktop_app.application import starting
from desktop_app.application.app import OverlayOptions
from desktop_app.application.caption_app import CaptionApp
from desktop_app.application.startup import Started, Wish
from desktop_app.secrets import Secrets
from desktop_app.settings.declared import Settings
from desktop_app.settings.store import SettingsStore

pytestmark = pytest.mark.qt_log_ignore("^This plugin does not support", extend=True)
TOKEN = "token-of-the-test"


class Session(FakeSession):
    """A session that can be given sinks and models later."""

    def add_sink(self, sink: Any) -> None:
        self.sinks.append(sink)

    def swap_model(self, files: Any, at: float = 0.0) -> None:
        del at
        self.calls.append(f"swap {files.spec.id}")


@pytest.fixture
def sessions(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Wish, Session]]:
    made: list[tuple[Wish, Session]] = []

    def start(wish: Wish, sink: Any, *_: Any) -> Started:
        session = Session(sinks=[sink])
        made.append((wish, session))
        return Started(session, "a microphone", ())

    monkeypatch.setattr(starting, "start_session", start)
    return made


@pytest.fixture
def make(
    qtbot: QtBot,
    sessions: list[tuple[Wish, Session]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[Callable[[bool], CaptionApp]]:
    assert sessions == [], "no real one is made"
    monkeypatch.setattr(secrets, "_shared", Secrets(None, {"CAPTIONGLASS_TOKEN": TOKEN}))
    apps: list[CaptionApp] = []

    def build(enabled: bool) -> CaptionApp:
        store = SettingsStore(tmp_path / f"settings-{len(apps)}.toml")
        store.save(Settings(web_enabled=enabled))
        app = CaptionApp(OverlayOptions(), store)
        app.settings = app.settings.model_copy(update={"web_port": 0})
        apps.append(app)
        app.begin()
        qtbot.waitUntil(lambda: app.session is not None)
        return app

    yield build
    for app in apps:
        app.shut_down()


def asked(qtbot: QtBot, app: CaptionApp, method: str, path: str, body: Any = None) -> Any:
    """The answer of the control port; the window's thread goes on meanwhile."""
    server = app.serving.server
    assert server is not None

    def call() -> Any:
        host, _, port = server.address.removeprefix("http://").partition(":")
        connection = http.client.HTTPConnection(host, int(port), timeout=10.0)
        headers = {"Authorization": f"Bearer {TOKEN}"}
        content = None
        if body is not None:
            content, headers["Content-Type"] = json.dumps(body), "application/json"
        connection.request(method, path, content, headers)
        try:
            return json.loads(connection.getresponse().read())
        finally:
            connection.close()

    answers: list[Any] = []
    thread = threading.Thread(target=lambda: answers.append(call()), name="client")
    thread.start()
    qtbot.waitUntil(lambda: bool(answers), timeout=10_000)
    thread.join()
    return answers[0]


def served(qtbot: QtBot, app: CaptionApp) -> None:
    qtbot.waitUntil(lambda: app.serving.server is not None, timeout=10_000)


def test_it_serves_only_where_that_is_switched_on(
    qtbot: QtBot, make: Callable[[bool], CaptionApp]
) -> None:
    app = make(False)
    assert app.serving.server is None
    app.serving.show_guide()
    guide = app.serving.guide
    assert guide is not None
    assert not guide.copy_button.isEnabled()
    assert not guide.findChildren(QLabel)[0].pixmap().isNull()
    guide.on_button.click()
    served(qtbot, app)
    assert app.settings.web_enabled
    assert guide.copy_button.isEnabled()
    guide.copy_button.click()
    path = Path(QGuiApplication.clipboard().text())
    assert TOKEN in path.read_text("utf-8")
    assert str(path) in guide.status.text()


def test_what_is_asked_happens_to_the_window(
    qtbot: QtBot,
    make: Callable[[bool], CaptionApp],
    sessions: list[tuple[Wish, Session]],
) -> None:
    app = make(True)
    served(qtbot, app)
    assert asked(qtbot, app, "GET", "/state")["listening_to"] == "a microphone"
    assert asked(qtbot, app, "POST", "/pause")["state"] == "paused"
    assert app.overlay.notices.text == "Captions are paused"
    assert asked(qtbot, app, "POST", "/start")["state"] == "running"
    assert asked(qtbot, app, "PUT", "/slider", {"position": 75})["profile"] == "steady"
    assert app.overlay.bar.slider.value() == 75
    assert "error" in asked(qtbot, app, "PUT", "/source", {"source": "/etc/passwd"})
    assert asked(qtbot, app, "PUT", "/source", {"source": "system"})["source"] == "system"
    qtbot.waitUntil(lambda: len(sessions) == 2)
    assert sessions[1][0].source == "system"
    assert app.settings.source == "mic", "in this run alone"


def test_a_preset_is_taken_and_seen(
    qtbot: QtBot, make: Callable[[bool], CaptionApp], sessions: list[tuple[Wish, Session]]
) -> None:
    app = make(True)
    served(qtbot, app)
    names = [row["name"] for row in asked(qtbot, app, "GET", "/presets")["presets"]]
    assert {"Meeting", "Stream", "Lecture"} <= set(names)
    state = asked(qtbot, app, "PUT", "/preset", {"preset": "lecture"})
    assert (state["preset"], state["slider"]) == ("Lecture", 75)
    assert (app.settings.lines, app.overlay.bar.slider.value()) == (5, 75)
    rows = asked(qtbot, app, "GET", "/presets")["presets"]
    assert [row["name"] for row in rows if row["in_use"]] == ["Lecture"]
    assert "error" in asked(qtbot, app, "PUT", "/preset", {"preset": "Nothing"})
    assert sessions


def test_its_captions_are_read(
    qtbot: QtBot, make: Callable[[bool], CaptionApp], sessions: list[tuple[Wish, Session]]
) -> None:
    app = make(True)
    served(qtbot, app)
    session = sessions[0][1]
    qtbot.waitUntil(lambda: len(session.sinks) == 3)
    session.run()
    session.say(caption("said before", final=True))
    server = app.serving.server
    assert server is not None

    async def read() -> str:
        headers = {"Authorization": f"Bearer {TOKEN}"}
        async with (
            aiohttp.ClientSession(headers=headers) as client,
            client.ws_connect(server.address + "/captions?from=0") as socket,
        ):
            await socket.receive_json()
            return str((await socket.receive_json())["stable"])

    assert asyncio.run(asyncio.wait_for(read(), 10.0)) == "said before"


def test_settings_count_at_once(qtbot: QtBot, make: Callable[[bool], CaptionApp]) -> None:
    app = make(True)
    served(qtbot, app)
    server = app.serving.server
    assert server is not None
    heard: list[dict[str, Any]] = []
    listening = threading.Event()

    async def read() -> None:
        headers = {"Authorization": f"Bearer {TOKEN}"}
        async with (
            aiohttp.ClientSession(headers=headers) as client,
            client.ws_connect(server.address + "/captions") as socket,
        ):
            async for message in socket:
                heard.append(json.loads(message.data))
                listening.set()

    thread = threading.Thread(target=lambda: asyncio.run(read()), name="page")
    thread.start()
    qtbot.waitUntil(listening.is_set, timeout=10_000)
    app.change_look(theme="light", lines=4, text_colour="#224466")
    qtbot.waitUntil(lambda: len(heard) == 2, timeout=10_000)
    look = heard[1]["appearance"]
    assert (look["theme"], look["lines"], look["text_colour"]) == ("light", 4, "#224466")
    app.set_profile(12.0)
    app.change_settings(web_enabled=False)
    assert app.serving.server is None
    thread.join(10)
    assert not thread.is_alive(), "readers are let go"
    assert len(heard) == 2, "the slider is no look"
    app.change_settings(web_enabled=True)
    served(qtbot, app)


def test_a_taken_port_is_told_in_the_window(
    qtbot: QtBot, make: Callable[[bool], CaptionApp]
) -> None:
    first = make(True)
    served(qtbot, first)
    assert first.serving.server is not None
    port = int(first.serving.server.address.rpartition(":")[2])
    second = make(False)
    second.settings = second.settings.model_copy(update={"web_enabled": True, "web_port": port})
    second.serving.begin()
    qtbot.waitUntil(
        lambda: second.overlay.notices.text.startswith(f"Port {port} is taken"), timeout=10_000
    )
