"""Captions to be broken into lines, and how the lines then read."""

from __future__ import annotations

from hypothesis import strategies as st

from desktop_app.ui.caption_lines import CaptionLines, VisualLine
from engine.types import CaptionUpdate


def measure(text: str) -> float:
    """Wide characters count two, narrow ones one, and i less: not all words of a length agree."""
    return sum(2.0 if ord(c) >= 0x2E80 else 0.6 if c in "il.," else 1.0 for c in text)


def update(
    stable: str,
    unstable: str = "",
    *,
    segment: int = 0,
    revision: int = 0,
    final: bool = False,
    correction: bool = False,
    lane: str = "mic",
    start: float = 0.0,
) -> CaptionUpdate:
    return CaptionUpdate(
        lane=lane,
        segment_id=segment,
        revision=revision,
        stable=stable,
        unstable=unstable,
        start=start,
        end=start + 1.0,
        heard_at=0.0,
        is_final=final,
        correction=correction,
    )


def texts(lines: tuple[VisualLine | None, ...]) -> list[str]:
    shown = []
    for line in lines:
        parts: list[str] = []
        end = 0.0
        for word in line.words if line else ():
            if parts and word.x > end + 0.1:
                parts.append(" ")
            parts.append(word.text)
            end = word.x + word.width
        shown.append("".join(parts))
    return shown


def places(lines: CaptionLines) -> list[tuple[int, int, float, str]]:
    return [
        (row, number, word.x, word.text)
        for row, line in enumerate(lines.window(lines.bottom))
        if line is not None
        for number, word in enumerate(line.words)
    ]


words = st.text("abcdil", min_size=1, max_size=12).flatmap(
    lambda word: st.sampled_from(["", ".", ",", "?", "...", '."']).map(lambda end: word + end)
)
