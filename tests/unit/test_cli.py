"""The command line: what is asked, how it is answered, and how it is refused."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import types
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from caption_samples import HEADER, SUMMARY, final, partial
from fixtures_recordings import ASSETS

from desktop_app import __version__, cli
from desktop_app.commands import caption as caption_command
from desktop_app.commands import overlay as overlay_command
from engine.bus import CaptionBus
from engine.errors import CaptionglassError, DownloadError, RecognizerError
from engine.sinks.base import Sink
from engine.types import CaptionUpdate, EngineStats, StreamSummary
from models.catalogue import load
from models.spec import ModelFiles, ModelSpec
from models.store import ModelStore

ROOT = Path(__file__).parents[2]
HEAVY = """
    PySide6 numpy onnxruntime onnx sounddevice soundfile soxr rich pydantic keyring tokenizers
    tomlkit psutil pynvml asyncio
"""


class FakeSession:
    """Has the face of ``engine.session.Session`` and captions a fixed text.

    Attributes:
        made: the newest one.
        script: what it publishes.
        during: called in each ``wait`` until it returns True.
        fails_with: its error at the end.
    """

    made: FakeSession
    script: Sequence[CaptionUpdate] = ()
    during: Callable[[FakeSession], bool] = staticmethod(lambda _: True)
    fails_with: CaptionglassError | None = None

    def __init__(self, config: Any, sources: Sequence[Any], sinks: Sequence[Sink] = ()) -> None:
        type(self).made = self
        self.config = config
        self.sources = list(sources)
        self.bus = CaptionBus(sinks)
        self.error: CaptionglassError | None = None
        self.swapped: list[str] = []
        self.audio_s = 0.0
        self.stops = 0

    def start(self) -> None:
        self.bus.open(HEADER)
        for update in self.script:
            self.bus.publish(update)

    def wait(self, timeout: float | None = None) -> bool:
        assert timeout is not None, "the command must stay awake for Ctrl-C"
        self.audio_s += 10.0
        return self.during(self)

    def stop(self, timeout: float = 5.0) -> StreamSummary:
        assert timeout > 0
        self.stops += 1
        self.error = self.fails_with
        for source in self.sources:
            source.stop()
        self.bus.close(SUMMARY)
        return SUMMARY

    def stats(self) -> EngineStats:
        return EngineStats(state="running", audio_s=self.audio_s)

    def swap_model(self, files: ModelFiles) -> None:
        self.swapped.append(files.spec.id)


@pytest.fixture
def session(monkeypatch: pytest.MonkeyPatch) -> type[FakeSession]:
    """Stands in for the engine; captions two lines."""

    class Session(FakeSession):
        script = (partial(0, 0, "hello"), final(0, 1, "hello world"), final(1, 0, "second", at=2.0))

    module = types.ModuleType("engine.session")
    module.Session = Session  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "engine.session", module)
    return Session


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A models folder in which every model seems whole; the bytes are all zero."""
    root = tmp_path / "models"
    monkeypatch.setenv("CAPTIONGLASS_MODELS", str(root))
    for spec in load():
        pretend(spec, root)
    return root


def pretend(spec: ModelSpec, root: Path) -> None:
    (root / spec.id).mkdir(parents=True)
    for file in spec.files:
        with (root / spec.id / file.name).open("wb") as stream:
            stream.truncate(file.size)


@pytest.fixture
def wav(tmp_path: Path) -> Path:
    """Real speech under a name that is hard on programs."""
    return Path(shutil.copy(ASSETS / "demo.wav", tmp_path / "my talk 讲话 🎧.wav"))


def refused(capsys: pytest.CaptureFixture[str]) -> str:
    """The one line on standard error."""
    captured = capsys.readouterr()
    assert captured.out == ""
    (line,) = captured.err.splitlines()
    assert line.startswith("captionglass: ")
    return line


