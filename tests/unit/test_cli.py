"""The command line: what is asked, how it is answered, and how it is refused."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import types
from pathlib import Path
from typing import Any

import pytest
from fixtures_cli import refused
from fixtures_recordings import ASSETS

from desktop_app import __version__
from desktop_app.cli import main as cli
from desktop_app.commands import overlay as overlay_command
from desktop_app.commands.caption import CaptionRequest, read_hotwords

ROOT = Path(__file__).parents[2]
HEAVY = """
    PySide6 numpy onnxruntime onnx sounddevice soundfile soxr rich pydantic keyring tokenizers
    tomlkit psutil pynvml asyncio
"""


def test_help_imports_nothing_heavy() -> None:
    probe = (
        "import sys\n"
        "from desktop_app.cli.main import run\n"
        "code = run(['--help'])\n"
        "print('MODULES', *{name.partition('.')[0] for name in sys.modules})\n"
        "sys.exit(code)\n"
    )
    answer = subprocess.run(
        [sys.executable, "-c", probe], cwd=ROOT, capture_output=True, text=True, check=True
    )
    usage, _, modules = answer.stdout.partition("MODULES")
    assert "Usage: captionglass" in usage
    assert not set(HEAVY.split()) & set(modules.split())
    assert len(modules.split()) < 200


@pytest.mark.parametrize(
    "arguments", [["caption", "--help"], ["models", "-h"], ["doctor", "--help"], ["--help"]]
)
def test_help_is_help(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(arguments) == 0
    captured = capsys.readouterr()
    assert captured.out.startswith("Usage: captionglass")
    assert captured.err == ""


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["--version"]) == 0
    assert capsys.readouterr().out == f"captionglass {__version__}\n"


@pytest.mark.usefixtures("store", "session")
@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["caption"], "Missing argument 'SOURCE'"),
        (["caption", "WAV", "--nonsense"], "No such option: --nonsense"),
        (["capton", "WAV"], "No such command 'capton'"),
        (["caption", "WAV", "--provider", "tpu"], "'tpu' is not one of 'auto', 'cpu', 'cuda'"),
        (["caption", "WAV", "--profile", "ballanced"], "did you mean balanced?"),
        (["caption", "WAV", "--profile", "101"], "use 0 to 100"),
        (["caption", "WAV", "--profile", "nan"], "use 0 to 100"),
        (["caption", "WAV", "--model", "moonshine-tiny"], "did you mean moonshine-tiny-en?"),
        (["caption", "WAV", "--model", "silero-vad"], "does not turn speech into words"),
        (["caption", "WAV", "--language", "zh"], "does not caption the language 'zh'"),
        (["caption", "WAV", "--switch-at", "soon"], "does not read SECONDS=ID"),
        (["caption", "WAV", "--switch-at", "-3=moonshine-tiny-en"], "does not read SECONDS=ID"),
        (["caption", "WAV", "--switch-at", "3=moonshin-tiny-en"], "did you mean moonshine"),
        (["caption", "WAV", "--switch-at", "3=moonshine-tiny-en@cudda"], "names no provider"),
        (["caption", "FOLDER"], "is a folder"),
        (["caption", "FOLDER/talks.wav"], "did you mean"),
        (["caption", "FOLDER/no/talk.wav"], "there is no folder"),
        (["caption", "app:"], "names no application"),
        (["caption", "WAV", "--srt", "FOLDER"], "--srt: "),
        (["caption", "WAV", "--srt", "FOLDER/no/x.srt"], "its folder does not exist"),
        (["caption", "WAV", "--srt", "FOLDER/x", "--vtt", "FOLDER/x"], "name the same file"),
        (["caption", "WAV", "--txt", "WAV"], "would overwrite the recording"),
        (["models", "get", "moonshine-tny-en"], "did you mean moonshine-tiny-en?"),
        (["models", "verify", "nothing like it"], "known models are"),
        (["models", "remove", "silero-vat"], "did you mean silero-vad?"),
        (["models", "get"], "Missing argument"),
        (["models"], "Missing command"),
        (["mic"], "did you mean captionglass caption mic?"),
        (["--profile", "nonsense"], "no profile is called"),
        (["--source", "app:"], "names no application"),
        (["--source", "FOLDER/nothing.wav"], "there is no file"),
        (["--model", "moonshine"], "did you mean moonshine-tiny-en?"),
        (["--language", "zh"], "does not caption the language 'zh'"),
        (["caption", "N" * 300], "there is no file"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_a_wrong_request_is_one_line_and_exit_code_2(
    arguments: list[str], says: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    wav = Path(shutil.copy(ASSETS / "demo.wav", tmp_path / "talk.wav"))
    before = wav.read_bytes()
    filled = [word.replace("WAV", str(wav)).replace("FOLDER", str(tmp_path)) for word in arguments]
    assert cli.run(filled) == 2
    assert says in refused(capsys)
    assert wav.read_bytes() == before


@pytest.mark.usefixtures("store", "session")
def test_a_wrong_request_leaves_no_output_file(wav: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.srt"
    assert cli.run(["caption", f"{wav}x", "--srt", str(out)]) == 2
    assert not out.exists()


@pytest.mark.usefixtures("store", "session")
@pytest.mark.parametrize("content", [b"", b"this is no sound at all\n" * 20])
def test_what_is_no_sound_is_one_line_and_exit_code_1(
    content: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "talk.wav"
    path.write_bytes(content)
    assert cli.run(["caption", str(path)]) == 1
    assert "talk.wav" in refused(capsys)


def test_models_list_tells_the_state(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shutil.rmtree(store / "silero-vad")
    (store / "moonshine-tiny-en" / "tokenizer.json").write_bytes(b"short")
    assert cli.run(["models", "list", "--json"]) == 0
    rows = {row["id"]: row for row in json.loads(capsys.readouterr().out)}
    assert rows["silero-vad"]["state"] == "not installed"
    assert rows["moonshine-tiny-en"]["state"] == "damaged"
    assert rows["moonshine-tiny-en"]["default"] is True
    assert cli.run(["models", "list"]) == 0
    text = capsys.readouterr().out
    assert all(model_id in text for model_id in rows)


def test_models_verify_and_remove(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["models", "verify"]) == 1
    captured = capsys.readouterr()
    assert captured.err.count("sha256") == len(list(store.glob("[!.]*")))
    assert cli.run(["models", "remove", "silero-vad"]) == 0
    assert not (store / "silero-vad").exists()
    assert "silero-vad is removed" in capsys.readouterr().out
    assert cli.run(["models", "remove", "silero-vad"]) == 1
    assert "is not installed" in refused(capsys)
    shutil.rmtree(store)
    assert cli.run(["models", "verify"]) == 0
    assert "no model is installed" in capsys.readouterr().out


@pytest.mark.usefixtures("store")
def test_models_get_leaves_what_is_there(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["models", "get", "silero-vad"]) == 0
    assert capsys.readouterr().out == "silero-vad is installed already\n"


def test_devices_are_listed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from engine.sources import device

    microphone = device.InputDevice(3, "耳机 Mic", "ALSA", 1, 48_000, True)
    monkeypatch.setattr(device, "list_devices", lambda: [microphone])
    assert cli.run(["devices"]) == 0
    assert "耳机 Mic" in capsys.readouterr().out
    assert cli.run(["devices", "--json"]) == 0
    (row,) = json.loads(capsys.readouterr().out)
    assert (row["name"], row["sample_rate"], row["is_default"]) == ("耳机 Mic", 48_000, True)


@pytest.mark.usefixtures("store", "session")
def test_an_unknown_microphone_is_wrong_usage(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from engine.sources import device

    microphone = device.InputDevice(3, "Headset Mic", "ALSA", 1, 48_000, True)
    monkeypatch.setattr(device, "list_devices", lambda: [microphone])
    assert cli.run(["caption", "mic:headset mik"]) == 2
    assert "did you mean 'Headset Mic'?" in refused(capsys)


@pytest.mark.usefixtures("store", "session")
def test_standard_input_must_be_a_pipe(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdin", types.SimpleNamespace(isatty=lambda: True))
    assert cli.run(["caption", "-"]) == 2
    assert "standard input is a terminal" in refused(capsys)


@pytest.mark.parametrize("content", [None, b"\xff\xfe\x00"])
def test_phrases_that_cannot_be_read_are_wrong_usage(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], content: bytes | None
) -> None:
    path = tmp_path / "names.txt"
    if content is not None:
        path.write_bytes(content)
    assert cli.run(["caption", str(ASSETS / "demo.wav"), "--hotwords", str(path)]) == 2
    assert "names.txt cannot be read" in refused(capsys)


def test_phrases_are_read_one_a_line(tmp_path: Path) -> None:
    path = tmp_path / "名字.txt"
    path.write_text("\ufeffAda Lovelace\r\n\r\n  陈省身\n", encoding="utf-8")
    assert read_hotwords(path) == ("Ada Lovelace", "陈省身")
    assert read_hotwords(None) == ()


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere there is always a screen")
@pytest.mark.parametrize(
    ("display", "why"), [("", "neither DISPLAY nor"), (":4711", "the screen :4711 does not answer")]
)
def test_without_a_screen_the_demo_is_captioned_in_the_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], display: str, why: str
) -> None:
    for variable in ("WAYLAND_DISPLAY", "QT_QPA_PLATFORM"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("DISPLAY", display)
    asked: list[CaptionRequest] = []
    monkeypatch.setattr(overlay_command, "run_caption", lambda request: asked.append(request) or 0)
    assert cli.run(["--profile", "fast"]) == 0
    (request,) = asked
    assert Path(request.source) == ASSETS / "demo.wav"
    assert request.realtime
    assert request.profile == "fast"
    assert f"there is no screen here ({why}" in refused(capsys)


def test_with_a_screen_the_overlay_opens(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("QT_QPA_PLATFORM", "offscreen")
    asked: list[Any] = []
    app = types.ModuleType("desktop_app.application.app")
    app.OverlayOptions = lambda **options: options  # type: ignore[attr-defined]
    app.run_overlay = lambda options: asked.append(options) or 7  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "desktop_app.application.app", app)
    assert cli.run(["--model", "moonshine-tiny-en", "--source", "mic"]) == 7
    (options,) = asked
    assert options["model"] == "moonshine-tiny-en"
    assert options["source"] == "mic"


def test_output_into_a_closed_pipe_ends_quietly() -> None:
    read, write = os.pipe()
    os.close(read)
    answer = subprocess.run(
        [sys.executable, "-m", "desktop_app", "models", "list"],
        cwd=ROOT,
        stdout=write,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    os.close(write)
    assert (answer.returncode, answer.stderr) == (0, "")


@pytest.mark.skipif(os.name == "nt", reason="needs a POSIX shell")
def test_a_closed_standard_output_stops_nothing() -> None:
    answer = subprocess.run(
        ["sh", "-c", '"$@" >&- 2>&-', "sh", sys.executable, "-m", "desktop_app", "models", "list"],
        cwd=ROOT,
        check=False,
    )
    assert answer.returncode == 0
