#!/usr/bin/env python3
"""What fetching a model does to the captions beside it.

.venv/bin/python scripts/measure/fetch_beside.py AUDIO [--megabytes N] [--seconds N]

AUDIO is captioned in real time, once alone and once while a file of random bytes is fetched again
and again from another process of this machine, checked and installed, as fast as that goes: far
faster than from any real server, so the worst there can be. Prints how late captions came after
the sound they rest on, what was lost, and how fast the fetching went.
"""

from __future__ import annotations

import argparse
import hashlib
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT)]

# The checkout has to be on the path first.
import numpy as np  # noqa: E402
import soundfile  # noqa: E402

from engine.bench.metrics import normalised, score  # noqa: E402
from engine.config import EngineConfig, LatencyProfile  # noqa: E402
from engine.session import Session  # noqa: E402
from engine.sinks.memory import MemorySink  # noqa: E402
from engine.sources.file import FileSource  # noqa: E402
from engine.stats import percentiles  # noqa: E402
from engine.types import CaptionUpdate  # noqa: E402
from models import catalogue  # noqa: E402
from models.download import install  # noqa: E402
from models.spec import HttpsFile, ModelFile, ModelSpec  # noqa: E402
from models.store import ModelStore  # noqa: E402


class Late(MemorySink):
    """Notes how old the sound of each caption is."""

    def __init__(self) -> None:
        super().__init__()
        self.lags: list[float] = []

    def update(self, update: CaptionUpdate, published_at: float) -> None:
        """Note it."""
        super().update(update, published_at)
        self.lags.append(time.monotonic() - update.heard_at)


class Run(NamedTuple):
    """One run: lateness in milliseconds, what was lost, the text."""

    p50: float
    p95: float
    lost: int
    gaps: int
    text: str


def captioned(path: Path) -> Run:
    """Caption in real time."""
    known, store = catalogue.load(), ModelStore()
    sink = Late()
    config = EngineConfig(
        store.files(known.get(known.default)),
        store.files(known.get(known.vad)),
        LatencyProfile.parse("balanced"),
    )
    session = Session(config, [FileSource(path, realtime=True)], [sink])
    session.start()
    session.wait()
    if session.error is not None:
        raise session.error
    late = percentiles(sink.lags)
    gaps = sum(notice.code == "engine.gap" for notice in sink.notices)
    return Run(late.p50 or 0.0, late.p95 or 0.0, session.stats().lost_samples, gaps, sink.text)


class Fetching:
    """Fetches a model again and again until it is left."""

    def __init__(self, folder: Path, megabytes: int) -> None:
        served = folder / "served"
        served.mkdir()
        content = np.random.default_rng(0).bytes(megabytes << 20)
        (served / "weights.bin").write_bytes(content)
        command = [sys.executable, "-u", "-m", "http.server", "--bind", "127.0.0.1", "0"]
        self._server = subprocess.Popen(
            command, cwd=served, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        assert self._server.stdout is not None
        port = self._server.stdout.readline().split("port ")[1].split()[0]
        source = HttpsFile(f"http://127.0.0.1:{port}/weights.bin")
        file = ModelFile(
            "weights.bin", (source,), len(content), hashlib.sha256(content).hexdigest()
        )
        self._spec = ModelSpec(
            "far", "Far", "whisper", "recognizer", ("en",), "MIT", "nobody", (file,)
        )
        self._store = ModelStore(folder / "models")
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._fetch, name="fetching", daemon=True)
        self.megabytes = 0.0
        self.seconds = 0.0

    def __enter__(self) -> Fetching:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()
        self._server.kill()
        self._server.communicate()

    def _fetch(self) -> None:
        while not self._over.is_set():
            began = time.monotonic()
            install(self._spec, self._store)
            self.seconds += time.monotonic() - began
            self.megabytes += self._spec.size / 2**20
            self._store.remove(self._spec)


def main() -> int:
    """See the top of the file."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("audio", type=Path)
    parser.add_argument("--megabytes", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=40.0)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        samples, rate = soundfile.read(options.audio, dtype="float32")
        soundfile.write(folder / "sound.wav", samples[: round(options.seconds * rate)], rate)
        alone = captioned(folder / "sound.wav")
        with Fetching(folder, options.megabytes) as fetching:
            beside = captioned(folder / "sound.wav")
    for called, run in (("alone", alone), ("beside", beside)):
        print(
            f"{called:7} behind their sound p50 {run.p50:.0f} ms, p95 {run.p95:.0f} ms;"
            f" {run.lost} samples lost, {run.gaps} gaps"
        )
    print(f"ratio   p50 {beside.p50 / alone.p50:.2f}, p95 {beside.p95 / alone.p95:.2f}")
    print(f"fetched and checked {fetching.megabytes / fetching.seconds:.0f} MB/s")
    differing = score(normalised(alone.text), normalised(beside.text)).errors
    print(f"{differing} words differ, which real time does by itself")
    return 1 if beside.lost or beside.gaps else 0


if __name__ == "__main__":
    sys.exit(main())
