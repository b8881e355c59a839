"""Too loud and too quiet: told once, withdrawn once, and only of speech."""

from __future__ import annotations

import numpy as np

from engine.level import LevelWatch
from engine.types import Notice, Samples

RATE = 16_000
TENTH = RATE // 10


def tone(level: float, seed: int = 0) -> Samples:
    random = np.random.default_rng(seed)
    return (random.standard_normal(TENTH) * level).astype(np.float32)


def clipped() -> Samples:
    return np.clip(tone(1.0), -1.0, 1.0)


def look(
    watch: LevelWatch, sound: Samples, times: int, *, speaking: bool = True, gain_db: float = 0.0
) -> list[Notice]:
    return [
        notice
        for _ in range(times)
        for notice in watch.look(
            sound, RATE, lane="mic", name="Desk mic", speaking=speaking, gain_db=gain_db
        )
    ]


def test_clipping_is_told_once_and_withdrawn_once() -> None:
    watch = LevelWatch()
    (told,) = look(watch, clipped(), 30)
    assert (told.code, told.severity, told.lane) == ("level.clipping", "warning", "mic")
    assert "Desk mic" in told.text
    assert told.remedy
    assert watch.clipping
    (over,) = look(watch, tone(0.1), 60)
    assert (over.code, over.severity) == ("level.clipping", "info")
    assert not watch.clipping


def test_a_single_peak_at_full_scale_is_no_clipping() -> None:
    sound = tone(0.1)
    sound[100] = 1.0
    assert look(LevelWatch(), sound, 100) == []


def test_a_very_quiet_voice_is_told_once_and_withdrawn_once() -> None:
    watch = LevelWatch()
    (told,) = look(watch, tone(0.001), 100)
    assert (told.code, told.severity) == ("level.quiet", "warning")
    assert watch.too_quiet
    (over,) = look(watch, tone(0.05), 100)
    assert (over.code, over.severity) == ("level.quiet", "info")
    assert not watch.too_quiet


def test_what_gain_makes_good_is_not_told() -> None:
    assert look(LevelWatch(), tone(0.001), 100, gain_db=30.0) == []
    assert look(LevelWatch(), tone(0.00002), 100, gain_db=30.0) != []


def test_nothing_is_learnt_while_nobody_speaks() -> None:
    watch = LevelWatch()
    assert look(watch, clipped(), 100, speaking=False) == []
    assert look(watch, tone(0.0001), 100, speaking=False) == []


def test_nothing_is_said_of_an_ordinary_voice() -> None:
    assert look(LevelWatch(), tone(0.05), 200) == []
