"""Captions made up for tests of whatever receives them."""

from __future__ import annotations

from engine.types import CaptionUpdate, StreamHeader, StreamSummary, Word

HEADER = StreamHeader(
    version="0.1.0",
    model_id="moonshine-tiny-en",
    provider="cpu",
    profile="balanced",
    sample_rate=16_000,
    source="demo.wav",
)
SUMMARY = StreamSummary(
    audio_s=10.0,
    compute_s=2.5,
    rtf=0.25,
    cores=0.3,
    lost_samples=0,
    peak_rss_mb=200.0,
    segments=2,
    words=8,
)


def spoken(text: str, start: float = 0.0, pace: float = 0.3) -> tuple[Word, ...]:
    """Words at an even pace (seconds a word)."""
    return tuple(
        Word(word, round(start + index * pace, 3), round(start + (index + 1) * pace, 3))
        for index, word in enumerate(text.split())
    )


def partial(
    segment: int = 0, revision: int = 0, stable: str = "", unstable: str = "hello", at: float = 0.0
) -> CaptionUpdate:
    """A line still being spoken."""
    words = spoken(stable, at)
    return CaptionUpdate(
        lane="file",
        segment_id=segment,
        revision=revision,
        stable=stable,
        unstable=unstable,
        start=at,
        end=at + 1.0,
        heard_at=0.0,
        words=words,
    )


def final(
    segment: int = 0, revision: int = 9, text: str = "hello world", at: float = 0.0
) -> CaptionUpdate:
    """A finished line."""
    words = spoken(text, at)
    return CaptionUpdate(
        lane="file",
        segment_id=segment,
        revision=revision,
        stable=text,
        unstable="",
        start=at,
        end=words[-1].end if words else at,
        heard_at=0.0,
        is_final=True,
        words=words,
    )
