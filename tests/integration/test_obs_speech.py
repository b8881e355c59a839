"""Real speech in a real OBS: the text source holds its words, and they can be seen in the scene."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from fixtures_obs import PASSWORD, Obs
from fixtures_recordings import ASSETS
from PySide6.QtGui import QImage

ROOT = Path(__file__).parents[2]
SOURCE = "Captions"


@pytest.mark.slow
def test_the_words_of_a_recording_stand_in_the_text_source_and_in_the_scene(
    obs: Obs, tmp_path: Path
) -> None:
    scene = obs.ask("GetCurrentProgramScene")["currentProgramSceneName"]
    settings = {"text": "", "font": {"face": "Inter", "size": 72, "style": "Regular"}}
    obs.ask(
        "CreateInput",
        {
            "sceneName": scene,
            "inputName": SOURCE,
            "inputKind": "text_ft2_source_v2",
            "inputSettings": settings,
        },
    )
    picture = tmp_path / "scene.png"
    shot = {"sourceName": scene, "imageFormat": "png", "imageFilePath": str(picture)}
    command = ["caption", str(ASSETS / "demo.wav"), "--realtime", "--obs-text", SOURCE]
    process = subprocess.Popen(
        [sys.executable, "-m", "desktop_app", *command, "--obs-host", f"127.0.0.1:{obs.port}"],
        env={**os.environ, "CAPTIONGLASS_OBS_PASSWORD": PASSWORD},
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    )
    seen: set[str] = set()
    try:
        until = time.monotonic() + 90.0
        while process.poll() is None and time.monotonic() < until:
            text = obs.ask("GetInputSettings", {"inputName": SOURCE})["inputSettings"]["text"]
            seen.update(re.findall(r"[a-z']+", text.lower()))
            if len(seen) > 12 and not picture.exists():
                obs.ask("SaveSourceScreenshot", shot)
                process.send_signal(signal.SIGINT)
            time.sleep(0.3)
        out, err = process.communicate(timeout=30)
    finally:
        process.kill()
        process.wait()
    assert process.returncode == 130, err
    said = set(re.findall(r"[a-z']+", out.lower()))
    assert len(said) > 8
    # What is said while it ends may come and go unseen.
    assert len(said & seen) > 0.6 * len(said), (said - seen, err)
    assert PASSWORD not in out + err
    after = obs.ask("GetInputSettings", {"inputName": SOURCE})["inputSettings"]
    assert after.get("text", "") == ""
    image = QImage(str(picture)).convertToFormat(QImage.Format.Format_Grayscale8)
    shades = bytes(image.constBits())
    assert (min(shades), max(shades)) == (0, 255), "white words on black"
