"""What noise suppression does to word errors, and what it costs.

    python scripts/measure/noise_table.py CORPUS [--modes MODE ...] [--ratios DB ...]
        [--json FILE] [--seconds N] [--partials]

CORPUS is a folder with ``manifest.tsv`` (path, transcript, ...; tabs between) and the folders
``en_clean``, ``en_other`` and ``nonspeech``. Clean speech is mixed with noise at four ratios, the
recordings of ``en_other`` are taken as they are, and in ``nonspeech`` every word is one too many.
Each goes through the engine's own front end, detector and lane in stream time, so the word errors
are the same on every machine and every time. The cost is not: it is processor time.
"""

from __future__ import annotations

import argparse
import csv
import itertools
import json
import sys
import time
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
import soundfile

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from engine import denoise
from engine.bench.metrics import normalised, score
from engine.config import DENOISERS, Denoise, LatencyProfile
from engine.frontend import FrontEnd, Gate
from engine.lane import LanePipeline
from engine.policy import Policy
from engine.recognizers.base import load
from engine.types import SAMPLE_RATE, Samples
from engine.vad import SileroVad
from models import catalogue
from models.store import ModelStore

MODES: tuple[Denoise, ...] = ("off", "light", "strong")
RATIOS = (0, 5, 10, 20)
NOISES = {
    "street": "noise_city-ambience",
    "keyboard": "noise_keyboard-typing",
    "fan": "noise_sb_diffuse",
    "music": "music_vibe_ace",
}
SPEECH = (
    "jfk_ask_not",
    "ljspeech_LJ001-0001",
    "vctk_p225_003",
    "vctk_p232_003",
    "librosa_libri1_northanger",
    "ls_test-clean_1089-134686-0000",
    "ls_dev-clean_2412-153948-0000",
    "asterisk_en_demo-nogo",
)
BLOCK = 1600
"""Samples moved together, as the worker does."""
_FAINTEST = 10**-3.5
"""Of the loudest 30 ms: what is fainter is a pause, which the ratio leaves out."""


class Desk:
    """The engine, with one way of suppressing noise."""

    def __init__(self, mode: Denoise, *, partials: bool) -> None:
        known, store = catalogue.load(), ModelStore()
        self._recognizer = load(store.files(known.get(known.default)), "cpu")
        self._vad = store.files(known.get(known.vad))
        self._files = None if mode == "off" else store.files(known.get(DENOISERS[mode]))
        self._denoiser = denoise.load(self._files) if self._files else None
        self._partials = partials
        self.audio_s = self.front_s = 0.0
        self.asked = self.spared = 0

    def caption(self, sound: Samples) -> str:
        """The finished lines of a recording."""
        if self._files is not None and self._files.spec.family == "rnnoise":
            self._denoiser = denoise.load(self._files)  # cheap; the others forget by themselves
        front = FrontEnd(self._denoiser)
        gate = Gate(SileroVad(self._vad), front)
        policy = Policy.at(LatencyProfile.parse("balanced"))
        lane = LanePipeline("file", self._recognizer, gate, policy, itertools.count().__next__)
        updates = []
        for at in range(0, sound.size, BLOCK):
            updates += lane.push(self._front(front, sound[at : at + BLOCK]), decode=self._partials)
        updates += lane.push(front.flush(), decode=self._partials)
        updates += lane.end()
        self.audio_s += sound.size / SAMPLE_RATE
        self.asked += gate.asked
        self.spared += gate.spared
        return " ".join(update.stable for update in updates if update.is_final)

    def _front(self, front: FrontEnd, block: Samples) -> Samples:
        began = time.thread_time()
        out = front.push(block)
        self.front_s += time.thread_time() - began
        return out


