"""The parts of the benchmark: recordings and their manifest, the virtual clock, the report."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest
from caption_samples import final, partial
from fixtures_recordings import ASSETS, AUDIO

from engine.bench import machine, recordings, virtual
from engine.bench.contender import Played, timed
from engine.bench.metrics import Timed
from engine.bench.offline import stretches
from engine.bench.recordings import Recording
from engine.bench.report import Offline, Report, Row
from engine.errors import AudioFileError, UsageError
from engine.sinks.jsonl import event
from engine.types import CaptionUpdate, Samples

MANIFEST = AUDIO / "manifest.tsv"


# -- recordings ---------------------------------------------------------------------------------


def test_a_folder_gives_its_sound_files_with_all_that_is_known() -> None:
    found = recordings.find([AUDIO], MANIFEST)
    rows = MANIFEST.read_text(encoding="utf-8").splitlines()[1:]
    assert {each.path.name for each in found} == {Path(row.split("\t")[0]).name for row in rows}
    jfk = next(each for each in found if each.name == "jfk_ask_not")
    assert jfk.reference is not None
    assert jfk.reference[:4] == ["and", "so", "my", "fellow"]
    assert jfk.ends[0] == ("and", 0.63)
    assert (jfk.language, jfk.gives) == ("en", "everything")
    assert jfk.seconds == pytest.approx(11.0, abs=0.01)
    typing = next(each for each in found if each.name == "noise_keyboard-typing")
    assert (typing.transcript, typing.language, typing.gives) == ("", "none", "everything")


def test_a_file_outside_the_manifests_folder_is_known_by_its_name(tmp_path: Path) -> None:
    copy = shutil.copy(AUDIO / "en_clean" / "jfk_ask_not.flac", tmp_path)
    (found,) = recordings.find([Path(copy), tmp_path], MANIFEST)
    assert found.transcript
    assert found.gives == "word errors only"


def test_two_rows_of_one_name_are_told_apart_by_their_folders(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        shutil.copy(ASSETS / "demo.wav", tmp_path / name)
    manifest = tmp_path / "m.tsv"
    manifest.write_text(
        'path\ttranscript\na/demo.wav\t"First" one\nb/demo.wav\tSecond\n', encoding="utf-8-sig"
    )
    found = recordings.find([tmp_path / "b", tmp_path / "a"], manifest)
    assert [each.transcript for each in found] == ["Second", '"First" one']


def test_what_is_missing_is_said(tmp_path: Path) -> None:
    path = Path(shutil.copy(ASSETS / "demo.wav", tmp_path))
    manifest = tmp_path / "m.tsv"
    manifest.write_text("path\ttranscript\tlanguage\nother.wav\tHello\ten\n", encoding="utf-8")
    (unknown,) = recordings.find([path], manifest)
    assert (unknown.reference, unknown.gives) == (None, "cost only")
    path.with_suffix(".words.json").write_text('[["hello", 0.5]]', encoding="utf-8")
    (timed_only,) = recordings.find([path], manifest)
    assert (timed_only.ends, timed_only.gives) == ((("hello", 0.5),), "latency only")
    manifest.write_text("path\ttranscript\tlanguage\ndemo.wav\t\ten\n", encoding="utf-8")
    (untranscribed,) = recordings.find([path], manifest)
    assert untranscribed.transcript is None


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (None, "there is no manifest"),
        (b"", "has no column path, transcript"),
        (b"path\tseconds\n", "has no column transcript"),
        (b"path\ttranscript\n\xff\xfe\n", "cannot be read"),
    ],
)
def test_a_manifest_that_is_none_is_refused(
    content: bytes | None, says: str, tmp_path: Path
) -> None:
    manifest = tmp_path / "m.tsv"
    if content is not None:
        manifest.write_bytes(content)
    with pytest.raises(UsageError, match=says):
        recordings.find([ASSETS / "demo.wav"], manifest)


def test_sound_that_is_none_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="there is no file"):
        recordings.find([tmp_path / "none.wav"], MANIFEST)
    with pytest.raises(UsageError, match="no sound file"):
        recordings.find([tmp_path], MANIFEST)
    (tmp_path / "text.wav").write_text("this is no sound", encoding="utf-8")
    with pytest.raises(AudioFileError):
        recordings.find([tmp_path], MANIFEST)


@pytest.mark.parametrize("content", ["{", "3", '[["word"]]', '[["word", "soon"]]'])
def test_damaged_word_ends_are_refused(content: str, tmp_path: Path) -> None:
    path = Path(shutil.copy(ASSETS / "demo.wav", tmp_path))
    path.with_suffix(".words.json").write_text(content, encoding="utf-8")
    with pytest.raises(UsageError, match=r"demo\.words\.json cannot be read"):
        recordings.find([path], MANIFEST)


def test_a_limit_takes_whole_recordings_while_they_fit() -> None:
    some = [Recording(Path(name), seconds) for name, seconds in (("a", 5), ("b", 9), ("c", 4))]
    assert [each.name for each in recordings.within(some, 10)] == ["a", "c"]
    assert [each.name for each in recordings.within(some, 18)] == ["a", "b", "c"]
    with pytest.raises(UsageError, match=r"as short as 3 s: allow at least 4\.0"):
        recordings.within(some, 3)


def test_a_recording_is_read_whole_at_16_khz() -> None:
    (demo,) = recordings.find([ASSETS / "demo.wav"], MANIFEST)
    samples = recordings.sound(demo)
    assert samples.dtype == np.float32
    assert samples.shape == (round(demo.seconds * 16_000),)
    assert np.abs(samples).max() > 0.1


# -- offline ------------------------------------------------------------------------------------


class LoudIsSpeech:
    """Takes any sound for speech."""

    def probability(self, frame: Samples) -> float:
        return float(np.abs(frame).max() > 0.5)

    def reset(self) -> None:
        """Nothing to forget."""


def test_stretches_of_speech_carry_the_silence_around_them_and_no_sound_twice() -> None:
    def at(seconds: float) -> int:
        return round(seconds * 16_000)

    sound = np.zeros(at(80), np.float32)
    sound[at(2) : at(3)] = 1.0
    sound[at(4) : at(5)] = 1.0  # within reach of the pause before it
    sound[at(40) : at(72)] = 1.0  # too long for one
    found = list(stretches(sound, LoudIsSpeech()))
    assert [round(each.size / 16_000, 1) for each in found] == [2.1, 2.0, 30.0, 3.1]
    assert sum((each > 0.5).sum() for each in found) == (sound > 0.5).sum()


# -- the virtual clock --------------------------------------------------------------------------


class WorkingLane:
    """Takes as long as it is told, and answers each decode with an update."""

    def __init__(self, work: Callable[[float], None], cost: Callable[[int], float]) -> None:
        self.pushes: list[tuple[int, float, bool]] = []
        self._work = work
        self._cost = cost

    def push(self, samples: Samples, heard_at: float, *, decode: bool) -> list[CaptionUpdate]:
        self.pushes.append((samples.size, heard_at, decode))
        self._work(self._cost(len(self.pushes)))
        return [partial(0, len(self.pushes))] if decode else []

    def end(self) -> list[CaptionUpdate]:
        self._work(0.25)
        return [final()]


def played(
    sound: Any, cost: Callable[[int], float], monkeypatch: pytest.MonkeyPatch
) -> tuple[WorkingLane, virtual.VirtualClock, list[Timed]]:
    spent = [7.0]

    def work(seconds: float) -> None:
        spent[0] += seconds

    monkeypatch.setattr(virtual.time, "process_time", lambda: spent[0])
    lane = WorkingLane(work, cost)
    clock = virtual.VirtualClock(cast(Any, lane))
    return lane, clock, list(clock.play(sound))


def test_a_fast_machine_hears_each_block_as_it_is_spoken(monkeypatch: pytest.MonkeyPatch) -> None:
    lane, clock, timeline = played(np.zeros(16_100, np.float32), lambda _: 0.005, monkeypatch)
    assert [size for size, _, _ in lane.pushes] == [320] * 50 + [100]
    assert all(decode for _, _, decode in lane.pushes)
    assert timeline[0].at == pytest.approx(0.02 + 0.005)
    assert timeline[49].at == pytest.approx(1.0 + 0.005)
    assert timeline[-1].at == pytest.approx(16_100 / 16_000 + 0.005 + 0.25)
    assert clock.compute_s == pytest.approx(51 * 0.005 + 0.25)
    assert clock.heard_s == pytest.approx(16_100 / 16_000)


def test_work_makes_sound_wait_and_partials_come_once_it_is_caught_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    sound = np.zeros(32_000, np.float32)
    lane, _, timeline = played(sound, lambda n: 0.3 if n == 2 else 0.001, monkeypatch)
    # The second block takes until 0.34 s: then 0.3 s wait, taken a tenth of a second at a time.
    assert [size for size, _, _ in lane.pushes[:6]] == [320, 320, 1600, 1600, 1600, 320]
    assert [decode for _, _, decode in lane.pushes[:6]] == [True, True, False, False, True, True]
    assert timeline[1].at == pytest.approx(0.34)
    assert sum(size for size, _, _ in lane.pushes) == sound.size


def test_a_machine_too_slow_looks_at_all_sound_and_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    lane, clock, _ = played(np.zeros(48_000, np.float32), lambda _: 0.2, monkeypatch)
    assert sum(size for size, _, _ in lane.pushes) == 48_000
    assert lane.pushes[-1][2], "nothing waits behind the last piece"
    assert clock.now == pytest.approx(0.02 + clock.compute_s)


def test_pieces_of_any_size_are_one_recording(monkeypatch: pytest.MonkeyPatch) -> None:
    sound = np.arange(50_000, dtype=np.float32)
    pieces = iter([sound[:1], sound[1:40_000], sound[40_000:40_100], sound[40_100:]])
    whole, _, at_once = played(sound, lambda _: 0.03, monkeypatch)
    lane, _, timeline = played(pieces, lambda _: 0.03, monkeypatch)
    assert lane.pushes == whole.pushes
    assert timeline == at_once


# -- the report ---------------------------------------------------------------------------------


def said(text: str, at: float) -> Played:
    """One line, final at ``at``."""
    return Played((Timed(final(0, 0, text), at),), 2.0, cpu_s=0.5, compute_s=0.4, load_s=0.3)


def row(name: str, at: float, *, is_peer: bool = False, text: str = "hello world") -> Row:
    made = Row(name, is_peer)
    recording = Recording(
        Path("talk.wav"), 2.0, "en", "Hello, world.", (("hello", 0.5), ("world", 1.0))
    )
    made.add(recording, said(text, at))
    made.add(Recording(Path("hum.wav"), 2.0, "none", ""), Played((), 2.0, 0.1, 0.1, 0, 90.0))
    return made


def report(*rows: Row, left_out: tuple[str, ...] = ()) -> Report:
    return Report(
        version="1.2.3",
        model="tiny",
        provider="cpu",
        virtual_time=False,
        machine=machine.describe(),
        load_at_start=[0.5, 0.4, 0.3],
        load_at_end=machine.load_average(),
        recordings=[recording for recording, _ in rows[0].parts],
        offline=Offline(errors=1, words=2, compute_s=0.1, audio_s=4.0),
        rows=rows,
        left_out=left_out,
    )


def test_a_row_sums_its_recordings() -> None:
    figures = row("balanced", 1.2).figures()
    assert figures["first_p50_ms"] == pytest.approx(700)
    assert figures["stable_p95_ms"] == pytest.approx(700)
    assert figures["wer_percent"] == 0.0
    assert figures["cores"] == pytest.approx(0.6 / 4.0)
    assert figures["rtf"] == pytest.approx(0.5 / 4.0)
    assert figures["peak_rss_mb"] == 90.0


def test_every_profile_is_set_against_every_peer() -> None:
    found = report(row("fast", 1.1), row("steady", 1.6), row("other 2.0", 1.9, is_peer=True))
    ratios = found.ratios()
    assert list(ratios) == ["fast", "steady"]
    assert ratios["fast"]["other 2.0"]["first_p50_ms"] == pytest.approx(600 / 1400)
    assert ratios["steady"]["other 2.0"]["cores"] == 1.0
    assert ratios["steady"]["other 2.0"]["erasure"] is None, "nothing is a multiple of nothing"


def test_the_table_is_for_reading() -> None:
    table = report(
        row("fast", 1.1, text="hello whirled"),
        row("other 2.0", 1.9, is_peer=True),
        left_out=("slow-peer is not installed",),
    ).table()
    lines = table.splitlines()
    assert " ".join(lines[0].split()) == (
        "first p50/p95 stable p50/p95 erasure of stable WER % over RTF cores MB lost"
    )
    assert " ".join(lines[1].split()) == (
        "fast 600 / 600 600 / 600 0.000 0.000 50.0 +0.0 0.12 0.15 90 0"
    )
    assert " ".join(lines[3].split()) == "offline 50.0 0.03"
    assert lines[4].startswith("fast : other 2.0")
    assert "0.43x / 0.43x" in lines[4]
    assert len({len(line) for line in lines[:2]}) == 1, "columns are aligned"
    assert "Captioned of 1 recordings in which nobody speaks: fast 0, other 2.0 0." in lines
    assert "Left out: slow-peer is not installed." in lines
    assert "load 0.50 at the start" in table


def test_captions_of_a_silent_recording_are_counted() -> None:
    made = Row("fast")
    made.add(Recording(Path("hum.wav"), 2.0, "none", ""), said("thank you", 1.0))
    assert (made.invented, made.measured.errors) == (1, 2)
    assert made.figures()["wer_percent"] is None


def test_the_json_holds_everything_and_is_json() -> None:
    found = report(row("fast", 1.1), row("other 2.0", 1.9, is_peer=True)).json()
    again = json.loads(json.dumps(found))
    assert again == found
    assert found["machine"]["cores"] >= 1
    assert found["machine"]["onnxruntime"].startswith("onnxruntime")
    assert found["offline"]["wer_percent"] == 50.0
    assert [each["kind"] for each in found["rows"]] == ["profile", "peer"]
    assert found["rows"][0]["wer_over_offline"] == -50.0
    assert [each["path"] for each in found["rows"][0]["recordings"]] == ["talk.wav", "hum.wav"]
    assert found["ratios"]["fast"]["other 2.0"]["first_p50_ms"] == pytest.approx(0.4286)


def test_recordings_that_give_less_are_named() -> None:
    made = Row("fast")
    for name, transcript, ends in (
        ("a", None, (("x", 1.0),)),
        ("b", "x", ()),
        ("c", None, ()),
    ):
        made.add(Recording(Path(f"{name}.wav"), 2.0, "en", transcript, ends), said("x", 1.5))
    table = report(made).table()
    for line in ("Latency only: a.", "Word errors only: b.", "Cost only: c."):
        assert line in table.splitlines()
    assert made.measured.words == 1
    assert made.measured.first == pytest.approx([0.5])


# -- the form on the wire -----------------------------------------------------------------------


def test_an_update_comes_through_as_it_went_in() -> None:
    update = partial(3, 2, stable="hello", unstable=" world", at=1.0)
    assert timed(json.loads(json.dumps(event(update, 1.25)))) == Timed(update, 1.25)
