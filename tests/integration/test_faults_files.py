"""The whole program where its files go wrong: a full disk, a home that cannot be written, files of
rubbish. It says so in one line, loses nothing, and captions go on."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from faults import (
    BEST,
    LIMIT_S,
    ROOT,
    WORST,
    Windows,
    command,
    kept_lines,
    plain,
    read_only,
    settings_file,
    small_disk,
    speech,
    until,
)

from desktop_app.cli import main as cli
from desktop_app.health import logs
from desktop_app.history.store import HistoryStore, default_folder
from desktop_app.settings.store import SettingsStore

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform == "win32", reason="spoils disks as Unix does"),
]
RUBBISH = b"\x00\xfe= = [rubbish\n\xff" * 20


@pytest.fixture
def windows(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Windows]:
    made = Windows(tmp_path_factory.mktemp("w"))
    yield made
    made.close()


@pytest.fixture(scope="module")
def spoken(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return speech(tmp_path_factory.mktemp("speech"), 3.0)


def test_on_a_full_disk_the_window_captions_and_keeps_all_once_there_is_room(
    windows: Windows, own_folders: Path, tmp_path: Path
) -> None:
    long = speech(tmp_path, 12.0)
    with small_disk(own_folders) as disk:
        settings_file()
        disk.fill()
        window = windows.open("--source", long)
        window.says(BEST)
        (told,) = until(lambda: window.notices("history.stopped"), "the notice")
        assert told["line"] == (
            "What is said is not kept, the disk is full: free some space; "
            "nothing is lost until the program ends"
        )
        assert kept_lines() == []
        disk.empty()
        until(lambda: window.notices("history.resumed"), "the good news")
        until(lambda: WORST in " ".join(kept_lines()), "the rest")
        assert " ".join(kept_lines()).startswith(BEST)
        assert window.end() == []
        assert len(window.notices("history.stopped")) == 1
        assert len(HistoryStore().sessions()) == 1


def test_caption_files_on_a_full_disk_are_whole_once_there_is_room(
    windows: Windows, own_folders: Path, tmp_path: Path
) -> None:
    long = speech(tmp_path, 12.0)
    with small_disk(own_folders) as disk:
        folder = own_folders / "captions"
        settings_file(f'outputs_folder = "{folder}"\noutputs_srt = true\noutputs_jsonl = true\n')
        folder.mkdir()
        disk.fill()
        window = windows.open("--source", long)
        window.says(BEST)
        (told, *_) = until(lambda: window.notices("sink.waits"), "the notice")
        assert "waits, the disk is full: free some space; nothing is lost" in told["line"]
        disk.empty()
        until(lambda: window.notices("sink.goes_on"), "the good news")
        window.says(WORST)
        assert window.end() == []
        (subtitles,) = folder.glob("*.srt")
        (events,) = folder.glob("*.jsonl")
        words = plain(subtitles.read_text(encoding="utf-8").replace("\n", " "))
        assert words.startswith(BEST)
        assert WORST in words
        shown = [json.loads(line) for line in events.read_text(encoding="utf-8").splitlines()]
        assert [*shown[0], *shown[-1]] == ["header", "summary"]


def test_on_a_full_disk_every_command_says_so_in_one_line(
    own_folders: Path, spoken: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with small_disk(own_folders) as disk:
        settings_file()
        disk.fill()
        done = command("caption", spoken, "--srt", own_folders / "a.srt", "--txt", tmp_path / "b")
        assert plain(done.stdout).startswith(BEST)
        assert done.stdout == (tmp_path / "b").read_text(encoding="utf-8")
        assert done.stderr.splitlines() == [
            f"captionglass: {own_folders / 'a.srt'} waits, the disk is full: "
            "free some space; nothing is lost until the program ends",
            f"captionglass: {own_folders / 'a.srt'} is cut short, the disk is full: "
            "free some space and start again",
        ]
        assert done.returncode == 1
        assert cli.run(["presets", "save", "Mine"]) == 1
        (line,) = capsys.readouterr().err.splitlines()
        assert line.endswith("free some space, then try again")
        assert SettingsStore().path.read_text(encoding="utf-8") == "version = 1\n"
        # With a file of rubbish, the trace of a crash and no locale besides.
        file = SettingsStore().path
        disk.empty()
        file.write_bytes(RUBBISH)
        logs.folder().mkdir(parents=True, exist_ok=True)
        (logs.folder() / "crash-1.txt").write_text("Fatal Python error\n", encoding="utf-8")
        disk.fill()
        assert serve_to_the_end(spoken, LC_ALL="C") == [
            f"captionglass: {file} cannot be understood: "
            "the old file is kept as settings.broken-1.toml",
            "captionglass: Captionglass crashed last time: "
            "to report it, run captionglass doctor --report FILE",
            "captionglass: the sound has ended; captionglass ctl start begins again, Ctrl-C ends",
        ]


def test_in_a_home_that_cannot_be_written_captions_go_on(
    windows: Windows, own_folders: Path, spoken: Path
) -> None:
    settings_file('theme = "light"\n')
    before = sorted(own_folders.rglob("*"))
    with read_only(own_folders):
        window = windows.open("--source", spoken)
        window.says(BEST)
        (told,) = until(lambda: window.notices("history.stopped"), "the notice")
        assert str(default_folder()) in told["text"]
        assert told["line"].endswith(
            "make the folder writable; nothing is lost until the program ends"
        )
        done = command("caption", spoken, LC_ALL="C")
        assert plain(done.stdout).startswith(BEST)
        assert (done.returncode, done.stderr) == (0, "")
        assert window.end() == []
    assert sorted(own_folders.rglob("*")) == before


def test_files_of_rubbish_are_kept_beside_and_told(
    windows: Windows, spoken: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    settings = settings_file()
    presets = settings.with_name("presets.toml")
    history = default_folder() / "2026-01-01-000000-aaaa.jsonl"
    history.parent.mkdir(parents=True)
    for each in (settings, presets, history):
        each.write_bytes(RUBBISH)
    window = windows.open("--source", spoken)
    for each in (settings, presets):
        (told,) = until(partial(window.notices, f"{each.stem}.broken"), "the notice")
        kept = each.with_name(f"{each.stem}.broken-1.toml")
        assert kept.read_bytes() == RUBBISH
        assert told["line"] == f"{each} cannot be understood: the old file is kept as {kept.name}"
    window.says(BEST)
    assert window.end() == []
    assert cli.run(["history", "list"]) == 0
    listed = capsys.readouterr()
    assert plain(listed.out).endswith(BEST)
    assert history.with_name(f"{history.name}.broken").read_bytes() == RUBBISH
    (line,) = listed.err.splitlines()
    assert f"{history.name} cannot be understood" in line
    # And the next start has nothing more to tell.
    again = windows.open("--first-run")
    again.is_up()
    assert again.end() == []
    assert [each for each in again.shown if "broken" in each.get("notice", "")] == []


def serve_to_the_end(source: Path, **more: str) -> list[str]:
    """What ``captionglass serve`` complains about until a recording is over and Ctrl-C comes."""
    with subprocess.Popen(
        [sys.executable, "-m", "desktop_app", "serve", str(source), "--port", "0"],
        env=os.environ | {"CAPTIONGLASS_TOKEN": "of-the-test"} | more,
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    ) as serving:
        assert serving.stderr is not None
        lines = []
        for line in serving.stderr:
            lines.append(line.rstrip("\n"))
            if "the sound has ended" in line:
                break
        serving.send_signal(signal.SIGINT)
        out, rest = serving.communicate(timeout=LIMIT_S)
    assert out.startswith("page for OBS: http://127.0.0.1:")
    assert serving.returncode == 130
    return lines + rest.splitlines()