def mixed(speech: Samples, noise: Samples, ratio: float) -> Samples:
    """Speech and noise, ``ratio`` decibels apart while somebody speaks."""
    frames = speech[: speech.size // 480 * 480].reshape(-1, 480)
    powers = (frames**2).mean(1)
    spoken = float(powers[powers > powers.max() * _FAINTEST].mean())
    long_enough = np.resize(noise, speech.size)
    scale = np.sqrt(spoken / float((long_enough**2).mean()) / 10 ** (ratio / 10))
    sound = speech + np.float32(scale) * long_enough
    return (sound / max(1.0, float(np.abs(sound).max()))).astype(np.float32)


def errors(desk: Desk, recordings: Iterable[tuple[Samples, str]]) -> float:
    """Word errors of all of them together, per cent."""
    wrong = words = 0
    for sound, transcript in recordings:
        result = score(normalised(transcript), normalised(desk.caption(sound)))
        wrong, words = wrong + result.errors, words + result.words
    return 100.0 * wrong / max(1, words)


def measure(
    corpus: Path,
    seconds: float,
    modes: Sequence[Denoise],
    ratios: Sequence[int],
    *,
    partials: bool,
) -> dict[str, dict[str, float]]:
    """All rows: name of the sound -> way of suppressing noise -> word errors, per cent."""
    with (corpus / "manifest.tsv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    texts = {row["path"]: row["transcript"] for row in rows}
    clean = [(_read(corpus, path), texts[path]) for path in (f"en_clean/{n}.flac" for n in SPEECH)]
    noises = {name: _read(corpus, f"nonspeech/{file}.flac") for name, file in NOISES.items()}
    other = list(_spread([row for row in rows if row["path"].startswith("en_other/")], seconds))
    silent = [
        row["path"]
        for row in rows
        if row["path"].startswith("nonspeech/")
        # These two hold voices.
        and not any(name in row["path"] for name in ("song_with_vocals", "crowded-room"))
    ]
    table: dict[str, dict[str, float]] = {}
    for mode in modes:
        desk = Desk(mode, partials=partials)

        def put(name: str, value: float, mode: str = mode) -> None:
            table.setdefault(name, {})[mode] = value
            sys.stderr.write(f"{mode}: {name} {value:.3g}\n")

        put("clean", errors(desk, clean))
        put("en_other", errors(desk, [(_read(corpus, r["path"]), r["transcript"]) for r in other]))
        for noise, ratio in itertools.product(noises, ratios):
            sounds = [(mixed(sound, noises[noise], ratio), text) for sound, text in clean]
            put(f"{noise}, {ratio} dB", errors(desk, sounds))
        invented = sum(len(desk.caption(_read(corpus, path)).split()) for path in silent)
        put("words where nobody speaks", invented)
        put("cores", desk.front_s / desk.audio_s)
        put("detector spared, %", 100.0 * desk.spared / max(1, desk.asked + desk.spared))
    for ratio in ratios:
        table[f"all noises, {ratio} dB"] = {
            mode: sum(table[f"{noise}, {ratio} dB"][mode] for noise in noises) / len(noises)
            for mode in modes
        }
    return table


def _read(corpus: Path, path: str) -> Samples:
    samples: Samples = soundfile.read(corpus / path, dtype="float32")[0]
    return samples


def _spread(rows: Sequence[dict[str, str]], seconds: float) -> Iterable[dict[str, str]]:
    """Evenly chosen ones, about so many seconds together."""
    step = max(1, round(sum(float(row["seconds"]) for row in rows) / seconds))
    return rows[::step]


def print_table(table: dict[str, dict[str, float]]) -> None:
    """In Markdown."""
    modes = list(table["clean"])
    print(f"| sound | {' | '.join(modes)} |\n|---|{'---|' * len(modes)}")
    for name, row in table.items():
        digits = 3 if name == "cores" else 0 if "words" in name or "spared" in name else 1
        print(f"| {name} | {' | '.join(f'{row[mode]:.{digits}f}' for mode in modes)} |")


def main() -> int:
    """See the top of the file."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--modes", nargs="+", choices=MODES, default=MODES)
    parser.add_argument("--ratios", nargs="+", type=int, choices=RATIOS, default=RATIOS)
    parser.add_argument("--json", type=Path, help="write the figures there too")
    parser.add_argument("--seconds", type=float, default=240.0, help="of en_other; default 240")
    parser.add_argument(
        "--partials",
        action="store_true",
        help="caption while a line is spoken, too, as on a screen: ten times the work",
    )
    asked = parser.parse_args()
    table = measure(asked.corpus, asked.seconds, asked.modes, asked.ratios, partials=asked.partials)
    print_table(table)
    if asked.json:
        asked.json.write_text(json.dumps(table, indent=2) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
