from __future__ import annotations

import math
import subprocess
import sys
import threading

import numpy as np
import pytest
from caption_samples import final, partial

from engine.stats import StatsCollector, peak_rss_mb
from engine.types import CaptionUpdate, EngineStats, Word

NOW = EngineStats("running", model_id="m", provider="cpu", provider_asked="auto")
RATE = 16_000


def line(
    text: str, revision: int, *, end: float, unstable: str = "", is_final: bool = False
) -> CaptionUpdate:
    """One state of line 0; its stable words are 0.5 s long and the last one ends at ``end``."""
    words = text.split()
    first = end - 0.5 * len(words)
    timed = tuple(
        Word(word, first + 0.5 * place, first + 0.5 * (place + 1))
        for place, word in enumerate(words)
    )
    return CaptionUpdate("mic", 0, revision, text, unstable, 0.0, end, 0.0, is_final, timed)


def test_it_begins_with_nothing() -> None:
    assert StatsCollector().snapshot(NOW) == NOW
    summary = StatsCollector().summary()
    assert (summary.audio_s, summary.rtf, summary.cores, summary.words) == (0.0, 0.0, 0.0, 0)


def test_sound_is_counted_in_seconds_at_its_own_rate() -> None:
    stats = StatsCollector()
    stats.heard("mic", np.zeros(48_000, np.float32), 48_000, speaking=False)
    stats.heard("system", np.zeros(4_000, np.float32), 16_000, speaking=False)
    assert stats.snapshot(NOW).audio_s == pytest.approx(1.25)


def test_the_level_is_that_of_the_last_sound_in_each_lane() -> None:
    stats = StatsCollector()
    stats.heard("mic", np.full(1_600, 0.1, np.float32), RATE, speaking=True)
    stats.heard("system", np.zeros(1_600, np.float32), RATE, speaking=False)
    levels = stats.snapshot(NOW).level_dbfs
    assert levels["mic"] == pytest.approx(-20.0, abs=0.01)
    assert levels["system"] == -math.inf
    stats.heard("mic", np.zeros(0, np.float32), RATE, speaking=False)
    assert stats.snapshot(NOW).level_dbfs["mic"] == -math.inf


def test_who_speaks_is_known_by_lane() -> None:
    stats = StatsCollector()
    quiet = np.zeros(160, np.float32)
    stats.heard("mic", quiet, RATE, speaking=True)
    stats.heard("system", quiet, RATE, speaking=True)
    assert stats.snapshot(NOW).speaking == {"mic", "system"}
    stats.heard("mic", quiet, RATE, speaking=False)
    assert stats.snapshot(NOW).speaking == {"system"}


def test_the_real_time_factor_is_that_of_the_last_seconds() -> None:
    stats = StatsCollector()
    for _ in range(100):
        stats.computed(0.1, 0.1)
    assert stats.snapshot(NOW).rtf == pytest.approx(1.0)
    for _ in range(100):
        stats.computed(0.1, 0.02)
    assert stats.snapshot(NOW).rtf == pytest.approx(0.2, abs=0.02)
    assert stats.snapshot(NOW).compute_s == pytest.approx(12.0)


def test_the_summary_s_factor_is_that_of_all() -> None:
    stats = StatsCollector()
    for compute in (0.5, 0.1):
        stats.heard("mic", np.zeros(RATE, np.float32), RATE, speaking=False)
        stats.computed(1.0, compute)
    summary = stats.summary()
    assert summary.rtf == pytest.approx(0.3)
    assert summary.audio_s == pytest.approx(2.0)
    assert summary.peak_rss_mb > 10


def test_losses_and_lag_are_the_newest() -> None:
    stats = StatsCollector()
    stats.behind(0.5, 10)
    stats.behind(0.1, 25)
    snapshot = stats.snapshot(NOW)
    assert (snapshot.lag_s, snapshot.lost_samples) == (0.1, 25)
    assert stats.summary().lost_samples == 25


def test_words_and_lines_are_counted_once_final() -> None:
    stats = StatsCollector()
    stats.published(partial(0, 0, "hello", " wor"), None, 0.0)
    assert stats.snapshot(NOW).words == 0
    stats.published(final(0, 1, "hello world"), None, 0.0)
    stats.published(final(1, 0, "again"), None, 0.0)
    snapshot = stats.snapshot(NOW)
    assert (snapshot.words, snapshot.segments) == (3, 2)
    assert (stats.summary().words, stats.summary().segments) == (3, 2)


def test_an_empty_line_is_none() -> None:
    stats = StatsCollector()
    stats.published(final(0, 0, ""), None, 0.0)
    assert stats.snapshot(NOW).segments == 0


