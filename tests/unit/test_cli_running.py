"""``captionglass caption`` while it runs: its output, its failures, and Ctrl-C."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from fixtures_cli import FakeSession, pretend, refused

from desktop_app import __version__
from desktop_app.cli import main as cli
from engine.errors import DownloadError, RecognizerError
from engine.types import Notice
from models.catalogue import load
from models.spec import ModelFiles, ModelSpec
from models.store import ModelStore

ROOT = Path(__file__).parents[2]


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
    options = [f"--{kind}={out / kind}" for kind in ("events", "srt", "vtt", "txt", "md")]
    assert cli.run(["caption", str(wav), *options]) == 0
    events = [
        json.loads(line) for line in (out / "events").read_text(encoding="utf-8").splitlines()
    ]
    assert [next(iter(event)) for event in events] == ["header", "t", "t", "t", "summary"]
    assert (out / "srt").read_text(encoding="utf-8").startswith("1\n00:00:00,000 --> ")
    assert (out / "vtt").read_text(encoding="utf-8").startswith("WEBVTT\n\n")
    assert (out / "txt").read_text(encoding="utf-8") == "hello world\nsecond\n"
    assert "hello world" in (out / "md").read_text(encoding="utf-8")


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
    assert "summary" in json.loads(out.read_text(encoding="utf-8").splitlines()[-1])
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
def test_models_are_switched_in_order_one_at_a_time(session: type[FakeSession], wav: Path) -> None:
    answer = Notice("model.swapped", "info", "captions now come from another model")
    pending: list[int] = []

    def during(fake: FakeSession) -> bool:
        pending.append(len(fake.swapped))
        if fake.waits in (3, 5):
            fake.bus.notice(answer)
        return fake.waits == 7

    session.during = staticmethod(during)
    model = load().default
    assert (
        cli.run(["caption", str(wav), f"--switch-at=25={model}@cuda", f"--switch-at=15={model}"])
        == 0
    )
    assert session.made.swapped == [(model, 15.0, None), (model, 25.0, "cuda")]
    assert pending == [0, 1, 1, 2, 2, 2, 2]


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
