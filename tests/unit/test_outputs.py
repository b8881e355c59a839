"""Where captions go beside the window: what the settings and the command line make of it."""

from __future__ import annotations

import io
import json
import shutil
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import webvtt
from caption_samples import HEADER, SUMMARY, final
from fixtures_cli import FakeSession, refused
from ports import free_port

from desktop_app import secrets
from desktop_app.cli import main as cli
from desktop_app.outputs.obs import ObsTarget, obs_target
from desktop_app.outputs.running import RunningOutputs
from desktop_app.outputs.wanted import Outputs, changed, default_folder, make_sinks, outputs_of
from desktop_app.secrets import Secrets
from desktop_app.settings.declared import Settings
from engine.errors import UsageError
from engine.types import Notice

NOON = datetime(2026, 3, 9, 12, 5, 7, tzinfo=UTC)
EVERY_KIND = dict.fromkeys(
    ("outputs_srt", "outputs_vtt", "outputs_txt", "outputs_md", "outputs_jsonl"), True
)


def run(made: dict[str, Any]) -> None:
    sinks = list(made.values())
    for sink in sinks:
        sink.open(HEADER)
    for sink in sinks:
        sink.update(final(0, text="good morning"), 1.0)
    for sink in sinks:
        sink.close(SUMMARY)


def eventually(true: Callable[[], bool], seconds: float = 20.0) -> bool:
    until = time.monotonic() + seconds
    while not true():
        if time.monotonic() > until:
            return False
        time.sleep(0.02)
    return True


def test_nothing_is_written_unless_it_is_asked_for() -> None:
    assert outputs_of(Settings()) == Outputs()
    assert make_sinks(Outputs(), lambda _: None) == {}