def test_characters_taken_back_are_set_against_those_shown_at_last() -> None:
    stats = StatsCollector()
    stats.published(line("", 0, end=1.0, unstable="old or"), None, 0.0)
    stats.published(line("", 1, end=1.0, unstable="older"), None, 0.0)
    assert stats.snapshot(NOW).revisions == 0.0, "nothing is finished yet"
    stats.published(line("older men", 2, end=1.0, is_final=True), None, 0.0)
    assert stats.snapshot(NOW).revisions == pytest.approx(3 / 9)


def test_text_that_only_grows_takes_nothing_back() -> None:
    stats = StatsCollector()
    for revision, text in enumerate(("a", "a man", "a man walked")):
        stats.published(line(text, revision, end=1.0), None, 0.0)
    stats.published(line("a man walked", 3, end=1.0, is_final=True), None, 0.0)
    assert stats.snapshot(NOW).revisions == 0.0


def test_latency_counts_from_the_end_of_the_word() -> None:
    stats = StatsCollector()
    # The stream began at 100 on the machine's clock; the word ended 2.0 s into it.
    stats.published(line("", 0, end=1.9, unstable="hello"), 100.0, 102.2)
    stats.published(line("", 1, end=2.1, unstable="yellow"), 100.0, 102.25)
    stats.published(line("", 2, end=2.0, unstable="hello"), 100.0, 102.3)
    stats.published(line("hello,", 3, end=2.0), 100.0, 102.5)
    snapshot = stats.snapshot(NOW)
    assert snapshot.first_latency.p50 == pytest.approx(200.0)
    assert snapshot.stable_latency.p50 == pytest.approx(300.0), "since when it was there to stay"


def test_a_word_has_one_latency_of_each_kind() -> None:
    stats = StatsCollector()
    stats.published(line("", 0, end=2.0, unstable="hello"), 100.0, 102.2)
    stats.published(line("hello", 1, end=2.0), 100.0, 102.5)
    for revision in range(2, 30):
        stats.published(line("hello", revision, end=2.0), 100.0, 110.0)
    stats.published(line("hello", 30, end=2.0, is_final=True), 100.0, 120.0)
    snapshot = stats.snapshot(NOW)
    assert snapshot.first_latency.p95 == pytest.approx(200.0)
    assert snapshot.stable_latency.p95 == pytest.approx(200.0)


def test_percentiles_are_in_order() -> None:
    stats = StatsCollector()
    for word in range(100):
        update = CaptionUpdate("mic", word, 0, "x", "", 1.0, 1.0, 0.0, True, (Word("x", 0.5, 1.0),))
        stats.published(update, 0.0, 1.0 + word / 100)
    stable = stats.snapshot(NOW).stable_latency
    assert stable.p50 == pytest.approx(500, abs=20)
    assert stable.p95 == pytest.approx(950, abs=20)
    recent = stats.snapshot(NOW).stable_recent_ms
    assert recent == pytest.approx(900, abs=20), "of the last twenty words"


def test_a_file_read_faster_than_spoken_has_no_latency() -> None:
    stats = StatsCollector()
    stats.published(line("hello", 0, end=2.0, is_final=True), None, 5.0)
    snapshot = stats.snapshot(NOW)
    assert snapshot.first_latency.p50 is None
    assert snapshot.stable_latency.p50 is None
    assert snapshot.first_recent_ms is None


def test_it_keeps_no_finished_line() -> None:
    stats = StatsCollector()
    for segment in range(1_000):
        stats.published(final(segment, 0, "hello"), 0.0, 1.0)
    assert not stats._lines


def test_it_is_read_while_it_is_written() -> None:
    stats = StatsCollector()
    failed: list[Exception] = []
    go_on = threading.Event()

    def read() -> None:
        try:
            while not go_on.is_set():
                assert stats.snapshot(NOW).words >= 0
                stats.summary()
        except Exception as error:  # noqa: BLE001 - told by the test below
            failed.append(error)

    reader = threading.Thread(target=read)
    reader.start()
    for segment in range(300):
        stats.heard(f"lane{segment % 7}", np.zeros(160, np.float32), RATE, speaking=True)
        stats.computed(0.01, 0.001)
        stats.published(final(segment, 0, "hello"), 0.0, 1.0)
    go_on.set()
    reader.join()
    assert not failed
    assert stats.snapshot(NOW).words == 300


def test_peak_memory_is_the_process_s_own() -> None:
    # Started by a process that holds far more than it does itself.
    held = np.ones(60_000_000, np.float32)
    code = "from engine.stats import peak_rss_mb; print(peak_rss_mb())"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    assert float(done.stdout) < 150 < held.nbytes / 2**20 < peak_rss_mb()