def test_help_imports_nothing_heavy() -> None:
    probe = (
        "import sys\n"
        "from desktop_app.cli import run\n"
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


@pytest.mark.usefixtures("store")
def test_finished_lines_go_to_standard_output(
    session: type[FakeSession], wav: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert (
        cli.run(["caption", str(wav), "--realtime", "--profile", "fast", "--provider", "cpu"]) == 0
    )
    captured = capsys.readouterr()
    assert captured.out == "hello world\nsecond\n"
    assert captured.err == ""
    config = session.made.config
    assert config.model.spec.id == load().default
    assert config.vad.spec.id == load().vad
    assert (config.profile.position, config.provider, config.version) == (25.0, "cpu", __version__)
    (source,) = session.made.sources
    assert (source.lane, source.live) == ("file", True)
    assert session.made.stops == 1


@pytest.mark.usefixtures("store")
def test_all_files_are_written(session: type[FakeSession], wav: Path, tmp_path: Path) -> None:
    del session
    out = tmp_path / "字幕 🎬"
    out.mkdir()
    options = [f"--{kind}={out / kind}" for kind in ("events", "srt", "vtt", "txt")]
    assert cli.run(["caption", str(wav), *options]) == 0
    events = [json.loads(line) for line in (out / "events").read_text("utf-8").splitlines()]
    assert [next(iter(event)) for event in events] == ["header", "t", "t", "t", "summary"]
    assert (out / "srt").read_text("utf-8").startswith("1\n00:00:00,000 --> ")
    assert (out / "vtt").read_text("utf-8").startswith("WEBVTT\n\n")
    assert (out / "txt").read_text("utf-8") == "hello world\nsecond\n"


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
        (["caption", "FOLDER"], "is a folder"),
        (["caption", "FOLDER/talks.wav"], "did you mean"),
        (["caption", "FOLDER/no/talk.wav"], "there is no folder"),
        (["caption", "system"], "not available yet in this version"),
        (["caption", "both"], "not available yet in this version"),
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


@pytest.mark.usefixtures("store")
def test_an_engine_that_fails_is_one_line_and_exit_code_1(
    session: type[FakeSession], wav: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    session.script = ()
    session.fails_with = RecognizerError("the model would not load", "fetch it again")
    assert cli.run(["caption", str(wav)]) == 1
    assert refused(capsys) == "captionglass: the model would not load: fetch it again"


@pytest.mark.usefixtures("store")
def test_a_bug_is_one_line_and_its_traceback_is_kept_for_debug(
    session: type[FakeSession], wav: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def explode(_: FakeSession) -> bool:
        raise ZeroDivisionError("secret words")

    session.script = ()
    session.during = staticmethod(explode)
    assert cli.run(["caption", str(wav)]) == 1
    line = refused(capsys)
    assert "unexpected ZeroDivisionError: run again with --debug" in line
    assert cli.run(["caption", str(wav), "--debug"]) == 1
    assert "Traceback" in capsys.readouterr().err


@pytest.mark.usefixtures("store")
@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM"])
def test_a_signal_finishes_the_lines_and_the_files(
    session: type[FakeSession], wav: Path, tmp_path: Path, name: str
) -> None:
    number = getattr(signal, name)

    def interrupt(fake: FakeSession) -> bool:
        signal.raise_signal(number)
        fake.script = ()
        return False

    session.during = staticmethod(interrupt)
    before = signal.getsignal(number)
    out = tmp_path / "out.jsonl"
    assert cli.run(["caption", str(wav), "--events", str(out)]) == 128 + number
    assert session.made.stops == 1
    assert "summary" in json.loads(out.read_text("utf-8").splitlines()[-1])
    assert signal.getsignal(number) is before


def test_a_second_ctrl_c_ends_the_process_at_once() -> None:
    probe = (
        "import os, signal, time\n"
        "from desktop_app.interrupts import Interrupts\n"
        "with Interrupts() as interrupts:\n"
        "    interrupts.defer()\n"
        "    signal.raise_signal(signal.SIGINT)\n"
        "    print(interrupts.received, interrupts.exit_code, flush=True)\n"
        "    signal.raise_signal(signal.SIGINT)\n"
        "    print('still here', flush=True)\n"
    )
    answer = subprocess.run(
        [sys.executable, "-c", probe], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert (answer.returncode, answer.stdout, answer.stderr) == (130, "2 130\n", "")


@pytest.mark.usefixtures("session")
def test_ctrl_c_during_a_download_ends_at_once_with_130(
    wav: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    import models.download

    monkeypatch.setenv("CAPTIONGLASS_MODELS", str(tmp_path / "models"))

    def interrupted(*_: Any) -> None:
        signal.raise_signal(signal.SIGINT)
        pytest.fail("went on")

    monkeypatch.setattr(models.download, "install", interrupted)
    assert cli.run(["caption", str(wav)]) == 130
    assert "Traceback" not in capsys.readouterr().err


@pytest.mark.usefixtures("store")
def test_a_sink_that_fails_in_the_middle_is_told_and_the_captions_go_on(
    session: type[FakeSession],
    wav: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    from engine.sinks.jsonl import JsonlSink

    def full(*_: Any) -> None:
        from engine.errors import SinkError

        raise SinkError("the disk is full", "free some space")

    del session
    monkeypatch.setattr(JsonlSink, "update", full)
    assert cli.run(["caption", str(wav), "--events", str(tmp_path / "e.jsonl")]) == 1
    captured = capsys.readouterr()
    assert captured.out == "hello world\nsecond\n"
    assert captured.err == "captionglass: the disk is full: free some space\n"


@pytest.mark.usefixtures("store")
def test_models_are_switched_in_the_order_of_their_times(
    session: type[FakeSession], wav: Path
) -> None:
    session.during = staticmethod(lambda fake: fake.audio_s >= 40)
    model = load().default
    assert cli.run(["caption", str(wav), f"--switch-at=25={model}", f"--switch-at=15={model}"]) == 0
    assert session.made.swapped == [model, model]


@pytest.mark.usefixtures("session")
def test_missing_models_are_fetched_first(
    wav: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    import models.download

    root = tmp_path / "models"
    monkeypatch.setenv("CAPTIONGLASS_MODELS", str(root))

    def install(spec: ModelSpec, store: ModelStore, progress: object) -> ModelFiles:
        del progress
        pretend(spec, root)
        return store.files(spec)

    monkeypatch.setattr(models.download, "install", install)
    assert cli.run(["caption", str(wav)]) == 0
    captured = capsys.readouterr()
    assert captured.out == "hello world\nsecond\n"
    assert "fetching moonshine-tiny-en (46 MB)" in captured.err
    assert "fetching silero-vad" in captured.err


@pytest.mark.usefixtures("session")
def test_models_that_cannot_be_fetched_are_one_line(
    wav: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    import models.download

    monkeypatch.setenv("CAPTIONGLASS_MODELS", str(tmp_path / "models"))

    def offline(*_: Any) -> None:
        raise DownloadError("the models cannot be reached", "connect to the network")

    monkeypatch.setattr(models.download, "install", offline)
    assert cli.run(["caption", str(wav)]) == 1
    assert capsys.readouterr().err.splitlines()[-1] == (
        "captionglass: the models cannot be reached: connect to the network"
    )


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
    assert captured.err.count("sha256") == len(list(load()))
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


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere there is always a screen")
def test_without_a_screen_the_demo_is_captioned_in_the_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for variable in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"):
        monkeypatch.delenv(variable, raising=False)
    asked: list[caption_command.CaptionRequest] = []
    monkeypatch.setattr(caption_command, "run_caption", lambda request: asked.append(request) or 0)
    assert cli.run(["--profile", "fast"]) == 0
    (request,) = asked
    assert Path(request.source) == ASSETS / "demo.wav"
    assert request.realtime
    assert request.profile == "fast"
    assert "there is no screen here" in refused(capsys)


def test_with_a_screen_the_overlay_opens(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DISPLAY", ":4711")
    asked: list[Any] = []
    app = types.ModuleType("desktop_app.app")
    app.OverlayOptions = lambda **options: options  # type: ignore[attr-defined]
    app.run_overlay = lambda options: asked.append(options) or 7  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "desktop_app.app", app)
    assert overlay_command.has_screen()
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