def test_files_are_named_by_date_and_time_and_never_overwritten(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "captions"
    outputs = outputs_of(Settings.model_validate(EVERY_KIND | {"outputs_folder": str(folder)}))
    told: list[Notice] = []
    run(make_sinks(outputs, told.append, NOON))
    first = {path.name: path.read_bytes() for path in folder.iterdir()}
    endings = ("jsonl", "md", "srt", "txt", "vtt")
    assert sorted(first) == [f"2026-03-09 12-05-07.{kind}" for kind in endings]
    assert all(b"good morning" in written for written in first.values())
    (cue,) = webvtt.from_buffer(io.StringIO(first["2026-03-09 12-05-07.vtt"].decode()))
    assert cue.text == "good morning"
    run(make_sinks(outputs, told.append, NOON))
    assert len(list(folder.glob("2026-03-09 12-05-07 2.*"))) == 5
    assert {name: (folder / name).read_bytes() for name in first} == first
    assert told == []


def test_files_go_to_the_documents_where_no_folder_is_named(own_folders: Path) -> None:
    run(make_sinks(Outputs(kinds=("txt",)), lambda _: None, NOON))
    assert default_folder().is_relative_to(own_folders)
    assert (default_folder() / "2026-03-09 12-05-07.txt").read_text("utf-8") == "good morning\n"


def test_a_setting_means_the_same_wherever_the_program_was_started(own_folders: Path) -> None:
    asked = outputs_of(Settings(outputs_folder="~/talks", live_text_file="now.txt"))
    assert (asked.folder, asked.live_text) == (own_folders / "talks", own_folders / "now.txt")


def test_a_folder_that_cannot_be_made_is_told_and_the_rest_goes_on(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    told: list[Notice] = []
    outputs = Outputs(tmp_path / "file" / "in", ("srt", "txt"), live_text=tmp_path / "live.txt")
    sinks = make_sinks(outputs, told.append)
    assert list(sinks) == ["live_text"]
    assert [(each.code, bool(each.remedy)) for each in told] == [("outputs.folder", True)]


def test_two_lanes_have_their_names() -> None:
    settings = Settings(outputs_txt=True, lane_name_mic="Ann")
    assert outputs_of(settings, two_lanes=True).labels["mic"] == "Ann"
    assert outputs_of(settings).labels == {}


def test_everything_that_is_asked_for_gets_a_sink(tmp_path: Path) -> None:
    settings = Settings.model_validate(
        EVERY_KIND
        | {
            "outputs_folder": str(tmp_path),
            "live_text_file": str(tmp_path / "live.txt"),
            "obs_enabled": True,
            "obs_text_source": "Captions",
            "obs_port": 4456,
            "redis_url": "redis://127.0.0.1:1/0",
        }
    )
    outputs = outputs_of(settings)
    assert outputs.obs == ObsTarget("127.0.0.1", 4456, "Captions", True)
    names = list(make_sinks(outputs, lambda _: None))
    assert names[-3:] == ["live_text", "obs", "redis"]
    assert len(names) == 8


def test_what_the_settings_change_alone_begins_and_ends() -> None:
    before = Outputs(Path("a"), ("srt", "txt"), Path("live"), ObsTarget(), labels={"mic": "Ann"})
    assert changed(before, before) == (frozenset(), Outputs(Path("a"), labels={"mic": "Ann"}))
    now = replace(before, kinds=("srt", "md"), obs=ObsTarget(port=4456), live_text=None)
    ends, begins = changed(before, now)
    assert ends == {"txt", "obs", "live_text"}
    assert (begins.kinds, begins.obs, begins.live_text) == (("md",), ObsTarget(port=4456), None)
    ends, begins = changed(before, replace(before, folder=Path("b")))
    assert (ends, begins.kinds) == ({"srt", "txt"}, ("srt", "txt"))
    ends, begins = changed(before, replace(before, redis="redis://x", redis_partials=True))
    assert (ends, begins.redis, begins.redis_partials) == (frozenset(), "redis://x", True)


def test_an_output_that_fails_is_told_and_the_others_go_on(tmp_path: Path) -> None:
    told: list[Notice] = []
    lost = tmp_path / "usb"
    lost.mkdir()
    asked = Outputs(tmp_path, ("txt", "jsonl"), live_text=lost / "live.txt")
    outputs = RunningOutputs(asked, told.append)
    outputs.open(HEADER)
    assert outputs.running == {"txt", "jsonl", "live_text"}
    shutil.rmtree(lost)
    for segment in range(1000):
        outputs.update(final(segment, text="good morning"), 1.0)
        if told:
            break
        time.sleep(0.01)
    assert outputs.running == {"txt", "jsonl"}
    assert [(each.code, bool(each.remedy)) for each in told] == [("sink.failed", True)]
    outputs.change(replace(asked, kinds=("txt",)))
    outputs.close(SUMMARY)
    (events,) = tmp_path.glob("*.jsonl")
    last = json.loads(events.read_text("utf-8").splitlines()[-1])
    assert last["summary"]["words"] == 2 * last["summary"]["segments"] > 0
    outputs.change(asked)
    assert outputs.running == frozenset(), "what is over does not begin again"


def test_the_password_of_obs_is_looked_up_on_the_thread_that_needs_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[str] = []

    class Slow(Secrets):
        def get(self, name: str) -> str | None:
            asked.append(f"{threading.current_thread().name}: {name}")
            raise secrets.SecretsError("the keyring is on fire", "put it out")

    monkeypatch.setattr(secrets, "_shared", Slow(None, {}))
    told: list[Notice] = []
    (sink,) = make_sinks(Outputs(obs=ObsTarget(port=free_port())), told.append).values()
    assert asked == []
    sink.open(HEADER)
    assert eventually(lambda: len(told) == 2)
    sink.close(SUMMARY)
    assert asked == ["sink-obs: obs_password"]
    assert [each.code for each in told] == ["obs.password", "obs.away"]


@pytest.mark.parametrize(
    ("where", "host", "port"),
    [
        ("127.0.0.1", "127.0.0.1", 4455),
        ("studio:4460", "studio", 4460),
        ("[::1]:4460", "[::1]", 4460),
    ],
)
def test_where_obs_listens(where: str, host: str, port: int) -> None:
    assert obs_target("Captions", where) == ObsTarget(host, port, "Captions")


def test_no_text_source_is_no_obs() -> None:
    assert obs_target(None, "nonsense") is None


@pytest.mark.parametrize("where", ["", "::1", "studio:", "studio:99999", "ws://studio:1", "a b:1"])
def test_what_is_no_address_is_refused(where: str) -> None:
    with pytest.raises(UsageError, match="captions cannot go"):
        obs_target("Captions", where)


@pytest.mark.usefixtures("store")
def test_the_command_line_tells_once_that_obs_is_away(
    session: type[FakeSession], wav: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    heard: list[str] = []

    def until_told(_: FakeSession) -> bool:
        time.sleep(0.02)
        heard.append(capsys.readouterr().err)
        return "OBS" in "".join(heard)

    session.during = staticmethod(until_told)
    where = f"127.0.0.1:{free_port()}"
    assert cli.run(["caption", str(wav), "--obs-text", "Captions", "--obs-host", where]) == 0
    lines = [line for line in "".join(heard).splitlines() if "OBS" in line]
    assert len(lines) == 1
    assert f"OBS is not there ({where})" in lines[0]


@pytest.mark.usefixtures("store", "session")
def test_a_wrong_address_of_obs_is_wrong_usage(
    wav: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.run(["caption", str(wav), "--obs-text", "Captions", "--obs-host", "a:b:c"]) == 2
    assert "--obs-host 127.0.0.1:4455" in refused(capsys)


@pytest.mark.parametrize("in_file", [True, False])
def test_the_password_is_kept_where_captions_find_it(
    in_file: bool,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    kept = Secrets(tmp_path / "secrets.json" if in_file else None, {})
    monkeypatch.setattr(secrets, "_shared", kept)
    monkeypatch.setattr("sys.stdin", io.StringIO("correct horse 密码\n"))
    if not in_file:
        assert cli.run(["obs-password"]) == 1
        assert "CAPTIONGLASS_OBS_PASSWORD" in refused(capsys)
        return
    assert cli.run(["obs-password"]) == 0
    assert capsys.readouterr() == ("Kept in the file\n", "")
    assert kept.get("obs_password") == "correct horse 密码"
    monkeypatch.setattr("sys.stdin", io.StringIO("\n"))
    assert cli.run(["obs-password"]) == 0
    assert kept.get("obs_password") is None
