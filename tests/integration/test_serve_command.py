"""``captionglass serve`` as a program: real speech on the page, and its end in the middle."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import requests
from fixtures_recordings import ASSETS
from ports import free_port

from desktop_app.settings.store import SettingsStore

playwright = pytest.importorskip("playwright.sync_api")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not Path("/usr/bin/chromium").exists(), reason="no chromium here"),
]

ROOT = Path(__file__).parents[2]
TOKEN = "token-of-the-test"
_SECONDS = 8.5
TEXT = "document.getElementById('stage').innerText.replace(/\\s+/g, ' ')"


class Program:
    """A running ``captionglass serve``."""

    def __init__(self, recording: Path, port: int) -> None:
        options = ["--port", str(port), "--show-token", "--profile", "fast"]
        self.process = subprocess.Popen(
            [sys.executable, "-m", "desktop_app", "serve", str(recording), *options],
            cwd=ROOT,
            env={**os.environ, "CAPTIONGLASS_TOKEN": TOKEN},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
        )
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        found = re.search(r"(http://127\.0\.0\.1:\d+)/#token=(\S+)", line)
        assert found is not None, line
        self.address, self.token = found[1], found[2]

    def end(self, number: int = signal.SIGTERM) -> str:
        """Ends it; gives what it complained about."""
        self.process.send_signal(number)
        _, complaints = self.process.communicate(timeout=30)
        return complaints


@pytest.fixture
def programs() -> Iterator[list[Program]]:
    running: list[Program] = []
    yield running
    for each in running:
        if each.process.poll() is None:
            each.process.kill()
        each.process.communicate()


@pytest.fixture
def page() -> Iterator[Any]:
    with playwright.sync_playwright() as library:
        browser = library.chromium.launch(
            executable_path="/usr/bin/chromium", args=["--no-sandbox", "--disable-gpu"]
        )
        page = browser.new_page(viewport={"width": 1920, "height": 1080})
        page.set_default_timeout(60_000)
        yield page
        browser.close()


@pytest.fixture
def speech(tmp_path: Path) -> tuple[Path, list[str]]:
    """The first seconds of the demo recording, to the end of a word, and what is said there."""
    import soundfile

    spoken = json.loads((ASSETS / "demo.words.json").read_text(encoding="utf-8"))
    said = [(word, end) for word, end in spoken if end < _SECONDS]
    samples, rate = soundfile.read(ASSETS / "demo.wav", dtype="int16")
    soundfile.write(tmp_path / "speech.wav", samples[: int((said[-1][1] + 0.1) * rate)], rate)
    return tmp_path / "speech.wav", words(" ".join(word for word, _ in said))


def words(text: str) -> list[str]:
    return re.findall(r"[a-z']+", text.lower())


def asked(program: Program, method: str, path: str, **options: Any) -> Any:
    headers = {"Authorization": f"Bearer {program.token}"}
    answer = requests.request(
        method, program.address + path, headers=headers, timeout=20, **options
    )
    return answer.status_code, answer.json()


def test_real_speech_is_shown_through_the_end_of_the_program_and_a_new_start(
    page: Any, programs: list[Program], speech: tuple[Path, list[str]]
) -> None:
    port = free_port()
    recording, said = speech
    first_words = " ".join(said[:3])
    programs.append(Program(recording, port))
    page.goto(f"{programs[0].address}/#token={programs[0].token}&lines=12&panel=0")
    heard = f"() => {TEXT}.toLowerCase().replace(/[^a-z' ]/g, '').includes({first_words!r})"
    page.wait_for_function(heard)
    picture = page.screenshot(omit_background=True)
    from PySide6.QtGui import QImage

    image = QImage.fromData(picture)
    assert image.hasAlphaChannel()
    assert image.pixelColor(5, 5).alpha() == 0
    rows = range(0, image.height(), 3)
    assert any(image.pixelColor(x, y).alpha() == 255 for y in rows for x in range(200, 900, 2))

    # What is written into the settings file meanwhile dresses the open page.
    file = SettingsStore().path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text('theme = "light"\n', encoding="utf-8")
    page.wait_for_selector("html.light")

    assert programs[0].end(signal.SIGKILL) == ""
    programs.append(Program(recording, port))
    assert programs[1].token == programs[0].token

    # The rest of the speech comes, too.
    for _ in range(300):
        status, state = asked(programs[1], "GET", "/state")
        assert status == 200
        if state["state"] == "stopped":
            break
        page.wait_for_timeout(200)
    page.wait_for_function(f"() => {TEXT}.toLowerCase().includes({said[-1]!r})")
    import jiwer

    assert jiwer.wer(" ".join(said), " ".join(words(page.evaluate(TEXT)))) < 0.2
    status, answer = asked(programs[1], "POST", "/switch_model?lang=tlh")
    assert status == 404
    status, answer = asked(programs[1], "PUT", "/source", json={"source": "/etc/passwd"})
    assert status == 400, answer
    complaints = programs[1].end(signal.SIGINT)
    assert programs[1].process.returncode == 130
    assert TOKEN not in complaints
    assert "Traceback" not in complaints
