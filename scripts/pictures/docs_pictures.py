#!/usr/bin/env python3
"""Draws docs/threads.svg, docs/word.svg and, of the README's own figures, docs/stops.svg.

.venv/bin/python scripts/pictures/docs_pictures.py             draw them
.venv/bin/python scripts/pictures/docs_pictures.py --check     say which are not what would be drawn

Colours are those of the windows, and follow whether the reader's page is dark or light.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "scripts" / "measure")]

# The checkout has to be on the path first.
from docs_drawing import Drawing  # noqa: E402
from readme_figures import README, numbers, table  # noqa: E402

from engine.config import STOPS, LatencyProfile  # noqa: E402
from engine.policy import Policy  # noqa: E402

FOLDER = ROOT / "docs"


def threads() -> str:
    """Which thread does what, and what goes from one to the other."""
    drawing = Drawing(980, 626, "Threads, processes, and what travels between them")
    # Sources.
    drawing.text(30, 38, "WHERE SOUND COMES FROM", "dim", "t b")
    drawing.card(
        24, 52, 212, "Sound callback", "of PortAudio, one a device:", "copies, nothing else"
    )
    drawing.card(
        24, 136, 212, "Reader thread", "a file, a pipe, one application,", "loopback of Windows"
    )
    drawing.card(
        24,
        258,
        212,
        "Ring",
        "one a lane, bounded, lock-free;",
        "what is overwritten is counted",
        edge="accent",
    )
    drawing.arrow((24, 85), (12, 85), (12, 290), (21, 290), colour="accent")
    drawing.arrow((130, 204), (130, 254), colour="accent")
    drawing.text(142, 236, "samples", "accent", "t")
    drawing.card(
        24,
        376,
        212,
        "captionglass-supervisor",
        "watches devices, opens them",
        "anew where they break off",
        dashed=True,
    )
    drawing.arrow((130, 376), (130, 328))
    # Inference.
    drawing.text(300, 38, "ONE INFERENCE THREAD A SESSION", "dim", "t b")
    drawing.box(292, 52, 316, 410, edge="accent")
    drawing.text(308, 78, "captionglass-inference", style="b")
    stages = (
        ("Feed", "to 16 kHz, on the stream clock"),
        ("Front end", "gain, noise suppression, level"),
        ("Speech detector", "Silero, 32 ms at a time"),
        ("Stabilizer", "what to show, what to lock: the slider"),
        ("Lines and text", "endpoint, marks, scripts, numbers"),
        ("Bus", "each update to every sink"),
    )
    for number, (name, does) in enumerate(stages):
        y = 94 + 60 * number
        drawing.box(308, y, 284, 46, fill="soft" if name == "Stabilizer" else "page", edge="edge")
        drawing.text(320, y + 19, name, style="b")
        drawing.text(320, y + 36, does, "dim", "t")
        if number:
            drawing.arrow((450, y - 14), (450, y - 2), colour="accent")
    drawing.arrow((236, 290), (264, 290), (264, 117), (305, 117), colour="accent")
    # The recogniser.
    drawing.text(300, 494, "A PROCESS OF ITS OWN", "dim", "t b")
    drawing.card(
        292,
        508,
        316,
        "Recogniser",
        "engine.isolation.host, with its runtime.",
        "If it crashes it is started anew, and hears",
        "again what was not settled.",
        edge="warm",
    )
    drawing.arrow((620, 297), (634, 297), (634, 548), (611, 548), colour="warm")
    drawing.line(592, 297, 620, 297, "warm")
    drawing.text(622, 590, "window of sound,", "warm", "t")
    drawing.text(622, 606, "what is settled", "warm", "t")
    drawing.arrow((292, 560), (276, 560), (276, 297), (305, 297), colour="good")
    drawing.text(270, 600, "tokens, their times", "good", "t", "end")
    drawing.text(270, 616, "and probabilities", "good", "t", "end")
    # Sinks.
    drawing.text(718, 38, "WHERE CAPTIONS GO", "dim", "t b")
    sinks = (
        ("Qt thread", "the newest of each line waits in a", "dictionary; one signal wakes it"),
        ("sink-history", "the transcript, safe on the disk"),
        ("sink-NAME", "one a file: .srt, .vtt, .txt, .md,", ".jsonl; a bounded queue each"),
        ("sink-obs, sink-redis", "text source and closed captions;", "a stream"),
        ("captionglass-web", "asyncio: page and control port,", "slow readers are cut off"),
    )
    top = 52.0
    for name, *lines in sinks:
        drawing.card(712, top, 244, name, *lines, edge="accent" if name == "Qt thread" else "edge")
        middle = top + (32 + 17 * len(lines)) / 2
        drawing.arrow((694, middle), (709, middle), colour="accent")
        top += 32 + 17 * len(lines) + 15
    drawing.line(694, 85, 694, 417, "accent")
    drawing.line(592, 417, 694, 417, "accent")
    drawing.text(639, 410, "updates", "accent", "t")
    drawing.card(
        712,
        492,
        244,
        "In the background",
        "captionglass-load: the next model",
        "fetch-model: downloads",
        "startup: settings, devices",
        dashed=True,
    )
    drawing.arrow((712, 66), (611, 66))
    drawing.text(620, 59, "slider, pause", "dim", "t")
    return drawing.svg()


_STOP = "balanced"
_WORDS = (
    ("was", -1.08, -0.9), ("the", -0.88, -0.76), ("best", -0.74, -0.5), ("of", -0.48, -0.38),
    ("times", -0.36, 0.0), ("it", 0.22, 0.34), ("was", 0.36, 0.54), ("the", 0.56, 0.68),
    ("worst", 0.7, 1.02), ("of", 1.04, 1.16), ("times", 1.18, 1.56),
)  # fmt: skip
_FIRST_LOOK = 0.05
"""Seconds from the end of the word to the first look behind it: by chance, here."""


class Moments(NamedTuple):
    """Of a word that ends at 0, seconds of sound."""

    seen: float
    shown: float
    locked: float


def moments(policy: Policy) -> Moments:
    """When a word of middling certainty is first heard, shown and locked."""
    looks = [_FIRST_LOOK + policy.step * number for number in range(40)]
    agreed = looks[policy.show_agree - 1 :]
    shown = next(look for look in agreed if look >= policy.show_after)
    locked = next(look for look in looks if look >= policy.lock_after and look > shown)
    return Moments(looks[0], shown, locked)


def word() -> str:
    """The life of one word, from its end in the sound to the day it is locked."""
    policy = Policy.at(LatencyProfile.parse(_STOP))
    at = moments(policy)
    drawing = Drawing(980, 448, f"The life of a word at the stop {_STOP}")

    def x(seconds: float) -> float:
        return 150 + 275 * (seconds + 1.1)

    drawing.text(24, 52, "in the sound", "dim", "t")
    for said, begins, ends in _WORDS:
        ours = (said, ends) == ("times", 0.0)
        fill, edge = ("soft", "accent") if ours else ("card", "edge")
        drawing.box(x(begins), 30, x(ends) - x(begins) - 3, 34, fill=fill, edge=edge, radius=6)
        middle = (x(begins) + x(ends) - 3) / 2
        drawing.text(middle, 52, said, style="b" if ours else "", anchor="middle")
    told = (
        (0.0, "the word ends", ""),
        (at.shown, f"{policy.show_after:g} s behind it,", f"{policy.show_agree} looks agree"),
        (at.locked, f"{policy.lock_after:g} s behind it,", f"{policy.lock_agree} looks agree"),
    )
    for when, above, below in told:
        drawing.line(x(when), 70, x(when), 262, "warm")
        side = "start" if when else "end"
        drawing.text(x(when) + (6 if when else -6), 240, above, "warm", "t", side)
        drawing.text(x(when) + (6 if when else -6), 257, below, "warm", "t", side)
    drawing.text(24, 110, "looks", "dim", "t")
    for number in range(-8, 40):
        look = _FIRST_LOOK + policy.step * number
        if look < 1.65:
            drawing.line(x(look), 94, x(look), 118, "dim")
    every = f"one every {policy.step:g} s of sound"
    drawing.text(x(-1.08), 140, every, "dim", "t")
    drawing.text(24, 190, "the word “times”", "dim", "t")
    for begins, ends, fill, edge, state in (
        (-0.36, at.shown, "page", "dim", ""),
        (at.shown, at.locked, "soft", "accent", "shown, may still change"),
        (at.locked, 1.65, "card", "good", "locked"),
    ):
        width = x(ends) - x(begins) - 2
        drawing.box(x(begins), 168, width, 34, fill=fill, edge=edge, radius=6, dashed=not state)
        drawing.text((x(begins) + x(ends)) / 2, 190, state, style="b", anchor="middle")
    drawing.text((x(-0.36) + x(0.0)) / 2, 190, "not shown", style="b", anchor="middle")
    drawing.text(24, 302, "what a reader sees", "dim", "t")
    instants = (("at first", 0.0), ("then", at.shown), ("at last", at.locked))
    for number, (name, instant) in enumerate(instants):
        y = 302 + 42 * number
        drawing.text(x(-0.36) - 14, y, name, "dim", "t", "end")
        drawing.box(x(-0.36), y - 23, 460, 34, radius=6)
        drawing.caption(x(-0.36) + 14, y, *_seen(policy, instant))
    legend = (
        "Solid: stable, never taken back. Lighter: unstable, may change. Seconds are of sound; "
        "what a look takes to compute comes on top."
    )
    drawing.text(24, 428, legend, "dim", "t")
    return drawing.svg()


def _seen(policy: Policy, now: float) -> tuple[str, str]:
    """What is stable and what is not, at this many seconds from the end of the word."""
    ends = [("it", -1.2), *((text, end) for text, _, end in _WORDS)]
    stable = [text for text, end in ends if end <= now - policy.lock_after]
    shown = [text for text, end in ends if end <= now - policy.show_after]
    return " ".join(stable), "".join(f" {text}" for text in shown[len(stable) :])


def stops() -> str:
    """When words come and stay at each stop, and how much is taken back, as the README says."""
    of = table(README, "profile")
    rows = [(name, _plotted(of.head, cells)) for name, cells in of.rows.items()]
    rows = [(name, figures) for name, figures in rows if len(figures) > 1]
    drawing = Drawing(980, 74 + 46 * len(rows) + 66, "When words come and stay, at each stop")
    left, scale = 190.0, 0.55  # pixels, pixels a millisecond
    bottom = 64 + 46 * len(rows)
    drawing.text(left, 38, "milliseconds after a word has been said", "dim", "t b")
    drawing.text(800, 38, "taken back", "dim", "t b")
    drawing.text(900, 38, "errors", "dim", "t b")
    for at in range(0, _LONGEST_MS + 1, 200):
        drawing.line(left + scale * at, 56, left + scale * at, bottom)
        drawing.text(left + scale * at, bottom + 18, str(at), "dim", "t", "middle")
    for number, (name, figures) in enumerate(rows):
        y = 64 + 46 * number
        drawing.text(24, y + 22, name, style="b" if name in STOPS else "")
        for row, (key, colour) in enumerate((("first", "accent"), ("stable", "good"))):
            half, most = figures[f"{key} p50 / p95 ms"]
            cut = min(most, _LONGEST_MS)
            drawing.box(
                left, y + 4 + 15 * row, scale * half, 11, fill=colour, edge=colour, radius=2
            )
            drawing.box(left + scale * half, y + 4 + 15 * row, scale * (cut - half), 11,
                        edge=colour, radius=2, dashed=most > cut)  # fmt: skip
            if most > cut:
                drawing.text(left + scale * cut + 6, y + 14 + 15 * row, f"{most:.0f}", "dim", "t")
        drawing.text(800, y + 22, f"{100 * figures['erasure'][0]:.0f} %")
        drawing.text(900, y + 22, f"{figures['WER %'][0]:g} %")
    legend = (("accent", "first seen"), ("good", "there to stay"))
    for number, (colour, what) in enumerate(legend):
        drawing.box(left + 150 * number, bottom + 36, 22, 11, fill=colour, edge=colour, radius=2)
        drawing.text(left + 150 * number + 30, bottom + 46, what, "dim", "t")
    drawing.text(
        left + 300, bottom + 46, "full: half of the words, outlined: 95 of 100", "dim", "t"
    )
    return drawing.svg()


_LONGEST_MS = 1000


def _plotted(head: tuple[str, ...], cells: tuple[str, ...]) -> dict[str, list[float]]:
    """The figures of a row, by column, without those that are empty."""
    named = zip(head[1:], map(numbers, cells), strict=True)
    return {column: found for column, found in named if found}


PICTURES: Mapping[str, Callable[[], str]] = {
    "threads.svg": threads,
    "word.svg": word,
    "stops.svg": stops,
}
"""By the name of the file: what draws it."""


def stale() -> list[str]:
    """The pictures that are not what would be drawn now."""
    return [
        name
        for name, draw in PICTURES.items()
        if not (path := FOLDER / name).is_file() or path.read_text(encoding="utf-8") != draw()
    ]


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--check", action="store_true", help="draw nothing; 1 where one is old")
    if parser.parse_args(arguments).check:
        for name in stale():
            print(f"docs/{name} is old: run scripts/pictures/docs_pictures.py")
        return int(bool(stale()))
    for name, draw in PICTURES.items():
        (FOLDER / name).write_text(draw(), encoding="utf-8")
        print(f"docs/{name}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
