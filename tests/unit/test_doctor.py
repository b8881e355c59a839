"""The doctor: every check stands alone, tells the truth, and brings its remedy."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import keyring as keyring_library
import pytest
import sounddevice
from fixtures_screen import XDisplay
from keyring.backends import fail, null

from desktop_app.commands import doctor
from desktop_app.health.check import Check, run_checks
from engine import gpu, runtime
from engine.sources import device
from models.catalogue import load
from models.store import ModelStore


@pytest.fixture
def empty_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = tmp_path / "模型 🎧"
    monkeypatch.setenv("CAPTIONGLASS_MODELS", str(root))
    return root


def broken() -> Check:
    raise RuntimeError("no such thing")


def test_a_check_that_breaks_does_not_stop_the_rest() -> None:
    good = Check("good", True, "fine")
    first, second = run_checks((("bad", broken, True), ("good", lambda: good, False)))
    assert (first.name, first.ok, first.needed) == ("bad", False, True)
    assert "RuntimeError: no such thing" in first.detail
    assert second == good


@pytest.mark.parametrize(
    ("needed", "ok", "code"), [(True, False, 1), (False, False, 0), (True, True, 0)]
)
def test_the_exit_code_says_whether_captions_can_run(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    needed: bool,
    ok: bool,
    code: int,
) -> None:
    check = Check("thing", ok, "two\nlines", "do this", needed)
    monkeypatch.setattr(doctor, "examine", lambda: [check])
    assert doctor.print_report() == code
    first, last = capsys.readouterr().out.splitlines()
    assert first == ("ok       thing  two lines" if ok else "problem  thing  two lines: do this")
    assert last == ("captions can run here" if code == 0 else "captions cannot run here yet")
    assert doctor.print_report(as_json=True) == code
    report = json.loads(capsys.readouterr().out)
    assert report["ok"] is (code == 0)
    assert report["checks"][0]["remedy"] == "do this"


def test_no_screen_is_said_without_starting_qt(monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setattr(doctor.sys, "platform", "linux")
    monkeypatch.setattr(doctor.subprocess, "run", lambda *_, **__: pytest.fail("started Qt"))
    for check in (doctor.screen(), doctor.compositor()):
        assert not check.ok
        assert check.remedy


def test_qt_is_asked_for_its_platform(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("QT_QPA_PLATFORM", "offscreen")
    check = doctor.screen()
    assert check.ok, check.detail
    assert check.detail.startswith("Qt on offscreen, ")


def test_a_screen_that_qt_cannot_reach_is_a_problem_not_a_crash(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("QT_QPA_PLATFORM", "xcb")
    monkeypatch.setenv("DISPLAY", ":4711")
    check = doctor.screen()
    assert not check.ok
    assert "DISPLAY=:4711" in check.remedy


# python-xlib leaves its sockets to the garbage collector when nobody answers.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.skipif(sys.platform != "linux", reason="X11 is asked on Linux alone")
def test_an_x11_screen_that_does_not_answer_has_no_compositor(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("DISPLAY", ":4711")
    check = doctor.compositor()
    assert not check.ok
    assert "does not answer" in check.detail


def test_sound_inputs_are_listed_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    microphone = device.InputDevice(0, "耳机 Mic", "ALSA", 1, 48_000, True)
    monkeypatch.setattr(device, "list_devices", lambda: [microphone])
    check = doctor.sound_inputs()
    assert check.ok
    assert "耳机 Mic (default)" in check.detail
    assert "PortAudio" in check.detail
    monkeypatch.setattr(device, "list_devices", list)
    check = doctor.sound_inputs()
    assert not check.ok
    assert check.remedy


def test_a_missing_portaudio_is_a_problem(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        sounddevice, "get_portaudio_version", lambda: (_ for _ in ()).throw(OSError("no library"))
    )
    (check,) = run_checks((("sound inputs", doctor.sound_inputs, False),))
    assert not check.ok
    assert "no library" in check.detail


@pytest.mark.usefixtures("empty_store")
def test_missing_models_bring_the_command_that_fetches_them() -> None:
    check = doctor.models()
    assert (check.ok, check.needed) == (False, True)
    assert "captionglass models get" in check.remedy
    check = doctor.provider()
    assert (check.ok, check.needed) == (False, True)
    assert "captionglass models get silero-vad" in check.remedy


@pytest.mark.usefixtures("empty_store")
def test_a_damaged_model_is_found() -> None:
    spec = load().get(load().default)
    folder = ModelStore().folder(spec)
    folder.mkdir(parents=True)
    for file in spec.files:
        with (folder / file.name).open("wb") as stream:
            stream.truncate(file.size)
    check = doctor.models()
    assert not check.ok
    assert "sha256" in check.detail


def test_the_data_folder_s_room_is_told_even_before_it_exists(empty_store: Path) -> None:
    check = doctor.data_folder()
    assert check.ok
    assert str(empty_store) in check.detail
    assert not empty_store.exists()


@pytest.mark.usefixtures("empty_store")
def test_a_full_disk_is_a_problem(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor.shutil, "disk_usage", lambda _: SimpleNamespace(free=1_000_000))
    check = doctor.data_folder()
    assert not check.ok
    assert check.remedy == "free some space for models"


@pytest.mark.usefixtures("empty_store")
def test_a_data_folder_that_cannot_be_written_is_a_problem(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse(dir: Path) -> None:
        raise PermissionError(13, os.strerror(13), str(dir))

    monkeypatch.setattr(doctor.tempfile, "TemporaryFile", refuse)
    check = doctor.data_folder()
    assert not check.ok
    assert "Permission denied" in check.detail


def test_a_file_in_the_way_of_the_data_folder_is_a_problem(empty_store: Path) -> None:
    empty_store.write_text("", encoding="utf-8")
    assert not doctor.data_folder().ok


@pytest.mark.parametrize(
    ("runs", "has_gpu", "ok"), [("cuda", True, True), ("cpu", False, True), ("cpu", True, False)]
)
def test_the_provider_that_really_runs_is_told(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, runs: str, has_gpu: bool, ok: bool
) -> None:
    asked: list[str] = []

    def open_session(path: Path, provider: str) -> object:
        assert path.name == "silero_vad.onnx"
        asked.append(provider)
        return object()

    spec = load().get("silero-vad")
    folder = tmp_path / "models" / spec.id
    folder.mkdir(parents=True)
    for file in spec.files:
        with (folder / file.name).open("wb") as stream:
            stream.truncate(file.size)
    monkeypatch.setenv("CAPTIONGLASS_MODELS", str(folder.parent))
    monkeypatch.setattr(runtime, "open_session", open_session)
    monkeypatch.setattr(runtime, "provider_name", lambda _: runs)
    reading = gpu.GpuReading("NVIDIA Fake", 1 << 30, 2 << 30, 5)
    monkeypatch.setattr(gpu, "read", lambda: reading if has_gpu else None)
    monkeypatch.setattr(gpu, "why_none", lambda: "no NVIDIA GPU, its driver is not installed")
    check = doctor.provider()
    assert asked == ["cuda"]
    assert check.ok is ok
    assert f"cuda asked for, {runs} runs" in check.detail
    if runs == "cpu":
        assert ("its driver is not installed" in check.detail) is not has_gpu
    assert bool(check.remedy) is not ok, "a problem names its remedy"


@pytest.mark.parametrize(
    ("reading", "why", "ok", "words"),
    [
        (gpu.GpuReading("NVIDIA Fake", 1 << 30, 2 << 30, 5), "", True, "1.0 of 2.0 GiB"),
        (None, "no NVIDIA GPU, its driver is not installed", True, "no NVIDIA GPU"),
        (None, "the GPU has fallen off the bus, restart the machine", False, "off the bus"),
    ],
)
def test_no_gpu_is_no_fault_but_a_lost_one_is(
    monkeypatch: pytest.MonkeyPatch, reading: gpu.GpuReading | None, why: str, ok: bool, words: str
) -> None:
    monkeypatch.setattr(gpu, "read", lambda: reading)
    monkeypatch.setattr(gpu, "why_none", lambda: why)
    check = doctor.gpu()
    assert check.ok is ok
    assert words in check.detail


def test_a_keyring_that_only_fails_is_a_problem(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keyring_library, "get_keyring", fail.Keyring)
    check = doctor.keyring()
    assert not check.ok
    assert check.remedy
    monkeypatch.setattr(keyring_library, "get_keyring", null.Keyring)
    assert doctor.keyring().ok


@pytest.mark.slow
def test_the_whole_report_on_this_machine() -> None:
    names = {check.name: check for check in doctor.examine()}
    assert names["models"].ok, names["models"].detail
    assert names["provider"].ok, names["provider"].detail
    assert "onnxruntime" in names["provider"].detail
    assert all(check.remedy for check in names.values() if not check.ok)


@pytest.mark.slow
def test_a_screen_with_a_compositor(x_display: XDisplay, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    monkeypatch.setenv("DISPLAY", x_display.name)
    monkeypatch.setenv("QT_QPA_PLATFORM", "xcb")
    assert doctor.screen() == Check("screen", True, "Qt on xcb, 1920 x 1080")
    assert doctor.compositor().ok


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("Xvfb") is None, reason="needs apt-get install xvfb")
def test_a_screen_without_a_compositor(monkeypatch: pytest.MonkeyPatch) -> None:
    read, write = os.pipe()
    server = subprocess.Popen(
        ["Xvfb", "-displayfd", str(write), "-nolisten", "tcp"],
        pass_fds=(write,),
        stderr=subprocess.DEVNULL,
    )
    os.close(write)
    try:
        with os.fdopen(read, encoding="utf-8") as pipe:
            monkeypatch.setenv("DISPLAY", f":{pipe.readline().strip()}")
        check = doctor.compositor()
    finally:
        server.terminate()
        server.wait()
    assert not check.ok
    assert "solid background" in check.detail
    assert "compositing" in check.remedy
