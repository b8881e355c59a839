"""What the computer plays, on a real sound server, captioned through the real command: alone, in
two lanes, and not at all where there is no server."""

from __future__ import annotations

import itertools
import json
import re
import sys
from pathlib import Path
from typing import Any

import jiwer
import numpy as np
import pytest
import soundfile
from fixtures_desk import LIMIT_S, Desk, wait_until, words
from fixtures_recordings import Recordings

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="the tests' sound server is Linux's"),
]

CUE = re.compile(r"(\d\d):(\d\d):(\d\d),(\d{3}) --> .*\n(.+)")


def _events(path: Path) -> list[dict[str, Any]]:
    found = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return [event for event in found if "segment" in event]


def _finals(path: Path) -> list[dict[str, Any]]:
    return [event for event in _events(path) if event["final"] and event["stable"]]


def _but_slow(errors: list[str]) -> list[str]:
    """What was said beside that this machine is busy."""
    return [line for line in errors if "this computer is slow" not in line]


def _heard_all(path: Path, lane: str, seconds: float) -> bool:
    """Whether the lane's last line is finished and the recording over."""
    mine = [event for event in _events(path) if event["lane"] == lane]
    return bool(mine) and mine[-1]["final"] and mine[-1]["end"] > seconds - 1.0


TAPE = """
import sys
import numpy as np, soundfile
from desktop_app.pick_source import pick_sources
from engine.ring import SampleRing

(source,) = pick_sources("system")
ring = SampleRing(source.sample_rate, source.channels, 60.0)
source.start(ring)
sys.stdin.read()
source.stop()
soundfile.write(sys.argv[1], ring.read(60 * source.sample_rate).samples, source.sample_rate)
"""


def test_what_is_played_gives_the_same_words_as_the_file(
    desk: Desk, recordings: Recordings, tmp_path: Path
) -> None:
    """Live, and from a tape of what was heard: that one does not depend on how busy we are."""
    speech = [recordings.named("ljspeech_LJ001-0001")]
    sound = np.concatenate([soundfile.read(each.path, dtype="float32")[0] for each in speech])
    original, tape, events = (tmp_path / name for name in ("speech.wav", "tape.wav", "events"))
    soundfile.write(original, sound, 16_000)
    said = words(" ".join(each.transcript for each in speech))
    recorder = desk.start(sys.executable, "-c", TAPE, str(tape))
    running = desk.captions("system", "--events", str(events), lanes=2)
    assert desk.play(original).wait(LIMIT_S) == 0
    wait_until(lambda: _heard_all(events, "system", len(sound) / 16_000), "the last line")
    out, errors = desk.end(running)
    _, failed = recorder.communicate("", timeout=LIMIT_S)
    assert failed == ""
    assert {event["lane"] for event in _finals(events)} == {"system"}
    assert _but_slow(errors) == []
    from_file, from_tape = desk.run("caption", str(original)), desk.run("caption", str(tape))
    # Of so few words one alone is more than a point, and the model may hear one differently where
    # the speech begins at another sample.
    limit = jiwer.wer(said, words(from_file.stdout)) + max(0.01, 1 / len(said.split()))
    assert jiwer.wer(said, words(from_tape.stdout)) <= limit
    assert jiwer.wer(said, words(" ".join(out))) <= limit + (0.1 if errors else 0.0)


def test_two_lanes_at_once_are_both_right_and_stand_in_time_order(
    desk: Desk, recordings: Recordings, tmp_path: Path
) -> None:
    desk.microphone("desk_microphone")
    mine = recordings.named("jfk_ask_not")
    theirs = recordings.named("ljspeech_LJ001-0001")
    for each in (mine, theirs):
        sound, rate = soundfile.read(each.path, dtype="float32")
        soundfile.write(tmp_path / f"{each.name}.wav", sound, rate)
    events, srt = tmp_path / "events.jsonl", tmp_path / "both.srt"
    running = desk.captions("both", "--events", str(events), "--srt", str(srt), lanes=2)
    players = [
        desk.play(tmp_path / f"{mine.name}.wav", "room"),
        desk.play(tmp_path / f"{theirs.name}.wav"),
    ]
    assert [player.wait(LIMIT_S) for player in players] == [0, 0]
    wait_until(lambda: _heard_all(events, "mic", mine.seconds), "your last line")
    wait_until(lambda: _heard_all(events, "system", theirs.seconds), "their last line")
    out, errors = desk.end(running)
    assert _but_slow(errors) == []
    for label, recording in (("You: ", mine), ("Others: ", theirs)):
        said = " ".join(line.removeprefix(label) for line in out if line.startswith(label))
        assert jiwer.wer(words(recording.transcript), words(said)) <= 0.15
    assert all(line.startswith(("You: ", "Others: ")) for line in out)
    # Both began within the second, so their lines take turns; the order is that of the times.
    starts = {
        f"{'You' if event['lane'] == 'mic' else 'Others'}: {event['stable']}": event["start"]
        for event in _finals(events)
    }
    # A machine that is behind sees a line only when another that began later is finished.
    if not errors:
        for before, after in itertools.pairwise(out):
            assert starts[after] >= starts[before] - 0.5
    cues = [
        3600 * int(h) + 60 * int(m) + int(s) + int(ms) / 1000
        for h, m, s, ms, _ in CUE.findall(srt.read_text(encoding="utf-8"))
    ]
    assert cues == sorted(cues)
    assert (
        abs(
            min(start for line, start in starts.items() if line.startswith("You"))
            - min(start for line, start in starts.items() if line.startswith("Oth"))
        )
        < 1.5
    )


def test_without_a_server_a_line_says_so_and_files_work(desk: Desk, recordings: Recordings) -> None:
    desk.server.kill()
    answer = desk.run("caption", "both")
    assert (answer.returncode, answer.stdout) == (1, "")
    (line,) = answer.stderr.splitlines()
    assert "start the sound server" in line
    assert "start the sound server" in desk.run("devices").stderr
    assert desk.run("caption", "app:Firefox").stderr.startswith(
        "captionglass: the sound server does not answer"
    )
    spoken = recordings.named("ljspeech_LJ002-0020")
    answer = desk.run("caption", str(spoken.path))
    assert answer.returncode == 0
    assert "eighteen" in words(answer.stdout)
